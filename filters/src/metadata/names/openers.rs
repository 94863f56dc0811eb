//! The words before the name of an author, in the languages of the web.

use std::sync::LazyLock;

use crate::vocabulary::lists::{Words, words};
use crate::vocabulary::starts::Starts;

/// Openers before a name in a byline: sure ones, those that are the beginning of no name, and words of names and of ordinary text.
static SURE: Words = words!("byline_sure");
static CLEAR: Words = words!("byline_clear");
static NEAR: Words = words!("byline_near");

fn starts(lists: &[&[&'static str]]) -> Starts {
    Starts::new(lists.concat().leak())
}

/// All of them.
pub(in crate::metadata) fn all() -> &'static Starts {
    static ALL: LazyLock<Starts> = LazyLock::new(|| starts(&[&SURE, &CLEAR, &NEAR]));
    &ALL
}

/// Openers that stand before the name of an author wherever they are.
pub(in crate::metadata) fn sure() -> &'static Starts {
    static ALL: LazyLock<Starts> = LazyLock::new(|| starts(&[&SURE]));
    &ALL
}

/// Openers that are the beginning of no name.
pub(in crate::metadata) fn clear() -> &'static Starts {
    static ALL: LazyLock<Starts> = LazyLock::new(|| starts(&[&SURE, &CLEAR]));
    &ALL
}
