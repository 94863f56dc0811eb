//! The algorithms and their variants by name, for command lines and tables.

use super::{Algorithm, Settings, article_subtree, cetr, cnr, core_ex, text_density};
use crate::filter::link_quota;

impl Algorithm {
    /// Every algorithm by its YAML name; a test keeps the two together.
    pub(crate) const ALL: [(&str, Algorithm); 10] = [
        ("auto", Algorithm::Auto),
        ("cnr", Algorithm::Cnr),
        ("core_ex", Algorithm::CoreEx),
        ("link_quota", Algorithm::LinkQuota),
        ("article_subtree", Algorithm::ArticleSubtree),
        ("cetr", Algorithm::Cetr),
        ("bte", Algorithm::Bte),
        ("ccb", Algorithm::Ccb),
        ("dsc", Algorithm::Dsc),
        ("text_density", Algorithm::TextDensity),
    ];
}

/// Names that [`Settings::named`] knows beside those of the algorithms.
const VARIANTS: [(&str, Algorithm); 13] = [
    ("cnr_relaxed", Algorithm::Cnr),
    ("core_ex_r1", Algorithm::CoreEx),
    ("core_ex_r2", Algorithm::CoreEx),
    ("core_ex_r3", Algorithm::CoreEx),
    ("core_ex_r4", Algorithm::CoreEx),
    ("core_ex_r5", Algorithm::CoreEx),
    ("core_ex_mended", Algorithm::CoreEx),
    ("link_quota_paper", Algorithm::LinkQuota),
    ("article_subtree_largest", Algorithm::ArticleSubtree),
    ("article_subtree_all", Algorithm::ArticleSubtree),
    ("cetr_threshold", Algorithm::Cetr),
    ("accb", Algorithm::Ccb),
    ("text_density_plain", Algorithm::TextDensity),
];

impl Settings {
    /// These settings with another algorithm, by its YAML name or by the name of a variant ([`Settings::names`]).
    #[must_use]
    pub fn named(mut self, name: &str) -> Option<Settings> {
        if let Some((_, algorithm)) = Algorithm::ALL.iter().find(|(known, _)| *known == name) {
            self.algorithm = *algorithm;
            return Some(self);
        }
        let (_, algorithm) = VARIANTS.iter().find(|(known, _)| *known == name)?;
        self.algorithm = *algorithm;
        match name {
            "cnr_relaxed" => self.cnr.dial = cnr::RELAXED,
            "core_ex_r1" => self.core_ex = core_ex::Settings::system(1),
            "core_ex_r2" => self.core_ex = core_ex::Settings::system(2),
            "core_ex_r3" => self.core_ex = core_ex::Settings::system(3),
            "core_ex_r4" => self.core_ex = core_ex::Settings::system(4),
            "core_ex_r5" => self.core_ex = core_ex::Settings::system(5),
            "core_ex_mended" => self.core_ex = core_ex::Settings::mended(),
            "link_quota_paper" => self.link_quota = link_quota::Settings::paper(),
            "article_subtree_largest" => {
                self.article_subtree.pick = article_subtree::Pick::Largest;
            }
            "article_subtree_all" => self.article_subtree.pick = article_subtree::Pick::All,
            "cetr_threshold" => self.cetr.clustering = cetr::Clustering::Threshold,
            "accb" => self.ccb.adapted = true,
            "text_density_plain" => self.text_density.measure = text_density::DensityMeasure::Plain,
            _ => return None,
        }
        Some(self)
    }

    /// Every name that [`Settings::named`] knows: the algorithms, then the variants.
    pub fn names() -> impl Iterator<Item = &'static str> {
        let algorithms = Algorithm::ALL.iter().map(|(name, _)| *name);
        algorithms.chain(VARIANTS.iter().map(|(name, _)| *name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_known_and_every_algorithm_has_one() {
        for name in Settings::names() {
            assert!(Settings::default().named(name).is_some(), "{name}");
        }
        assert!(Settings::default().named("nonesuch").is_none());
        for (name, algorithm) in Algorithm::ALL {
            let yaml = serde_yaml::to_string(&algorithm).unwrap();
            assert_eq!(yaml.trim(), name);
        }
    }
}
