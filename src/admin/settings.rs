//! The settings in force, as a table.

use gleaner_filters::{FilterName, Format, output::Style};
use maud::{Markup, html};

use crate::{
    blocking::{Blocker, minutes_until},
    config::Intercept,
    runtime_state::RuntimeState,
    service::Proxy,
};

pub(crate) fn table(proxy: &Proxy, running: &RuntimeState) -> Markup {
    let config = &running.config;
    let pages = if config.rewrite.enabled { "rewritten" } else { "passed as they are" };
    let https = match config.https.intercept {
        Intercept::On => "opened, so that pages can be rewritten",
        Intercept::Auto => "opened for browsers that trust the certificate",
        Intercept::Off => "passed as they are",
    };
    let filters: Vec<&str> = config.filters.filters_on().map(FilterName::as_str).collect();
    let style = match (config.filters.output.format, config.filters.output.style) {
        (Format::Text, _) => "plain text",
        (Format::Html, Style::Reader) => "reader",
        (Format::Html, Style::Original) => "original",
    };
    html! {
        table {
            tr { th { "Version" } td { (env!("CARGO_PKG_VERSION")) } }
            tr { th { "Pages" } td { (pages) } }
            tr { th { "Encrypted pages" } td { (https) } }
            @if config.rewrite.enabled {
                tr { th { "Filters" } td { @if filters.is_empty() { "none" } @else { (filters.join(", ")) } } }
                tr { th { "Style" } td { (style) } }
                tr { th { "Preset" } td { (config.preset.as_str()) } }
                tr { th { "Lists, and their rules" } td { (blocking_state(&config.blocker)) } }
            }
            tr { th { "Profiles" } td { (config.profiles.all.iter().map(|profile| &*profile.name).collect::<Vec<_>>().join(", ")) } }
            tr {
                th { "Configuration" }
                td { @match proxy.config_file() { Some(file) => code { (file.display()) }, None => "built-in defaults" } }
            }
        }
    }
}

fn blocking_state(blocker: &Blocker) -> Markup {
    html! {
        @for list in blocker.lists() {
            (list.source) ": "
            @match &list.problem {
                Some(problem) => { (problem) }
                None => { (list.counts.requests + list.counts.elements) }
            }
            br;
        }
        @if !blocker.settings().enabled { "blocking is switched off" }
        @else {
            a href="/panel/health#pause" {
                @match blocker.paused_until() {
                    Some(until) => { "paused for another " (minutes_until(until)) " min" }
                    None => "pause blocking",
                }
            }
        }
    }
}
