//! The start page: what the proxy sees of this client, and the one next step for it.
//!
//! Whether the browser trusts the authority is looked up live and without a script: the page names a style sheet on a host
//! under the control host, over TLS. Where it loads, it hides the next step and says that all is done. The host's name is
//! new each time, because a browser remembers exceptions that a person has made by name.

use std::net::SocketAddr;

use gleaner_filters::output::Style;
use maud::{Markup, html};

use super::{
    ControlPageRequest,
    certificate::{APPLE, DER, PEM},
    forms, never, qr,
    system::System,
};
use crate::{
    config::{Choice, ClientInfo, Intercept},
    net::{
        addresses::addresses_for_devices,
        control_host::{self, CONTROL_HOST},
    },
    pages::{reading, template},
    state::{device_names::LONGEST, proxy::Proxy, runtime_state::RuntimeState},
};

/// The style sheet's path.
pub(super) const CHECK: &str = "/check.css";

/// The style sheet of the TLS check: it shows that the page's certificate is trusted.
pub(super) const CHECK_STYLE: &str = ".untrusted{display:none}.live:before{content:\"✓ All is set\"}\
                                      .then:before{content:\"This browser trusts the certificate: encrypted pages come decluttered from now on. Read on.\"}\
                                      .tries{display:block!important}@supports(content:\"x\"){.again{display:none}}";

/// Pages to try: one of a single paragraph, a newspaper's, an encyclopedia's.
const TRIES: [(&str, &str); 3] = [
    ("A page of one paragraph", "https://example.com/"),
    ("A newspaper", "https://www.theguardian.com/international"),
    ("An encyclopedia", "https://en.wikipedia.org/wiki/Gleaning"),
];

/// Addresses of this machine in other networks that are shown: its virtual machines may give it dozens.
const MOST_OTHERS: usize = 3;

/// Longest `User-Agent` that is repeated on the page: all of one that is real, because rules name parts of it.
const SHOWN: usize = 500;

pub(super) fn page(proxy: &Proxy, state: &RuntimeState, visit: &ControlPageRequest<'_>) -> Markup {
    let choice = profile(state, visit);
    let intercept = choice.map_or(Intercept::Off, |choice| choice.profile.intercept);
    let checks = visit.proxied && !visit.over_icap && intercept != Intercept::Off && state.authority.open().is_some();
    let warning = state.authority.get().and_then(|authority| authority.expiry_warning());
    let is_known = state.authority.get().is_some_and(|authority| {
        let (list, device) = (&proxy.trusted_devices, &visit.device);
        list.has_browser(device.address, visit.user(), &device.agent, &authority.fingerprint())
    });
    let head = html! {
        @if checks { link rel="stylesheet" href={ "https://" (CHECK_HOST) (check_token(proxy, visit)) "." (CONTROL_HOST) (CHECK) }; }
    };
    template::document_with(
        "Gleaner",
        &head,
        &html! {
            h1 { "Gleaner" }
            p { "This proxy takes the clutter out of web pages." }
            @if let Some(error) = proxy.reload_error() {
                p.bad { "The configuration could not be reloaded, and the one before it stays in force. " (error) }
            }
            @if let Some(warning) = warning { p.bad { (template::prose(&warning)) } }
            @if state.config.read.admits(visit.device.address, state.config.access.lan) { (reading::field("")) }
            (next_step(proxy, state, visit, intercept, is_known))
            (this_device(proxy, visit, choice, is_known))
            @if !visit.over_icap {
                (other_devices(proxy, visit))
                h2 { "Steps for" }
                p.list { @for system in System::ALL { a href={ "/steps/" (system.slug()) } { (system.name()) } " " } }
            }
            p.quiet {
                a href=(super::pause::PATH) { "Pause blocking" } " · "
                @if state.config.panel.admits(visit.device.address) { a href="/panel" { "Panel" } " · " a href="/settings" { "Settings" } " · " }
                "version " (env!("CARGO_PKG_VERSION"))
            }
        },
    )
}

/// The profile of this browser, whatever the site.
fn profile<'a>(state: &'a RuntimeState, visit: &ControlPageRequest<'_>) -> Option<Choice<'a>> {
    let asker = ClientInfo {
        client: visit.device.address,
        user: visit.user(),
        user_agent: visit.user_agent,
        port: visit.local.port(),
    };
    state.config.profiles.choose(&asker, "")
}

/// The purpose of the tokens in host names of the style sheet.
const CHECK_PURPOSE: &str = "check";

/// The letter before the token in the host name of the style sheet.
const CHECK_HOST: &str = "c";

fn check_token(proxy: &Proxy, visit: &ControlPageRequest<'_>) -> String {
    proxy.tokens.fresh(CHECK_PURPOSE, &client(visit))
}

/// Whether a request over TLS is one for the style sheet of a page that this client was just shown: nobody else knows the host's
/// name, and no exception of a person is for it.
pub(super) fn is_check(proxy: &Proxy, visit: &ControlPageRequest<'_>, path: &str) -> bool {
    let label = visit.tunnel.and_then(|host| host.strip_suffix(CONTROL_HOST)?.strip_suffix('.'));
    let token = label.and_then(|label| label.strip_prefix(CHECK_HOST));
    path == CHECK && token.is_some_and(|token| proxy.tokens.is_fresh(token, CHECK_PURPOSE, &client(visit)))
}

/// The client that a page is shown to: its address and user. Some systems have another `User-Agent` for what a page loads.
fn client(visit: &ControlPageRequest<'_>) -> [String; 2] {
    [visit.device.address.to_string(), visit.user().unwrap_or_default().to_owned()]
}

fn next_step(
    proxy: &Proxy,
    state: &RuntimeState,
    visit: &ControlPageRequest<'_>,
    intercept: Intercept,
    is_known: bool,
) -> Markup {
    let system = System::guess(visit.user_agent);
    html! {
        @if !visit.proxied {
            section.step {
                h2 { "Next: let this device use the proxy" }
                (steps(&proxy_steps(proxy, visit, system)))
                p { "Then open " strong { (template::start_link()) } " here." }
                p.quiet { "You are at the proxy's own address, and have not come through it." }
            }
        } @else if visit.over_icap {
            section.step {
                h2 { "✓ Pages of this device come decluttered" }
                p { "The proxy that this device uses has them filtered here, and decides itself which encrypted pages it opens, with a certificate of its own." }
            }
        } @else if intercept == Intercept::Off {
            section.step {
                h2 { "✓ This device uses the proxy" }
                p { "Pages over plain HTTP come decluttered; encrypted pages pass as they are, because "
                    code { "intercept" } " is " code { "off" } " for this device." }
            }
        } @else if let Err(problem) = state.authority.try_open() {
            p.bad { "Encrypted pages pass as they are, because there is no certificate authority: " (template::prose(&problem)) "." }
        } @else if is_known {
            section.step {
                h2 { "✓ All is set" }
                p { "This browser uses the proxy and trusts its certificate: pages come decluttered. Read on." }
                (tries())
            }
        } @else if system == System::EReader {
            section.step {
                h2 { "✓ This reader uses the proxy" }
                p { "Pages over plain HTTP come decluttered; encrypted pages pass as they are." }
                p { "If it has Android, it can trust the proxy's certificate, and encrypted pages come decluttered too: "
                    a href="/steps/android" { "the steps" } "." }
            }
        } @else {
            section.step {
                h2.live {}
                p.then {}
                // Shown with them.
                div.tries style="display:none" { (tries()) }
                div.untrusted {
                    h2 { "Next: let this browser trust the proxy" }
                    p { "It uses the proxy. Pages over plain HTTP come decluttered already; for encrypted ones, which are most, it must \
                         trust the proxy's certificate. Do this only on devices that are yours." }
                    p.quiet { "Until then advertisements and trackers on encrypted pages are blocked by the name of their host alone, as by a name \
                               server: less is blocked, and what is blocked leaves holes." }
                    @if intercept == Intercept::On { p.bad { "Until then every encrypted page shows an error." } }
                    p { a.button href=(system.certificate()) { "Get the certificate" } }
                    (steps(&system.certificate_steps()))
                }
                // Outside, for browsers that know no `content` and would show an empty box.
                p.again { a href="/" { "Load this page again" } " to see whether all is set." }
            }
        }
    }
}

fn tries() -> Markup {
    html! {
        p { "Three pages to try:" }
        ul { @for (name, address) in TRIES { li { a href=(address) { (name) } } } }
    }
}

fn proxy_steps(proxy: &Proxy, visit: &ControlPageRequest<'_>, system: System) -> Vec<Markup> {
    let address = proxy_address(proxy, visit, system);
    system.proxy_steps(address, &format!("http://{address}/wpad.dat"))
}

/// The proxy's address for a device with this system: that of the network, if a person reads about a phone at loopback.
fn proxy_address(proxy: &Proxy, visit: &ControlPageRequest<'_>, system: System) -> SocketAddr {
    let is_elsewhere = visit.local.ip().is_loopback() && system != System::guess(visit.user_agent);
    let reached = is_elsewhere.then(|| addresses_for_devices(&proxy.listen_addrs));
    reached.and_then(|reached| reached.first().copied()).unwrap_or(visit.local)
}

fn steps(steps: &[Markup]) -> Markup {
    html! { ol { @for step in steps { li { (step) } } } }
}

/// The proxy's knowledge of this device, and how to make it forget.
fn this_device(proxy: &Proxy, visit: &ControlPageRequest<'_>, choice: Option<Choice<'_>>, is_known: bool) -> Markup {
    let tunnelled = proxy.tunnelled.for_device(&visit.device);
    let never = proxy.reader_preferences.never(&visit.device);
    let name = proxy.device_names.all().remove(&visit.device.address).unwrap_or_default();
    let forget = forms::button(&proxy.forms, &visit.device, forms::FORGET, "Forget this device");
    html! {
        h2 { "This device" }
        table {
            tr { th { "Address" } td { (visit.device.address) @if let Some(user) = visit.user() { ", " (user) } } }
            tr { th { "Name" } td { form method="get" action=(control_host::NAME) {
                input type="hidden" name="token" value=(proxy.forms.token(&visit.device, control_host::NAME));
                input name="name" aria-label="Name of this device" maxlength=(LONGEST) value=(name); button type="submit" { "Save" } } } }
            tr { th { "Browser" } td { (visit.user_agent.chars().take(SHOWN).collect::<String>()) } }
            @if let Some(Choice { profile, rule, .. }) = choice {
                tr { th { "Profile" } td { strong { (profile.name) } " " span.quiet { "(" (template::prose(&rule.to_string())) ")" } } }
                @if !profile.rewrite { tr { th { "Pages" } td { "as they are" } } }
                @else if profile.filters.output.style == Style::Original { tr { th { "Pages" } td { "in their own look" } } }
            }
            @if is_known { tr { th { "Certificate" } td { "trusted " (forget) } } }
        }
        @if !never.is_empty() {
            p { "Never without clutter in this browser: "
                @for site in &never { (site) " (" a href=(never::path(&format!("https://{site}/"), &[])) { "end" } ") " } }
        }
        @if !tunnelled.is_empty() {
            details {
                summary { "Left as they are for a day: " (tunnelled.len()) @if tunnelled.len() == 1 { " host" } @else { " hosts" } }
                table { @for (host, reason) in &tunnelled { tr { td { (host) } td { (reason) } } } }
                (forms::button(&proxy.forms, &visit.device, forms::RETRY, "Try them again"))
            }
        }
    }
}

/// How another device comes here.
fn other_devices(proxy: &Proxy, visit: &ControlPageRequest<'_>) -> Markup {
    let reached = addresses_for_devices(&proxy.listen_addrs);
    let best = |addr: &&SocketAddr| addr.ip() == visit.local.ip();
    let address = reached.iter().find(best).or(reached.first());
    let others = reached.iter().filter(|other| Some(*other) != address).take(MOST_OTHERS);
    html! {
        h2 { "Another device" }
        @if let Some(address) = address {
            @let url = format!("http://{address}/");
            div.another {
                (qr::svg(&url))
                div {
                    p { "Let its camera read this code, or open " strong { (url) } " there. That page has the steps." }
                    @for other in others {
                        p { "In another network of this machine: " strong { "http://" (other) "/" } }
                    }
                    p { "Proxy by script: " code { (url) "proxy.pac" } }
                    p { "Certificate: " a href=(PEM) { "PEM" } ", " a href=(DER) { "DER" } ", " a href=(APPLE) { "Apple profile" } }
                }
            }
        } @else {
            p { "Only this machine may use the proxy. " code { "gleaner serve --lan" } " lets the devices of your network in." }
            p { "Certificate: " a href=(PEM) { "PEM" } ", " a href=(DER) { "DER" } ", " a href=(APPLE) { "Apple profile" } }
        }
    }
}

/// All steps for one system.
pub(super) fn system_page(proxy: &Proxy, visit: &ControlPageRequest<'_>, system: System) -> Markup {
    template::document(
        system.name(),
        &html! {
            h1 { (system.name()) }
            h2 { "1. Use the proxy" }
            (steps(&proxy_steps(proxy, visit, system)))
            p.quiet { "Where a script is asked for (“automatic proxy configuration”): " code { "http://" (proxy_address(proxy, visit, system)) "/proxy.pac" } }
            h2 { "2. Trust its certificate" }
            p { "For encrypted pages. Only on devices that are yours; remove it there when you stop using Gleaner." }
            @if system != System::EReader { p { a.button href=(system.certificate()) { "Get the certificate" } } }
            (steps(&system.certificate_steps()))
            h2 { "3. See whether it works" }
            p { "Open " strong { (template::start_link()) } " there." }
            p { a href="/" { "Back" } }
        },
    )
}
