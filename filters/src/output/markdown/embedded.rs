//! Films, sounds and frames as links.

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::one_line,
};

/// Name and address of an embedded page: its title, else the name of its file or host. `None` where it leads nowhere on the web.
pub(in crate::output) fn link(page: &Page, id: NodeId) -> Option<(String, String)> {
    let source =
        std::iter::once(id).chain(page.live(id).filter(|&inner| page.tag(inner) == Some(Tag::Source))).find(|&at| {
            page.address(at, &local_name!("src")).is_some_and(|url| matches!(url.scheme(), "http" | "https" | "file"))
        })?;
    let written = page.attribute(source, &local_name!("src"))?.trim();
    if written.is_empty() {
        return None;
    }
    let url = page.address(source, &local_name!("src"))?;
    let titled = [local_name!("title"), LocalName::from("aria-label")]
        .iter()
        .filter_map(|name| page.attribute(id, name))
        .map(one_line)
        .find(|title| !title.is_empty());
    let name = titled.or_else(|| {
        let file = url.path_segments().and_then(|mut path| path.next_back());
        let file = file.filter(|_| page.tag(id) != Some(Tag::Iframe));
        file.filter(|name| !name.is_empty()).or(url.host_str()).map(str::to_owned)
    })?;
    Some((name, page.shown_address(source, &local_name!("src"))?))
}
