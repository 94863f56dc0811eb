//! What was done since the start: totals, the last day, devices and sites.

use std::time::{Duration, SystemTime};

use maud::{Markup, html};

use super::{PanelRequest, ago, bytes, charts, devices};
use crate::http::history::{Record, RequestCounts, Totals, hour};

/// Rows of a table.
const ROWS: usize = 15;

pub(super) fn page(visit: &PanelRequest<'_>) -> Markup {
    let records = &visit.proxy.records;
    let totals = records.totals();
    let since = records.started.elapsed().unwrap_or_default();
    let all = &totals.all;
    html! {
        p.quiet { "Since the start, " (ago(since)) " ago. Nothing of this is kept on disk." }
        dl.figures {
            (figure(all.pages, "pages rewritten"))
            (figure(totals.passed.values().sum::<u64>(), "pages left as they came"))
            (figure(all.ads, "ads taken out of pages"))
            (figure(html! { a href="/panel/requests?what=blocked&when=today" { (all.blocked) } }, "requests blocked"))
            (figure(all.links, "links removed"))
            (figure(bytes(all.saved), "saved in pages"))
            @if all.pictures > 0 { (figure(bytes(all.saved_in_pictures), "saved in pictures")) }
            (figure(all.requests, "requests"))
            @if let Some((middle, most)) = added(&records.last()) {
                (figure(format!("{middle} ms"), "added to one of the last pages (median)"))
                (figure(format!("{most} ms"), "or less added to 95 of 100 of the last pages"))
            }
        }
        (last_day(&totals))
        h2 { "By device" }
        (table(&totals.devices.first(ROWS), &totals.devices.others, all, "Device", |client| {
            html! { a href=(devices::path(client)) { (visit.name(client)) } }
        }))
        h2 { "By site" }
        (table(&totals.sites.first(ROWS), &totals.sites.others, all, "Site", |site| {
            html! { a href={ "/panel/requests?host=" (site) } { (site) } }
        }))
        @if !totals.passed.is_empty() {
            h2 { "Pages left as they came" }
            p.quiet { "Most are no pages to read, or work only as they are." }
            table {
                tr { th scope="col" { "Reason" } th.number scope="col" { "Pages" } }
                @for (reason, count) in &totals.passed { tr { td { (reason.in_words()) } td.number { (count) } } }
            }
        }
    }
}

fn figure(value: impl maud::Render, words: &str) -> Markup {
    html! { div { dt { (words) } dd { (value) } } }
}

/// Milliseconds that rewriting added to the last pages: the median, and the 95th percentile.
fn added(last: &[std::sync::Arc<Record>]) -> Option<(u128, u128)> {
    let mut times: Vec<Duration> = last.iter().filter_map(|record| Some(record.page?.added)).collect();
    times.sort_unstable();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len().checked_sub(1)?));
    Some((at(50)?.as_millis(), at(95)?.as_millis()))
}

fn last_day(totals: &Totals) -> Markup {
    let now = hour(SystemTime::now());
    let of = |hour: u64| {
        totals.hours.iter().find(|(found, _)| *found == hour).map_or_else(RequestCounts::default, |(_, counts)| *counts)
    };
    let hours: Vec<RequestCounts> = (0..24).map(|index| of(now - 23 + index)).collect();
    let chart = |title: &str, value: fn(&RequestCounts) -> u64| {
        let values: Vec<u64> = hours.iter().map(value).collect();
        let most = values.iter().max().copied().unwrap_or(0);
        let label = format!("{title} in each of the last 24 hours, {most} in the busiest, {} in this one", values[23]);
        html! { div { figure { figcaption { (title) ", at most " (most) " an hour" } (charts::bars(&values, &label)) } } }
    };
    html! {
        h2 { "The last 24 hours" }
        div.charts {
            (chart("Requests", |counts| counts.requests))
            (chart("Pages rewritten", |counts| counts.pages))
            (chart("Requests blocked", |counts| counts.blocked))
        }
    }
}

fn table<K>(
    rows: &[(&K, &RequestCounts)],
    others: &RequestCounts,
    all: &RequestCounts,
    key: &str,
    show: impl Fn(&K) -> Markup,
) -> Markup {
    let listed: u64 = rows.iter().map(|(_, counts)| counts.requests).sum();
    let rest = all.requests.saturating_sub(listed);
    html! {
        @if rows.is_empty() { p { "Nothing yet." } } @else {
            table.rows {
                thead { tr {
                    th scope="col" { (key) } th.number scope="col" { "Requests" } th.number scope="col" { "Blocked" }
                    th.number scope="col" { "Pages" } th.number scope="col" { "Ads" } th.number scope="col" { "Received" }
                } }
                tbody {
                    @for (key, counts) in rows {
                        tr {
                            td { (show(key)) (charts::share(counts.requests, all.requests)) }
                            td.number data-name="Requests" { (counts.requests) }
                            td.number data-name="Blocked" { (counts.blocked) }
                            td.number data-name="Pages" { (counts.pages) }
                            td.number data-name="Ads" { (counts.ads) }
                            td.number data-name="Received" { (bytes(counts.sent)) }
                        }
                    }
                    @if rest > 0 || others.requests > 0 {
                        tr { td { "all others" } td.number data-name="Requests" { (rest) } td {} td {} td {} td {} }
                    }
                }
            }
        }
    }
}
