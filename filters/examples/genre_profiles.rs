//! Builds the word profiles of the filter `genre` from a data set in the layout of WCXB, and tells how well they work.
//!
//! ```text
//! cargo run --release -p gleaner-filters --example genre_profiles -- DEV_FOLDER > filters/src/filter/genre/profiles.rs
//! ```
//!
//! Domains are halved by a hash with a fixed seed; one half makes the profiles, the other is only measured (with the
//! profiles that are compiled in: build again after writing them). The same data gives the same file.

#![allow(clippy::unwrap_used, reason = "a program for developers may panic")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    io::Read as _,
    path::Path,
    sync::Arc,
};

use gleaner_filters::{
    Chain, ChainConfig, FilterName, HostList, PageLimits,
    genre::{self, Genre},
};

/// Changes which domains make the profiles.
const SEED: u64 = 2026;
/// Words in the profiles. More words help little: the rest is rare.
const WORDS: usize = 120;
/// Domains on which a word must occur: leaves out names of sites, brands and subjects.
const MIN_DOMAINS: usize = 60;

struct PageWords {
    genre: Genre,
    domain: String,
    text: String,
    counts: BTreeMap<String, u32>,
}

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of the data set");
    let pages = read(Path::new(&folder));
    let (train, test): (Vec<&PageWords>, Vec<&PageWords>) =
        pages.iter().partition(|page| hash(&page.domain).is_multiple_of(2));
    print!("{}", profiles(&train));
    for (name, half) in [("made from", &train), ("other", &test)] {
        report(name, half);
    }
}

fn read(folder: &Path) -> Vec<PageWords> {
    let config = ChainConfig {
        order: vec![FilterName::Ignore],
        floor: gleaner_filters::Floor {
            page_chars: 0,
            kept_share: 0.0,
            kept_chars: 0,
            ..gleaner_filters::Floor::default()
        },
        ..ChainConfig::default()
    };
    let chain = Chain::new(&config, PageLimits::default(), HostList::default()).unwrap();
    let chain = Arc::new(chain);
    let mut files: Vec<_> =
        fs::read_dir(folder.join("ground-truth")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .filter_map(|file| {
            let truth: serde_json::Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
            let genre = genre_of(truth["_internal"]["page_type"]["primary"].as_str()?)?;
            let url: url::Url = truth["url"].as_str()?.parse().ok()?;
            let name = file.file_stem()?.to_string_lossy().into_owned();
            let packed = fs::File::open(folder.join("html").join(format!("{name}.html.gz"))).ok()?;
            let mut html = Vec::new();
            flate2::read::GzDecoder::new(packed).read_to_end(&mut html).ok()?;
            let html = String::from_utf8_lossy(&html);
            let text = chain.extract(&html, &url).ok()?.text;
            Some(PageWords { genre, domain: url.host_str()?.to_owned(), counts: genre::count_words(&text), text })
        })
        .collect()
}

fn genre_of(page_type: &str) -> Option<Genre> {
    match page_type {
        "article" => Some(Genre::News),
        "product" | "collection" => Some(Genre::Shop),
        "forum" => Some(Genre::Forum),
        "documentation" => Some(Genre::Documentation),
        _ => None,
    }
}

/// FNV-1a with a seed.
fn hash(domain: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = domain.bytes().fold(0xcbf2_9ce4_8422_2325 ^ SEED, mix);
    hash >> 32
}

fn profiles(pages: &[&PageWords]) -> String {
    let mut domains: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut shares: BTreeMap<&str, [f64; 4]> = BTreeMap::new();
    let mut sizes = [0.0; 4];
    for page in pages {
        let total: u32 = page.counts.values().sum();
        let column = Genre::ALL.iter().position(|genre| *genre == page.genre).unwrap();
        sizes[column] += 1.0;
        for (word, count) in &page.counts {
            domains.entry(word).or_default().insert(&page.domain);
            shares.entry(word).or_default()[column] += f64::from(*count) / f64::from(total.max(1));
        }
    }
    let mut words: Vec<(&str, [f64; 4], f64)> = shares
        .into_iter()
        .filter(|(word, _)| domains[word].len() >= MIN_DOMAINS)
        .map(|(word, mut shares)| {
            for (share, size) in shares.iter_mut().zip(sizes) {
                *share /= size;
            }
            let mean = shares.iter().sum::<f64>() / 4.0;
            // What the word adds to the distances between the profiles.
            let spread = shares.iter().map(|share| (share - mean).abs()).sum();
            (word, shares, spread)
        })
        .collect();
    words.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(b.0)));
    words.truncate(WORDS);
    words.sort_by_key(|word| word.0);
    let total = |column: usize| words.iter().map(|(_, shares, _)| shares[column]).sum::<f64>();
    let mut out = String::from(
        "//! Word profiles: written by `examples/genre_profiles.rs`, not by hand. Shares of the vocabulary in ten-thousandths, for\n\
         //! news, shop, forum, documentation. Counted on WCXB (Foley, 2026, CC BY 4.0), dev, one half of the domains.\n\n\
         pub(super) const PROFILES: &[(&str, [u16; 4])] = &[\n",
    );
    for (word, shares, _) in &words {
        let row: Vec<String> =
            (0..4).map(|column| format!("{:.0}", 10_000.0 * shares[column] / total(column))).collect();
        let _ = writeln!(out, "    (\"{word}\", [{}]),", row.join(", "));
    }
    out.push_str("];\n");
    out
}

fn report(name: &str, pages: &[&PageWords]) {
    let mut told = [[0u32; 5]; 4];
    for page in pages {
        let row = Genre::ALL.iter().position(|genre| *genre == page.genre).unwrap();
        let column = genre::nearest(&page.text)
            .map_or(4, |(found, _)| Genre::ALL.iter().position(|genre| *genre == found).unwrap());
        told[row][column] += 1;
    }
    eprintln!("{name} half: rows are true, columns told: news shop forum documentation none");
    for (genre, row) in Genre::ALL.iter().zip(told) {
        eprintln!("{:<14} {row:?}", genre.name());
    }
    let right: u32 = (0..4).map(|n| told[n][n]).sum();
    let all: u32 = told.iter().flatten().sum();
    let none: u32 = told.iter().map(|row| row[4]).sum();
    eprintln!("right: {right} of {} told, {all} in all", all - none);
}
