//! The HTML report: one file with the tables, the plots, and the worst pages of each algorithm as outlines of their blocks
//! and word by word. No script, nothing from elsewhere.

mod outline;
mod words;

use gleaner_filters::Trace;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::{
    outline::{Outline, legend},
    words::compared,
};
use super::{
    Results,
    nodes::Mapping,
    sums::{self, Sums, difference, pages_of_type, types},
    table::share,
};
use crate::dataset::Sample;

const STYLE: &str = include_str!("report/report.css");

/// The report; `plots` are SVG, and of each algorithm so many of the worst pages are shown.
pub(super) fn page(results: &Results, plots: &[String], worst: usize) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "gleaner-lab evaluate" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "gleaner-lab evaluate" }
                (introduction(results))
                (overall(results))
                h2 { "Word F1 by page type" }
                (by_type(results))
                @if !plots.is_empty() {
                    div.plots { @for plot in plots { (PreEscaped(plot)) } }
                }
                @if worst > 0 { (worst_pages(results, worst)) }
            }
        }
    }
    .into_string()
}

fn introduction(results: &Results) -> Markup {
    let pages = &results.pages;
    let mapped = Sums::from_pages(&pages_of_type(pages, None), 0).mapped;
    html! {
        p { (pages.len()) " pages. F1, precision and recall by words; " i { "nodes" } " by text nodes, each counting one, and "
            i { "text" } " the same by their words, on the " (mapped) " pages whose reference could be mapped to nodes. "
            "Differences to the first line, with their standard errors (clustered by domain)." }
        @if !results.unread.is_empty() {
            p { b { (results.unread.len()) " pages of the data set could not be read" } " and are in no figure:" }
            ul { @for page in &results.unread { li { code { (page.file) } ": " (page.error) } } }
        }
    }
}

fn overall(results: &Results) -> Markup {
    let all = pages_of_type(&results.pages, None);
    html! {
        div.wide { table {
            tr {
                @for title in [
                    "algorithm", "F1", "difference", "s.e.", "precision", "recall", "nodes P", "nodes R", "text P", "text R",
                    "with", "without", "title", "harmed", "empty", "failed", "CPU", "choice",
                ] { th { (title) } }
            }
            @for (number, contestant) in results.contestants.iter().enumerate() {
                @let sums = Sums::from_pages(&all, number);
                @let means = sums.means();
                @let (difference, error) = difference(&results.pages, number);
                tr {
                    td { code { (contestant.name) } }
                    td { (share(means.f1)) }
                    td { (format!("{difference:+.4}")) }
                    td { (format!("{error:.4}")) }
                    @for value in [
                        means.precision, means.recall, means.node_precision, means.node_recall, means.text_precision,
                        means.text_recall, means.required, means.forbidden, means.title,
                    ] { td { (share(value)) } }
                    @for count in [sums.harmed, sums.empty, sums.failed] { td { (count) } }
                    td { (format!("{:.1}", means.cpu_ms)) }
                    td { (format!("{:.2}", means.choice_ms)) }
                }
            }
        } }
    }
}

fn by_type(results: &Results) -> Markup {
    let types = types(&results.pages);
    html! {
        div.wide { table {
            tr {
                th { "algorithm" }
                @for name in &types { th { (name) " (" (pages_of_type(&results.pages, Some(name)).len()) ")" } }
            }
            @for (number, contestant) in results.contestants.iter().enumerate() {
                tr {
                    td { code { (contestant.name) } }
                    @for page_type in &types {
                        td { (share(Sums::from_pages(&pages_of_type(&results.pages, Some(page_type)), number).means().f1)) }
                    }
                }
            }
        } }
    }
}

/// The worst pages of each algorithm; the settings of the dial are one algorithm's.
fn worst_pages(results: &Results, count: usize) -> Markup {
    let shown = results.contestants.iter().enumerate();
    let shown = shown.filter(|(_, contestant)| contestant.dial.is_none());
    html! {
        h2 { "The worst pages" }
        p { "Each page from its top to its end as one line, by the characters of its texts; opened, the tree of its blocks, and \
             what was kept beside what should have been." }
        (legend())
        @for (number, contestant) in shown {
            @let worst = sums::worst(&results.pages, number, count);
            h3 { "The " (worst.len()) " worst of " code { (contestant.name) } }
            @for at in worst {
                (worst_page(results, at, number))
            }
        }
    }
}

/// A page that is read and run once more: its texts are too large to keep for all pages.
fn worst_page(results: &Results, at: usize, number: usize) -> Markup {
    let contestant = &results.contestants[number];
    let score = &results.pages[at].scores[number];
    let sample = match Sample::read(&results.pairs[at], results.max_bytes) {
        Ok(sample) => sample,
        Err(unread) => return html! { p { (unread.file) ": " (unread.error) } },
    };
    let trace = contestant.trace(&sample).ok().map(|(trace, _)| trace);
    let wanted = trace.as_ref().map(|trace| Mapping::new(&trace.texts, &sample.reference.text));
    let outline = trace.as_ref().zip(wanted.as_ref()).map(|(trace, wanted)| Outline::new(trace, wanted.wanted()));
    let kept = trace.as_ref().map_or("", |trace| &trace.text);
    let (kept, reference) = compared(kept, &sample.reference.text);
    html! {
        details.page {
            summary {
                span.head {
                    b { (sample.id) } " " (sample.page_type) " · F1 " b { (share(score.f1)) } " · precision "
                    (share(score.precision)) " · recall " (share(score.recall)) " · " span.url { (sample.url) }
                }
                @if let Some(outline) = &outline { (outline.strip()) }
            }
            @if let Some(trace) = &trace { (notes(trace, wanted.as_ref())) } @else { p.note { "Nothing came out." } }
            @if let Some(outline) = &outline { (outline.tree()) }
            div.sides {
                div { h4 { "kept" } div.text { (kept) } }
                div { h4 { "reference" } div.text { (reference) } }
            }
        }
    }
}

/// Notes of the filters, and how far the reference could be found.
fn notes(trace: &Trace, wanted: Option<&Mapping>) -> Markup {
    let found = wanted.and_then(Mapping::found);
    html! {
        p.note {
            @for filter in &trace.report.filters {
                @if let Some(note) = &filter.note { code { (filter.filter) } " " (note) ". " }
            }
            @match found {
                None => "The reference is empty.",
                Some(found) if found < 0.995 => {
                    (format!("{:.0} %", 100.0 * (1.0 - found))) " of the reference's words were not found on the page."
                }
                Some(_) => {}
            }
        }
    }
}
