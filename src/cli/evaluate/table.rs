//! The tables that `gleaner evaluate` prints.

use std::{collections::BTreeMap, fmt::Write as _};

use super::score::{PageScores, Score, Share};

/// Sums over pages.
#[derive(Default)]
struct Sums {
    pages: usize,
    precision: f64,
    recall: f64,
    f1: f64,
    required: Share,
    forbidden: Share,
    titles: Share,
    harmed: usize,
    empty: usize,
    failed: usize,
    selected: usize,
    passed: BTreeMap<&'static str, usize>,
}

/// Word F1 from which a title counts as found: the reference without the site's name, or with a subtitle, is the same title.
const TITLE_FOUND: f64 = 0.5;

/// Recall below which a page counts as harmed.
const HARMED: f64 = 0.5;

impl Sums {
    fn of<'a>(scores: impl Iterator<Item = &'a Score>) -> Sums {
        let mut sums = Sums::default();
        for score in scores {
            sums.pages += 1;
            sums.precision += score.precision;
            sums.recall += score.recall;
            sums.f1 += score.f1;
            sums.required.add(score.required);
            sums.forbidden.add(score.forbidden);
            if let Some(title) = score.title {
                sums.titles.add(Share {
                    found: usize::from(title >= TITLE_FOUND),
                    of: 1,
                });
            }
            sums.harmed += usize::from(score.recall < HARMED);
            sums.empty += usize::from(score.empty);
            sums.failed += usize::from(score.failed);
            sums.selected += usize::from(score.selected);
            if let Some(reason) = score.passed {
                *sums.passed.entry(reason).or_default() += 1;
            }
        }
        sums
    }

    fn mean(&self, total: f64) -> f64 {
        total / self.pages.max(1) as f64
    }
}

impl Share {
    fn add(&mut self, other: Share) {
        self.found += other.found;
        self.of += other.of;
    }

    fn value(self) -> f64 {
        self.found as f64 / self.of.max(1) as f64
    }
}

/// One chain by page type.
pub(super) fn by_type(pages: &[PageScores]) -> String {
    let mut out = String::from(
        "type            pages     F1  precision  recall   with  without  title  harmed  empty  selected  passed untouched\n",
    );
    let types = types(pages);
    for name in types.iter().copied().map(Some).chain([None]) {
        let sums = Sums::of(of_type(pages, name).map(|page| &page.scores[0]));
        let _ = writeln!(
            out,
            "{:<14} {:>6}  {:.3}      {:.3}   {:.3}  {:.3}    {:.3}  {:.3}  {:>6}  {:>5}  {:>8}  {:?}",
            name.unwrap_or("all"),
            sums.pages,
            sums.mean(sums.f1),
            sums.mean(sums.precision),
            sums.mean(sums.recall),
            sums.required.value(),
            sums.forbidden.value(),
            sums.titles.value(),
            sums.harmed,
            sums.empty,
            sums.selected,
            sums.passed,
        );
    }
    out
}

/// Several chains side by side: all measures, then F1 by page type.
pub(super) fn side_by_side(pages: &[PageScores], names: &[String]) -> String {
    let width = names.iter().map(String::len).max().unwrap_or(0).max(9);
    let mut out = format!(
        "{:<width$}     F1  against first (s.e.)  precision  recall   with  without  harmed  empty  failed\n",
        "algorithm"
    );
    for (number, name) in names.iter().enumerate() {
        let sums = Sums::of(pages.iter().map(|page| &page.scores[number]));
        let (difference, error) = difference(pages, number);
        let _ = writeln!(
            out,
            "{name:<width$}  {:.3}       {difference:+.4} ({error:.4})      {:.3}   {:.3}  {:.3}    {:.3}  {:>6}  {:>5}  {:>6}",
            sums.mean(sums.f1),
            sums.mean(sums.precision),
            sums.mean(sums.recall),
            sums.required.value(),
            sums.forbidden.value(),
            sums.harmed,
            sums.empty,
            sums.failed,
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
            let sums = Sums::of(of_type(pages, Some(page_type)).map(|page| &page.scores[number]));
            let _ = write!(out, "  {:>13.3}", sums.mean(sums.f1));
        }
        out.push('\n');
    }
    out
}

/// Mean of the pages' differences in F1 to the first contestant, and its standard error.
fn difference(pages: &[PageScores], number: usize) -> (f64, f64) {
    let differences: Vec<f64> = pages
        .iter()
        .map(|page| page.scores[number].f1 - page.scores[0].f1)
        .collect();
    let count = differences.len().max(1) as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    let variance = squares / (count - 1.0).max(1.0);
    (mean, (variance / count).sqrt())
}

/// The pages with the lowest F1 of the first contestant.
pub(super) fn worst(pages: &[PageScores], count: usize) -> String {
    let mut sorted: Vec<&PageScores> = pages.iter().collect();
    sorted.sort_by(|a, b| a.scores[0].f1.total_cmp(&b.scores[0].f1));
    sorted
        .iter()
        .take(count)
        .fold(String::new(), |mut out, page| {
            let score = &page.scores[0];
            let _ = writeln!(
                out,
                "{} {:<14} F1 {:.3} precision {:.3} recall {:.3}",
                page.id, page.page_type, score.f1, score.precision, score.recall
            );
            out
        })
}

fn types(pages: &[PageScores]) -> Vec<&str> {
    let mut types: Vec<&str> = pages.iter().map(|page| page.page_type.as_str()).collect();
    types.sort_unstable();
    types.dedup();
    types
}

fn of_type<'a>(
    pages: &'a [PageScores],
    name: Option<&'a str>,
) -> impl Iterator<Item = &'a PageScores> {
    pages
        .iter()
        .filter(move |page| name.is_none_or(|name| page.page_type == name))
}
