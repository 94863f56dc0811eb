//! What the reader look adds to a main block that lost it: byline, lead image, the way to the next page.
//!
//! Nothing is said twice: a name, a day or a picture that the block shows already is not added.

use std::{cell::LazyCell, fmt::Write as _, ops::Range};

use html5ever::{LocalName, local_name};
use url::Url;

use super::{
    Settings,
    interface::{Interface, Label},
};
use crate::{
    analysis::AnalysedPage,
    html::{
        NodeId,
        serialize::{escape_attribute, escape_text},
        tag::Tag,
    },
    measure::pictures,
    metadata::{day_in, is_same, letters},
    vocabulary::words::has_plain_letters,
};

/// Width in pixels from which a picture is no thumbnail: Open Graph pictures below it are refused by the networks they are
/// made for (200 by Facebook's guide; 300 by Twitter's for large cards).
const LARGE_WIDTH: u32 = 300;

/// Rows before the main block in which the lead image is looked for where no heading is known.
const ROWS_ABOVE: u32 = 200;

/// Nodes and bytes at the start of the block in which a byline would stand.
const START_NODES: usize = 300;
const START_BYTES: usize = 1500;

/// Characters of a line that names who wrote the text and when. Longer ones are sentences of the text, in which a name may stand too.
const LINE_CHARS: usize = 100;

/// Markup to stand directly below the headline. Empty on a page of which nothing was selected: it shows its own.
pub(super) fn below_headline(page: &AnalysedPage, settings: &Settings) -> String {
    let mut out = String::new();
    if page.outcome.main_block.is_none() {
        return out;
    }
    write_byline(page, settings, &mut out);
    if let Some((address, alt)) = lead_picture(page, settings) {
        out.push_str("<figure><img src=\"");
        escape_attribute(&address, &mut out);
        out.push_str("\" alt=\"");
        escape_attribute(&alt, &mut out);
        out.push_str("\"></figure>");
    }
    out
}

/// Links to the page before and to the next one, at the end of this one; where they stand if there is a next one, which may be joined.
pub(super) fn write_next_page(page: &AnalysedPage, words: &Interface, out: &mut String) -> Option<Range<usize>> {
    let (previous, next) = (&page.metadata.previous_page, &page.metadata.next_page);
    let ways = [("prev", previous, Label::PreviousPage), ("next", next, Label::NextPage)];
    if ways.iter().all(|(_, address, _)| address.is_none()) {
        return None;
    }
    let start = out.len();
    out.push_str("<p id=\"gleaner-next\">");
    for (rel, address, word) in ways {
        if let Some(address) = address {
            out.extend(["<a rel=\"", rel, "\" lang=\"", words.language, "\" href=\""]);
            escape_attribute(address.as_str(), out);
            out.extend(["\">", words.get(word), "</a> "]);
        }
    }
    out.truncate(out.trim_end().len());
    out.push_str("</p>");
    next.as_ref().map(|_| start..out.len())
}

/// Address and alternative text of the picture to stand below the headline.
pub(super) fn lead_picture(page: &AnalysedPage, settings: &Settings) -> Option<(String, String)> {
    let is_wanted = settings.lead_image && page.outcome.main_block.is_some() && !shows_picture(page);
    is_wanted.then(|| lead_image(page)).flatten()
}

/// Author, day and site, as far as the page tells them and its block does not show them.
pub(super) fn byline<'a>(page: &'a AnalysedPage, settings: &Settings) -> [Option<&'a str>; 3] {
    if !settings.byline || page.outcome.main_block.is_none() {
        return [None; 3];
    }
    let nodes = start_nodes(page);
    let start = page.start_of_text(page.body(), nodes, START_BYTES);
    let has_time = page.live(page.body()).take(nodes).any(|id| page.tag(id) == Some(Tag::Time));
    let metadata = &page.metadata;
    let folded =
        LazyCell::new(|| if has_plain_letters(&start) { start.to_ascii_lowercase() } else { start.to_lowercase() });
    let is_shown = |name: &&String| folded.contains(&name.to_lowercase());
    let author = metadata.author.as_ref().filter(|name| !is_shown(name) || !has_line_with(page, name));
    let date = metadata
        .date
        .as_ref()
        .filter(|_| !has_time && !page.claims.is_for_sale())
        .filter(|date| !shows_day(&start, date) && !says_day(page, date));
    let site = metadata
        .site
        .as_ref()
        .filter(|site| !is_shown(site) && Some(*site) != metadata.author.as_ref() && !is_in_host(page.web_url(), site));
    [author, date, site].map(|said| said.map(String::as_str))
}

fn write_byline(page: &AnalysedPage, settings: &Settings, out: &mut String) {
    let [author, date, site] = byline(page, settings);
    if author.is_none() && date.is_none() && site.is_none() {
        return;
    }
    out.push_str("<p id=\"gleaner-byline\" dir=\"auto\">");
    let mut separator = "";
    if let Some(author) = author {
        escape_text(author, out);
        separator = " · ";
    }
    if let Some(date) = date {
        out.push_str(separator);
        let _ = write!(out, "<time datetime=\"{date}\">{date}</time>");
        separator = " · ";
    }
    if let Some(site) = site {
        out.push_str(separator);
        escape_text(site, out);
    }
    out.push_str("</p>");
}

/// Drops the lines above the text that say who wrote it and when.
pub(super) fn drop_byline(page: &mut AnalysedPage) {
    let metadata = &page.metadata;
    let author = metadata.author.as_ref().map(|name| name.to_lowercase());
    let date = metadata.date.as_deref();
    let mut lines = Vec::new();
    let texts = page.live(page.body()).filter(|&id| page.own_chars(id) > 0);
    for text in texts.take(START_NODES) {
        let is_line = |&up: &NodeId| page.tag(up).is_some_and(Tag::is_block);
        let Some(line) = page.ancestors(text).find(is_line) else {
            continue;
        };
        let words = page.start_of_text(line, START_NODES, 4 * LINE_CHARS + 1);
        let folded = words.to_lowercase();
        if words.trim().chars().count() > LINE_CHARS {
            break;
        }
        if author.as_ref().is_some_and(|name| folded.contains(name)) || date.is_some_and(|date| shows_day(&words, date))
        {
            lines.push(line);
        }
    }
    for line in lines {
        page.drop_silently(line);
    }
}

/// How many nodes the start of a page has: on a thread those up to the post below the first text, whose name and day are another's.
fn start_nodes(page: &AnalysedPage) -> usize {
    let mut chars = 0;
    let is_start = |&id: &NodeId| {
        let is_answer = chars > LINE_CHARS && page.outcome.posts.contains(&id);
        chars += page.own_chars(id);
        !is_answer
    };
    page.live(page.body()).take(START_NODES).take_while(is_start).count()
}

/// Whether a line at the start holds this.
fn has_line_with(page: &AnalysedPage, name: &str) -> bool {
    let name = name.to_lowercase();
    let mut start = page.live(page.body()).take(start_nodes(page));
    start.any(|id| {
        let may_be_line = page.tag(id).is_some_and(Tag::is_block);
        may_be_line && {
            let line = page.start_of_text(id, START_NODES, 4 * LINE_CHARS + 1);
            line.trim().chars().count() <= LINE_CHARS && line.to_lowercase().contains(&name)
        }
    })
}

/// Whether a line at the start is this day in another calendar or with other digits.
fn says_day(page: &AnalysedPage, date: &str) -> bool {
    /// Bytes of a line with a day, at most: letters of many scripts take three.
    const MAX_BYTES: usize = 120;
    let language = page.metadata.language.as_deref();
    let mut start = page.live(page.body()).take(start_nodes(page));
    start.any(|id| {
        page.own_chars(id) > 0
            && page
                .text(id)
                .is_some_and(|text| text.len() <= MAX_BYTES && day_in(&text, language).as_deref() == Some(date))
    })
}

/// Whether a text names a day, in whatever words: its year, and its day or that of a neighbour's time zone.
fn shows_day(text: &str, date: &str) -> bool {
    let mut parts = date.split('-');
    let (Some(year), _, Some(day)) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let day: u8 = day.parse().unwrap_or(0);
    let mut numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty());
    text.contains(year) && numbers.any(|number| number.parse::<u8>().is_ok_and(|number| number.abs_diff(day) <= 1))
}

/// Whether the head of the page, which shows the host, says the site's name already.
fn is_in_host(url: &Url, site: &str) -> bool {
    let host = letters(url.host_str().unwrap_or_default());
    let site = letters(site);
    site.is_empty() || host.contains(&site)
}

/// Whether the block has a picture of its own: one that is no icon.
fn shows_picture(page: &AnalysedPage) -> bool {
    page.live(page.body()).any(|id| match page.tag(id) {
        Some(Tag::Img) => !pictures::is_small(page, id),
        Some(Tag::Video | Tag::Iframe | Tag::Svg | Tag::Canvas) => true,
        _ => false,
    })
}

/// Address and alternative text of the picture that belongs to the article.
fn lead_image(page: &AnalysedPage) -> Option<(String, String)> {
    let told = page.metadata.image.as_ref();
    let name = told.and_then(file_name);
    let mut above = None;
    for id in page.cut_by("main_block") {
        if page.tag(id) != Some(Tag::Img) || pictures::is_small(page, id) {
            continue;
        }
        let Some(source) = page.address(id, &local_name!("src")) else {
            continue;
        };
        if !matches!(source.scheme(), "http" | "https" | "file") {
            continue;
        }
        let is_told = name.is_some() && file_name(&source) == name;
        if is_told || above.is_none() && stands_above(page, id) && !is_of_site(&source) {
            let alt = page.attribute(id, &local_name!("alt"));
            let alt = alt.unwrap_or_default().to_owned();
            if is_same(&alt, &page.headline.text) && !is_told {
                // A headline that was drawn.
                continue;
            }
            let found = (source.to_string(), alt);
            if is_told {
                return Some(found);
            }
            above = Some(found);
        }
    }
    // A site gives its documentation one picture for all pages, and no day. What is for sale is shown, dated or not.
    let is_news = page.metadata.is_article && page.metadata.date.is_some();
    above.or_else(|| {
        let told = told.filter(|url| (is_news || page.claims.is_for_sale()) && !is_of_site(url))?;
        Some((told.to_string(), String::new()))
    })
}

/// Whether a picture is large and stands between the headline, or a little before the block, and the block.
fn stands_above(page: &AnalysedPage, id: NodeId) -> bool {
    let Some(block) = page.outcome.main_block else {
        return false;
    };
    let start = match page.headline.node {
        Some(headline) if headline < block => headline.0,
        _ => block.0.saturating_sub(ROWS_ABOVE),
    };
    let width =
        |name: LocalName| page.attribute(id, &name).and_then(|width| width.trim_end_matches("px").parse::<u32>().ok());
    let is_large = width(local_name!("width")).map_or_else(
        || page.ancestors(id).take(4).any(|up| matches!(page.tag(up), Some(Tag::Figure | Tag::Picture))),
        |width| width >= LARGE_WIDTH,
    );
    (start..block.0).contains(&id.0) && is_large && !page.in_link(id)
}

fn is_of_site(url: &Url) -> bool {
    file_name(url).is_none_or(|name| pictures::is_file_of_site(&name))
}

/// The name of a picture's file without its ending and its size: `a-1024x768.jpg` and `a.webp` are one picture.
fn file_name(url: &Url) -> Option<String> {
    let name = url.path_segments()?.next_back()?.to_lowercase();
    let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
    let is_size = |c: char| c.is_ascii_digit() || c == 'x';
    let stem = match stem.rsplit_once(['-', '_']) {
        Some((rest, size)) if size.contains('x') && size.chars().all(is_size) => rest,
        _ => stem,
    };
    (!stem.is_empty()).then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_picture_in_two_sizes_has_one_name() {
        let name = |path: &str| file_name(&Url::parse("https://example.org").unwrap().join(path).unwrap());
        assert_eq!(name("/a/Tree-1024x768.jpg"), name("/b/tree.webp?w=3"));
        assert_ne!(name("/a/tree-2.jpg"), name("/a/tree.jpg"));
        assert_eq!(name("/a/"), None);
    }

    #[test]
    fn a_day_is_recognised_however_it_is_written() {
        for text in ["21 November 2026", "Nov 20, 2026, 23:10", "2026-11-21", "21.11.2026"] {
            assert!(shows_day(text, "2026-11-21"), "{text}");
        }
        assert!(!shows_day("In 2026 all was well", "2026-11-21"));
        assert!(!shows_day("21 trees", "2026-11-21"));
    }
}
