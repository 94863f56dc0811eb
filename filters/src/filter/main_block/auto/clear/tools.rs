//! Rows of tools: "Print | Send to a friend | Back to top". Every article of the time before buttons for networks has one, and a line by
//! itself leads back to the index. Each of its links is a tool by what it says, in many languages, and nothing else stands in the row.

mod words;

use std::sync::LazyLock;

use super::super::blocks::{Block, Blocks};
use crate::{
    hashing::Table,
    page::{Page, tag::Tag},
    text::{into_lower, one_line},
};
use words::{BACK, TOOLS};

/// Visible characters of such a row, bytes of one of its links, and characters of one that may be anything, at most.
const ROW: f32 = 180.0;
const LINK: usize = 80;
const SHORT: usize = 2;

/// Bytes of a name that other words may begin with, at most: "top" and "topics".
const WORD: usize = 7;

/// Tools in a row, at least; a way back is a row by itself.
const LEAST_TOOLS: usize = 2;

/// Signs between tools.
const SIGNS: [char; 9] = ['|', '¦', '【', '】', '[', ']', '·', '•', '\u{a0}'];

/// Characters of a row in which the sign behind a first short text stands.
const EARLY: usize = 8;

/// The part of the row that stands in links, at least: counts of comments and signs stand beside them.
const LINKED: f32 = 0.55;

/// Words of paragraphs that the page keeps, at least.
const LEAST: f32 = 40.0;

/// The names by their first two letters, each with the tools that it counts for: hardly any link begins so. Of one letter there is no
/// second.
static KNOWN: LazyLock<Table<Start, Vec<(&str, usize)>>> = LazyLock::new(|| {
    let mut known: Table<Start, Vec<(&str, usize)>> = Table::default();
    for (names, count) in [(BACK, LEAST_TOOLS), (TOOLS, 1)] {
        for &name in names {
            known.entry(start(name)).or_default().push((name, count));
        }
    }
    known
});

/// Drops them from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let is_one = |at: &usize| kept[*at] && is_row(page, blocks, &blocks.list[*at]);
    let found: Vec<usize> = (0..kept.len()).filter(is_one).collect();
    if !found.is_empty() && super::lines::text(blocks, kept, 0..kept.len()) >= LEAST {
        for at in found {
            kept[at] = false;
        }
    }
}

fn is_row(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    if block.linked == 0.0
        || block.chars > ROW
        || page.tag(block.container).is_some_and(Tag::is_heading)
    {
        return false;
    }
    let linked = || {
        let links = blocks.links(page, block);
        links.map(|link| page.joined(page.live(link)))
    };
    let by_links = if block.linked >= LINKED * block.chars {
        count_tools(linked())
    } else {
        None
    };
    // Scripts write some of them without a link, and they stand apart by signs.
    let by_signs = || {
        let text = blocks.text(page, block);
        let has_sign_early = || {
            text.trim_start()
                .chars()
                .take(EARLY)
                .any(|c| SIGNS.contains(&c))
        };
        // Nearly always neither, and the text need not be divided.
        if may_be_tool(&text) || has_sign_early() {
            count_tools(text.split(SIGNS))
        } else {
            None
        }
    };
    let found = by_links.or_else(by_signs);
    found.is_some_and(|tools| tools >= LEAST_TOOLS)
}

/// How many of some texts are tools, a way back twice; none where one is anything else.
fn count_tools(texts: impl Iterator<Item = impl AsRef<str>>) -> Option<usize> {
    let mut tools = 0;
    for text in texts {
        let text = text.as_ref();
        if !may_be_tool(text) {
            return None;
        }
        let text = into_lower(one_line(text));
        let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
        if text.len() > LINK || text.contains('@') {
            return None;
        }
        let mut alike = alike(start(text));
        match alike.find(|(name, _)| begins(text, name)) {
            Some(&(_, count)) => tools += count,
            // A size of letters and the number of comments are shorter.
            None if !is_short(text) => return None,
            None => {}
        }
    }
    Some(tools)
}

/// Whether a text begins with the first letters of a tool, or is so short that it may be anything. Nearly none does, and none need be
/// copied for that.
fn may_be_tool(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    alike(start(text)).next().is_some() || is_short(text.trim_end())
}

/// The first two letters of a text in lower case.
type Start = (char, Option<char>);

fn start(text: &str) -> Start {
    let mut small = text.chars().filter_map(|c| c.to_lowercase().next());
    (small.next().unwrap_or_default(), small.next())
}

/// The names that may begin a text that begins so.
fn alike((first, second): Start) -> impl Iterator<Item = &'static (&'static str, usize)> {
    let of = |start| KNOWN.get(&start).into_iter().flatten();
    of((first, second)).chain(second.into_iter().flat_map(move |_| of((first, None))))
}

fn is_short(text: &str) -> bool {
    text.chars().nth(SHORT).is_none()
}

/// Whether a text begins with these words; short ones are whole words there.
fn begins(text: &str, start: &str) -> bool {
    text.strip_prefix(start).is_some_and(|rest| {
        let may_go_on = start.len() > WORD || !start.is_ascii();
        may_go_on || !rest.starts_with(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page, words};

    fn kept(row: &str) -> bool {
        let page = page(&format!("<p>{}</p><div>{row}</div>", words(60)));
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &mut kept);
        kept[1]
    }

    #[test]
    fn rows_of_tools_go_in_many_languages() {
        for row in [
            "<a href=/m>E-mail this story to a friend</a> | <a href=/p>Printer-friendly version</a>",
            "<a href=/>nach oben</a> | <a href=/p>drucken</a>",
            "<a href=/p>Версия для печати</a> | <a href=/m>Отправить другу</a> | <a href=/f>Обсудить в форуме</a> (17)",
            "【<a href=/c>评论</a>】【收藏此页】【字体：大 中 小】【<a href=/p>打印</a>】",
            "<a href=/l>Back to local news</a>",
            "→<a href=/>ニュース一覧へ戻る</a>",
            "<a href=/p>Imprimer</a> <a href=/m>Envoyer à un ami</a>",
        ] {
            assert!(!kept(row), "{row}");
        }
    }

    #[test]
    fn what_is_no_row_of_tools_stays() {
        for row in [
            "<a href=/p>Print</a>",
            "<a href=/p>Print</a> <a href=/s>Sculpture</a> <a href=/d>Drawing</a>",
            "<a href=/1>Printers</a> that we have tested, with a word on what became of them",
            "<h2><a href=/>Back to the roots</a></h2>",
            "<a href=/>Background</a>",
            "<a href=/p>Printing</a> <a href=/t>Topology</a>",
            "Email: <a href=mailto:a@b.example>a@b.example</a> | Email: <a href=mailto:c@b.example>c@b.example</a>",
        ] {
            assert!(kept(row), "{row}");
        }
    }
}
