//! Calls to act among the paragraphs of an article: "Ready to grow? Our experts are glad to help. [Book a demo]". Firms that publish
//! articles put one into each of them, in a box as the text's own are, and it reads as text does.
//!
//! It is known by its button: a link that is a line by itself, leads to the same site, and says what one does to begin a business, in
//! a word for doing ("book", "request") and one for what is done ("demo", "quote") with few words between them, or in a phrase of both
//! ("get started"). What stands in a small box with it goes with it, if the box is called so by its author (`class="cta"`), or says "we" or "our"
//! and is not built as the boxes beside it are. Else both stay: the button may be a step, and the text the last paragraph.
//!
//! So do boxes with a digit or an address in them (prices, marks, hours, days, telephones), cards of one kind after another, and what one is
//! asked to take part in ("register", "apply", "donate"): there the article is the invitation.
//!
//! Own measurement, 2026-11-22: docs/quality.md. Without these bounds it gains twice as much, and a reader who tried to break it lost steps,
//! hours and last paragraphs.

mod words;

use std::{iter, ops::Range, sync::LazyLock};

use html5ever::local_name;
use url::Url;

use super::{
    super::{
        blocks::{Block, Blocks},
        called::words,
        cues::Cue,
    },
    lines,
    phrases::Phrases,
    pleas,
};
use crate::{
    hashing::Table,
    kind::{Kind, KindNow},
    page::{NodeId, Page},
    text::{lower, one_line},
};
use words::{DEEDS, PHRASES, THINGS};

/// Words of the button, at most, and visible characters.
const BUTTON: f32 = 7.0;
const BUTTON_CHARS: f32 = 45.0;

/// Words of the box around it, at most, and of one text in it.
const BOX: f32 = 60.0;
const TEXT: f32 = 45.0;

/// Buttons that are looked at: a bound on the work.
const MOST: usize = 50;

/// Texts before and behind a button among which one is kept. It may have been given up itself.
const NEAR: usize = 4;

/// Elements around the button among which the box is looked for.
const LEVELS: usize = 10;

/// Share of the kept words that all such boxes hold, at most.
const SHARE: f32 = 0.25;

/// Boxes one behind another, at most; more are cards.
const IN_A_ROW: usize = 1;

/// Words of a button from what is to be done to what it is done with, at most.
const APART: usize = 3;

const DEED: u8 = 1;
const THING: u8 = 2;

static KNOWN: LazyLock<Table<&str, u8>> = LazyLock::new(|| {
    let mut known = Table::default();
    for (words, bit) in [(DEEDS, DEED), (THINGS, THING)] {
        for &word in words {
            *known.entry(word).or_default() |= bit;
        }
    }
    known
});

static WHOLE: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&[(PHRASES, DEED | THING)]));

/// Drops them from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Article) {
        return;
    }
    let mut boxes: Vec<Range<usize>> = Vec::new();
    let mut buttons = 0;
    for at in 0..kept.len() {
        let is_over = boxes.last().is_some_and(|last| at < last.end);
        let near = at.saturating_sub(NEAR)..kept.len().min(at + NEAR);
        let is_near = || kept[near].contains(&true);
        if buttons < MOST && !is_over && is_near() && is_button(page, blocks, &blocks.list[at]) {
            buttons += 1;
            let found = box_around(page, blocks, kept, at);
            boxes.extend(found.filter(|part| words(blocks, kept, part.clone()) > 0.0));
        }
    }
    if boxes.is_empty() {
        return;
    }
    let own: f32 = boxes
        .iter()
        .map(|part| words(blocks, kept, part.clone()))
        .sum();
    if own > SHARE * words(blocks, kept, 0..kept.len()) {
        return;
    }
    let is_beside =
        |one: &Range<usize>, next: &Range<usize>| words(blocks, kept, one.end..next.start) == 0.0;
    let gone: Vec<Range<usize>> = boxes
        .chunk_by(is_beside)
        .filter(|row| row.len() <= IN_A_ROW)
        .flatten()
        .cloned()
        .collect();
    for part in gone {
        kept[part].fill(false);
    }
}

/// Whether a text is nothing but a link that calls to act.
fn is_button(page: &Page, blocks: &Blocks, block: &Block) -> bool {
    block.linked >= 0.9 * block.chars
        && block.chars <= BUTTON_CHARS
        && block.stats.words <= BUTTON
        && !lines::is_other(page, blocks, block)
        && calls(&lower(&one_line(&blocks.text(page, block))))
        && blocks
            .links(page, block)
            .next()
            .is_some_and(|link| leads_home(page, link))
}

/// "book a free demo", "Demo buchen", "get started": the deed is the first word or the last.
fn calls(text: &str) -> bool {
    let words: Vec<u8> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| KNOWN.get(word).copied().unwrap_or_default())
        .collect();
    let is = |bit: u8| move |said: &u8| said & bit != 0;
    let begins =
        words.first().is_some_and(is(DEED)) && words.iter().skip(1).take(APART).any(is(THING));
    let ends =
        words.last().is_some_and(is(DEED)) && words.iter().rev().skip(1).take(APART).any(is(THING));
    begins || ends || WHOLE.in_text(text) != 0
}

/// Whether a link leads to the site of the page, and not to a part of the page itself.
pub(super) fn leads_home(page: &Page, link: NodeId) -> bool {
    let address = page.address(link, &local_name!("href"));
    address.is_some_and(|to| {
        let home = page.web_url();
        let is_within = to.path() == home.path() && to.fragment().is_some_and(|to| !to.is_empty());
        site(&to) == site(home) && !is_within
    })
}

/// The last two parts of a host's name, or three where the second of them is short: `example.org`, `example.co.uk`.
fn site(url: &Url) -> Option<&str> {
    let host = url.host_str()?;
    let last = |parts: usize| {
        let dot = host.rmatch_indices('.').nth(parts - 1);
        dot.map_or(host, |(at, _)| &host[at + 1..])
    };
    let is_short = last(2).find('.').is_some_and(|length| length <= 3);
    Some(if is_short { last(3) } else { last(2) })
}

/// The blocks of the largest box around a button that holds little more and is an offer.
fn box_around(page: &Page, blocks: &Blocks, kept: &[bool], at: usize) -> Option<Range<usize>> {
    let container = blocks.list[at].container;
    let around = iter::once(container).chain(page.ancestors(container));
    let is_box = |up: &NodeId| {
        let headline = page.headline.node;
        *up > page.body()
            && !headline.is_some_and(|headline| page.contains(*up, headline))
            && words(blocks, kept, blocks.inside(page, *up)) <= BOX
    };
    let whole = around.take(LEVELS).take_while(is_box).last()?;
    let inside = blocks.inside(page, whole);
    let boxes = || {
        let around = iter::once(container).chain(page.ancestors(container));
        around.take_while(|&up| up >= whole)
    };
    let is_called = || boxes().any(|up| page.said(up).cues & Cue::Ad.bit() != 0);
    let own = &blocks.list[inside.clone()];
    let is_plain = |block: &Block| {
        block.stats.words <= TEXT && !blocks.text(page, block).contains(is_of_facts)
    };
    let says_us = |block: &Block| pleas::says_us(&lower(&blocks.text(page, block)));
    let is_one_of_many = |up: NodeId| blocks.inside(page, up).len() > 1 && has_likes(page, up);
    let offers = || own.iter().any(says_us) && !boxes().any(is_one_of_many);
    (own.iter().all(is_plain) && (is_called() || offers())).then_some(inside)
}

/// What prices, marks, hours, days, telephones and addresses have.
fn is_of_facts(c: char) -> bool {
    c.is_numeric() || matches!(c, '@' | '$' | '€' | '£' | '¥' | '₹' | '₽' | '₩' | '★')
}

/// Whether a box is built as one beside it is: a step among steps, a question among questions.
fn has_likes(page: &Page, own: NodeId) -> bool {
    let class = |id: NodeId| page.attribute(id, &local_name!("class"));
    page.live_children(page.parent(own))
        .any(|other| other != own && page.tag(other) == page.tag(own) && class(other) == class(own))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page_saying, words};

    /// Which texts are kept of an article with this among its paragraphs.
    fn kept_of(says: &str, among: &str) -> Vec<bool> {
        let html = format!("<p>{}</p>{among}<p>{}</p>", words(90), words(90));
        let page = page_saying(says, "https://www.example.org/news/bread", &html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept[1..kept.len() - 1].to_vec()
    }

    fn kept(among: &str) -> Vec<bool> {
        kept_of("NewsArticle", among)
    }

    fn offer(label: &str) -> String {
        format!(
            "<div><h3>Ovens for all</h3><p>Our bakers have built ovens for many years and are glad to help.</p>\
             <a href=https://app.example.org/x>{label}</a></div>"
        )
    }

    #[test]
    fn a_call_to_act_goes_with_its_box() {
        for label in [
            "Book a demo",
            "Get your free quote »",
            "Request a free consultation",
            "Get started",
            "Jetzt Beratung anfordern",
            "Demander un devis",
            "Solicita una cotización",
            "Peça um orçamento",
            "Umów konsultację",
            "Получить консультацию",
            "무료 체험 시작하기",
            "無料で試す",
            "免费试用",
        ] {
            assert_eq!(kept(&offer(label)), [false; 3], "{label}");
        }
        let called = offer("Book a demo").replace("Our bakers", "Bakers");
        let called = called.replace("<div>", "<div class=article-cta>");
        assert_eq!(kept(&called), [false; 3]);
    }

    #[test]
    fn other_links_and_what_one_takes_part_in_stay() {
        for label in [
            "Read the book",
            "Get the recipe",
            "Register now",
            "Apply now",
            "Donate",
            "View the demo",
            "Contact us",
            "How to get a quote",
            "Demo of the pilot: what to book",
        ] {
            assert_eq!(kept(&offer(label)), [true; 3], "{label}");
        }
    }

    #[test]
    fn what_offers_nothing_of_its_own_stays() {
        let told = offer("Get started").replace("Our bakers", "Bakers");
        assert_eq!(kept(&told), [true; 3]);
        assert_eq!(kept("<p><a href=/demo>Book a demo</a></p>"), [true]);
        let step = offer("Get started").replace("<div>", "<div class=step>");
        assert_eq!(kept(&format!("<section>{step}{step}</section>")), [true; 6]);
    }

    #[test]
    fn what_tells_facts_stays() {
        for facts in [
            "for $20 a month",
            "(4.8 of five)",
            "since 1990",
            "at ovens@example.org",
            "on 030 1234",
        ] {
            let html = offer("Book a demo").replace("for many years", facts);
            assert_eq!(kept(&html), [true; 3], "{facts}");
        }
    }

    #[test]
    fn what_compares_offers_stays() {
        assert_eq!(kept(&offer("Get a quote").repeat(3)), [true; 9]);
        let elsewhere = offer("Get a quote").replace("app.example.org", "ovens.test");
        assert_eq!(kept(&elsewhere), [true; 3]);
    }

    #[test]
    fn what_is_long_or_no_article_stays() {
        let long = offer("Book a demo").replace("Our bakers", &words(60));
        assert_eq!(kept(&long), [true; 3]);
        assert_eq!(kept_of("Product", &offer("Book a demo")), [true; 3]);
    }

    #[test]
    fn a_link_within_the_page_is_no_call() {
        let within = offer("Get started").replace("https://app.example.org/x", "#start");
        assert_eq!(kept(&within), [true; 3]);
    }

    #[test]
    fn the_site_is_the_end_of_the_host() {
        let site_of = |host: &str| {
            let url: Url = format!("https://{host}/").parse().unwrap();
            site(&url).map(str::to_owned)
        };
        for (host, wanted) in [
            ("www.example.org", "example.org"),
            ("a.b.example.co.uk", "example.co.uk"),
            ("example.org", "example.org"),
            ("localhost", "localhost"),
        ] {
            assert_eq!(site_of(host).as_deref(), Some(wanted), "{host}");
        }
    }
}
