//! A client program, identified by its address, user and `User-Agent`, because each program has its own trust store.

use std::{net::IpAddr, sync::Arc};

use http::{HeaderMap, header};

/// Longest `User-Agent` in bytes that distinguishes programs.
const MAX_AGENT: usize = 300;

/// A client program. Programs of one machine have trust stores of their own (Firefox and Chromium, the browser of a phone
/// and its other apps), so the address alone would decrypt connections of programs that do not trust the authority.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClientProgram {
    pub(crate) address: IpAddr,
    /// Where users are configured.
    pub(crate) user: Option<Arc<str>>,
    /// See [`agent`].
    pub(crate) agent: String,
}

impl ClientProgram {
    pub(crate) fn new(address: IpAddr, user: Option<Arc<str>>, headers: &HeaderMap) -> Self {
        Self { address: address.to_canonical(), user, agent: agent(headers) }
    }

    /// Whether the program is a browser (RFC 9110 § 10.1.5 has products; all browsers name this one first). Browsers refuse a
    /// certificate by an alert, and close connections that they opened in advance and do not need.
    pub(crate) fn is_browser(&self) -> bool {
        self.agent.starts_with("Mozilla/")
    }
}

/// The `User-Agent` as it is written.
pub(crate) fn user_agent(headers: &HeaderMap) -> &str {
    headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The `User-Agent` without its numbers, so that an update of the program changes nothing.
pub(crate) fn agent(headers: &HeaderMap) -> String {
    without_numbers(user_agent(headers))
}

/// A `User-Agent`, or a part of one, without its numbers.
pub(crate) fn without_numbers(user_agent: &str) -> String {
    // A field's value that is text is ASCII, and so is what a command is given; of anything else nothing is left.
    let mut agent = user_agent.as_bytes().to_vec();
    agent.retain(|byte| !matches!(byte, b'0'..=b'9' | b'.' | b'_'));
    agent.truncate(MAX_AGENT);
    String::from_utf8(agent).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_changes_nothing_and_another_program_does() {
        let of = |text: &str| agent(&HeaderMap::from_iter([(header::USER_AGENT, text.parse().unwrap())]));
        assert_eq!(of("Mozilla/5.0 (X11) Firefox/140.0"), of("Mozilla/5.0 (X11) Firefox/99.0.1"));
        assert_ne!(of("Mozilla/5.0 (X11) Firefox/140.0"), of("Mozilla/5.0 (X11) Chrome/140.0"));
        assert_eq!(agent(&HeaderMap::new()), "");
    }
}
