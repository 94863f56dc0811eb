//! “Always” and “never on this site”: a rule of `sites` in the configuration, for this host alone.

use std::net::SocketAddr;

use http::{Response, StatusCode, request::Parts};
use maud::{Markup, html};
use serde_yaml::{Mapping, Value};
use url::{Host, Url, form_urlencoded};

use super::{FormFields, PanelRequest, notice, notice_with, see_other, settings::ConfigText};
use crate::{
    config::{Choice, Config, edit::Change},
    http::body::Body,
    net::client_program::ClientProgram,
    pages::{panel::edits, template},
    state::proxy::Proxy,
};

/// The choices for a site: the word of the form, and the label.
const CHOICES: [(&str, &str); 3] =
    [(ALWAYS, "Always rewrite its pages"), (NEVER, "Never touch this site"), ("usual", "As on other sites")];

const ALWAYS: &str = "always";
const NEVER: &str = "never";

/// The profile of a site that is never touched.
const OFF: &str = "off";

/// Profile for "always rewrite" when no other profile would rewrite the site.
const REWRITES: &str = "desktop";

/// Lists of hosts that keep pages as they are, whatever the rules say.
const EXCEPTIONS: [[&str; 2]; 3] = [["rewrite", "except"], ["https", "except"], ["leave_alone", "hosts"]];

/// The site of a request for this page, and the page that its reader came from.
pub(super) fn asked_for(head: &Parts) -> Option<(String, Option<Url>)> {
    let query = head.uri.query().filter(|_| head.uri.path() == "/settings/site")?;
    let fields = FormFields::parse(query.as_bytes());
    let host = host_in(fields.get("host"))?;
    let page = page_of(&fields, &host);
    Some((host, page))
}

/// The way back to a page of a site.
pub(super) fn way_back(host: &str, page: Option<&Url>) -> Markup {
    html! {
        @match page {
            Some(page) => a href=(page) { "Back to the page" },
            None => a href={ "http://" (host) "/" } { "Go to the site" },
        }
    }
}

/// The rule for a site that is never touched, as it is written.
pub(super) fn never(host: &str) -> String {
    format!("`sites: [{{ hosts: [{host}], profile: off }}]`")
}

/// The message for a reader whose device has no panel: who can do it, and how.
pub(super) fn elsewhere(proxy: &Proxy, device: &ClientProgram, host: &str) -> String {
    let port = proxy.listen_addrs.first().map(SocketAddr::port).unwrap_or_default();
    format!(
        "Whether the pages of {host} are rewritten on all devices is decided on the machine that Gleaner runs on: there at \
         `http://127.0.0.1:{port}/settings/site?host={host}`, or in its configuration by {never}. \
         So that it can be decided on this device, name its address, {address}, under `panel.clients` there, with a \
         `panel.password`. For this device alone, Never on this site in the menu of the bar does it.",
        never = never(host),
        address = device.address
    )
}

pub(super) fn page(visit: &PanelRequest<'_>) -> Response<Body> {
    let Some(host) = host_in(visit.query.get("host")) else {
        return visit.show("One site", &html! {
            form method="get" action="/settings/site" {
                label for="host" { "Name of the site" } " " input id="host" name="host" placeholder="example.org" required; " "
                button type="submit" { "Go on" }
            }
        });
    };
    let tree = ConfigText::read(visit).and_then(|source| source.tree());
    visit.show(&host, &html! {
        @match visit.query.get("saved") {
            "" => {}
            "0" => p.good role="status" { "That is so already. Nothing had to be saved:" },
            _ => p.good role="status" { "Saved. This holds for the next page that is loaded:" },
        }
        @match &tree {
            Ok(tree) => (state(visit, tree, &host)),
            Err(problem) => p.bad { (problem) },
        }
        @for (choice, label) in CHOICES {
            p { (visit.button("/settings/site", &[("host", &host), ("page", visit.query.get("page")), ("choice", choice)], label)) }
        }
        p {
            (way_back(&host, page_of(&visit.query, &host).as_ref())) " · " a href="/settings/sites" { "All rules for sites" }
        }
    })
}

/// The page of this site that the reader came from.
fn page_of(fields: &FormFields, host: &str) -> Option<Url> {
    let page = Url::parse(fields.get("page")).ok()?;
    (["http", "https"].contains(&page.scheme()) && page.host_str() == Some(host)).then_some(page)
}

/// The rules that now hold for the site.
fn state(visit: &PanelRequest<'_>, tree: &Value, host: &str) -> Markup {
    let config = &visit.state.config;
    let own = rules(tree)
        .iter()
        .find(|rule| is_of(rule, host))
        .and_then(|rule| rule.get("profile")?.as_str())
        .map(str::to_owned);
    html! {
        p { @match own.as_deref() {
            Some(OFF) => "This site is never touched.",
            Some(profile) => { "This site always has the profile " strong { (profile) } "." }
            None => "There is no rule for this site alone.",
        } }
        @if !config.profiles.are_sites(rules(tree)) {
            p.bad { "Not in force yet: Gleaner takes the file over within seconds. " a href={ "/settings/site?host=" (host) } { "Load this page again." } }
        } @else if let Some(Choice { profile, rule, .. }) = config.profiles.choose(&visit.asker(), host) {
            p.quiet { "In force on this device: profile " (profile.name) " (" (template::prose(&rule.to_string())) ")." }
        }
        @match left_alone(visit, config, host) {
            None => p { "Its pages are rewritten on this device." },
            Some(reason) => p { "Its pages stay as they are on this device: " (template::prose(reason)) "." },
        }
    }
}

/// Why the pages of a site stay as they are on this device, if they do.
fn left_alone(visit: &PanelRequest<'_>, config: &Config, host: &str) -> Option<&'static str> {
    let profile = config.profiles.choose(&visit.asker(), host).map(|choice| choice.profile);
    [
        (config.rewrite.except.matches(host), "the host, or one above it, is in `rewrite.except`"),
        (config.https.except.matches(host), "the host, or one above it, is in `https.except`"),
        (config.never_processed.matches(host), "the host, or one above it, is in `leave_alone`"),
        (profile.is_none_or(|profile| !profile.rewrite), "the profile says so, or `rewrite.enabled`"),
    ]
    .into_iter()
    .find_map(|(is_so, reason)| is_so.then_some(reason))
}

pub(super) async fn post(visit: &PanelRequest<'_>, form: &FormFields) -> Response<Body> {
    let choice = CHOICES.iter().find(|(word, _)| *word == form.get("choice"));
    let (Some(host), Some((choice, _))) = (host_in(form.get("host")), choice) else {
        return notice(
            StatusCode::BAD_REQUEST,
            "Nothing was saved",
            "The form names no site, or nothing to do with it.",
        );
    };
    let back = way_back(&host, page_of(form, &host).as_ref());
    let refused = |problem: &str| notice_with(StatusCode::CONFLICT, "Nothing was saved", problem, &back);
    let (tree, source) = match ConfigText::read(visit).and_then(|source| Ok((source.tree()?, source))) {
        Ok(read) => read,
        Err(problem) => return refused(&problem),
    };
    let Some(file) = &source.file else {
        return refused(
            "There is no configuration file yet; `http://gleaner.internal/settings/sites` offers to make one.",
        );
    };
    let changes = match *choice {
        NEVER => with_rule(&tree, &host, Some(OFF)),
        // What changes least, so that a device keeps its own profile where that rewrites the page.
        ALWAYS => {
            let listed = without_exceptions(&tree, &host);
            let of = |profile| [with_rule(&tree, &host, profile), listed.clone()].concat();
            let mut why = None;
            let mut found = None;
            for changes in [listed.clone(), of(None), of(Some(REWRITES))] {
                let after = edits::in_background(edits::edited, &source.text, &changes, file).await;
                why = after
                    .as_ref()
                    .map_or(Some("the file has a mistake"), |(_, after)| left_alone(visit, &after.config, &host));
                if why.is_none() {
                    found = Some(changes);
                    break;
                }
            }
            let Some(changes) = found else {
                let why = why.unwrap_or_default();
                return refused(&format!("Whatever this site's own rule, its pages stay as they are: {why}."));
            };
            changes
        }
        _ => with_rule(&tree, &host, None),
    };
    if !changes.is_empty() {
        match edits::in_background(edits::save, &source.text, &changes, file).await {
            Ok(text_hash) => visit.taken_over(text_hash).await,
            Err(error) => return refused(&error.to_string()),
        }
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("host", &host).append_pair("saved", if changes.is_empty() { "0" } else { "1" });
    query.extend_pairs(page_of(form, &host).map(|page| ("page", page.to_string())));
    see_other(&format!("/settings/site?{}", query.finish()))
}

/// Changes that give this host the profile, before all other rules; without one, that take its own rule away.
fn with_rule(tree: &Value, host: &str, profile: Option<&str>) -> Vec<Change> {
    let mut rules = rules(tree);
    let before = rules.clone();
    rules.retain(|rule| !is_of(rule, host));
    if let Some(profile) = profile {
        let rule = [("hosts".into(), Value::Sequence(vec![host.into()])), ("profile".into(), profile.into())];
        rules.insert(0, Value::Mapping(Mapping::from_iter(rule)));
    }
    let change = (rules != before).then(|| Change { path: vec!["sites".to_owned()], value: Value::Sequence(rules) });
    change.into_iter().collect()
}

/// Changes that take this host out of the lists of exceptions.
fn without_exceptions(tree: &Value, host: &str) -> Vec<Change> {
    let mut changes = Vec::new();
    for path in EXCEPTIONS {
        let listed =
            tree.get(path[0]).and_then(|section| section.get(path[1])?.as_sequence()).cloned().unwrap_or_default();
        let left: Vec<_> = listed.iter().filter(|entry| entry.as_str() != Some(host)).cloned().collect();
        if left != listed {
            changes.push(Change { path: path.map(str::to_owned).into(), value: Value::Sequence(left) });
        }
    }
    changes
}

fn rules(tree: &Value) -> Vec<Value> {
    tree.get("sites").and_then(Value::as_sequence).cloned().unwrap_or_default()
}

/// Whether a rule is for this host and no other.
fn is_of(rule: &Value, host: &str) -> bool {
    let hosts = rule.get("hosts").and_then(Value::as_sequence);
    hosts.is_some_and(|hosts| matches!(hosts.as_slice(), [only] if only.as_str() == Some(host)))
}

/// A host as the configuration has it: without a port, in canonical form.
fn host_in(text: &str) -> Option<String> {
    let text = text.trim();
    let host = Host::parse(text).ok()?;
    Some(host.to_string()).filter(|host| !host.is_empty() && text.len() < 300)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::edit;

    #[test]
    fn a_rule_for_one_site_comes_first_and_goes_again() {
        let tree = "sites: [{ hosts: [example.org, b.example], profile: text }]\nrewrite: { except: [www.example.org, c.example] }";
        let mut tree: Value = serde_yaml::from_str(tree).unwrap();
        for (profile, wanted) in [
            (
                Some("off"),
                "[{hosts: [www.example.org], profile: off}, {hosts: [example.org, b.example], profile: text}]",
            ),
            (
                Some("desktop"),
                "[{hosts: [www.example.org], profile: desktop}, {hosts: [example.org, b.example], profile: text}]",
            ),
            (None, "[{hosts: [example.org, b.example], profile: text}]"),
        ] {
            for change in with_rule(&tree, "www.example.org", profile) {
                edit::set(&mut tree, &change.path, &change.value);
            }
            assert_eq!(tree["sites"], serde_yaml::from_str::<Value>(wanted).unwrap());
            assert!(with_rule(&tree, "www.example.org", profile).is_empty());
        }
        for change in without_exceptions(&tree, "www.example.org") {
            edit::set(&mut tree, &change.path, &change.value);
        }
        assert_eq!(tree["rewrite"]["except"], serde_yaml::from_str::<Value>("[c.example]").unwrap());
        assert_eq!(host_in(" WWW.Example.org ").as_deref(), Some("www.example.org"));
        assert_eq!(host_in("a.example/x"), None);
    }
}
