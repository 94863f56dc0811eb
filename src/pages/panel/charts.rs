//! Charts as SVG, made on the server. What they show is beside them in words or in a table.

use maud::{Markup, html};

/// A bar for each value, over a base line, the highest as high as the chart. `label` is what a screen reader says.
pub(super) fn bars(values: &[u64], label: &str) -> Markup {
    let most = values.iter().max().copied().unwrap_or(0).max(1);
    let width = values.len() * 12;
    html! {
        svg.chart viewBox={ "0 0 " (width) " 60" } preserveAspectRatio="none" role="img" aria-label=(label) {
            @for (index, value) in values.iter().enumerate().filter(|(_, value)| **value > 0) {
                @let height = (value * 58 / most).max(1);
                rect x=(index * 12 + 1) y=(59 - height) width="10" height=(height) {}
            }
            path d={ "M0 59.5H" (width) } {}
        }
    }
}

/// A share of a whole, as a bar in a table. The number is in the cell beside it.
pub(super) fn share(part: u64, whole: u64) -> Markup {
    html! {
        svg.share viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
            rect width=((part * 100).checked_div(whole).unwrap_or(0).clamp(1, 100)) height="8" {}
        }
    }
}
