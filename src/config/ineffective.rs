//! Settings that do nothing because of others: no mistake, but worth a warning.

use gleaner_filters::{
    Format,
    main_block::Algorithm,
    output::{self, Style},
};

use super::Config;

/// A setting without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IneffectiveSetting {
    /// Its key.
    pub key: &'static str,
    /// What it needs.
    pub needs: &'static str,
}

impl Config {
    /// The settings that were changed and do nothing.
    #[must_use]
    pub fn ineffective_settings(&self) -> Vec<IneffectiveSetting> {
        let (rewrite, filters) = (&self.rewrite, &self.filters);
        let output::Settings { format, style, .. } = &filters.output;
        let quota = &filters.link_quota;
        let runs_quota =
            quota.enabled || filters.main_block.enabled && filters.main_block.algorithm == Algorithm::LinkQuota;
        let compares = quota.image_lists_by_domain && quota.image_lists || quota.domain_strength > 0.0;
        let settings = [
            (
                rewrite.join_pages > 1 && (*format != Format::Html || *style != Style::Reader),
                "rewrite.join_pages",
                "filters.output with `format: html` and `style: reader`, the only pages that are put together",
            ),
            (
                rewrite.join_pages > 1 && !filters.main_block.enabled,
                "rewrite.join_pages",
                "filters.main_block, because the main blocks of the pages are put together",
            ),
            (
                rewrite.remember_hosts > 0 && !(runs_quota && compares),
                "rewrite.remember_hosts",
                "filters.link_quota with `domain_strength` above 0 or `image_lists_by_domain: true`, the only ones to ask",
            ),
        ];
        let ineffective = settings.into_iter().filter(|(is_ineffective, ..)| *is_ineffective);
        ineffective.map(|(_, key, needs)| IneffectiveSetting { key, needs }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ineffective(yaml: &str) -> Vec<&'static str> {
        let config = Config::from_yaml(yaml, None).unwrap();
        config.ineffective_settings().iter().map(|setting| setting.key).collect()
    }

    #[test]
    fn a_setting_that_needs_another_is_reported_where_that_is_missing() {
        assert_eq!(ineffective(""), [""; 0]);
        assert_eq!(ineffective("rewrite: { join_pages: 3 }"), [""; 0]);
        for off in ["output: { style: original }", "output: { format: text }", "main_block: { enabled: false }"] {
            let yaml = format!("rewrite: {{ join_pages: 3 }}\nfilters: {{ {off} }}");
            assert_eq!(ineffective(&yaml), ["rewrite.join_pages"], "{off}");
        }
        assert_eq!(ineffective("rewrite: { remember_hosts: 9 }"), ["rewrite.remember_hosts"]);
        for on in
            ["enabled: true, domain_strength: 0.5", "enabled: true, image_lists: true, image_lists_by_domain: true"]
        {
            let yaml = format!("rewrite: {{ remember_hosts: 9 }}\nfilters: {{ link_quota: {{ {on} }} }}");
            assert_eq!(ineffective(&yaml), [""; 0], "{on}");
        }
    }
}
