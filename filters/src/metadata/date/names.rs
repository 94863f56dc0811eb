//! The months in the languages of the web, and the digits that are not 0 to 9.
//!
//! Source: Unicode CLDR, Gregorian months, forms `wide` and `abbreviated`, as they stand in a date and alone, of some 90 languages
//! (ICU 78 by way of `Intl.DateTimeFormat`, 2026-11-22), and common other forms. Short forms that are words of another
//! language in a date's company ("3 ago", "10 out") are read where the language is known, and so are names of different months in
//! two languages (`listopada`: November in Polish, October in Croatian).

use std::sync::LazyLock;

use super::calendars::Calendar;
use crate::{
    hashing::Table,
    vocabulary::lists::{WordList, words as list},
};

/// Names of the months, January first; all forms of one month stand together, as [`folded`] writes them, the words of one name
/// joined by `_`.
static MONTHS: WordList = list!("months");

/// Months of the Persian calendar, in Iran and in Afghanistan.
static PERSIAN: WordList = list!("months_persian");

/// Months of the Ethiopian calendar.
static ETHIOPIAN: WordList = list!("months_ethiopian");

/// Names that say a month in one language and something else in another: month from 0, and the languages.
const OF_LANGUAGE: [(&str, usize, &[&str]); 8] = [
    ("listopada", 10, &["pl"]),
    ("listopada", 9, &["hr", "bs"]),
    ("lis", 10, &["pl"]),
    ("srp", 7, &["cs"]),
    ("srp", 6, &["hr", "bs"]),
    ("ago", 7, &["es", "it", "pt", "gl"]),
    ("set", 8, &["it", "pt"]),
    ("out", 9, &["pt", "gl"]),
];

/// Months in Thai, which writes no spaces around them: they are looked for as they stand, the short form after the long one.
const THAI: [[&str; 2]; 12] = [
    ["มกราคม", "ม.ค."],
    ["กุมภาพันธ์", "ก.พ."],
    ["มีนาคม", "มี.ค."],
    ["เมษายน", "เม.ย."],
    ["พฤษภาคม", "พ.ค."],
    ["มิถุนายน", "มิ.ย."],
    ["กรกฎาคม", "ก.ค."],
    ["สิงหาคม", "ส.ค."],
    ["กันยายน", "ก.ย."],
    ["ตุลาคม", "ต.ค."],
    ["พฤศจิกายน", "พ.ย."],
    ["ธันวาคม", "ธ.ค."],
];

/// The century of a year of two digits in Thai.
const THAI_CENTURY: u16 = 2500;

static BY_NAME: LazyLock<Table<&str, (Calendar, usize)>> = LazyLock::new(|| {
    let of = |calendar, months: &'static WordList| {
        let names = |all: &'static str| all.split_whitespace();
        let numbered = months.iter().enumerate();
        numbered.flat_map(move |(at, all)| names(all).map(move |name| (name, (calendar, at))))
    };
    // What is a month of two calendars is one of ours.
    of(Calendar::Persian, &PERSIAN)
        .chain(of(Calendar::Ethiopian, &ETHIOPIAN))
        .chain(of(Calendar::Gregorian, &MONTHS))
        .collect()
});

/// Calendar and number of a month, from 0, by its name as [`words`] gives it.
pub(super) fn month(word: &str, language: Option<&str>) -> Option<(Calendar, usize)> {
    // Hebrew writes "in" in front of it as one letter.
    let word = word.strip_prefix('ב').unwrap_or(word);
    let known = BY_NAME.get(word).copied();
    known.or_else(|| {
        let language = language?.split('-').next()?;
        let is_it = |(name, _, languages): &&(&str, usize, &[&str])| *name == word && languages.contains(&language);
        let (_, month, _) = OF_LANGUAGE.iter().find(is_it)?;
        Some((Calendar::Gregorian, *month))
    })
}

/// The words and numbers of a text, folded.
pub(super) fn words(text: &str) -> Vec<String> {
    // The vowel signs of India, Laos, Burma and Cambodia are no letters to Unicode, but parts of words.
    let is_mark = |c: char| {
        matches!(c, '\u{900}'..='\u{963}' | '\u{966}'..='\u{96f}' | '\u{971}'..='\u{df3}' | '\u{eb0}'..='\u{ecf}'
            | '\u{1000}'..='\u{1049}' | '\u{1780}'..='\u{17d3}' | '\u{200c}'..='\u{200d}' | '\u{64b}'..='\u{655}')
    };
    text.split(|c: char| !(c.is_alphanumeric() || is_mark(c))).filter(|word| !word.is_empty()).map(folded).collect()
}

/// A word as it is compared: in lower case, without signs that are written or left out, and with one of several letters that
/// look alike (of Arabic and Persian; one Bengali letter can be two characters).
fn folded(word: &str) -> String {
    word.chars()
        .flat_map(char::to_lowercase)
        .filter_map(|c| match c {
            '\u{200c}' | '\u{200d}' | '\u{307}' | '\u{93c}' | '\u{9bc}' | '\u{a3c}' | '\u{64b}'..='\u{655}' => None,
            '\u{9df}' => Some('\u{9af}'),
            '\u{95e}' => Some('\u{92b}'),
            'أ' | 'إ' => Some('ا'),
            'ۀ' | 'ة' => Some('ه'),
            'ي' | 'ى' => Some('ی'),
            'ك' => Some('ک'),
            _ => Some(c),
        })
        .collect()
}

/// Year, month (from 1) and day of a text in Thai.
pub(super) fn thai(text: &str) -> Option<(u16, u8, u8)> {
    // Each letter of Thai begins with this byte, and most texts have none.
    if !text.as_bytes().contains(&0xe0) {
        return None;
    }
    let (month, name, at) = THAI.iter().zip(1..).find_map(|(names, month)| {
        let at = |name: &&'static str| Some((month, *name, text.find(*name)?));
        names.iter().find_map(at)
    })?;
    let day = text[..at].trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?;
    let after = text[at + name.len()..].trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let year: u16 = after[..end].parse().ok()?;
    let year = match end {
        // A time stands behind a day without a year: "22 พ.ย. 09:14".
        2 if !after[end..].starts_with([':', '.']) => THAI_CENTURY + year,
        4 => year,
        _ => return None,
    };
    Some((year, month, day.parse().ok()?))
}

/// The digits of a text as 0 to 9: of Arabic, Persian, the scripts of India, Thai, Lao, Tibetan, Burmese and Khmer, and
/// those as wide as a Chinese character (Unicode, general category Nd: each set is ten in a row).
pub(super) fn with_plain_digits(text: &str) -> String {
    const ZEROS: [u32; 17] = [
        0x660, 0x6f0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20, 0x1040,
        0x17e0, 0xff10,
    ];
    text.chars()
        .map(|c| {
            let digit = ZEROS.iter().filter_map(|zero| u32::from(c).checked_sub(*zero)).find(|digit| *digit < 10);
            digit.and_then(|digit| char::from_digit(digit, 10)).unwrap_or(c)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_as_they_are_compared_and_say_one_month() {
        let mut known = Table::default();
        for (at, names) in MONTHS.iter().enumerate() {
            for name in names.split_whitespace() {
                let as_words = words(&name.replace('_', " ")).join("_");
                assert_eq!(as_words, *name);
                assert_eq!(*known.entry(name).or_insert(at), at, "{name}");
            }
        }
        assert!(known.len() > 1000);
        for names in PERSIAN.iter().chain(ETHIOPIAN.iter()) {
            for name in names.split_whitespace() {
                assert_eq!(words(name).join("_"), *name);
            }
        }
    }
}
