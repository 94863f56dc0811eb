//! Devices: their names, and for each which services are blocked and when, and safe search.
//!
//! What is decided for a device is written into the configuration file: a profile that has `blocking`, and a rule of `devices` that
//! gives it to the device.

use std::{collections::BTreeMap, net::IpAddr, sync::Arc};

use http::{Response, StatusCode};
use maud::{Markup, html};
use serde_yaml::{Mapping, Value};
use url::form_urlencoded;

use super::{FormFields, PanelRequest, edits, notice, notice_with, see_other};
use crate::{
    blocking::minutes_until,
    config::{
        ALWAYS, Choice, ClientInfo, Hours, ProfileRule, SERVICES, SafeSearch, Service, ServiceEntry, edit::Change,
    },
    http::{body::Body, history::ClientKey},
    net::client_program::ClientProgram,
    pages::opening::OPEN_FOR,
    state::device_names::{self, NamesByAddress, shown},
};

/// Hours that services get where there are none yet.
const BED: (&str, &str) = ("bed", "21:00-07:00");

/// Services that are shown first: those that parents ask for most. The others unfold.
const FIRST: [&str; 10] =
    ["youtube", "tiktok", "instagram", "snapchat", "whatsapp", "discord", "roblox", "netflix", "twitch", "everything"];

/// A device that a page is about.
struct Device {
    address: IpAddr,
    user: Option<Arc<str>>,
}

impl Device {
    fn from_fields(fields: &FormFields) -> Option<Self> {
        let user = Some(fields.get("user")).filter(|user| !user.is_empty()).map(Arc::from);
        Some(Self { address: fields.get("address").parse::<IpAddr>().ok()?.to_canonical(), user })
    }

    /// Without a `User-Agent`, so that what is decided holds for every program on it.
    fn asker(&self, port: u16) -> ClientInfo<'_> {
        ClientInfo { client: self.address, user: self.user.as_deref(), user_agent: "", port }
    }

    fn program(&self) -> ClientProgram {
        ClientProgram { address: self.address, user: self.user.clone(), agent: String::new() }
    }

    /// The key and the value of a rule that names the device alone.
    fn rule(&self) -> (&'static str, Value) {
        let (key, who) = match &self.user {
            Some(user) => ("users", user.to_string()),
            None => ("clients", self.address.to_string()),
        };
        (key, Value::Sequence(vec![who.into()]))
    }

    /// The profile that was written for the device here, also where it is not in force yet.
    fn written_profile(&self, tree: &Value) -> Option<String> {
        let rule = tree.get("devices")?.get(0)?;
        let (key, who) = self.rule();
        let profile = rule.get("profile").filter(|_| rule.get(key) == Some(&who))?.as_str()?;
        let is_ours = tree.get("profiles")?.get(profile)?.get("blocking")?.is_mapping();
        is_ours.then(|| profile.to_owned())
    }

    fn fields(&self) -> Markup {
        html! {
            input type="hidden" name="address" value=(self.address);
            @if let Some(user) = &self.user { input type="hidden" name="user" value=(user); }
        }
    }
}

/// The address of a device's page.
pub(super) fn path((address, user): &ClientKey) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("address", &address.to_string());
    query.extend_pairs(user.iter().map(|user| ("user", user)));
    format!("/panel/device?{}", query.finish())
}

/// All devices that are known: those with requests since the start, and those with a name.
pub(super) fn page(visit: &PanelRequest<'_>) -> Markup {
    let totals = visit.proxy.records.totals();
    let mut devices: BTreeMap<ClientKey, (u64, u64)> =
        visit.names.keys().map(|address| ((*address, None), (0, 0))).collect();
    devices
        .extend(totals.devices.each.iter().map(|(client, counts)| (client.clone(), (counts.requests, counts.blocked))));
    html! {
        @if devices.is_empty() { p { "None has used the proxy since the start." } } @else {
            table.rows {
                thead { tr { th scope="col" { "Device" } th scope="col" { "Blocked services" } th.number scope="col" { "Requests" } th.number scope="col" { "Blocked" } } }
                tbody { @for (client, (requests, blocked)) in &devices {
                    tr {
                        td { a href=(path(client)) { (visit.name(client)) } @if visit.names.contains_key(&client.0) { span.quiet { " " (client.0) } } }
                        td.wide data-name="Blocked services" { (in_words(visit, client)) }
                        td.number data-name="Requests" { (requests) }
                        td.number data-name="Blocked" { (blocked) }
                    }
                } }
            }
        }
    }
}

/// The services that are blocked on a device, in short.
fn in_words(visit: &PanelRequest<'_>, (address, user): &ClientKey) -> String {
    let device = Device { address: *address, user: user.clone() };
    let written = Written::in_force(visit, &device);
    written.services.iter().map(|entry| entry.service.words).collect::<Vec<_>>().join(", ")
}

/// What the file says for a device.
struct Written {
    /// The profile that decides, if a rule for devices gives it.
    profile: Option<String>,
    services: Vec<ServiceEntry>,
    schedule: BTreeMap<String, Hours>,
    safe_search: SafeSearch,
    /// Whether a profile that blocks nothing decides.
    is_off: bool,
}

impl Written {
    /// Reads the tree of all settings.
    fn from_tree(visit: &PanelRequest<'_>, tree: &Value, device: &Device) -> Self {
        let profiles = &visit.state.config.profiles;
        let choice = profiles.choose_blocking(&device.asker(visit.connection.local.port()), None);
        let by_rule = |choice: &Choice<'_>| matches!(choice.rule, ProfileRule::Device(_));
        let is_off = choice.as_ref().is_some_and(|choice| !choice.profile.blocking);
        let in_force = choice.filter(by_rule).filter(|_| !is_off).map(|choice| choice.profile.name.clone());
        let profile = in_force.or_else(|| device.written_profile(tree));
        let own = profile.as_ref().and_then(|name| tree.get("profiles")?.get(name)?.get("blocking"));
        let section = tree.get("blocking");
        let read =
            |key: &str| own.and_then(|own| own.get(key)).or_else(|| section?.get(key)).cloned().unwrap_or_default();
        let mut schedule: BTreeMap<String, Hours> = section
            .and_then(|section| serde_yaml::from_value(section.get("schedule")?.clone()).ok())
            .unwrap_or_default();
        let own_hours: Option<BTreeMap<String, Hours>> = serde_yaml::from_value(read("schedule")).ok();
        schedule.extend(own_hours.unwrap_or_default());
        Self {
            is_off,
            profile,
            services: serde_yaml::from_value(read("services")).unwrap_or_default(),
            schedule,
            safe_search: serde_yaml::from_value(read("safe_search")).unwrap_or_default(),
        }
    }

    fn in_force(visit: &PanelRequest<'_>, device: &Device) -> Self {
        Self::from_tree(visit, visit.tree(), device)
    }

    /// How a service is blocked.
    fn state(&self, service: &Service) -> ServiceChoice {
        let mut entries = self.services.iter().filter(|entry| entry.service.name == service.name);
        match entries.next() {
            None => ServiceChoice::Open,
            Some(entry) if entry.hours.as_deref() == Some(ALWAYS) => ServiceChoice::Always,
            Some(entry) if entry.hours.is_none() && self.schedule.is_empty() => ServiceChoice::Always,
            Some(_) => ServiceChoice::InHours,
        }
    }

    fn hours_in_words(&self) -> String {
        let all: Vec<_> = self.schedule.values().map(|hours| hours.to_string().replace('-', "–")).collect();
        if all.is_empty() { BED.1.replace('-', "–") } else { all.join(", ") }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ServiceChoice {
    Open,
    InHours,
    Always,
}

const STATES: [(ServiceChoice, &str); 3] =
    [(ServiceChoice::Open, "open"), (ServiceChoice::InHours, "hours"), (ServiceChoice::Always, "always")];

pub(super) fn device_page(visit: &PanelRequest<'_>) -> Response<Body> {
    let Some(device) = Device::from_fields(&visit.query) else {
        return notice(StatusCode::BAD_REQUEST, "Not here", "The address names no device.");
    };
    let client = (device.address, device.user.clone());
    let written = Written::in_force(visit, &device);
    let others = SERVICES.iter().filter(|service| !is_first(service, &written));
    let first = FIRST
        .into_iter()
        .filter_map(Service::find)
        .chain(SERVICES.iter().filter(|service| is_first(service, &written) && !FIRST.contains(&service.name)));
    visit.show(&visit.name(&client), &html! {
        @if !visit.query.get("saved").is_empty() { p.good role="status" { "Saved." } }
        @if let Some(until) = visit.proxy.opened_devices.ends_at(device.address, device.user.clone()) {
            p.good { "Everything is open for another " (minutes_until(until)) " min." }
        }
        @if written.is_off { p { "This device has a profile that blocks nothing. What is chosen here comes before it." } }
        (form(visit, &device, &html! {
            h2 { "Services" }
            p.quiet { "Blocked for this device " strong { (written.hours_in_words()) } ", always, or never. "
                @if let Some(profile) = &written.profile { "Written into the profile " code { (profile) } ", for all devices that have it." } }
            (services(first, &written))
            details { summary { h2 { "More services" } } (services(others, &written)) }
            div.row {
                button type="submit" name="do" value="open" { "Open all for 15 minutes" }
                @if visit.proxy.opened_devices.ends_at(device.address, device.user.clone()).is_some() {
                    button type="submit" name="do" value="close" { "Close again" }
                }
            }
        }))
        (form(visit, &device, &html! {
            h2 { "Safe search" }
            p.quiet { "Search engines leave out what is not for children, and YouTube has its restricted mode." }
            div.choice role="group" aria-label="Safe search" {
                @for (degree, word) in [(SafeSearch::Off, "off"), (SafeSearch::Moderate, "moderate"), (SafeSearch::Strict, "strict")] {
                    button type="submit" name="do" value={ "search " (word) } aria-pressed=[(degree == written.safe_search).then_some("true")] { (word) }
                }
            }
        }))
        (form(visit, &device, &html! {
            h2 { "Hours" }
            @for (index, (name, hours)) in hours(&written).iter().enumerate() {
                @let id = format!("hours-{index}");
                div.field { label for=(id) { (name) } " "
                    input type="hidden" name="name" value=(name);
                    input id=(id) name="hours" value=(hours) size="20" placeholder="mon-fri 21:00-07:00"; }
            }
            p.quiet { "As in 21:00-07:00, or with days before it: mon-thu 20:30-07:00. What is left empty goes." }
            button type="submit" name="do" value="hours" { "Save the hours" }
        }))
        (form(visit, &device, &html! {
            h2 { "Name" }
            div.field { label for="name" { "Name of this device" } " "
                input id="name" name="device-name" maxlength=(device_names::LONGEST) value=(visit.names.get(&device.address).cloned().unwrap_or_default()); }
            button type="submit" name="do" value="name" { "Save the name" }
        }))
        p { a href={ "/panel/requests?device=" (device.address) } { "Its requests" } " · "
            a href={ "/panel/requests?device=" (device.address) "&what=blocked&when=today" } { "Blocked today" } " · "
            a href="/settings/devices" { "All rules for devices" } }
    })
}

fn is_first(service: &Service, written: &Written) -> bool {
    FIRST.contains(&service.name) || written.state(service) != ServiceChoice::Open
}

/// The hours of a device, with places for the two that households have.
fn hours(written: &Written) -> Vec<(String, String)> {
    let mut hours: Vec<_> = written.schedule.iter().map(|(name, hours)| (name.clone(), hours.to_string())).collect();
    for name in [BED.0, "school_days"] {
        if !written.schedule.contains_key(name) {
            hours.push((name.to_owned(), String::new()));
        }
    }
    hours
}

fn form(visit: &PanelRequest<'_>, device: &Device, content: &Markup) -> Markup {
    html! { form method="post" action="/panel/device" { (visit.guest.field()) (device.fields()) (content) } }
}

/// A row for each service with its three states, of which the present one is pressed.
fn services<'a>(services: impl Iterator<Item = &'a Service>, written: &Written) -> Markup {
    html! {
        @for service in services {
            @let now = written.state(service);
            div.service {
                span { (service.words) }
                div.choice role="group" aria-label=(service.words) {
                    @for (state, word) in STATES {
                        button type="submit" name="do" value={ "service " (service.name) " " (word) } aria-pressed=[(state == now).then_some("true")] {
                            @match state { ServiceChoice::Open => "open", ServiceChoice::InHours => (written.hours_in_words()), ServiceChoice::Always => "blocked" }
                        }
                    }
                }
            }
        }
    }
}

/// Does what a button of a device's page is for.
pub(super) async fn post(visit: &PanelRequest<'_>, sent: &FormFields) -> Response<Body> {
    let refused = |problem: &str| notice(StatusCode::BAD_REQUEST, "Nothing was saved", problem);
    let Some(device) = Device::from_fields(sent) else { return refused("The form names no device.") };
    let words: Vec<&str> = sent.get("do").split(' ').collect();
    let changed = match words[..] {
        ["name"] => {
            visit.proxy.device_names.set(device.address, sent.get("device-name"));
            Ok(true)
        }
        ["open"] => {
            visit.proxy.opened_devices.set(&device.program(), OPEN_FOR);
            Ok(true)
        }
        ["close"] => {
            visit.proxy.opened_devices.set(&device.program(), std::time::Duration::ZERO);
            Ok(true)
        }
        ["service", name, state] => {
            let state = STATES.iter().find(|(_, word)| *word == state).map(|(state, _)| *state);
            let (Some(service), Some(state)) = (Service::find(name), state) else {
                return refused("The form names no service.");
            };
            edits::change(visit, |tree| with_service(visit, tree, &device, service, state)).await
        }
        ["search", degree] => {
            let value = Value::from(degree);
            edits::change(visit, |tree| with_key(visit, tree, &device, vec![("safe_search", value)])).await
        }
        ["hours"] => edits::change(visit, |tree| with_hours(visit, tree, &device, sent)).await,
        _ => return refused("The form names nothing to do."),
    };
    let back = format!("{}&saved=1", path(&(device.address, device.user.clone())));
    match changed {
        Ok(_) => see_other(&back),
        Err(problem) => {
            let link = html! { a href=(path(&(device.address, device.user.clone()))) { "Back to the device" } "." };
            notice_with(StatusCode::CONFLICT, "Nothing was saved", &problem, &link)
        }
    }
}

fn with_service(
    visit: &PanelRequest<'_>,
    tree: &Value,
    device: &Device,
    service: &'static Service,
    state: ServiceChoice,
) -> Vec<Change> {
    let written = Written::from_tree(visit, tree, device);
    let mut entries = written.services.clone();
    entries.retain(|entry| entry.service.name != service.name);
    match state {
        ServiceChoice::Open => {}
        ServiceChoice::InHours => entries.push(ServiceEntry { service, hours: None }),
        ServiceChoice::Always => entries.push(ServiceEntry { service, hours: Some(ALWAYS.to_owned()) }),
    }
    let list = entries.iter().map(|entry| Value::from(entry.to_string())).collect();
    let mut keys = vec![("services", Value::Sequence(list))];
    if state == ServiceChoice::InHours && written.schedule.is_empty() {
        keys.insert(0, ("schedule", Value::Mapping(Mapping::from_iter([(BED.0.into(), BED.1.into())]))));
    }
    with_key(visit, tree, device, keys)
}

fn with_hours(visit: &PanelRequest<'_>, tree: &Value, device: &Device, sent: &FormFields) -> Vec<Change> {
    let values = |name: &str| {
        sent.0.iter().filter(|(found, _)| found == name).map(|(_, value)| value.trim().to_owned()).collect::<Vec<_>>()
    };
    let pairs = values("name").into_iter().zip(values("hours")).filter(|(_, hours)| !hours.is_empty());
    let schedule: Mapping = pairs.map(|(name, hours)| (name.into(), hours.into())).collect();
    with_key(visit, tree, device, vec![("schedule", Value::Mapping(schedule))])
}

/// Changes that give the device's profile these keys of `blocking`, and the device a profile if it has none.
fn with_key(visit: &PanelRequest<'_>, tree: &Value, device: &Device, keys: Vec<(&str, Value)>) -> Vec<Change> {
    let written = Written::from_tree(visit, tree, device);
    let mut changes = Vec::new();
    let name = written.profile.clone().unwrap_or_else(|| new_profile(&visit.names, tree, device));
    let path = |key: &str| ["profiles", &name, "blocking", key].map(str::to_owned).to_vec();
    let own = tree.get("profiles").and_then(|profiles| profiles.get(&name)?.get("blocking")?.as_mapping());
    if own.is_some() {
        for (key, value) in keys {
            if own.and_then(|own| own.get(key)) != Some(&value) {
                changes.push(Change { path: path(key), value });
            }
        }
    } else {
        let blocking = Value::Mapping(keys.into_iter().map(|(key, value)| (key.into(), value)).collect());
        let is_new = tree.get("profiles").is_none_or(|profiles| profiles.get(&name).is_none());
        let [profiles, key] = ["profiles", "blocking"].map(str::to_owned);
        changes.push(if is_new {
            let value = Value::Mapping(Mapping::from_iter([(key.into(), blocking)]));
            Change { path: vec![profiles, name.clone()], value }
        } else {
            Change { path: vec![profiles, name.clone(), key], value: blocking }
        });
    }
    if written.profile.is_none() {
        let mut rules = tree.get("devices").and_then(Value::as_sequence).cloned().unwrap_or_default();
        let (key, who) = device.rule();
        let rule = [(key.into(), who), ("profile".into(), name.into())];
        rules.insert(0, Value::Mapping(Mapping::from_iter(rule)));
        changes.push(Change { path: vec!["devices".to_owned()], value: Value::Sequence(rules) });
    }
    changes
}

/// A name for the profile of a device that no profile has.
fn new_profile(names: &NamesByAddress, tree: &Value, device: &Device) -> String {
    let shown = match &device.user {
        Some(user) => user.to_string(),
        None => shown(names, device.address, None),
    };
    let plain: String = shown.to_lowercase().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let base = plain.trim_matches('-').to_owned();
    let is_taken = |name: &String| tree.get("profiles").and_then(|profiles| profiles.get(name)).is_some();
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(base)
}
