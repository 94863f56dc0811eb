//! Settings as forms, made from the schema of the configuration, and written into its file.
//!
//! The file is the one truth: forms show what it says, only what differs is written, and the code that reads the file judges it.

mod fields;
mod preview;

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
    sync::LazyLock,
};

use http::{Response, StatusCode};
use maud::{Markup, html};
use serde_json::Value as Json;
use serde_yaml::Value;

use self::fields::{Field, Item};
use super::{Fields, Visit, notice, see_other};
use crate::{
    admin,
    body::Body,
    config::{
        self,
        edit::{self, Change, EditError},
    },
    error_pages,
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
    Tab::new("Output", "How pages are written, and which are rewritten.", &["filters.output", "rewrite"], &[]),
    Tab::new("Lists", "Advertisements and trackers.", &["blocking"], &[]),
    Tab::new("Profiles", "Named sets of settings, laid over all others.", &["profiles"], &[]),
    Tab::new("Devices", "Which device gets which profile: the first rule that fits.", &["devices"], &[]),
    Tab::new("Sites", "Which site gets which profile, on every device: the first rule that fits.", &["sites"], &[]),
    Tab::new(
        "Proxy",
        "Encrypted pages, bounds and waiting times. Who may use the proxy is set in the file only.",
        &["https", "headers", "limits", "timeouts", "log"],
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
pub(super) struct Source {
    /// None: the defaults within the program.
    pub(super) file: Option<PathBuf>,
    pub(super) text: String,
}

impl Source {
    pub(super) fn read(visit: &Visit<'_>) -> Result<Self, String> {
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
        config::effective(&self.text).map_err(|error| error.to_string())
    }

    /// Tells one text of the file from another.
    fn stamp(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        format!("{:016x}", hasher.finish())
    }

    /// Where a file would be.
    fn place(visit: &Visit<'_>) -> Option<PathBuf> {
        visit.proxy.lookup()?.places.first().cloned()
    }
}

/// The settings in force, without changing any.
pub(super) fn overview(visit: &Visit<'_>) -> Response<Body> {
    show(visit, "Settings", &html! { h2 { "In force" } (admin::settings_table(visit.proxy, visit.running)) })
}

/// The form of a tab.
pub(super) fn page(visit: &Visit<'_>, slug: &str) -> Response<Body> {
    let Some(tab) = Tab::find(slug) else {
        return notice(StatusCode::NOT_FOUND, "Not here", "There are no such settings.");
    };
    match Source::read(visit).and_then(|source| Ok((source.tree()?, source))) {
        Ok((tree, source)) => {
            let done = html! {
                @match visit.query.get("saved") {
                    "" => {}
                    "0" => p role="status" { "Nothing was changed." },
                    _ => p.good role="status" { "Saved. The file as it was is kept beside it, as " code { ".bak" } "." },
                }
            };
            show(visit, tab.name, &form(visit, tab, &source, &tree, &[], "", &done))
        }
        Err(problem) => {
            show(visit, tab.name, &html! { p.bad { (problem) } p { "The file has to be mended by hand first." } })
        }
    }
}

/// Commits the form of a tab, or shows what it would do to a page.
pub(super) async fn post(visit: &Visit<'_>, slug: &str, form_fields: &Fields) -> Response<Body> {
    if slug == "create" {
        return create(visit);
    }
    let Some(tab) = Tab::find(slug) else {
        return notice(StatusCode::NOT_FOUND, "Not here", "There are no such settings.");
    };
    let (tree, source) = match Source::read(visit).and_then(|source| Ok((source.tree()?, source))) {
        Ok(read) => read,
        Err(problem) => return notice(StatusCode::CONFLICT, "Nothing was saved", &problem),
    };
    let changes = changes(tab, &tree, form_fields);
    let mut pending = tree.clone();
    for Change { path, value } in &changes {
        edit::set(&mut pending, path, value);
    }
    let refused = |status: StatusCode, problems: &[String]| {
        let mut response = show(visit, tab.name, &form(visit, tab, &source, &pending, problems, "", &html! {}));
        *response.status_mut() = status;
        response
    };
    if form_fields.get("stamp") != source.stamp() {
        return refused(StatusCode::CONFLICT, &[stale(&changes)]);
    }
    let file = source.file.clone().unwrap_or_default();
    // Enter in a field sends the first button.
    let is_preview = match form_fields.get("do") {
        "enter" => !form_fields.get("address").is_empty(),
        button => button == "preview",
    };
    if is_preview {
        let shown = match edit::edited(&source.text, &changes, &file) {
            Ok((_, after)) => {
                let after = Some(&after).filter(|_| !changes.is_empty());
                preview::show(visit, form_fields.get("address"), after).await
            }
            Err(error) => html! { p.bad role="alert" { (error) } },
        };
        let mut response =
            show(visit, tab.name, &form(visit, tab, &source, &pending, &[], form_fields.get("address"), &shown));
        preview::allow_contents(&mut response);
        return response;
    }
    if changes.is_empty() {
        return see_other(&format!("{}?saved=0", tab.path()));
    }
    match edit::save(&file, &source.text, &changes) {
        Ok(()) => {
            visit.taken_over().await;
            see_other(&format!("{}?saved=1", tab.path()))
        }
        Err(EditError::Config(error)) => {
            let problems: Vec<_> = error.problems().map(str::to_owned).collect();
            refused(StatusCode::UNPROCESSABLE_ENTITY, &problems)
        }
        Err(EditError::Stale) => refused(StatusCode::CONFLICT, &[stale(&changes)]),
        Err(other) => refused(StatusCode::UNPROCESSABLE_ENTITY, &[other.to_string()]),
    }
}

/// What is said where the file is no longer the one that the form was made from.
fn stale(changes: &[Change]) -> String {
    let names: Vec<_> = changes.iter().map(|change| format!("`{}`", change.path.join("."))).collect();
    format!(
        "{}. This form has what you entered; committing it now changes {}.",
        EditError::Stale,
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    )
}

/// Writes the file that `gleaner init` writes.
fn create(visit: &Visit<'_>) -> Response<Body> {
    let place = Source::read(visit).ok().filter(|source| source.file.is_none()).and_then(|_| Source::place(visit));
    let Some(place) = place else {
        return notice(
            StatusCode::CONFLICT,
            "Nothing was done",
            "There is a file already, or no folder for one is known.",
        );
    };
    let text = config::starter(visit.running.config.access.lan);
    let written = place.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| {
        let mut open = fs::OpenOptions::new().write(true).create_new(true).open(&place)?;
        std::io::Write::write_all(&mut open, text.as_bytes())
    });
    match written {
        Ok(()) => {
            visit.proxy.set_config_file(place);
            see_other("/settings/ignore")
        }
        Err(error) => {
            notice(StatusCode::CONFLICT, "Nothing was done", &format!("cannot write {}: {error}", place.display()))
        }
    }
}

/// What a form says otherwise than the file.
fn changes(tab: &Tab, tree: &Value, form: &Fields) -> Vec<Change> {
    let fields = items(tab, tree).into_iter().filter_map(|item| match item {
        Item::Field(field) => Some(field),
        Item::Section { .. } => None,
    });
    let mut changes: Vec<Change> = fields
        .filter_map(|field| {
            let value = field.read(form)?;
            (value != field.value).then_some(Change { path: field.path, value })
        })
        .collect();
    let new = form.get("new-profile").trim();
    if !new.is_empty() && tab.name == "Profiles" {
        let path = vec!["profiles".to_owned(), new.to_owned()];
        changes.push(Change { path, value: Value::Mapping(serde_yaml::Mapping::new()) });
    }
    changes
}

fn items(tab: &Tab, tree: &Value) -> Vec<Item> {
    let mut items = Vec::new();
    for section in tab.sections {
        let path: Vec<String> = section.split('.').map(str::to_owned).collect();
        fields::collect(&SCHEMA, tree, &path, tab.without, &mut items);
    }
    items
}

fn form(
    visit: &Visit<'_>,
    tab: &Tab,
    source: &Source,
    tree: &Value,
    problems: &[String],
    address: &str,
    shown: &Markup,
) -> Markup {
    let items = items(tab, tree);
    let of = |field: &Field| problems.iter().filter(|problem| field.is_meant_by(problem)).cloned().collect::<Vec<_>>();
    let elsewhere =
        |problem: &&String| !items.iter().any(|item| matches!(item, Item::Field(field) if field.is_meant_by(problem)));
    html! {
        p { (tab.about) " " a href="#address" { "Preview" } }
        @if !problems.is_empty() {
            div.bad role="alert" {
                p { strong { "Nothing was saved." } @if problems.iter().any(|problem| !elsewhere(&problem)) { " What is wrong is said at each setting." } }
                @for problem in problems.iter().filter(elsewhere) { p { (error_pages::prose(problem)) } }
            }
        }
        (shown)
        (where_it_is(visit, source))
        form.settings method="post" action=(tab.path()) {
            (visit.guest.field())
            input type="hidden" name="stamp" value=(source.stamp());
            @if source.file.is_some() { button.unseen type="submit" name="do" value="enter" tabindex="-1" aria-hidden="true" { "Enter" } }
            @for item in &items {
                @match item {
                    Item::Section { title, help, depth } => {
                        @if *depth < 2 { h2 { (title) } } @else { h3 { (title) } }
                        @if !help.is_empty() { p.quiet { (error_pages::prose(help)) } }
                    }
                    Item::Field(field) => (field.show(&of(field))),
                }
            }
            @if tab.name == "Profiles" {
                div.field { label for="new-profile" { "A new profile, by its name" } input id="new-profile" name="new-profile"; }
            }
            div.buttons {
                @if source.file.is_some() { button type="submit" name="do" value="commit" { "Commit" } " " }
                a.button.second href=(tab.path()) { "Cancel" }
            }
            fieldset {
                legend { "Preview" }
                label for="address" { "Address of a page, to see it with these settings beside the original" }
                input id="address" name="address" inputmode="url" placeholder="https://example.org/article" value=(address);
                button type="submit" name="do" value="preview" { "Preview" }
            }
        }
    }
}

fn where_it_is(visit: &Visit<'_>, source: &Source) -> Markup {
    html! {
        @match (&source.file, Source::place(visit)) {
            (Some(file), _) => p.quiet { "In " code { (std::path::absolute(file).unwrap_or_else(|_| file.clone()).display()) } ". What is not written there has its default." },
            (None, Some(place)) => {
                p { "There is no configuration file yet, and so nothing can be saved. " code { (place.display()) } " would be one, with comments, as "
                    code { "gleaner init" } " writes it." }
                (visit.button("/settings/create", &[], "Create it"))
            }
            (None, None) => p { "There is no configuration file, and no folder for one is known; " code { "--config" } " names one." },
        }
    }
}

/// A page with the navigation of the settings.
fn show(visit: &Visit<'_>, title: &str, content: &Markup) -> Response<Body> {
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
