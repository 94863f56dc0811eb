//! Tells the kind of every page of a data set in the layout of WCXB, and prints the kinds annotated against those told.
//!
//! ```text
//! cargo run --release -p gleaner-filters --example kinds -- DEV_FOLDER
//! ```
//!
//! With `pages` behind the folder, every page is told too: its name, the kind annotated, the kind told.

#![allow(clippy::unwrap_used, reason = "a program for developers may panic")]

#[path = "wcxb/pages.rs"]
mod pages;

use std::{collections::BTreeMap, path::Path};

use gleaner_filters::PageType;

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of the data set");
    let counts = count(Path::new(&folder));
    let of = |kind: &str, told| counts.get(&(kind.to_owned(), told)).copied().unwrap_or(0);
    print!("{:<15}", "");
    for told in PageType::ALL {
        print!("{:>14}", told.as_str());
    }
    println!("{:>6}{:>10}{:>8}", "null", "precision", "recall");
    let (mut right, mut told_at_all, mut all) = (0, 0, 0);
    for kind in PageType::ALL {
        let name = kind.as_str();
        print!("{name:<15}");
        for told in PageType::ALL {
            print!("{:>14}", of(name, Some(told)));
        }
        let hits = of(name, Some(kind));
        let told: usize = PageType::ALL.iter().map(|of_kind| of(of_kind.as_str(), Some(kind))).sum();
        let here: usize = PageType::ALL.iter().map(|told| of(name, Some(*told))).sum();
        let pages = here + of(name, None);
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        println!("{:>6}{:>10.2}{:>8.2}", of(name, None), share(hits, told), share(hits, pages));
        right += hits;
        told_at_all += here;
        all += pages;
    }
    println!("told {told_at_all} of {all}, right {right}: {:.3} of those told", right as f64 / told_at_all as f64);
}

/// Pages by the kind annotated and the kind told.
fn count(folder: &Path) -> BTreeMap<(String, Option<PageType>), usize> {
    let chain = pages::chain();
    let mut counts = BTreeMap::new();
    for page in pages::all(folder) {
        let told = page.metadata(&chain).kind;
        if std::env::args().len() > 2 {
            let name = told.map_or("null", PageType::as_str);
            println!("{}\t{}\t{name}", page.id, page.kind);
        }
        *counts.entry((page.kind, told)).or_default() += 1;
    }
    counts
}
