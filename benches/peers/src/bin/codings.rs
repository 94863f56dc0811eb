//! Levels of the codings that rewritten pages are sent in: time and size, each level over the same pages in turn. The program's own
//! levels stand in `src/rewrite/coding.rs`.

use std::{io::Write as _, time::Instant};

use flate2::{Compression, write::GzEncoder};
use gleaner_peers::{corpus, table::median};

const ROUNDS: usize = 5;

/// Codes a page; its length.
type Coder = Box<dyn Fn(&[u8]) -> std::io::Result<usize>>;

fn main() -> anyhow::Result<()> {
    let pages = match corpus::pages() {
        Ok(pages) => pages,
        Err(reason) => {
            println!("skipped: {reason}");
            return Ok(());
        }
    };
    let (chain, url) = (corpus::chain()?, "https://example.org/page".parse()?);
    let rewritten: Vec<String> = pages
        .iter()
        .filter_map(|page| Some(chain.run(page, &url).ok()?.content))
        .collect();
    let bytes: usize = rewritten.iter().map(String::len).sum();
    let count = rewritten.len() as f64;
    println!(
        "{count} rewritten pages of {:.1} KB",
        bytes as f64 / count / 1e3
    );
    let coders = coders();
    let mut times = vec![Vec::new(); coders.len()];
    let mut sizes = vec![0; coders.len()];
    for _ in 0..ROUNDS {
        for (at, (_, code)) in coders.iter().enumerate() {
            let begun = Instant::now();
            sizes[at] = 0;
            for page in &rewritten {
                sizes[at] += code(page.as_bytes())?;
            }
            times[at].push(begun.elapsed().as_secs_f64() * 1e3 / count);
        }
    }
    for (((name, _), times), size) in coders.iter().zip(&times).zip(&sizes) {
        let kilobytes = *size as f64 / count / 1e3;
        println!("{name:<10} {:.3} ms {kilobytes:6.1} KB", median(times));
    }
    Ok(())
}

fn coders() -> Vec<(String, Coder)> {
    let mut coders: Vec<(String, Coder)> = Vec::new();
    for level in 1..=6 {
        let code = move |page: &[u8]| {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::new(level));
            gzip.write_all(page)?;
            Ok(gzip.finish()?.len())
        };
        coders.push((format!("gzip {level}"), Box::new(code)));
    }
    for level in 1..=3 {
        let code = move |page: &[u8]| Ok(zstd::bulk::compress(page, level)?.len());
        coders.push((format!("zstd {level}"), Box::new(code)));
    }
    for level in [1, 4] {
        let code = move |page: &[u8]| {
            let mut brotli = brotli::CompressorWriter::new(Vec::new(), 4096, level, 22);
            brotli.write_all(page)?;
            Ok(brotli.into_inner().len())
        };
        coders.push((format!("brotli {level}"), Box::new(code)));
    }
    coders
}
