//! The road of a page beside others: CPU time over the same 300 pages, contestants in turn, page by page.
//!
//! `pages [--rounds N] [--only NAME]`; with `--only` nothing is compared, for a profiler.

use std::{collections::BTreeMap, env, hint::black_box, sync::Arc};

use gleaner_filters::{Chain, benching};
use gleaner_peers::{
    clock, corpus,
    table::{self, Line, Target},
};
use kuchikiki::{NodeData, NodeRef, iter::NodeEdge, traits::TendrilSink};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const URL: &str = "https://example.org/page";

type Contestant = (&'static str, Box<dyn Fn(&str)>);

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let value = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let rounds: usize = value("--rounds").map_or(Ok(5), |rounds| rounds.parse())?;
    let only = value("--only");
    let pages = match corpus::pages() {
        Ok(pages) => pages,
        Err(reason) => {
            println!("skipped: {reason}");
            return Ok(());
        }
    };
    let chain = corpus::chain()?;
    let contestants: Vec<Contestant> = contestants(&chain)?
        .into_iter()
        .filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name))
        .collect();
    let mut sums: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut each: Vec<f64> = Vec::new();
    for round in 0..rounds {
        let mut round_sums: BTreeMap<&str, f64> = BTreeMap::new();
        for page in &pages {
            for (name, work) in &contestants {
                let ((), time) = clock::of_thread(|| work(page));
                *round_sums.entry(name).or_default() += time.as_secs_f64() * 1e3;
                if *name == "gleaner" && round + 1 == rounds {
                    each.push(time.as_secs_f64() * 1e3);
                }
            }
        }
        for (name, sum) in round_sums {
            sums.entry(name).or_default().push(sum / pages.len() as f64);
        }
    }
    println!(
        "{} pages, {rounds} rounds; CPU ms per page, median of the rounds",
        pages.len()
    );
    let per_page: BTreeMap<&str, f64> = sums
        .iter()
        .map(|(name, sums)| (*name, table::median(sums)))
        .collect();
    for (name, _) in &contestants {
        println!("{name:28} {:8.3}", per_page[name]);
    }
    if only.as_deref().is_none_or(|only| only == "gleaner") {
        print_filters(&chain, &pages, rounds);
    }
    if only.is_none() {
        let median_of = |figure: &dyn Fn() -> f64| {
            let figures: Vec<f64> = (0..rounds).map(|_| figure()).collect();
            table::median(&figures)
        };
        let after = median_of(&|| after_last_piece(&chain, &pages));
        let written = median_of(&|| written(&pages));
        println!(
            "\nkuchikiki's tree alone       {:8.3}\na third of dom_smoothie      {:8.3}",
            median_of(&|| tree_alone(&pages)),
            per_page["dom_smoothie"] / 3.0
        );
        compare(&per_page, &mut each, after, written);
    }
    Ok(())
}

/// What each filter takes of the whole road; the choice of the main content is `main_block`.
fn print_filters(chain: &Arc<Chain>, pages: &[String], rounds: usize) {
    let Ok(url) = url::Url::parse(URL) else {
        return;
    };
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds {
        let mut sums: BTreeMap<&str, f64> = BTreeMap::new();
        for page in pages.iter().filter_map(|page| chain.run(page, &url).ok()) {
            for filter in &page.report.filters {
                *sums.entry(filter.filter).or_default() += filter.cpu.as_secs_f64() * 1e3;
            }
        }
        for (name, sum) in sums {
            figures
                .entry(name)
                .or_default()
                .push(sum / pages.len() as f64);
        }
    }
    println!("\nof that each filter:");
    for (name, figures) in figures {
        println!("{name:28} {:8.3}", table::median(&figures));
    }
}

/// Share of a page's CPU time that is spent after its last 16 KiB have arrived, until the answer is there: what a client waits for
/// where the download is slower than the parser. Pages of 200 KB to 1 MB.
fn after_last_piece(chain: &Arc<Chain>, pages: &[String]) -> f64 {
    const LAST: usize = 16 * 1024;
    let (mut all, mut waited) = (0.0, 0.0);
    for page in pages {
        if !(200_000..1_000_000).contains(&page.len()) {
            continue;
        }
        let (first, last) = page.split_at(page.floor_char_boundary(page.len() - LAST));
        let Ok(url) = url::Url::parse(URL) else {
            continue;
        };
        let mut feed = chain.page(&url);
        let (fed, before) = clock::of_thread(|| feed.feed(first));
        let (answer, after) = clock::of_thread(|| {
            feed.feed(last)?;
            feed.finish_and_leave()
        });
        if fed.is_ok() && answer.is_ok() {
            all += (before + after).as_secs_f64();
            waited += after.as_secs_f64();
        }
    }
    waited / all
}

/// What our serializer takes for whole pages, as a share of what kuchikiki's takes: nothing but the writing is timed, each
/// directly after its own parse, page by page in turn. (A difference of parsing with and without it, as it was measured before, moves with everything else.)
fn written(pages: &[String]) -> f64 {
    let (mut ours, mut theirs) = (0.0, 0.0);
    for page in pages {
        let Some(laid) = benching::Laid::of(page) else {
            continue;
        };
        let (text, time) = clock::of_thread(|| laid.write());
        drop(black_box((text, laid)));
        ours += time.as_secs_f64();
        let document = kuchikiki::parse_html().one(page.as_str()).document_node;
        let (bytes, time) = clock::of_thread(|| {
            let mut out = Vec::new();
            // Into memory, which does not fail.
            let _ = document.serialize(&mut out);
            out
        });
        black_box(bytes);
        theirs += time.as_secs_f64();
    }
    ours / theirs
}

/// What every road into kuchikiki's tree takes, in CPU ms per page: the nodes of a parsed page with their names and texts, made anew, put
/// in place and freed. Nothing is read, and there are no attributes.
fn tree_alone(pages: &[String]) -> f64 {
    let mut sum = 0.0;
    for page in pages {
        let document = kuchikiki::parse_html().one(page.as_str()).document_node;
        let ((), time) = clock::of_thread(|| drop(black_box(copy(&document))));
        sum += time.as_secs_f64() * 1e3;
    }
    sum / pages.len() as f64
}

fn copy(document: &NodeRef) -> NodeRef {
    let root = NodeRef::new_document();
    let mut at = root.clone();
    for edge in document.traverse() {
        match edge {
            NodeEdge::Start(node) => {
                let copy = match node.data() {
                    NodeData::Element(element) => NodeRef::new_element(element.name.clone(), None),
                    NodeData::Text(text) => NodeRef::new_text(text.borrow().as_str()),
                    NodeData::Comment(text) => NodeRef::new_comment(text.borrow().as_str()),
                    _ => NodeRef::new_comment(""),
                };
                at.append(copy.clone());
                at = copy;
            }
            NodeEdge::End(_) => at = at.parent().unwrap_or_else(|| root.clone()),
        }
    }
    root
}

fn compare(per_page: &BTreeMap<&str, f64>, each: &mut [f64], after: f64, written: f64) {
    each.sort_by(f64::total_cmp);
    let slowest = each[each.len() * 99 / 100];
    let ratio = |a: &str, b: &str| per_page[a] / per_page[b];
    let line = |what: &str, figure, target, unit| Line {
        what: what.to_owned(),
        figure,
        target,
        unit,
    };
    table::print(&[
        line(
            "whole chain / kuchikiki's parse and drop",
            ratio("gleaner", "kuchikiki"),
            Target::AtMost(1.25),
            "x",
        ),
        line(
            "our serializer / kuchikiki's",
            written,
            Target::AtMost(0.2),
            "x",
        ),
        line(
            "dom_smoothie / whole chain",
            ratio("dom_smoothie", "gleaner"),
            Target::AtLeast(3.0),
            "x",
        ),
        line(
            "rs-trafilatura / whole chain",
            ratio("rs-trafilatura", "gleaner"),
            Target::AtLeast(3.0),
            "x",
        ),
        line(
            "99th percentile of the pages",
            slowest,
            Target::AtMost(60.0),
            "ms",
        ),
        line(
            "CPU after the last 16 KiB / CPU of the page",
            after,
            Target::AtMost(0.4),
            "x",
        ),
    ]);
}

fn contestants(chain: &Arc<Chain>) -> anyhow::Result<Vec<Contestant>> {
    let chain = Arc::clone(chain);
    let url = url::Url::parse(URL)?;
    Ok(vec![
        (
            "kuchikiki",
            Box::new(|page: &str| drop(black_box(kuchikiki::parse_html().one(page)))),
        ),
        (
            "gleaner",
            Box::new(move |page: &str| drop(black_box(chain.run(page, &url)))),
        ),
        (
            "gleaner parse",
            Box::new(|page: &str| benching::parse(page)),
        ),
        (
            "gleaner parse+table",
            Box::new(|page: &str| drop(black_box(benching::Laid::of(page)))),
        ),
        ("kuchikiki parse+write", Box::new(kuchikiki_write)),
        (
            "gleaner parse+table+write",
            Box::new(|page: &str| {
                if let Some(laid) = benching::Laid::of(page) {
                    black_box(laid.write());
                }
            }),
        ),
        (
            "dom_smoothie",
            Box::new(|page: &str| {
                if let Ok(mut reader) = dom_smoothie::Readability::new(page, Some(URL), None) {
                    drop(black_box(reader.parse()));
                }
            }),
        ),
        (
            "rs-trafilatura",
            Box::new(|page: &str| drop(black_box(rs_trafilatura::extract(page)))),
        ),
    ])
}

fn kuchikiki_write(page: &str) {
    let document = kuchikiki::parse_html().one(page);
    let mut out = Vec::new();
    // Into memory, which does not fail.
    let _ = document.document_node.serialize(&mut out);
    black_box(out);
}
