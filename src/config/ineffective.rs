//! Settings that have no effect because of others: reported as warnings.

use gleaner_filters::{
    Format,
    main_block::Algorithm,
    output::{self, Style},
};

use super::Config;

impl Config {
    /// The settings that were changed and have no effect, each with what it needs.
    pub(crate) fn ineffective_settings(&self) -> Vec<(String, String)> {
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
                "filters.output with `format: html` and `style: reader`, the only pages that are joined",
            ),
            (
                rewrite.join_pages > 1 && !filters.main_block.enabled,
                "rewrite.join_pages",
                "filters.main_block, because the main blocks of the pages are joined",
            ),
            (
                rewrite.remember_hosts > 0 && !(runs_quota && compares),
                "rewrite.remember_hosts",
                "filters.link_quota with `domain_strength` above 0 or `image_lists_by_domain: true`, which are what uses it",
            ),
        ];
        let ineffective = settings.into_iter().filter(|(is_ineffective, ..)| *is_ineffective);
        let of_page = ineffective.map(|(_, key, needs)| (key.to_owned(), needs.to_owned()));
        let port = self.profiles.unknown_port(&self.listen).map(|(index, port)| {
            (
                format!("devices[{index}].ports"),
                format!("port {port} under `listen`, or `gleaner serve --listen {port}`"),
            )
        });
        of_page.chain(port).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_needs_another_is_reported_where_that_is_missing() {
        for (rewrite, filters, wanted) in [
            ("", "", ""),
            ("join_pages: 3", "", ""),
            ("join_pages: 3", "output: { style: original }", "rewrite.join_pages"),
            ("join_pages: 3", "output: { format: text }", "rewrite.join_pages"),
            ("join_pages: 3", "main_block: { enabled: false }", "rewrite.join_pages"),
            ("remember_hosts: 9", "", "rewrite.remember_hosts"),
            ("remember_hosts: 9", "link_quota: { enabled: true, domain_strength: 0.5 }", ""),
            ("remember_hosts: 9", "link_quota: { enabled: true, image_lists: true, image_lists_by_domain: true }", ""),
        ] {
            let yaml = format!("rewrite: {{ {rewrite} }}\nfilters: {{ {filters} }}");
            let ineffective = Config::from_yaml(&yaml, None).unwrap().ineffective_settings();
            let keys: String = ineffective.iter().map(|(key, _)| &**key).collect();
            assert_eq!(keys, wanted, "{yaml}");
        }
    }

    #[test]
    fn a_rule_for_a_port_that_nobody_connects_to_is_reported() {
        let rules = "devices: [{ ports: [8118], profile: text }, { ports: [8119], profile: off }]";
        for (listen, wanted) in [("8118", Some("devices[1].ports")), ("[8118, 8119]", None), ("0", None)] {
            let config = Config::from_yaml(&format!("listen: {listen}\n{rules}"), None).unwrap();
            let found = config.ineffective_settings().into_iter().next().map(|(key, _)| key);
            assert_eq!(found.as_deref(), wanted, "{listen}");
        }
    }
}
