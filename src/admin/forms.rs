//! The buttons of the start page. Each is a form with a token that no web site can know.

use std::hash::{BuildHasher, RandomState};

use http::Response;
use maud::{Markup, html};
use url::form_urlencoded;

use super::Visit;
use crate::{body::Body, device::Device, service::Proxy};

/// Forgets that the browsers of this device trust the authority, and the hosts that are tunnelled for it.
pub(super) const FORGET: &str = "/forget";
/// The page after that. It does not look whether the browser trusts the authority, as the start page would, and learn it again.
pub(super) const FORGOTTEN: &str = "/forgotten";
/// Forgets the hosts that are tunnelled for this device.
pub(super) const RETRY: &str = "/retry";

/// Random for each process. The hash is the standard library's SipHash-1-3: a guessed token has one chance in 2^64.
#[derive(Debug, Default)]
pub(crate) struct Forms(RandomState);

impl Forms {
    pub(crate) fn token(&self, device: &Device, path: &str) -> String {
        format!("{:016x}", self.0.hash_one((device.address, device.user.as_deref(), path)))
    }
}

/// A button that posts to this path.
pub(super) fn button(forms: &Forms, device: &Device, path: &str, label: &str) -> Markup {
    html! {
        form method="post" action={ (path) "?token=" (forms.token(device, path)) } { button type="submit" { (label) } }
    }
}

/// Whether a path is one of a form.
pub(super) fn is_path(path: &str) -> bool {
    [FORGET, RETRY].contains(&path)
}

/// Does what the form is for, and leads to the page that shows it.
pub(super) fn answer(proxy: &Proxy, visit: &Visit<'_>, path: &str, query: &str) -> Option<Response<Body>> {
    let mut pairs = form_urlencoded::parse(query.as_bytes());
    let token = proxy.forms.token(&visit.device, path);
    pairs.any(|(name, value)| name == "token" && value == token).then_some(())?;
    let mut next = "/";
    if path == FORGET {
        proxy.trusted_devices.forget_device(visit.device.address, visit.user());
        next = FORGOTTEN;
    }
    proxy.tunnelled.forget(&visit.device);
    Some(super::see_other(next))
}
