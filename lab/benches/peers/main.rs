//! The forwarding road beside others: CPU time of the proxies' processes, in turn, on loopback.
//!
//! `road [forward] [bulk] [tls] [memory] [page] [overlap] [start]`, all without arguments. `GLEANER` names the program, `GLEANER_EXTRA` is
//! YAML laid over its configuration, `ROUNDS` how often everything is measured.

use std::{env, net::SocketAddr, path::Path, sync::Arc, time::Instant};

use gleaner_peers::{
    clock, corpus,
    road::{
        client,
        interception::Interception,
        origin,
        proxies::{self, Running},
    },
    table::{self, Line, Target, median},
};

const CONNECTIONS: usize = 64;
const REQUESTS: usize = 400;
const GB: f64 = 1e9;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let wanted: Vec<String> = env::args().skip(1).collect();
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == part);
    let rounds = env::var("ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(5);
    let dir = tempfile::tempdir()?;
    let bench = Bench {
        rounds,
        origin: origin::start(None, Arc::default()).await?,
        dir: dir.path(),
        extra: env::var("GLEANER_EXTRA").unwrap_or_default(),
    };
    let mut lines = Vec::new();
    if wants("forward") {
        bench.forward(&mut lines).await?;
    }
    if wants("bulk") {
        bench.bulk(&mut lines).await?;
    }
    if wants("tls") {
        bench.tls(&mut lines).await?;
    }
    if wants("memory") {
        bench.memory(&mut lines).await?;
    }
    if wants("page") {
        bench.page(&mut lines).await?;
    }
    if wants("overlap") {
        bench.overlap(&mut lines).await?;
    }
    if wants("start") {
        bench.start(&mut lines).await?;
    }
    table::print(&lines);
    Ok(())
}

struct Bench<'a> {
    rounds: usize,
    origin: SocketAddr,
    dir: &'a Path,
    extra: String,
}

/// Figures of one proxy, a round each.
struct Figures(&'static str, Vec<f64>);

impl Bench<'_> {
    async fn forward(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let mut contestants = vec![
            proxies::peer("hyper_proxy", &[])?,
            proxies::gleaner(&self.dir.join("forward"), &self.extra)?,
        ];
        contestants.extend(proxies::squid(&self.dir.join("squid"))?);
        let mut figures = named(&contestants);
        // The first round only warms up.
        for round in 0..=self.rounds {
            for at in table::turns(contestants.len(), round) {
                let (proxy, figures) = (&contestants[at], &mut figures[at]);
                let before = clock::of_process(proxy.pid());
                client::small(proxy.addr, self.origin, CONNECTIONS, REQUESTS).await?;
                let spent = clock::of_process(proxy.pid()) - before;
                if round > 0 {
                    figures
                        .1
                        .push(spent * 1e6 / (CONNECTIONS * REQUESTS) as f64);
                }
            }
        }
        report("CPU microseconds per request", &figures);
        lines.push(paired("unfiltered request / hyper proxy", &figures, 0, 1.1));
        if figures.len() > 2 {
            lines.push(paired("unfiltered request / Squid", &figures, 2, 0.35));
        }
        Ok(())
    }

    async fn bulk(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let contestants = [
            proxies::peer("hyper_proxy", &[])?,
            proxies::gleaner(&self.dir.join("bulk"), &self.extra)?,
        ];
        let [mut streams, mut tunnels] = [named(&contestants), named(&contestants)];
        let mut growth = 0.0;
        let target = format!("http://{}/bulk", self.origin);
        for round in 0..self.rounds {
            for at in table::turns(contestants.len(), round) {
                let proxy = &contestants[at];
                client::small(proxy.addr, self.origin, 1, 1).await?;
                let memory = clock::memory_of(proxy.pid(), "VmRSS");
                let before = clock::of_process(proxy.pid());
                let mut stream = tokio::net::TcpStream::connect(proxy.addr).await?;
                client::bulk(&mut stream, &target, self.origin, origin::BULK).await?;
                streams[at]
                    .1
                    .push((clock::of_process(proxy.pid()) - before) * GB / origin::BULK as f64);
                if at == 1 {
                    let most = clock::memory_of(proxy.pid(), "VmHWM");
                    growth = f64::max(growth, most.saturating_sub(memory) as f64 / 1e6);
                }
                let before = clock::of_process(proxy.pid());
                let mut tunnel = client::tunnel(proxy.addr, &self.origin.to_string()).await?;
                client::bulk(&mut tunnel, "/bulk", self.origin, origin::BULK).await?;
                tunnels[at]
                    .1
                    .push((clock::of_process(proxy.pid()) - before) * GB / origin::BULK as f64);
            }
        }
        report("stream, CPU s/GB", &streams);
        report("tunnel, CPU s/GB", &tunnels);
        lines.push(paired("1 GiB body / hyper proxy", &streams, 0, 1.0));
        let tunnel = "1 GiB through a tunnel / hyper proxy";
        lines.push(paired(tunnel, &tunnels, 0, 1.0));
        lines.push(figure("memory growth in a 1 GiB body", growth, 10.0, "MB"));
        Ok(())
    }

    async fn tls(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let peers = Interception::start(self.dir, self.origin, &self.extra).await?;
        let contestants = &peers.contestants;
        let [mut first, mut second] = [named(contestants), named(contestants)];
        for round in 0..=self.rounds {
            for at in table::turns(contestants.len(), round) {
                let proxy = &contestants[at];
                let before = clock::of_process(proxy.pid());
                peers.http1(at, 16, REQUESTS).await?;
                let between = clock::of_process(proxy.pid());
                peers.http2(at, 16, REQUESTS).await?;
                let after = clock::of_process(proxy.pid());
                if round > 0 {
                    first[at]
                        .1
                        .push((between - before) * 1e6 / (16 * REQUESTS) as f64);
                    second[at]
                        .1
                        .push((after - between) * 1e6 / (16 * REQUESTS) as f64);
                }
            }
        }
        report("intercepted HTTP/1.1, CPU microseconds per request", &first);
        report("intercepted HTTP/2, CPU microseconds per request", &second);
        lines.push(paired(
            "intercepted HTTP/1.1 request / hudsucker",
            &first,
            0,
            0.9,
        ));
        lines.push(paired(
            "intercepted HTTP/2 request / hudsucker",
            &second,
            0,
            0.9,
        ));
        let client = peers.client(1, b"http/1.1")?;
        let (mut new, mut warm) = (Vec::new(), Vec::new());
        for last in 2..=60 {
            let config = Some(Arc::clone(&peers.origins));
            let origin = origin::start_at(last, config, Arc::default()).await?;
            let host = origin.to_string();
            new.push(
                client::contact(contestants[1].addr, &host, &client)
                    .await?
                    .as_secs_f64()
                    * 1e3,
            );
            warm.push(
                client::contact(contestants[1].addr, &host, &client)
                    .await?
                    .as_secs_f64()
                    * 1e3,
            );
        }
        let more = median(&new) - median(&warm);
        lines.push(figure(
            "first contact with a host, more than the second",
            more,
            5.0,
            "ms",
        ));
        Ok(())
    }

    async fn memory(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let proxy = proxies::gleaner(&self.dir.join("memory"), &self.extra)?;
        let idle = clock::memory_of(proxy.pid(), "VmRSS") as f64 / 1e6;
        let connections = client::idle(proxy.addr, self.origin, 1000).await?;
        let busy = clock::memory_of(proxy.pid(), "VmRSS") as f64 / 1e6;
        drop(connections);
        if let Ok(pages) = corpus::pages() {
            self.many_pages(&proxy, pages, lines).await?;
        }
        lines.push(figure("memory when idle", idle, 15.0, "MB"));
        lines.push(figure(
            "memory with 1,000 idle connections",
            busy,
            40.0,
            "MB",
        ));
        let ours = self
            .tunnels(&proxies::gleaner(&self.dir.join("tunnels"), &self.extra)?)
            .await?;
        let bare = self.tunnels(&proxies::peer("hyper_proxy", &[])?).await?;
        println!(
            "a tunnel that waits, KB: hyper_proxy {:.1}, gleaner {:.1}",
            bare / 1e3,
            ours / 1e3
        );
        lines.push(figure(
            "memory of a tunnel that waits / hyper proxy",
            ours / bare,
            1.0,
            "x",
        ));
        Ok(())
    }

    /// Bytes that a tunnel takes while nothing moves in it, of 1,000.
    async fn tunnels(&self, proxy: &Running) -> anyhow::Result<f64> {
        const TUNNELS: usize = 1000;
        let before = clock::memory_of(proxy.pid(), "VmRSS");
        let tunnels = client::idle_tunnels(proxy.addr, self.origin, TUNNELS).await?;
        let after = clock::memory_of(proxy.pid(), "VmRSS");
        drop(tunnels);
        Ok(after.saturating_sub(before) as f64 / TUNNELS as f64)
    }

    /// Memory that 64 pages take at once, as a multiple of their size.
    async fn many_pages(
        &self,
        proxy: &Running,
        pages: Vec<String>,
        lines: &mut Vec<Line>,
    ) -> anyhow::Result<()> {
        const PAGES: usize = 64;
        let Some(page) = pages
            .into_iter()
            .find(|page| (400_000..900_000).contains(&page.len()))
        else {
            return Ok(());
        };
        let bytes = page.len() * PAGES;
        let origin = origin::start(None, Arc::new(vec![page])).await?;
        let before = clock::memory_of(proxy.pid(), "VmRSS");
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..PAGES {
            tasks.spawn(client::page(proxy.addr, origin, "/page/slow/0"));
        }
        let mut rewritten = 0;
        while let Some(head) = tasks.join_next().await {
            rewritten += usize::from(head??.contains("rewritten"));
        }
        let growth = clock::memory_of(proxy.pid(), "VmHWM").saturating_sub(before);
        println!(
            "{rewritten} of {PAGES} pages at once were rewritten; {:.0} MB more",
            growth as f64 / 1e6
        );
        lines.push(figure(
            "memory of 64 pages at once / their size",
            growth as f64 / bytes as f64,
            8.0,
            "x",
        ));
        Ok(())
    }

    /// What a page costs in the proxy, beside the chain by itself on a thread of this process.
    async fn page(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let pages = match corpus::pages() {
            Ok(pages) => Arc::new(pages),
            Err(reason) => {
                println!("page skipped: {reason}");
                return Ok(());
            }
        };
        let origin = origin::start(None, Arc::clone(&pages)).await?;
        let proxy = proxies::gleaner(&self.dir.join("page"), &self.extra)?;
        let (chain, url) = (corpus::chain()?, format!("http://{origin}/page/whole/0"));
        let url = url.parse()?;
        let contestants = ["chain", "gzip", "identity", "undeclared"];
        let mut figures = contestants.map(|name| Figures(name, Vec::new()));
        let mut rewritten = 0;
        for round in 0..=self.rounds {
            for Figures(name, figures) in &mut figures {
                let spent = if *name == "chain" {
                    let work = || {
                        pages
                            .iter()
                            .filter(|page| chain.run(page, &url).is_ok())
                            .count()
                    };
                    clock::of_thread(work).1.as_secs_f64()
                } else {
                    let (how, coding) = match *name {
                        "gzip" => ("whole", "gzip"),
                        "identity" => ("whole", "identity"),
                        _ => ("undeclared", "identity"),
                    };
                    let paths = (0..pages.len()).map(|page| format!("/page/{how}/{page}"));
                    let before = clock::of_process(proxy.pid());
                    rewritten = client::pages(proxy.addr, origin, paths, coding).await?;
                    clock::of_process(proxy.pid()) - before
                };
                if round > 0 {
                    figures.push(spent * 1e3 / pages.len() as f64);
                }
            }
        }
        println!("{rewritten} of {} pages were rewritten", pages.len());
        let each = report("CPU ms per page", &figures);
        for (name, figure) in contestants.iter().zip(&each).skip(1) {
            lines.push(Line {
                what: format!("page in the proxy, {name} / its chain"),
                figure: figure / each[0],
                target: Target::None,
                unit: "x",
            });
        }
        Ok(())
    }

    /// From the last byte of a page upstream to its last byte at the client.
    async fn overlap(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let pages = match corpus::pages() {
            Ok(pages) => pages,
            Err(reason) => {
                println!("overlap skipped: {reason}");
                return Ok(());
            }
        };
        let proxy = proxies::gleaner(&self.dir.join("overlap"), &self.extra)?;
        let (mut whole, mut pieces) = (0.0, 0.0);
        let sizes = 200_000..1_000_000;
        for page in pages
            .into_iter()
            .filter(|page| sizes.contains(&page.len()))
            .take(20)
        {
            let origin = origin::start(None, Arc::new(vec![page])).await?;
            let [mut at_once, mut slowly] = [Vec::new(), Vec::new()];
            for _ in 0..self.rounds {
                for (path, times) in [
                    ("/page/whole/0", &mut at_once),
                    ("/page/slow/0", &mut slowly),
                ] {
                    let head = client::page(proxy.addr, origin, path).await?;
                    if head.contains("rewritten") {
                        times.push(origin::since_page().as_secs_f64() * 1e3);
                    }
                }
            }
            if !at_once.is_empty() && at_once.len() == slowly.len() {
                whole += median(&at_once);
                pieces += median(&slowly);
            }
        }
        println!(
            "from the last byte upstream to the last byte sent, ms, sums over pages of 200 KB to 1 MB:"
        );
        println!("  whole {whole:.1}, in pieces of 16 KiB over 300 ms {pieces:.1}");
        lines.push(ratio(
            "last byte to last byte, pieces / whole",
            pieces,
            whole,
            0.4,
        ));
        Ok(())
    }

    async fn start(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let mut figures = Vec::new();
        for _ in 0..self.rounds {
            let begun = Instant::now();
            let proxy = proxies::gleaner(&self.dir.join("start"), &self.extra)?;
            client::small(proxy.addr, self.origin, 1, 1).await?;
            figures.push(begun.elapsed().as_secs_f64() * 1e3);
        }
        lines.push(figure(
            "start to first answer",
            median(&figures),
            100.0,
            "ms",
        ));
        Ok(())
    }
}

fn named(proxies: &[Running]) -> Vec<Figures> {
    proxies
        .iter()
        .map(|proxy| Figures(proxy.name, Vec::new()))
        .collect()
}

fn report(what: &str, figures: &[Figures]) -> Vec<f64> {
    println!("{what}:");
    let medians = figures.iter().map(|Figures(name, figures)| {
        let median = median(figures);
        println!("  {name:16} {median:8.2}");
        median
    });
    medians.collect()
}

/// Ours, the second, beside another: the median of the rounds' own ratios, because what slows a round slows all in it.
fn paired(what: &str, figures: &[Figures], other: usize, most: f64) -> Line {
    let [ours, theirs] = [1, other].map(|at| &figures[at].1);
    let ratios = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs);
    ratio(what, median(&ratios.collect::<Vec<_>>()), 1.0, most)
}

fn ratio(what: &str, ours: f64, theirs: f64, most: f64) -> Line {
    figure(what, ours / theirs, most, "x")
}

fn figure(what: &str, figure: f64, most: f64, unit: &'static str) -> Line {
    Line {
        what: what.to_owned(),
        figure,
        target: Target::AtMost(most),
        unit,
    }
}
