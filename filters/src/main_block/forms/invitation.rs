//! The words that invite to fill in a form for an address: "All our news in your inbox, every Friday".
//!
//! They stand above the form and below it, in boxes of their own or in the one that the text ends in. How near they are does
//! not tell: the last sentence of a recipe, and what a petition demands, stand as near. So what is beside the form goes with it only where
//!
//! - the box is called so by its author (`class="newsletter"`), or
//! - it speaks of letters, addresses or subscriptions, in many languages, or stands below a heading that does, or
//! - it is a label: a `<label>`, a short heading, a few words that end with a colon.
//!
//! What has a number or an `@` stays: "Send your picture by e-mail before 10 June".
//!
//! Where all of a box is such, the box goes; else the form and what invites directly above and below it.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: it costs nothing beside one that took all that is near.

use std::{iter, ops::RangeInclusive};

use crate::{
    html::{NodeId, Page, said::cues::Cue, tag::Tag},
    measure::text::of_subtree,
    vocabulary::words::{lower, one_line},
};

/// Visible characters beside a form that invite to fill it in, two or three sentences (a Chinese character counts as three), and
/// elements up to the box that holds them. Higher: texts that speak of letters go with a form below them.
const SIZE: usize = 200;
const LEVELS: usize = 4;

/// The same of a label that speaks of nothing. Higher: headings of the text are taken for one.
const LABEL: usize = 40;

/// Nodes of a label that are looked at.
const DEPTH: usize = 8;

/// Letters to subscribe to, in lower case: how words begin, whatever their ending. Nothing that a post office or a petition says too.
#[rustfmt::skip]
const LETTERS: &[&str] = &[
    "newsletter", "inbox", "spam", "rundbrief", "posteingang", "boletín", "boletim", "bollettino", "nieuwsbrief", "nyhetsbrev", "nyhedsbrev",
    "uutiskirje", "uudiskir", "biuletyn", "zpravodaj", "hírlev", "buletin", "butlletí", "bülten", "bản tin", "рассылк", "розсилк", "бюлетин",
    "билтен", "ενημερωτικ", "النشرة", "نشرتنا", "البريدية", "خبرنامه", "ניוזלטר", "न्यूज़लेटर", "न्यूजलेटर", "নিউজলেটার", "செய்திமடல்", "จดหมายข่าว",
    "电子报", "電子報", "メルマガ", "뉴스레터",
    // To subscribe
    "subscri", "sign up", "sign-up", "signup", "stay informed", "stay up to date", "keep up to date", "abonn", "abonează", "abonați",
    "abone ", "melde dich an", "melden sie sich an", "jetzt anmelden", "inscrivez", "s'inscrire", "s’inscrire", "inscríb", "suscr", "subscrev",
    "assine", "inscreva", "iscriviti", "iscriversi", "aanmelden", "inschrijven", "schrijf je in", "prenumer", "påmeld", "tilmeld", "zapisz się",
    "subskryb", "odběr", "odber", "feliratkoz", "iratkozz", "pretplat", "kaydol", "haberdar", "berlangganan", "đăng ký", "подпиш", "подписк",
    "подписат", "подписыва", "підпиш", "підписк", "підписат", "абони", "претплат", "εγγραφ", "اشترك", "الاشتراك", "مشترک شوید", "הירשמ", "הרשמ",
    "सब्सक्राइब", "สมัคร", "订阅", "訂閱", "購読", "구독",
];

/// Where letters come to: what asks for an address speaks of it too.
#[rustfmt::skip]
const ADDRESSES: &[&str] = &[
    "email", "e-mail", "mailing", "mailbox", "by mail", "your mail", "per mail", "par mail", "via mail", "je mail", "postfach", "courriel",
    "correo electrónico", "tu correo", "su correo", "e-post", "sähköposti", "e-pošt", "alamat surel", "lewat surel", "электронной почт",
    "электронную почт", "на почту", "вашу почту", "електронної пошт", "електронну пошт", "на пошту", "е-пошт", "имейл",
    "بريد إلكتروني", "البريد الإلكتروني", "بريدك", "ایمیل", "דוא\"ל", "מייל", "ईमेल", "ইমেইল", "மின்னஞ்சல்", "อีเมล", "邮件", "郵件", "邮箱",
    "电子信箱", "電子信箱", "メール", "이메일", "메일",
];

/// What one agrees to, below a form.
#[rustfmt::skip]
const AGREED: &[&str] = &[
    "by clicking", "by submitting", "you agree", "privacy policy", "terms of use", "terms of service", "datenschutz", "confidentialité",
    "privacidad", "privacidade", "sulla privacy", "privacyverklaring", "privacybeleid", "integritetspolicy", "personvern", "privatlivspolitik",
    "tietosuoja", "prywatności", "osobních údajů", "osobných údajov", "adatvédel", "confidențialitate", "kişisel veri", "gizlilik", "privasi",
    "bảo mật", "персональных данных", "конфиденциальност", "персональних даних", "προσωπικών δεδομένων", "الخصوصية", "הפרטיות", "गोपनीयता",
    "ความเป็นส่วนตัว", "隐私", "隱私", "プライバシー", "個人情報", "개인정보",
];

/// The boxes around a form that are nothing but it and the words that invite to it, or it and those words.
pub(super) fn with_invitation(page: &Page, form: NodeId) -> Vec<NodeId> {
    let most = page.size(form) + SIZE;
    let is_box = |up: NodeId| {
        up != page.body()
            && page.size(up) <= most
            && !page.headline.node.is_some_and(|headline| page.contains(up, headline))
    };
    let boxes = || page.ancestors(form).take(LEVELS).take_while(|&up| is_box(up));
    let is_called = |up: &NodeId| page.said(*up).cues & Cue::Newsletter.bit() != 0;
    let called = boxes().filter(is_called).last().unwrap_or(form);
    let mut all = called;
    for up in boxes().skip_while(|&up| page.contains(called, up)) {
        let parts: Vec<NodeId> = page.live_children(up).collect();
        let Some(at) = parts.iter().position(|&part| part == all) else {
            break;
        };
        let inviting = inviting(page, &parts, at);
        if inviting != (0..=parts.len() - 1) {
            return parts[inviting].to_vec();
        }
        all = up;
    }
    vec![all]
}

/// Whether what a form says, or the words beside it, are of letters to subscribe to. What asks for an address alone may be a petition.
pub(super) fn is_for_letters(page: &Page, form: NodeId) -> bool {
    let most = page.size(form) + SIZE;
    let around = iter::once(form).chain(page.ancestors(form).take(LEVELS));
    around.take_while(|&up| up != page.body() && page.size(up) <= most).any(|up| {
        page.said(up).cues & Cue::Newsletter.bit() != 0
            || speaks_of(&lower(&one_line(&of_subtree(page, up, 1))), LETTERS)
    })
}

/// The parts of a box around the one with the form that invite to it.
fn inviting(page: &Page, parts: &[NodeId], at: usize) -> RangeInclusive<usize> {
    let parts: Vec<Part> = parts.iter().enumerate().map(|(place, &part)| Part::of(page, part, place > at)).collect();
    let is_heading = |part: &Part| *part == Part::Heading;
    let headed = parts[..at].iter().position(is_heading);
    let goes = |part: &&Part| **part != Part::Text;
    let above = parts[..at].iter().rev().take_while(goes).count();
    let below = parts[at + 1..].iter().take_while(goes).count();
    headed.map_or(at - above, |headed| headed.min(at - above))..=at + below
}

/// What stands beside a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A heading that speaks of letters: what is below it does too.
    Heading,
    /// It speaks of letters, or is a label, or nothing to read.
    Invitation,
    Text,
}

impl Part {
    fn of(page: &Page, id: NodeId, is_below: bool) -> Part {
        let size = page.size(id);
        if size == 0 {
            return Part::Invitation;
        }
        if size > SIZE {
            return Part::Text;
        }
        let text = match page.text(id) {
            Some(text) => one_line(&text),
            None => one_line(&of_subtree(page, id, 1)),
        };
        let lowered = lower(&text);
        let agrees = is_below && speaks_of(&lowered, AGREED);
        // Until when and where to is what a text says of a form.
        if !agrees && text.contains(|c: char| c.is_numeric() || c == '@') {
            return Part::Text;
        }
        let text = lowered;
        let speaks = agrees || speaks_of(&text, LETTERS) || speaks_of(&text, ADDRESSES);
        let is_heading = || page.tag(id).is_some_and(Tag::is_heading);
        match (speaks, is_heading()) {
            (true, true) => Part::Heading,
            (true, false) => Part::Invitation,
            (false, _) if size <= LABEL && is_label(page, id, &text) => Part::Invitation,
            _ => Part::Text,
        }
    }
}

/// Whether a few words are no text: a label, a button, a heading, or with a colon at their end.
fn is_label(page: &Page, id: NodeId, text: &str) -> bool {
    let of_all = |&at: &NodeId| page.chars(at) == page.chars(id);
    text.ends_with([':', '：'])
        || page.live(id).take(DEPTH).filter(of_all).any(|at| {
            let tag = page.tag(at);
            tag.is_some_and(|tag| tag.is_heading() || matches!(tag, Tag::Label | Tag::Legend | Tag::Button))
        })
}

/// Whether a text in lower case has a word that begins so. Hebrew and Arabic write "the" and "to" as one with the word, and other
/// scripts have no spaces.
fn speaks_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let is_spaced = word.starts_with(|c: char| c < '\u{590}' || c == 'đ');
        text.match_indices(word).any(|(at, _)| !is_spaced || !text[..at].ends_with(char::is_alphanumeric))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    /// The ids of what goes with the form `f`.
    fn with(html: &str) -> Vec<String> {
        let page = page(html);
        crate::testing::ids(&page, &with_invitation(&page, by_id(&page, "f")))
    }

    const FORM: &str = "<form id=f><input type=email></form>";

    #[test]
    fn the_last_sentence_of_a_text_is_no_invitation() {
        for text in [
            "<p>Serve it warm, and keep a slice for the morning.</p>",
            "<h2>We ask the council</h2><p>to leave the crane where it stands.</p>",
            "<ol><li>to cancel the sale</ol>",
            "渔民们把船移到了北边的港池，那里水浅。",
            "<p>К вечеру почти все лодки были на месте.</p>",
            "<p>Подписи передадут в мэрию второго июня.</p>",
            "<p>Katsomossa on tilaa kahdellesadalle.</p>",
            "<p>L’inscription sur la pierre dit : « À ceux que l’eau a gardés. »</p>",
            "<p>Surely nobody called it by name.</p>",
            "<p>来稿请寄北港街信箱。</p>",
            "<p>أرسلوا قصائدكم على ورق إلى صندوق بريد الميناء.</p>",
            "<p>Send your picture by e-mail before 10 June.</p>",
            "<p>Ann Lee, Harbour Town</p>",
            "<p>and nobody called it by name</p>",
            "<p>A privacy policy which nobody can read binds nobody.</p>",
        ] {
            assert_eq!(with(&format!("<div id=a>{text}{FORM}</div>")), ["f"], "{text}");
        }
    }

    #[test]
    fn what_speaks_of_letters_goes_with_the_form() {
        for text in [
            "<h4>All the news</h4>",
            "<div><label>Harbour news</label></div>",
            "<p>E-Mail-Adresse und Name</p>",
            "<p>הירשמו לניוזלטר שלנו</p>",
            "<h3>Newsletter</h3><p>The harbour, once a week.</p>",
            "<p>Подпишитесь на рассылку, и мы напишем вам.</p>",
            "<b>Harbour news:</b>",
            "<p>毎週金曜日にメールでお届けします。</p>",
            "<p>نشرتنا البريدية كل أسبوع.</p>",
        ] {
            let html = format!("<p>text</p><div id=a>{text}{FORM}</div>");
            assert_eq!(with(&html), ["a"], "{text}");
        }
        let below = format!("<div id=a>{FORM}<p>No spam, ever.</p></div>");
        assert_eq!(with(&below), ["a"]);
        let agreed = "<p>By signing up, you agree to 2 messages a day.</p>";
        assert_eq!(with(&format!("<div id=a>{FORM}{agreed}</div>")), ["a"]);
    }

    #[test]
    fn of_a_box_with_a_text_only_the_invitation_goes() {
        let html =
            format!("<div><p>Serve it warm.</p><p id=i>Our recipes in your inbox.</p><div id=d>{FORM}</div></div>");
        assert_eq!(with(&html), ["i", "d"]);
    }

    #[test]
    fn a_box_goes_that_is_called_so() {
        let html = format!("<div id=a class=newsletter-box><p>The harbour, once a week.</p>{FORM}</div>");
        assert_eq!(with(&html), ["a"]);
    }
}
