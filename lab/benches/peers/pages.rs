//! A page beside other programs: CPU time over the same 300 pages in one process, beside one of them at a time and page
//! by page in turn.

use std::hint::black_box;

use kuchikiki::traits::TendrilSink;

use super::{
    clock, corpus,
    table::{Line, median},
};

const URL: &str = "https://example.org/page";

type Work = Box<dyn Fn(&str)>;

pub(crate) fn measure(rounds: usize, lines: &mut Vec<Line>) -> anyhow::Result<()> {
    let pages = match corpus::pages() {
        Ok(pages) => pages,
        Err(reason) => {
            println!("pages skipped: {reason}");
            return Ok(());
        }
    };
    let gleaner = gleaner()?;
    for (name, rival) in rivals() {
        // Milliseconds per page of the two, a mean for each round.
        let mut means = [Vec::new(), Vec::new()];
        for round in 0..rounds {
            let mut sums = [0.0; 2];
            for (number, page) in pages.iter().enumerate() {
                // Who comes second finds the page in the processor's caches.
                let turns = if (round + number) % 2 == 0 { [0, 1] } else { [1, 0] };
                for turn in turns {
                    let work: &Work = if turn == 0 { &gleaner } else { &rival };
                    sums[turn] += clock::of_thread(|| work(page)).as_secs_f64() * 1e3;
                }
            }
            for (means, sum) in means.iter_mut().zip(sums) {
                means.push(sum / pages.len() as f64);
            }
        }
        let [ours, theirs] = means.map(|means| median(&means));
        println!("CPU ms per page, {} pages: {ours:.2}, {name} {theirs:.2}", pages.len());
        lines.push(Line {
            what: format!("a page, whole default chain / {name}"),
            figure: ours / theirs,
            unit: "x",
            at_most: None,
        });
    }
    Ok(())
}

fn gleaner() -> anyhow::Result<Work> {
    let chain = corpus::chain()?;
    let url = url::Url::parse(URL)?;
    Ok(Box::new(move |page: &str| drop(black_box(chain.run(page, &url)))))
}

fn rivals() -> [(&'static str, Work); 3] {
    [
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
    ]
}
