//! Links that share the page: to another site, or to a program, with the address of this page in them.

use html5ever::local_name;
use percent_encoding::{percent_decode, percent_decode_str};
use url::Url;

use super::{LABEL_CHARS, LEVELS, links_in};
use crate::html::{NodeId, Page, tag::Tag};

/// The addresses of the page as they stand in links that share it.
pub(super) struct Sharing {
    addresses: Vec<String>,
    host: String,
}

impl Sharing {
    pub(super) fn from_page(page: &Page) -> Sharing {
        let urls = [Some(page.url()), page.canonical()];
        Sharing {
            addresses: urls.into_iter().flatten().filter_map(plain).collect(),
            host: page.web_url().host_str().unwrap_or_default().to_owned(),
        }
    }

    /// A link to another site, or to a program, with the address of this page in it.
    fn is_share(&self, page: &Page, id: NodeId) -> bool {
        if !page.attribute(id, &local_name!("href")).is_some_and(may_hold_query) {
            return false;
        }
        let Some(to) = page.address(id, &local_name!("href")) else {
            return false;
        };
        if to.host_str().is_some_and(|host| host == self.host) {
            return false;
        }
        let Some(query) = to.query() else {
            return false;
        };
        let told = decoded(query);
        self.addresses.iter().any(|address| told.contains(address))
    }

    /// The row that holds nothing but such links and a label.
    pub(super) fn row(&self, page: &Page, id: NodeId) -> Option<NodeId> {
        if self.addresses.is_empty() || !self.is_share(page, id) {
            return None;
        }
        let mut best = id;
        for up in page.ancestors(id).take(LEVELS) {
            let links = links_in(page, up);
            let shares = links.iter().filter(|&&link| self.is_share(page, link));
            let linked: usize = links.iter().map(|&link| page.chars(link)).sum();
            let label = page.chars(up).saturating_sub(linked);
            // Copy and print stand beside them.
            let is_row = shares.count() * 2 > links.len()
                && label <= LABEL_CHARS
                && up != page.body()
                && !page
                    .live(up)
                    .any(|id| page.tag(id).is_some_and(|tag| tag.is_heading() || tag == Tag::Img && !page.in_link(id)));
            if is_row {
                best = up;
            } else if best == id && label > LABEL_CHARS {
                // In running text it is a link like any other.
                return None;
            } else {
                break;
            }
        }
        Some(best)
    }
}

/// Whether an address may have a query, the page's own where it has nothing else. Most have none, and to read one costs more.
fn may_hold_query(href: &str) -> bool {
    let is_doubtful = |byte: u8| byte == b'?' || byte < b' ';
    let written = href.trim();
    written.is_empty() || written.starts_with('#') || written.bytes().any(is_doubtful)
}

/// Host and path, as far as they tell one page from another.
fn plain(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let path = url.path().trim_end_matches('/');
    (!path.is_empty()).then(|| decoded(&format!("{host}{path}")))
}

/// Percent signs undone twice, because an address inside an address is escaped once more.
fn decoded(text: &str) -> String {
    let once: Vec<u8> = percent_decode_str(text).collect();
    percent_decode(&once).decode_utf8_lossy().into_owned()
}
