//! The buttons of the start page. Each is a form with a token that no web site can know.

use http::Response;
use maud::{Markup, html};
use url::form_urlencoded;

use super::ControlPageRequest;
use crate::{
    http::body::Body,
    net::{client_program::ClientProgram, control_host::NAME},
    pages::{form_fields::FormFields, template},
    state::{form_tokens::FormTokens, proxy::Proxy},
};

/// Forgets that the browsers of this device trust the authority, and the hosts that are tunnelled for it.
pub(super) const FORGET: &str = "/forget";
/// The page after that. It does not look whether the browser trusts the authority, as the start page would, and learn it again.
pub(super) const FORGOTTEN: &str = "/forgotten";
/// Forgets the hosts that are tunnelled for this device.
pub(super) const RETRY: &str = "/retry";

/// A button that posts to this path.
pub(super) fn button(forms: &FormTokens, device: &ClientProgram, path: &str, label: &str) -> Markup {
    html! {
        form method="post" action={ (path) "?token=" (forms.token(device, path)) } { button type="submit" { (label) } }
    }
}

/// Whether a path is one of a form.
pub(super) fn is_path(path: &str) -> bool {
    [FORGET, RETRY].contains(&path)
}

/// Does what the form is for, and leads to the page that shows it.
pub(super) fn answer(proxy: &Proxy, visit: &ControlPageRequest<'_>, path: &str, query: &str) -> Option<Response<Body>> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let is_token = |value: &str| proxy.forms.is_token(value, &visit.device, path);
    pairs.any(|(name, value)| name == "token" && is_token(&value)).then_some(())?;
    let mut next = "/";
    if path == FORGET {
        proxy.trusted_devices.forget_device(visit.device.address, visit.user());
        next = FORGOTTEN;
    }
    proxy.tunnelled.forget(&visit.device);
    Some(template::see_other(next))
}

/// Gives this device the name that its form has.
pub(super) fn name(proxy: &Proxy, visit: &ControlPageRequest<'_>, query: &str) -> Option<Response<Body>> {
    let query = FormFields::parse(query.as_bytes());
    proxy.forms.is_token(query.get("token"), &visit.device, NAME).then_some(())?;
    proxy.device_names.set(visit.device.address, query.get("name"));
    Some(template::see_other("/"))
}
