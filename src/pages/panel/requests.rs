//! The last requests, and new ones as they come.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::Arc,
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use http::{HeaderValue, Response, header};
use http_body::Frame;
use maud::{Markup, html};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::{
    sync::broadcast::{Receiver, error::RecvError},
    time::{Instant, sleep_until, timeout},
};
use url::form_urlencoded;

use super::{FormFields, PanelRequest, ago, bytes, harden, rules};
use crate::{
    http::{
        body::{Body, BodyError},
        history::Record,
        outcome::{Outcome, Scaled},
    },
    net::route::Route,
    state::device_names::{NamesByAddress, shown},
};

/// Rows on the page.
const ROWS: usize = 200;

/// How long a live view lasts before the browser asks for another, which is checked again.
const LASTS: Duration = Duration::from_mins(10);

/// The longest silence on it.
const SILENCE: Duration = Duration::from_secs(15);

/// Which requests are shown.
#[derive(Clone, Debug)]
struct Wanted {
    device: Option<IpAddr>,
    host: String,
    only_blocked: bool,
    /// Requests since then, where that is asked for.
    since: Option<SystemTime>,
}

impl Wanted {
    fn from_query(query: &FormFields) -> Self {
        let midnight = jiff::ZonedDateTime::now()
            .start_of_day()
            .ok()
            .and_then(|midnight| SystemTime::try_from(midnight.timestamp()).ok());
        Self {
            device: query.get("device").parse().ok(),
            host: query.get("host").trim().to_ascii_lowercase(),
            only_blocked: query.get("what") == "blocked",
            since: midnight.filter(|_| query.get("when") == "today"),
        }
    }

    fn has(&self, record: &Record) -> bool {
        self.device.is_none_or(|device| device == record.client)
            && (!self.only_blocked || record.route == Route::Blocked)
            && self.since.is_none_or(|since| record.ended >= since)
            && (record.site().contains(&self.host)
                || record.asked_by.as_ref().is_some_and(|site| site.contains(&self.host)))
    }
}

/// A row for each request; of blocked ones, a row for those that differ in nothing but the time.
fn rows_of(records: &[Arc<Record>], wanted: &Wanted) -> Vec<(Arc<Record>, usize)> {
    let shown = records.iter().filter(|record| wanted.has(record));
    if !wanted.only_blocked {
        return shown.take(ROWS).map(|record| (Arc::clone(record), 1)).collect();
    }
    let mut rows: Vec<(Arc<Record>, usize)> = Vec::new();
    let mut known = HashMap::new();
    for record in shown {
        let key = (record.client, record.site(), record.asked_by.as_deref(), record.outcome.to_string());
        let place = rows.len();
        match rows.get_mut(*known.entry(key).or_insert(place)) {
            Some((_, count)) => *count += 1,
            None if place < ROWS => rows.push((Arc::clone(record), 1)),
            None => {}
        }
    }
    rows
}

pub(super) fn page(visit: &PanelRequest<'_>) -> Markup {
    let wanted = Wanted::from_query(&visit.query);
    let records = visit.proxy.records.last();
    let rows = rows_of(&records, &wanted);
    let found = records.iter().filter(|record| wanted.has(record)).count();
    let totals = visit.proxy.records.totals();
    let mut live = form_urlencoded::Serializer::new(String::new());
    for name in FILTERS {
        live.append_pair(name, visit.query.get(name));
    }
    html! {
        script src="/panel/live.js" defer {}
        @if let Some(rule) = visit.query.find("saved") {
            p.good role="status" { "Saved: " code { (rule) } " holds from the next request on. " a href="/settings/lists#blocking/rules" { "All own rules" } }
        }
        form.filter method="get" action="/panel/requests" {
            p { label for="what" { "What" } br; (choice("what", visit, &[("", "all"), ("blocked", "blocked")])) }
            p { label for="when" { "When" } br; (choice("when", visit, &[("", "any time"), ("today", "today")])) }
            p { label for="device" { "Device" } br;
                select id="device" name="device" {
                    option value="" { "all" }
                    @for (client, _) in totals.devices.first(100) {
                        @let address = client.0.to_string();
                        option value=(address) selected[wanted.device == Some(client.0)] { (visit.name(client)) }
                    }
                } }
            p { label for="host" { "Site contains" } br; input id="host" name="host" type="search" value=(wanted.host); }
            p { button type="submit" { "Show" } }
        }
        p.quiet { (found) " of the last " (records.len()) " requests" @if rows.len() == ROWS { ", of which the newest are shown" } ". Addresses within a site are not remembered." }
        form method="post" action="/panel/rules" {
            (visit.guest.field())
            @for name in FILTERS { input type="hidden" name=(name) value=(visit.query.get(name)); }
            table.rows #requests data-live={ "/panel/requests/live?" (live.finish()) } {
                thead { tr {
                    th scope="col" { "When" } th scope="col" { "Device" } th scope="col" { "Site" } th scope="col" { "What happened" }
                    th.number scope="col" { "Size" } th.number scope="col" { "Took" } th scope="col" { "Rule" }
                } }
                tbody { @for (record, count) in &rows { (row(&visit.names, record, *count)) } }
            }
        }
    }
}

/// The parameters that choose requests.
const FILTERS: [&str; 4] = ["device", "host", "what", "when"];

fn choice(name: &str, visit: &PanelRequest<'_>, words: &[(&str, &str)]) -> Markup {
    html! {
        select id=(name) name=(name) {
            @for (value, words) in words { option value=(value) selected[visit.query.get(name) == *value] { (words) } }
        }
    }
}

fn row(names: &NamesByAddress, record: &Record, count: usize) -> Markup {
    let written = OffsetDateTime::from(record.ended).format(&Rfc3339).unwrap_or_default();
    let since = SystemTime::now().duration_since(record.ended).unwrap_or_default();
    html! {
        tr {
            td { time datetime=(written) { (ago(since)) " ago" } }
            td data-name="Device" { (shown(names, record.client, record.user.as_deref())) }
            td.wide.site data-name="Site" { (place(record)) @if let Some(site) = &record.asked_by { span.quiet { " for " (site) } } }
            td.wide data-name="What happened" { (record.method) " " (record.status) ", " (happened(record))
                @if count > 1 { ", " (count) " times" }
                @if let Some(way) = &record.via { ", way: " (way) } }
            td.number data-name="Size" { (bytes(record.sent)) }
            td.number data-name="Took" { (record.elapsed.as_millis()) " ms" }
            td.wide { (rules::buttons(record)) }
        }
    }
}

/// The host, with its port where that says something.
fn place(record: &Record) -> &str {
    let host = record.host.as_deref().unwrap_or_default();
    host.strip_suffix(":443").or(host.strip_suffix(":80")).unwrap_or(host)
}

/// The outcome of a request, in a few words.
fn happened(record: &Record) -> String {
    if let (Some(page), Some(rewritten)) = (record.page, record.outcome.rewritten()) {
        let kept = &rewritten.kept;
        return format!("rewritten: {kept} of the text kept; ads out: {}, links out: {}", page.ads, page.links);
    }
    match (&record.outcome, record.route) {
        (Outcome::Passed(reason), _) => format!("page left as it came: {}", reason.in_words()),
        (Outcome::Styled { reason, .. }, _) => {
            format!("page left as it came, advertisements hidden: {}", reason.in_words())
        }
        (Outcome::Scaled(Scaled { before, after }), _) => {
            format!("picture made smaller: {} of {}", bytes(*after as u64), bytes(*before as u64))
        }
        (Outcome::PicturePassed(reason), _) => format!("picture left as it came: {}", reason.in_words()),
        (Outcome::Unchanged, Route::Tunnel) => "tunnelled".to_owned(),
        (Outcome::Unchanged, Route::Intercept) => "decrypted".to_owned(),
        (Outcome::Unchanged, _) => "passed".to_owned(),
        (outcome, _) => outcome.to_string(),
    }
}

/// Rows as they come, as server-sent events.
pub(super) fn live(visit: &PanelRequest<'_>) -> Response<Body> {
    let end = visit.connection.shutdown.draining.clone();
    let rows = rows(visit.proxy.records.live(), Wanted::from_query(&visit.query), visit.names.clone());
    let frames = rows.take_until(async move { end.cancelled().await });
    let frames = frames.map(|row| Ok::<_, BodyError>(Frame::data(row)));
    let mut response = Response::new(Body::new(http_body_util::StreamBody::new(frames)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    harden(&mut response);
    response
}

fn rows(records: Receiver<Arc<Record>>, wanted: Wanted, names: NamesByAddress) -> impl Stream<Item = Bytes> + Send {
    let end = Instant::now() + LASTS;
    let stream = stream::unfold((records, wanted, names), |(mut records, wanted, names)| async move {
        let row = match timeout(SILENCE, records.recv()).await {
            Ok(Ok(record)) if wanted.has(&record) => format!("data: {}\n\n", row(&names, &record, 1).0),
            // Nothing of interest, silence, or too many at once: a comment keeps the connection.
            Ok(Ok(_) | Err(RecvError::Lagged(_))) | Err(_) => ":\n\n".to_owned(),
            Ok(Err(RecvError::Closed)) => return None,
        };
        Some((Bytes::from(row), (records, wanted, names)))
    });
    stream.take_until(sleep_until(end))
}
