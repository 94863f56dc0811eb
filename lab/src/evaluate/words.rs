//! Texts as they are compared with a reference.

use std::{collections::HashMap, sync::LazyLock};

use regex::Regex;

/// The words of a text in lower case, and how often each is there.
pub(super) fn bag(text: &str) -> HashMap<String, usize> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\w+").expect("the pattern is a constant"));
    let mut bag = HashMap::new();
    for word in WORD.find_iter(text) {
        *bag.entry(word.as_str().to_lowercase()).or_insert(0) += 1;
    }
    bag
}

/// Lower case, white space collapsed: how snippets are compared.
pub(super) fn flat(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}
