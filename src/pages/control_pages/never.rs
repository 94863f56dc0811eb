//! The page on which a reader has a site left as it is, in one browser of one device, or ends that. For all devices it is said in the
//! panel.
//!
//! Only a click on it changes something: its links have a token, and no web site can read it or show it in a frame.

use http::{Request, Response, StatusCode};
use maud::{Markup, html};
use url::{Url, form_urlencoded};

use super::ControlPageRequest;
use crate::{
    http::body::Body,
    net::control_host::{self, NEVER},
    pages::{bypass::is_followed_here, form_fields::FormFields, template},
    state::proxy::Proxy,
};

/// The choice that leaves the site as it is; another ends that.
const CHOSEN: &str = "never";

pub(super) fn answer<B>(proxy: &Proxy, visit: &ControlPageRequest<'_>, request: &Request<B>) -> Response<Body> {
    let query = FormFields::parse(request.uri().query().unwrap_or_default().as_bytes());
    let page = Url::parse(query.get("page")).ok();
    let page = page.filter(|page| ["http", "https"].contains(&page.scheme()) && page.username().is_empty());
    let Some((page, host)) = page.as_ref().and_then(|page| Some((page, page.host_str()?))) else {
        let text = html! { "The link names no page. " a href="/" { "See what Gleaner does." } };
        return super::notice(StatusCode::BAD_REQUEST, "No site", &text);
    };
    let preferences = &proxy.reader_preferences;
    let form = format!("{NEVER} {host}");
    let is_token = proxy.forms.is_token(query.get("token"), &visit.device, &form);
    if let Some(choice) = query.find("choice").filter(|_| is_token && is_followed_here(request)) {
        preferences.set_never(&visit.device, host, choice == CHOSEN);
        return template::see_other(page.as_str());
    }
    let is_never = preferences.is_never(&visit.device, host);
    let token = proxy.forms.token(&visit.device, &form);
    let may_open_panel = proxy.state().config.panel.admits(visit.device.address);
    template::page(StatusCode::OK, &markup(page, host, is_never, &token, may_open_panel))
}

/// The path of this page, for a site.
pub(super) fn path(page: &str, more: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{NEVER}?{}", query.append_pair("page", page).extend_pairs(more).finish())
}

fn markup(page: &Url, host: &str, is_never: bool, token: &str, may_open_panel: bool) -> Markup {
    let link = |choice: &str| path(page.as_str(), &[("choice", choice), ("token", token)]);
    template::document(
        host,
        &html! {
            h1 { (host) }
            @if is_never {
                p { "The pages of this site come as the site sends them, in this browser of this device." }
                p { a.button href=(link("usual")) { "Take the clutter out again" } }
            } @else {
                p { "Never take the clutter out of the pages of this site? They will then come as the site sends them, in this browser of \
                     this device, until you end it here or on the start page, " (template::start_link()) "." }
                p { a.button href=(link(CHOSEN)) { "Never on this site" } }
            }
            p {
                @if may_open_panel { a href=(control_host::site_link(page)) { "For all devices" } }
                @else { "For all devices it is decided in the panel, on the machine that Gleaner runs on." }
            }
            p { a href=(page) { "Back to the page" } }
        },
    )
}
