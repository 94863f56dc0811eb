//! Measures the authors and days that are told of the pages of a data set in the layout of WCXB.
//!
//! ```text
//! cargo run --release -p gleaner-filters --example authors -- DEV_FOLDER [pages]
//! ```
//!
//! An author is right where half of the words are the same (word F1, as titles are measured), a day where it is the same
//! day. *Wrong* and *missing* are of the pages that have one; *unasked* are told of pages whose annotation has none. With
//! `pages`, every page whose author is not right is told too.

#![allow(clippy::unwrap_used, reason = "a program for developers may panic")]

#[path = "wcxb/pages.rs"]
mod pages;

use std::{collections::BTreeMap, path::Path};

/// From which share of common words a name is right.
const RIGHT: f64 = 0.5;

/// Results of one kind of page.
#[derive(Clone, Copy, Default)]
struct Counts {
    right: usize,
    wrong: usize,
    missing: usize,
    unasked: usize,
    neither: usize,
}

impl Counts {
    fn add(&mut self, told: Option<&str>, known: Option<&str>, is_right: bool) -> &'static str {
        let (count, name) = match (told, known) {
            (Some(_), Some(_)) if is_right => (&mut self.right, "right"),
            (Some(_), Some(_)) => (&mut self.wrong, "wrong"),
            (None, Some(_)) => (&mut self.missing, "missing"),
            (Some(_), None) => (&mut self.unasked, "unasked"),
            (None, None) => (&mut self.neither, "neither"),
        };
        *count += 1;
        name
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of the data set");
    let is_long = std::env::args().nth(2).is_some_and(|word| word == "pages");
    let chain = pages::chain();
    let mut counts: BTreeMap<(&str, String), Counts> = BTreeMap::new();
    for page in pages::all(Path::new(&folder)) {
        let known = |key: &str| page.truth[key].as_str().filter(|value| !value.is_empty());
        let told = page.metadata(&chain);
        let author = (told.author.as_deref(), known("author"));
        let day = (told.date.as_deref(), known("publish_date"));
        let is_name = matches!(author, (Some(told), Some(known)) if likeness(told, known) >= RIGHT);
        for kind in [page.kind.clone(), "all".to_owned()] {
            let of = counts.entry(("author", kind.clone())).or_default();
            let outcome = of.add(author.0, author.1, is_name);
            let of = counts.entry(("day", kind.clone())).or_default();
            let day_outcome = of.add(day.0, day.1, day.0 == day.1);
            if is_long && kind != "all" {
                println!("{}\t{kind}\t{outcome}\t{author:?}\t{day_outcome}\t{day:?}", page.id);
            }
        }
    }
    println!("{:<8}{:<15}{:>7}{:>7}{:>9}{:>9}{:>9}", "", "", "right", "wrong", "missing", "unasked", "neither");
    for ((what, kind), of) in counts {
        println!(
            "{what:<8}{kind:<15}{:>7}{:>7}{:>9}{:>9}{:>9}",
            of.right, of.wrong, of.missing, of.unasked, of.neither
        );
    }
}

/// Word F1 of two names.
fn likeness(left: &str, right: &str) -> f64 {
    let words = |name: &str| -> Vec<String> {
        let words = name.split(|c: char| !c.is_alphanumeric());
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (left, mut right) = (words(left), words(right));
    let total = left.len() + right.len();
    let mut common: f64 = 0.0;
    for word in left {
        if let Some(at) = right.iter().position(|known| *known == word) {
            right.swap_remove(at);
            common += 1.0;
        }
    }
    2.0 * common / total.max(1) as f64
}
