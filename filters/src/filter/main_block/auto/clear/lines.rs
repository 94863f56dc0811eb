//! Lines that a publisher puts into each of its articles, among the paragraphs and below them, and that are about the publisher:
//!
//! | line | known by |
//! |---|---|
//! | "Advertisement" | the word alone |
//! | "Found a mistake? Select it and press Ctrl+Enter" | the two keys, below the text |
//! | "Follow us on …" | a verb, and a link to a channel to which the page leads elsewhere too: the publisher's, not one that is told of |
//! | "Tell us what you know", "Vote for this blog" | phrases, below the text |
//! | "© 2026 All rights reserved" | the sign or the phrase, below the text |
//! | "This entry was posted on …" | how a blog's program begins it, and a link, below the text |
//!
//! None in lists, tables, headings and code, where each is an example, a name or a step.
//!
//! What asks readers in Latin letters is known by three kinds of words that meet in it (`clear/pleas.rs`).
//!
//! They are in the same element as the text and built as its paragraphs are, in every country.
//!
//! Measured with the names of `clear/related.rs` on articles of our own in other scripts, 2026-11-22: docs/quality.md.

mod words;

use std::{iter, ops::Range, sync::LazyLock};

use html5ever::local_name;
use url::Url;

use super::{
    super::blocks::{Block, Blocks},
    phrases::Phrases,
    related::trim,
};
use crate::{
    hashing::Set,
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
    text::{has_plain_letters, one_line},
};
use words::{ADS, ASKS, CHANNELS, FOLLOW, POSTED, POSTS, RIGHTS};

/// Words of such a line, at most.
const MOST: f32 = 45.0;

/// Words of one by which a blog's program says when and where it put the text, at most: it lists subjects too.
const MOST_OF_POST: f32 = 90.0;

/// Words of one that asks to follow, at most. In a longer one somebody says who they are, and where they write.
const MOST_TO_FOLLOW: f32 = 32.0;

/// Visible characters of the name of an advertisement with signs around it, at most.
const AD: f32 = 60.0;

/// Words of the text above such a line, at least; there an article has begun.
const ABOVE: f32 = 20.0;

/// Words of a sentence that is text, at least.
const SENTENCE: f32 = 10.0;

/// Words of what goes with the line on rights, at most.
const LITTLE: f32 = 12.0;

/// Words of the text below such a line, as a share of those above, at most.
const BELOW: f32 = 0.3;

static LABELS: LazyLock<Set<&str>> = LazyLock::new(|| ADS.iter().copied().collect());

/// Signs around what is only told.
const QUOTES: [char; 8] = ['"', '“', '”', '„', '«', '»', '「', '」'];

/// Bits of what a line says.
const FOLLOWS: u8 = 1;
const RESERVES: u8 = 2;
const ASKS_US: u8 = 4;

static PHRASES: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(&[(FOLLOW, FOLLOWS), (RIGHTS, RESERVES), (ASKS, ASKS_US)]));

/// Drops them from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Article) {
        return;
    }
    let mut found: Vec<(usize, Line)> = Vec::new();
    for (at, block) in blocks.list.iter().enumerate() {
        if kept[at]
            && block.stats.words <= MOST_OF_POST
            && let Some(line) = line(page, blocks, block)
            && !is_other(page, blocks, block)
        {
            found.push((at, line));
        }
    }
    if found.is_empty() {
        return;
    }
    for &(at, _) in &found {
        kept[at] = false;
    }
    let all = text(blocks, kept, 0..kept.len());
    for (at, line) in found {
        let below = text(blocks, kept, at..kept.len());
        let above = all - below;
        let is_below = above >= ABOVE && below <= BELOW * above;
        kept[at] = line != Line::Anywhere && !is_below;
        if line == Line::Rights && is_below {
            drop_behind(page, blocks, at, kept);
        }
    }
}

/// What stands behind the line on rights and says little: names, counts and buttons, up to a text, a heading, a list or a table.
fn drop_behind(page: &Page, blocks: &Blocks, at: usize, kept: &mut [bool]) {
    let behind = blocks.list.iter().zip(kept).skip(at + 1);
    for (block, kept) in behind {
        if is_text(block) || block.stats.words > LITTLE || is_other(page, blocks, block) {
            return;
        }
        *kept = false;
    }
}

/// The words of the kept paragraphs of a run: long ones and whole sentences.
pub(super) fn text(blocks: &Blocks, kept: &[bool], run: Range<usize>) -> f32 {
    let run = blocks.list[run.clone()].iter().zip(&kept[run]);
    run.filter(|(block, kept)| **kept && is_text(block))
        .map(|(block, _)| block.stats.words)
        .sum()
}

/// A long paragraph, or a whole sentence.
pub(super) fn is_text(block: &Block) -> bool {
    let stats = &block.stats;
    block.is_long() || block.linked == 0.0 && stats.ends_sentence && stats.words >= SENTENCE
}

/// Where such a line may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Anywhere,
    Below,
    Rights,
}

fn line(page: &Page, blocks: &Blocks, block: &Block) -> Option<Line> {
    if block.stats.words > MOST && block.linked == 0.0 {
        return None;
    }
    let text = one_line(&blocks.text(page, block));
    if block.linked > 0.0 && POSTED.iter().any(|start| starts_with(&text, start)) {
        return Some(Line::Below);
    }
    if block.stats.words > MOST {
        return None;
    }
    let is_short = block.chars <= AD;
    // Capitals of ASCII are no matter to the phrases.
    let lower = (is_short || !has_plain_letters(&text)).then(|| text.to_lowercase());
    let lower = lower.as_deref().unwrap_or(&text);
    if is_short && LABELS.contains(trim(lower)) {
        return Some(Line::Anywhere);
    }
    if text.contains("Ctrl") && text.contains("Enter") || has_sign_and_year(&text) {
        return Some(Line::Below);
    }
    let said = PHRASES.in_text(lower);
    if said & (RESERVES | ASKS_US) != 0 && !text.contains(QUOTES) {
        let reserves = said & RESERVES != 0;
        return Some(if reserves { Line::Rights } else { Line::Below });
    }
    let follows = said & FOLLOWS != 0 && block.stats.words <= MOST_TO_FOLLOW;
    (follows && leads_to_channel(page, blocks, block)).then_some(Line::Anywhere)
}

/// "© 2026 The Harbour Post", "Copyright (c) 1999", not "© NASA, 20 July", "© 120 × 80 cm" or "Copyright law of 1976".
fn has_sign_and_year(text: &str) -> bool {
    let signed = |text: &str| text.strip_prefix(['©', 'ⓒ']).map(str::to_owned);
    let named = || {
        let rest =
            starts_with(text, "copyright").then(|| text["copyright".len()..].trim_start())?;
        let rest = rest
            .strip_prefix("(c)")
            .or_else(|| rest.strip_prefix("(C)"))
            .unwrap_or(rest)
            .trim_start();
        signed(rest).or_else(|| {
            rest.starts_with(|c: char| c.is_ascii_digit())
                .then(|| rest.to_owned())
        })
    };
    let Some(rest) = signed(text).or_else(named) else {
        return false;
    };
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
    numbers
        .any(|number| number.len() == 4 && (number.starts_with("19") || number.starts_with("20")))
}

/// Whether a text begins so, whatever the capitals of ASCII.
fn starts_with(text: &str, start: &str) -> bool {
    let head = text.as_bytes().get(..start.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

/// A heading announces a chapter, a list gives examples or steps, a cell is a name, and what a machine printed is shown whole.
pub(super) fn is_other(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let around = iter::once(block.container).chain(page.ancestors(block.container).take(3));
    around
        .filter_map(|up| Some((up, page.tag(up)?)))
        .any(|(up, tag)| match tag {
            Tag::Td | Tag::Th => !is_column(page, blocks, up),
            Tag::Pre | Tag::Li | Tag::Dt | Tag::Dd | Tag::Blockquote => true,
            tag => tag.is_heading(),
        })
}

/// Whether a cell is a part of the page: more than one text stands in it, or it has its row for itself.
fn is_column(page: &Page, blocks: &Blocks, cell: NodeId) -> bool {
    let cells = page
        .live_children(page.parent(cell))
        .filter(|&id| matches!(page.tag(id), Some(Tag::Td | Tag::Th)));
    blocks.inside(page, cell).len() > 1 || cells.take(2).count() == 1
}

/// The links of a block: those in the element around it, a button beside the words among them, or the one around it. Where more
/// than the line is in that element, only those that hold its words.
fn links<'a>(
    page: &'a Page,
    blocks: &'a Blocks,
    block: &'a Block,
) -> impl Iterator<Item = NodeId> + 'a {
    let parent = page.parent(block.container);
    let inside = blocks.inside(page, parent);
    let words: f32 = blocks.list[inside]
        .iter()
        .map(|block| block.stats.words)
        .sum();
    let home = (words <= MOST && parent > page.body()).then_some(parent);
    let beside = home.into_iter().flat_map(|home| page.live(home));
    let texts = blocks.texts(block).iter();
    let around = texts.flat_map(|&text| page.ancestors(text).take(4));
    beside
        .chain(around)
        .filter(|&id| page.tag(id) == Some(Tag::A))
}

/// Whether a link of a line leads to a channel, a page or a program on a network, where one follows or installs it, and the page leads
/// there once more, from its head or foot: so it is the publisher's.
pub(super) fn leads_to_channel(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let found = links(page, blocks, block)
        .filter_map(|link| Some((link, page.address(link, &local_name!("href"))?)))
        .find(|(_, to)| is_channel(to));
    found.is_some_and(|(own, to)| {
        let others = page
            .live(page.body())
            .filter(|&id| id != own && page.tag(id) == Some(Tag::A));
        others
            .filter_map(|link| page.address(link, &local_name!("href")))
            .any(|other| other.host_str() == to.host_str() && other.path() == to.path())
    })
}

fn is_channel(to: &Url) -> bool {
    let Some(host) = to.host_str() else {
        return false;
    };
    let is_network = CHANNELS.iter().any(|network| {
        let rest = host.strip_suffix(network);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let mut steps = to.path_segments().into_iter().flatten();
    is_network
        && steps.all(|step| {
            let is_number = step.len() > 1 && step.bytes().all(|byte| byte.is_ascii_digit());
            !is_number && !POSTS.contains(&step)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    /// Which texts are kept of an article of two paragraphs, with this between and below them.
    fn kept(between: &str, below: &str) -> Vec<bool> {
        let text = words(60);
        let html = format!("<p>{text}</p>{between}<p>{text}</p>{below}");
        let mut page = page_at("https://example.org/news/bread", &html);
        page.claims = Claims {
            types: vec!["NewsArticle".to_owned()],
            ..Claims::default()
        };
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    #[test]
    fn what_announces_an_advertisement_goes() {
        for name in [
            "- Реклама -",
            "إعلان",
            "廣告",
            "Advertisement",
            "Publicidade",
            "- Hirdetés -",
            "Story continues below advertisement",
            "விளம்பரம்",
            "โฆษณา",
        ] {
            let html = format!("<p>{name}</p>");
            assert_eq!(kept(&html, &html), [true, false, true, false], "{name}");
        }
        assert_eq!(kept("<h2>Реклама</h2>", "<p>Реклама и мы</p>"), [true; 4]);
        let row = "<table><tr><th>Advertising<td>12<tr><th>Rent<td>9</table><ul><li>Werbung</ul>";
        assert!(!kept("", row).contains(&false));
    }

    #[test]
    fn what_asks_to_follow_goes_and_what_somebody_wrote_there_stays() {
        for line in [
            "Подписывайтесь на наш <a href=https://t.me/harbour>канал</a>.",
            "تابعونا على <a href=https://whatsapp.com/channel/0029Va>قناة الواتساب</a>",
            "हमारे <a href='https://news.google.com/publications/CAAq?hl=hi'>गूगल न्यूज</a> पेज को फॉलो करें",
            "下載 <a href=https://apps.apple.com/tw/app/x/id123>APP</a>",
        ] {
            let html = format!("<p>{line}</p>");
            assert_eq!(kept(&html, &html), [true, false, true, false], "{line}");
            assert_eq!(kept(&html, ""), [true; 3], "told of once: {line}");
        }
        for line in [
            "Подписывайтесь на газету в <a href=/kiosk>киоске</a>.",
            "Пишет мэр в <a href=https://t.me/mayor>канале</a>.",
            "«Подписывайтесь», написал он <a href=https://t.me/mayor/481>вчера</a>.",
        ] {
            assert_eq!(kept(&format!("<p>{line}</p>"), ""), [true; 3], "{line}");
        }
    }

    #[test]
    fn below_the_text_the_keys_for_mistakes_go() {
        for line in [
            "Нашли опечатку? Выделите её и нажмите Ctrl+Enter.",
            "新闻线索报料通道：拨打新闻热线 000-12345678。",
            "ランキングに参加しています。",
        ] {
            let html = format!("<p>{line}</p>");
            assert_eq!(kept(&html, &html), [true, true, true, false], "{line}");
        }
    }

    #[test]
    fn below_the_text_rights_go_and_what_stands_behind_them_stays() {
        for line in [
            "© 2026 The Harbour Post",
            "저작권자 © 한강 무단전재 및 재배포 금지",
            "При использовании материалов ссылка обязательна. Все права защищены.",
        ] {
            let html = format!("<p>{line}</p><h3>Sources</h3><p>Ann Lee</p>");
            assert_eq!(
                kept(&html, &html),
                [true, true, true, true, true, false, true, true],
                "{line}"
            );
        }
        let liked = "<p>Все права защищены.</p><p>Twelve readers liked it</p><h3>Sources</h3>";
        assert_eq!(kept("", liked), [true, true, false, false, true]);
        for line in [
            "© NASA, 20 July",
            "© 120 × 80 cm",
            "The words “all rights reserved” have had no effect since then.",
        ] {
            assert_eq!(kept("", &format!("<p>{line}</p>")), [true; 3], "{line}");
        }
    }
}
