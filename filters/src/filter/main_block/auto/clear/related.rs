//! Lists of other articles in the middle of one: "Read also" and three headlines. They stand among paragraphs and have their
//! chance; what they are called gives them away, whatever the language.

mod names;

use std::{collections::HashSet, sync::LazyLock};

use super::super::blocks::{Block, Blocks};
use crate::{
    kind::{Kind, KindNow},
    page::{Page, tag::Tag},
    text::one_line,
};

/// The same, to be looked up: a page has hundreds of texts that may be a name.
static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| names::NAMES.iter().copied().collect());

/// Words of a name that is made of those for reading and for "also", at most: "Olvassa el ezt is".
const MADE: usize = 4;

/// Words of a name, at most.
const MAX_WORDS: f32 = 8.0;

/// Visible characters of a name with signs around it, at most: twice those of the longest.
const MAX_NAME: f32 = 50.0;

/// Visible characters of a line that begins with the name, at most, and the part of them that stands in links at least.
const MAX_LINE: f32 = 200.0;
const LINKED: f32 = 0.5;

/// Bytes of a name with the white space around it, at most.
const MAX_OUTSIDE: usize = 200;

/// Texts of such a list, at most.
const LONGEST: usize = 20;

/// Gives up the lists on a page that is a text, and the lines that are one.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    for at in 0..kept.len() {
        let block = &blocks.list[at];
        let may_be_line = block.chars <= MAX_LINE && block.linked >= LINKED * block.chars;
        let may_be_name = block.stats.words <= MAX_WORDS && block.chars <= MAX_NAME;
        // The name may have been given up already, and its list not.
        let is_near = kept[at] || kept.get(at + 1) == Some(&true);
        if !is_near || !(may_be_line || may_be_name) {
            continue;
        }
        // Turkish: the dot of a capital I becomes a sign of its own.
        let text = one_line(&blocks.text(page, block))
            .to_lowercase()
            .replace('\u{307}', "");
        let end = if may_be_line && is_line(&text) || is_named_link(page, blocks, block, &text) {
            list_behind(page, blocks, at).max(at + 1)
        } else if KNOWN.contains(trim(&text)) || block.linked == 0.0 && is_name(trim(&text)) {
            list_behind(page, blocks, at)
        } else {
            continue;
        };
        if end > at && matches!(kind.get(), Some(Kind::Article | Kind::Documentation) | None) {
            kept[at..end].fill(false);
        }
    }
}

/// "Read also: Bread without an oven".
fn is_line(text: &str) -> bool {
    let before = text.split_once([':', '：']).map(|(before, _)| trim(before));
    before.is_some_and(|before| is_name(before) || names::LINES.contains(&before))
}

/// A name that is known, or made of a word for reading, one for "also", and two others at most.
fn is_name(text: &str) -> bool {
    if KNOWN.contains(text) {
        return true;
    }
    let words = || {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
    };
    let count = words().take(MADE + 1).count();
    (2..=MADE).contains(&count)
        && words().any(|word| names::READ.contains(&word))
        && words().any(|word| names::ALSO.contains(&word))
}

/// The name before a link, without a sign between them: what is not in the link is the name. One that is known may be around it
/// ("Read **our story** to learn more" is a sentence).
fn is_named_link(page: &Page, blocks: &Blocks, block: &Block, whole: &str) -> bool {
    if block.linked == 0.0 {
        return false;
    }
    let mut outside = String::new();
    for &text in blocks.texts(block) {
        let is_linked = page
            .ancestors(text)
            .take_while(|&up| up != block.container)
            .any(|up| page.tag(up) == Some(Tag::A));
        if !is_linked && let Some(text) = page.text(text) {
            if outside.len() + text.len() > MAX_OUTSIDE {
                return false;
            }
            outside.push(' ');
            outside.push_str(&text);
        }
    }
    let outside = one_line(&outside).to_lowercase().replace('\u{307}', "");
    let name = trim(&outside);
    let is_other = |word: &str| {
        !word.is_empty() && !names::READ.contains(&word) && !names::ALSO.contains(&word)
    };
    KNOWN.contains(name)
        || trim(whole).starts_with(name)
            && is_name(name)
            && !name.split(|c: char| !c.is_alphanumeric()).any(is_other)
}

fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphanumeric() && !is_mark(c))
}

/// The signs at the end of a word of the scripts of India, Thai, Burmese or Arabic that are no letters.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{900}'..='\u{963}' | '\u{971}'..='\u{df3}' | '\u{e00}'..='\u{e7f}' | '\u{1000}'..='\u{109f}'
        | '\u{64b}'..='\u{652}')
}

/// Where the links behind a name end; the name itself where there are none.
fn list_behind(page: &Page, blocks: &Blocks, at: usize) -> usize {
    let mut end = at;
    for (offset, block) in blocks.list[at + 1..].iter().take(LONGEST).enumerate() {
        let is_heading = page.tag(block.container).is_some_and(Tag::is_heading);
        if block.link_density() >= 0.8 {
            end = at + offset + 2;
        } else if is_heading || block.stats.words > MAX_WORDS {
            break;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};
    use crate::kind::Claims;

    /// How many texts are left of a page that says it is this, of which all were kept.
    fn left(html: &str, says: &str) -> usize {
        let mut trial = Trial::of(html, 0.5);
        trial.page.claims = Claims {
            types: vec![says.to_owned()],
            ..Claims::default()
        };
        let mut kept = vec![true; trial.kept.len()];
        drop(
            &trial.page,
            &trial.blocks,
            &KindNow::of(&trial.page),
            &mut kept,
        );
        kept.into_iter().filter(|&kept| kept).count()
    }

    const LINKS: &str =
        "<ul><li><a href=/a>Museum open</a><p>3 May</p><li><a href=/b>Bath closed</a></ul>";

    #[test]
    fn a_list_of_other_articles_goes_from_the_middle_of_one() {
        for name in [
            "Read also",
            "Lesen Sie auch:",
            "» Читайте также",
            "関連記事",
            "İlgili haberler",
            "ये भी पढ़ें",
            "اقرأ أيضاً:",
            "আরও পড়ুন",
            "यह भी पढ़ें |",
            "இதையும் படியுங்கள்",
            "ဆက်စပ်သတင်းများ",
        ] {
            let html = format!("<p>one</p><h3>{name}</h3>{LINKS}<p>two</p>");
            assert_eq!(left(&html, "NewsArticle"), 2, "{name}");
        }
        let line =
            "<p>one</p><p>Baca juga: <a href=/a>Museum open until ten on Sundays</a></p><p>two</p>";
        assert_eq!(left(line, "NewsArticle"), 2);
        for line in [
            "<p><span>Czytaj więcej</span> <a href=/a>Museum open until ten on Sundays</a></p>",
            "<p>&gt;&gt; Leia também <a href=/a><b>Museum open until ten on Sundays</b></a></p>",
            "<p>OLVASSA EL EZT IS: <a href=/a>Museum open until ten on Sundays</a></p>",
            "<p>Bekijk ook &gt; <a href=/a>Museum open until ten on Sundays</a></p>",
            "<p>Taip pat skaitykite</p><h5><a href=/a>Museum open until ten</a></h5>",
        ] {
            let html = format!("<p>one</p>{line}<p>two</p>");
            assert_eq!(left(&html, "NewsArticle"), 2, "{line}");
        }
        let skipped =
            format!("<p>one</p><div><b>Most read</b> <a href=#x>Skip</a></div>{LINKS}<p>two</p>");
        assert_eq!(left(&skipped, "NewsArticle"), 2);
        let learn = "<p>one</p><p>Read <a href=/a>what the museum says of its Sundays</a> to learn more.</p><p>two</p>";
        assert_eq!(left(learn, "NewsArticle"), 3);
        let button = "<p>one</p><p><a href=/a>Read more</a></p><h3><a href=/b>A chapter</a></h3>";
        assert_eq!(left(button, "NewsArticle"), 3);
        let sentence = "<p>one</p><p>Read also what <a href=/a>the museum says of its Sundays</a></p><p>two</p>";
        assert_eq!(left(sentence, "NewsArticle"), 3);
    }

    #[test]
    fn a_chapter_of_that_name_and_the_lists_of_a_page_of_lists_stay() {
        let chapter = "<p>one</p><h3>Read also</h3><p>A text that is no link, but a chapter of what is read here</p>";
        assert_eq!(left(chapter, "NewsArticle"), 3);
        let html = format!("<h3>Related news</h3>{LINKS}");
        assert_eq!(left(&html, "ItemList"), 4);
    }
}
