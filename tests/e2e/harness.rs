//! Test harness: origins, proxies, clients, certificates and browsers.

pub(crate) mod browsers;
pub(crate) mod client;
pub(crate) mod frames;
pub(crate) mod links;
pub(crate) mod namespace;
pub(crate) mod nginx;
pub(crate) mod openssl;
pub(crate) mod optional;
pub(crate) mod origin;
pub(crate) mod program;
pub(crate) mod proxy;
pub(crate) mod squid;
pub(crate) mod streams;
pub(crate) mod tls;
pub(crate) mod webdriver;
pub(crate) mod websocket;
pub(crate) mod wire;

pub(crate) use self::{
    client::{get, raw, send},
    origin::Origin,
    proxy::TestProxy,
    tls::TestCa,
};

/// Time between two looks at a state that changes without a signal.
pub(crate) const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_millis(10);

/// The page of the README's pictures: an article among menus, advertisements and a cookie dialog.
pub(crate) const DEMO: &str = include_str!("../../docs/demo/page.html");

/// A page that is plainly a document.
pub(crate) const PAGE: &str = "<!doctype html><html><head><title>Grüße</title></head><body><p>Grüße</p></body></html>";
