//! Parses the dates that pages write, into one form: `2026-11-21` (ISO 8601, as in HTML § 2.3.5.2).
//!
//! Only forms that can be read in one way are read: a day that is written `03/04/2026` is another day in America than in
//! Europe, and is left out unless the language of the page tells. Days of other calendars (`date/calendars.rs`) are converted to ours.

mod calendars;
mod names;

use url::Url;

use calendars::{Calendar, to_gregorian};

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
const DAYS: [&str; 7] = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

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

/// Bytes of a value that are read.
const MAX_BYTES: usize = 80;

/// A day in a value: `2026-11-21T10:00:00Z`, `20261121`, `2026/11/21`, `November 21, 2026`, `Sat, 21 Nov 2026`.
pub(super) fn parse(value: &str) -> Option<String> {
    parse_shown(value, None)
}

/// A day that a page shows to readers of a language: also `3/4/2026`, where the language or a number over twelve says which of the
/// two is the day. America alone writes the month first (CLDR, `dateFormats` `short`), and of English pages nobody knows.
pub(super) fn parse_shown(value: &str, language: Option<&str>) -> Option<String> {
    let value = value.trim();
    let value = value.get(..value.floor_char_boundary(MAX_BYTES))?;
    if value.is_ascii() {
        return parse_plain(value, language);
    }
    let value = &names::with_plain_digits(value);
    let thai = || iso(Calendar::Gregorian, names::thai(value)?);
    parse_signs(value).or_else(thai).or_else(|| parse_plain(value, language))
}

fn parse_plain(value: &str, language: Option<&str>) -> Option<String> {
    // Nearly no text has two digits in a row, and to look for the names of months costs more.
    let has_digits = |count: usize| {
        let mut runs = value.as_bytes().windows(count);
        runs.any(|run| run.iter().all(u8::is_ascii_digit))
    };
    if !has_digits(2) {
        return None;
    }
    let has_year = has_digits(4);
    let run_together = || has_year.then(|| parse_digits(value))?;
    let by_words = || has_year.then(|| parse_words(value, language))?;
    run_together().or_else(|| parse_numbers(value, language)).or_else(by_words)
}

/// The English of countries that write the day first.
const DAY_FIRST: [&str; 6] = ["en-GB", "en-AU", "en-NZ", "en-IE", "en-IN", "en-ZA"];

/// Languages that write the year first, so that of three short numbers nobody knows which is the year.
const YEAR_FIRST: [&str; 7] = ["ko", "ja", "zh", "hu", "lt", "mn", "eu"];

/// Languages whose years may be those of the Persian calendar.
const PERSIAN: [&str; 4] = ["fa", "ps", "prs", "ckb"];

/// Years that are counted from another one: of the reigns of Japan, and of Taiwan.
const ERAS: [(&str, u16); 3] = [("令和", 2018), ("平成", 1988), ("民國", 1911)];

/// `2026年11月21日`, `2026년 11월 21일`, `21 tháng 11, 2026`: the signs say what each number is.
fn parse_signs(value: &str) -> Option<String> {
    if let Some((before, after)) = value.split_once("tháng") {
        let day = last_number(before.trim_end());
        let mut rest = numbers(after);
        let (month, year) = (rest.next()?, rest.next()?);
        return from_texts(year, month, day);
    }
    let marks = [['年', '月', '日'], ['년', '월', '일']];
    marks.iter().find_map(|[year, month, day]| {
        let (year, rest) = value.split_once(*year)?;
        let (month, rest) = rest.split_once(*month)?;
        let (day, _) = rest.split_once(*day)?;
        let (month, day) = (month.trim(), day.trim());
        let era = ERAS.iter().find(|(name, _)| year.contains(name));
        if let Some((name, before)) = era {
            let (_, count) = year.rsplit_once(name)?;
            let count: u16 = match count.trim() {
                // The first one.
                "元" => 1,
                count => count.parse().ok().filter(|count| *count < 1000)?,
            };
            return from_texts(&(before + count).to_string(), month, day);
        }
        from_texts(last_number(year), month, day)
    })
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !c.is_ascii_digit());
    parts.filter(|part| !part.is_empty())
}

/// The number at the end of a text.
fn last_number(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default()
}

/// Whether two days follow each other; not over the end of a month.
pub(super) fn are_neighbours(one: &str, other: &str) -> bool {
    let parts = |day: &str| Some((day.get(..7)?.to_owned(), day.get(8..)?.parse::<u8>().ok()?));
    matches!((parts(one), parts(other)), (Some(one), Some(other)) if one.0 == other.0 && one.1.abs_diff(other.1) == 1)
}

/// A day in the path of an address: `/2026/11/21/title`, `/2026-11-21-title`, as blogs and newspapers have it.
pub(super) fn from_path(url: &Url) -> Option<String> {
    if !url.has_host() {
        return None;
    }
    let in_three = |parts: &[&str]| match parts {
        [year, month, day, ..] if year.len() == 4 && month.len() == 2 && day.len() == 2 => from_texts(year, month, day),
        _ => None,
    };
    let parts: Vec<&str> = url.path().split('/').collect();
    let name: Vec<&str> = parts.last()?.split(['-', '+', '_']).collect();
    parts.windows(3).find_map(in_three).or_else(|| in_three(&name))
}

/// `20261121`, and what follows it.
fn parse_digits(value: &str) -> Option<String> {
    let day = value.get(..8).filter(|day| is_number(day))?;
    from_texts(&day[..4], &day[4..6], &day[6..])
}

/// Three numbers with the same sign between them: `2026-11-21`, `2026. 11. 21.`, `21.11.2026`, `21/11/2026`, wherever they stand.
fn parse_numbers(value: &str, language: Option<&str>) -> Option<String> {
    /// Signs and spaces between two numbers, at most.
    const MAX_BETWEEN: usize = 2;
    // Each number with what follows it.
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut rest = &value[value.find(|c: char| c.is_ascii_digit())?..];
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
        let next = after.find(|c: char| c.is_ascii_digit());
        let (between, next) = after.split_at(next.unwrap_or(after.len()));
        parts.push((number, between));
        rest = next;
    }
    (0..parts.len().saturating_sub(2)).find_map(|at| {
        let [(one, sign), (two, other), (three, after)] = parts[at..at + 3] else {
            return None;
        };
        let is_date_sign = matches!(sign.trim(), "." | "-" | "/") && sign.len() <= MAX_BETWEEN;
        // The fourth number of a row: 1/2/3/2026 is no day.
        let goes_on = at > 0 && parts[at - 1].1 == sign || after == sign && at + 3 < parts.len();
        let is_row = goes_on && !sign.ends_with(' ');
        if !is_date_sign || sign.trim() != other.trim() || is_row {
            return None;
        }
        from_three(sign.trim(), [one, two, three], language)
    })
}

fn from_three(sign: &str, [one, two, three]: [&str; 3], language: Option<&str>) -> Option<String> {
    let base = language.and_then(|language| language.split('-').next());
    match (one.len(), two.len(), three.len()) {
        (4, 1..=2, 1..=2) => {
            let is_persian = base.is_some_and(|base| PERSIAN.contains(&base));
            let persian = || iso(Calendar::Persian, parsed(one, two, three)?);
            from_texts(one, two, three).or_else(|| is_persian.then(persian)?)
        }
        // Where days are written with dots, they begin with the day.
        (1..=2, 1..=2, 4) if sign == "." => from_texts(three, two, one),
        (1..=2, 1..=2, 4) => {
            let (first, second): (u8, u8) = (one.parse().ok()?, two.parse().ok()?);
            match (first, second) {
                _ if is_day_first(language) || first > 12 || first == second => from_texts(three, two, one),
                _ if second > 12 => from_texts(three, one, two),
                _ => None,
            }
        }
        (2, 2, 2) if sign != "-" => {
            let is_known = base.is_some_and(|base| !YEAR_FIRST.contains(&base));
            let is_plain = is_known && is_day_first(language) && base != Some("th");
            is_plain.then(|| from_texts(&format!("20{three}"), two, one))?
        }
        _ => None,
    }
}

/// Whether a language is known to write the day before the month.
fn is_day_first(language: Option<&str>) -> bool {
    language.is_some_and(|language| {
        let is_english = language == "en" || language.starts_with("en-");
        !is_english || DAY_FIRST.contains(&language)
    })
}

fn parse_words(value: &str, language: Option<&str>) -> Option<String> {
    let words = names::words(value);
    let by_name = |word: &str| {
        let english = month(word).map(|month| (Calendar::Gregorian, month));
        // Basque: "maiatzaren".
        let genitive = || names::month(word.strip_suffix("ren")?, language);
        english.or_else(|| names::month(word, language)).or_else(genitive)
    };
    let found = (0..words.len()).find_map(|at| {
        // In Syria and Iraq months have names of two words.
        let two = words.get(at + 1).map(|next| format!("{}_{next}", words[at]));
        let (known, width) = match two.and_then(|two| names::month(&two, language)) {
            Some(known) => (known, 2),
            None => (by_name(&words[at])?, 1),
        };
        Some((at, width, known))
    });
    let (at, width, (calendar, month)) = found?;
    // Basque: "2026ko".
    let years = words
        .iter()
        .map(|word| word.strip_suffix("ko").unwrap_or(word))
        .enumerate()
        .filter(|(_, word)| word.len() == 4 && is_number(word));
    // "2603.01234v2, 9 Jun 2026": the one nearest to the month.
    let (_, year) = years.min_by_key(|(place, _)| place.abs_diff(at))?;
    let number = |word: &String| {
        let day = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        (day.len() <= 2 && is_number(day)).then(|| day.to_owned())
    };
    // "21 de noviembre de 2026", "3 d'abril", "3 ta' Mejju".
    let is_of = |word: &String| matches!(word.as_str(), "de" | "di" | "of" | "d" | "ta");
    let before = at.checked_sub(1).filter(|&before| !is_of(&words[before]));
    let before = before.or_else(|| at.checked_sub(2));
    let day = words.get(at + width).and_then(number).or_else(|| words.get(before?).and_then(number))?;
    iso(calendar, parsed(year, &(month + 1).to_string(), &day)?)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn parsed(year: &str, month: &str, day: &str) -> Option<(u16, u8, u8)> {
    Some((year.parse().ok()?, month.parse().ok()?, day.parse().ok()?))
}

/// A day of our calendar from its numbers as they are written.
fn from_texts(year: &str, month: &str, day: &str) -> Option<String> {
    iso(Calendar::Gregorian, parsed(year, month, day)?)
}

/// A day that can be: the web began in 1990, and the texts on it are older only where the date is another one. The first day of Unix time is
/// what programs write where they know none.
fn iso(calendar: Calendar, (year, month, day): (u16, u8, u8)) -> Option<String> {
    if !(1..=31).contains(&day) {
        return None;
    }
    let (year, month, day) = to_gregorian(calendar, (year, month, day))?;
    let is_unset = (year, month, day) == (1970, 1, 1);
    ((1900..2100).contains(&year) && (1..=12).contains(&month) && !is_unset)
        .then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests;
