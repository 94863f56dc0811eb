//! What hostile pages cost: `cargo run --release -p gleaner-filters --example shapes [NAME]`.
//!
//! Each shape runs in a process of its own, so that its peak memory can be read (Linux only). Columns: bytes of the page,
//! CPU milliseconds until the answer is decided, the longest wait for one piece of 16 KiB, the milliseconds of everything
//! after the last byte, growth of the process in MiB at its peak, and the outcome.

#[path = "../tests/limits/shapes.rs"]
mod shapes;

use std::{
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits, PageOptions};

fn main() {
    let wanted = std::env::args().nth(1);
    if std::env::var_os("SHAPE_CHILD").is_some() {
        return child(&wanted.unwrap_or_default());
    }
    println!("{:<40} {:>9} {:>7} {:>7} {:>7} {:>6}  outcome", "shape", "bytes", "ms", "piece", "finish", "MiB");
    for (name, _) in shapes::SHAPES {
        if wanted.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let program = std::env::current_exe().expect("this program has a path");
        let status = Command::new(program).arg(name).env("SHAPE_CHILD", "1").status();
        if !status.is_ok_and(|status| status.success()) {
            println!("{name:<40} DIED");
        }
    }
}

fn child(name: &str) {
    let Some((_, make)) = shapes::SHAPES.iter().find(|(known, _)| *known == name) else {
        return;
    };
    let limits = PageLimits::default();
    let chain = Chain::new(&ChainConfig::default(), limits, HostList::default());
    let chain = Arc::new(chain.expect("the default chain is in order"));
    let url = "https://example.org/".parse().expect("an address");
    let html = make();
    let memory = peak_mib();
    let begin = Instant::now();
    let mut longest = Duration::ZERO;
    let mut finish = Duration::ZERO;
    let mut feed = chain.page(&url, PageOptions::default());
    let mut outcome = None;
    let mut rest = html.as_str();
    while !rest.is_empty() && outcome.is_none() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(rest.len().min(16 * 1024)));
        rest = after;
        let piece_begin = Instant::now();
        outcome = feed.feed(piece).err().map(|error| error.reason().to_owned());
        longest = longest.max(piece_begin.elapsed());
    }
    let finish_begin = Instant::now();
    let outcome = match outcome {
        Some(reason) => {
            drop(feed);
            reason
        }
        None => match feed.finish() {
            Ok(filtered) => format!("rewritten, {} bytes", filtered.content.len()),
            Err(error) => error.reason().to_owned(),
        },
    };
    finish += finish_begin.elapsed();
    println!(
        "{name:<40} {:>9} {:>7} {:>7} {:>7} {:>6}  {outcome}",
        html.len(),
        begin.elapsed().as_millis(),
        longest.as_millis(),
        finish.as_millis(),
        peak_mib().saturating_sub(memory),
    );
}

/// The most memory that this process has had so far.
fn peak_mib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<usize>().ok());
    kib.unwrap_or(0) / 1024
}
