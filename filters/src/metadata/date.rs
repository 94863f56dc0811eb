//! Days as pages write them, in one form: `2026-11-21` (ISO 8601, as in HTML § 2.3.5.2).
//!
//! Only forms that can be read in one way are read: a day that is written `03/04/2026` is another day in America than in
//! Europe, and is left out.

mod names;

use url::Url;

/// English names of months and days of the week; what machines write for the web is English.
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

/// Whether a word is the name of a month or a day of the week, or short for one.
pub(super) fn is_word(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    month(&word).is_some() || word.len() >= SHORT && DAYS.iter().any(|name| name.starts_with(&word))
}

/// Letters of the shortest form of a name.
const SHORT: usize = 3;

/// The number of a month, from 0; its name in lower case, or short.
fn month(word: &str) -> Option<usize> {
    (word.len() >= SHORT).then(|| MONTHS.iter().position(|name| name.starts_with(word)))?
}

/// A day at the start of a value: `2026-11-21T10:00:00Z`, `20261121`, `2026/11/21`, `November 21, 2026`, `Sat, 21 Nov 2026`.
pub(super) fn of_value(value: &str) -> Option<String> {
    let value = value.trim();
    let value = value.get(..value.floor_char_boundary(60))?;
    if value.is_ascii() {
        return of_plain(value);
    }
    let value = &names::with_plain_digits(value);
    of_signs(value)
        .or_else(|| of_marked(value))
        .or_else(|| of_plain(value))
}

fn of_plain(value: &str) -> Option<String> {
    // Every form has its year in four digits. Nearly no text has, and to look for the names of months costs more.
    let has_year = value
        .as_bytes()
        .windows(4)
        .any(|four| four.iter().all(u8::is_ascii_digit));
    if !has_year {
        return None;
    }
    of_numbers(value)
        .or_else(|| of_dotted(value))
        .or_else(|| of_words(value))
}

/// A day that a page shows to readers of a language: also `3/4/2026`, where the language or a number over twelve says which of the
/// two is the day. America alone writes the month first (CLDR, `dateFormats` `short`), and of English pages nobody knows.
pub(super) fn of_shown(value: &str, language: Option<&str>) -> Option<String> {
    of_value(value).or_else(|| of_slashed(value, language))
}

fn of_slashed(value: &str, language: Option<&str>) -> Option<String> {
    const LONGEST: usize = 80;
    let value = value.get(..value.floor_char_boundary(LONGEST))?;
    let is_date = |part: &&str| part.contains('/');
    let part = value
        .split(|c: char| !(c.is_ascii_digit() || c == '/'))
        .find(is_date)?;
    let mut numbers = part.split('/');
    let (first, second, year) = (numbers.next()?, numbers.next()?, numbers.next()?);
    if year.len() != 4 || numbers.next().is_some() {
        return None;
    }
    let (one, two): (u8, u8) = (first.parse().ok()?, second.parse().ok()?);
    let day_first = language.is_some_and(|language| {
        let is_english = language == "en" || language.starts_with("en-");
        !is_english || DAY_FIRST.contains(&language)
    });
    match (one, two) {
        _ if day_first || one > 12 || one == two => iso(year, second, first),
        _ if two > 12 => iso(year, first, second),
        _ => None,
    }
}

/// The English of countries that write the day first.
const DAY_FIRST: [&str; 6] = ["en-GB", "en-AU", "en-NZ", "en-IE", "en-IN", "en-ZA"];

/// `2026年11月21日`, `2026년 11월 21일`, `21 tháng 11, 2026`: the signs say what each number is.
fn of_signs(value: &str) -> Option<String> {
    if let Some((before, after)) = value.split_once("tháng") {
        let day = last_number(before.trim_end());
        let mut rest = numbers(after);
        let (month, year) = (rest.next()?, rest.next()?);
        return iso(year, month, day);
    }
    let marks = [['年', '月', '日'], ['년', '월', '일']];
    marks.iter().find_map(|[year, month, day]| {
        let (year, rest) = value.split_once(*year)?;
        let (month, rest) = rest.split_once(*month)?;
        let (day, _) = rest.split_once(*day)?;
        iso(last_number(year), month.trim(), day.trim())
    })
}

fn of_marked(value: &str) -> Option<String> {
    let (year, month, day) = names::marked(value)?;
    iso(&year.to_string(), &month.to_string(), &day)
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter(|part| !part.is_empty())
}

/// The number at the end of a text.
fn last_number(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap_or_default()
}

/// A day in the path of an address: `/2026/11/21/title`, as blogs and newspapers have it.
pub(super) fn of_path(url: &Url) -> Option<String> {
    if !url.has_host() {
        return None;
    }
    let parts: Vec<&str> = url.path().split('/').collect();
    parts.windows(3).find_map(|three| match three {
        [year, month, day] if year.len() == 4 && month.len() == 2 && day.len() == 2 => {
            iso(year, month, day)
        }
        _ => None,
    })
}

fn of_numbers(value: &str) -> Option<String> {
    let digits = |range: std::ops::Range<usize>| {
        value
            .get(range)
            .filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let year = digits(0..4)?;
    match value.as_bytes().get(4) {
        Some(b'-' | b'/' | b'.') => {
            let mut rest = value[5..].split(|c: char| !c.is_ascii_digit());
            iso(year, rest.next()?, rest.next()?)
        }
        Some(_) if digits(0..8).is_some() => iso(year, digits(4..6)?, digits(6..8)?),
        _ => None,
    }
}

/// `21.11.2026`: where days are written with dots, they begin with the day.
fn of_dotted(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '.');
    let (day, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let is_year = !rest
        .get(4..)
        .is_some_and(|more| more.starts_with(|c: char| c.is_ascii_digit()));
    let is_short = |part: &str| part.len() <= 2 && is_number(part);
    (is_year && is_short(day) && is_short(month)).then(|| iso(rest.get(..4)?, month, day))?
}

fn of_words(value: &str) -> Option<String> {
    let words: Vec<String> = value
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let by_name = |word: &str| month(word).or_else(|| names::month(word));
    let (at, month) = words
        .iter()
        .enumerate()
        .find_map(|(at, word)| Some((at, (by_name(word)? + 1).to_string())))?;
    let year = words
        .iter()
        .find(|word| word.len() == 4 && is_number(word))?;
    let number = |word: &String| {
        let day = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        (day.len() <= 2 && is_number(day)).then(|| day.to_owned())
    };
    // "21 de noviembre de 2026".
    let is_of = |word: &String| matches!(word.as_str(), "de" | "di" | "of");
    let before = at.checked_sub(1).filter(|&before| !is_of(&words[before]));
    let before = before.or_else(|| at.checked_sub(2));
    let day = words
        .get(at + 1)
        .and_then(number)
        .or_else(|| words.get(before?).and_then(number))?;
    iso(year, &month, &day)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A day that can be: the web began in 1990, and the texts on it are older only where the date is another one.
fn iso(year: &str, month: &str, day: &str) -> Option<String> {
    let (year, month, day): (u16, u8, u8) =
        (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    ((1900..2100).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day))
        .then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_read_in_the_forms_that_have_one_reading() {
        for value in [
            "2026-01-09",
            "2026-01-09T08:00:00+00:00",
            "2026/1/9",
            "20260109",
            "January 9, 2026",
            "Jan. 9th 2026",
            "Fri, 09 Jan 2026 08:00:00 GMT",
            "9 January 2026",
            "9.1.2026",
            "09.01.2026, 08:00",
            "Published on January 9, 2026",
        ] {
            assert_eq!(of_value(value).as_deref(), Some("2026-01-09"), "{value}");
        }
        for value in [
            "09/01/2026",
            "Market 9, 2026",
            "yesterday",
            "",
            "2026",
            "2026-13-40",
            "ééééé",
        ] {
            assert_eq!(of_value(value), None, "{value}");
        }
    }

    #[test]
    fn days_are_read_in_the_languages_of_the_web() {
        for value in [
            "21. November 2026",
            "21. März 2026 um 8 Uhr",
            "1er août 2026",
            "Publié le 21 février 2026",
            "21 de noviembre de 2026",
            "21 dicembre 2026",
            "21 de março de 2026",
            "21 listopadu 2026",
            "21 Kasım 2026",
            "21 ноября 2026 г.",
            "21 Νοεμβρίου 2026",
            "21 نوفمبر 2026",
            "٢١ نوفمبر ٢٠٢٦",
            "21 בנובמבר 2026",
            "21 พฤศจิกายน 2569",
            "21 नवंबर 2026",
            "Ngày 21 tháng 11, 2026",
            "2026年11月21日",
            "公開日：２０２６年１１月２１日",
            "2026년 11월 21일",
        ] {
            let day = of_value(value).unwrap_or_else(|| panic!("{value}"));
            let wanted = match value {
                _ if value.contains("août") => "2026-08-01",
                _ if value.contains("März") || value.contains("março") => "2026-03-21",
                _ if value.contains("février") => "2026-02-21",
                _ if value.contains("dicembre") => "2026-12-21",
                _ => "2026-11-21",
            };
            assert_eq!(day, wanted, "{value}");
        }
        for value in [
            "3 days ago, 2026",
            "10 out of 2026 people",
            "2026年",
            "21 mai",
        ] {
            assert_eq!(of_value(value), None, "{value}");
        }
    }

    #[test]
    fn of_two_numbers_the_language_tells_the_day() {
        let day = |value: &str, language: Option<&str>| of_shown(value, language);
        let january = Some("2026-01-09".to_owned());
        for language in ["fr", "vi", "pt-BR", "en-GB"] {
            assert_eq!(
                day("Le 09/01/2026, 14:20", Some(language)),
                january,
                "{language}"
            );
        }
        for language in [None, Some("en"), Some("en-US")] {
            assert_eq!(day("09/01/2026", language), None, "{language:?}");
            assert_eq!(day("1/21/2026", language), Some("2026-01-21".to_owned()));
            assert_eq!(day("21/1/2026", language), Some("2026-01-21".to_owned()));
            assert_eq!(
                day("Thứ ba, 3/3/2026", language),
                Some("2026-03-03".to_owned())
            );
        }
        for value in [
            "1/2",
            "24/7 since 2026",
            "1/2/3/2026",
            "13/13/2026",
            "2026/1",
        ] {
            assert_eq!(day(value, Some("fr")), None, "{value}");
        }
    }

    #[test]
    fn the_path_tells_the_day() {
        let url = |path: &str| {
            Url::parse("https://example.org")
                .unwrap()
                .join(path)
                .unwrap()
        };
        assert_eq!(
            of_path(&url("/2026/01/09/a")).as_deref(),
            Some("2026-01-09")
        );
        assert_eq!(of_path(&url("/a/2026/b")), None);
    }
}
