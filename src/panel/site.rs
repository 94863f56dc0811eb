//! “Always” and “never on this site”: a rule of `sites` in the configuration, for this host alone.

use std::net::SocketAddr;

use http::{Response, StatusCode, request::Parts};
use maud::{Markup, html};
use serde_yaml::{Mapping, Value};
use url::Host;

use super::{Fields, Visit, notice, see_other, settings::Source};
use crate::{
    body::Body,
    config::{
        Choice, Config,
        edit::{self, Change},
    },
    device::Device,
    error_pages,
    service::Proxy,
};

/// The profile of a site that is always rewritten, where without a rule it would not be.
const ALWAYS: Option<&str> = Some("desktop");

/// What can be chosen: the word of the form, the profile that it writes, the label.
const CHOICES: [(&str, Option<&str>, &str); 3] = [
    ("always", ALWAYS, "Always rewrite its pages"),
    ("never", Some("off"), "Never touch this site"),
    ("usual", None, "As on other sites"),
];

/// Lists of hosts that keep pages as they are, whatever the rules say.
const EXCEPTIONS: [[&str; 2]; 2] = [["rewrite", "except"], ["https", "except"]];

/// The site of a request for this page.
pub(super) fn asked_for(head: &Parts) -> Option<String> {
    let query = head.uri.query().filter(|_| head.uri.path() == "/settings/site")?;
    host_in(Fields::read(query.as_bytes()).get("host"))
}

/// What a reader is told whose device has no panel: who can do it, and how.
pub(super) fn elsewhere(proxy: &Proxy, device: &Device, host: &str) -> String {
    let port = proxy.own().first().map(SocketAddr::port).unwrap_or_default();
    format!(
        "Whether the pages of {host} are rewritten is decided on the machine that Gleaner runs on: there at \
         `http://127.0.0.1:{port}/settings/site?host={host}`, or in its configuration by `sites: [{{ hosts: [{host}], profile: off }}]`. \
         So that it can be decided on this device, name its address, {address}, under `panel.clients` there, with a \
         `panel.password`. Until then, Original in the bar shows a page as it is for ten minutes.",
        address = device.address
    )
}

pub(super) fn page(visit: &Visit<'_>) -> Response<Body> {
    let Some(host) = host_in(visit.query.get("host")) else {
        return visit.show("One site", &html! {
            form method="get" action="/settings/site" {
                label for="host" { "Name of the site" } " " input id="host" name="host" placeholder="example.org" required; " "
                button type="submit" { "Go on" }
            }
        });
    };
    let tree = Source::read(visit).and_then(|source| source.tree());
    visit.show(&host, &html! {
        @if !visit.query.get("saved").is_empty() { p.good role="status" { "Saved. This holds for the next page that is loaded:" } }
        @match &tree {
            Ok(tree) => (state(visit, tree, &host)),
            Err(problem) => p.bad { (problem) },
        }
        @for (choice, _, label) in CHOICES {
            p { (visit.button("/settings/site", &[("host", &host), ("choice", choice)], label)) }
        }
        p { a href={ "http://" (host) "/" } { "Go to the site" } " · " a href="/settings/sites" { "All rules for sites" } }
    })
}

/// What holds for the site now.
fn state(visit: &Visit<'_>, tree: &Value, host: &str) -> Markup {
    let config = &visit.running.config;
    let own = rules(tree)
        .iter()
        .find(|rule| is_of(rule, host))
        .and_then(|rule| rule.get("profile")?.as_str())
        .map(str::to_owned);
    let wider = config.rewrite.except.matches(host) || config.untouched.matches(host);
    html! {
        p { @match own.as_deref() {
            Some("off") => "This site is never touched.",
            Some(profile) => { "This site always has the profile " strong { (profile) } "." }
            None => "There is no rule for this site alone.",
        } }
        @if !config.profiles.are_sites(rules(tree)) {
            p.bad { "Not in force yet: Gleaner takes the file over within seconds. " a href={ "/settings/site?host=" (host) } { "Load this page again." } }
        } @else if let Some(Choice { profile, rule, .. }) = config.profiles.choose(&visit.asker(), host) {
            p.quiet { "In force on this device: profile " (profile.name) " (" (error_pages::prose(&rule.to_string())) ")." }
        }
        @if wider { p.bad { "An exception leaves its pages as they are: `rewrite.except`, or a list of `https.except_lists`." } }
    }
}

pub(super) async fn post(visit: &Visit<'_>, form: &Fields) -> Response<Body> {
    let choice = CHOICES.iter().find(|(word, ..)| *word == form.get("choice"));
    let (Some(host), Some((_, profile, _))) = (host_in(form.get("host")), choice) else {
        return notice(
            StatusCode::BAD_REQUEST,
            "Nothing was saved",
            "The form names no site, or nothing to do with it.",
        );
    };
    let refused = |problem: &str| notice(StatusCode::CONFLICT, "Nothing was saved", problem);
    let (tree, source) = match Source::read(visit).and_then(|source| Ok((source.tree()?, source))) {
        Ok(read) => read,
        Err(problem) => return refused(&problem),
    };
    let Some(file) = &source.file else {
        return refused(
            "There is no configuration file yet; `http://gleaner.internal/settings/sites` offers to make one.",
        );
    };
    let mut changes = changes(&tree, &host, *profile);
    if *profile == ALWAYS {
        // A device keeps its own profile, unless that leaves the site alone.
        let usual = self::changes(&tree, &host, None);
        let usual: Vec<_> =
            usual.into_iter().chain(changes.iter().filter(|change| change.path[0] != "sites").cloned()).collect();
        let is_rewritten = |config: &Config| {
            config.profiles.choose(&visit.asker(), &host).is_some_and(|choice| choice.profile.rewrite)
        };
        if edit::edited(&source.text, &usual, file).is_ok_and(|(_, config)| is_rewritten(&config)) {
            changes = usual;
        }
    }
    if !changes.is_empty() {
        if let Err(error) = edit::save(file, &source.text, &changes) {
            return refused(&error.to_string());
        }
        visit.taken_over().await;
    }
    see_other(&format!("/settings/site?host={host}&saved=1"))
}

/// What gives this host the profile, before all other rules; without one, what takes its own rule away.
fn changes(tree: &Value, host: &str, profile: Option<&str>) -> Vec<Change> {
    let mut rules = rules(tree);
    let before = rules.clone();
    rules.retain(|rule| !is_of(rule, host));
    if let Some(profile) = profile {
        let rule = [("hosts".into(), Value::Sequence(vec![host.into()])), ("profile".into(), profile.into())];
        rules.insert(0, Value::Mapping(Mapping::from_iter(rule)));
    }
    let mut changes = Vec::new();
    if rules != before {
        changes.push(Change { path: vec!["sites".to_owned()], value: Value::Sequence(rules) });
    }
    for path in EXCEPTIONS {
        let listed =
            tree.get(path[0]).and_then(|section| section.get(path[1])?.as_sequence()).cloned().unwrap_or_default();
        let left: Vec<_> = listed.iter().filter(|entry| entry.as_str() != Some(host)).cloned().collect();
        if profile.is_some_and(|profile| profile != "off") && left != listed {
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
            for change in changes(&tree, "www.example.org", profile) {
                edit::set(&mut tree, &change.path, &change.value);
            }
            assert_eq!(tree["sites"], serde_yaml::from_str::<Value>(wanted).unwrap());
            assert!(changes(&tree, "www.example.org", profile).is_empty());
        }
        assert_eq!(tree["rewrite"]["except"], serde_yaml::from_str::<Value>("[c.example]").unwrap());
        assert_eq!(host_in(" WWW.Example.org ").as_deref(), Some("www.example.org"));
        assert_eq!(host_in("a.example/x"), None);
    }
}
