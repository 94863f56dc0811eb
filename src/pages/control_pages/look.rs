//! The page on which a reader chooses type and colours of the reader page, for one browser of one device.
//!
//! Only a click on it changes something: its links have a token, and no web site can read it or show it in a frame.

use gleaner_filters::{ReaderLook, Theme, Typeface};
use http::{Request, Response, StatusCode};
use maud::{Markup, html};
use url::{Url, form_urlencoded};

use super::ControlPageRequest;
use crate::{
    config::ClientInfo,
    http::body::Body,
    net::control_host::LOOK,
    pages::{form_fields::FormFields, template},
    state::proxy::Proxy,
};

/// From one size of type to the next, in percent.
const STEP: u16 = 15;

pub(super) fn answer<B>(proxy: &Proxy, visit: &ControlPageRequest<'_>, request: &Request<B>) -> Response<Body> {
    let query = FormFields::parse(request.uri().query().unwrap_or_default().as_bytes());
    let page = Url::parse(query.get("page")).ok();
    let page = page.filter(|page| ["http", "https"].contains(&page.scheme()));
    let is_token = |token: &str| proxy.forms.is_token(token, &visit.device, LOOK);
    if let Some(chosen) = query.find("look").filter(|_| is_token(query.get("token"))) {
        // Ours are JSON; another text means the profile's.
        proxy.reader_preferences.set(&visit.device, serde_json::from_str(chosen).ok());
        return template::see_other(&path(page.as_ref(), &[]));
    }
    let chosen = proxy.reader_preferences.get(&visit.device);
    let look = chosen.unwrap_or_else(|| profile_look(proxy, visit, page.as_ref()));
    template::page(
        StatusCode::OK,
        &markup(look, chosen.is_some(), page.as_ref(), &proxy.forms.token(&visit.device, LOOK)),
    )
}

/// Path of this page on the control host, with the choices that the link makes.
fn path(page: Option<&Url>, chosen: &[(&str, &str)]) -> String {
    let page = page.map(|page| ("page", page.as_str()));
    let mut query = form_urlencoded::Serializer::new(String::new());
    format!("{LOOK}?{}", query.extend_pairs(page).extend_pairs(chosen).finish())
}

fn profile_look(proxy: &Proxy, visit: &ControlPageRequest<'_>, page: Option<&Url>) -> ReaderLook {
    let state = proxy.state();
    let asker = ClientInfo {
        client: visit.device.address,
        user: visit.user(),
        user_agent: visit.user_agent,
        port: visit.local.port(),
    };
    let host = page.and_then(Url::host_str).unwrap_or_default();
    state.config.profiles.choose(&asker, host).map(|choice| choice.profile.filters.output.look).unwrap_or_default()
}

fn markup(look: ReaderLook, is_chosen: bool, page: Option<&Url>, token: &str) -> Markup {
    let sizes = |size: u16| ReaderLook { type_size: size, ..look };
    let smaller = look.type_size.saturating_sub(STEP).max(*ReaderLook::TYPE_SIZES.start());
    let larger = (look.type_size + STEP).min(*ReaderLook::TYPE_SIZES.end());
    let choices: [(&str, Vec<(&str, ReaderLook)>); 4] = [
        ("Size of the type", vec![("Smaller", sizes(smaller)), ("100 %", sizes(100)), ("Larger", sizes(larger))]),
        (
            "Typeface",
            vec![
                ("Serif", ReaderLook { typeface: Typeface::Serif, ..look }),
                ("Sans", ReaderLook { typeface: Typeface::Sans, ..look }),
            ],
        ),
        (
            "Colours",
            vec![
                ("As the browser", ReaderLook { theme: Theme::Auto, ..look }),
                ("Light", ReaderLook { theme: Theme::Light, ..look }),
                ("Dark", ReaderLook { theme: Theme::Dark, ..look }),
                ("Black on white", ReaderLook { theme: Theme::Ink, ..look }),
            ],
        ),
        (
            "Long pages",
            vec![
                ("Scroll", ReaderLook { screenfuls: false, ..look }),
                ("Turn by a screenful", ReaderLook { screenfuls: true, ..look }),
            ],
        ),
    ];
    let link = |chosen: &str| path(page, &[("look", chosen), ("token", token)]);
    template::document(
        "Type and colours",
        &html! {
            h1 { "Type and colours" }
            p { "Of pages in the reader style, in this browser. The type is at " (look.type_size) " %." }
            @for (name, choices) in choices {
                h2 { (name) }
                p {
                    @for (words, choice) in choices {
                        @if choice == look { b { (words) } } @else { a.button href=(link(&json(choice))) { (words) } }
                        " "
                    }
                }
            }
            @if is_chosen { p { a href=(link("")) { "As it was before" } } }
            @if let Some(page) = page { p { a href=(page) { "Back to the page" } } }
        },
    )
}

fn json(look: ReaderLook) -> String {
    // Four plain fields cannot fail.
    serde_json::to_string(&look).unwrap_or_default()
}
