//! Pleas: lines in an article that speak of the page and not of its subject. "Follow us on Instagram", "Found a mistake? Write to us",
//! "Already a subscriber? Log in", "Reading time: 3 minutes". They stand among the paragraphs, in the same
//! elements and classes, and read as text does; all news sites have them, and each in its language.
//!
//! No sentence is known by heart. A plea is a short text that says three things of which each alone is said anywhere: what is to be done,
//! for whom, and with what:
//!
//! | plea | has all of |
//! |---|---|
//! | follow us | a call ("follow", or a link to a channel), who asks ("us", "our"), a channel ("Facebook", "app", "newsletter") |
//! | mistakes, tips | a call, who asks (also "editors") or the keys to press, a question, a mistake or a tip |
//! | subscribers | a question, a subscriber, "log in" |
//! | pass it on | at the end, with a question or a loud sign: "share", "article" |
//! | reading time | above the text: one number, "minutes", "reading", and two words more at most |
//!
//! Other scripts, many of which put no space between words, are read by whole phrases (`clear/lines.rs`).
//!
//! What begins as speech does is somebody's in the article. Words of languages that mix are no matter: three of a kind in
//! one short line are rare.
//!
//! Own measurement, 2026-11-22: docs/quality.md.

mod rare;
mod words;

use std::{collections::HashMap, sync::LazyLock};

use super::{
    super::{
        blocks::{Block, Blocks},
        called,
    },
    lines,
    phrases::Phrases,
};
use crate::{
    kind::{Kind, KindNow},
    page::{Page, tag::Tag},
    text::{lower, one_line},
};
use words::{ARTICLE, CALL, LOGIN, SHARE, US};

/// Words of a plea, at most: the longest that we know say first what one misses.
const MOST: f32 = 32.0;

/// Words of the text that must be left.
const LEFT: f32 = 20.0;

/// Words of a reading time, at most.
const TIME: f32 = 6.0;

static KNOWN: LazyLock<HashMap<&str, u8>> = LazyLock::new(|| {
    let mut known = HashMap::new();
    for (words, sign) in [
        (words::CALLS, CALL),
        (words::CALLS_US, CALL | US),
        (words::ASKING, US),
        (words::LOGINS, LOGIN),
        (words::SHARES, SHARE),
        (words::ARTICLES, ARTICLE),
    ] {
        for &word in words {
            *known.entry(word).or_default() |= sign;
        }
    }
    known
});

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&[(words::PHRASES, CALL | US)]));

/// Drops them from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Article) {
        return;
    }
    let is_long = |at: &usize| kept[*at] && blocks.list[*at].is_long();
    let Some(first) = (0..kept.len()).find(is_long) else {
        return;
    };
    let last = (0..kept.len()).rev().find(is_long).unwrap_or(first);
    let pleas: Vec<usize> = (0..kept.len())
        .filter(|&at| kept[at] && blocks.list[at].stats.words <= MOST)
        .filter(|&at| !may_be_headline(page, &blocks.list[at]))
        .filter(|&at| {
            let block = &blocks.list[at];
            let text = one_line(&blocks.text(page, block));
            let may_be_time = at < first && block.stats.words <= TIME;
            if !may_be_time && !rare::may_be_plea(&text, at > last) {
                return false;
            }
            let text = lower(&text);
            is_plea(&text, at > last, || {
                lines::leads_to_channel(page, blocks, block)
            }) || may_be_time && is_reading_time(&text)
        })
        .collect();
    let words: f32 = pleas.iter().map(|&at| blocks.list[at].stats.words).sum();
    if called::words(blocks, kept, 0..kept.len()) - words >= LEFT {
        for at in pleas {
            kept[at] = false;
        }
    }
}

fn may_be_headline(page: &Page, block: &Block) -> bool {
    page.tag(block.container) == Some(Tag::H1)
}

/// Whether a text in lower case is one; the last of an article may also ask to be passed on.
fn is_plea(text: &str, is_last: bool, leads_to_channel: impl Fn() -> bool) -> bool {
    if is_speech(text) {
        return false;
    }
    let mut signs = 0;
    for sentence in text.split(['.', '!', '?', ':', '…']) {
        for (at, word) in tokens(sentence).enumerate() {
            signs |= KNOWN.get(word).copied().unwrap_or_default();
            if at < 2 && signs & CALL == 0 && words::OPENINGS.contains(&word) {
                signs |= CALL;
            }
        }
    }
    signs |= PHRASES.in_text(text);
    if signs & (US | CALL) == US && leads_to_channel() {
        signs |= CALL;
    }
    let has = |sign: u8| signs & sign == sign;
    let asks = text.contains(['?', '？']);
    let has_any = |starts: &[&str]| tokens(text).any(|word| starts_any(word, starts));
    let has_two = || words::TWO.iter().any(|name| text.contains(name));
    has(CALL | US) && (has_any(words::CHANNELS) || has_two() || asks && has_any(words::MISTAKES))
        || asks && text.contains("ctrl") && has_any(words::MISTAKES)
        || asks && has(LOGIN) && has_any(words::SUBSCRIBERS)
        || is_last && has(SHARE | ARTICLE) && (asks || text.contains('!'))
}

fn is_speech(text: &str) -> bool {
    text.starts_with(['"', '“', '„', '«', '»', '‘', '’', '–', '—', '-'])
}

/// "3 min read", "Čas čtení: 3 minuty".
fn is_reading_time(text: &str) -> bool {
    let numbers = tokens(text).filter(|word| word.chars().all(|c| c.is_ascii_digit()));
    numbers.count() == 1
        && tokens(text).any(|word| starts_any(word, words::MINUTES))
        && tokens(text).any(|word| starts_any(word, words::READING))
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Words of up to three letters are told whole, and "appli".
fn starts_any(word: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| match *start {
        "min" => word.starts_with(start),
        "appli" | "appen" | "viga" | "temat" => word == *start,
        _ if start.chars().count() <= 3 => word == *start,
        _ => word.starts_with(start),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    /// Which texts are kept of a page that says it is this, with a text between those.
    fn kept_of(says: &str, above: &str, count: usize, below: &str) -> Vec<bool> {
        let html = format!("{above}<p>{}</p>{below}", words(count));
        let mut page = page_at("https://example.org/news/bread", &html);
        page.claims = Claims {
            types: vec![says.to_owned()],
            ..Claims::default()
        };
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    fn kept(line: &str) -> bool {
        kept_of("NewsArticle", "", 90, &format!("<p>{line}</p>"))[1]
    }

    #[test]
    fn readers_who_are_asked_to_follow_are_not_told_so() {
        for line in [
            "Follow us on Facebook and Instagram.",
            "Click here to join our Telegram channel for the latest updates",
            "Folgen Sie uns auch auf Instagram, um nichts zu verpassen.",
            "<a href=https://whatsapp.com/channel/x>Mehr aus der Region gibt es in unserem WhatsApp-Kanal.</a>",
            "Retrouvez-nous aussi sur Facebook.",
            "Síguenos en Facebook para estar al día.",
            "Clique aqui e entre no nosso canal no WhatsApp.",
            "Per restare aggiornato iscriviti al nostro canale WhatsApp.",
            "Obserwuj nas na Facebooku!",
            "Kövessen minket a Facebookon is!",
            "Bizi Telegram və Facebook-da izləyin.",
            "WhatsApp kanalımıza katılın.",
            "Følg os på Facebook.",
            "Seuraa meitä Facebookissa.",
            "Ikuti kami di Google News.",
            "Theo dõi chúng tôi trên Facebook và Zalo.",
            "Na ndiqni në Facebook.",
        ] {
            assert!(!kept(line), "{line}");
        }
    }

    #[test]
    fn mistakes_subscribers_and_what_is_to_be_passed_on_go() {
        for line in [
            "Spotted a mistake? Let us know.",
            "Fehler gefunden? Schreiben Sie uns.",
            "Une erreur dans cet article ? Signalez-la à la rédaction.",
            "Našli jste v článku chybu? Dejte nám vědět.",
            "Səhv tapdınız? Ctrl+Enter düymələrini sıxın.",
            "Ja ets subscriptor? Inicia sessió",
            "Se l’articolo ti è piaciuto, condividilo sui social!",
        ] {
            assert!(!kept(line), "{line}");
        }
    }

    #[test]
    fn what_is_told_of_channels_and_mistakes_stays() {
        for line in [
            "The company says that its app has been downloaded by more people than live in the town.",
            "“Follow us on Instagram,” she calls after them.",
            "Google let us test the lamp before anyone else.",
            "Click the sign of our appliances to see more.",
            "Wer hat den Fehler gemacht? Niemand schreibt es auf.",
            "Join us on the journey.",
            "They share an article of faith.",
        ] {
            assert!(kept(line), "{line}");
        }
    }

    #[test]
    fn the_time_to_read_goes_above_the_text() {
        for line in [
            "Čas čtení: 3 minuty",
            "3 min read",
            "Oxuma müddəti: 3 dəqiqə",
        ] {
            let line = format!("<p>{line}</p>");
            assert_eq!(
                kept_of("NewsArticle", &line, 90, &line),
                [false, true, true]
            );
        }
        assert_eq!(
            kept_of("NewsArticle", "<p>Bake: 40 min</p>", 90, ""),
            [true; 2]
        );
    }

    #[test]
    fn a_page_of_pleas_stays_and_what_is_no_article() {
        let plea = "<p>Follow us on Facebook.</p>";
        assert_eq!(kept_of("NewsArticle", "", 19, plea), [true; 2]);
        assert_eq!(kept_of("ItemList", "", 90, plea), [true; 2]);
    }
}
