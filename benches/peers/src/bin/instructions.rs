//! Instructions of one request through each proxy, counted by callgrind: they do not move with the machine's load. One worker, warm
//! connections, of HTTP/2 one stream.
//!
//! `instructions [--keep DIR] [forward] [http1] [http2]`, all three without a name. In DIR stays what `callgrind_annotate` reads.
//! Needs valgrind; `GLEANER` and `GLEANER_EXTRA` as in `road`. With `CACHES=1` also what misses a first cache of 32 KB and a last one of
//! 512 KB, and branches guessed wrong, for all 64 connections at once of forwarded requests: callgrind's own names, per request.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::Context;
use gleaner_peers::road::{
    client,
    interception::Interception,
    origin,
    proxies::{self, Running},
};

const WARM: usize = 50;
const REQUESTS: usize = 1_024;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut wanted: Vec<String> = env::args().skip(1).collect();
    let dir = tempfile::tempdir()?;
    let mut kept = dir.path().to_owned();
    if wanted.first().is_some_and(|word| word == "--keep") {
        kept = PathBuf::from(wanted.get(1).context("--keep needs a folder")?);
        fs::create_dir_all(&kept)?;
        wanted.drain(..2);
    }
    let under = format!(
        "env TOKIO_WORKER_THREADS=1 valgrind --tool=callgrind --instr-atstart=no --callgrind-out-file={}/%p",
        kept.display()
    );
    let sees_caches = env::var_os("CACHES").is_some();
    let under = if sees_caches {
        let caches = "--I1=32768,8,64 --D1=32768,8,64 --LL=524288,8,64";
        format!("{under} --cache-sim=yes --branch-sim=yes {caches}")
    } else {
        under
    };
    let connections = if sees_caches { 64 } else { 1 };
    // Nobody else sets it.
    let _ = proxies::UNDER.set(under.split(' ').map(str::to_owned).collect());
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == part);
    let extra = env::var("GLEANER_EXTRA").unwrap_or_default();
    let origin = origin::start(None, Arc::default()).await?;
    if wants("forward") {
        println!("forwarded, instructions per request:");
        for proxy in [
            proxies::peer("hyper_proxy", &[])?,
            proxies::gleaner(dir.path(), &extra)?,
        ] {
            let requests = async |count| {
                client::small(proxy.addr, origin, connections, count / connections).await
            };
            requests(WARM * connections).await?;
            let counter = Counter::start(&proxy, "forward", &kept)?;
            requests(REQUESTS).await?;
            counter.finish()?;
        }
    }
    if sees_caches || !wants("http1") && !wants("http2") {
        return Ok(());
    }
    let peers = Interception::start(dir.path(), origin, &extra).await?;
    for (part, title) in [("http1", "HTTP/1.1"), ("http2", "HTTP/2")] {
        if !wants(part) {
            continue;
        }
        println!("intercepted {title}, instructions per request:");
        for (at, proxy) in peers.contestants.iter().enumerate() {
            // Two numbers of requests on a connection of their own each: the difference is without the handshake.
            let requests = async |count| match part {
                "http1" => peers.http1(at, 1, count).await,
                _ => peers.http2(at, 1, count).await,
            };
            requests(WARM).await?;
            let counter = Counter::start(proxy, part, &kept)?;
            requests(WARM).await?;
            let handshake = counter.count()?;
            requests(WARM + REQUESTS).await?;
            counter.finish_without(handshake)?;
        }
    }
    Ok(())
}

/// Counts for one proxy.
struct Counter<'a> {
    proxy: &'a Running,
    part: &'a str,
    dir: &'a Path,
}

impl<'a> Counter<'a> {
    fn start(proxy: &'a Running, part: &'a str, dir: &'a Path) -> anyhow::Result<Self> {
        let counter = Self { proxy, part, dir };
        counter.control(&["-i", "on"])?;
        counter.control(&["-z"])?;
        Ok(counter)
    }

    fn finish(self) -> anyhow::Result<()> {
        self.finish_without(0)
    }

    fn finish_without(self, handshake: u64) -> anyhow::Result<()> {
        let all = self.count()?;
        self.control(&["-i", "off"])?;
        let each = all.saturating_sub(handshake) / REQUESTS as u64;
        println!("  {:16} {each:8}", self.proxy.name);
        Ok(())
    }

    /// Instructions since this was asked last.
    fn count(&self) -> anyhow::Result<u64> {
        let pid = self.proxy.pid().to_string();
        self.control(&["-d"])?;
        let is_dump = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{pid}."))
        };
        let mut files = fs::read_dir(self.dir)?.filter_map(|entry| Some(entry.ok()?.path()));
        let dump = files.find(is_dump).context("no dump")?;
        let text = fs::read_to_string(&dump)?;
        fs::rename(
            &dump,
            self.dir.join(format!("{}-{}", self.part, self.proxy.name)),
        )?;
        let after = |word: &str| text.lines().rev().find_map(|line| line.strip_prefix(word));
        let names = after("events: ").context("no events")?.split_whitespace();
        let totals = after("totals: ").context("no totals")?;
        let counts: Vec<u64> = totals
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<_, _>>()?;
        for (name, count) in names.zip(&counts).skip(1) {
            println!("  {:16} {name:6} {:8}", "", count / REQUESTS as u64);
        }
        counts.first().copied().context("no counts")
    }

    fn control(&self, words: &[&str]) -> anyhow::Result<()> {
        let mut command = Command::new("callgrind_control");
        let done = command.args(words).arg(self.proxy.pid().to_string());
        anyhow::ensure!(done.output()?.status.success(), "callgrind does not obey");
        Ok(())
    }
}
