//! The settings in force, as a page. It changes nothing.

use gleaner_filters::{FilterName, Format, output::Style};
use maud::{Markup, html};

use super::pause;
use crate::{blocking::Blocker, config::Intercept, error_pages, runtime_state::RuntimeState, service::Proxy};

pub(super) fn page(proxy: &Proxy, running: &RuntimeState) -> Markup {
    let warning = running.authority().and_then(|authority| authority.expiry_warning());
    error_pages::document(
        "Settings in force",
        &html! {
            h1 { "Settings in force" }
            @if let Some(error) = proxy.reload_error() {
                h2 { "The configuration could not be reloaded" }
                p.bad { (error) }
                p.quiet { "The one before it stays in force." }
            }
            @if let Some(warning) = warning { p.bad { (error_pages::prose(&warning)) } }
            (table(proxy, running))
            p { a href="/" { "Back" } }
        },
    )
}

fn table(proxy: &Proxy, running: &RuntimeState) -> Markup {
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
                tr { th { "Lists" } td { (blocking_state(&config.blocker)) } }
            }
            tr { th { "Profiles" } td { @for profile in &config.profiles.all { (profile.name) " " } } }
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
                None => { (list.counts.requests + list.counts.elements) " rules" }
            }
            br;
        }
        @if !blocker.settings().enabled { "blocking is switched off" }
        @else { a href=(pause::PATH) { (pause::state(blocker)) } }
    }
}
