//! The last requests, and new ones as they come.

use std::{
    net::IpAddr,
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

use super::{FormFields, PanelRequest, ago, bytes, harden, overview};
use crate::{
    http::{
        body::{Body, BodyError},
        history::Record,
        outcome::{Outcome, Scaled},
    },
    net::route::Route,
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
}

impl Wanted {
    fn from_query(query: &FormFields) -> Self {
        Self { device: query.get("device").parse().ok(), host: query.get("host").trim().to_ascii_lowercase() }
    }

    fn has(&self, record: &Record) -> bool {
        self.device.is_none_or(|device| device == record.client) && record.site().contains(&self.host)
    }
}

pub(super) fn page(visit: &PanelRequest<'_>) -> Markup {
    let wanted = Wanted::from_query(&visit.query);
    let records = visit.proxy.records.last();
    let shown: Vec<_> = records.iter().filter(|record| wanted.has(record)).take(ROWS).collect();
    let totals = visit.proxy.records.totals();
    let query = format!("device={}&host={}", visit.query.get("device"), visit.query.get("host"));
    html! {
        script src="/panel/live.js" defer {}
        form.filter method="get" action="/panel/requests" {
            p { label for="device" { "ClientProgram" } br;
                select id="device" name="device" {
                    option value="" { "all" }
                    @for (client, _) in totals.devices.first(100) {
                        @let address = client.0.to_string();
                        option value=(address) selected[wanted.device == Some(client.0)] { (overview::name(client)) }
                    }
                } }
            p { label for="host" { "Site contains" } br; input id="host" name="host" type="search" value=(wanted.host); }
            p { button type="submit" { "Show" } }
        }
        p.quiet { "The last " (shown.len()) ", of " (records.len()) " that are remembered. Addresses within a site are not." }
        table.rows #requests data-live={ "/panel/requests/live?" (query) } {
            thead { tr {
                th scope="col" { "When" } th scope="col" { "ClientProgram" } th scope="col" { "Site" } th scope="col" { "What happened" }
                th.number scope="col" { "Size" } th.number scope="col" { "Took" }
            } }
            tbody { @for record in shown { (row(record)) } }
        }
    }
}

fn row(record: &Record) -> Markup {
    let written = OffsetDateTime::from(record.ended).format(&Rfc3339).unwrap_or_default();
    let since = SystemTime::now().duration_since(record.ended).unwrap_or_default();
    html! {
        tr {
            td { time datetime=(written) { (ago(since)) " ago" } }
            td data-name="ClientProgram" { (overview::name(&(record.client, record.user.clone()))) }
            td.wide.site data-name="Site" { (place(record)) }
            td.wide data-name="What happened" { (record.method) " " (record.status) ", " (happened(record))
                @if let Some(way) = &record.via { ", way: " (way) } }
            td.number data-name="Size" { (bytes(record.sent)) }
            td.number data-name="Took" { (record.elapsed.as_millis()) " ms" }
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
    let rows = rows(visit.proxy.records.live(), Wanted::from_query(&visit.query));
    let frames = rows.take_until(async move { end.cancelled().await });
    let frames = frames.map(|row| Ok::<_, BodyError>(Frame::data(row)));
    let mut response = Response::new(Body::new(http_body_util::StreamBody::new(frames)));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    harden(&mut response);
    response
}

fn rows(records: Receiver<std::sync::Arc<Record>>, wanted: Wanted) -> impl Stream<Item = Bytes> + Send {
    let end = Instant::now() + LASTS;
    let stream = stream::unfold((records, wanted), |(mut records, wanted)| async move {
        let row = match timeout(SILENCE, records.recv()).await {
            Ok(Ok(record)) if wanted.has(&record) => format!("data: {}\n\n", row(&record).0),
            // Nothing of interest, silence, or too many at once: a comment keeps the connection.
            Ok(Ok(_) | Err(RecvError::Lagged(_))) | Err(_) => ":\n\n".to_owned(),
            Ok(Err(RecvError::Closed)) => return None,
        };
        Some((Bytes::from(row), (records, wanted)))
    });
    stream.take_until(sleep_until(end))
}
