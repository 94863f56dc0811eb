//! What stands below an article about it, not of it: who its author is, and what nobody is to rely on. The author's name and the day stand
//! above the text; the paragraph on his life, and the one for the lawyers, are the same below each of his articles.
//!
//! A part that is called so, below nearly all of the text. A line ("By Ann Lee") stays: it may be the only place of the name. So does
//! what is of this article: the life of somebody whom its text or headline names, and a warning.
//!
//! A part may be told by its heading alone ("About the author", `afterwords/headed.rs`).
//!
//! Where no part is called so, a last paragraph that begins with the author's name is one, if it does not stand among those of the
//! text: "Ann Lee has asked us to say that table 2 is wrong" is content.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: docs/quality.md. Above the end of the text it loses: there the part called "author" is
//! an interview.

mod headed;

use std::ops::Range;

use super::super::{
    blocks::{Block, Blocks},
    called::{self, Names},
    text::is_unspaced,
};
use crate::{
    kind::{Kind, KindNow},
    metadata::is_same,
    page::{Page, said::Hint, tag::Tag},
    text::one_line,
};

const NAMES: Names = Names::of(WORDS, Hint::Afterwords);

/// Names of such a part in the languages of the programs that we know; most have the English ones in every country. Not those that ask
/// readers for something (`cta`, `promo`, `newsletter`, `feedback`, `paywall`): +.0001, and the end of some texts is called so.
pub(crate) const WORDS: &[&str] = &[
    "author",
    "authors",
    "bio",
    "autor",
    "autoren",
    "autores",
    "auteur",
    "auteurs",
    "autore",
    "autori",
    "disclaimer",
    "disclaimers",
    "haftungsausschluss",
];

/// Words of such a part, at least: fewer are a name, or a line of thanks.
const LEAST: f32 = 8.0;

/// Share of all kept words that one may hold, at most: what is longer is one of two authors speaking.
const MOST: f32 = 0.25;

/// Share of the kept words outside of such parts that stand above it, at least.
const ABOVE: f32 = 0.8;

/// Such parts, at most: some programs name the author of each post in the class of its teaser, and a page of those has more.
const AT_ONCE: usize = 4;

/// Words of a life that stands in no part of its own, at most, and texts at the end among which it is looked for: two authors have two.
const LIFE: f32 = 150.0;
const LAST: usize = 4;

/// Bytes of such a part that are read for a name.
const START: usize = 600;

/// How a warning begins, in lower case: whoever reads the text must read it too. Not "disclaimer", "notice".
const WARNINGS: [&str; 46] = [
    "warning",
    "caution",
    "danger",
    "achtung",
    "vorsicht",
    "warnung",
    "warnhinweis",
    "attention",
    "avertissement",
    "advertencia",
    "atención",
    "precaución",
    "cuidado",
    "attenzione",
    "avvertenza",
    "atenção",
    "let op",
    "waarschuwing",
    "varning",
    "advarsel",
    "varoitus",
    "uwaga",
    "ostrzeżenie",
    "upozornění",
    "varování",
    "pozor",
    "upozorenje",
    "figyelem",
    "atenție",
    "внимание",
    "осторожно",
    "предупреждение",
    "увага",
    "προσοχή",
    "uyarı",
    "dikkat",
    "تحذير",
    "تنبيه",
    "هشدار",
    "אזהרה",
    "चेतावनी",
    "คำเตือน",
    "cảnh báo",
    "peringatan",
    "注意",
    "警告",
];

/// Drops such parts from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Article) {
        return;
    }
    let mut parts = called::parts(page, blocks, kept, &NAMES, MOST);
    let most = MOST * called::words(blocks, kept, 0..kept.len());
    for part in headed::parts(page, blocks, kept) {
        let is_new = parts
            .iter()
            .all(|known| part.end <= known.start || known.end <= part.start);
        if is_new && called::words(blocks, kept, part.clone()) <= most {
            parts.push(part);
        }
    }
    parts.sort_unstable_by_key(|part| part.start);
    let after = parts.last().map_or(0, |part| part.end);
    parts.extend(lives(page, blocks, kept, after));
    let words = |range: Range<usize>| called::words(blocks, kept, range);
    let parts_words = |parts: &[Range<usize>]| parts.iter().cloned().map(words).sum::<f32>();
    let text = words(0..kept.len()) - parts_words(&parts);
    let is_below = |at: usize| {
        let (before, part) = (&parts[..at], &parts[at]);
        words(part.clone()) >= LEAST && words(0..part.start) - parts_words(before) >= ABOVE * text
    };
    let below: Vec<_> = (0..parts.len())
        .filter(|&at| is_below(at))
        .map(|at| parts[at].clone())
        .collect();
    if (1..=AT_ONCE).contains(&below.len()) {
        for part in below {
            if !is_own(page, blocks, kept, &part) {
                kept[part].fill(false);
            }
        }
    }
}

/// The last texts of an article that begin with the name of who wrote it, where no part is called so: "Ann Lee writes on rivers." They
/// stand in a box of their own, or in italics.
fn lives(page: &Page, blocks: &Blocks, kept: &[bool], after: usize) -> Vec<Range<usize>> {
    let Some(authors) = page.metadata.author.as_deref() else {
        return Vec::new();
    };
    let names = || authors.split(", ");
    let tells_of = |at: usize, name: &str| {
        let block = &blocks.list[at];
        kept[at] && block.is_long() && blocks.text(page, block).contains(name)
    };
    let home = |at: usize| page.parent(blocks.list[at].container);
    let stands_in_text = |at: usize| {
        let mut above = (0..at).filter(|&above| kept[above] && blocks.list[above].is_long());
        above.any(|above| home(above) == home(at))
    };
    let is_life = |at: &usize| {
        let block = &blocks.list[*at];
        block.stats.words <= LIFE && block.is_long() && {
            let text = blocks.text(page, block);
            let is_of = |name: &&str| {
                let rest = text.trim_start().strip_prefix(*name);
                let next = rest.and_then(|rest| rest.chars().next());
                next.is_some_and(|next| !next.is_alphanumeric() || is_unspaced(next))
            };
            let name = names().find(is_of);
            name.is_some_and(|name| !(0..*at).any(|above| tells_of(above, name)))
                && (is_emphasised(page, blocks, block) || !stands_in_text(*at))
        }
    };
    let is_name = |at: &usize| {
        let text = blocks.text(page, &blocks.list[*at]);
        kept[*at] && names().any(|name| is_same(name, &text))
    };
    let last = (after..kept.len()).rev().filter(|&at| kept[at]).take(LAST);
    let mut lives: Vec<_> = last
        .filter(is_life)
        .map(|at| at.checked_sub(1).filter(is_name).unwrap_or(at)..at + 1)
        .collect();
    lives.reverse();
    lives
}

/// Whether all of a text is in italics.
fn is_emphasised(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    let mut texts = blocks
        .texts(block)
        .iter()
        .filter(|&&text| page.own_chars(text) > 0);
    texts.all(|&text| {
        let mut around = page.ancestors(text).take_while(|&up| up >= block.container);
        around.any(|up| matches!(page.tag(up), Some(Tag::Em | Tag::I)))
    })
}

/// Whether a part is of this article: it tells of what the headline names or the text above tells of.
fn is_own(page: &Page, blocks: &Blocks, kept: &[bool], part: &Range<usize>) -> bool {
    let mut start = String::new();
    for block in &blocks.list[part.clone()] {
        if start.len() >= START {
            break;
        }
        let line = one_line(&blocks.text(page, block));
        if !headed::is_label(&line) {
            start.push_str(&line);
            start.push('\n');
        }
    }
    let start = &start[..start.floor_char_boundary(START.min(start.len()))];
    let lower = start.to_lowercase();
    let opening = lower.trim_start_matches(|c: char| !c.is_alphabetic());
    if WARNINGS.iter().any(|word| opening.starts_with(word)) {
        return true;
    }
    let is_named = |name: &str| {
        let is_told = |at: usize| {
            let block = &blocks.list[at];
            kept[at] && block.is_long() && blocks.text(page, block).contains(name)
        };
        page.headline.text.contains(name) || (0..part.start).any(is_told)
    };
    first_name(start).is_some_and(is_named)
}

/// The first two words in a row with capitals, inside of a line.
fn first_name(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let mut before: Option<(usize, bool)> = None;
        let mut at = 0;
        line.split_inclusive(' ').find_map(|word| {
            let (start, bare) = (at, word.trim_end_matches(|c: char| !c.is_alphanumeric()));
            at += word.len();
            let is_name = bare.chars().count() > 2 && bare.starts_with(char::is_uppercase);
            let (known, was_name) = before.replace((start, is_name))?;
            (is_name && was_name).then(|| &line[known..start + bare.len()])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    /// Which texts are kept of an article of so many words with this above and below it.
    fn kept(above: &str, count: usize, below: &str) -> Vec<bool> {
        kept_by(None, above, count, below)
    }

    /// The same of one that names these authors.
    fn kept_by(authors: Option<&str>, above: &str, count: usize, below: &str) -> Vec<bool> {
        let html = format!("{above}<p>{}</p>{below}", words(count));
        let mut page = page_at("https://example.org/news/bread", &html);
        page.claims = Claims {
            types: vec!["NewsArticle".to_owned()],
            ..Claims::default()
        };
        page.metadata.author = authors.map(str::to_owned);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    const AUTHOR: &str = "<div class=post-author><b>Ann Lee</b><p>Ann writes on bread and on all that is made of flour.</p></div>";

    #[test]
    fn the_life_of_the_author_and_what_is_for_lawyers_go() {
        assert_eq!(kept("", 90, AUTHOR), [true, false, false]);
        let legal =
            "<p class=disclaimer>Nobody should bake this bread without having asked a baker.</p>";
        assert_eq!(kept("", 90, legal), [true, false]);
    }

    #[test]
    fn what_stands_under_about_the_author_goes() {
        let life = |heading: &str, name: &str| {
            format!(
                "<div><h3>{heading}</h3><div><p>{name} writes on bread and on all that is made of flour.</p></div>\
                 <h3>Notes</h3><p>The oven was lent by the town for a day in the spring of that year.</p></div>"
            )
        };
        for heading in ["About The Author", "Über die Autorin:", "作者简介"] {
            let html = life(heading, "Ann Lee");
            assert_eq!(
                kept("", 90, &html),
                [true, false, false, true, true],
                "{heading}"
            );
        }
        let other = life("About the oven", "Ann Lee");
        assert_eq!(kept("", 90, &other), [true; 5]);
        let speaks = format!("<p>Then Ann Lee answers: {}</p>", words(30));
        let own = life("About The Author", "Ann Lee");
        assert_eq!(kept(&speaks, 90, &own), [true; 6]);
    }

    #[test]
    fn a_line_stays_and_what_stands_above_the_text() {
        assert_eq!(kept("", 90, "<p class=author>By Ann Lee</p>"), [true, true]);
        assert_eq!(kept(AUTHOR, 90, ""), [true, true, true]);
    }

    #[test]
    fn the_life_of_somebody_in_the_text_stays_and_a_warning() {
        let speaks = format!("<p>Then Ann Lee answers: {}</p>", words(30));
        assert_eq!(kept(&speaks, 90, AUTHOR), [true; 4]);
        for warning in [
            "Warning: never bake with a lid that is shut.",
            "Achtung! Nie mit geschlossenem Deckel backen, er springt.",
            "注意：不要盖紧盖子烤面包，锅盖会裂开。",
        ] {
            let html = format!("<p class=disclaimer>{warning}</p>");
            assert_eq!(kept("", 90, &html), [true, true], "{warning}");
        }
    }

    #[test]
    fn a_life_that_begins_with_the_name_of_the_author_goes_where_nothing_calls_it_so() {
        let written = |below: &str| kept_by(Some("Ann Lee, 李小明"), "", 90, below);
        let ann = "<div><p>Ann Lee</p><p>Ann Lee writes on rivers and bread, lives in a house by the water, and bakes every Sunday \
                   for all who come by with a boat.</p></div>";
        let li = "<p><em>李小明是本报驻外记者，二十年来报道河流与面包，著有多部书籍，现居海边小城，每周日为路过的船夫烤面包。</em></p>";
        assert_eq!(written(ann), [true, false, false]);
        assert_eq!(written(li), [true, false]);
        assert_eq!(
            written(&ann.replace("Ann Lee writes", "Ann Leeds writes")),
            [true; 3]
        );
        let asked = format!("<p>Then Ann Lee answers: {}</p>{ann}", words(30));
        assert_eq!(written(&asked), [true; 4]);
        assert_eq!(kept("", 90, ann), [true; 3]);
        let among = "<p>Ann Lee has asked us to say that the numbers of the second table are wrong, and that nobody should bake by \
                     them before the spring.</p>";
        assert_eq!(written(among), [true; 2]);
    }

    #[test]
    fn the_first_name_is_two_words_with_capitals() {
        assert_eq!(
            first_name("In Bonn lives\nour Ann Lee, who"),
            Some("Ann Lee")
        );
        assert_eq!(
            first_name("The views are of The Author"),
            Some("The Author")
        );
        assert_eq!(first_name("All articles are reviewed"), None);
    }

    #[test]
    fn the_teasers_of_many_authors_stay() {
        assert_eq!(kept("", 400, &AUTHOR.repeat(5)), [true; 11]);
    }

    #[test]
    fn the_second_of_two_authors_stays() {
        let second = format!(
            "<div class=author><h2>Tom Reed</h2><p>{}</p></div>",
            words(60)
        );
        assert_eq!(kept("", 90, &second), [true, true, true]);
    }

    #[test]
    fn a_page_on_an_author_stays() {
        assert_eq!(kept("", 9, AUTHOR), [true, true, true]);
    }
}
