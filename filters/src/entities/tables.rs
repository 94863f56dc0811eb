//! Word lists that classify names: honorifics, organisations, places, particles, and words that are never names. Kept
//! small, because a caption is compared by all its names, and these lists settle only the doubtful ones.

use crate::vocabulary::lists::{WordList, words};

/// Titles that a person's name follows.
pub(super) static HONORIFICS: WordList = words!("honorifics");

/// Words that organisations end with or hold.
pub(super) static ORGANISATIONS: WordList = words!("organisations");

/// Places that stand alone often enough to be known at the start of a sentence.
pub(super) static PLACES: WordList = words!("places");

/// Small words inside a name.
pub(super) static PARTICLES: WordList = words!("particles");

/// Words that begin sentences and name nothing.
pub(super) static FUNCTION_WORDS: WordList = words!("function_words");
