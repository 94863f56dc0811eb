//! Hours of the week: `blocking.schedule`.

use std::{fmt, str::FromStr};

use jiff::{
    SignedDuration, ZonedDateTime,
    civil::{Time, Weekday},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::values::word_type;

/// The days of a week, by the words of the file.
const DAYS: [(&str, Weekday); 7] = [
    ("mon", Weekday::Monday),
    ("tue", Weekday::Tuesday),
    ("wed", Weekday::Wednesday),
    ("thu", Weekday::Thursday),
    ("fri", Weekday::Friday),
    ("sat", Weekday::Saturday),
    ("sun", Weekday::Sunday),
];

/// Names of hours that are not of every day: on which days they are where none are written.
const NAMED_DAYS: [(&str, &str); 2] = [("school_days", "mon-fri"), ("weekend", "sat,sun")];

/// Spans of hours that follow each other without a pause, at most: of hours without an end, those of a week.
const MOST_IN_A_ROW: usize = 14;

/// Hours of some days, such as `21:00-07:00` or `mon-thu 21:00-07:00`. Those that end at or before the time at which they begin
/// end on the next day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(with = "String")]
pub struct Hours {
    /// By [`DAYS`]; none where no days are written.
    days: Option<[bool; 7]>,
    from: Time,
    to: Time,
}

word_type!(
    Hours,
    "hours such as \"21:00-07:00\", of some days alone such as \"mon-fri 07:00-15:00\" or \"sat,sun 21:30-08:00\""
);

impl FromStr for Hours {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (days, hours) = match text.trim().rsplit_once(' ') {
            Some((days, hours)) => (Some(parse_days(days)?), hours),
            None => (None, text.trim()),
        };
        let (from, to) = hours.split_once('-').ok_or_else(|| format!("{hours:?} are no hours"))?;
        Ok(Self { days, from: parse_time(from)?, to: parse_time(to)? })
    }
}

fn parse_time(text: &str) -> Result<Time, String> {
    let wrong = || format!("{text:?} is no time of the day");
    let (hour, minute) = text.trim().split_once(':').ok_or_else(wrong)?;
    let number = |part: &str| part.parse::<i8>().ok().filter(|_| matches!(part.len(), 1 | 2));
    match (number(hour), number(minute)) {
        // The end of a day is the beginning of the next.
        (Some(24), Some(0)) => Ok(Time::midnight()),
        (Some(hour), Some(minute)) => Time::new(hour, minute, 0, 0).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

fn parse_days(text: &str) -> Result<[bool; 7], String> {
    let find = |word: &str| {
        let word = word.trim().to_ascii_lowercase();
        let found = DAYS.iter().position(|(name, _)| *name == word);
        found.ok_or_else(|| format!("{word:?} is no day; days are mon, tue, wed, thu, fri, sat and sun"))
    };
    let mut days = [false; 7];
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (mut day, last) = (find(first)?, find(last)?);
        days[day] = true;
        while day != last {
            day = (day + 1) % 7;
            days[day] = true;
        }
    }
    Ok(days)
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(days) = self.days {
            let named: Vec<_> = DAYS.iter().zip(days).filter_map(|((name, _), on)| on.then_some(*name)).collect();
            write!(f, "{} ", named.join(","))?;
        }
        let [from, to] = [self.from, self.to].map(|time| time.strftime("%H:%M"));
        write!(f, "{from}-{to}")
    }
}

impl Serialize for Hours {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl Hours {
    /// These hours on the days that their name says, where they say none themselves.
    pub(super) fn named(self, name: &str) -> Self {
        let days = NAMED_DAYS.iter().find(|(known, _)| *known == name).and_then(|(_, days)| parse_days(days).ok());
        Self { days: self.days.or(days), ..self }
    }

    /// When these hours end, if they are at this time.
    fn end(&self, now: &ZonedDateTime) -> Option<ZonedDateTime> {
        // What began yesterday may not have ended.
        [-1, 0].into_iter().find_map(|day| {
            let date = now.date().checked_add(SignedDuration::from_hours(24 * day)).ok()?;
            let index = DAYS.iter().position(|(_, weekday)| *weekday == date.weekday())?;
            if self.days.is_some_and(|days| !days[index]) {
                return None;
            }
            let last = if self.to <= self.from { date.tomorrow().ok()? } else { date };
            let [from, to] = [date.to_datetime(self.from), last.to_datetime(self.to)]
                .map(|time| time.to_zoned_datetime(now.time_zone().clone()));
            let (from, to) = (from.ok()?, to.ok()?);
            (from <= *now && *now < to).then_some(to)
        })
    }
}

/// When the hours end in which this time is: the last of those that follow each other.
pub(crate) fn end_of(hours: &[Hours], now: &ZonedDateTime) -> Option<ZonedDateTime> {
    let latest = |at: &ZonedDateTime| hours.iter().filter_map(|hours| hours.end(at)).max();
    let mut end = latest(now)?;
    for _ in 0..MOST_IN_A_ROW {
        match latest(&end) {
            Some(later) => end = later,
            None => break,
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(hours: &[(&str, &str)], now: &str) -> Option<String> {
        let hours: Vec<Hours> = hours.iter().map(|(name, text)| text.parse::<Hours>().unwrap().named(name)).collect();
        end_of(&hours, &now.parse().unwrap()).map(|end| end.strftime("%a %H:%M").to_string())
    }

    #[test]
    fn hours_are_of_the_day_on_which_they_begin() {
        let bed = [("bed", "21:00-07:00")];
        let school = [("school_days", "07:00-15:00")];
        let both = [bed[0], school[0]];
        let nights = [("bed", "sun-thu 21:00-07:00")];
        for (hours, now, wanted) in [
            // 2026-11-27 is a Friday.
            (&bed[..], "2026-11-27T20:59[Europe/Berlin]", None),
            (&bed, "2026-11-27T21:00[Europe/Berlin]", Some("Sat 07:00")),
            (&bed, "2026-11-28T06:59[Europe/Berlin]", Some("Sat 07:00")),
            (&bed, "2026-11-28T07:00[Europe/Berlin]", None),
            (&school, "2026-11-27T08:00[Europe/Berlin]", Some("Fri 15:00")),
            (&school, "2026-11-28T08:00[Europe/Berlin]", None),
            // What follows without a pause counts as one.
            (&both, "2026-11-26T23:00[Europe/Berlin]", Some("Fri 15:00")),
            (&both, "2026-11-27T23:00[Europe/Berlin]", Some("Sat 07:00")),
            (&nights, "2026-11-27T22:00[Europe/Berlin]", None),
            (&nights, "2026-11-27T02:00[Europe/Berlin]", Some("Fri 07:00")),
            (&[("x", "00:00-24:00")], "2026-11-27T12:00[Europe/Berlin]", Some("Fri 00:00")),
        ] {
            let found = end(hours, now);
            if hours[0].0 == "x" {
                assert!(found.is_some(), "hours without an end");
            } else {
                assert_eq!(found.as_deref(), wanted, "{hours:?} {now}");
            }
        }
    }

    #[test]
    fn the_night_in_which_clocks_change_has_its_hours() {
        let bed = [("bed", "21:00-02:30")];
        // 02:30 does not exist on this day, and is the end all the same.
        assert_eq!(end(&bed, "2026-03-29T01:59[Europe/Berlin]").as_deref(), Some("Sun 03:30"));
        assert_eq!(end(&bed, "2026-03-29T03:31[Europe/Berlin]"), None);
    }

    #[test]
    fn hours_are_written_as_they_are_read() {
        for (text, written) in [
            ("21:00-07:00", "21:00-07:00"),
            ("mon-fri 7:00-15:00", "mon,tue,wed,thu,fri 07:00-15:00"),
            ("Fri-Sun 00:00-24:00", "fri,sat,sun 00:00-00:00"),
        ] {
            let hours = text.parse::<Hours>().unwrap().to_string();
            let sorted = |text: &str| {
                let mut words: Vec<_> = text.split([',', ' ']).map(str::to_owned).collect();
                words.sort();
                words
            };
            assert_eq!(sorted(&hours), sorted(written));
            assert_eq!(hours.parse::<Hours>().unwrap().to_string(), hours);
        }
        for text in ["", "21:00", "21-07", "25:00-07:00", "21:00-07:60", "moon 21:00-07:00", "21:00 - 07:00"] {
            assert!(text.parse::<Hours>().is_err(), "{text}");
        }
    }
}
