//! What is to be done with a permitted request. A pure decision: nothing is opened, nothing sent.

use http::Method;

use crate::{authority::Target, config::Https};

/// The three routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    /// CONNECT: bytes both ways, unseen.
    Tunnel,
    /// CONNECT: decrypt with a minted leaf, then the same path again.
    Intercept,
    /// An ordinary request to an origin.
    Forward,
}

impl Route {
    pub(crate) fn decide(method: &Method, target: &Target, https: &Https) -> Self {
        if method != Method::CONNECT {
            Self::Forward
        } else if https.intercept && !https.except.matches(&target.host.plain()) {
            Self::Intercept
        } else {
            Self::Tunnel
        }
    }

    /// The word in the log.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Tunnel => "tunnel",
            Self::Intercept => "intercept",
            Self::Forward => "forward",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::Scheme;

    fn decide(method: &Method, host: &str, intercept: bool) -> Route {
        let except = ["bank.example".to_owned()].iter().map(String::as_str).collect();
        let target = Target::of_authority(Scheme::Https, host).unwrap();
        Route::decide(method, &target, &Https { intercept, except })
    }

    #[test]
    fn connect_is_tunnelled_unless_interception_is_on() {
        assert_eq!(decide(&Method::CONNECT, "a.example", false), Route::Tunnel);
        assert_eq!(decide(&Method::CONNECT, "a.example", true), Route::Intercept);
    }

    #[test]
    fn excepted_hosts_are_tunnelled() {
        assert_eq!(decide(&Method::CONNECT, "www.bank.example.", true), Route::Tunnel);
        assert_eq!(decide(&Method::CONNECT, "notbank.example", true), Route::Intercept);
    }

    #[test]
    fn every_other_method_is_forwarded() {
        assert_eq!(decide(&Method::GET, "a.example", true), Route::Forward);
    }
}
