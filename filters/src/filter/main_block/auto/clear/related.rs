//! Lists of other articles in the middle of one: "Read also" and three headlines. They stand among paragraphs and have their
//! chance; what they are called gives them away, whatever the language. So do rows of subjects and of buttons, and boxes for letters; and
//! of a box that begins with such a name all goes, a teaser below a headline too. What leads to works of others, or to the articles of a
//! law, stays (`related/works.rs`).

mod names;
mod works;

use std::{iter, ops::RangeInclusive, sync::LazyLock};

use html5ever::local_name;
use url::Url;

use super::{
    super::{
        blocks::{Block, Blocks},
        called::words,
    },
    lines,
    phrases::Phrases,
};
use crate::{
    hashing::Table,
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
    text::{into_line, into_lower, lower, one_line},
};
use names::{ALSO, IN_LINES, LABELS, LETTERS, LINES, MORE, NAMES, READ, RELATED};

/// What a name announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// Other articles.
    List,
    /// One of them.
    Related,
    /// The article's subjects, or buttons: links only.
    Row,
    /// A box for an e-mail address.
    Letter,
}

/// All names, to be looked up: a page has hundreds of texts that may be one.
static KNOWN: LazyLock<Table<&str, Sort>> = LazyLock::new(|| {
    let all = [
        (NAMES, Sort::List),
        (LABELS, Sort::Row),
        (LETTERS, Sort::Letter),
    ];
    let named = |(names, sort): (&'static [&'static str], Sort)| {
        names.iter().map(move |&name| (name, sort))
    };
    all.into_iter().flat_map(named).collect()
});

/// What a word of a made name is.
const IS_READ: u8 = 1;
const IS_ALSO: u8 = 2;

static PARTS: LazyLock<Table<&str, u8>> = LazyLock::new(|| {
    let mut parts = Table::default();
    for (words, part) in [(READ, IS_READ), (ALSO, IS_ALSO)] {
        for &word in words {
            *parts.entry(word).or_default() |= part;
        }
    }
    parts
});

/// Words of a name that is made of those for reading and for "also", at most: "Olvassa el ezt is".
const MADE: usize = 4;

/// Words of a name, at most.
const MAX_WORDS: f32 = 8.0;

/// Visible characters of a name with signs around it, at most: twice those of the longest.
const MAX_NAME: f32 = 50.0;

/// Visible characters of a line that begins with the name, at most, and the part of them that stands in links at least.
const MAX_LINE: f32 = 200.0;
const LINKED: f32 = 0.5;

/// The part of a list in one text that stands in links, at least.
const LINES_LINKED: f32 = 0.6;

/// Bytes of a name with the white space around it, at most.
const MAX_OUTSIDE: usize = 200;

/// Texts from a name on among which one is kept.
const NEAR: usize = 3;

/// Texts of such a list, at most.
const LONGEST: usize = 30;

/// Visible characters of a day and a time, at most.
const DAY: f32 = 16.0;

/// Words of a box, at most, of the text above it, at least, and elements around the name among which it is looked for.
const BOX_WORDS: f32 = 60.0;
const ABOVE_BOX: f32 = 20.0;
const LEVELS: usize = 6;

/// Words of what announces a list at the end: two are "See also", which belongs to an encyclopedia's article. Words of a title in the
/// list, at least, such titles, and words of the text above it.
const ANNOUNCED: RangeInclusive<f32> = 3.0..=16.0;
const TITLE: f32 = 3.0;
const TITLES: usize = 2;
const ABOVE_END: f32 = 100.0;

/// Gives up the lists on a page that is a text, and the lines that are one.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    for at in 0..kept.len() {
        let block = &blocks.list[at];
        let may_be_line = block.chars <= MAX_LINE && block.linked >= LINKED * block.chars;
        let may_be_name = block.stats.words <= MAX_WORDS && block.chars <= MAX_NAME;
        if kept[at] && block.chars > MAX_NAME && block.linked >= LINES_LINKED * block.chars {
            let is_text = matches!(kind.get(), Some(Kind::Article | Kind::Documentation) | None);
            if is_text && is_list_in_lines(page, blocks, block) {
                kept[at] = false;
                continue;
            }
        }
        // The name may have been given up already, and its list not, or only the words below a headline.
        let is_near = kept[at..].iter().take(NEAR).any(|&kept| kept);
        if !is_near || !(may_be_line || may_be_name) {
            continue;
        }
        let text = into_lower(into_line(blocks.text(page, block)));
        let whole = if may_be_line { is_line(&text) } else { None };
        let line = whole.or_else(|| named_link(page, blocks, block, &text));
        let is_made = || block.linked == 0.0 && is_made(trim(&text));
        let known = || KNOWN.get(trim(&text)).copied();
        let name = line
            .or_else(known)
            .or_else(|| is_made().then_some(Sort::List));
        let Some(sort) = name else {
            continue;
        };
        let list = list_behind(page, blocks, at);
        let end = match (line, sort) {
            (Some(_), _) if whole.is_some() => at + 1,
            (Some(_), _) => list.max(at + 1),
            (None, Sort::Row) => list,
            (None, _) => list.max(box_behind(page, blocks, kept, at)),
        };
        let is_wanted = match kind.get() {
            Some(Kind::Article) => true,
            Some(Kind::Documentation) | None => sort == Sort::List,
            Some(_) => false,
        };
        if end > at && is_wanted && !(sort == Sort::List && works::are_named(page, blocks, at..end))
        {
            kept[at..end].fill(false);
        }
    }
    drop_at_end(page, blocks, kind, kept);
}

/// Gives up the list at the end of an article that is announced as more of the same, whatever else the announcement says: "More from
/// the bakery", "If you liked this you might also like". The titles in it lead to other pages of the site, and no text stands below them.
fn drop_at_end(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    let Some(last) = (0..kept.len()).rposition(|at| kept[at] && lines::is_text(&blocks.list[at]))
    else {
        return;
    };
    let host = page.web_url().host_str();
    let leads_home = |block: &Block| {
        let link = blocks.links(page, block).next();
        link.and_then(|link| page.address(link, &local_name!("href")))
            .is_some_and(|to| to.host_str() == host && leads_to_page(&to))
    };
    let is_title = |block: &&Block| {
        block.link_density() >= 0.8 && block.stats.words >= TITLE && leads_home(block)
    };
    for at in last..kept.len() {
        let block = &blocks.list[at];
        if block.linked > 0.0
            || !ANNOUNCED.contains(&block.stats.words)
            || !announces_more(page, blocks, block)
        {
            continue;
        }
        let end = list_behind(page, blocks, at);
        let listed = &blocks.list[at + 1..end.max(at + 1)];
        if listed.iter().filter(is_title).count() >= TITLES
            && lines::text(blocks, kept, 0..at) >= ABOVE_END
            && kind.get() == Some(Kind::Article)
        {
            kept[at..end].fill(false);
        }
    }
}

/// A list whose lines are one text, with the name as its first: `<b>Related stories</b><br><a>…</a><br><a>…</a>`.
fn is_list_in_lines(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let texts = blocks.texts(block);
    let Some(end) = texts.iter().position(|&id| page.tag(id) == Some(Tag::Br)) else {
        return false;
    };
    let name = into_lower(into_line(page.joined(texts[..end].iter().copied())));
    let name = trim(&name);
    let is_list = KNOWN.get(name) == Some(&Sort::List) || IN_LINES.contains(&name) || is_made(name);
    is_list && blocks.links(page, block).count() >= TITLES
}

fn announces_more(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&[(MORE, 1)]));
    PHRASES.in_text(&into_lower(blocks.text(page, block))) != 0
}

/// Not to a file, or to a part of a page: forms, papers, chapters.
fn leads_to_page(to: &Url) -> bool {
    const PAGES: [&str; 8] = ["html", "htm", "php", "aspx", "asp", "jsp", "shtml", "xhtml"];
    let ending = to.path().rsplit_once('.').map(|(_, ending)| ending);
    let is_file = ending.is_some_and(|ending| {
        let is_ending =
            ending.len() <= 5 && ending.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_ending && !PAGES.contains(&ending)
    });
    !is_file && to.fragment().is_none()
}

/// "Read also: Bread without an oven", or with another sign between them.
fn is_line(text: &str) -> Option<Sort> {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let (before, _) = text.split_once([':', '：', '|', '>', '»'])?;
    let before = trim(before);
    let is_list = || is_made(before) || LINES.contains(&before);
    let known = KNOWN.get(before).copied();
    let is_related = || RELATED.contains(&before);
    known
        .or_else(|| is_list().then_some(Sort::List))
        .or_else(|| is_related().then_some(Sort::Related))
}

/// A name that is made of a word for reading, one for "also", and one other at most.
fn is_made(text: &str) -> bool {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let (mut count, mut others, mut parts) = (0, 0, 0);
    for word in words {
        count += 1;
        if count > MADE {
            return false;
        }
        let part = PARTS.get(word).copied().unwrap_or_default();
        parts |= part;
        others += usize::from(part == 0);
    }
    others <= 1 && parts == IS_READ | IS_ALSO
}

/// Whether a box leads to other pages of the site, or asks for an address.
fn leads_on(page: &Page, root: NodeId) -> bool {
    let host = page.web_url().host_str();
    page.live(root).any(|id| match page.tag(id) {
        Some(Tag::Input) => true,
        Some(Tag::A) => page
            .address(id, &local_name!("href"))
            .is_some_and(|to| to.host_str() == host),
        _ => false,
    })
}

/// Where the box ends that begins with the name, and the name itself where there is none: the outermost element that begins with
/// it and holds few words. What stands above the text is none, because a text that is short may begin with a row of buttons.
fn box_behind(page: &Page, blocks: &Blocks, kept: &[bool], at: usize) -> usize {
    if lines::text(blocks, kept, 0..at) < ABOVE_BOX {
        return at;
    }
    let mut end = at;
    let container = blocks.list[at].container;
    let around = iter::once(container).chain(page.ancestors(container).take(LEVELS));
    for up in around.take_while(|&up| up != page.body()) {
        let inside = blocks.inside(page, up);
        if inside.start != at
            || words(blocks, kept, inside.clone()) > BOX_WORDS
            || page
                .headline
                .node
                .is_some_and(|node| page.contains(up, node))
        {
            break;
        }
        if inside.len() > 1 && leads_on(page, up) {
            end = inside.end;
        }
    }
    end
}

/// The name before a link, without a sign between them: what is not in the link is the name.
fn named_link(page: &Page, blocks: &Blocks, block: &Block, whole: &str) -> Option<Sort> {
    if block.linked == 0.0 {
        return None;
    }
    let mut outside = String::new();
    for &text in blocks.texts(block) {
        let is_linked = page
            .ancestors(text)
            .take_while(|&up| up != block.container)
            .any(|up| page.tag(up) == Some(Tag::A));
        if !is_linked && let Some(text) = page.text(text) {
            if outside.len() + text.len() > MAX_OUTSIDE {
                return None;
            }
            outside.push(' ');
            outside.push_str(&text);
        }
    }
    let outside = lower(&one_line(&outside));
    let name = trim(&outside);
    // A made name stands before it, and has no other words ("Read **our story** to learn more" is a sentence).
    let is_other = |word: &str| !word.is_empty() && !READ.contains(&word) && !ALSO.contains(&word);
    let is_made_before = || {
        trim(whole).starts_with(name)
            && is_made(name)
            && !name.split(|c: char| !c.is_alphanumeric()).any(is_other)
    };
    let known = KNOWN.get(name).copied();
    known.or_else(|| is_made_before().then_some(Sort::List))
}

/// A text without the signs around it.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric() && !is_mark(c))
}

/// The signs at the end of a word of the scripts of India, Thai, Burmese or Arabic that are no letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{963}' | '\u{971}'..='\u{df3}' | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17d3}' | '\u{64b}'..='\u{652}')
}

/// Where the links behind a name end; the name itself where there are none.
fn list_behind(page: &Page, blocks: &Blocks, at: usize) -> usize {
    let mut end = at;
    for (offset, block) in blocks.list[at + 1..].iter().take(LONGEST).enumerate() {
        let is_heading = page.tag(block.container).is_some_and(Tag::is_heading);
        let is_chapter = is_heading && !leads_on(page, block.container);
        if !is_chapter && (block.link_density() >= 0.8 || is_dated_link(block)) {
            end = at + offset + 2;
        } else if is_heading || block.stats.words > MAX_WORDS {
            break;
        }
    }
    // The day of the last one.
    let is_day = |block: &&Block| {
        block.chars <= DAY
            && !page.tag(block.container).is_some_and(Tag::is_heading)
            && blocks.text(page, block).contains(char::is_numeric)
    };
    end + usize::from(end > at && blocks.list.get(end).is_some_and(|block| is_day(&block)))
}

/// A link, and beside it a day.
fn is_dated_link(block: &Block) -> bool {
    block.linked >= 0.4 * block.chars && block.chars - block.linked <= DAY
}

#[cfg(test)]
mod tests;
