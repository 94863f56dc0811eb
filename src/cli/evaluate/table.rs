//! The tables that `gleaner evaluate` prints.

use std::fmt::Write as _;

use super::{
    score::PageScores,
    sums::{self, Sums, difference, of_type, types},
};

/// One chain by page type.
pub(super) fn by_type(pages: &[PageScores]) -> String {
    let mut out = String::from(
        "type            pages     F1  precision  recall  nodes P      R   with  without  title  harmed  empty  selected     ms  passed untouched\n",
    );
    for name in types(pages).into_iter().map(Some).chain([None]) {
        let sums = Sums::of(&of_type(pages, name), 0);
        let means = sums.means();
        let _ = writeln!(
            out,
            "{:<14} {:>6}  {:.3}      {:.3}   {:.3}     {:.3}  {:.3}  {:.3}    {:.3}  {:.3}  {:>6}  {:>5}  {:>8}  {:>5.1}  {:?}",
            name.unwrap_or("all"),
            sums.pages,
            means.f1,
            means.precision,
            means.recall,
            means.node_precision,
            means.node_recall,
            means.required,
            means.forbidden,
            means.title,
            sums.harmed,
            sums.empty,
            sums.selected,
            means.cpu_ms,
            sums.passed,
        );
    }
    out
}

/// Several chains side by side: all measures, then F1 by page type.
pub(super) fn side_by_side(pages: &[PageScores], names: &[String]) -> String {
    let width = names.iter().map(String::len).max().unwrap_or(0).max(9);
    let mut out = format!(
        "{:<width$}     F1  against first (s.e.)  precision  recall  nodes P      R   with  without  title  harmed  empty  failed     ms\n",
        "algorithm"
    );
    let all = of_type(pages, None);
    for (number, name) in names.iter().enumerate() {
        let sums = Sums::of(&all, number);
        let means = sums.means();
        let (difference, error) = difference(pages, number);
        let _ = writeln!(
            out,
            "{name:<width$}  {:.3}       {difference:+.4} ({error:.4})      {:.3}   {:.3}     {:.3}  {:.3}  {:.3}    {:.3}  {:.3}  {:>6}  {:>5}  {:>6}  {:>5.1}",
            means.f1,
            means.precision,
            means.recall,
            means.node_precision,
            means.node_recall,
            means.required,
            means.forbidden,
            means.title,
            sums.harmed,
            sums.empty,
            sums.failed,
            means.cpu_ms,
        );
    }
    let _ = write!(out, "\n{:<width$}", "F1");
    let types = types(pages);
    for name in &types {
        let _ = write!(out, "  {name:>13}");
    }
    out.push('\n');
    for (number, name) in names.iter().enumerate() {
        let _ = write!(out, "{name:<width$}");
        for page_type in &types {
            let sums = Sums::of(&of_type(pages, Some(page_type)), number);
            let _ = write!(out, "  {:>13.3}", sums.means().f1);
        }
        out.push('\n');
    }
    out
}

/// A line for each of the worst pages.
pub(super) fn worst(pages: &[PageScores], count: usize) -> String {
    let mut out = String::new();
    for page in sums::worst(pages, count) {
        let score = &page.scores[0];
        let _ = writeln!(
            out,
            "{} {:<14} F1 {:.3} precision {:.3} recall {:.3} {}",
            page.id, page.page_type, score.f1, score.precision, score.recall, page.domain
        );
    }
    out
}
