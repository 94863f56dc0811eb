//! Figures for programs: Prometheus's text format, and whether the proxy is alive and ready.
//!
//! Labels are words of ours, or lists that the configuration names: never a client or a site.

use std::{
    fmt,
    sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed},
    time::{Duration, UNIX_EPOCH},
};

use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, text::encode},
    metrics::{MetricType, counter::Counter, family::Family, gauge::Gauge},
    registry::{Registry, Unit},
};

use super::{PanelRequest, harden, health, notice};
use crate::{
    blocking::fetches,
    http::{
        body::Body,
        history::{ADDED_BOUNDS, Totals},
    },
    net::credentials,
    state::{proxy::Proxy, runtime_state::RuntimeState},
};

const OPEN_METRICS: &str = "application/openmetrics-text";

type Labels = Vec<(&'static str, String)>;

/// Whether a path is of these.
pub(crate) fn has(path: &str) -> bool {
    ["/metrics", "/healthz", "/readyz"].contains(&path)
}

/// Answers without a log-in on this machine; from others, the panel's password is asked for by Basic authentication.
pub(super) async fn answer(visit: &PanelRequest<'_>, headers: &HeaderMap) -> Response<Body> {
    if visit.guest.must_log_in && !visit.device.address.is_loopback() && !has_password(visit, headers).await {
        let mut response = notice(
            StatusCode::UNAUTHORIZED,
            "Log in",
            "This needs the panel's password, as Basic authentication with any name.",
        );
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"Gleaner metrics\""));
        return response;
    }
    report(visit.proxy, visit.path, headers)
}

/// The figures, or whether the proxy is alive and ready.
pub(crate) fn report(proxy: &Proxy, path: &str, headers: &HeaderMap) -> Response<Body> {
    match path {
        "/metrics" => {
            let metrics = metrics(proxy, &proxy.state());
            let accepts = |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains(OPEN_METRICS));
            if headers.get_all(header::ACCEPT).iter().any(accepts) {
                text(StatusCode::OK, metrics, &format!("{OPEN_METRICS}; version=1.0.0; charset=utf-8"))
            } else {
                text(StatusCode::OK, plain(&metrics), "text/plain; version=0.0.4; charset=utf-8")
            }
        }
        "/readyz" if proxy.is_ending.load(Relaxed) => {
            text(StatusCode::SERVICE_UNAVAILABLE, "ending\n".to_owned(), "text/plain; charset=utf-8")
        }
        _ => text(StatusCode::OK, "ok\n".to_owned(), "text/plain; charset=utf-8"),
    }
}

async fn has_password(visit: &PanelRequest<'_>, headers: &HeaderMap) -> bool {
    let (Some(login), Some((_, password))) =
        (&visit.state.panel_login, credentials::basic(headers, &header::AUTHORIZATION))
    else {
        return false;
    };
    login.log_in(visit.device.address, password).await.is_ok()
}

fn text(status: StatusCode, content: String, kind: &str) -> Response<Body> {
    let mut response = Response::new(Body::from(content));
    *response.status_mut() = status;
    harden(&mut response);
    response.headers_mut().extend(HeaderValue::from_str(kind).map(|kind| (header::CONTENT_TYPE, kind)));
    response
}

/// Metrics in Prometheus's older format, for programs that do not ask for `OpenMetrics`: there a counter has its suffix in its
/// description too.
fn plain(open_metrics: &str) -> String {
    let counter = |line: &str| line.strip_prefix("# TYPE ")?.strip_suffix(" counter").map(|name| format!("{name} "));
    let counters: Vec<String> = open_metrics.lines().filter_map(counter).collect();
    let lines = open_metrics.lines().filter(|line| !line.starts_with("# UNIT ") && *line != "# EOF");
    let lines = lines.map(|line| {
        let rest = line.strip_prefix("# HELP ").or(line.strip_prefix("# TYPE ")).unwrap_or_default();
        match counters.iter().find(|counter| rest.starts_with(*counter)) {
            Some(name) => line.replacen(name, &format!("{}_total ", name.trim_end()), 1) + "\n",
            None => format!("{line}\n"),
        }
    });
    lines.collect()
}

fn metrics(proxy: &Proxy, state: &RuntimeState) -> String {
    let mut registry = Registry::with_prefix("gleaner");
    let totals = proxy.records.totals();
    counters(&mut registry, &totals);
    gauges(&mut registry, proxy, state);
    lists(&mut registry, state);
    registry.register_collector(Box::new(Added(totals)));
    let mut text = String::new();
    // Writing to a `String` cannot fail.
    let _ = encode(&mut text, &registry);
    text
}

fn counters(registry: &mut Registry, totals: &Totals) {
    let all = &totals.all;
    for (name, help, unit, value) in [
        ("pages_rewritten", "Pages that were rewritten", None, all.pages),
        ("ad_elements_removed", "Elements of pages that lists of advertisements forbid", None, all.ads),
        ("links_removed", "Links that were removed from pages", None, all.links),
        ("requests_blocked", "Requests that lists forbid", None, all.blocked),
        ("page_saved", "By how much rewritten pages are shorter", Some(Unit::Bytes), all.saved),
        ("pictures_scaled", "Pictures that were made smaller", None, all.pictures),
        ("picture_saved", "By how much they are smaller", Some(Unit::Bytes), all.saved_in_pictures),
        ("sent", "Bodies and tunnels, to clients", Some(Unit::Bytes), all.sent),
        ("received", "Bodies and tunnels, from clients", Some(Unit::Bytes), all.received),
    ] {
        let counter = Counter::<u64>::default();
        counter.inc_by(value);
        match unit {
            Some(unit) => registry.register_with_unit(name, help, unit, counter),
            None => registry.register(name, help, counter),
        }
    }
    for (name, help, reasons) in [
        ("pages_passed", "Pages that were left as they came, by the reason", &totals.passed),
        ("pictures_passed", "Pictures that were not made smaller, by the reason", &totals.pictures_passed),
    ] {
        let passed = Family::<Labels, Counter<u64, AtomicU64>>::default();
        for (reason, count) in reasons {
            passed.get_or_create(&vec![("reason", reason.to_string())]).inc_by(*count);
        }
        registry.register(name, help, passed);
    }
    let requests = Family::<Labels, Counter<u64, AtomicU64>>::default();
    for ((route, status), count) in &totals.routes {
        let labels = vec![("route", route.as_str().to_owned()), ("status", format!("{status}xx"))];
        requests.get_or_create(&labels).inc_by(*count);
    }
    registry.register("requests", "Requests, by route and status", requests);
    if !totals.ways.is_empty() {
        let ways = Family::<Labels, Counter<u64, AtomicU64>>::default();
        for (way, count) in &totals.ways {
            ways.get_or_create(&vec![("way", way.to_string())]).inc_by(*count);
        }
        registry.register("upstream_way", "Requests and tunnels, by the way that `upstream.via` gives them", ways);
    }
}

fn gauges(registry: &mut Registry, proxy: &Proxy, state: &RuntimeState) {
    let (open, most) = proxy.limits.open();
    let pages = state.rewriter.load();
    let since = |time: std::time::SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let bytes = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let certificate = state.authority.get().map_or(0, |authority| authority.not_after.unix_timestamp());
    for (name, help, unit, value) in [
        ("client_connections", "Connections of clients that are open", None, number(open)),
        ("client_connections_limit", "Most of them", None, number(most)),
        ("idle_upstream_connections", "Unused connections to web servers", None, number(state.client.idle())),
        ("pages_in_work", "Pages that are being rewritten", None, number(pages.in_work)),
        ("pages_in_work_limit", "Most of them", None, number(pages.most)),
        ("page_workers", "Pages that are worked on at the same moment", None, number(pages.workers)),
        ("page_memory", "Memory of pages in work", Some(Unit::Bytes), bytes(pages.memory)),
        ("page_memory_limit", "Most of it", Some(Unit::Bytes), bytes(pages.most_memory)),
        ("resident_memory", "Memory of the process", Some(Unit::Bytes), bytes(health::memory().unwrap_or(0))),
        (
            "start_time",
            "When the program started, since 1970",
            Some(Unit::Seconds),
            bytes(since(proxy.records.started)),
        ),
        (
            "certificate_expiry",
            "When the authority's certificate ends, since 1970; 0 if it is not in use",
            Some(Unit::Seconds),
            certificate,
        ),
        ("trusted_browsers", "Browsers that trust the certificate", None, number(proxy.trusted_devices.all().len())),
        (
            "config_reload_failed",
            "1 if the configuration has mistakes and the one before it is in force",
            None,
            i64::from(proxy.reload_error().is_some()),
        ),
    ] {
        let gauge = Gauge::<i64, AtomicI64>::default();
        gauge.set(value);
        match unit {
            Some(unit) => registry.register_with_unit(name, help, unit, gauge),
            None => registry.register(name, help, gauge),
        }
    }
}

fn lists(registry: &mut Registry, state: &RuntimeState) {
    let rules = Family::<Labels, Gauge>::default();
    let changed = Family::<Labels, Gauge>::default();
    let config = &state.config;
    for list in state.blocker.lists() {
        let labels = vec![("list", list.source.to_string())];
        let count = list.counts.requests + list.counts.elements;
        rules.get_or_create(&labels).set(i64::try_from(count).unwrap_or(i64::MAX));
        if let Some(fetched) = fetches::last_fetch(config, &list.source).filter(|fetched| fetched.changed > 0) {
            changed.get_or_create(&labels).set(i64::try_from(fetched.changed).unwrap_or(i64::MAX));
        }
    }
    registry.register("list_rules", "Rules of a list; 0 if it could not be read", rules);
    registry.register_with_unit("list_changed", "When a list from the web changed, since 1970", Unit::Seconds, changed);
}

/// The time that rewriting adds.
#[derive(Debug)]
struct Added(Totals);

impl Collector for Added {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let buckets: Vec<(f64, u64)> = ADDED_BOUNDS.into_iter().zip(self.0.added).collect();
        let sum: Duration = self.0.added_sum;
        let help = "From the last byte of a page to the rewritten one";
        let mut metric = encoder.encode_descriptor("page_added", help, Some(&Unit::Seconds), MetricType::Histogram)?;
        metric.encode_histogram::<Labels>(sum.as_secs_f64(), self.0.added.iter().sum(), &buckets, None)
    }
}
