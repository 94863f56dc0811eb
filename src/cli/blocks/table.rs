//! The table that `gleaner blocks` prints.

use std::fmt::Write as _;

use gleaner_filters::{PageBlocks, PageShape, PageType};

use crate::rewrite::outline::end_of;

/// Characters of a full bar.
const BAR: usize = 16;

/// Most characters of an element's path; of longer ones the end is shown, which says more than the beginning.
const PATH: usize = 44;

pub(super) fn render(page: &PageBlocks) -> String {
    let kind = page.kind.map_or("in doubt", PageType::as_str);
    let links = page.links_per_word;
    let mut out = match page.shape {
        PageShape::Text => format!("Kind: {kind} ({links:.2} links per word, as a text).\n"),
        PageShape::Index => format!("Kind: {kind} ({links:.2} links per word, as an index of other pages).\n"),
        PageShape::Empty => "The page has no text.\n".to_owned(),
    };
    if page.blocks.is_empty() {
        out.push_str("\nNo block was found.\n");
    } else {
        let _ = writeln!(out, "\nblock  {:<BAR$}  share   chars   ratio  {:<PATH$}  begins", "", "element");
    }
    for (number, block) in page.blocks.iter().enumerate() {
        let parts = match block.parts {
            1 => String::new(),
            parts => format!(" ({parts} parts)"),
        };
        let _ = writeln!(
            out,
            "{:>5}  {:<BAR$}  {:>4.0}%  {:>6}  {:>6.1}  {:<PATH$}  {}",
            number + 1,
            bar(block.share),
            block.share * 100.0,
            block.chars,
            block.ratio,
            end_of(&block.path, PATH - parts.len()) + &parts,
            block.start,
        );
    }
    if !page.menus.is_empty() {
        let _ = writeln!(out, "\nmenu   links  characters per link  element");
    }
    for (number, menu) in page.menus.iter().enumerate() {
        let _ = writeln!(
            out,
            "{:>4}   {:>5}  {:>19.1}  {}",
            number + 1,
            menu.links,
            menu.link_chars,
            end_of(&menu.path, PATH),
        );
    }
    out
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a bar's length is a length")]
fn bar(share: f64) -> String {
    "█".repeat((share.clamp(0.0, 1.0) * BAR as f64).round() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_lose_their_beginning() {
        let path = "body > div > div > div > div > div > div > main > article";
        let short = end_of(path, PATH);
        assert_eq!(short.chars().count(), PATH);
        assert!(short.starts_with('…') && short.ends_with("main > article"));
        assert_eq!(end_of("body > p", PATH), "body > p");
    }
}
