//! A page beside other programs: CPU time over the same 300 pages in one process, page by page in turn.

use std::hint::black_box;

use kuchikiki::traits::TendrilSink;

use super::{
    clock, corpus,
    table::{Line, median},
};

const URL: &str = "https://example.org/page";

type Contestant = (&'static str, Box<dyn Fn(&str)>);

pub(crate) fn measure(rounds: usize, lines: &mut Vec<Line>) -> anyhow::Result<()> {
    let pages = match corpus::pages() {
        Ok(pages) => pages,
        Err(reason) => {
            println!("pages skipped: {reason}");
            return Ok(());
        }
    };
    let contestants = contestants()?;
    // Milliseconds per page of each contestant, a mean for each round.
    let mut means = vec![Vec::new(); contestants.len()];
    for _ in 0..rounds {
        let mut sums = vec![0.0; contestants.len()];
        for page in &pages {
            for ((_, work), sum) in contestants.iter().zip(&mut sums) {
                *sum += clock::of_thread(|| work(page)).as_secs_f64() * 1e3;
            }
        }
        for (means, sum) in means.iter_mut().zip(sums) {
            means.push(sum / pages.len() as f64);
        }
    }
    println!("CPU ms per page, {} pages:", pages.len());
    let medians: Vec<f64> = means.iter().map(|means| median(means)).collect();
    for ((name, _), median) in contestants.iter().zip(&medians) {
        println!("  {name:16} {median:8.2}");
    }
    for ((name, _), other) in contestants.iter().zip(&medians).skip(1) {
        lines.push(Line {
            what: format!("a page, whole default chain / {name}"),
            figure: medians[0] / other,
            unit: "x",
            at_most: None,
        });
    }
    Ok(())
}

/// Gleaner first.
fn contestants() -> anyhow::Result<Vec<Contestant>> {
    let chain = corpus::chain()?;
    let url = url::Url::parse(URL)?;
    Ok(vec![
        ("gleaner", Box::new(move |page: &str| drop(black_box(chain.run(page, &url))))),
        ("kuchikiki's parser", Box::new(|page: &str| drop(black_box(kuchikiki::parse_html().one(page))))),
        (
            "dom_smoothie",
            Box::new(|page: &str| {
                if let Ok(mut reader) = dom_smoothie::Readability::new(page, Some(URL), None) {
                    drop(black_box(reader.parse()));
                }
            }),
        ),
        ("rs-trafilatura", Box::new(|page: &str| drop(black_box(rs_trafilatura::extract(page))))),
    ])
}
