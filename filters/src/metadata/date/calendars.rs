//! Days of other calendars as days of ours.
//!
//! - Persian (Iran, Afghanistan): leap years by the rule of 33 years, which agrees with the official calendar for 1244 to 1502
//!   (Birashk 1993; the same in CLDR's `persian`).
//! - Ethiopian: twelve months of 30 days and a short one, a leap day every four years (Reingold and Dershowitz, *Calendrical
//!   Calculations*, chapter 4).
//! - Buddhist (Thailand, Laos): our days, 543 years more.
//!
//! Years of the Islamic calendar are left out: their months begin when the moon is seen. Days are counted as Julian day numbers.

/// Year, month from 1, day from 1.
pub(super) type Day = (u16, u8, u8);

/// Whose months and years a date is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Calendar {
    Gregorian,
    Persian,
    Ethiopian,
}

/// Years of the Persian calendar that are taken for one, and those of the Ethiopian.
const PERSIAN_YEARS: std::ops::Range<i32> = 1280..1500;
const ETHIOPIAN_YEARS: std::ops::Range<i32> = 1900..2100;

/// Years of the Buddhist calendar before ours, and the first year that is taken for one of it.
const BUDDHIST: u16 = 543;
const FIRST_BUDDHIST: u16 = 2443;

/// A day of our calendar: year, month and day from 1. `None` for years that nobody writes of.
pub(super) fn to_gregorian(calendar: Calendar, (year, month, day): Day) -> Option<Day> {
    let (y, m, d) = (i32::from(year), i32::from(month), i32::from(day));
    match calendar {
        Calendar::Gregorian if year >= FIRST_BUDDHIST => Some((year - BUDDHIST, month, day)),
        Calendar::Gregorian => Some((year, month, day)),
        Calendar::Persian if PERSIAN_YEARS.contains(&y) && (1..=12).contains(&m) => {
            // 1 Farvardin 1280 was 21 March 1901, day 2415465.
            let leaps = leap_years_before(y) - leap_years_before(1280);
            let months = if m <= 7 { 31 * (m - 1) } else { 30 * (m - 1) + 6 };
            from_julian(2_415_465 + 365 * (y - 1280) + leaps + months + d - 1)
        }
        Calendar::Ethiopian if ETHIOPIAN_YEARS.contains(&y) && (1..=13).contains(&m) => {
            from_julian(1_724_221 + 365 * (y - 1) + y / 4 + 30 * (m - 1) + d - 1)
        }
        Calendar::Persian | Calendar::Ethiopian => None,
    }
}

/// Leap years of the Persian calendar before a year: eight in 33.
fn leap_years_before(year: i32) -> i32 {
    (8 * year + 21) / 33
}

/// Richards' algorithm (Explanatory Supplement to the Astronomical Almanac, 3rd edition, 15.11.3).
fn from_julian(day: i32) -> Option<Day> {
    let f = day + 1401 + (4 * day + 274_277) / 146_097 * 3 / 4 - 38;
    let e = 4 * f + 3;
    let g = e % 1461 / 4;
    let h = 5 * g + 2;
    let month = (h / 153 + 2) % 12 + 1;
    let year = e / 1461 - 4716 + (14 - month) / 12;
    Some((u16::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(h % 153 / 5 + 1).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_other_calendars_are_those_of_ours() {
        // By the calendars of ICU 78, where every day from 1995 to 2039 was compared (`Intl.DateTimeFormat`, `u-ca-persian` and `u-ca-ethiopic`).
        for (calendar, day, ours) in PAIRS {
            assert_eq!(to_gregorian(calendar, day), Some(ours), "{calendar:?} {day:?}");
        }
        assert_eq!(to_gregorian(Calendar::Persian, (2026, 1, 1)), None);
        assert_eq!(to_gregorian(Calendar::Ethiopian, (1405, 1, 1)), None);
    }

    const PAIRS: [(Calendar, Day, Day); 14] = [
        (Calendar::Persian, (1378, 10, 11), (2000, 1, 1)),
        (Calendar::Persian, (1402, 6, 20), (2023, 9, 11)),
        (Calendar::Persian, (1403, 6, 21), (2024, 9, 11)),
        (Calendar::Persian, (1403, 12, 30), (2025, 3, 20)),
        (Calendar::Persian, (1404, 1, 1), (2025, 3, 21)),
        (Calendar::Persian, (1405, 9, 1), (2026, 11, 22)),
        (Calendar::Persian, (1406, 6, 21), (2027, 9, 12)),
        (Calendar::Ethiopian, (1992, 4, 22), (2000, 1, 1)),
        (Calendar::Ethiopian, (2015, 13, 6), (2023, 9, 11)),
        (Calendar::Ethiopian, (2017, 1, 1), (2024, 9, 11)),
        (Calendar::Ethiopian, (2017, 7, 11), (2025, 3, 20)),
        (Calendar::Ethiopian, (2017, 7, 12), (2025, 3, 21)),
        (Calendar::Ethiopian, (2019, 3, 13), (2026, 11, 22)),
        (Calendar::Ethiopian, (2020, 1, 1), (2027, 9, 12)),
    ];
}
