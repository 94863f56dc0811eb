//! What was done lately, for the panel and for metrics: the last requests, and totals since the start.
//!
//! All of it is in memory, bounded, and without paths, queries, cookies and page text. A request costs one short lock; nothing
//! is formatted before somebody looks.

use std::{
    borrow::Borrow,
    collections::{BTreeMap, HashMap, VecDeque},
    hash::Hash,
    net::IpAddr,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use gleaner_filters::{FilterName, Report};
use http::Method;
use parking_lot::Mutex;
use tokio::sync::broadcast;

use crate::{
    http::outcome::{Outcome, PassReason},
    net::route::Route,
};

/// Requests that are kept, and the bytes that they take at most; one takes some 300. Raising them shows more of the past.
const MAX_RECORDS: usize = 10_000;
const MAX_BYTES: usize = 8 << 20;

/// Devices and sites that are counted each for itself; of more, the one with the fewest requests joins the others.
const MAX_DEVICES: usize = 256;
const MAX_SITES: usize = 1024;

/// Ways that are counted, those of configurations before this one among them.
const MAX_WAYS: usize = 256;

/// Hours of which the counts are kept.
const HOURS: u64 = 24;

/// Records that a live view may be behind before it misses some.
const LIVE: usize = 256;

/// Upper bounds in seconds of the buckets of the time that rewriting adds.
pub(crate) const ADDED_BOUNDS: [f64; 8] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, f64::INFINITY];

/// Effect of rewriting on one page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PageEffect {
    /// Bytes as they came, and as they were sent.
    pub(crate) before: u64,
    pub(crate) after: u64,
    /// Elements that lists of advertisements forbid.
    pub(crate) ads: u64,
    /// Links that were removed and are listed at the end.
    pub(crate) links: u64,
    /// From the last byte of the original to the rewritten page.
    pub(crate) added: Duration,
}

impl PageEffect {
    pub(crate) fn new(report: &Report, before: usize, after: usize, added: Duration) -> Self {
        let ads = report.filters.iter().find(|filter| filter.filter == FilterName::AdServers.as_str());
        Self {
            before: before as u64,
            after: after as u64,
            ads: ads.map_or(0, |filter| filter.removed as u64),
            links: report.links as u64,
            added,
        }
    }
}

/// One finished request.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) ended: SystemTime,
    pub(crate) client: IpAddr,
    pub(crate) user: Option<Arc<str>>,
    pub(crate) method: Method,
    /// With its port.
    pub(crate) host: Option<Arc<str>>,
    /// The site whose page asked, where it is another and known.
    pub(crate) asked_by: Option<Box<str>>,
    pub(crate) route: Route,
    /// The way to the origin, where the configuration has rules for it.
    pub(crate) via: Option<Arc<str>>,
    pub(crate) status: u16,
    pub(crate) received: u64,
    pub(crate) sent: u64,
    pub(crate) elapsed: Duration,
    pub(crate) outcome: Outcome,
    pub(crate) page: Option<PageEffect>,
}

impl Record {
    /// The host without its port.
    pub(crate) fn site(&self) -> &str {
        let host = self.host.as_deref().unwrap_or_default();
        host.rsplit_once(':').map_or(host, |(name, _)| name)
    }

    /// The memory that it takes, in bytes.
    fn size(&self) -> usize {
        let texts = [self.user.as_deref(), self.host.as_deref(), self.asked_by.as_deref(), self.via.as_deref()];
        size_of::<Self>() + texts.into_iter().flatten().map(str::len).sum::<usize>() + self.outcome.text_bytes()
    }

    fn counts(&self) -> RequestCounts {
        let page = self.page.unwrap_or_default();
        let (pictures, saved) = match &self.outcome {
            Outcome::Scaled(picture) => (1, picture.before.saturating_sub(picture.after) as u64),
            _ => (0, 0),
        };
        RequestCounts {
            requests: 1,
            blocked: u64::from(self.route == Route::Blocked),
            pages: u64::from(self.page.is_some()),
            ads: page.ads,
            links: page.links,
            saved: page.before.saturating_sub(page.after),
            pictures,
            saved_in_pictures: saved,
            sent: self.sent,
            received: self.received,
        }
    }
}

/// Counts in all, or for an hour, a device or a site.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequestCounts {
    pub(crate) requests: u64,
    pub(crate) blocked: u64,
    /// Pages that were rewritten.
    pub(crate) pages: u64,
    pub(crate) ads: u64,
    pub(crate) links: u64,
    /// Bytes by which pages became shorter.
    pub(crate) saved: u64,
    /// Pictures that were made smaller, and by how many bytes.
    pub(crate) pictures: u64,
    pub(crate) saved_in_pictures: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
}

impl RequestCounts {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.blocked += other.blocked;
        self.pages += other.pages;
        self.ads += other.ads;
        self.links += other.links;
        self.saved += other.saved;
        self.pictures += other.pictures;
        self.saved_in_pictures += other.saved_in_pictures;
        self.sent += other.sent;
        self.received += other.received;
    }
}

/// A client: its address, and its user where users are configured.
pub(crate) type ClientKey = (IpAddr, Option<Arc<str>>);

/// Everything that is counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) all: RequestCounts,
    /// By the hour since 1970, the oldest first.
    pub(crate) hours: VecDeque<(u64, RequestCounts)>,
    pub(crate) devices: TopCounts<ClientKey>,
    pub(crate) sites: TopCounts<Box<str>>,
    /// Pages that passed unchanged, by the reason.
    pub(crate) passed: BTreeMap<PassReason, u64>,
    /// Pictures that passed unchanged although their profile wants them smaller, by the reason.
    pub(crate) pictures_passed: BTreeMap<PassReason, u64>,
    /// Requests by route and by the first digit of the status.
    pub(crate) routes: BTreeMap<(Route, u16), u64>,
    /// Requests by the way to the origin.
    pub(crate) ways: BTreeMap<Arc<str>, u64>,
    /// The time that rewriting added: how many pages are in each bucket, and the sum.
    pub(crate) added: [u64; ADDED_BOUNDS.len()],
    pub(crate) added_sum: Duration,
}

/// Counts by key, for a bounded number of keys.
#[derive(Clone, Debug)]
pub(crate) struct TopCounts<K> {
    pub(crate) each: HashMap<K, RequestCounts>,
    /// Sum of the counts of the keys that there was no place for.
    pub(crate) others: RequestCounts,
}

impl<K> Default for TopCounts<K> {
    fn default() -> Self {
        Self { each: HashMap::new(), others: RequestCounts::default() }
    }
}

impl<K: Hash + Eq + Clone> TopCounts<K> {
    fn add<Q: Hash + Eq + ToOwned + ?Sized>(&mut self, key: &Q, counts: &RequestCounts, most: usize)
    where
        K: Borrow<Q> + From<Q::Owned>,
    {
        if let Some(found) = self.each.get_mut(key) {
            return found.add(counts);
        }
        if self.each.len() >= most
            && let Some(least) = self.each.iter().min_by_key(|(_, counts)| counts.requests).map(|(key, _)| key.clone())
            && let Some(counts) = self.each.remove::<K>(&least)
        {
            self.others.add(&counts);
        }
        self.each.insert(key.to_owned().into(), *counts);
    }

    /// The keys with the most requests, and their counts.
    pub(crate) fn first(&self, count: usize) -> Vec<(&K, &RequestCounts)> {
        let mut all: Vec<_> = self.each.iter().collect();
        all.sort_by_key(|(_, counts)| std::cmp::Reverse(counts.requests));
        all.truncate(count);
        all
    }
}

/// The last requests and the totals.
#[derive(Debug)]
pub(crate) struct RequestHistory {
    pub(crate) started: SystemTime,
    state: Mutex<HistoryState>,
    live: broadcast::Sender<Arc<Record>>,
}

#[derive(Debug, Default)]
struct HistoryState {
    last: VecDeque<Arc<Record>>,
    /// Bytes of these.
    bytes: usize,
    totals: Totals,
}

impl RequestHistory {
    pub(crate) fn new() -> Self {
        Self { started: SystemTime::now(), state: Mutex::default(), live: broadcast::channel(LIVE).0 }
    }

    /// Adds a finished request. Those for our own pages are not of interest.
    pub(crate) fn add(&self, record: Record) {
        if record.route == Route::OwnPages {
            return;
        }
        let record = Arc::new(record);
        let mut state = self.state.lock();
        state.totals.add(&record);
        state.bytes += record.size();
        state.last.push_back(Arc::clone(&record));
        while state.last.len() > MAX_RECORDS || state.bytes > MAX_BYTES {
            let Some(oldest) = state.last.pop_front() else { break };
            state.bytes -= oldest.size();
        }
        drop(state);
        // An error means that nobody looks.
        let _ = self.live.send(record);
    }

    /// The last requests, the newest first.
    pub(crate) fn last(&self) -> Vec<Arc<Record>> {
        self.state.lock().last.iter().rev().cloned().collect()
    }

    pub(crate) fn totals(&self) -> Totals {
        self.state.lock().totals.clone()
    }

    /// Requests from now on.
    pub(crate) fn live(&self) -> broadcast::Receiver<Arc<Record>> {
        self.live.subscribe()
    }
}

/// The hours since 1970.
pub(crate) fn hour(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() / 3600
}

impl Totals {
    fn add_way(&mut self, way: &Arc<str>) {
        if let Some(count) = self.ways.get_mut(way) {
            *count += 1;
        } else if self.ways.len() < MAX_WAYS {
            self.ways.insert(Arc::clone(way), 1);
        }
    }

    fn add(&mut self, record: &Record) {
        *self.routes.entry((record.route, record.status / 100)).or_default() += 1;
        if record.route == Route::Intercept {
            // The requests inside of it are counted.
            return;
        }
        if let Some(way) = &record.via {
            self.add_way(way);
        }
        let counts = record.counts();
        self.all.add(&counts);
        let hour = hour(record.ended);
        match self.hours.back_mut() {
            Some((last, sum)) if *last == hour => sum.add(&counts),
            _ => self.hours.push_back((hour, counts)),
        }
        while self.hours.front().is_some_and(|(first, _)| first + HOURS <= hour) {
            self.hours.pop_front();
        }
        self.devices.add(&(record.client, record.user.clone()), &counts, MAX_DEVICES);
        if !record.site().is_empty() {
            self.sites.add(record.site(), &counts, MAX_SITES);
        }
        if let Some(reason) = record.outcome.pass_reason() {
            *self.passed.entry(reason).or_default() += 1;
        }
        if let Outcome::PicturePassed(reason) = record.outcome {
            *self.pictures_passed.entry(reason).or_default() += 1;
        }
        if let Some(page) = record.page {
            let seconds = page.added.as_secs_f64();
            let bucket = ADDED_BOUNDS.iter().position(|bound| seconds <= *bound);
            self.added[bucket.unwrap_or(ADDED_BOUNDS.len() - 1)] += 1;
            self.added_sum += page.added;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(host: &str, outcome: Outcome) -> Record {
        Record {
            ended: UNIX_EPOCH + Duration::from_hours(1),
            client: [192, 0, 2, 1].into(),
            user: None,
            method: Method::GET,
            host: Some(host.into()),
            asked_by: None,
            route: Route::Forward,
            via: None,
            status: 200,
            received: 0,
            sent: 10,
            elapsed: Duration::ZERO,
            outcome,
            page: None,
        }
    }

    #[test]
    fn the_last_requests_and_the_sites_with_the_most_are_kept() {
        let records = RequestHistory::new();
        for index in 0..MAX_RECORDS / 2 + MAX_SITES {
            records.add(record("often.example:443", Outcome::Unchanged));
            records.add(record(&format!("h{index}.example:80"), Outcome::Passed(PassReason::STATUS)));
        }
        records.add(Record { route: Route::OwnPages, ..record("gleaner.internal", Outcome::Unchanged) });
        assert_eq!(records.last().len(), MAX_RECORDS);
        assert_eq!(records.last()[1].site(), "often.example");
        let totals = records.totals();
        assert_eq!(totals.sites.each.len(), MAX_SITES);
        assert_eq!(&**totals.sites.first(1)[0].0, "often.example");
        let all = (MAX_RECORDS + 2 * MAX_SITES) as u64;
        let by_site: u64 = totals.sites.each.values().map(|counts| counts.requests).sum();
        assert_eq!((totals.all.requests, by_site + totals.sites.others.requests), (all, all));
        assert_eq!(totals.passed[&PassReason::STATUS], all / 2);
    }

    #[test]
    fn what_is_kept_is_bounded_in_bytes() {
        let records = RequestHistory::new();
        for _ in 0..3 * MAX_BYTES / 10_000 {
            records.add(record("a.example:443", Outcome::Blocked("x".repeat(10_000))));
        }
        let state = records.state.lock();
        let bytes: usize = state.last.iter().map(|record| record.size()).sum();
        assert!(bytes == state.bytes && bytes <= MAX_BYTES && bytes > MAX_BYTES - 20_000, "{bytes}");
    }

    /// Measures the cost of recording a request: `cargo test --release --lib records -- --ignored --nocapture`.
    #[test]
    #[ignore = "it measures, and asserts nothing"]
    fn the_time_that_a_record_takes() {
        const COUNT: u32 = 1_000_000;
        let records = RequestHistory::new();
        let hosts: Vec<String> = (0..1000).map(|index| format!("h{index}.example:443")).collect();
        let started = std::time::Instant::now();
        for index in 0..COUNT {
            records.add(record(&hosts[index as usize % hosts.len()], Outcome::Passed(PassReason::STATUS)));
        }
        println!(
            "{:.0} ns a request, of {COUNT}, to 1000 sites",
            started.elapsed().as_nanos() as f64 / f64::from(COUNT)
        );
    }

    #[test]
    fn a_day_of_hours_is_kept() {
        let mut totals = Totals::default();
        for hour in [1, 1, 2, 24, 25] {
            totals.add(&Record {
                ended: UNIX_EPOCH + Duration::from_secs(3600 * hour),
                ..record("a.example", Outcome::Unchanged)
            });
        }
        let hours: Vec<_> = totals.hours.iter().map(|(hour, counts)| (*hour, counts.requests)).collect();
        assert_eq!(hours, [(2, 1), (24, 1), (25, 1)]);
    }
}
