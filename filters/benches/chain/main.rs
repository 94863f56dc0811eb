//! The road of a page by size, other views of it, and the decision on an advertisement's host: CPU time of this thread,
//! so that a busy machine changes little.
//!
//! `cargo bench -p gleaner-filters --bench chain [-- --plot FILE.svg]`

mod plot;

use std::{env, fs, hint::black_box, path::Path, sync::Arc, time::Duration};

use gleaner_filters::{Chain, ChainConfig, HostList, Links, PageLimits, PageOptions, Shape, View};
use url::Url;

/// Sizes of the plot in bytes; the last is the largest page that is accepted by default.
const SIZES: [usize; 8] = [10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000];

/// Decisions that are timed together.
const ROUNDS: u32 = 100_000;

/// Times that each figure is taken; the middle one counts.
const TIMES: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = env::args().collect();
    let adservers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adservers.txt");
    let mut hosts = HostList::default();
    hosts.add(&fs::read_to_string(adservers)?)?;
    decisions("the list that ships", &hosts);
    decisions("200,000 hosts", &big_list()?);
    let limits = PageLimits { cpu: Duration::from_mins(1), ..PageLimits::default() };
    let chain = Arc::new(Chain::new(&ChainConfig::default(), limits, hosts)?);
    let url = Url::parse("https://example.org/")?;
    views(&url)?;
    let mut points = Vec::new();
    for size in SIZES {
        let page = page(size);
        let ms = median(|| drop(black_box(chain.run(&page, &url)))) * 1e3;
        println!("page of {:9} bytes: {ms:8.3} ms, {:6.2} ns/byte", page.len(), ms * 1e6 / page.len() as f64);
        points.push((page.len() as f64, ms));
    }
    if let Some(at) = arguments.iter().position(|argument| argument == "--plot")
        && let Some(file) = arguments.get(at + 1)
    {
        fs::write(file, plot::svg(&points))?;
        println!("{file}");
    }
    Ok(())
}

/// Bytes of pages of which views are timed: the mean of saved pages (WCXB dev), and the largest that the proxy keeps for them.
const VIEWED: [usize; 2] = [277_000, 1 << 20];

/// Measures the cost of a link of the bar: as in the proxy, the chain is made for it. The bound is 100 ms.
fn views(url: &Url) -> Result<(), Box<dyn std::error::Error>> {
    let shape = |shape| View { shape, ..View::default() };
    for size in VIEWED {
        let page = page(size);
        for (name, view) in [
            ("less", View { steps: -1, ..View::default() }),
            ("more", View { steps: 1, ..View::default() }),
            ("next block", View { block: 1, ..View::default() }),
            ("text", shape(Shape::Text)),
            ("why", shape(Shape::Why)),
        ] {
            let links = Links {
                view,
                to: Some(Arc::new(|view: View| view.to_string())),
                site: Some(url.clone()),
                look: url.clone(),
                book: None,
                keep: None,
            };
            let show = || -> Result<String, Box<dyn std::error::Error>> {
                let config = ChainConfig::default().for_view(view);
                let chain = Arc::new(Chain::new(&config, PageLimits::default(), HostList::default())?);
                let options = PageOptions { links: Some(links.clone()), ..PageOptions::default() };
                let mut feed = chain.page(url, options);
                feed.feed(&page)?;
                Ok(feed.finish()?.content)
            };
            show()?;
            println!("view {name:10} of {:9} bytes: {:8.3} ms", page.len(), median(|| drop(black_box(show()))) * 1e3);
        }
    }
    Ok(())
}

/// A list of 200,000 hosts, as long as the longest lists that people use.
fn big_list() -> Result<HostList, Box<dyn std::error::Error>> {
    let lines: Vec<String> = (0..200_000)
        .map(|number| format!("host{number}.ads{}.net", number % 5000))
        .chain(["doubleclick.net".to_owned()])
        .collect();
    let mut hosts = HostList::default();
    hosts.add(&lines.join("\n"))?;
    Ok(hosts)
}

/// Nanoseconds per decision: hosts that are listed, hosts below them, hosts that are not.
fn decisions(list: &str, hosts: &HostList) {
    let asked = [
        "doubleclick.net",
        "securepubads.g.doubleclick.net",
        "www.example.org",
        "images.assets.static.example.co.uk",
        "a.very.long.name.with.many.labels.in.it.example.com",
    ];
    for host in asked {
        let seconds = median(|| {
            for _ in 0..ROUNDS {
                black_box(hosts.matches(black_box(host)));
            }
        });
        println!("{list}, {host:52} {:7.1} ns", seconds * 1e9 / f64::from(ROUNDS));
    }
}

/// An ordinary page of about so many bytes: a menu, articles, links, pictures, scripts and styles in the shares of saved
/// pages (WCXB dev: 30 % scripts, 13 % styles, 44 % tags, 10 % text).
fn page(bytes: usize) -> String {
    let section = "<section class=\"card card--wide js-card\" id=\"s\" data-track='{\"a\":1,\"b\":\"two\"}'>\
        <h2 class=\"card__title\"><a href=\"/articles/2026/11/one?from=list&amp;at=3\" class=\"card__link\">A title of some words</a></h2>\
        <p class=\"card__text\">The fourth leg came with level floors and with people who lean back, says the maker.</p>\
        <img class=\"card__image lazy\" data-src=\"https://img.example.org/a/b/c.jpg\" src=\"data:image/gif;base64,R0lGODlhAQ\" alt=\"A chair\" width=\"640\" height=\"480\">\
        <ul class=\"tags\"><li class=\"tag\"><a href=\"/tag/a\">a</a></li><li class=\"tag\"><a href=\"/tag/b\">b</a></li></ul>\
        <script>window.dataLayer=window.dataLayer||[];function track(a,b){if(a<b){dataLayer.push({event:a,value:b})}}\
        track('card','shown');for(var i=0;i<3;i++){document.querySelectorAll('.card')[i].classList.add('is-ready')}</script>\
        <style>.card{display:flex;margin:0 auto}.card__title{font-size:1.2rem}</style></section>\n";
    let mut page =
        String::from("<!doctype html><html lang=en><head><meta charset=utf-8><title>A page</title></head><body><main>");
    while page.len() < bytes {
        page.push_str(section);
    }
    page.push_str("</main></body></html>");
    page
}

/// Seconds of this thread's CPU that some work takes, the median of several.
fn median(mut work: impl FnMut()) -> f64 {
    let mut figures: Vec<Duration> = (0..TIMES)
        .map(|_| {
            let before = now();
            work();
            now().saturating_sub(before)
        })
        .collect();
    figures.sort();
    figures[TIMES / 2].as_secs_f64()
}

#[cfg(unix)]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(not(unix))]
fn now() -> Duration {
    use std::{sync::LazyLock, time::Instant};
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
