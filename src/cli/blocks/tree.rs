//! The tree that `gleaner blocks` prints: a line for each block that holds text.

use std::fmt::Write as _;

use gleaner_filters::PageBlocks;

/// Most characters of a line's label with its indentation; of longer ones the end is shown.
const LABEL: usize = 52;

/// Levels that are indented; deeper ones are indented like the last.
const MAX_DEPTH: usize = 16;

pub(in crate::cli) fn render(page: &PageBlocks) -> String {
    if page.tree.is_empty() {
        return "The page has no text.\n".to_owned();
    }
    let mut out =
        format!("{:>7}  {:>7}  {:>6}  {:>7}  {:<LABEL$}  begins\n", "chars", "counted", "nodes", "ratio", "block");
    for row in &page.tree {
        let depth = row.depth.min(MAX_DEPTH);
        let label = super::table::end_of(&row.label, LABEL - 2 * depth);
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
