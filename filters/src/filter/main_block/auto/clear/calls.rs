//! Calls to act among the paragraphs of an article: "Ready to grow? Our experts are glad to help. [Book a demo]". Firms that publish
//! articles put one into each of them, in a box as the text's own are, and it reads as text does.
//!
//! It is known by its button: a link that is a line by itself, leads to the same site, and says what one does to begin a business, in
//! a word for doing ("book", "request") and one for what is done ("demo", "quote"), or in a phrase of both ("get started"). What stands in a
//! small box with it goes with it.
//!
//! Cards of one kind after another stay, and what tells a price or a mark: they compare what others offer, and readers came for that.
//! So does what one is asked to take part in ("register", "apply", "donate"): there the article is the invitation.
//!
//! Own measurement, 2026-11-22: docs/quality.md.

mod words;

use std::{iter, ops::Range, sync::LazyLock};

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
    text::{lower, one_line},
};
use words::{DEEDS, PHRASES, THINGS};

/// Words of the button, at most, and visible characters.
const BUTTON: f32 = 7.0;
const BUTTON_CHARS: f32 = 45.0;

/// Words of the box around it, at most, and of one text in it.
const BOX: f32 = 60.0;
const TEXT: f32 = 45.0;

/// Texts before and behind a button among which one is kept. It may have been given up itself.
const NEAR: usize = 4;

/// Elements around the button among which the box is looked for.
const LEVELS: usize = 10;

/// Share of the kept words that all such boxes hold, at most.
const SHARE: f32 = 0.25;

/// Boxes one behind another from which on they are cards.
const CARDS: usize = 2;

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
    for at in 0..kept.len() {
        let is_over = boxes.last().is_some_and(|last| at < last.end);
        let near = at.saturating_sub(NEAR)..kept.len().min(at + NEAR);
        let is_near = || kept[near].contains(&true);
        if !is_over && is_near() && is_button(page, blocks, &blocks.list[at]) {
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
        .filter(|row| row.len() <= CARDS)
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
        && !lines::is_other(page, block)
        && calls(&lower(&one_line(&blocks.text(page, block))))
        && blocks
            .texts(block)
            .iter()
            .find_map(|&text| {
                let mut around = page.ancestors(text);
                around.find(|&up| page.tag(up) == Some(Tag::A))
            })
            .is_some_and(|link| leads_home(page, link))
}

/// "book a free demo", "get started".
fn calls(text: &str) -> bool {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let said = words.fold(0, |said, word| {
        said | KNOWN.get(word).copied().unwrap_or_default()
    });
    said == DEED | THING || WHOLE.in_text(text) != 0
}

/// Whether a link leads to the site of the page, and not to a part of the page itself.
fn leads_home(page: &Page, link: NodeId) -> bool {
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

/// The blocks of the largest box around a button that holds little more; the button alone where there is none.
fn box_around(page: &Page, blocks: &Blocks, kept: &[bool], at: usize) -> Option<Range<usize>> {
    let container = blocks.list[at].container;
    let mut found = at..at + 1;
    let around = iter::once(container).chain(page.ancestors(container));
    for up in around.take(LEVELS) {
        let inside = blocks.inside(page, up);
        let holds_headline = page
            .headline
            .node
            .is_some_and(|node| page.contains(up, node));
        if up <= page.body() || holds_headline || words(blocks, kept, inside.clone()) > BOX {
            break;
        }
        found = inside;
    }
    let is_offer = |block: &Block| {
        block.stats.words <= TEXT && !tells_price_or_mark(&blocks.text(page, block))
    };
    blocks.list[found.clone()]
        .iter()
        .all(is_offer)
        .then_some(found)
}

/// "$20", "20 €", "4.8", "4,8 / 5": an amount, or a number with a point in it.
fn tells_price_or_mark(text: &str) -> bool {
    const CURRENCIES: [char; 8] = ['$', '€', '£', '¥', '₹', '₽', '₩', '★'];
    let bytes = text.as_bytes();
    text.contains(CURRENCIES)
        || bytes.windows(3).any(|three| {
            three[0].is_ascii_digit()
                && matches!(three[1], b'.' | b',')
                && three[2].is_ascii_digit()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    /// Which texts are kept of an article with this among its paragraphs.
    fn kept_of(says: &str, among: &str) -> Vec<bool> {
        let html = format!("<p>{}</p>{among}<p>{}</p>", words(90), words(90));
        let mut page = page_at("https://www.example.org/news/bread", &html);
        page.claims = Claims {
            types: vec![says.to_owned()],
            ..Claims::default()
        };
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
            "Contact us today",
            "Jetzt Beratung anfordern",
            "Demander un devis",
            "Solicita una cotización",
            "Peça um orçamento",
            "Umów konsultację",
            "Получить консультацию",
            "무료 체험 시작하기",
            "無料で試す",
            "立即咨询",
        ] {
            assert_eq!(kept(&offer(label)), [false; 3], "{label}");
        }
        assert_eq!(kept("<p><a href=/demo>Book a demo</a></p>"), [false]);
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
            "The trial of the baker",
        ] {
            assert_eq!(kept(&offer(label)), [true; 3], "{label}");
        }
    }

    #[test]
    fn what_compares_offers_stays() {
        let priced = offer("Get a quote").replace("for many years", "for $20 a month");
        assert_eq!(kept(&priced), [true; 3]);
        let marked = offer("Get a quote").replace("for many years", "for years (4.8 of 5)");
        assert_eq!(kept(&marked), [true; 3]);
        assert_eq!(kept(&offer("Get a quote").repeat(3)), [true; 9]);
        let elsewhere = offer("Get a quote").replace("app.example.org", "ovens.test");
        assert_eq!(kept(&elsewhere), [true; 3]);
    }

    #[test]
    fn what_is_long_or_no_article_stays() {
        let long = offer("Book a demo").replace("Our bakers", &words(60));
        assert_eq!(kept(&long), [true, true, false]);
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
