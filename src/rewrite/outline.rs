//! The tree of a page as text, a line for each block that holds text: for `gleaner blocks`, and for programs that read pages.

use std::fmt::Write as _;

use gleaner_filters::PageBlocks;

/// Most characters of a line's label with its indentation; of longer ones the end is shown.
const LABEL: usize = 52;

/// Levels that are indented; deeper ones are indented like the last.
const MAX_DEPTH: usize = 16;

pub(crate) fn render(page: &PageBlocks) -> String {
    if page.tree.is_empty() {
        return "The page has no text.\n".to_owned();
    }
    let mut out =
        format!("{:>7}  {:>7}  {:>6}  {:>7}  {:<LABEL$}  begins\n", "chars", "counted", "nodes", "ratio", "block");
    for row in &page.tree {
        let depth = row.depth.min(MAX_DEPTH);
        let label = end_of(&row.label, LABEL - 2 * depth);
        let _ = writeln!(
            out,
            "{:>7}  {:>7}  {:>6}  {:>7.1}  {:indent$}{label:<width$}  {}",
            row.chars,
            row.counted,
            row.weight,
            row.ratio,
            "",
            row.start,
            indent = 2 * depth,
            width = LABEL - 2 * depth,
        );
    }
    out.push_str(
        "\nchars: all that is visible; counted: outside links and their like; ratio: counted over nodes (CNR)\n",
    );
    out
}

/// The path, or of a longer one its last characters.
pub(crate) fn end_of(path: &str, most: usize) -> String {
    let length = path.chars().count();
    if length <= most {
        return path.to_owned();
    }
    let end = path.chars().skip(length + 1 - most);
    std::iter::once('…').chain(end).collect()
}
