//! The words before the name of an author, in the languages of the web.

use std::sync::LazyLock;

use crate::vocabulary::lists::{WordList, words};
use crate::vocabulary::prefixes::Prefixes;

/// Openers before a name in a byline: sure ones, those that are the beginning of no name, and words of names and of ordinary text.
static SURE: WordList = words!("byline_sure");
static CLEAR: WordList = words!("byline_clear");
static NEAR: WordList = words!("byline_near");

fn starts(lists: &[&[&'static str]]) -> Prefixes {
    Prefixes::new(lists.concat().leak())
}

/// All of them.
pub(in crate::metadata) fn all() -> &'static Prefixes {
    static ALL: LazyLock<Prefixes> = LazyLock::new(|| starts(&[&SURE, &CLEAR, &NEAR]));
    &ALL
}

/// Openers that stand before the name of an author wherever they are.
pub(in crate::metadata) fn sure() -> &'static Prefixes {
    static ALL: LazyLock<Prefixes> = LazyLock::new(|| starts(&[&SURE]));
    &ALL
}

/// Openers that are the beginning of no name.
pub(in crate::metadata) fn clear() -> &'static Prefixes {
    static ALL: LazyLock<Prefixes> = LazyLock::new(|| starts(&[&SURE, &CLEAR]));
    &ALL
}
