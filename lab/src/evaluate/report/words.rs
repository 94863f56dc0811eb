//! Two texts side by side, the words marked that only one of them has.

use std::ops::Range;

use maud::{Markup, html};

use super::super::align::align;
use crate::measure::words;

/// Words of a text that the report shows; of a longer one the beginning.
const MAX_WORDS: usize = 4000;

/// Both texts with the words marked that the other one does not have.
pub(super) fn compared(kept: &str, wanted: &str) -> (Markup, Markup) {
    let list = |text| -> Vec<(Range<usize>, String)> { words(text).collect() };
    let (left, right) = (list(kept), list(wanted));
    let only_words =
        |list: &[(Range<usize>, String)]| -> Vec<String> { list.iter().map(|(_, word)| word.clone()).collect() };
    let aligned = align(&only_words(&left), &only_words(&right));
    (marked(kept, &left, &aligned.left, "extra"), marked(wanted, &right, &aligned.right, "missing"))
}

fn marked(text: &str, words: &[(Range<usize>, String)], found: &[bool], class: &str) -> Markup {
    // Runs of words that are alike: where each begins and whether it was found.
    let mut runs: Vec<(usize, bool)> = vec![(0, true)];
    for ((range, _), &found) in words.iter().zip(found).take(MAX_WORDS) {
        if runs.last().is_none_or(|(_, last)| *last != found) {
            runs.push((range.start, found));
        }
    }
    let end = words.get(MAX_WORDS).map_or(text.len(), |(range, _)| range.start);
    let ends = runs.iter().skip(1).map(|(start, _)| *start).chain([end]);
    html! {
        @for ((start, found), end) in runs.iter().zip(ends) {
            @if *found { (text[*start..end]) } @else { mark class=(class) { (text[*start..end]) } }
        }
        @if end < text.len() { " …" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_only_one_side_has_are_marked() {
        let (kept, wanted) = compared("Menu. One <two> three four", "One two three four five");
        assert_eq!(kept.into_string(), "<mark class=\"extra\">Menu. </mark>One &lt;two&gt; three four");
        assert_eq!(wanted.into_string(), "One two three four <mark class=\"missing\">five</mark>");
    }

    #[test]
    fn long_texts_are_cut() {
        let words: Vec<String> = (0..MAX_WORDS + 10).map(|n| format!("w{n}")).collect();
        let text = words.join(" ");
        let (kept, _) = compared(&text, &text);
        assert!(kept.into_string().ends_with("w3999  …"));
    }
}
