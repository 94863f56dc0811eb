//! The way to the text before and the one behind: "Previous message: …", "上一篇：…". Programs write both below a text, or above it, on
//! lines of their own; they are the site's order, not what the text says. (The next part of
//! the same article is found by `metadata/pages.rs`, and the way there is written anew.)
//!
//! A line that begins with one of their names and a colon, and of which the rest is a link; and beside such a line one that says that
//! there is none ("下一篇：没有了"). Where such lines stand among the paragraphs too, they are the stages of a journey or the matches of a
//! season, and all stay. So do they where one of them tells a day of no year, an hour, or the years of an office: the next match, who held
//! it before.

use std::sync::LazyLock;

use super::super::blocks::{Block, Blocks};
use crate::{
    hashing::Set,
    metadata::{self, letters},
    page::Page,
    text::{lower, one_line},
};

/// Bytes of a name, at most, and words of a line.
const NAME: usize = 48;
const WORDS: f32 = 40.0;

/// Characters of a line without a link, at most: its name and "none".
const NONE: f32 = 16.0;

/// Characters beside the name and the link, at most: arrows, quotes, a bracket.
const SIGNS: f32 = 6.0;

/// What such lines begin with, whatever the case.
const NAMES: [&str; 157] = [
    // English
    "Previous",
    "Prev",
    "Next",
    "Previous post",
    "Next post",
    "Previous article",
    "Next article",
    "Previous story",
    "Next story",
    "Previous entry",
    "Next entry",
    "Previous message",
    "Next message",
    "Previous message (by thread)",
    "Next message (by thread)",
    "Previous in thread",
    "Next in thread",
    "Previous thread",
    "Next thread",
    "Previous topic",
    "Next topic",
    "Previous page",
    "Next page",
    "Previous chapter",
    "Next chapter",
    "Previous episode",
    "Next episode",
    "Older",
    "Newer",
    "Older post",
    "Newer post",
    // German, Dutch
    "Zurück",
    "Weiter",
    "Vorheriger Artikel",
    "Nächster Artikel",
    "Vorheriger Beitrag",
    "Nächster Beitrag",
    "Vorherige Seite",
    "Nächste Seite",
    "Vorheriges Thema",
    "Nächstes Thema",
    "Vorherige",
    "Nächste",
    "Vorige",
    "Volgende",
    "Vorig bericht",
    "Volgend bericht",
    // French, Italian
    "Précédent",
    "Suivant",
    "Article précédent",
    "Article suivant",
    "Page précédente",
    "Page suivante",
    "Précédente",
    "Suivante",
    "Precedente",
    "Successivo",
    "Successiva",
    "Articolo precedente",
    "Articolo successivo",
    // Spanish, Portuguese, Romanian
    "Anterior",
    "Siguiente",
    "Entrada anterior",
    "Entrada siguiente",
    "Siguiente entrada",
    "Artículo anterior",
    "Artículo siguiente",
    "Noticia anterior",
    "Noticia siguiente",
    "Próximo",
    "Próxima",
    "Seguinte",
    "Artigo anterior",
    "Próximo artigo",
    "Artigo seguinte",
    "Post anterior",
    "Próximo post",
    "Articolul anterior",
    "Articolul următor",
    // Danish, Norwegian, Swedish, Finnish
    "Forrige",
    "Næste",
    "Neste",
    "Föregående",
    "Nästa",
    "Edellinen",
    "Seuraava",
    // Polish, Czech, Hungarian
    "Poprzedni",
    "Następny",
    "Poprzedni artykuł",
    "Następny artykuł",
    "Poprzedni wpis",
    "Następny wpis",
    "Předchozí",
    "Následující",
    "Další",
    "Předchozí článek",
    "Další článek",
    "Előző",
    "Következő",
    "Előző cikk",
    "Következő cikk",
    // Russian, Ukrainian, Greek, Turkish
    "Предыдущая",
    "Следующая",
    "Предыдущий",
    "Следующий",
    "Предыдущая статья",
    "Следующая статья",
    "Предыдущая запись",
    "Следующая запись",
    "Предыдущая новость",
    "Следующая новость",
    "Попередня",
    "Наступна",
    "Προηγούμενο",
    "Επόμενο",
    "Προηγούμενο άρθρο",
    "Επόμενο άρθρο",
    "Önceki",
    "Sonraki",
    "Önceki yazı",
    "Sonraki yazı",
    // Arabic, Persian, Hebrew
    "السابق",
    "التالي",
    "المقال السابق",
    "المقال التالي",
    "قبلی",
    "بعدی",
    "הקודם",
    "הבא",
    "הפוסט הקודם",
    "הפוסט הבא",
    // Chinese, Japanese, Korean
    "上一篇",
    "下一篇",
    "上一条",
    "下一条",
    "上一章",
    "下一章",
    "上一页",
    "下一页",
    "上一頁",
    "下一頁",
    "上一则",
    "下一则",
    "前一篇",
    "后一篇",
    "前の記事",
    "次の記事",
    "前へ",
    "次へ",
    "이전글",
    "다음글",
    "이전 글",
    "다음 글",
    // Vietnamese, Indonesian
    "Bài trước",
    "Bài sau",
    "Sebelumnya",
    "Selanjutnya",
];

static LETTERS: LazyLock<Set<String>> =
    LazyLock::new(|| NAMES.iter().map(|name| letters(name)).collect());

/// Drops such lines from the kept blocks.
pub(super) fn drop(page: &Page, blocks: &Blocks, kept: &mut [bool]) {
    let is_long = |at: &usize| kept[*at] && blocks.list[*at].is_long();
    let first = (0..kept.len()).find(is_long).unwrap_or(kept.len());
    let last = (0..kept.len()).rev().find(is_long).unwrap_or(0);
    let leads_there = |block: &Block| {
        block.linked > 0.0
            && block.stats.words <= WORDS
            && block.chars - block.linked <= NAME as f32 + SIGNS
            && name(page, blocks, block)
                .is_some_and(|name| block.chars - block.linked <= name + SIGNS)
    };
    let mut found = Vec::new();
    for (at, block) in blocks.list.iter().enumerate() {
        if kept[at] && !(first..last).contains(&at) && leads_there(block) {
            found.push(at);
        }
    }
    let mut inside = blocks.list.iter().take(last).skip(first);
    let tells_when = |&at: &usize| {
        let line = blocks.text(page, &blocks.list[at]);
        line.split_once([':', '：'])
            .is_some_and(|(_, title)| tells_when(title, page.metadata.language.as_deref()))
    };
    if found.is_empty() || inside.any(leads_there) || found.iter().any(tells_when) {
        return;
    }
    let is_none = |at: usize| {
        let block = &blocks.list[at];
        block.linked == 0.0 && block.chars <= NONE && name(page, blocks, block).is_some()
    };
    for &at in &found {
        for at in [at.checked_sub(1), Some(at), Some(at + 1)] {
            if let Some(at) = at.filter(|&at| at < kept.len())
                && (found.binary_search(&at).is_ok() || is_none(at))
            {
                kept[at] = false;
            }
        }
    }
}

/// Whether a title tells when: an hour ("15:00"), a day of no year ("9 June", 6月9日), years in brackets and a word ("since 2019"). The
/// title of an entry has a day with its year, and a film has the year alone.
fn tells_when(title: &str, language: Option<&str>) -> bool {
    if !title.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let digits = |word: &str| word.chars().take_while(char::is_ascii_digit).count();
    let is_year = |word: &str| word.len() == 4 && digits(word) == 4;
    let has_year = |text: &str| text.split(|c: char| !c.is_ascii_digit()).any(is_year);
    let in_brackets = title
        .split(['(', '（'])
        .skip(1)
        .filter_map(|text| text.split([')', '）']).next());
    let is_term = |text: &str| {
        let year = text.trim();
        has_year(year) && !is_year(year)
    };
    let has_hour = title.match_indices(':').any(|(at, _)| {
        let before = title[..at].chars().rev().take_while(char::is_ascii_digit);
        (1..=2).contains(&before.count()) && digits(&title[at + 1..]) == 2
    });
    let words: Vec<&str> = title
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_number = |word: &str| (1..=2).contains(&digits(word)) && word.len() <= 4;
    let is_month = |word: &str| {
        word.chars().all(char::is_alphabetic) && metadata::is_name_in_day(&lower(word), language)
    };
    let has_day = || {
        title.contains('月') && title.contains('日')
            || words.windows(2).any(|pair| {
                is_number(pair[0]) && is_month(pair[1]) || is_month(pair[0]) && is_number(pair[1])
            })
    };
    in_brackets.into_iter().any(is_term) || has_hour || !has_year(title) && has_day()
}

/// The characters of the name that a line begins with, if a colon stands behind it.
fn name(page: &Page, blocks: &Blocks, block: &Block) -> Option<f32> {
    let text = blocks.text(page, block);
    if !text.contains(':') && !text.contains('：') {
        return None;
    }
    let line = one_line(&text);
    let colon = line
        .char_indices()
        .take_while(|&(at, _)| at <= NAME)
        .find(|(_, c)| matches!(c, ':' | '：'));
    let name = &line[..colon?.0];
    LETTERS
        .contains(&letters(name))
        .then(|| name.chars().count() as f32)
}

#[cfg(test)]
mod tests {
    use super::{super::super::trial::Trial, *};

    /// Which texts are left, of which all were kept.
    fn left(html: &str) -> Vec<bool> {
        let trial = Trial::of(html, 0.5);
        let mut kept = vec![true; trial.kept.len()];
        drop(&trial.page, &trial.blocks, &mut kept);
        kept
    }

    #[test]
    fn the_way_to_the_neighbours_goes() {
        for line in [
            "Previous message: <a href=/1>[lamps] Draft 3 is up</a>",
            "« <a href=/1>Next post: Ten lamps</a> »",
            "上一篇：<a href=/1>关于冬季时刻表的通知</a>",
            "다음 글: <a href=/1>여름의 끝</a>",
            "Предыдущая запись: <a href=/1>Зима</a>",
        ] {
            assert_eq!(left(&format!("<p>text</p><p>{line}</p>")), [true, false]);
        }
        let html = "<p>text</p><p>上一篇：<a href=/1>关于冬季</a></p><p>下一篇：没有了</p>";
        assert_eq!(left(html), [true, false, false]);
    }

    #[test]
    fn what_a_text_says_stays() {
        for line in [
            "Next: we read <a href=/1>the book</a> from its end.",
            "Next steps: <a href=/1>the book</a>",
            "Next: the last chapter",
            "<a href=/1>Next</a>",
        ] {
            assert_eq!(left(&format!("<p>text</p><p>{line}</p>")), [true; 2]);
        }
    }

    #[test]
    fn the_next_match_and_who_was_in_office_before_stay() {
        for line in [
            "Next: <a href=/3>Harbour at Donnant, 9 June</a>",
            "Next: <a href=/3>High water at 14:20</a>",
            "Next: <a href=/3>Jo Lee (since 2019)</a>",
            "下一条：<a href=/3>6月9日的比赛</a>",
        ] {
            let html = format!("<p>text</p><p>Previous: <a href=/1>Ann Lee</a></p><p>{line}</p>");
            assert_eq!(left(&html), [true; 3], "{line}");
        }
        for line in [
            "Next: <a href=/3>Links of 9 June 2026</a>",
            "Next: <a href=/3>The crane (1995)</a>",
            "Next: <a href=/3>Marching on: 12 lamps</a>",
        ] {
            assert_eq!(
                left(&format!("<p>text</p><p>{line}</p>")),
                [true, false],
                "{line}"
            );
        }
    }

    #[test]
    fn the_stages_of_a_journey_stay() {
        let day = format!(
            "<p>{}</p><p>Next: <a href=/ann>Lake Ann</a></p>",
            crate::testing::words(30)
        );
        assert_eq!(left(&day.repeat(2)), [true; 4]);
        assert_eq!(left(&day), [true, false]);
    }
}
