//! `blocking`: what the lists of the configuration save on pages whose main content is known, what they cost, and how fast they are.
//!
//! The requests of a page are the addresses in its HTML that a browser would load: those that its scripts ask for are not in
//! there. Text is compared without the choice of a main block, so that a word is lost only by a rule of a list.

use std::{
    collections::HashSet,
    fs,
    io::Write,
    net::IpAddr,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use gleaner::{
    Config, LoadedConfig,
    blocking::{BlockingRequest, Verdict, kind},
    config::{ClientInfo, Lookup},
    offline::parallel,
};
use gleaner_filters::{
    Blocker, Chain, ChainConfig, FilterName, Floor, Format, Hiding, HostList, Names, PageLimits, Resource,
    output::Style,
};
use url::Url;

use crate::{
    dataset::{self, Sample},
    measure::{Bag, WordScore, bag, common},
};

/// Arguments of `blocking`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder with html/*.html.gz and ground-truth/*.json
    dataset: PathBuf,
    /// Writes so many of the requests with their decisions into a file, for `lab/ghostery.mjs`
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    /// How many
    #[arg(long, default_value_t = 5000)]
    most: usize,
    /// The device whose requests are timed, with what its profile blocks
    #[arg(long, default_value = "127.0.0.1")]
    client: IpAddr,
}

/// Records the requests of the chain about a page.
struct Recorder {
    lists: Arc<dyn Blocker>,
    asked: Mutex<Vec<(Url, Resource, bool)>>,
    hiding: Mutex<Option<Hiding>>,
}

impl Blocker for Recorder {
    fn blocks(&self, page: &Url, address: &Url, wanted: Resource) -> bool {
        let blocks = self.lists.blocks(page, address, wanted);
        if wanted != Resource::Document || blocks {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.push((address.clone(), wanted, blocks));
        }
        blocks
    }

    fn hiding(&self, page: &Url, names: &dyn Fn() -> Names) -> Option<Hiding> {
        let hiding = self.lists.hiding(page, names);
        self.hiding.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&hiding);
        hiding
    }
}

/// One rule alone.
enum One {
    Selector(String),
    Address(Url, Resource),
}

impl Blocker for One {
    fn blocks(&self, _: &Url, address: &Url, wanted: Resource) -> bool {
        matches!(self, One::Address(one, kind) if one == address && wanted == *kind)
    }

    fn hiding(&self, _: &Url, _: &dyn Fn() -> Names) -> Option<Hiding> {
        match self {
            One::Selector(one) => Some(Hiding { own: vec![one.clone()], ..Hiding::default() }),
            One::Address(..) => None,
        }
    }
}

/// The outcome of one page.
#[derive(Default)]
struct Outcome {
    requests: Vec<(Url, Url, Resource, bool)>,
    elements: usize,
    bytes: (usize, usize),
    words: (usize, usize),
    lost: Vec<String>,
    whole: (f64, f64),
    passed: bool,
}

pub(crate) fn run(args: &Args, lookup: &Lookup) -> anyhow::Result<()> {
    let before = resident();
    let started = Instant::now();
    let LoadedConfig { config, blocker: lists, .. } = LoadedConfig::find(lookup)?;
    let loaded = started.elapsed();
    println!("lists                 read in {loaded:.0?}, {} MB", (resident().saturating_sub(before)) / 1024);
    for list in lists.lists() {
        println!("                      {} {:?} {}", list.source, list.counts, list.problem.as_deref().unwrap_or(""));
    }
    let mut outcomes = Vec::new();
    parallel::in_order(
        dataset::all(&args.dataset)?.iter(),
        |pair| Sample::read(pair, usize::MAX).map(|page| measure(&page, &lists)),
        |outcome| outcome.map(|outcome| outcomes.push(outcome)),
    )?;
    report(&outcomes);
    speed(&outcomes, &config, &lists, args.client);
    if let Some(file) = &args.decisions {
        let all: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.requests).collect();
        let step = (all.len() / args.most.max(1)).max(1);
        let mut out = fs::File::create(file)?;
        for (page, address, wanted, _) in all.into_iter().step_by(step).take(args.most) {
            let said = match lists.judge(&BlockingRequest::new(address.clone(), Some(page.clone()), kind(*wanted))) {
                Verdict::Blocked { rule, .. } => format!("blocked\t{rule}"),
                Verdict::Excepted { exception, .. } => format!("free\t{exception}"),
                Verdict::ParamsRemoved { to, .. } => format!("free\tto {to}"),
                Verdict::Allowed => "free\t".to_owned(),
            };
            writeln!(out, "{address}\t{page}\t{}\t{said}", kind(*wanted))?;
        }
    }
    Ok(())
}

/// Only the removal of advertisements, written in this format.
fn only_ads(format: Format) -> ChainConfig {
    let mut filters = ChainConfig { order: vec![FilterName::AdServers], ..ChainConfig::default() };
    filters.floor = Floor { page_chars: 0, kept_share: 0.0, kept_chars: 0, ..Floor::default() };
    filters.output.format = format;
    filters.output.style = Style::Original;
    filters
}

fn limits() -> PageLimits {
    PageLimits { cpu: Duration::from_secs(30), ..PageLimits::default() }
}

fn content(filters: &ChainConfig, lists: Arc<dyn Blocker>, page: &Sample) -> Option<(String, usize)> {
    let chain = Arc::new(Chain::new(filters, limits(), lists).ok()?);
    let filtered = chain.run(&page.html, &page.url).ok()?;
    let removed = filtered.report.filters.iter().map(|filter| filter.removed).sum();
    Some((filtered.content, removed))
}

fn measure(page: &Sample, lists: &Arc<gleaner::blocking::Blocker>) -> Outcome {
    let in_force = || Arc::<gleaner::blocking::Blocker>::clone(lists) as Arc<dyn Blocker>;
    let nothing = || Arc::<dyn Blocker>::from(HostList::default());
    let recorder = Arc::new(Recorder { lists: in_force(), asked: Mutex::default(), hiding: Mutex::default() });
    let (html, text) = (only_ads(Format::Html), only_ads(Format::Text));
    let pages = (content(&html, nothing(), page), content(&html, Arc::<Recorder>::clone(&recorder), page));
    if pages.1.is_none() {
        // A page whose markup is in doubt passes where its scripts are kept, and is read where they go: it asks for the same.
        let order = vec![FilterName::AdServers, FilterName::Ignore];
        let without_scripts = ChainConfig { output: ChainConfig::default().output, order, ..html.clone() };
        content(&without_scripts, Arc::<Recorder>::clone(&recorder), page);
    }
    let asked = std::mem::take(&mut *recorder.asked.lock().unwrap_or_else(PoisonError::into_inner));
    let blocked: HashSet<_> =
        asked.iter().filter(|(.., blocks)| *blocks).map(|(address, wanted, _)| (address.clone(), *wanted)).collect();
    let mut seen = HashSet::new();
    let requests: Vec<_> = asked
        .into_iter()
        .filter(|(address, wanted, _)| {
            // Links to other pages, feeds and icons of phones are not loaded.
            ["http", "https"].contains(&address.scheme())
                && !matches!(wanted, Resource::Other | Resource::Document)
                && seen.insert(address.clone())
        })
        .map(|(address, wanted, blocks)| (page.url.clone(), address, wanted, blocks))
        .collect();
    let (Some((whole, _)), Some((cleaned, elements))) = pages else {
        return Outcome { requests, passed: true, ..Outcome::default() };
    };
    let reference = &page.reference.words;
    let kept =
        |lists: Arc<dyn Blocker>| content(&text, lists, page).map_or(0, |(text, _)| common(reference, &bag(&text)));
    let words = (kept(nothing()), kept(in_force()));
    let mut outcome = Outcome {
        elements,
        bytes: (whole.len(), cleaned.len()),
        words,
        whole: (f1(page, nothing(), reference), f1(page, in_force(), reference)),
        ..Outcome::default()
    };
    if words.1 < words.0 {
        let hiding = recorder.hiding.lock().unwrap_or_else(PoisonError::into_inner).clone().unwrap_or_default();
        let common = hiding.common.iter().flat_map(|common| common.texts());
        let common = common.filter(|text| !hiding.except.contains(*text)).map(str::to_owned);
        let selectors = hiding.own.iter().cloned().chain(common).map(One::Selector);
        let blocked = blocked.into_iter().map(|(address, wanted)| One::Address(address, wanted));
        for one in selectors.chain(blocked) {
            let name = match &one {
                One::Selector(text) => format!("##{text}"),
                One::Address(address, wanted) => format!("{address} as {}", kind(*wanted)),
            };
            let left = kept(Arc::new(one));
            if left < words.0 {
                outcome.lost.push(format!("{} {}: {} of {} words: {name}", page.id, page.url, words.0 - left, words.0));
            }
        }
    }
    outcome.requests = requests;
    outcome
}

/// Word F1 of the whole default chain.
fn f1(page: &Sample, lists: Arc<dyn Blocker>, reference: &Bag) -> f64 {
    let mut filters = ChainConfig::default();
    filters.output.format = Format::Text;
    let text = content(&filters, lists, page).map(|(text, _)| text).unwrap_or_default();
    WordScore::new(&bag(&text), reference).f1
}

fn report(outcomes: &[Outcome]) {
    let sum = |of: fn(&Outcome) -> usize| outcomes.iter().map(of).sum::<usize>();
    let measured = outcomes.iter().filter(|outcome| !outcome.passed).count();
    let requests = sum(|outcome| outcome.requests.len());
    let blocked = sum(|outcome| outcome.requests.iter().filter(|(.., blocks)| *blocks).count());
    println!(
        "pages                 {measured}, and {} that pass, with their requests alone",
        outcomes.len() - measured
    );
    println!("requests in the HTML  {requests} before, {} after", requests - blocked);
    for wanted in
        [Resource::Script, Resource::Image, Resource::Frame, Resource::Stylesheet, Resource::Media, Resource::Object]
    {
        let all = || outcomes.iter().flat_map(|outcome| &outcome.requests).filter(|(_, _, kind, _)| *kind == wanted);
        println!(
            "                      {:12} {} before, {} after",
            kind(wanted),
            all().count(),
            all().filter(|(.., blocks)| !blocks).count()
        );
    }
    println!("elements removed      {}", sum(|outcome| outcome.elements));
    println!(
        "bytes of HTML         {} before, {} after",
        sum(|outcome| outcome.bytes.0),
        sum(|outcome| outcome.bytes.1)
    );
    println!(
        "reference words kept  {} before, {} after",
        sum(|outcome| outcome.words.0),
        sum(|outcome| outcome.words.1)
    );
    let mean = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).sum::<f64>() / outcomes.len() as f64;
    println!("word F1 of the chain  {:.4} before, {:.4} after", mean(|o| o.whole.0), mean(|o| o.whole.1));
    println!("pages that lost text  {}", outcomes.iter().filter(|outcome| outcome.words.1 < outcome.words.0).count());
    for line in outcomes.iter().flat_map(|outcome| &outcome.lost) {
        println!("                      {line}");
    }
}

/// Decisions one after the other, as requests come.
fn speed(outcomes: &[Outcome], config: &Config, lists: &Arc<gleaner::blocking::Blocker>, client: IpAddr) {
    let requests = || outcomes.iter().flat_map(|outcome| &outcome.requests);
    let request = |(page, address, wanted, _): &(Url, Url, Resource, bool)| {
        BlockingRequest::new(address.clone(), Some(page.clone()), kind(*wanted))
    };
    let wanted: Vec<BlockingRequest> = requests().map(request).collect();
    time("the lists' verdict", &wanted, |wanted| std::hint::black_box(lists.judge(wanted)));
    let user_agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let asker = ClientInfo { client, user: None, user_agent, port: 8118 };
    let of_profile = |site| {
        let choice = config.profiles.choose_blocking(&asker, site);
        choice.map_or(lists, |choice| lists.for_profile(choice.index))
    };
    // The steps of `service`, each as often as it takes them, and the address, which it must parse.
    let addresses: Vec<_> =
        wanted.iter().zip(requests()).map(|(wanted, request)| (wanted, request.1.as_str())).collect();
    time("a request's decision", &addresses, |(wanted, address)| {
        let url = std::hint::black_box(Url::parse(address));
        let (site, host) = (wanted.site(), wanted.host());
        let (service, searched) =
            (of_profile(None).blocked_service(site, host), of_profile(None).settings().safe_search);
        let lists = of_profile(Some(site));
        let exempt =
            [(host, host), ("", host), (site, site)].map(|(site, host)| of_profile(Some(site)).exempt(site, host));
        let is_free = service.is_none() && exempt.iter().all(Option::is_none);
        let verdict = is_free.then(|| lists.judge(wanted));
        std::hint::black_box((url.is_ok(), searched, verdict))
    });
    let blocked = || requests().filter(|(.., blocks)| *blocks);
    let in_tunnels = blocked()
        .filter(|(_, address, ..)| address.host_str().is_some_and(|host| lists.blocked_tunnel(host).is_some()));
    println!(
        "blocked in tunnels    {} of {} that are blocked where they are seen",
        in_tunnels.count(),
        blocked().count()
    );
    let spared = requests().filter(|(_, address, _, blocks)| {
        !blocks && address.host_str().is_some_and(|host| lists.blocked_tunnel(host).is_some())
    });
    println!("                      {} others", spared.count());
}

fn time<W, T>(name: &str, wanted: &[W], mut decide: impl FnMut(&W) -> T) {
    let mut one = |wanted| {
        let started = Instant::now();
        decide(wanted);
        started.elapsed()
    };
    let mut times: Vec<Duration> = wanted.iter().map(&mut one).collect();
    times.sort_unstable();
    if let (Some(median), Some(slow)) = (times.get(times.len() / 2), times.get(times.len() * 99 / 100)) {
        println!("{name:21} {median:.1?} in the median, {slow:.1?} for 99 %, of {}", times.len());
    }
}

/// Kilobytes of memory in use.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
