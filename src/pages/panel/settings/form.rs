//! The form of a tab: what is entered, what of it is wrong, and how it is shown. Parts of many fields unfold.

use std::path::Path;

use http::{Response, StatusCode};
use maud::{Markup, html};
use serde_yaml::Value;

use super::{
    ConfigText, SCHEMA, Tab,
    fields::{self, Field, Item},
    preview, show,
};
use crate::{
    config::edit::{self, Change, EditError},
    http::body::Body,
    pages::{
        form_fields::FormFields,
        panel::{PanelRequest, edits},
        template,
    },
};

/// Parts of a form that are all open.
const FEW: usize = 2;

/// Most bytes of a new profile's name.
const MAX_NAME: usize = 60;

/// The form of a tab, and what was entered.
pub(super) struct Form<'a> {
    visit: &'a PanelRequest<'a>,
    tab: &'static Tab,
    pub(super) source: ConfigText,
    /// The settings, with what was entered.
    tree: Value,
    /// Values that were entered otherwise than they are in the file.
    pub(super) changes: Vec<Change>,
    /// The page of a preview.
    pub(super) address: String,
    problems: Vec<String>,
}

impl<'a> Form<'a> {
    pub(super) fn from_file(visit: &'a PanelRequest<'a>, tab: &'static Tab) -> Result<Self, String> {
        let source = ConfigText::read(visit)?;
        let tree = source.tree()?;
        Ok(Self { visit, tab, source, tree, changes: Vec::new(), address: String::new(), problems: Vec::new() })
    }

    pub(super) fn fill(&mut self, sent: &FormFields) {
        sent.get("address").trim().clone_into(&mut self.address);
        for item in self.items() {
            if let Item::Field(field) = item
                && let Some(value) = field.read(sent)
            {
                if field.lacks_profile(&value) {
                    self.problems.push(format!("{}: choose a profile for the new rule", field.name()));
                }
                field.changes(value, &mut self.changes);
            }
        }
        let new = sent.get("new-profile").trim();
        if new.chars().any(char::is_control) || new.len() > MAX_NAME {
            self.problems.push(format!("a profile's name is one line of at most {MAX_NAME} letters"));
        } else if !new.is_empty() && self.tab.name == "Profiles" {
            let path = vec!["profiles".to_owned(), new.to_owned()];
            self.changes.push(Change { path, value: Value::Mapping(serde_yaml::Mapping::new()) });
        }
        for Change { path, value } in &self.changes {
            edit::set(&mut self.tree, path, value);
        }
    }

    pub(super) fn file(&self) -> &Path {
        self.source.file.as_deref().unwrap_or(Path::new(""))
    }

    fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for section in self.tab.sections {
            let path: Vec<String> = section.split('.').map(str::to_owned).collect();
            fields::collect(&SCHEMA, &self.tree, &path, self.tab.without, &mut items);
        }
        items
    }

    /// The page of an address, without and with what was entered.
    pub(super) async fn preview(&self) -> Response<Body> {
        let shown = match edits::in_background(edits::edited, &self.source.text, &self.changes, self.file()).await {
            Ok((_, after)) => {
                let after = Some(&after).filter(|_| !self.changes.is_empty());
                preview::show(self.visit, &self.address, after).await
            }
            Err(error) => html! { p.bad role="alert" { (error) } },
        };
        let mut response = self.show(&shown);
        preview::allow_contents(&mut response);
        response
    }

    /// The form again, where what was entered cannot be saved as it is.
    pub(super) fn unfinished(&self) -> Option<Response<Body>> {
        let mut response = (!self.problems.is_empty()).then(|| self.show(&html! {}))?;
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
        Some(response)
    }

    /// The form again, with what was entered, and why it was not saved.
    pub(super) fn refused(mut self, error: EditError) -> Response<Body> {
        let status = match error {
            EditError::Stale => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        self.problems = match error {
            EditError::Config(error) => error.problems().map(str::to_owned).collect(),
            EditError::Stale => vec![self.stale()],
            other => vec![other.to_string()],
        };
        let mut response = self.show(&html! {});
        *response.status_mut() = status;
        response
    }

    /// The message where the file is no longer the one that the form was made from.
    fn stale(&self) -> String {
        let names: Vec<_> = self.changes.iter().map(|change| format!("`{}`", change.path.join("."))).collect();
        let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        format!(
            "The file was changed by somebody else in the meantime. This form has what you entered; committing it now changes {names}."
        )
    }

    fn problems(&self, field: &Field) -> Vec<&str> {
        self.problems.iter().map(String::as_str).filter(|problem| field.is_meant_by(problem)).collect()
    }

    /// The page, with something above the fields.
    pub(super) fn show(&self, shown: &Markup) -> Response<Body> {
        let (visit, tab, source) = (self.visit, self.tab, &self.source);
        let items = self.items();
        let parts: Vec<&[Item]> = items.chunk_by(|_, next| !next.begins_part()).collect();
        let content = html! {
            p { (tab.about) " " a href="#address" { "Preview" } }
            @if !self.problems.is_empty() { (self.what_is_wrong(&items)) }
            (shown)
            (where_it_is(visit, source))
            @if parts.len() > FEW {
                nav.jump aria-label="Parts" { @for part in &parts { @if part.len() > 1 && let Item::Section { title, name, .. } = &part[0] {
                    a href={ "#" (name) } { (title) } " "
                } } }
            }
            form.settings method="post" action=(tab.path()) {
                (visit.guest.field())
                input type="hidden" name="stamp" value=(source.stamp());
                @if source.file.is_some() { button.unseen type="submit" name="enter" value="Commit" tabindex="-1" aria-hidden="true" {} }
                @for part in &parts { (self.part(part, parts.len() <= FEW)) }
                @if tab.name == "Profiles" {
                    div.field { label for="new-profile" { "A new profile, by its name" } " " input id="new-profile" name="new-profile"; }
                }
                div.buttons {
                    @if source.file.is_some() { button type="submit" name="do" value="commit" { "Commit" } " " }
                    a.button.second href=(tab.path()) { "Cancel" }
                }
                fieldset {
                    legend { "Preview" }
                    label for="address" { "Address of a page, to see it with these settings beside the original" }
                    input id="address" name="address" inputmode="url" placeholder="https://example.org/article" value=(self.address);
                    button type="submit" name="do" value="preview" { "Preview" }
                }
            }
        };
        show(visit, tab.name, &content)
    }

    /// Links to the fields that say what is wrong with them, and the problems that are of none.
    fn what_is_wrong(&self, items: &[Item]) -> Markup {
        let fields = || items.iter().filter_map(Item::field);
        let wrong: Vec<_> = fields().filter(|field| !self.problems(field).is_empty()).collect();
        html! {
            div.bad role="alert" {
                p { strong { "Nothing was saved." }
                    @if !wrong.is_empty() { " See what is said at:" }
                    @for field in wrong { " " a href={ "#" (field.name()) } { (field.label()) } } }
                @for problem in self.problems.iter().filter(|problem| !fields().any(|field| field.is_meant_by(problem))) {
                    p { (template::prose(problem)) }
                }
            }
        }
    }

    /// Fields under a title. They unfold, and are open where something is entered or wrong.
    fn part(&self, items: &[Item], is_few: bool) -> Markup {
        let content = html! {
            @for item in items {
                @match item {
                    Item::Section { title, help, depth, name } => {
                        @if *depth > 1 { h3 { (title) } }
                        @if !help.is_empty() { p.quiet id=[(*depth < 2).then_some(name)] { (template::prose(help)) } }
                    }
                    Item::Field(field) => (field.show(&self.problems(field))),
                }
            }
        };
        let [Item::Section { title, .. }, _, ..] = items else { return content };
        let fields = || items.iter().filter_map(Item::field);
        let is_open = fields().any(|field| {
            !self.problems(field).is_empty() || self.changes.iter().any(|change| change.path.starts_with(&field.path))
        });
        let set = fields().filter(|field| field.is_set()).count();
        html! {
            details open[is_few || is_open] {
                summary { h2 { (title) } @if set > 0 { span.quiet { " · " (set) " changed" } } }
                (content)
            }
        }
    }
}

fn where_it_is(visit: &PanelRequest<'_>, source: &ConfigText) -> Markup {
    html! {
        @match (&source.file, ConfigText::place(visit)) {
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
