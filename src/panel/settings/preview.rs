//! A page before and after a change of settings, side by side. Neither can run a script or ask for anything but pictures.

use std::{net::IpAddr, sync::Arc, time::Duration};

use gleaner_filters::{Filtered, Format};
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Limited};
use maud::{Markup, html};
use url::{Position, Url};

use crate::{
    authority::Target, body::Body, client::Requester, config::Config, error_pages, panel::Visit, rewrite::decode_html,
};

/// For all of the page.
const TIMEOUT: Duration = Duration::from_secs(20);

const MAX_REDIRECTS: usize = 5;

/// Longest text of a page that is shown.
const MAX_SHOWN: usize = 2 << 20;

/// Pictures of the page that is shown come from wherever it says.
pub(super) fn allow_pictures(response: &mut Response<Body>) {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none'; form-action 'self'; \
                  frame-ancestors 'none'";
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
}

/// The page at an address, as the settings in force rewrite it and as these would.
pub(super) async fn show(visit: &Visit<'_>, address: &str, after: &Config) -> Markup {
    let page = match tokio::time::timeout(TIMEOUT, fetch(visit, address.trim())).await {
        Ok(page) => page,
        Err(_) => Err(format!("it did not arrive within {} seconds", TIMEOUT.as_secs())),
    };
    let (url, text) = match page {
        Ok(page) => page,
        Err(problem) => return html! { p.bad role="alert" { "No preview: " (error_pages::prose(&problem)) } },
    };
    let text: Arc<str> = text.into();
    let mut shown = Vec::new();
    for (title, config) in [("Before", &visit.running.config), ("After", after)] {
        shown.push((title, rewritten(visit, config, &url, &text).await));
    }
    html! {
        h2 { "Before and after" }
        p { code { (url) } }
        div.charts {
            @for (title, page) in &shown {
                section {
                    h3 { (title) }
                    @match page {
                        Ok((page, profile)) => {
                            p.quiet { "Profile " (profile) ": " (page.report) }
                            @if page.format == Format::Text { pre.preview { (page.content) } }
                            @else { iframe.preview title={ (title) ": the page" } sandbox="" srcdoc=(page.content) {} }
                        }
                        Err(reason) => p { "The page comes as it is: " (reason) }
                    }
                }
            }
        }
    }
}

/// The page under a configuration, for the one who asks, with the profile's name; or why it stays as it is.
async fn rewritten(
    visit: &Visit<'_>,
    config: &Config,
    url: &Url,
    text: &Arc<str>,
) -> Result<(Filtered, String), String> {
    let host = url.host_str().unwrap_or_default();
    let choice = config.profiles.choose(&visit.asker(), host).ok_or("no profile fits")?;
    let profile = Arc::clone(choice.profile);
    if !profile.rewrite || config.rewrite.except.matches(host) || config.untouched.matches(host) {
        return Err(format!("the profile `{}` or an exception leaves this site alone", profile.name));
    }
    let chain = Arc::new(config.chain(&profile.filters).map_err(|error| error.to_string())?);
    let (url, text) = (url.clone(), Arc::clone(text));
    let run = tokio::task::spawn_blocking(move || chain.run(&text, &url));
    let page = run.await.map_err(|error| error.to_string())?.map_err(|error| error.reason().to_owned())?;
    Ok((page, profile.name.clone()))
}

/// The page's text, with the address that it came from.
async fn fetch(visit: &Visit<'_>, address: &str) -> Result<(Url, String), String> {
    let expected = |_| format!("{address:?} is no address of a page; expected one such as https://example.org/article");
    let mut url = Url::parse(address).map_err(expected)?;
    let client = &visit.running.client;
    for _ in 0..=MAX_REDIRECTS {
        let target = Target::of_absolute(&url.as_str().parse().map_err(|_| format!("{url} is no address"))?);
        let permit =
            visit.running.acl.permit(target.map_err(|error| error.to_string())?).map_err(|error| error.to_string())?;
        let request = request(&url, permit.target().authority());
        let asks: IpAddr = visit.device.address;
        let requester = Requester { address: asks, pinned: &visit.connection.pinned };
        let sent = client.send(&permit, request, requester, Arc::new(|_, _| {})).await;
        let response = sent.map_err(|error| format!("{url}: {error}"))?;
        if response.status().is_redirection()
            && let Some(to) = response.headers().get(header::LOCATION).and_then(|to| url.join(to.to_str().ok()?).ok())
        {
            url = to;
            continue;
        }
        let is_page = crate::headers::Media::of(response.headers()) == crate::headers::Media::Html;
        if !is_page || !response.status().is_success() {
            return Err(format!(
                "{url} answers {}, and what comes is {}",
                response.status(),
                if is_page { "a page" } else { "no page" }
            ));
        }
        let body = Limited::new(response.into_body(), MAX_SHOWN).collect().await;
        let bytes = body.map_err(|error| format!("{url}: {error}"))?.to_bytes();
        return Ok((url, decode_html(&bytes)));
    }
    Err("there are too many redirects".to_owned())
}

fn request(url: &Url, host: &str) -> Request<Body> {
    let mut request = Request::new(Body::default());
    *request.uri_mut() = url[Position::BeforePath..Position::AfterQuery].parse().unwrap_or_default();
    let fields = [
        (header::HOST, host),
        (header::USER_AGENT, concat!("Mozilla/5.0 (compatible; Gleaner/", env!("CARGO_PKG_VERSION"), ")")),
        (header::ACCEPT, "text/html"),
        (header::ACCEPT_ENCODING, "identity"),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name, HeaderValue::from_str(value).ok()?)));
    request.headers_mut().extend(fields);
    request
}
