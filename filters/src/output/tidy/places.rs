//! Links to places on the page that are not there any more, or that a script would have made: their words stay, without a link.

use std::collections::HashSet;

use html5ever::local_name;
use percent_encoding::percent_decode_str;

use crate::html::{NodeId, Page};

/// Takes the links from around their words.
pub(super) fn unwrap_links(page: &mut Page, links: &[NodeId]) {
    let mut lost: Vec<(NodeId, String)> = links.iter().filter_map(|&id| Some((id, place(page, id)?))).collect();
    if lost.is_empty() {
        return;
    }
    let named: &Page = page;
    let attributes = [local_name!("id"), local_name!("name")];
    let of = |id| attributes.iter().filter_map(move |name| named.attribute(id, name));
    let places: HashSet<&str> = named.live(named.body()).flat_map(of).collect();
    // The top of the page is always there (HTML § 7.4.6.4).
    lost.retain(|(_, place)| !places.contains(&**place) && !place.eq_ignore_ascii_case("top"));
    for (id, _) in lost {
        page.unwrap_element(id);
    }
}

/// The name of the place on the page that a link leads to.
pub(super) fn place(page: &Page, link: NodeId) -> Option<String> {
    let place = page.attribute(link, &local_name!("href"))?.trim().strip_prefix('#')?;
    (!place.is_empty()).then(|| percent_decode_str(place).decode_utf8_lossy().into_owned())
}
