//! What stands twice in a row: a heading, a picture. Pages show one on phones and the other on screens.

use html5ever::local_name;

use crate::{
    hashing::Table,
    html::{NodeId, Page, tag::Tag},
    measure::pictures::{is_small, source},
    metadata::{is_same, start_of_line},
};

/// Visible characters behind the headline within which a heading that says the same is the headline again: as the subject of
/// the first post, or for phones.
const NEAR: usize = 300;

/// Drops the second of each.
pub(super) fn drop_repeats(page: &mut Page, headline: Option<NodeId>, is_for_sale: bool) {
    let mut repeated: Vec<NodeId> = Vec::new();
    repeated.extend(headline.into_iter().flat_map(|id| headlines(page, id)));
    repeated.extend(pictures(page, is_for_sale));
    repeated.extend(rules(page));
    for id in repeated {
        page.drop_silently(id);
    }
}

/// Lines across the page with nothing between them any more, and those above everything.
fn rules(page: &Page) -> Vec<NodeId> {
    if page.about(Tag::Hr).next().is_none() {
        return Vec::new();
    }
    let mut is_needed = false;
    let mut surplus = Vec::new();
    for id in page.live(page.body()) {
        match page.tag(id) {
            Some(Tag::Hr) if !is_needed => surplus.push(id),
            Some(Tag::Hr) => is_needed = false,
            Some(tag) => is_needed |= tag.is_media() || matches!(tag, Tag::Input | Tag::Select),
            None => is_needed |= page.own_chars(id) > 0,
        }
    }
    surplus
}

/// Headings behind the headline that say the same, and first headings above it.
fn headlines(page: &Page, headline: NodeId) -> Vec<NodeId> {
    let text = start_of_line(page, headline);
    let says_it = |id: NodeId| !page.in_link(id) && is_same(&start_of_line(page, id), &text);
    let mut chars = 0;
    let above = page.live(page.body()).take_while(|&id| id < headline);
    let mut found: Vec<NodeId> = above.filter(|&id| page.tag(id) == Some(Tag::H1) && says_it(id)).collect();
    let behind = page.live(page.body()).skip_while(|&id| id < page.end(headline));
    for id in behind {
        if page.tag(id).is_some_and(Tag::is_heading) && says_it(id) {
            found.push(id);
        } else {
            chars += page.own_chars(id);
        }
        if chars > NEAR {
            break;
        }
    }
    found
}

/// A picture that was shown already since the last text, in this size or another, and what [`further`] finds. Not stars and other signs,
/// which count by repetition. Also a blurred `data:` placeholder directly before the real picture. Where something is for sale, also two
/// or more in a row that were shown a few words above: shops have a gallery for phones and one for screens, a price between them.
fn pictures(page: &Page, is_for_sale: bool) -> Vec<NodeId> {
    /// Bytes of an address that is a picture of 20 pixels or so, at most.
    const MAX_BLUR_BYTES: usize = 2500;
    let (mut shown, mut above, mut row) = (Shown::default(), Shown::default(), Vec::new());
    let (mut blur, mut chars) = (None, 0);
    let mut unwanted = further(page);
    let mut in_links = unwanted.clone().into_iter().peekable();
    for id in page.live(page.body()) {
        match page.tag(id) {
            Some(Tag::Img) if in_links.next_if_eq(&id).is_some() => {}
            Some(Tag::Img) if !is_small(page, id) => {
                let src = page.attribute(id, &local_name!("src")).unwrap_or_default();
                unwanted.extend(blur.filter(|_| !src.starts_with("data:")));
                let is_blur = src.starts_with("data:") && !src.contains("svg") && src.len() <= MAX_BLUR_BYTES;
                blur = is_blur.then_some(id);
                unwanted.extend(shown.add(page, id));
                if is_for_sale {
                    row.push(id);
                }
            }
            None if page.own_chars(id) > 0 => {
                shown.clear();
                blur = None;
                chars = if row.is_empty() { chars } else { 0 } + page.own_chars(id);
                unwanted.extend(above.add_row(page, &mut row));
                if chars > NEAR {
                    above.clear();
                }
            }
            _ => {}
        }
    }
    unwanted.extend(above.add_row(page, &mut row));
    unwanted
}

/// All pictures of each link but one: they are the views of one thing, which a script would have shown one after the other. The first of
/// those stays that the fewest links show: in the links of many cards stand the logo of the maker, and what is shown until a script loads
/// the picture.
fn further(page: &Page) -> Vec<NodeId> {
    if !page.has_any(&[Tag::Img]) {
        return Vec::new();
    }
    let mut end = NodeId::DOCUMENT;
    let mut links: Vec<Vec<NodeId>> = Vec::new();
    for id in page.live(page.body()) {
        match (page.tag(id), links.last_mut()) {
            (Some(Tag::A), _) if page.in_link(id) => {
                end = page.end(id);
                links.push(Vec::new());
            }
            (Some(Tag::Img), Some(link)) if id < end && !is_small(page, id) => link.push(id),
            _ => {}
        }
    }
    links.retain(|pictures| pictures.len() > 1);
    let mut counts: Table<&str, usize> = Table::default();
    for pictures in &links {
        let mut sources: Vec<&str> = pictures.iter().map(|&id| source(page, id)).collect();
        sources.sort_unstable();
        sources.dedup();
        for source in sources {
            *counts.entry(source).or_default() += 1;
        }
    }
    let mut unwanted = Vec::new();
    for pictures in links {
        let rank = |&id: &NodeId| (source(page, id).starts_with("data:"), counts[source(page, id)]);
        let shown = pictures.iter().copied().min_by_key(rank);
        unwanted.extend(pictures.into_iter().filter(|&id| Some(id) != shown));
    }
    unwanted
}

/// The pictures that were shown since the last text.
#[derive(Default)]
struct Shown {
    /// The first one, while there is no other: its address is not read before, because most pictures stand alone.
    first: Option<NodeId>,
    /// Addresses without sizes, the largest size, and the picture that has it.
    seen: Vec<(String, u32, NodeId)>,
}

impl Shown {
    fn clear(&mut self) {
        self.first = None;
        self.seen.clear();
    }

    /// Adds a picture, and says which one is not needed then.
    fn add(&mut self, page: &Page, id: NodeId) -> Option<NodeId> {
        if self.first.is_none() && self.seen.is_empty() {
            self.first = Some(id);
            return None;
        }
        if let Some(first) = self.first.take() {
            self.compare(page, first);
        }
        self.compare(page, id)
    }

    /// Adds what stands in a row, and says which are not needed then.
    fn add_row(&mut self, page: &Page, row: &mut Vec<NodeId>) -> Vec<NodeId> {
        let is_single = row.len() == 1;
        let repeated: Vec<NodeId> = row.drain(..).filter_map(|id| self.compare(page, id)).collect();
        if is_single { Vec::new() } else { repeated }
    }

    fn compare(&mut self, page: &Page, id: NodeId) -> Option<NodeId> {
        let (file, size) = file(page, id)?;
        // A number may count pictures as well: what it says must be the widths of a thumbnail and of a picture.
        let is_thumbnail = |small: u32, large: u32| (16..=200).contains(&small) && large >= 300;
        let is_size = |one: u32| !file.ends_with(NUMBERED) || is_thumbnail(one.min(size), one.max(size));
        match self.seen.iter_mut().find(|(other, one, _)| *other == file && is_size(*one)) {
            Some((_, largest, before)) if *largest < size => {
                *largest = size;
                Some(std::mem::replace(before, id))
            }
            Some(_) => Some(id),
            None => {
                if self.seen.len() < MAX_PICTURES {
                    self.seen.push((file, size, id));
                }
                None
            }
        }
    }
}

/// Pictures without a text between them that are compared with each other.
const MAX_PICTURES: usize = 50;

/// Last character of the key of a picture whose size is a bare number in its file name.
const NUMBERED: char = '#';

/// The address of a picture without its size, and the size: `a-300x200.jpg` and `a.jpg` are one picture, and so are
/// `/160w/a.jpg` and `/400x600/a.jpg`, `a.jpg?w=80` and `a.jpg?resize=800,600`, `a-40.jpg` and `a-1200.jpg`, `a_small.jpg` and
/// `a_large.jpg`. Without a size it is as large as the file.
fn file(page: &Page, id: NodeId) -> Option<(String, u32)> {
    let url = page.address(id, &local_name!("src"))?;
    if url.scheme() == "data" {
        return None;
    }
    let mut size = None;
    let mut path = String::new();
    let mut is_bound = false;
    for segment in url.path().split('/') {
        // `/max/1400/a.jpg`
        let bound = if is_bound { segment.parse().ok() } else { None };
        is_bound = segment == "max";
        if let Some(width) = bound.or_else(|| width(segment)) {
            size = Some(width);
        } else {
            path.push('/');
            path.push_str(segment);
        }
    }
    if let Some((stem, ending)) = path.rsplit_once('.')
        && let Some((stem, last)) = stem.rsplit_once(['-', '_'])
        && let Some(width) = named_width(last)
    {
        size = Some(width);
        path = format!("{stem}.{ending}");
    }
    let mut name = format!("{}{path}", url.host_str().unwrap_or_default());
    for (key, value) in url.query_pairs() {
        match &*key {
            "w" | "width" | "sw" | "wid" | "resize" | "fit" => {
                size = value.split([',', 'x']).next().and_then(|width| width.parse().ok()).or(size);
            }
            "h" | "height" | "sh" | "hei" | "q" | "quality" | "qlt" | "dpr" | "crop" | "ssl" | "strip" | "blur" => {}
            _ => name.extend([" ", &key, "=", &value]),
        }
    }
    if size.is_none()
        && let Some((stem, number)) = name.rsplit_once('.').and_then(|(stem, _)| stem.rsplit_once(['-', '_']))
        && let Ok(width) = number.parse()
    {
        return Some((format!("{stem}{NUMBERED}"), width));
    }
    Some((name, size.unwrap_or(u32::MAX)))
}

/// The width at the end of the name of a file: `300x200`, `thumb`.
fn named_width(last: &str) -> Option<u32> {
    match last {
        "thumb" | "thumbnail" | "tn" | "tiny" | "small" | "preview" | "placeholder" | "lqip" => Some(1),
        "large" | "big" | "full" => Some(u32::MAX - 1),
        _ => last.contains('x').then(|| width(last))?,
    }
}

/// The width in a part of a path that is a size and nothing else: `160w`, `400x600`, `w_300,h_200,q_80`, `resize:fit:1400`.
fn width(part: &str) -> Option<u32> {
    if let Some(size) = part.strip_prefix("resize:") {
        return size.split(':').find_map(|number| number.parse().ok());
    }
    let in_list = || part.split(',').find_map(|setting| setting.strip_prefix("w_"));
    let digits = part.strip_suffix('w').or_else(in_list).or_else(|| {
        let (width, height) = part.split_once('x')?;
        height.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x').then_some(width)
    })?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn the_headline_is_not_said_again_behind_its_date() {
        let headings = |between: &str| {
            let html = format!("<h1>The tide</h1><p>{between}</p><h3>The Tide</h3><p>text");
            let mut page = page(&html);
            let is_heading = |page: &Page, id| page.tag(id).is_some_and(Tag::is_heading);
            let first = page.live(page.body()).find(|&id| is_heading(&page, id));
            drop_repeats(&mut page, first, false);
            let live = page.live(page.body());
            live.filter(|&id| is_heading(&page, id)).count()
        };
        assert_eq!(headings("May 3, 2026"), 1);
        assert_eq!(headings(&"word ".repeat(100)), 2);
    }

    #[test]
    fn of_the_pictures_of_a_link_the_first_stays_that_the_fewest_links_show() {
        let shown = |links: &[[&str; 2]]| {
            let card = |[one, other]: &[&str; 2]| format!("<a href=/to><img src={one}><img src={other}></a><p>text");
            let page = page(&links.iter().map(card).collect::<String>());
            let unwanted = pictures(&page, false);
            let left = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Img) && !unwanted.contains(&id));
            left.map(|id| source(&page, id).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(shown(&[["/front", "/0"], ["/side", "/1"]]), ["/front", "/side"]);
        assert_eq!(shown(&[["/loading", "/0"], ["/loading", "/1"]]), ["/0", "/1"]);
        assert_eq!(shown(&[["/logo", "/0"], ["/logo", "/0"], ["/logo", "/1"]]), ["/0", "/0", "/1"]);
        assert_eq!(shown(&[["data:image/png;base64,a", "/0"], ["/side", "/1"]]), ["/0", "/side"]);
    }
}
