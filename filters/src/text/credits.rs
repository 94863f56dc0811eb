//! Credits of pictures, which plain text leaves out with their captions: "Photo: Ann Lee/AFP", 写真：李小明. It has no pictures, and between
//! two paragraphs such a line reads as one of them. HTML and Markdown have picture and credit.
//!
//! A credit is a line by itself close to a picture, that begins with a word for one and says a name: behind a colon or a word as "by",
//! words with capitals only. What is numbered, what has words in small letters, entries of lists and cells stay.
//!
//! Measured on WCXB dev, 2026-11-22: of 38 articles with such lines the references of 31 leave them out. See `docs/quality.md`.

use std::sync::LazyLock;

use super::{bylines, captions::SHELVES, lower, of_subtree, one_line};
use crate::{
    hashing::Set,
    page::{NodeId, Page, tag::Tag},
};

/// Characters of a credit, at most, and words of the name.
const CHARS: usize = 90;
const NAME: usize = 9;

/// Letters of an agency behind a name and a stroke, at most, that writes itself in small letters.
const AGENCY: usize = 5;

/// Nodes from a picture to its credit, at most.
const NEAR: usize = 30;

/// Words before names, in lower case, as the first of a credit.
#[rustfmt::skip]
const PICTURES: &[&str] = &[
    "photo", "photos", "image", "images", "picture", "pictures", "photograph", "photographs", "illustration", "illustrations", "credit",
    "photo credit", "photo credits", "image credit", "image credits", "picture credit", "feature image", "featured image", "image source", "photo source",
    // German, Dutch, Swedish, Danish, Norwegian, Finnish
    "foto", "fotos", "bild", "bilder", "bildnachweis", "bildquelle", "fotocredit", "beeld", "bilde", "kuva", "kuvat", "fotograaf",
    // French, Spanish, Portuguese, Italian, Catalan, Romanian
    "crédit", "crédits", "crédit photo", "crédits photo", "imagen", "imágenes", "fotografía", "crédito", "créditos", "imagem", "imagens",
    "fotografia", "immagine", "immagini", "crediti", "imatge", "sursa foto",
    // Polish, Czech, Slovak, Hungarian, Croatian, Turkish
    "fot", "zdjęcie", "zdjęcia", "snímek", "snímka", "fotó", "kép", "fotka", "fotoğraf", "görsel",
    // Russian, Ukrainian, Bulgarian, Serbian, Greek
    "фото", "снимка", "изображение", "зображення", "фотографија", "φωτογραφία", "φωτό", "εικόνα",
    // Arabic, Persian, Hebrew, Hindi, Thai, Vietnamese
    "الصورة", "صورة", "تصوير", "عکس", "צילום", "תמונה", "फोटो", "तस्वीर", "ภาพ", "ảnh",
    // Chinese, Japanese, Korean
    "图", "图片", "图源", "图片来源", "摄影", "圖", "圖片", "圖片來源", "攝影", "写真", "画像", "撮影", "사진",
];

/// Between a word for a picture and a name, where no colon is.
const BY: &[&str] = &[
    "by", "via", "from", "courtesy", "provided", "von", "par", "por", "di", "door", "av", "af",
    "de",
];

static KNOWN: LazyLock<Set<&str>> = LazyLock::new(|| PICTURES.iter().copied().collect());

/// The credits that the text of a page leaves out, in its order, none in another.
pub(super) fn left_out(page: &Page) -> Vec<NodeId> {
    if page
        .metadata
        .kind
        .is_some_and(|kind| SHELVES.contains(&kind))
    {
        return Vec::new();
    }
    let is_picture = |id: NodeId| page.tag(id) == Some(Tag::Img);
    let nodes = || page.live(page.body()).enumerate();
    let pictures: Vec<usize> = nodes()
        .filter(|&(_, id)| is_picture(id))
        .map(|(at, _)| at)
        .collect();
    // Between the one before and the one behind.
    let is_near = |at: usize| {
        let next = pictures.partition_point(|&picture| picture < at);
        let around = &pictures[next.saturating_sub(1)..pictures.len().min(next + 1)];
        around.iter().any(|picture| picture.abs_diff(at) <= NEAR)
    };
    let mut found = Vec::new();
    let mut over = page.body();
    for (at, id) in nodes() {
        if id >= over
            && page.tag(id).is_some()
            && (1..=CHARS).contains(&page.chars(id))
            && is_near(at)
            && bylines::is_line(page, id)
            && is_credit(&of_subtree(page, id, 1))
        {
            found.push(id);
            over = page.end(id);
        }
    }
    found
}

/// "Photo: Ann Lee/AFP", "(Image credit: Getty Images)", "Photo by Ann Lee".
fn is_credit(text: &str) -> bool {
    let text = one_line(text);
    let text = text.trim_matches(['(', ')', '[', ']', '（', '）', '|', ' ', '*', '_']);
    if text.contains('\n') {
        return false;
    }
    if let Some((word, name)) = text.split_once([':', '：'])
        && word.len() <= 40
    {
        let word = lower(word.trim());
        let word = word.trim_end_matches('.');
        let word = word
            .strip_suffix(" by")
            .or(word.strip_suffix(" courtesy of"))
            .unwrap_or(word);
        return KNOWN.contains(word) && is_name(name);
    }
    let Some((word, rest)) = text.split_once(' ') else {
        return false;
    };
    let Some((by, name)) = rest.split_once(' ') else {
        return false;
    };
    KNOWN.contains(&*lower(word)) && BY.contains(&&*lower(by)) && is_name(name)
}

/// Words with capitals, of which small words may stand between; in scripts without capitals few.
fn is_name(name: &str) -> bool {
    const SMALL: [&str; 18] = [
        "of", "by", "via", "and", "the", "from", "for", "de", "von", "van", "der", "la", "y", "et",
        "und", "di", "da", "courtesy",
    ];
    let name = name.trim().trim_end_matches('.');
    let mut words = 0;
    let mut names = 0;
    for word in
        name.split(|c: char| c.is_whitespace() || matches!(c, '/' | '|' | ',' | '&' | '(' | ')'))
    {
        let Some(first) = word.chars().find(|c| c.is_alphanumeric()) else {
            continue;
        };
        words += 1;
        let is_address = word.contains('.') && word.len() > 4 || word.starts_with('@');
        // "Ann Lee/dpa"
        let is_agency = names > 0 && word.len() <= AGENCY && name.contains('/');
        if first.is_lowercase() && !is_address && !is_agency && !SMALL.contains(&word) {
            return false;
        }
        names += usize::from(!first.is_numeric());
    }
    // Where a thing is to be found counts to readers: "www.example.org".
    let is_address = name.contains('.') && !name.contains(' ');
    let starts_with_number = name.starts_with(|c: char| c.is_ascii_digit());
    (1..=NAME).contains(&words)
        && names > 0
        && !is_address
        && !starts_with_number
        && name.chars().count() <= 70
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_are_words_for_pictures_and_names() {
        for credit in [
            "Photo: Ann Lee/AFP",
            "(Image credit: Getty Images)",
            "Credit: Eric Thayer / Associated Press",
            "Photo by Ann Lee",
            "Image courtesy of: Rima Brindamour",
            "Foto: Hans Groß/dpa",
            "Crédit photo : Anne Lebrun",
            "Fot. : Jan Kowalski",
            "Фото: Иван Петров",
            "写真：李小明",
            "사진: 김철수",
            "تصوير: أحمد علي",
        ] {
            assert!(is_credit(credit), "{credit}");
        }
    }

    #[test]
    fn captions_numbers_and_sentences_are_none() {
        for text in [
            "Photo: the quay on a morning in May",
            "Image 2: The quay",
            "Credit: 3 hours",
            "Credits to graduate: 36",
            "Video: 4K at 30 frames",
            "Photo of Ann Lee",
            "Picture this: Ann",
            "Foto: am Hafen von Kiel",
            "Photography",
            "Image Credit: www.example.org",
        ] {
            assert!(!is_credit(text), "{text}");
        }
    }

    #[test]
    fn very_many_lines_take_no_longer_each() {
        let lines = format!(
            "<div>{}{}</div>",
            "<b></b>".repeat(20_000),
            "<b>Photo: A</b>".repeat(20_000)
        );
        let page = crate::testing::page(&format!("{lines}<img src=a.jpg>"));
        assert!(left_out(&page).is_empty());
        let blocks = "<p>Photo: A</p>".repeat(40_000);
        let page = crate::testing::page(&format!("{blocks}<img src=a.jpg>"));
        assert!((1..NEAR).contains(&left_out(&page).len()));
    }

    #[test]
    fn credits_are_no_text_where_there_is_a_picture() {
        let rest = "The harbour was quiet that day, and nobody came. ".repeat(12);
        let text = |html: &str| {
            let mut page = crate::testing::page(&format!("{html}<p>{rest}</p>"));
            page.metadata.kind = Some(crate::kind::Kind::Article);
            crate::text::of_page(&page, 1)
        };
        assert!(!text("<p><img src=a.jpg></p><p>Foto: Hans Groß/dpa</p>").contains("Hans"));
        assert!(!text("<p>Foto: Hans Groß/dpa</p><p><img src=a.jpg></p>").contains("Hans"));
        assert!(text("<p>Foto: Hans Groß/dpa</p>").contains("Hans"));
        assert!(text("<img src=a.jpg><ul><li>Foto: Hans Groß</ul>").contains("Hans"));
        assert!(text("<img src=a.jpg><p>Our <b>Foto: Hans Groß</b></p>").contains("Hans"));
    }
}
