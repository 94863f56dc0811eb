//! Links to a page as it was: the page's own address with one more query parameter, which a rewritten page carries and
//! the proxy takes off again.
//!
//! The parameter's value is a keyed hash of the address, with a key drawn when the process starts, so that a web site
//! cannot make such links to other sites' pages, and an old one is only a page that is filtered as usual. The hash is the
//! standard library's (SipHash-1-3 with a random key): a site that guesses has one chance in 2^64, and what it would win is
//! that one page is shown unfiltered.

use std::hash::{BuildHasher, RandomState};

use http::{Request, Uri, uri::PathAndQuery};
use url::Url;

use crate::authority::Target;

/// The parameter's name.
const PARAMETER: &str = "gleaner-untouched";

/// Makes and recognises the links.
#[derive(Debug, Default)]
pub(crate) struct BypassLinks {
    key: RandomState,
}

/// What an address with the parameter asks for.
#[derive(Debug, PartialEq, Eq)]
struct Asked {
    /// Path and query as the origin is to see them.
    path_and_query: String,
    /// Whether the link is one of ours.
    is_genuine: bool,
}

impl BypassLinks {
    /// The link to a page as it was.
    pub(crate) fn link(&self, url: &Url) -> Url {
        let mut link = url.clone();
        let separator_and_old = url
            .query()
            .map(|query| format!("{query}&"))
            .unwrap_or_default();
        let token = self.token(&address(url));
        link.set_query(Some(&format!(
            "{separator_and_old}{PARAMETER}={token:016x}"
        )));
        link
    }

    /// Takes the parameter off a request, so that the origin never sees it; true where the link was one of ours.
    pub(crate) fn take_off<B>(&self, request: &mut Request<B>, target: &Target) -> bool {
        let path = request.uri().path_and_query().map(PathAndQuery::as_str);
        // Nearly no address has it.
        let Some(path) = path.filter(|path| path.contains(PARAMETER)) else {
            return false;
        };
        let origin = format!("{}://{}", target.scheme.as_str(), target.authority());
        let Some(asked) = self.take(&origin, path) else {
            return false;
        };
        let Ok(uri) = Uri::try_from(asked.path_and_query) else {
            return false;
        };
        *request.uri_mut() = uri;
        asked.is_genuine
    }

    fn take(&self, origin: &str, path_and_query: &str) -> Option<Asked> {
        let (path, query) = path_and_query.split_once('?')?;
        let (rest, value) = match query.rsplit_once('&') {
            Some((rest, last)) => (Some(rest), last),
            None => (None, query),
        };
        let token = value.strip_prefix(PARAMETER)?.strip_prefix('=')?;
        let path_and_query = match rest {
            Some(rest) => format!("{path}?{rest}"),
            None => path.to_owned(),
        };
        let is_genuine = Url::parse(&format!("{origin}{path_and_query}"))
            .is_ok_and(|url| format!("{:016x}", self.token(&address(&url))) == token);
        Some(Asked {
            path_and_query,
            is_genuine,
        })
    }

    fn token(&self, address: &str) -> u64 {
        self.key.hash_one(address)
    }
}

fn address(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_and_query(url: &Url) -> String {
        match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        }
    }

    #[test]
    fn a_link_leads_back_to_the_address_it_was_made_for() {
        let links = BypassLinks::default();
        for address in [
            "https://example.org/",
            "https://example.org/a%20b?x=1&y=%26#part",
            "http://example.org:8080/?",
        ] {
            let url: Url = address.parse().unwrap();
            let asked = links
                .take(
                    &url.origin().ascii_serialization(),
                    &path_and_query(&links.link(&url)),
                )
                .unwrap();
            assert!(asked.is_genuine, "{address}");
            assert_eq!(asked.path_and_query, path_and_query(&url), "{address}");
        }
    }

    #[test]
    fn a_link_for_another_page_or_from_another_process_is_not_genuine() {
        let links = BypassLinks::default();
        let link = links.link(&"https://example.org/one".parse().unwrap());
        let moved = path_and_query(&link).replace("one", "two");
        let asked = links.take("https://example.org", &moved).unwrap();
        assert!(!asked.is_genuine);
        assert_eq!(asked.path_and_query, "/two");
        let other = BypassLinks::default();
        let asked = other
            .take("https://example.org", &path_and_query(&link))
            .unwrap();
        assert!(!asked.is_genuine);
    }

    #[test]
    fn other_addresses_are_left_alone() {
        let links = BypassLinks::default();
        assert_eq!(links.take("https://example.org", "/a?b=c"), None);
        assert_eq!(links.take("https://example.org", "/a"), None);
    }
}
