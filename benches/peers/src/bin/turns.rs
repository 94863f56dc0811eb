//! Several builds of the program beside each other: CPU time per request and per page, in turn, in many short rounds. `road` has one build and
//! its peers; what two builds differ by is smaller than what this machine moves between two runs of it.
//!
//! `turns PROGRAM PROGRAM...`: the first is what the others are compared with. `ROUNDS` (40 without), `GLEANER_EXTRA` as in `road`.
//! Figures are the lower quarter of the rounds and the median (others on the machine only ever add to a round), and the ratio to the first
//! build: the median of the rounds' own ratios, because what slows a round slows all in it, and between what bounds it lies with
//! 95 % (the order statistics of a binomial distribution).

use std::{env, sync::Arc};

use anyhow::Context;
use gleaner_peers::{
    clock, corpus,
    road::{client, interception::Interception, origin, proxies},
    table::{median, turns},
};

const CONNECTIONS: usize = 64;
const REQUESTS: usize = 100;

/// Of interception: connections or streams, and requests on each.
const STREAMS: usize = 16;
const INTERCEPTED: usize = 200;

/// What is measured.
const PARTS: [&str; 4] = [
    "forwarded",
    "intercepted HTTP/1.1",
    "intercepted HTTP/2",
    "rewritten page",
];

/// Pages of a round.
const PAGES: usize = 30;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let rounds = env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(40);
    let extra = env::var("GLEANER_EXTRA").unwrap_or_default();
    let pages = corpus::pages().unwrap_or_else(|reason| {
        println!("no pages: {reason}");
        Vec::new()
    });
    let step = (pages.len() / PAGES).max(1);
    let pages = Arc::new(pages);
    let origin = origin::start(None, Arc::clone(&pages)).await?;
    let dir = tempfile::tempdir()?;
    let names: Vec<String> = env::args().skip(1).collect();
    anyhow::ensure!(names.len() > 1, "turns PROGRAM PROGRAM...");
    let mut builds = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let dir = dir.path().join(at.to_string());
        std::fs::create_dir(&dir)?;
        let _ = proxies::PROGRAM
            .lock()
            .map(|mut program| *program = Some(name.into()));
        let plain = proxies::gleaner(&dir.join("plain"), &extra)?;
        builds.push((plain, Interception::start(&dir, origin, &extra).await?));
    }
    let mut figures = vec![[const { Vec::new() }; PARTS.len()]; builds.len()];
    for round in 0..=rounds {
        for at in turns(builds.len(), round) {
            let (plain, inner) = builds.get(at).context("a build")?;
            let ours = &inner.contestants[1];
            let times = || {
                (
                    clock::of_process(plain.pid()),
                    clock::of_process(ours.pid()),
                )
            };
            let begun = times();
            client::small(plain.addr, origin, CONNECTIONS, REQUESTS).await?;
            let forwarded = times().0 - begun.0;
            inner.http1(1, STREAMS, INTERCEPTED).await?;
            let first = times().1 - begun.1;
            inner.http2(1, STREAMS, INTERCEPTED).await?;
            let second = times().1 - begun.1 - first;
            let numbers = (0..pages.len()).step_by(step);
            let asked = numbers.len() as f64;
            let paths = numbers.map(|number| format!("/page/whole/{number}"));
            let before = times().0;
            client::pages(plain.addr, origin, paths, "gzip").await?;
            let rewriting = times().0 - before;
            if round > 0 {
                figures[at][3].push(rewriting * 1e6 / asked);
                let intercepted = (STREAMS * INTERCEPTED) as f64 * 1e-6;
                figures[at][0].push(forwarded / ((CONNECTIONS * REQUESTS) as f64 * 1e-6));
                figures[at][1].push(first / intercepted);
                figures[at][2].push(second / intercepted);
            }
        }
    }
    for (part, title) in PARTS.iter().enumerate() {
        println!("{title}, CPU microseconds per request:");
        for (name, build) in names.iter().zip(&figures) {
            let (median, quarter) = (median(&build[part]), quarter(&build[part]));
            let ratios = build[part].iter().zip(&figures[0][part]);
            let (least, ratio, most) = bounds(ratios.map(|(own, first)| own / first).collect());
            println!(
                "  {name:<40} {quarter:7.2} {median:7.2}  {ratio:.3} x ({least:.3} to {most:.3})"
            );
        }
    }
    Ok(())
}

/// The median, and between what it lies.
fn bounds(mut ratios: Vec<f64>) -> (f64, f64, f64) {
    ratios.sort_by(f64::total_cmp);
    let (middle, away) = (
        ratios.len() as f64 / 2.0,
        0.98 * (ratios.len() as f64).sqrt(),
    );
    let at = |place: f64| ratios.get(place.max(0.0) as usize).or(ratios.last());
    let [least, most] = [middle - away, middle + away].map(|place| at(place).copied());
    (
        least.unwrap_or(f64::NAN),
        median(&ratios),
        most.unwrap_or(f64::NAN),
    )
}

/// What a quarter of the rounds were below.
fn quarter(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 4).copied().unwrap_or(f64::NAN)
}
