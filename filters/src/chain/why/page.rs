//! Writes the page that explains a page: the original with removed parts marked, and tables of filters and blocks.

use std::fmt::Write as _;

use super::{Explanation, PartKind, RemovedPart};
use crate::{
    analysis::AnalysedPage,
    chain::blocks::Block,
    hashing::Table,
    html::{
        NodeId,
        serialize::{escape_attribute, escape_text},
    },
    output::{
        self, Shape, Surroundings,
        interface::{Interface, Label},
    },
    report::percent,
};

/// Rows of the tree that are shown.
const MAX_ROWS: usize = 400;

/// The page; `roots` are what was removed, as in the explanation.
pub(super) fn write(
    page: &AnalysedPage,
    explanation: &Explanation,
    roots: &[(NodeId, &'static str)],
    around: Surroundings<'_>,
) -> String {
    let words = around.words;
    let mut labels: Table<NodeId, String> = Table::default();
    for (&(id, _), part) in roots.iter().zip(&explanation.removed) {
        labels.entry(id).or_default().push_str(&mark(part, words));
    }
    if let Some(place) = page.outcome.main_block.filter(|&place| place != page.body()) {
        let kept = named("block", words.get(Label::WhyKept), words);
        labels.entry(place).or_default().push_str(&kept);
    }
    let mut above = String::new();
    for (tag, label) in [("h1", Label::WhyTitle), ("p", Label::WhyIntro)] {
        let _ = write!(above, "<{tag}>{}</{tag}>", words.get(label));
    }
    legend(explanation, words, &mut above);
    let mut below =
        format!("<details><summary>{}</summary><div lang=\"en\" dir=\"ltr\">", words.get(Label::WhyDetails));
    filters(explanation, &mut below);
    below.push_str(&details(explanation));
    unseen(explanation, &mut below);
    parts(explanation, &mut below);
    tree(explanation, &mut below);
    if let Some(bar) = around.bar
        && let Some(to) = &bar.links.to
    {
        below.push_str("<p><a rel=\"nofollow\" href=\"");
        escape_attribute(&to(bar.links.view.shaped(Shape::Json)), &mut below);
        below.push_str("\">All of this as JSON</a></p>");
    }
    below.push_str("</div></details>");
    output::why::write(page, &labels, [&above, &below], around)
}

/// Words in the colour of a filter.
fn named(filter: &str, text: &str, words: &Interface) -> String {
    let mut out = format!("<b data-gleaner-by=\"{filter}\" lang=\"{}\" dir=\"auto\">", words.language);
    escape_text(text, &mut out);
    out.push_str("</b> ");
    out
}

/// What a part is, and how sure that is.
fn mark(part: &RemovedPart, words: &Interface) -> String {
    let mut text = words.get(part.kind.label()).to_owned();
    let sure = part.probability.map(|probability| 1.0 - probability).filter(|sure| *sure >= 0.5);
    if let Some(sure) = sure.filter(|_| part.kind == PartKind::Other) {
        let _ = write!(text, ", {}", words.counted(Label::WhySure, percent(sure)));
    }
    named(part.filter, &text, words)
}

/// How often there is what, in the colour of its filter.
fn legend(explanation: &Explanation, words: &Interface, out: &mut String) {
    let mut counts: Vec<(PartKind, &str, usize)> = Vec::new();
    for part in explanation.removed.iter().chain(&explanation.unseen) {
        match counts.iter_mut().find(|(kind, filter, _)| (*kind, *filter) == (part.kind, part.filter)) {
            Some((.., count)) => *count += 1,
            None => counts.push((part.kind, part.filter, 1)),
        }
    }
    out.push_str("<ul>");
    for (kind, filter, count) in counts {
        let _ = write!(out, "<li>{}: {count}</li>", named(filter, words.get(kind.label()), words).trim_end());
    }
    out.push_str("</ul>");
}

/// The removed parts with the rule of each.
fn parts(explanation: &Explanation, out: &mut String) {
    let parts = &explanation.removed;
    let _ = write!(out, "<details><summary>Removed parts ({})</summary><ul>", parts.len());
    for part in parts.iter().take(MAX_ROWS) {
        out.push_str("<li>");
        out.push_str(&label(part));
        escape_text(&part.start, out);
    }
    out.push_str("</ul></details>");
}

fn label(part: &RemovedPart) -> String {
    let mut label = format!("<b data-gleaner-by=\"{0}\">{0}: ", part.filter);
    escape_text(&part.rule, &mut label);
    label.push_str("</b> ");
    label
}

fn filters(explanation: &Explanation, out: &mut String) {
    let report = &explanation.report;
    let _ = write!(
        out,
        "<p>{} of the text was kept: {} of {} characters.</p><table><tr><th>Filter<th>Parts<th>Characters<th>Note",
        report.kept(),
        report.text_after,
        report.text_before
    );
    for filter in &report.filters {
        let (name, removed, chars) = (filter.filter, filter.removed, filter.removed_chars);
        let _ = write!(out, "<tr><td><b data-gleaner-by=\"{name}\">{name}</b><td>{removed}<td>{chars}<td>");
        escape_text(filter.note.as_deref().unwrap_or_default(), out);
    }
    out.push_str("</table>");
}

fn unseen(explanation: &Explanation, out: &mut String) {
    let parts = &explanation.unseen;
    if parts.is_empty() {
        return;
    }
    let _ = write!(
        out,
        "<details><summary>Advertisements and trackers without a place on the page: {}</summary><ul>",
        parts.len()
    );
    for part in parts {
        out.push_str("<li>");
        out.push_str(&label(part));
        escape_text(&part.start, out);
    }
    out.push_str("</ul></details>");
}

/// The main block's scores, and its rivals.
fn details(explanation: &Explanation) -> String {
    let mut out = String::from("<details data-gleaner-by=\"block\"><summary>");
    match &explanation.main_block {
        Some(place) => {
            out.push_str("Main block: ");
            escape_text(place, &mut out);
        }
        None => out.push_str("No main block was chosen"),
    }
    out.push_str("</summary>");
    if let Some(confidence) = explanation.report.confidence {
        let _ = write!(out, "<p>Right words to be expected (word F1): {confidence:.2}</p>");
    }
    out.push_str("<table><tr><th>Block<th>Share<th>Characters<th>CNR<th>Links<th>Probability<th>Begins");
    for (number, block) in explanation.page.blocks.iter().enumerate() {
        row(number + 1, block, &mut out);
    }
    out.push_str("</table></details>");
    out
}

fn row(number: usize, block: &Block, out: &mut String) {
    let _ = write!(
        out,
        "<tr><td>{number}<td>{:.0}%<td>{}<td>{:.1}<td>{}<td>{}<td>",
        block.share * 100.0,
        block.chars,
        block.ratio,
        block.links,
        probability(block.probability)
    );
    escape_text(&block.start, out);
}

fn probability(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.2}"))
}

fn tree(explanation: &Explanation, out: &mut String) {
    let rows = &explanation.page.tree;
    let _ = write!(out, "<details><summary>Tree of all blocks ({})</summary>", rows.len());
    out.push_str("<table><tr><th>Block<th>Characters<th>CNR<th>Probability<th>Begins");
    for row in rows.iter().take(MAX_ROWS) {
        out.push_str("<tr><td>");
        out.push_str(&"· ".repeat(row.depth.min(12)));
        escape_text(&row.label, out);
        let _ = write!(out, "<td>{}<td>{:.1}<td>{}<td>", row.chars, row.ratio, probability(row.probability));
        escape_text(&row.start, out);
    }
    out.push_str("</table></details>");
}
