//! The words that invite to fill in a form for an address: "All our news in your inbox, every Friday".
//!
//! They stand above the form and below it, in boxes of their own or in the one that the text ends in. How near they are does
//! not tell: the last sentence of a recipe, and what a petition demands, stand as near. So what is beside the form goes with it only where
//!
//! - the box is called so by its author (`class="newsletter"`), or
//! - it speaks of letters, addresses or subscriptions, in many languages, or stands below a heading that does, or
//! - it is a label: a few words that are no sentence, or end with a colon.
//!
//! Where all of a box is such, the box goes; else the form and what invites directly above and below it.
//!
//! Measured on WCXB dev, 2026-11-22, five folds: it costs nothing beside one that took all that is near.

use std::ops::RangeInclusive;

use crate::{
    filter::main_block::auto::cues::Cue,
    page::{NodeId, Page, tag::Tag},
    text::{lower, of_subtree, one_line},
};

/// Visible characters beside a form that invite to fill it in, two or three sentences (a Chinese character counts as three), and
/// elements up to the box that holds them. Higher: texts that speak of letters go with a form below them.
const SIZE: usize = 200;
const LEVELS: usize = 4;

/// The same of a label that speaks of nothing. Higher: short sentences of a text are taken for one.
const LABEL: usize = 40;

/// What such words speak of, in lower case: how they begin, whatever their ending.
#[rustfmt::skip]
const SPEAKS_OF: &[&str] = &[
    // Letters and addresses
    "mail", "newsletter", "inbox", "spam", "rundbrief", "postfach", "posteingang", "courriel", "correo", "boletín", "boletim",
    "bollettino", "nieuwsbrief", "nyhetsbrev", "nyhedsbrev", "uutiskirje", "sähköposti", "uudiskir", "biuletyn", "zpravodaj",
    "hírlev", "buletin", "butlletí", "bülten", "e-posta", "e-pošt", "surel", "bản tin", "рассылк", "розсилк", "бюлетин", "билтен",
    "почт", "пошт", "имейл", "ενημερωτικ", "النشرة", "نشرتنا", "بريد", "خبرنامه", "ایمیل", "ניוזלטר", "דוא\"ל", "מייל",
    "न्यूज़लेटर", "न्यूजलेटर", "ईमेल", "নিউজলেটার", "ইমেইল", "செய்திமடல்", "மின்னஞ்சல்", "จดหมายข่าว", "อีเมล", "邮件", "郵件", "邮箱", "信箱",
    "电子报", "電子報", "メール", "メルマガ", "뉴스레터", "이메일", "메일",
    // To subscribe
    "subscri", "sign up", "sign-up", "signup", "stay informed", "stay up to date", "keep up to date", "abonn", "abonează", "abonați",
    "abone ", "melde dich", "melden sie sich", "inscri", "suscr", "subscrev", "assine", "iscriv", "iscriz", "aanmeld", "inschrijv",
    "schrijf je in", "prenumer", "påmeld", "tilmeld", "tilaa", "zapisz się", "subskryb", "odběr", "odber", "feliratkoz", "iratkozz",
    "pretplat", "kaydol", "haberdar", "berlangganan", "đăng ký", "подпис", "підпис", "абони", "претплат", "εγγραφ", "اشترك", "الاشتراك",
    "مشترک شوید", "הירשמ", "הרשמ", "सब्सक्राइब", "สมัคร", "订阅", "訂閱", "購読", "구독",
    // What one agrees to
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
            && !page
                .headline
                .node
                .is_some_and(|headline| page.contains(up, headline))
    };
    let boxes = || {
        page.ancestors(form)
            .take(LEVELS)
            .take_while(|&up| is_box(up))
    };
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

/// The parts of a box around the one with the form that invite to it.
fn inviting(page: &Page, parts: &[NodeId], at: usize) -> RangeInclusive<usize> {
    let parts: Vec<Part> = parts.iter().map(|&part| Part::of(page, part)).collect();
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
    fn of(page: &Page, id: NodeId) -> Part {
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
        let text = lower(&text);
        let speaks = SPEAKS_OF.iter().any(|word| text.contains(word));
        let is_heading = || page.tag(id).is_some_and(Tag::is_heading);
        let is_list = || {
            let mut inside = page.live(id).filter_map(|id| page.tag(id));
            inside.any(|tag| matches!(tag, Tag::Li | Tag::Td | Tag::Th | Tag::Dd))
        };
        let is_label = || {
            let ends = text.ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟']);
            text.ends_with([':', '：']) || size <= LABEL && !ends && !is_list()
        };
        match (speaks, is_heading()) {
            (true, true) => Part::Heading,
            (true, false) => Part::Invitation,
            (false, _) if is_label() => Part::Invitation,
            _ => Part::Text,
        }
    }
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
        ] {
            assert_eq!(
                with(&format!("<div id=a>{text}{FORM}</div>")),
                ["f"],
                "{text}"
            );
        }
    }

    #[test]
    fn what_speaks_of_letters_goes_with_the_form() {
        for text in [
            "All the news",
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
    }

    #[test]
    fn of_a_box_with_a_text_only_the_invitation_goes() {
        let html = format!(
            "<div><p>Serve it warm.</p><p id=i>Our recipes in your inbox.</p><div id=d>{FORM}</div></div>"
        );
        assert_eq!(with(&html), ["i", "d"]);
    }

    #[test]
    fn a_box_goes_that_is_called_so() {
        let html =
            format!("<div id=a class=newsletter-box><p>The harbour, once a week.</p>{FORM}</div>");
        assert_eq!(with(&html), ["a"]);
    }
}
