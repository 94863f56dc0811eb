//! Tells the kind of every page of a data set in the layout of WCXB, and prints the kinds annotated against those told.
//!
//! ```text
//! cargo run --release -p gleaner-filters --example kinds -- DEV_FOLDER
//! ```

#![allow(clippy::unwrap_used, reason = "a program for developers may panic")]

use std::{collections::BTreeMap, fs, io::Read as _, path::Path, sync::Arc};

use gleaner_filters::{Chain, ChainConfig, FilterName, Floor, HostList, Kind, PageLimits};

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of the data set");
    let counts = count(Path::new(&folder));
    let of = |kind: &str, told| counts.get(&(kind.to_owned(), told)).copied().unwrap_or(0);
    print!("{:<15}", "");
    for told in Kind::ALL {
        print!("{:>14}", told.as_str());
    }
    println!("{:>6}{:>10}{:>8}", "null", "precision", "recall");
    let (mut right, mut told_at_all, mut all) = (0, 0, 0);
    for kind in Kind::ALL {
        let name = kind.as_str();
        print!("{name:<15}");
        for told in Kind::ALL {
            print!("{:>14}", of(name, Some(told)));
        }
        let hits = of(name, Some(kind));
        let told: usize = Kind::ALL
            .iter()
            .map(|of_kind| of(of_kind.as_str(), Some(kind)))
            .sum();
        let here: usize = Kind::ALL.iter().map(|told| of(name, Some(*told))).sum();
        let pages = here + of(name, None);
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        println!(
            "{:>6}{:>10.2}{:>8.2}",
            of(name, None),
            share(hits, told),
            share(hits, pages)
        );
        right += hits;
        told_at_all += here;
        all += pages;
    }
    println!(
        "told {told_at_all} of {all}, right {right}: {:.3} of those told",
        right as f64 / told_at_all as f64
    );
}

/// Pages by the kind annotated and the kind told.
fn count(folder: &Path) -> BTreeMap<(String, Option<Kind>), usize> {
    let config = ChainConfig {
        order: vec![FilterName::Ignore],
        floor: Floor {
            page_chars: 0,
            kept_share: 0.0,
            kept_chars: 0,
            ..Floor::default()
        },
        ..ChainConfig::default()
    };
    let limits = PageLimits {
        cpu: std::time::Duration::from_mins(1),
        ..PageLimits::default()
    };
    let chain = Arc::new(Chain::new(&config, limits, HostList::default()).unwrap());
    let mut counts = BTreeMap::new();
    for file in fs::read_dir(folder.join("ground-truth")).unwrap() {
        let file = file.unwrap().path();
        let truth: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let kind = truth["_internal"]["page_type"]["primary"]
            .as_str()
            .unwrap()
            .to_owned();
        let url = truth["url"].as_str().and_then(|url| url.parse().ok());
        let url = url.unwrap_or_else(|| "about:blank".parse().unwrap());
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let packed = fs::File::open(folder.join("html").join(format!("{name}.html.gz"))).unwrap();
        let mut html = Vec::new();
        flate2::read::GzDecoder::new(packed)
            .read_to_end(&mut html)
            .unwrap();
        let told = match chain.extract(&String::from_utf8_lossy(&html), &url) {
            Ok(extract) => extract.metadata.kind,
            Err(_) => None,
        };
        *counts.entry((kind, told)).or_default() += 1;
    }
    assert!(!counts.is_empty(), "the folder holds no pages");
    counts
}
