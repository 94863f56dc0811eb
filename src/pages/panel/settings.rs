//! Settings as forms, made from the schema of the configuration, and written into its file.
//!
//! The file is the one truth: forms show what it says, only what differs is written, and the code that reads the file judges it.

mod catalogue;
mod fields;
mod form;
mod kind;
mod preview;

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use gleaner_filters::{FilterName, Format, output::Style};
use http::{Response, StatusCode};
use maud::{Markup, html};
use serde_json::Value as Json;
use serde_yaml::Value;

use self::form::Form;
use super::{FormFields, PanelRequest, notice, see_other};
use crate::{
    config::{
        self, Intercept, Preset,
        edit::{self, EditError},
    },
    http::body::Body,
    pages::panel::edits,
};

static SCHEMA: LazyLock<Json> = LazyLock::new(config::schema);

/// The tabs: the three of the papers' window, and what came since. Each has sections of the file, and may leave keys of them out.
const TABS: [Tab; 8] = [
    Tab::new("Ignore", "What is dropped from every page.", &["filters.ignore"], &[]),
    Tab::new(
        "Advanced",
        "The other filters, in their order, and how the main content is found.",
        &["preset", "filters"],
        &["filters.ignore", "filters.output"],
    ),
    Tab::new(
        "Output",
        "How pages are written, and which are rewritten.",
        &["filters.output", "agents", "rewrite"],
        &[],
    ),
    Tab::new("Lists", "Advertisements and trackers.", &["blocking"], &[]),
    Tab::new("Profiles", "Named sets of settings, laid over all others.", &["profiles"], &[]),
    Tab::new("Devices", "Which device gets which profile: the first rule that fits.", &["devices"], &[]),
    Tab::new("Sites", "Which site gets which profile, on every device: the first rule that fits.", &["sites"], &[]),
    Tab::new(
        "Proxy",
        "Encrypted pages, bounds and waiting times. Who may use the proxy is set in the file only.",
        &["https", "leave_alone", "headers", "limits", "timeouts", "log"],
        &[],
    ),
];

struct Tab {
    name: &'static str,
    about: &'static str,
    sections: Sections,
    without: Sections,
}

type Sections = &'static [&'static str];

impl Tab {
    const fn new(name: &'static str, about: &'static str, sections: Sections, without: Sections) -> Self {
        Self { name, about, sections, without }
    }

    /// The one of a path.
    fn find(slug: &str) -> Option<&'static Self> {
        TABS.iter().find(|tab| tab.name.to_lowercase() == slug)
    }

    fn path(&self) -> String {
        format!("/settings/{}", self.name.to_lowercase())
    }
}

/// The configuration as it is written.
pub(super) struct ConfigText {
    /// None: the defaults within the program.
    pub(super) file: Option<PathBuf>,
    pub(super) text: String,
}

impl ConfigText {
    pub(super) fn read(visit: &PanelRequest<'_>) -> Result<Self, String> {
        let Some(file) = visit.proxy.config_file() else {
            return Ok(Self { file: None, text: String::new() });
        };
        match fs::read_to_string(&file) {
            Ok(text) => Ok(Self { file: Some(file), text }),
            // It was removed meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { file: None, text: String::new() }),
            Err(error) => Err(format!("cannot read {}: {error}", file.display())),
        }
    }

    /// All settings. A file with mistakes has none; they are to be mended there.
    pub(super) fn tree(&self) -> Result<Value, String> {
        edit::effective(&self.text).map_err(|error| error.to_string())
    }

    /// Tells one text of the file from another.
    fn stamp(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Where a file would be.
    fn place(visit: &PanelRequest<'_>) -> Option<PathBuf> {
        visit.proxy.config_lookup()?.places.first().cloned()
    }
}

/// The settings in force, without changing any.
pub(super) fn overview(visit: &PanelRequest<'_>) -> Response<Body> {
    let config = &visit.state.config;
    let https = match config.https.intercept {
        Intercept::On => "decrypted, so that pages can be rewritten",
        Intercept::Auto => "decrypted for browsers that trust the certificate",
        Intercept::Off => "passed as they are",
    };
    let style = match (config.filters.output.format, config.filters.output.style) {
        (Format::Text, _) => "plain text",
        (Format::Html, Style::Reader) => "reader",
        (Format::Html, Style::Plain) => "plain",
        (Format::Html, Style::Original) => "original",
    };
    let filters: Vec<_> = config.filters.filters_on().map(FilterName::as_str).collect();
    let profiles: Vec<_> = config.profiles.all.iter().map(|profile| &*profile.name).collect();
    let content = html! {
        h2 { "In force" }
        table {
            tr { th { "Pages" } td { @if config.rewrite.enabled { "rewritten" } @else { "passed as they are" } } }
            tr { th { "Encrypted pages" } td { (https) } }
            @if config.rewrite.enabled {
                tr { th { "Filters" } td { (filters.join(", ")) } }
                tr { th { "Style" } td { (style) } }
                tr { th { "Preset" } td { @if config.preset == Preset::Crunch { "crunch" } @else { "default" } } }
            }
            tr { th { "Profiles" } td { (profiles.join(", ")) } }
        }
        p { "Lists and the file that is read: " a href="/panel/health" { "Health" } }
    };
    show(visit, "Settings", &content)
}

/// The form of a tab.
pub(super) fn page(visit: &PanelRequest<'_>, slug: &str) -> Response<Body> {
    let Some(tab) = Tab::find(slug) else {
        return notice(StatusCode::NOT_FOUND, "Not here", "There are no such settings.");
    };
    match Form::from_file(visit, tab) {
        Ok(form) => form.show(&html! {
            @match visit.query.get("saved") {
                "" => {}
                "0" => p role="status" { "Nothing was changed." },
                _ => p.good role="status" { "Saved. The file as it was is kept beside it, as " code { ".bak" } "." },
            }
        }),
        Err(problem) => {
            show(visit, tab.name, &html! { p.bad { (problem) } p { "The file has to be mended by hand first." } })
        }
    }
}

/// Commits the form of a tab, or shows what it would do to a page.
pub(super) async fn post(visit: &PanelRequest<'_>, slug: &str, sent: &FormFields) -> Response<Body> {
    if slug == "create" {
        return create(visit);
    }
    let Some(tab) = Tab::find(slug) else {
        return notice(StatusCode::NOT_FOUND, "Not here", "There are no such settings.");
    };
    let mut form = match Form::from_file(visit, tab) {
        Ok(form) => form,
        Err(problem) => return notice(StatusCode::CONFLICT, "Nothing was saved", &problem),
    };
    form.fill(sent);
    if let Some(unfinished) = form.unfinished() {
        return unfinished;
    }
    if sent.get("stamp") != form.source.stamp() {
        return form.refused(EditError::Stale);
    }
    // Enter in a field sends the first button.
    let is_preview = match sent.get("do") {
        "" => !form.address.is_empty(),
        button => button == "preview",
    };
    if is_preview {
        return form.preview().await;
    }
    if form.changes.is_empty() {
        return see_other(&format!("{}?saved=0", tab.path()));
    }
    match edits::in_background(edits::save, &form.source.text, &form.changes, form.file()).await {
        Ok(text_hash) => {
            visit.taken_over(text_hash).await;
            see_other(&format!("{}?saved=1", tab.path()))
        }
        Err(error) => form.refused(error),
    }
}

/// Writes the file that `gleaner init` writes.
fn create(visit: &PanelRequest<'_>) -> Response<Body> {
    let place =
        ConfigText::read(visit).ok().filter(|source| source.file.is_none()).and_then(|_| ConfigText::place(visit));
    let Some(place) = place else {
        return notice(
            StatusCode::CONFLICT,
            "Nothing was done",
            "There is a file already, or no folder for one is known.",
        );
    };
    let text = config::starter(visit.state.config.access.lan);
    let written = place.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
        let mut open = fs::OpenOptions::new().write(true).create_new(true).open(&place)?;
        std::io::Write::write_all(&mut open, text.as_bytes())
    });
    match written {
        Ok(()) => {
            visit.proxy.file.store(Some(Arc::new(place)));
            see_other("/settings/ignore")
        }
        Err(error) => {
            notice(StatusCode::CONFLICT, "Nothing was done", &format!("cannot write {}: {error}", place.display()))
        }
    }
}

/// A page with the navigation of the settings.
fn show(visit: &PanelRequest<'_>, title: &str, content: &Markup) -> Response<Body> {
    visit.show(
        title,
        &html! {
            nav.tabs aria-label="Settings" {
                @let here = |path: &str| (path == visit.path).then_some("page");
                a href="/settings" aria-current=[here("/settings")] { "In force" } " "
                @for tab in &TABS {
                    @let path = tab.path();
                    a href=(path) aria-current=[here(&path)] { (tab.name) } " "
                }
            }
            (content)
        },
    )
}
