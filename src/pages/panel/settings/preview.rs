//! A page as its site sends it, as the settings in force rewrite it, and as changed ones would, side by side. None can run a script.

use std::{sync::Arc, time::Duration};

use gleaner_filters::{Filtered, Format};
use http::{HeaderMap, HeaderValue, Response, header};
use maud::{Markup, html};
use url::Url;

use crate::{
    blocking::Blocker,
    client::fetch,
    config::Config,
    http::{body::Body, headers::Media},
    net::access_control::Initiator,
    pages::{panel::PanelRequest, template},
    rewrite::{self, decode_html},
    state::loaded_config::LoadedConfig,
};

/// For all of the page.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Longest page that is shown.
const MAX_SHOWN: usize = 2 << 20;

/// The pages that are shown have pictures, style sheets and a base wherever they say. Ours has no text of others outside of them.
pub(super) fn allow_contents(response: &mut Response<Body>) {
    let policy = "default-src 'none'; style-src 'unsafe-inline' http: https:; img-src http: https: data:; font-src http: https: data:; \
                  base-uri http: https:; form-action 'self'; frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
}

/// The page at an address under the settings in force and, where they differ, under these.
pub(super) async fn show(visit: &PanelRequest<'_>, address: &str, changed: Option<&LoadedConfig>) -> Markup {
    let (url, text) = match fetch(visit, address.trim()).await {
        Ok(page) => page,
        Err(problem) => return html! { p.bad role="alert" { "No preview: " (template::prose(&problem)) } },
    };
    let text: Arc<str> = text.into();
    let mut shown = vec![("As its site sends it", None)];
    let in_force = (&*visit.state.config, &visit.state.blocker);
    shown.push(("With the settings in force", Some(rewritten(visit, in_force, &url, &text).await)));
    if let Some(LoadedConfig { config, blocker, .. }) = changed {
        shown.push(("With the changed settings", Some(rewritten(visit, (config, blocker), &url, &text).await)));
    }
    html! {
        h2 #preview { "Preview" }
        p { code { (url) } }
        div.previews {
            @for (title, page) in &shown {
                section {
                    h3 { (title) }
                    @match page {
                        None => { p.quiet { (text.len() / 1000) " kB" } (frame(title, &url, &text)) }
                        Some(Ok((page, profile))) => {
                            p.quiet { (page.content.len() / 1000) " kB, " (page.report.kept()) " of the text, with the profile " (profile) }
                            @if page.format == Format::Text { pre.preview { (page.content) } } @else { (frame(title, &url, &page.content)) }
                        }
                        Some(Err(reason)) => p { "As its site sends it: " (reason) },
                    }
                }
            }
        }
    }
}

/// Relative addresses are those of the page, unless it says otherwise itself.
fn frame(title: &str, url: &Url, page: &str) -> Markup {
    let base = html! { base href=(url); }.0;
    let content = if page.contains("<base ") { page.to_owned() } else { base + page };
    html! { iframe.preview title={ (title) ": the page" } sandbox="" srcdoc=(content) {} }
}

/// The page under a configuration, for the one who asks, with the profile's name; or why it stays as it is.
async fn rewritten(
    visit: &PanelRequest<'_>,
    (config, blocker): (&Config, &Arc<Blocker>),
    url: &Url,
    text: &Arc<str>,
) -> Result<(Filtered, String), String> {
    let host = url.host_str().unwrap_or_default();
    let choice = config.profiles.choose(&visit.asker(), host).ok_or("no profile fits")?;
    let profile = Arc::clone(choice.profile);
    if !profile.rewrite || config.rewrite.except.matches(host) || config.never_processed.matches(host) {
        return Err(format!("the profile `{}` or an exception leaves this site alone", profile.name));
    }
    let chain = rewrite::chain(config, blocker, &profile.filters);
    let chain = Arc::new(chain.map_err(|error| format!("configuration: filters.{error}"))?);
    let (url, text) = (url.clone(), Arc::clone(text));
    let run = tokio::task::spawn_blocking(move || chain.run(&text, &url));
    let page = run.await.map_err(|error| error.to_string())?.map_err(|error| error.reason().to_owned())?;
    Ok((page, profile.name.clone()))
}

/// The page's text, with the address that it came from.
async fn fetch(visit: &PanelRequest<'_>, address: &str) -> Result<(Url, String), String> {
    let expected = |_| format!("{address:?} is no address of a page; expected one such as https://example.org/article");
    let url = Url::parse(address).map_err(expected)?;
    let state = visit.state;
    let fields = HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("text/html"))]);
    let fetched = fetch::get_by(&state.client, &state.acl, &url, &fields, MAX_SHOWN, Initiator::Near);
    let late = |_| format!("{url} did not arrive within {} seconds", TIMEOUT.as_secs());
    let page = tokio::time::timeout(TIMEOUT, fetched).await.map_err(late)??;
    let page = page.filter(|page| Media::from_headers(&page.headers) == Media::Html);
    page.map(|page| (page.address, decode_html(&page.bytes))).ok_or_else(|| format!("what is at {url} is no page"))
}
