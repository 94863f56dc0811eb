//! Own rules that a button beside a request writes: `blocking.rules`.

use http::{Response, StatusCode};
use maud::{Markup, html};
use serde_yaml::Value;
use url::form_urlencoded;

use super::{FormFields, PanelRequest, edits, notice, see_other};
use crate::{
    config::edit::Change,
    http::{body::Body, history::Record, outcome::Outcome},
    net::route::Route,
    util::host::Host,
};

/// What a button does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleButton {
    /// The host is let through for pages of one site.
    AllowHere,
    /// The host is let through.
    Allow,
    /// The host is blocked.
    Block,
}

const BUTTONS: [(RuleButton, &str, &str); 3] = [
    (RuleButton::AllowHere, "allow-here", "Allow here"),
    (RuleButton::Allow, "allow", "Allow everywhere"),
    (RuleButton::Block, "block", "Block"),
];

/// The buttons of a row, within the one form of all rows.
pub(super) fn buttons(record: &Record) -> Markup {
    let (is_blocked, by_hours) = match &record.outcome {
        Outcome::Blocked(rule) => (true, rule.starts_with("blocking.services")),
        _ => (record.route == Route::Blocked, false),
    };
    let fits = |button: RuleButton| match button {
        RuleButton::AllowHere => is_blocked && record.asked_by.is_some(),
        RuleButton::Allow => is_blocked,
        RuleButton::Block => !is_blocked,
    };
    let site = record.asked_by.as_deref().unwrap_or_default();
    html! {
        @if by_hours { a href={ "/panel/device?address=" (record.client) } { "Hours of this device" } }
        @else if !record.site().is_empty() {
            @for (_, word, label) in BUTTONS.iter().filter(|(button, ..)| fits(*button)) {
                button.small name="do" value={ (word) " " (record.site()) " " (site) } title={ (label) ": " (record.site()) } { (label) }
            }
        }
    }
}

/// Writes the rule of a button.
pub(super) async fn post(visit: &PanelRequest<'_>, form: &FormFields) -> Response<Body> {
    let refused = |problem: &str| notice(StatusCode::CONFLICT, "Nothing was saved", problem);
    let mut words = form.get("do").split(' ');
    let button = words.next().and_then(|word| BUTTONS.iter().find(|(_, known, _)| *known == word));
    let (host, site) = (words.next().and_then(plain), words.next().and_then(plain));
    let (Some((button, ..)), Some(host)) = (button, host) else {
        return refused("The form names no host, or nothing to do with it.");
    };
    if *button == RuleButton::AllowHere && site.is_none() {
        return refused("The form names no site.");
    }
    match edits::change(visit, |tree| changed(tree, *button, &host, site.as_deref())).await {
        Ok(_) => {
            let mut query = form_urlencoded::Serializer::new(String::new());
            query.append_pair("saved", &rule(*button, &host, site.as_deref()));
            for name in ["device", "host", "what", "when"] {
                query.append_pair(name, form.get(name));
            }
            see_other(&format!("/panel/requests?{}", query.finish()))
        }
        Err(problem) => refused(&problem),
    }
}

/// A host as rules name it.
fn plain(text: &str) -> Option<String> {
    Host::parse(text).ok().map(|host| host.plain().into_owned()).filter(|host| !host.is_empty())
}

fn rule(button: RuleButton, host: &str, site: Option<&str>) -> String {
    match (button, site) {
        (RuleButton::AllowHere, Some(site)) => format!("@@||{host}^$domain={site}"),
        (RuleButton::AllowHere | RuleButton::Allow, _) => format!("@@||{host}^"),
        (RuleButton::Block, _) => format!("||{host}^"),
    }
}

/// Adds the rule, and takes those away that say the opposite of the same host.
fn changed(tree: &Value, button: RuleButton, host: &str, site: Option<&str>) -> Vec<Change> {
    let rules =
        tree.get("blocking").and_then(|blocking| blocking.get("rules")?.as_sequence()).cloned().unwrap_or_default();
    let rule = rule(button, host, site);
    let (blocked, allowed) = (format!("||{host}^"), format!("@@||{host}^"));
    let is_opposite = |old: &str| match button {
        RuleButton::Block => old == allowed || old.starts_with(&format!("{allowed}$domain=")),
        RuleButton::Allow => old == blocked,
        RuleButton::AllowHere => false,
    };
    let is_kept = |old: &&Value| old.as_str().is_none_or(|old| !is_opposite(old) && old != rule);
    let mut after: Vec<Value> = rules.iter().filter(is_kept).cloned().collect();
    after.push(rule.into());
    let change =
        Change { path: ["blocking", "rules"].map(str::to_owned).into(), value: Value::Sequence(after.clone()) };
    if after == rules { Vec::new() } else { vec![change] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_takes_the_place_of_its_opposite() {
        let tree = |rules: &str| serde_yaml::from_str(&format!("blocking: {{ rules: [{rules}] }}")).unwrap();
        let after = |rules: &str, button, site: Option<&str>| {
            let changes = changed(&tree(rules), button, "ads.example", site);
            let lines =
                |change: &Change| serde_yaml::from_value::<Vec<String>>(change.value.clone()).unwrap().join(" ");
            changes.first().map(lines)
        };
        let site = Some("news.example");
        for (rules, button, site, wanted) in [
            ("'! mine', '||ads.example^'", RuleButton::Allow, None, Some("! mine @@||ads.example^")),
            ("", RuleButton::AllowHere, site, Some("@@||ads.example^$domain=news.example")),
            (
                "'@@||ads.example^$domain=news.example', '@@||ads.example^'",
                RuleButton::Block,
                site,
                Some("||ads.example^"),
            ),
            (
                "'||ads.example^'",
                RuleButton::AllowHere,
                site,
                Some("||ads.example^ @@||ads.example^$domain=news.example"),
            ),
            ("'||ads.example^'", RuleButton::Block, None, None),
        ] {
            assert_eq!(after(rules, button, site).as_deref(), wanted, "{rules} {button:?}");
        }
    }
}
