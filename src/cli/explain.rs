//! `gleaner explain`: what becomes of a request: which profile it gets, which rule of which list decides, and why. And of a
//! page: what the filters remove and by which rule, which block is chosen, and with which scores.

mod page;
mod profile;

use std::{
    fmt::Write as _,
    net::IpAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use clap::builder::PossibleValuesParser;
use gleaner_filters::{Blocker as _, Names, Resource};
use url::Url;

use self::profile::ConnectionView;
use super::{
    extract::{address_of, page_address},
    overlay::Overlay,
    say,
};
use crate::{
    Config,
    blocking::{Blocker, BlockingRequest, Exempt, KINDS, Verdict},
    config::{ClientInfo, PictureScale},
    rewrite::pictures,
    state::loaded_config::LoadedConfig,
};

/// Arguments of `gleaner explain`.
#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// The address that is asked for; or a saved page, plain or .gz, `-` for standard input; or a saved picture
    #[arg(value_name = "URL|FILE", value_parser = subject)]
    subject: ExplainSubject,
    /// Explain the page itself, in this form: the default for a file; an address is fetched for it
    #[arg(long, value_enum)]
    format: Option<page::ExplainFormat>,
    /// The address of a saved page
    #[arg(long, value_name = "URL", value_parser = page_address)]
    url: Option<Url>,
    #[command(flatten)]
    overlay: Overlay,
    /// The page that asks for it; without it the address is a page to go to
    #[arg(long, value_name = "URL", value_parser = page_address)]
    page: Option<Url>,
    /// The address of the device that asks
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1")]
    client: IpAddr,
    /// The name that it gives, where `access.users` has names
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The browser's `User-Agent`, or the part of it that matters
    #[arg(long, value_name = "TEXT", default_value = "")]
    user_agent: String,
    /// Decide as a proxy that was started with `--lan`
    #[arg(long)]
    lan: bool,
    /// The port of the proxy, if it listens on several
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Type of resource that the request is for
    #[arg(long, value_name = "KIND", value_parser = PossibleValuesParser::new(KINDS))]
    kind: Option<String>,
}

/// The subject of an explanation.
#[derive(Clone, Debug)]
enum ExplainSubject {
    Address(Url),
    File(PathBuf),
}

fn subject(text: &str) -> Result<ExplainSubject, String> {
    let file = PathBuf::from(text);
    if text == "-" || file.exists() {
        return Ok(ExplainSubject::File(file));
    }
    let no_file = |problem: String| {
        let expected = "expected a saved page, `-` for standard input, or an address such as https://example.org/page";
        if text.contains("://") { problem } else { format!("there is no file {text:?}; {expected}") }
    };
    if let Some(rest) = text.strip_prefix("ws").filter(|rest| rest.starts_with("://") || rest.starts_with("s://")) {
        return Err(format!("for a WebSocket write http{rest} and --kind websocket"));
    }
    page_address(text).map(ExplainSubject::Address).map_err(no_file)
}

pub(super) fn run(args: &ExplainArgs, loaded: &LoadedConfig) -> anyhow::Result<()> {
    match (&args.subject, args.format) {
        (ExplainSubject::File(file), format) => {
            if format.is_none()
                && let Some(said) = picture(args, file, &loaded.config)
            {
                return say(&said);
            }
            let url = args.url.clone().unwrap_or_else(|| address_of(file));
            let html = page::read(file, &loaded.config)?;
            page::explain(&html, &url, &args.overlay, loaded, format.unwrap_or_default())
        }
        (ExplainSubject::Address(url), Some(format)) => {
            page::explain(&page::fetch(url, &loaded.config)?, url, &args.overlay, loaded, format)
        }
        (ExplainSubject::Address(url), None) => {
            let mut config = loaded.config.clone();
            if args.lan {
                config.open_to_lan();
            }
            request(args, url, &config, &loaded.blocker)
        }
    }
}

/// What becomes of a saved picture, where the file is one.
fn picture(args: &ExplainArgs, file: &Path, config: &Config) -> Option<String> {
    let bytes = std::fs::read(file).ok().filter(|_| file.is_file())?;
    let choice =
        config.profiles.choose(&asker(args, config), args.url.as_ref().and_then(Url::host_str).unwrap_or_default())?;
    let settings = &choice.profile.pictures;
    let said = pictures::explain(&bytes, settings, &config.limits)?;
    let name = &choice.profile.name;
    let when = match settings.scale {
        PictureScale::Off => "no pictures are made smaller (`pictures.scale: off`); if they were",
        PictureScale::SaveData => "pictures are made smaller for browsers that ask to save data",
        PictureScale::On => "pictures are made smaller",
    };
    Some(format!("profile    {name}, by {}\npictures   {when}\npicture    {said}\n", choice.rule))
}

/// Explains a request for an address.
fn request(args: &ExplainArgs, url: &Url, config: &Config, blocker: &Arc<Blocker>) -> anyhow::Result<()> {
    let named = args.kind.as_deref().and_then(|kind| KINDS.into_iter().find(|known| *known == kind));
    let kind = named.unwrap_or_else(|| by_name(args, url));
    let wanted = BlockingRequest::new(url.clone(), args.page.clone(), kind);
    let asker = asker(args, config);
    let page = args.page.as_ref().unwrap_or(url);
    let (mut out, _) = profile::explain(config, &asker, page);
    let (_, connection) = profile::explain(config, &asker, url);
    let by_site = |site: &str| config.profiles.choose_blocking(&asker, Some(site));
    let choice = by_site(wanted.site());
    let own = choice.map_or(blocker, |choice| blocker.for_profile(choice.index));
    let people = decided_for_device(config, blocker, &asker, wanted.host());
    let profile = choice.filter(|choice| !choice.profile.blocking).map(|choice| choice.profile.name.as_str());
    // Writing to a `String` cannot fail, here and below.
    let from = if kind == "document" { "going to a page" } else { "on a page" };
    let _ = writeln!(out, "request    {url} as {kind}, {from}{}", on(args));
    if let Some(answered) = profile::answered(config, &asker, url) {
        let _ = writeln!(out, "decision   {answered}");
        return say(&out);
    }
    if let Some(way) = profile::way(config, &asker, url) {
        let _ = writeln!(out, "way        {way}");
    }
    if let Some((said, is_blocked)) = people {
        out.push_str(&said);
        if is_blocked {
            out.push_str("decision   blocked: the service is not open on this device now\n");
            return say(&out);
        }
    }
    if connection != ConnectionView::Seen {
        let choice = by_site(wanted.host());
        let tunnelled = choice.map_or(blocker, |choice| blocker.for_profile(choice.index));
        let profile = choice.filter(|choice| !choice.profile.blocking).map(|choice| choice.profile.name.as_str());
        tunnel(&mut out, tunnelled, wanted.host(), profile);
        elements_that_lead_there(&mut out, tunnelled, page, url);
        if connection == ConnectionView::Tunnelled {
            return say(&out);
        }
        let _ = writeln!(out, "\nwhere a browser trusts the certificate, so that the connection is decrypted:");
    }
    decision(&mut out, own, &wanted, profile);
    elements_that_lead_there(&mut out, own, page, url);
    if kind == "document" && profile.is_none() {
        elements(&mut out, own, url);
    }
    say(&out)
}

/// What the settings of a device say of a host, whatever the site.
fn decided_for_device(
    config: &Config,
    blocker: &Arc<Blocker>,
    asker: &ClientInfo<'_>,
    host: &str,
) -> Option<(String, bool)> {
    let choice = config.profiles.choose_blocking(asker, None);
    let blocker = choice.map_or(blocker, |choice| blocker.for_profile(choice.index));
    let mut said = String::new();
    if let Some(choice) = &choice {
        let _ = writeln!(said, "blocking   by the profile {} ({})", choice.profile.name, choice.rule);
    }
    let block = blocker.blocked_service("", host);
    let is_blocked = block.is_some();
    if let Some(block) = block {
        let until =
            block.until.map_or_else(|| "always".to_owned(), |until| format!("until {}", until.strftime("%a %H:%M")));
        let _ = writeln!(said, "service    {} is blocked, {until}", block.service.name);
    }
    if let Some(name) = blocker.settings().safe_search.instead_of(host) {
        let _ = writeln!(said, "search     {name} is connected to in its place (`safe_search`)");
    }
    (!said.is_empty()).then_some((said, is_blocked))
}

fn asker<'a>(args: &'a ExplainArgs, config: &Config) -> ClientInfo<'a> {
    let first = || config.listen.first().map(std::net::SocketAddr::port);
    let port = args.port.or_else(first).unwrap_or_default();
    let (user, user_agent) = (args.user.as_deref(), args.user_agent.as_str());
    ClientInfo { client: args.client.to_canonical(), user, user_agent, port }
}

fn on(args: &ExplainArgs) -> String {
    args.page.as_ref().map(|page| format!(" at {page}")).unwrap_or_default()
}

/// The kind by the path's end; a page where no page asks for it.
fn by_name(args: &ExplainArgs, url: &Url) -> &'static str {
    let name = url.path().rsplit('.').next().unwrap_or_default();
    match name {
        _ if args.page.is_none() => "document",
        "js" | "mjs" => "script",
        "css" => "stylesheet",
        "gif" | "png" | "jpg" | "jpeg" | "webp" | "svg" | "ico" => "image",
        "woff" | "woff2" => "font",
        "mp4" | "webm" | "mp3" => "media",
        "html" | "htm" => "subdocument",
        _ => "other",
    }
}

/// Explains a connection of which only the host is seen.
fn tunnel(out: &mut String, blocker: &Blocker, host: &str, profile: Option<&str>) {
    let _ = match (profile, blocker.blocked_tunnel(host)) {
        (Some(profile), _) => writeln!(out, "decision   let through: the profile {profile} blocks nothing"),
        (None, Some(rule)) => writeln!(
            out,
            "decision   blocked: the tunnel is refused, and browsers show ERR_TUNNEL_CONNECTION_FAILED or the like; only the host is \
             seen\nrule       {rule}"
        ),
        (None, None) => {
            writeln!(out, "decision   let through: no rule forbids the host, and nothing else is seen in a tunnel")
        }
    };
}

/// `profile` is the one that lets everything through.
fn decision(out: &mut String, blocker: &Blocker, wanted: &BlockingRequest, profile: Option<&str>) {
    let exempt = match profile {
        Some(profile) => Some(format!("the profile {profile} blocks nothing")),
        None => exempt(blocker, wanted),
    };
    let _ = match (exempt, blocker.judge(wanted)) {
        (Some(why), _) => writeln!(out, "decision   let through: {why}"),
        (None, Verdict::Allowed) => writeln!(out, "decision   let through: no rule of {} matches", lists(blocker)),
        (None, Verdict::Excepted { rule, exception }) => {
            writeln!(out, "decision   let through\nrule       {rule}\nexception  {exception}")
        }
        (None, Verdict::Blocked { rule, instead }) => {
            let instead = instead.map(|(kind, _)| format!(", with {kind} in its place")).unwrap_or_default();
            writeln!(out, "decision   blocked{instead}\nrule       {rule}")
        }
        (None, Verdict::ParamsRemoved { to, rule }) => {
            writeln!(out, "decision   sent on without parameters, to {to}\nrule       {rule}")
        }
    };
    for (name, except) in &blocker.settings().except_by_list {
        if except.matches(wanted.site()) || except.matches(wanted.host()) {
            let _ = writeln!(out, "not asked  {name}: blocking.except_by_list");
        }
    }
}

/// Explains a host that is removed from pages and not refused as a request.
fn elements_that_lead_there(out: &mut String, blocker: &Blocker, page: &Url, url: &Url) {
    let wanted = BlockingRequest::new(url.clone(), Some(page.clone()), "other");
    if blocker.judge(&wanted) == Verdict::Allowed
        && let Some(rule) = blocker.rule(page, url, Resource::Other)
    {
        let _ = writeln!(out, "pages      what leads there is removed from rewritten pages: {rule}");
    }
}

/// Why no list is asked.
fn exempt(blocker: &Blocker, wanted: &BlockingRequest) -> Option<String> {
    match blocker.exempt(wanted.site(), wanted.host()) {
        None if !blocker.settings().requests => Some("blocking.requests is off: only pages are cleaned".to_owned()),
        None => None,
        Some(Exempt::Off) => Some("blocking.enabled is off".to_owned()),
        Some(Exempt::Paused) => Some("blocking is paused".to_owned()),
        Some(Exempt::Site) => Some(format!("blocking.except names the site {}", wanted.site())),
        Some(Exempt::Host) => Some(format!("blocking.except names the host {}", wanted.host())),
    }
}

fn lists(blocker: &Blocker) -> String {
    let names: Vec<_> = blocker.lists().iter().map(|list| list.source.to_string()).collect();
    if names.is_empty() { "no list".to_owned() } else { names.join(", ") }
}

/// Explains which elements of the page are hidden.
fn elements(out: &mut String, blocker: &Blocker, page: &Url) {
    let Some(hiding) = blocker.hiding(page, &Names::default) else {
        return;
    };
    let _ = match &hiding.common {
        Some(common) => writeln!(
            out,
            "elements   {} selectors of every page and those of its classes and ids, {} excepted",
            common.len(),
            hiding.except.len()
        ),
        None => writeln!(out, "elements   no selectors of every page: an exception ($generichide)"),
    };
    for selector in &hiding.own {
        let rule = blocker.hiding_rule(page, selector);
        let _ = writeln!(out, "           {}", rule.as_deref().unwrap_or(selector));
    }
}
