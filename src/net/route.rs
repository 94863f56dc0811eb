//! Decides how a permitted request is handled, without opening or sending anything.

use crate::{config::Config, net::target::Target};

/// How a request is handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Route {
    /// Refused before a route was chosen.
    #[default]
    None,
    /// Our own pages.
    OwnPages,
    /// A list forbids it.
    Blocked,
    /// CONNECT: bytes both ways, unseen.
    Tunnel,
    /// CONNECT: decrypt with a minted leaf, then the same path again.
    Intercept,
    /// An ordinary request to an origin.
    Forward,
}

impl Route {
    /// Where a CONNECT leads. `intercepts`: whether the client's connections are decrypted at all.
    pub(crate) fn from_connect(target: &Target, config: &Config, intercepts: bool) -> Self {
        let host = target.plain_host();
        if intercepts && !config.https.except.matches(host) && !config.never_processed.matches(host) {
            Self::Intercept
        } else {
            Self::Tunnel
        }
    }

    /// The word in the log.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::OwnPages => "admin",
            Self::Blocked => "blocked",
            Self::Tunnel => "tunnel",
            Self::Intercept => "intercept",
            Self::Forward => "forward",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::target::Scheme;

    #[test]
    fn a_host_is_decrypted_unless_it_is_excepted() {
        let config = Config::from_yaml("https: { except: [bank.example] }", None).unwrap();
        for (host, intercepts, route) in [
            ("a.example", false, Route::Tunnel),
            ("a.example", true, Route::Intercept),
            ("www.bank.example.", true, Route::Tunnel),
            ("notbank.example", true, Route::Intercept),
            // Of the built-in list.
            ("1-courier.push.apple.com", true, Route::Tunnel),
        ] {
            let target = Target::from_authority(Scheme::Https, host).unwrap();
            assert_eq!(Route::from_connect(&target, &config, intercepts), route, "{host}");
        }
    }
}
