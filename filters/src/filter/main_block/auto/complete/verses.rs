//! Whose song or poem a page shows: who sings it and on which record, above the verses, and who wrote it, below them. They are names,
//! and look like the names of other songs around them.
//!
//! A song is told by its lines: most of what is kept is broken into short ones. Above them a heading stays, a name that the page's
//! title has too, and a label with its value ("Album: Paper boats"); directly below them labels with their values, where
//! they are no links.
//!
//! WCXB dev, 2026-11-22, five folds: word F1 the same with it and without; it is for the reader.

use super::super::blocks::{Block, Blocks};
use crate::{
    metadata::{document_title, folded, is_same},
    page::{Page, tag::Tag},
};

/// Breaks in all verses, at least, and words of a line, on average, at most.
const BREAKS: usize = 6;
const LINE: f32 = 10.0;

/// Share of the kept words that stand in verses, at least.
const MOST: f32 = 0.6;

/// Texts between the headline and the first verse, and labels below the last, at most; words of each.
const ABOVE: usize = 6;
const BELOW: usize = 4;
const WORDS: f32 = 8.0;

/// Letters of a name that is looked for in the title, at least.
const NAME: usize = 3;

/// Keeps them.
pub(super) fn keep(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    if !page.has_any(&[Tag::Br]) {
        return;
    }
    let (mut breaks, mut of_verses, mut all) = (0, 0.0, 0.0);
    let (mut first, mut last) = (None, 0);
    for (at, block) in blocks.list.iter().enumerate().filter(|(at, _)| kept[*at]) {
        all += block.stats.words;
        let own = breaks_of(page, blocks, block);
        if own > 0 && block.stats.words <= LINE * (own + 1) as f32 {
            breaks += own;
            of_verses += block.stats.words;
            first = first.or(Some(at));
            last = at;
        }
    }
    let Some(first) = first.filter(|_| breaks >= BREAKS && of_verses >= MOST * all) else {
        return;
    };
    let above = blocks.below_headline(page, ABOVE + 1);
    let above = above.start..first.max(above.start);
    if above.len() <= ABOVE {
        let title: String = folded(&document_title(page)).collect();
        for at in above {
            kept[at] |= is_above(page, blocks, &blocks.list[at], &title);
        }
    }
    let below = last + 1..blocks.list.len().min(last + 1 + BELOW);
    for at in below {
        let block = &blocks.list[at];
        if block.linked > 0.0 || !is_label(page, blocks, block) {
            return;
        }
        kept[at] = true;
    }
}

fn breaks_of(page: &Page, blocks: &Blocks, block: &Block) -> usize {
    let texts = blocks.texts(block).iter();
    texts.filter(|&&id| page.tag(id) == Some(Tag::Br)).count()
}

fn is_above(page: &Page, blocks: &Blocks, block: &Block, title: &str) -> bool {
    let tag = page.tag(block.container);
    if block.stats.words > WORDS || matches!(tag, Some(Tag::Button | Tag::Label | Tag::Option)) {
        return false;
    }
    let is_named = || {
        let text = blocks.text(page, block);
        let name: String = folded(&text).collect();
        name.chars().count() >= NAME
            && title.contains(&name)
            && !is_same(&text, &page.headline.text)
    };
    tag.is_some_and(Tag::is_heading) || is_label(page, blocks, block) || is_named()
}

/// "Album: Paper boats".
fn is_label(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let is_text = page.tag(block.container).is_some_and(|tag| {
        matches!(tag, Tag::P | Tag::Div | Tag::Li | Tag::Span) || tag.is_heading()
    });
    let text = blocks.text(page, block);
    let parts = text.split_once([':', '\u{ff1a}']);
    is_text
        && block.stats.words <= WORDS
        && parts.is_some_and(|(label, value)| {
            label.split_whitespace().count() <= 2
                && label.chars().any(char::is_alphabetic)
                && value.chars().any(char::is_alphabetic)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    /// What is kept besides the headline and the verses.
    fn kept(verses: &str, above: &str, below: &str) -> Vec<String> {
        let title = "<title>Tin river, Ada Pell - Songs</title>";
        let html = format!("{title}<h1 id=h>Tin river</h1>{above}<div id=v>{verses}</div>{below}");
        let mut page = page(&html);
        page.headline.node = Some(by_id(&page, "h"));
        let blocks = Blocks::of(&page, &[]);
        let verses = by_id(&page, "v");
        let is_verse = |block: &Block| page.contains(verses, block.container);
        let before: Vec<bool> = blocks.list.iter().map(is_verse).collect();
        let mut after = before.clone();
        keep(&page, &blocks, &mut after);
        let came = (0..after.len()).filter(|&at| after[at] && !before[at]);
        came.map(|at| blocks.text(&page, &blocks.list[at]))
            .collect()
    }

    const VERSES: &str = "I went down to the tin<br>where the moon is thin<br>and the boats go out<br>\
                          and the boats come in<br><br>carry me in<br>carry me in<br>over the tin<br>over the tin";

    #[test]
    fn who_sings_and_who_wrote_a_song_stays() {
        let above = "<p><a href=/p>Ada Pell</a></p><p>Album: <a href=/b>Boats</a> (2004)</p><p>1,204 views</p>";
        let below = "<p>Writers: A. Pell, T. Reed</p><p>Share</p><p>Next: Coal</p>";
        let came = [
            "Ada Pell",
            "Album: Boats (2004)",
            "Writers: A. Pell, T. Reed",
        ];
        assert_eq!(kept(VERSES, above, below), came);
        assert_eq!(kept(VERSES, "<h2>The Lamps</h2>", ""), ["The Lamps"]);
    }

    #[test]
    fn what_stands_around_other_texts_is_left_to_its_chance() {
        let above = "<p>Album: Boats</p>";
        let text = "The ferry went over the harbour at noon.<br>".repeat(3);
        assert!(kept(&text, above, "").is_empty());
        let long = "<p>word</p>".repeat(8);
        assert!(kept(VERSES, &format!("{above}{long}"), "").is_empty());
        assert!(
            kept(
                VERSES,
                "<button>Play: Boats</button>",
                "<p>Next: <a href=/x>Coal</a></p>"
            )
            .is_empty()
        );
    }
}
