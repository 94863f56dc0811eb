//! Names of people, places and organisations in a text, and how alike two texts are by them.
//!
//! Source: Agarwal et al. 2013: "named entity recognition, where names of people, places and organizations are extracted"
//! (by GATE), then "normalizes frequency distributions and maps normalized frequencies into a multidimensional space", then
//! "cosine similarity"; "for smaller content blocks that do not have high frequencies of named entities, it performs match of
//! representative named entities that occur with high frequencies in the bigger content blocks".
//!
//! GATE is not here. [`Recogniser`] is what is needed of it, [`Small`] our own: runs of capitalised words, joined by particles
//! ("Banco de España"); a capital at the start of a sentence counts only with more evidence (a second name, an honorific
//! before it, a word of organisations after it, a known place, or the same word capitalised inside a sentence). Where
//! capitals say nothing (scripts without case, texts without names), the text's terms take the place of names.
//!
//! The dimensions are the words of the names, so that "Merkel" meets "Angela Merkel".
//!
//! Cost: one reading of each text.

mod profile;
mod tables;

use std::collections::BTreeSet;

pub(crate) use profile::Profile;
use tables::{FUNCTION_WORDS, HONORIFICS, ORGANISATIONS, PARTICLES, PLACES};

/// The type of a named thing, as far as the words of the name tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    Person,
    Place,
    Organisation,
    /// A name by its capitals alone.
    Name,
    /// No name: a word of a text that has none.
    Term,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entity {
    pub(crate) kind: NameKind,
    /// Its words in lower case.
    pub(crate) words: Vec<String>,
}

/// Finds the names in a text.
pub(crate) trait Recogniser: Send + Sync {
    /// Every occurrence, in order.
    fn entities(&self, text: &str) -> Vec<Entity>;
}

/// Our own recogniser.
pub(crate) struct Small;

/// Letters with case, of all letters, below which capitals say nothing. Our choice: a Japanese text with some Latin names
/// has under a third.
const CASED_SHARE: f64 = 0.5;

/// Terms shorter than this say little (in scripts with spaces).
const MIN_TERM_CHARS: usize = 4;

struct NameWord<'a> {
    text: &'a str,
    lower: String,
    is_capitalised: bool,
    starts_sentence: bool,
    /// A mark that ends a name follows: a comma, a stop, a bracket.
    ends_name: bool,
}

impl Recogniser for Small {
    fn entities(&self, text: &str) -> Vec<Entity> {
        if !has_case(text) {
            return terms(text);
        }
        let words = split(text);
        let inside: BTreeSet<&str> = words
            .iter()
            .filter(|word| word.is_capitalised && !word.starts_sentence)
            .map(|word| word.lower.as_str())
            .collect();
        let mut found = Vec::new();
        let mut at = 0;
        while at < words.len() {
            if !words[at].is_capitalised {
                at += 1;
                continue;
            }
            let end = run_end(&words, at);
            found.extend(entity(&words, at, end, &inside));
            at = end;
        }
        if found.is_empty() { terms(text) } else { found }
    }
}

fn has_case(text: &str) -> bool {
    let (letters, cased) = text.chars().filter(|c| c.is_alphabetic()).fold((0u32, 0u32), |(letters, cased), c| {
        (letters + 1, cased + u32::from(c.is_lowercase() || c.is_uppercase()))
    });
    f64::from(cased) >= CASED_SHARE * f64::from(letters)
}

fn split(text: &str) -> Vec<NameWord<'_>> {
    let mut starts_sentence = true;
    text.split_whitespace()
        .filter_map(|run| {
            let word = run.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() {
                // A dash or a bullet: what follows may begin a sentence.
                starts_sentence = true;
                return None;
            }
            let lower = word.to_lowercase();
            let is_title = is_one_of(&HONORIFICS, &lower);
            let ends_sentence = !is_title && run.ends_with(['.', '!', '?', ':', ';', '…', '”', '"']);
            let starts = std::mem::replace(&mut starts_sentence, ends_sentence)
                || run.starts_with(['"', '“', '„', '«', '\u{2018}']);
            Some(NameWord {
                text: word,
                lower,
                is_capitalised: word.chars().next().is_some_and(char::is_uppercase),
                starts_sentence: starts,
                ends_name: ends_sentence || run.ends_with([',', ')', ']', '|']),
            })
        })
        .collect()
}

/// One past the last word of the name that begins at a word.
fn run_end(words: &[NameWord<'_>], start: usize) -> usize {
    let mut end = start + 1;
    while end < words.len() && !words[end - 1].ends_name {
        if words[end].is_capitalised {
            end += 1;
        } else if is_one_of(&PARTICLES, &words[end].lower) && words.get(end + 1).is_some_and(|next| next.is_capitalised)
        {
            end += 2;
        } else {
            break;
        }
    }
    end
}

fn entity(words: &[NameWord<'_>], mut start: usize, end: usize, inside: &BTreeSet<&str>) -> Option<Entity> {
    // "The Bank of England": the article is no part of the name.
    while start < end && is_one_of(&FUNCTION_WORDS, &words[start].lower) {
        start += 1;
    }
    // "Yesterday Dr. Ada Novak": what stands before the title is no part of the name either.
    let title = (start..end).rfind(|&at| is_one_of(&HONORIFICS, &words[at].lower));
    let has_title = title.is_some_and(|at| at + 1 < end);
    if let Some(at) = title.filter(|_| has_title) {
        start = at + 1;
    }
    let name = &words[start..end];
    let first = name.first()?;
    let kind = if has_title {
        NameKind::Person
    } else if name.iter().any(|word| is_one_of(&ORGANISATIONS, &word.lower)) && name.len() > 1 {
        NameKind::Organisation
    } else if name.len() == 1 && is_one_of(&PLACES, &first.lower) {
        NameKind::Place
    } else {
        NameKind::Name
    };
    let is_certain = kind != NameKind::Name
        || name.len() > 1
        || !first.starts_sentence
        || is_acronym(first.text)
        || inside.contains(first.lower.as_str());
    is_certain.then(|| Entity {
        kind,
        words: name
            .iter()
            .map(|word| word.lower.strip_suffix("'s").unwrap_or(&word.lower))
            .map(|word| word.strip_suffix("’s").unwrap_or(word))
            .filter(|word| !is_one_of(&PARTICLES, word))
            .map(str::to_owned)
            .collect(),
    })
}

fn is_acronym(word: &str) -> bool {
    (2..=6).contains(&word.chars().count()) && word.chars().all(char::is_uppercase)
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

/// Words that may carry meaning; pairs of characters where a script has no spaces.
fn terms(text: &str) -> Vec<Entity> {
    let mut found = Vec::new();
    let mut add = |word: String| {
        found.push(Entity { kind: NameKind::Term, words: vec![word] });
    };
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        if run.is_empty() {
            continue;
        }
        if has_case(run) {
            let word = run.to_lowercase();
            if word.chars().count() >= MIN_TERM_CHARS && !is_one_of(&FUNCTION_WORDS, &word) {
                add(word);
            }
            continue;
        }
        let chars: Vec<char> = run.chars().collect();
        if chars.len() == 1 {
            add(run.to_owned());
        }
        for pair in chars.windows(2) {
            add(pair.iter().collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(NameKind, String)> {
        Small.entities(text).into_iter().map(|entity| (entity.kind, entity.words.join(" "))).collect()
    }

    #[test]
    fn finds_people_places_and_organisations() {
        let found = names("Yesterday Dr. Ada Novak left Lyon. She works for the Example Institute in Kenya.");
        assert_eq!(
            found,
            [
                (NameKind::Person, "ada novak".to_owned()),
                (NameKind::Name, "lyon".to_owned()),
                (NameKind::Organisation, "example institute".to_owned()),
                (NameKind::Place, "kenya".to_owned()),
            ]
        );
    }

    #[test]
    fn a_capital_at_the_start_of_a_sentence_is_no_name_by_itself() {
        assert_eq!(names("Rain fell on Lyon. Nobody saw it."), [(NameKind::Name, "lyon".to_owned())]);
        // Seen inside a sentence as well, it is one.
        assert_eq!(names("Novak came. We saw Novak.").len(), 2);
    }

    #[test]
    fn particles_join_a_name() {
        assert_eq!(names("we visited the Banco de Ejemplo today")[0].1, "banco ejemplo");
    }

    #[test]
    fn texts_without_capitals_are_compared_by_their_terms() {
        let found = names("東京都知事");
        assert_eq!(found.len(), 4);
        assert_eq!(found[0], (NameKind::Term, "東京".to_owned()));
    }

    #[test]
    fn cosine_is_one_for_the_same_distribution_and_zero_for_nothing_in_common() {
        let profile = |text| Profile::from_text(&Small, text);
        let a = profile("we saw Novak and Novak and Lyon");
        let twice = profile("we saw Novak, Novak, Lyon, Novak, Novak, Lyon");
        assert!((a.cosine(&twice) - 1.0).abs() < 1e-12);
        assert!(a.cosine(&profile("we saw Berg")).abs() < 1e-12);
        // By hand: (2/3, 1/3) and (0, 1): 1/3 over sqrt(5)/3.
        let lyon = profile("we saw Lyon");
        assert!((a.cosine(&lyon) - 1.0 / 5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_small_text_is_matched_by_the_big_ones_frequent_names() {
        let body = Profile::from_text(&Small, "In the town of Lyon we met Ada Novak. Later Novak spoke.");
        assert!(body.similarity(&Small, "Novak at work") > 0.0);
        assert!(body.similarity(&Small, "Buy now") < f64::EPSILON);
    }
}
