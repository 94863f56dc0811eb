//! The origin that a connection asked for last. Nearly every request on a connection is for the same again, and what was
//! found out about it holds for as long as the configuration: which target the words mean, and that it may be reached.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use http::{Method, Request, header};
use hyper::body::Incoming;

use crate::{runtime_state::RuntimeState, upstream::Origin};

/// What one connection asked for last.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<Option<Entry>>);

#[derive(Debug)]
struct Entry {
    asked: Asked,
    /// The configuration by which it was judged.
    running: Weak<RuntimeState>,
    origin: Weak<Origin>,
    /// As it is logged. The connection's own: the origin's would be counted by all that ask for it.
    host_port: Arc<str>,
}

/// Where a request is to go, in the client's own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    scheme: Option<http::uri::Scheme>,
    authority: String,
}

impl Known {
    /// The origin, if these are the words of the last request.
    pub(super) fn find(
        &self,
        request: &Request<Incoming>,
        running: &Arc<RuntimeState>,
    ) -> Option<(Arc<Origin>, Arc<str>)> {
        let entry = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entry.as_ref()?;
        let (scheme, authority) = words(request)?;
        let same = entry.asked.authority == authority
            && entry.asked.scheme.as_ref() == scheme
            && Weak::as_ptr(&entry.running) == Arc::as_ptr(running);
        let origin = same.then(|| entry.origin.upgrade()).flatten()?;
        Some((origin, Arc::clone(&entry.host_port)))
    }

    pub(super) fn keep(&self, asked: Asked, running: &Arc<RuntimeState>, origin: &Arc<Origin>) {
        let entry = Entry {
            asked,
            running: Arc::downgrade(running),
            origin: Arc::downgrade(origin),
            host_port: origin.permit().target().host_port().into(),
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(entry);
    }
}

impl Asked {
    /// None where the words are not enough to know the origin again.
    pub(super) fn of(request: &Request<Incoming>) -> Option<Self> {
        let (scheme, authority) = words(request)?;
        Some(Self {
            scheme: scheme.cloned(),
            authority: authority.to_owned(),
        })
    }
}

fn words(request: &Request<Incoming>) -> Option<(Option<&http::uri::Scheme>, &str)> {
    if request.method() == Method::CONNECT {
        return None;
    }
    let uri = request.uri();
    if let Some(scheme) = uri.scheme() {
        return Some((Some(scheme), uri.authority()?.as_str()));
    }
    let mut fields = request.headers().get_all(header::HOST).iter();
    match (fields.next(), fields.next()) {
        (Some(field), None) => Some((None, field.to_str().ok()?)),
        _ => None,
    }
}
