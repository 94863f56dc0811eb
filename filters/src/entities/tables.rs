//! The words that tell what a name names, and those that name nothing. Small on purpose: a caption is compared by all its
//! names, and these only settle the doubtful ones.

use crate::vocabulary::lists::{Words, words};

/// Titles that a person's name follows.
pub(super) static HONORIFICS: Words = words!("honorifics");

/// Words that organisations end with or hold.
pub(super) static ORGANISATIONS: Words = words!("organisations");

/// Places that stand alone often enough to be known at the start of a sentence.
pub(super) static PLACES: Words = words!("places");

/// Small words inside a name.
pub(super) static PARTICLES: Words = words!("particles");

/// Words that begin sentences and name nothing.
pub(super) static FUNCTION_WORDS: Words = words!("function_words");
