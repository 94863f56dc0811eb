//! Pleas: lines in an article that speak of the page and not of its subject. "Follow us on Instagram", "Found a mistake? Write to us",
//! "Already a subscriber? Log in". They stand among the paragraphs, in the same elements and classes, and read as text does; all news sites have them, and each in its language.
//!
//! No sentence is known by heart. A plea is a short text that says three things of which each alone is said anywhere: what is to be done,
//! for whom, and with what:
//!
//! | plea | has a link and all of |
//! |---|---|
//! | follow us | a call ("follow", or a link to a channel), who asks ("us", "our"), a channel ("Facebook", "app", "newsletter") |
//! | mistakes, tips | a call, who asks (also "editors"), a question, a mistake or a tip |
//! | subscribers | a question, a subscriber, "log in" |
//!
//! Others are told by how a sentence opens (`pleas/openings.rs`): "Follow me on …", "… in your inbox. Sign up", "consider supporting our
//! journalism", "By signing up, you agree".
//!
//! Other scripts, many of which put no space between words, are read by whole phrases (`clear/lines.rs`).
//!
//! A plea has a link to follow, and stands in no heading, list or table: there the same words are a question, an example or a name. What
//! begins as speech does is somebody's in the article. Words of languages that mix are no matter: three of a kind in one short line are
//! rare.
//!
//! Own measurement, 2026-11-22: docs/quality.md.

mod openings;
mod words;

use std::sync::LazyLock;

use super::{
    super::{blocks::Blocks, called},
    lines,
    phrases::Phrases,
};
use crate::{
    hashing::Table,
    kind::{Kind, KindNow},
    page::Page,
    text::{lower, one_line},
};
use words::{CALL, LOGIN, US};

/// Words of a plea, at most: the longest that we know say first what one misses.
const MOST: f32 = 32.0;

/// The same of one that says why it asks for support, or what one agrees to.
const MOST_OPENING: f32 = 60.0;

/// Words of the text that must be left.
const LEFT: f32 = 20.0;

static KNOWN: LazyLock<Table<&str, u8>> = LazyLock::new(|| {
    let mut known = Table::default();
    for (words, sign) in [
        (words::CALLS, CALL),
        (words::CALLS_US, CALL | US),
        (words::ASKING, US),
        (words::LOGINS, LOGIN),
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
    let is_one = |at: &usize| {
        let block = &blocks.list[*at];
        kept[*at]
            && block.linked > 0.0
            && block.stats.words <= MOST_OPENING
            && !lines::is_other(page, blocks, block)
            && {
                let text = lower(&one_line(&blocks.text(page, block)));
                let leads_to_channel = || lines::leads_to_channel(page, blocks, block);
                !is_speech(&text)
                    && (block.stats.words <= MOST && is_plea(&text, leads_to_channel)
                        || openings::asks(page, blocks, block, &text))
            }
    };
    let pleas: Vec<usize> = (0..kept.len()).filter(is_one).collect();
    let words: f32 = pleas.iter().map(|&at| blocks.list[at].stats.words).sum();
    if called::words(blocks, kept, 0..kept.len()) - words >= LEFT {
        for at in pleas {
            kept[at] = false;
        }
    }
}

/// Whether a text in lower case is one.
fn is_plea(text: &str, leads_to_channel: impl Fn() -> bool) -> bool {
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
        || asks && has(LOGIN) && has_any(words::SUBSCRIBERS)
}

/// Whether somebody speaks of themselves in a text in lower case: "us", "our".
pub(super) fn says_us(text: &str) -> bool {
    tokens(text).any(is_us)
}

fn is_us(word: &str) -> bool {
    KNOWN.get(word).is_some_and(|sign| sign & US != 0)
}

fn is_speech(text: &str) -> bool {
    text.starts_with(['"', '“', '„', '«', '»', '‘', '’', '–', '—', '-'])
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// Words of up to three letters are told whole, and "appli".
fn starts_any(word: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| match *start {
        "appli" | "appen" | "viga" | "temat" => word == *start,
        _ if start.chars().count() <= 3 => word == *start,
        _ => word.starts_with(start),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{page_saying, words};

    /// Which texts are kept of a page that says it is this, with a text between those.
    fn kept_of(says: &str, above: &str, count: usize, below: &str) -> Vec<bool> {
        let html = format!("{above}<p>{}</p>{below}", words(count));
        let page = page_saying(says, "https://example.org/news/bread", &html);
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        kept
    }

    fn kept(line: &str) -> bool {
        kept_of(
            "NewsArticle",
            "",
            90,
            &format!("<p>{line} <a href=/here>→</a></p>"),
        )[1]
    }

    #[test]
    fn readers_who_are_asked_to_follow_are_not_told_so() {
        for line in [
            "Follow us on Facebook and Instagram.",
            "Click here to join our Telegram channel for the latest updates",
            "Folgen Sie uns auch auf Instagram, um nichts zu verpassen.",
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
    fn mistakes_and_subscribers_go() {
        for line in [
            "Spotted a mistake? Write to us.",
            "Fehler gefunden? Schreiben Sie uns.",
            "Une erreur dans cet article ? Signalez-la à la rédaction.",
            "Našli jste v článku chybu? Dejte nám vědět.",
            "Ja ets subscriptor? Inicia sessió",
        ] {
            assert!(!kept(line), "{line}");
        }
    }

    #[test]
    fn letters_and_support_go() {
        for line in [
            "Was this newsletter forwarded to you? Sign up to get it in your inbox.",
            "Love films? Our letter has the best of them, delivered right to your inbox. Sign up now.",
            "Abonnieren Sie den Brief am Freitag: er kommt in Ihren Posteingang.",
            "Recevez la lettre dans votre boîte mail : inscrivez-vous.",
            "If you like this, consider supporting our journalism by subscribing. You help that stories such as this one are told, and \
             that they stay free for all who read them here today.",
            "Catch up on what we write of bread and of ovens, and follow us on Facebook and Instagram to stay up to date.",
        ] {
            assert!(!kept(line), "{line}");
        }
    }

    #[test]
    fn what_one_agrees_to_goes_where_it_leads_to_nothing_else() {
        let line = |to: &str| {
            let below = format!(
                "<p>By signing up, you agree to get 2 messages a day. See our <a href={to}>rules</a>.</p>"
            );
            kept_of("NewsArticle", "", 90, &below)[1]
        };
        assert!(!line("/Privacy-policy"));
        assert!(line("/courts/2026/a-ruling-on-clicks"));
    }

    #[test]
    fn one_who_asks_leads_to_a_channel_of_the_page() {
        let below = |links: &str| {
            let below = format!(
                "<p>Follow me on <a href=https://www.instagram.com/baker>Instagram</a> for more bread.</p>{links}"
            );
            kept_of("NewsArticle", "", 90, &below)[1]
        };
        assert!(!below(
            "<footer><a href=https://www.instagram.com/baker>here</a></footer>"
        ));
        assert!(below(""));
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
            "Anna told us that she had never used Facebook.",
            "Last year our app won a prize.",
            "Like most of us, she has an app for everything.",
            "Click the wheel in your inbox to see all of the letters.",
            "Sign in to your inbox first.",
            "To all subscribers the letter came to your inbox, it said: unsubscribe and sign up again.",
            "The reporting was supported by a fund that gave us a year.",
            "You could consider becoming a journalist, she told us, if our reporting moves you.",
            "Trackers that follow us on the web are sold by Facebook.",
            "By clicking on the map, you see the boats.",
        ] {
            assert!(kept(line), "{line}");
        }
    }

    #[test]
    fn a_page_of_pleas_stays_and_what_is_no_article() {
        let plea = "<p>Follow us on <a href=/here>Facebook</a>.</p>";
        assert_eq!(kept_of("NewsArticle", "", 19, plea), [true; 2]);
        for other in [
            plea.replace("p>", "h3>"),
            plea.replace("<p>", "<li>"),
            "<p>Follow us on Facebook.</p>".to_owned(),
        ] {
            assert_eq!(kept_of("NewsArticle", "", 90, &other), [true; 2], "{other}");
        }
        assert_eq!(kept_of("ItemList", "", 90, plea), [true; 2]);
    }
}
