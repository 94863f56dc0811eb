//! Bylines, which plain text leaves out: who wrote an article and when. Between its headline and its first sentence they read as one of
//! its lines; `author` and `date` of an extract tell both. HTML and Markdown keep them, as readers of a page want to see them there.
//! Readability takes the byline out of the content too, and tells it apart (`_checkByline`).
//!
//! A byline is a short line at the beginning of an article that says nothing but its author, as the metadata have it, days, hours, how long
//! it takes to be read, and words that belong to those. A name with anything about somebody, a day with anything that happened, and
//! days of which none is told to be the article's stay; so does all on a page that names no author and does not say that it is an article:
//! of terms and rules the day is a part.
//!
//! Measured on WCXB dev, 2026-11-22: of the lines of articles that say no more than that, annotators leave six in seven out. See
//! `docs/quality.md`.

use std::{collections::HashSet, sync::LazyLock};

use super::{lower, of_subtree, one_line};
use crate::{
    kind::Kind,
    metadata,
    page::{NodeId, Page, tag::Tag},
};

/// Characters of a byline, at most: several names, two days and the minutes.
const CHARS: usize = 140;

/// Characters of a text that is a sentence, of which one may be a standfirst, and of one that is a paragraph.
const SENTENCE: usize = 50;
const PARAGRAPH: usize = 240;

/// Nodes that are looked at.
const NODES: usize = 2_000;

/// Brothers of an element that are looked at: a bound on the work.
const BESIDE_AT_MOST: usize = 100;

/// What stands beside names and days, in lower case.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    // Before names
    "by", "author", "authors", "written", "von", "autor", "autorin", "par", "auteur", "por", "autora", "di", "autore", "de", "door", "av", "af",
    "tekst", "text", "przez", "napsal", "napsala", "szerző", "yazar", "yazan", "автор", "текст", "penulis", "oleh", "tác", "giả", "作者", "著者", "文",
    "記者", "记者", "기자", "글", "بقلم", "كتب", "מאת", "and", "und", "et", "y", "e", "och", "og", "i", "a", "ve", "и", "та",
    // Days
    "published", "posted", "updated", "last", "modified", "first", "originally", "edited", "date", "on", "at", "of", "the", "veröffentlicht",
    "erstellt", "aktualisiert", "datum", "am", "um", "uhr", "publié", "mis", "mise", "à", "jour", "modifié", "le", "publicado",
    "actualizado", "fecha", "el", "las", "data", "atualizado", "em", "às", "pubblicato", "aggiornato", "il", "alle", "ore",
    "gepubliceerd", "bijgewerkt", "geplaatst", "op", "om", "publicerad", "uppdaterad", "den", "kl", "udgivet", "opdateret", "publisert",
    "oppdatert", "julkaistu", "päivitetty", "klo", "opublikowano", "zaktualizowano", "aktualizacja", "godz", "publikováno", "vydáno",
    "aktualizováno", "aktualizované", "v", "megjelent", "frissítve", "publicat", "actualizat", "la", "yayınlandı", "yayınlanma",
    "güncellendi", "güncelleme", "tarihi", "saat", "опубликовано", "обновлено", "дата", "в", "опубліковано", "оновлено", "о",
    "публикувано", "δημοσίευση", "ενημέρωση", "diperbarui", "dipublikasikan", "đăng", "ngày", "cập", "nhật", "lúc", "公開日", "更新日", "公開", "更新",
    "发布", "發布", "发布时间", "更新时间", "입력", "수정", "등록", "نشر", "تحديث", "في", "פורסם", "עודכן",
    // Hours
    "am", "pm", "a", "p", "m", "est", "edt", "et", "cst", "cdt", "ct", "mst", "pst", "pdt", "pt", "gmt", "utc", "bst", "ist", "cet", "cest", "wib", "msk",
    "мск",
    // How long it takes
    "min", "mins", "minute", "minutes", "read", "reading", "time", "minuten", "lesezeit", "lesedauer", "lecture", "minutos", "lectura", "leitura",
    "minuti", "lettura", "leestijd", "minuter", "läsning", "minutter", "læsetid", "lesetid", "minuuttia", "minut", "minuty", "czytania", "čtení",
    "perc", "dakika", "okuma", "süresi", "мин", "минут", "минуты", "чтения", "хв", "читання", "menit", "baca", "分钟", "分鐘",
];

static BESIDE: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.iter().copied().collect());

/// The bylines that the text of a page leaves out, in the order of the page, none in another.
pub(super) fn left_out(page: &Page) -> Vec<NodeId> {
    let told = &page.metadata;
    // Of terms and rules the day is what counts in them, and nobody is named.
    let has_byline = told.author.is_some() || told.is_article && told.date.is_some();
    if told.kind != Some(Kind::Article) || !has_byline {
        return Vec::new();
    }
    let author = told.author.as_deref().map(lower);
    let says = |id: NodeId| {
        let may_be = (1..=CHARS).contains(&page.chars(id));
        may_be
            .then(|| says(&of_subtree(page, id, 1), author.as_deref(), page))
            .flatten()
    };
    let mut found = Vec::new();
    let (mut over, mut sentences) = (page.body(), 0);
    for id in page.live(page.body()).take(NODES) {
        if id < over {
            continue;
        }
        if page.tag(id).is_some_and(Tag::is_heading) {
            over = page.end(id);
            continue;
        }
        // Behind a standfirst the text begins.
        sentences += usize::from(page.own_chars(id) >= SENTENCE);
        if sentences > 1 || page.own_chars(id) >= PARAGRAPH {
            break;
        }
        if !is_line(page, id) {
            continue;
        }
        if let Some(own) = says(id) {
            // A day of several, a speaker who speaks again: they are built alike.
            let mut others = page.live_children(page.parent(id));
            let is_like = |other: NodeId| {
                other != id && page.tag(other) == page.tag(id) && says(other) == Some(own)
            };
            if !others.any(is_like) {
                found.push(id);
            }
            over = page.end(id);
        }
    }
    found
}

/// Whether an element is a line by itself: a block, or the only text of one beside others. Not headings, cells, code and what opens.
pub(super) fn is_line(page: &Page, id: NodeId) -> bool {
    let Some(tag) = page.tag(id) else {
        return false;
    };
    let is_part = |tag: Tag| {
        tag.is_heading()
            || matches!(
                tag,
                Tag::Table
                    | Tag::Ul
                    | Tag::Ol
                    | Tag::Dl
                    | Tag::Td
                    | Tag::Th
                    | Tag::Tr
                    | Tag::Pre
                    | Tag::Li
                    | Tag::Dt
                    | Tag::Dd
                    | Tag::Summary
            )
    };
    let is_beside = |other: NodeId| {
        other != id && !page.tag(other).is_some_and(Tag::is_block) && page.chars(other) > 0
    };
    // One of very many stands beside something.
    let is_alone = || {
        let mut beside = page.live_children(page.parent(id)).enumerate();
        !beside.any(|(at, other)| at >= BESIDE_AT_MOST || is_beside(other))
    };
    let is_in_line = || {
        let mut around = page
            .ancestors(id)
            .take_while(|&up| !page.tag(up).is_some_and(Tag::is_block));
        around.next().is_some()
    };
    !is_part(tag)
        && (tag.is_block() || !is_in_line() && is_alone())
        && !page.tag(page.parent(id)).is_some_and(is_part)
}

/// What a byline says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Who,
    When,
}

fn says(text: &str, author: Option<&str>, page: &Page) -> Option<Says> {
    let mut rest = lower(&one_line(text));
    let whole = rest.len();
    for name in author.into_iter().flat_map(|names| names.split(", ")) {
        rest = rest.replace(name, " ");
    }
    let is_named = rest.len() < whole;
    let language = page.metadata.language.as_deref();
    let is_known = |word: &str| {
        word.is_empty()
            || word.contains(char::is_numeric)
            || BESIDE.contains(word)
            || metadata::is_name_in_day(word, language)
    };
    let mut words = rest.split(|c: char| !c.is_alphanumeric());
    if !words.all(is_known) {
        return None;
    }
    // Of terms the day of a change is a part; where a person wrote an article it is not.
    let told = &page.metadata;
    let is_by_person = told.is_article
        && told
            .author
            .as_deref()
            .is_some_and(|name| name.contains(' '));
    let is_day = || {
        let day = metadata::day_in(&rest, language);
        day.is_some() && (is_by_person || !rest.contains("updat") && day == told.date)
    };
    if is_named {
        Some(Says::Who)
    } else {
        is_day().then_some(Says::When)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// The text of an article by Ann Lee and Tom Reed of 21 November 2026 with this between its headline and its first paragraph.
    fn text(byline: &str) -> String {
        text_of(Kind::Article, byline)
    }

    fn text_of(kind: Kind, byline: &str) -> String {
        let rest = "The harbour was quiet that day, and nobody came. ".repeat(12);
        let mut page = page(&format!(
            "<h1>Tides</h1>{byline}<p>{rest}</p><footer>{byline}</footer>"
        ));
        page.metadata.kind = Some(kind);
        page.metadata.author = Some("Ann Lee, Tom Reed".to_owned());
        page.metadata.date = Some("2026-11-21".to_owned());
        let text = crate::text::of_page(&page, 1);
        let (before, _) = text.split_once(rest.trim_end()).unwrap();
        before.trim().replace('\n', "|")
    }

    #[test]
    fn the_byline_is_no_text_of_an_article() {
        for byline in [
            "<p>By Ann Lee</p>",
            "<div>By <a href=/ann>ANN LEE</a> and <a href=/tom>Tom Reed</a> | <time>21 November 2026</time></div>",
            "<div><div>Ann Lee</div><div>Published November 21, 2026 at 9:05 am ET</div></div>",
            "<p>Ann Lee | 5 min read</p>",
            "<div>21.11.2026</div>",
            "<p>21 November 2026</p><p>Ann Lee</p>",
            "<p>Von Ann Lee, aktualisiert am 24. November 2026 um 9 Uhr</p>",
            "<p>Publié le 21 novembre 2026 par Ann Lee</p>",
            "<p>Опубликовано 21 ноября 2026</p>",
            "<p>公開日：2026年11月21日</p>",
            "<header><a href=/ann>Ann Lee</a><div></div></header>",
        ] {
            assert_eq!(text(byline), "Tides", "{byline}");
        }
    }

    #[test]
    fn what_says_more_stays() {
        for (byline, left) in [
            ("<p>By Ann Lee in Bonn</p>", "By Ann Lee in Bonn"),
            ("<p>By Max Berg</p>", "By Max Berg"),
            ("<p>3 May 1912</p>", "3 May 1912"),
            (
                "<p>Last updated: 24 Nov 2026</p>",
                "Last updated: 24 Nov 2026",
            ),
            ("<p>5 min read</p>", "5 min read"),
            ("<h4>November 21, 2026</h4>", "November 21, 2026"),
            (
                "<p>Ann Lee</p><p>Yes.</p><p>Tom Reed</p>",
                "Ann Lee|Yes.|Tom Reed",
            ),
            ("<p>Photo: Ann Lee</p>", "Photo: Ann Lee"),
            (
                "<p>Our <b><a href=/ann>Ann Lee</a></b> was there.</p>",
                "Our Ann Lee was there.",
            ),
            (
                "<table><tr><td>21 November 2026<td>Ann Lee</table>",
                "21 November 2026\tAnn Lee",
            ),
        ] {
            assert_eq!(text(byline), format!("Tides|{left}"), "{byline}");
        }
    }

    #[test]
    fn the_day_of_terms_stays() {
        let mut page = page("<h1>Terms</h1><p>24 Nov 2026</p><p>Nobody may fish here.</p>");
        page.metadata.kind = Some(Kind::Article);
        page.metadata.date = Some("2026-11-24".to_owned());
        assert!(crate::text::of_page(&page, 1).contains("24 Nov"));
        page.metadata.is_article = true;
        assert!(!crate::text::of_page(&page, 1).contains("24 Nov"));
    }

    #[test]
    fn the_day_of_a_change_goes_where_a_person_wrote_it() {
        let mut page =
            page("<h1>Tides</h1><p>Last updated: 24 Nov 2026</p><p>Nobody may fish here.</p>");
        page.metadata.kind = Some(Kind::Article);
        page.metadata.author = Some("Ann Lee".to_owned());
        assert!(crate::text::of_page(&page, 1).contains("24 Nov"));
        page.metadata.is_article = true;
        assert!(!crate::text::of_page(&page, 1).contains("24 Nov"));
    }

    #[test]
    fn below_the_text_it_stays_and_on_other_pages() {
        let signed = format!(
            "<p>{}</p><p>Ann Lee</p>",
            "The harbour was quiet. ".repeat(60)
        );
        assert!(text(&signed).ends_with("|Ann Lee"));
        assert_eq!(
            text_of(Kind::Forum, "<p>By Ann Lee</p>"),
            "Tides|By Ann Lee"
        );
    }
}
