//! What the chain did to a page, filter by filter.

use std::{fmt, time::Duration};

use serde::Serialize;

/// Report of one filter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilterReport {
    /// The filter's YAML name.
    pub filter: &'static str,
    /// Subtrees it removed.
    pub removed: usize,
    /// Visible characters in them, white space not counted.
    pub removed_chars: usize,
    /// A remark beside the counts, such as the block that was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// CPU time of the filter.
    #[serde(skip)]
    pub cpu: Duration,
}

/// Report of the chain.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    /// Visible characters of the page's text before the chain, white space not counted.
    pub text_before: usize,
    /// Visible characters of the page's text after the chain, white space not counted.
    pub text_after: usize,
    /// Whether a main block was chosen and the rest of the page removed.
    pub selected: bool,
    /// The word F1 to be expected of that choice, 0 to 1, where its algorithm can tell; low where a page was left whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Links that were removed and stand in the list at the end of the page.
    #[serde(skip)]
    pub links: usize,
    /// The filters that ran, in order.
    pub filters: Vec<FilterReport>,
}

impl Report {
    /// Share of the visible characters that was kept, 0 to 1; 1 for a page without text.
    #[must_use]
    pub fn kept_share(&self) -> f64 {
        if self.text_before == 0 { 1.0 } else { self.text_after as f64 / self.text_before as f64 }
    }

    /// Share of the text that was kept, in percent, such as `34%`.
    #[must_use]
    pub fn kept(&self) -> String {
        format!("{}%", percent(self.kept_share()))
    }
}

/// A share in percent: 0 and 100 for none and all alone.
pub(crate) fn percent(share: f64) -> f64 {
    match share {
        ..=0.0 => 0.0,
        1.0.. => 100.0,
        _ => (share * 100.0).round().clamp(1.0, 99.0),
    }
}

/// `kept=34%; removed=ignore:120,main_block:14`: names and numbers only, fit for a header field.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kept={}", self.kept())?;
        let mut separator = "; removed=";
        for filter in self.filters.iter().filter(|filter| filter.removed > 0) {
            write!(f, "{separator}{}:{}", filter.filter, filter.removed)?;
            separator = ",";
        }
        Ok(())
    }
}
