//! The tables that `evaluate` prints: what is measured in words, what in nodes and snippets, and the worst pages.

use std::fmt::Write as _;

use super::{
    contestant::Contestant,
    score::PageScores,
    sums::{self, Means, Sums, difference, pages_of_type, types},
};

/// Rows of cells; each column is as wide as its widest cell, words aligned to the left and numbers to the right.
struct Table(Vec<Vec<String>>);

impl Table {
    fn new(head: &[&str]) -> Table {
        Table(vec![head.iter().map(|&cell| cell.to_owned()).collect()])
    }

    fn row(&mut self, first: &str, cells: impl IntoIterator<Item = String>) {
        let row = std::iter::once(first.to_owned()).chain(cells);
        self.0.push(row.collect());
    }

    fn finish(self) -> String {
        // For each column its width, and whether it holds words.
        let mut columns: Vec<(usize, bool)> = Vec::new();
        for (number, row) in self.0.iter().enumerate() {
            columns.resize(columns.len().max(row.len()), (0, true));
            for ((width, is_words), cell) in columns.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
                *is_words &= number == 0 || cell.starts_with(char::is_alphabetic);
            }
        }
        if let Some((_, is_words)) = columns.first_mut() {
            *is_words = true;
        }
        let mut out = String::new();
        for row in &self.0 {
            let mut line = String::new();
            for (cell, (width, is_words)) in row.iter().zip(&columns) {
                let _ = if *is_words { write!(line, "{cell:<width$}  ") } else { write!(line, "{cell:>width$}  ") };
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// A share or a score, three places.
pub(super) fn share(value: f64) -> String {
    format!("{value:.3}")
}

/// One chain by page type.
pub(super) fn by_type(pages: &[PageScores]) -> String {
    let names: Vec<Option<&str>> = types(pages).into_iter().map(Some).chain([None]).collect();
    let sums: Vec<(&str, Sums)> = names
        .iter()
        .map(|name| {
            let sums = Sums::from_pages(&pages_of_type(pages, *name), 0);
            (name.unwrap_or("all"), sums)
        })
        .collect();
    let mut words = Table::new(&[
        "type",
        "pages",
        "F1",
        "precision",
        "recall",
        "harmed",
        "empty",
        "failed",
        "selected",
        "CPU",
        "choice",
    ]);
    for (name, sums) in &sums {
        let means = sums.means();
        let scores = [means.f1, means.precision, means.recall].map(share);
        let counts = [sums.harmed, sums.empty, sums.failed, sums.selected].map(|n| n.to_string());
        let first = std::iter::once(sums.pages.to_string()).chain(scores);
        words.row(name, first.chain(counts).chain(milliseconds(&means)));
    }
    let mut out = words.finish() + "\n" + &nodes("type", &sums);
    if let Some((_, all)) = sums.last()
        && !all.passed.is_empty()
    {
        let reasons = all.passed.iter();
        let reasons: Vec<String> = reasons.map(|(reason, pages)| format!("{reason} {pages}")).collect();
        let _ = writeln!(out, "\nPages left as they were: {}", reasons.join(", "));
    }
    out
}

/// Several chains side by side: all measures, then F1 by page type.
pub(super) fn side_by_side(pages: &[PageScores], names: &[String]) -> String {
    let all = pages_of_type(pages, None);
    let sums: Vec<(&str, Sums)> =
        names.iter().enumerate().map(|(number, name)| (name.as_str(), Sums::from_pages(&all, number))).collect();
    let mut words = Table::new(&[
        "algorithm",
        "F1",
        "to first",
        "(s.e.)",
        "precision",
        "recall",
        "harmed",
        "empty",
        "failed",
        "CPU",
    ]);
    for (number, (name, sums)) in sums.iter().enumerate() {
        let means = sums.means();
        let (difference, error) = difference(pages, number);
        let cells = [
            share(means.f1),
            format!("{difference:+.4}"),
            format!("({error:.4})"),
            share(means.precision),
            share(means.recall),
        ];
        let counts = [sums.harmed, sums.empty, sums.failed].map(|n| n.to_string());
        let cells = cells.into_iter().chain(counts);
        let [cpu, _] = milliseconds(&means);
        words.row(name, cells.chain([cpu]));
    }
    let types = types(pages);
    let head: Vec<&str> = std::iter::once("F1 by type").chain(types.iter().copied()).collect();
    let mut by_type = Table::new(&head);
    for (number, name) in names.iter().enumerate() {
        let f1 = types.iter().map(|page_type| {
            let pages = pages_of_type(pages, Some(page_type));
            share(Sums::from_pages(&pages, number).means().f1)
        });
        by_type.row(name, f1);
    }
    [words.finish(), nodes("algorithm", &sums), by_type.finish()].join("\n")
}

/// The measures that do not count words of the text.
fn nodes(first: &str, rows: &[(&str, Sums)]) -> String {
    let mut table = Table::new(&[first, "nodes P", "nodes R", "text P", "text R", "with", "without", "title"]);
    for (name, sums) in rows {
        let means = sums.means();
        let cells = [
            means.node_precision,
            means.node_recall,
            means.text_precision,
            means.text_recall,
            means.required,
            means.forbidden,
            means.title,
        ];
        table.row(name, cells.map(share));
    }
    table.finish()
}

fn milliseconds(means: &Means) -> [String; 2] {
    [format!("{:.1}", means.cpu_ms), format!("{:.2}", means.choice_ms)]
}

/// The worst pages of each chain.
pub(super) fn worst(pages: &[PageScores], contestants: &[Contestant], count: usize) -> String {
    let mut out = String::new();
    for (number, contestant) in contestants.iter().enumerate() {
        if count == 0 || contestant.dial.is_some() {
            continue;
        }
        let title = format!("worst of {}", contestant.name);
        let mut table = Table::new(&[&title, "type", "F1", "precision", "recall", "domain"]);
        for at in sums::worst(pages, number, count) {
            let page = &pages[at];
            let score = &page.scores[number];
            let shares = [score.f1, score.precision, score.recall].map(share);
            let cells = std::iter::once(page.page_type.clone()).chain(shares);
            table.row(&page.id, cells.chain([page.domain.clone()]));
        }
        out += "\n";
        out += &table.finish();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{super::sums::tests::page, *};

    #[test]
    fn columns_are_as_wide_as_their_cells() {
        let mut table = Table::new(&["name", "F1"]);
        table.row("a long name", ["1".to_owned()]);
        table.row("b", ["12345".to_owned()]);
        let wanted = "name            F1\na long name      1\nb            12345\n";
        assert_eq!(table.finish(), wanted);
    }

    #[test]
    fn lines_fit_a_terminal_of_a_hundred_columns() {
        let pages = [page("a", [0.4, 1.0]), page("b", [0.8, 1.0])];
        let names = ["article_subtree_largest".to_owned(), "none".to_owned()];
        for table in [by_type(&pages), side_by_side(&pages, &names)] {
            let longest = table.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(100), "{table}");
        }
    }
}
