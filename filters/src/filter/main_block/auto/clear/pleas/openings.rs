//! Pleas that are told by how a sentence opens, and by the few words behind that:
//!
//! | plea | opens | and then |
//! |---|---|---|
//! | follow us | "follow us on", also after "and" | the name of a channel |
//! | follow me | "follow", "me" | the name of a channel; the link leads to one to which the page leads elsewhere too |
//! | letters | "subscribe", "sign up" | a mailbox in the same text ("your inbox") |
//! | support | "consider supporting", anywhere | "our journalism"; the link leads to the site, or to where one gives |
//! | what one agrees to | the text: "By signing up" | "you agree"; all links lead to terms |
//!
//! Each was first looked for anywhere in a text, and a reader who tried to break that lost news of contracts, steps with a mailbox and
//! advice on work (2026-11-22).

use html5ever::local_name;

use super::{
    super::super::blocks::{Block, Blocks},
    MOST, lines, starts_any, tokens, words,
};
use crate::{
    page::{NodeId, Page},
    text::lower,
};

/// Words of a text in which one person asks, at most.
const MOST_OF_ONE: f32 = 24.0;

/// Words from "follow us on" to the channel, and from "our" to "journalism", at most.
const NEAR: usize = 3;

/// To follow the publisher.
#[rustfmt::skip]
const FOLLOW: &[&str] = &[
    "follow us on", "follow us at", "subscribe to our", "sign up for our", "sign up to our", "folgen sie uns", "folge uns auf", "folgt uns auf",
    "siga-nos", "volg ons op", "följ oss på",
];

/// What joins a plea to what is said before.
const JOINING: [&str; 10] = [
    " and", " or", " und", " oder", " et", " y", " e", " en", " och", " og",
];

/// To follow one person, and who that is.
const FOLLOW_ONE: [&str; 10] = [
    "follow", "find", "join", "folge", "folgt", "suivez", "sigue", "siga", "volg", "följ",
];
const ONE: [&str; 5] = ["me", "mir", "moi", "mij", "mig"];

/// To subscribe.
#[rustfmt::skip]
const SUBSCRIBE: &[&str] = &[
    "subscribe", "sign up", "sign-up", "abonnieren", "melde dich", "melden sie sich", "jetzt anmelden", "inscrivez", "abonnez", "suscríb",
    "suscrib", "inscreva", "assine", "iscriv", "abonneer", "schrijf je in", "meld je", "prenumerera", "tilmeld", "meld deg", "påmeld", "zapisz się",
    "subskryb", "přihlaste", "odebír", "odoberaj", "iratkoz", "aboneaz", "abone ol", "berlangganan", "đăng ký",
];

/// Where what one subscribes to comes to: nothing that boxes and cottages are called too.
#[rustfmt::skip]
const MAILBOXES: &[&str] = &[
    "your inbox", "posteingang", "dein postfach", "ihr postfach", "boîte mail", "boîte de réception", "bandeja de entrada", "caixa de entrada",
    "casella di posta", "casella email", "je inbox", "je mailbox", "uw inbox", "din inkorg", "inkorgen", "innboks", "indbakke", "sähköpostiisi",
    "gelen kutu", "e-posta kutu", "inbox anda", "kotak masuk", "hộp thư đến",
];

/// What readers are asked to give.
#[rustfmt::skip]
const SUPPORT: &[&str] = &[
    "consider supporting", "consider donating", "consider making a donation", "consider a donation", "consider pitching in",
    "consider becoming a member", "consider becoming a subscriber", "consider becoming a supporter", "consider subscribing", "please support our",
    "please donate", "unterstützen sie unser", "unterstütze unser", "soutenez notre", "faites un don", "apoya nuestro", "apoya a nuestro",
    "apoie o nosso", "apoie nosso", "sostieni il nostro", "steun onze", "stöd vår", "støtt vår", "støt vores", "wesprzyj nasze", "podpořte naši",
    "támogassa",
];

/// What it is for: how the words begin.
#[rustfmt::skip]
const JOURNALISM: &[&str] = &[
    "journali", "reporting", "newsroom", "periodis", "jornalis", "giornalis", "dziennikar", "žurnali", "újságír", "gazetecil",
];

/// How the words begin in the address of where one gives.
const GIVING: &[&str] = &[
    "donat", "support", "member", "subscri", "spende", "abo", "don", "dons",
];

/// How the line below a form begins that says what one agrees to.
#[rustfmt::skip]
const BY_DOING: &[&str] = &[
    "by signing up", "by subscribing", "by submitting", "by clicking", "by entering your", "by joining", "by registering", "by providing your",
    "by checking this", "mit der anmeldung", "mit ihrer anmeldung", "mit deiner anmeldung", "mit dem absenden", "en vous inscrivant",
    "en vous abonnant", "en cliquant", "al suscribirte", "al suscribirse", "al registrarte", "al hacer clic", "ao se inscrever", "ao assinar",
    "ao clicar", "iscrivendoti", "cliccando su", "door je aan te melden", "door u aan te melden", "door je in te schrijven",
    "genom att prenumerera", "ved at tilmelde", "ved å melde",
];

/// That the reader does.
#[rustfmt::skip]
const AGREE: &[&str] = &[
    "you agree", "you accept", "you consent", "you acknowledge", "you confirm", "you are agreeing", "stimmen sie", "stimmst du", "akzeptieren sie",
    "akzeptierst du", "erklären sie", "vous acceptez", "vous reconnaissez", "vous consentez", "aceptas", "acepta los", "acepta la", "você concorda",
    "você aceita", "accetti", "acconsenti", "ga je akkoord", "gaat u akkoord", "godkänner du", "accepterer du", "godtar du", "godkender du",
];

/// How the words begin in the address of what one agrees to.
#[rustfmt::skip]
const AGREED: &[&str] = &[
    "privacy", "terms", "conditions", "legal", "policies", "tos", "datenschutz", "agb", "nutzungsbedingungen", "confidential", "cgu", "privee",
    "mentions", "privacidad", "condiciones", "terminos", "privacidade", "termos", "condizioni", "termini", "voorwaarden", "integritet",
    "villkor", "personvern", "privatliv", "vilkar",
];

/// Whether a text with a link, in lower case, is one.
pub(super) fn asks(page: &Page, blocks: &Blocks, block: &Block, text: &str) -> bool {
    let words = block.stats.words;
    words <= MOST && (follows(text) || subscribes(text))
        || words <= MOST_OF_ONE && follows_one(text) && lines::leads_to_channel(page, blocks, block)
        || supports(text)
            && blocks
                .links(page, block)
                .all(|link| leads_to_giving(page, link))
        || agrees(text)
            && blocks
                .links(page, block)
                .all(|link| leads_to(page, link, AGREED))
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', '!', '?', ':', '…']).map(str::trim_start)
}

/// "Read on, and follow us on Instagram".
fn follows(text: &str) -> bool {
    FOLLOW.iter().any(|phrase| {
        text.match_indices(phrase).any(|(at, _)| {
            let before = text[..at].trim_end();
            let opens = before.is_empty()
                || before.ends_with(['.', '!', '?', ':', '…', ',', ';', '–', '—'])
                || JOINING.iter().any(|word| before.ends_with(word));
            opens && names_channel(&text[at + phrase.len()..], NEAR)
        })
    })
}

fn names_channel(text: &str, near: usize) -> bool {
    tokens(text)
        .take(near)
        .any(|word| starts_any(word, words::CHANNELS))
}

/// "Follow me on Instagram for more": not how to order by a message, which has a number.
fn follows_one(text: &str) -> bool {
    !text.contains(char::is_numeric)
        && sentences(text).any(|sentence| {
            let mut opening = tokens(sentence);
            opening
                .next()
                .is_some_and(|word| FOLLOW_ONE.contains(&word))
                && opening.next().is_some_and(|word| ONE.contains(&word))
                && opening
                    .take(2)
                    .any(|word| starts_any(word, words::CHANNELS))
        })
}

fn subscribes(text: &str) -> bool {
    let opens = |sentence: &str| {
        SUBSCRIBE.iter().any(|phrase| {
            let rest = sentence.strip_prefix(phrase);
            rest.is_some_and(|rest| !rest.starts_with('r'))
        })
    };
    sentences(text).any(opens) && MAILBOXES.iter().any(|name| text.contains(name))
}

fn supports(text: &str) -> bool {
    let is_ours = || {
        let words: Vec<&str> = tokens(text).collect();
        (0..words.len()).any(|at| {
            super::is_us(words[at])
                && words[at + 1..]
                    .iter()
                    .take(NEAR)
                    .any(|word| starts_any(word, JOURNALISM))
        })
    };
    SUPPORT.iter().any(|phrase| text.contains(phrase)) && is_ours()
}

fn agrees(text: &str) -> bool {
    BY_DOING.iter().any(|start| text.starts_with(start))
        && sentences(text)
            .next()
            .is_some_and(|first| AGREE.iter().any(|phrase| first.contains(phrase)))
}

fn leads_to(page: &Page, link: NodeId, names: &[&str]) -> bool {
    page.address(link, &local_name!("href"))
        .is_some_and(|to| tokens(&lower(to.path())).any(|word| starts_any(word, names)))
}

fn leads_to_giving(page: &Page, link: NodeId) -> bool {
    super::super::calls::leads_home(page, link) || leads_to(page, link, GIVING)
}
