//! Gleaner beside other programs: CPU time and memory of the proxies' processes on loopback, and of the chain beside other
//! extractors. See `lab/README.md`.
//!
//! Arguments: `forward`, `bulk`, `tls`, `memory`, `pages`, or none for all. `GLEANER` names the program (default:
//! `target/release/gleaner`), `GLEANER_EXTRA` is YAML added to its configuration, `ROUNDS` how often each is measured.

mod client;
mod clock;
mod corpus;
mod interception;
mod origin;
mod pages;
mod proxies;
mod table;
mod tls;

use std::{env, net::SocketAddr, path::Path};

use interception::Interception;
use proxies::Running;
use table::{Line, median};

const CONNECTIONS: usize = 64;
const STREAMS: usize = 16;
const REQUESTS: usize = 400;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // Cargo adds `--bench`.
    let wanted: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == part);
    let dir = tempfile::tempdir()?;
    let bench = Bench {
        rounds: env::var("ROUNDS").map_or(Ok(5), |rounds| rounds.parse())?,
        origin: origin::start(None).await?,
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
    if wants("pages") {
        pages::measure(bench.rounds, &mut lines)?;
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

/// Figures of one proxy, one for each round.
struct Figures(&'static str, Vec<f64>);

impl Bench<'_> {
    fn gleaner(&self, name: &str) -> anyhow::Result<Running> {
        proxies::gleaner(&self.dir.join(name), &self.extra)
    }

    async fn forward(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let mut contestants = vec![proxies::hyper()?, self.gleaner("forward")?];
        contestants.extend(proxies::squid(&self.dir.join("squid"))?);
        let mut figures = named(&contestants);
        // The first round only warms up.
        for round in 0..=self.rounds {
            for at in table::turns(contestants.len(), round) {
                let proxy = &contestants[at];
                let before = clock::of_process(proxy.pid());
                client::small(proxy.addr, self.origin, CONNECTIONS, REQUESTS).await?;
                let spent = clock::of_process(proxy.pid()) - before;
                if round > 0 {
                    let requests = (CONNECTIONS * REQUESTS) as f64;
                    figures[at].1.push(spent * 1e6 / requests);
                }
            }
        }
        report("forwarded request, CPU microseconds", &figures);
        lines.push(ratio("forwarded request / hyper proxy", &figures, 0, 1.5));
        if figures.len() > 2 {
            lines.push(ratio("forwarded request / Squid", &figures, 2, 0.5));
        }
        Ok(())
    }

    async fn bulk(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let contestants = [proxies::hyper()?, self.gleaner("bulk")?];
        let [mut bodies, mut tunnels] = [named(&contestants), named(&contestants)];
        let mut growth: f64 = 0.0;
        let target = format!("http://{}/bulk", self.origin);
        for round in 0..self.rounds {
            for at in table::turns(contestants.len(), round) {
                let proxy = &contestants[at];
                client::small(proxy.addr, self.origin, 1, 1).await?;
                let memory = clock::memory_of(proxy.pid(), "VmRSS");
                let before = clock::of_process(proxy.pid());
                let mut stream = tokio::net::TcpStream::connect(proxy.addr).await?;
                client::bulk(&mut stream, &target, self.origin, origin::BULK).await?;
                let between = clock::of_process(proxy.pid());
                bodies[at].1.push(between - before);
                if at == 1 {
                    let most = clock::memory_of(proxy.pid(), "VmHWM");
                    growth = growth.max(most.saturating_sub(memory) as f64 / 1e6);
                }
                let mut tunnel = client::tunnel(proxy.addr, &self.origin.to_string()).await?;
                client::bulk(&mut tunnel, "/bulk", self.origin, origin::BULK).await?;
                let spent = clock::of_process(proxy.pid()) - between;
                tunnels[at].1.push(spent);
            }
        }
        report("1 GiB body, CPU seconds", &bodies);
        report("1 GiB through a tunnel, CPU seconds", &tunnels);
        lines.push(ratio("1 GiB body / hyper proxy", &bodies, 0, 1.2));
        let tunnel = "1 GiB through a tunnel / hyper proxy";
        lines.push(ratio(tunnel, &tunnels, 0, 1.2));
        lines.push(megabytes("RSS growth in a 1 GiB body", growth, 10.0));
        Ok(())
    }

    async fn tls(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let peers = Interception::start(self.dir, self.origin, &self.extra).await?;
        let contestants = &peers.contestants;
        let [mut http1, mut http2] = [named(contestants), named(contestants)];
        let requests = (STREAMS * REQUESTS) as f64;
        for round in 0..=self.rounds {
            for at in table::turns(contestants.len(), round) {
                let pid = contestants[at].pid();
                let before = clock::of_process(pid);
                peers.http1(at, STREAMS, REQUESTS).await?;
                let between = clock::of_process(pid);
                peers.http2(at, STREAMS, REQUESTS).await?;
                let after = clock::of_process(pid);
                if round > 0 {
                    http1[at].1.push((between - before) * 1e6 / requests);
                    http2[at].1.push((after - between) * 1e6 / requests);
                }
            }
        }
        for (protocol, figures) in [("HTTP/1.1", http1), ("HTTP/2", http2)] {
            let what = format!("intercepted request, {protocol}");
            report(&format!("{what}, CPU microseconds"), &figures);
            lines.push(ratio(&format!("{what} / hudsucker"), &figures, 0, 1.3));
        }
        Ok(())
    }

    async fn memory(&self, lines: &mut Vec<Line>) -> anyhow::Result<()> {
        let proxy = self.gleaner("memory")?;
        let idle = clock::memory_of(proxy.pid(), "VmRSS") as f64 / 1e6;
        let connections = client::idle(proxy.addr, self.origin, 1000).await?;
        let open = clock::memory_of(proxy.pid(), "VmRSS") as f64 / 1e6;
        drop(connections);
        lines.push(megabytes("RSS idle", idle, 20.0));
        lines.push(megabytes("RSS with 1,000 idle connections", open, 60.0));
        Ok(())
    }
}

fn named(proxies: &[Running]) -> Vec<Figures> {
    let names = proxies.iter().map(|proxy| Figures(proxy.name, Vec::new()));
    names.collect()
}

fn report(what: &str, figures: &[Figures]) {
    println!("{what}:");
    for Figures(name, figures) in figures {
        println!("  {name:16} {:8.2}", median(figures));
    }
}

/// Gleaner, the second, beside another: the median of the rounds' own ratios, because what slows a round slows all in it.
fn ratio(what: &str, figures: &[Figures], other: usize, at_most: f64) -> Line {
    let [ours, theirs] = [1, other].map(|at| &figures[at].1);
    let ratios = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs);
    Line { what: what.to_owned(), figure: median(&ratios.collect::<Vec<_>>()), unit: "x", at_most: Some(at_most) }
}

fn megabytes(what: &str, figure: f64, at_most: f64) -> Line {
    Line { what: what.to_owned(), figure, unit: "MB", at_most: Some(at_most) }
}
