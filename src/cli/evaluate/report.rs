//! The HTML report: one file with the tables, the plots, and the worst pages with what was kept beside what should have
//! been. No script, nothing from elsewhere.

use gleaner_filters::Trace;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{
    align::{align, words},
    dataset::Sample,
    score::PageScores,
    sums::{Sums, difference, of_type, types},
};

/// Words of a text that the report shows; of a longer one the beginning.
const MAX_WORDS: usize = 4000;

/// A page to be looked at.
pub(super) struct WorstPage {
    sample: Sample,
    /// None where nothing came out.
    trace: Option<Trace>,
    f1: f64,
    precision: f64,
    recall: f64,
}

impl WorstPage {
    pub(super) fn new(sample: Sample, trace: Option<Trace>, scores: &PageScores) -> WorstPage {
        let score = &scores.scores[0];
        WorstPage {
            sample,
            trace,
            f1: score.f1,
            precision: score.precision,
            recall: score.recall,
        }
    }
}

const STYLE: &str = "body{font:15px/1.5 sans-serif;margin:2rem auto;max-width:84rem;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.15rem .7rem;text-align:right;border-bottom:1px solid #ddd}\
td:first-child,th:first-child{text-align:left}svg{max-width:46rem;display:block}\
.sides{display:grid;grid-template-columns:1fr 1fr;gap:1.5rem}.text{white-space:pre-wrap;overflow-wrap:anywhere;\
max-height:34rem;overflow:auto;border:1px solid #ddd;padding:.7rem;font-size:13px}\
mark.extra{background:#f9c9c5}mark.missing{background:#c9dcf9}code{font-size:13px}summary{cursor:pointer}";

/// The report on contestants of these names; `plots` are SVG.
pub(super) fn page(
    names: &[String],
    pages: &[PageScores],
    plots: &[String],
    worst: &[WorstPage],
) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "gleaner evaluate" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "gleaner evaluate" }
                p { (pages.len()) " pages. F1, precision and recall by words; nodes by text nodes, on the "
                    (Sums::of(&of_type(pages, None), 0).mapped)
                    " pages whose reference could be mapped to nodes. Differences to the first line, with their \
                     standard errors (clustered by domain)." }
                (overall(names, pages))
                h2 { "Word F1 by page type" }
                (by_type(names, pages))
                @for plot in plots { (PreEscaped(plot)) }
                @if !worst.is_empty() {
                    h2 { "The " (worst.len()) " worst pages of " code { (names[0]) } }
                    p { mark.extra { "kept, but not in the reference" } " · "
                        mark.missing { "in the reference, but not kept" } }
                    @for page in worst { (worst_page(page)) }
                }
            }
        }
    }
    .into_string()
}

fn overall(names: &[String], pages: &[PageScores]) -> Markup {
    let all = of_type(pages, None);
    html! {
        table {
            tr {
                @for title in [
                    "algorithm", "F1", "difference", "s.e.", "precision", "recall", "nodes P", "nodes R", "with", "without", "title",
                    "harmed", "empty", "failed", "CPU ms",
                ] { th { (title) } }
            }
            @for (number, name) in names.iter().enumerate() {
                @let sums = Sums::of(&all, number);
                @let means = sums.means();
                @let (difference, error) = difference(pages, number);
                tr {
                    td { code { (name) } }
                    td { (share(means.f1)) }
                    td { (format!("{difference:+.4}")) }
                    td { (format!("{error:.4}")) }
                    @for value in [
                        means.precision, means.recall, means.node_precision, means.node_recall, means.required,
                        means.forbidden, means.title,
                    ] { td { (share(value)) } }
                    @for count in [sums.harmed, sums.empty, sums.failed] { td { (count) } }
                    td { (format!("{:.1}", means.cpu_ms)) }
                }
            }
        }
    }
}

fn by_type(names: &[String], pages: &[PageScores]) -> Markup {
    let types = types(pages);
    html! {
        table {
            tr {
                th { "algorithm" }
                @for name in &types { th { (name) " (" (of_type(pages, Some(name)).len()) ")" } }
            }
            @for (number, name) in names.iter().enumerate() {
                tr {
                    td { code { (name) } }
                    @for page_type in &types {
                        td { (share(Sums::of(&of_type(pages, Some(page_type)), number).means().f1)) }
                    }
                }
            }
        }
    }
}

fn worst_page(page: &WorstPage) -> Markup {
    let kept = page.trace.as_ref().map_or("", |trace| &trace.text);
    let (kept, wanted) = compared(kept, &page.sample.reference.text);
    let notes = page.trace.iter().flat_map(|trace| &trace.report.filters);
    html! {
        details {
            summary {
                b { (page.sample.id) } " " (page.sample.page_type) " · F1 " (share(page.f1)) " · precision "
                (share(page.precision)) " · recall " (share(page.recall)) " · " (page.sample.url)
            }
            p {
                @for filter in notes {
                    @if let Some(note) = &filter.note { code { (filter.filter) ": " (note) } " " }
                }
            }
            div.sides {
                div { h3 { "kept" } div.text { (kept) } }
                div { h3 { "reference" } div.text { (wanted) } }
            }
        }
    }
}

fn share(value: f64) -> String {
    format!("{value:.3}")
}

/// Both texts with the words marked that the other one does not have.
fn compared(kept: &str, wanted: &str) -> (Markup, Markup) {
    let list = |text| -> Vec<(std::ops::Range<usize>, String)> { words(text).collect() };
    let (left, right) = (list(kept), list(wanted));
    let only_words = |list: &[(std::ops::Range<usize>, String)]| -> Vec<String> {
        list.iter().map(|(_, word)| word.clone()).collect()
    };
    let aligned = align(&only_words(&left), &only_words(&right));
    (
        marked(kept, &left, &aligned.left, "extra"),
        marked(wanted, &right, &aligned.right, "missing"),
    )
}

fn marked(
    text: &str,
    words: &[(std::ops::Range<usize>, String)],
    found: &[bool],
    class: &str,
) -> Markup {
    // Runs of words that are alike: where each begins and whether it was found.
    let mut runs: Vec<(usize, bool)> = vec![(0, true)];
    for ((range, _), &found) in words.iter().zip(found).take(MAX_WORDS) {
        if runs.last().is_none_or(|(_, last)| *last != found) {
            runs.push((range.start, found));
        }
    }
    let end = words
        .get(MAX_WORDS)
        .map_or(text.len(), |(range, _)| range.start);
    let ends = runs.iter().skip(1).map(|(start, _)| *start).chain([end]);
    html! {
        @for ((start, found), end) in runs.iter().zip(ends) {
            @if *found { (text[*start..end]) } @else { mark class=(class) { (text[*start..end]) } }
        }
        @if end < text.len() { " …" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_only_one_side_has_are_marked() {
        let (kept, wanted) = compared("Menu. One <two> three four", "One two three four five");
        assert_eq!(
            kept.into_string(),
            "<mark class=\"extra\">Menu. </mark>One &lt;two&gt; three four"
        );
        assert_eq!(
            wanted.into_string(),
            "One two three four <mark class=\"missing\">five</mark>"
        );
    }

    #[test]
    fn long_texts_are_cut() {
        let words: Vec<String> = (0..MAX_WORDS + 10).map(|n| format!("w{n}")).collect();
        let text = words.join(" ");
        let (kept, _) = compared(&text, &text);
        assert!(kept.into_string().ends_with("w3999  …"));
    }
}
