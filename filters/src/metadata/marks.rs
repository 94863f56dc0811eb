//! What the page's own elements say: the language of the root, `rel="author"` (HTML § 4.6.7.2), microdata, `<time>`, and
//! the class names of bylines.

use html5ever::{LocalName, local_name};

use super::{MAX_NAME_BYTES, date, start_of_line};
use crate::page::{NodeId, Page, tag::Tag};

/// The language of the page: the one on the root, else on the body.
pub(super) fn language(page: &Page) -> Option<String> {
    let on = |id| page.attribute(id, &local_name!("lang"));
    let value = page.html().and_then(on).or_else(|| on(page.body()))?;
    language_tag(value)
}

/// A tag in the form of BCP 47 (RFC 5646 § 2.1), near enough: `en_us` becomes `en-US`.
pub(super) fn language_tag(value: &str) -> Option<String> {
    let mut parts = value.trim().split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    let is_language =
        (2..=3).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_lowercase());
    if !is_language {
        return None;
    }
    let mut tag = language;
    for part in parts.take(3) {
        if !(2..=8).contains(&part.len()) || !part.bytes().all(|b| b.is_ascii_alphanumeric()) {
            break;
        }
        tag.push('-');
        match part.len() {
            2 => tag.push_str(&part.to_ascii_uppercase()),
            4 => {
                tag.push_str(&part[..1].to_ascii_uppercase());
                tag.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => tag.push_str(part),
        }
    }
    Some(tag)
}

/// The author that an element names: `rel=author`, `itemprop=author`, or a byline by its class. Readability takes the
/// same three (`_isValidByline`, its pattern `REGEXPS.byline`), and nothing longer than 100 characters.
pub(super) fn author(page: &Page) -> Option<String> {
    let itemprop = LocalName::from("itemprop");
    let mut best: Option<(u8, String)> = None;
    for id in page.live(page.body()) {
        let Some(tag) = page.tag(id) else { continue };
        let Some(rank) = author_rank(page, id, tag, &itemprop) else {
            continue;
        };
        if best.as_ref().is_some_and(|(known, _)| *known <= rank) {
            continue;
        }
        let name = start_of_line(page, inner_name(page, id).unwrap_or(id));
        if name.chars().count() < 100 && name.len() <= MAX_NAME_BYTES && !name.is_empty() {
            let is_best = rank == 0;
            best = Some((rank, name));
            if is_best {
                break;
            }
        }
    }
    best.map(|(_, name)| name)
}

/// How sure an element is to hold the author's name; 0 is best.
fn author_rank(page: &Page, id: NodeId, tag: Tag, itemprop: &LocalName) -> Option<u8> {
    let has_word = |value: &str, wanted: &[&str]| {
        let mut words = value.split_ascii_whitespace();
        words.any(|word| {
            wanted
                .iter()
                .any(|wanted| word.eq_ignore_ascii_case(wanted))
        })
    };
    let ranks = page.attributes(id).iter().filter_map(|attribute| {
        let (name, value) = (&attribute.name.local, &attribute.value);
        let (rank, wanted) = if name == itemprop {
            (0, &["author"][..])
        } else if tag == Tag::A && *name == local_name!("rel") {
            (1, &["author"][..])
        } else if *name == local_name!("class") {
            // hAtom and microformats 2 write `author` and `p-author`; Readability's pattern begins with `byline`.
            (2, &["byline", "p-author", "author-name", "authorname"][..])
        } else {
            return None;
        };
        has_word(value, wanted).then_some(rank)
    });
    ranks.min()
}

/// The name inside an author: `<span itemprop=author itemscope><span itemprop=name>`, else its link, beside which stand ranks
/// and numbers.
fn inner_name(page: &Page, id: NodeId) -> Option<NodeId> {
    const MAX_NODES: usize = 30;
    let itemprop = LocalName::from("itemprop");
    let inner = || page.live(id).skip(1).take(MAX_NODES);
    inner()
        .find(|&inner| {
            page.attribute(inner, &itemprop)
                .is_some_and(|value| value == "name")
        })
        .or_else(|| {
            let mut links = inner().filter(|&inner| page.tag(inner) == Some(Tag::A));
            let link = links.find(|&link| page.chars(link) > 0)?;
            links.next().is_none().then_some(link)
        })
}

/// The day that an element says the page was published: microdata, `<time pubdate>`, else the first `<time datetime>` on
/// a page that has few (a list of posts has one each).
pub(super) fn date(page: &Page) -> Option<String> {
    const FEW: usize = 3;
    let itemprop = LocalName::from("itemprop");
    let mut times = Vec::new();
    for id in page.live(page.body()) {
        let is_published = page
            .attribute(id, &itemprop)
            .is_some_and(|value| value.eq_ignore_ascii_case("datePublished"));
        let is_time = page.tag(id) == Some(Tag::Time);
        if !is_published && !is_time {
            continue;
        }
        let value = [local_name!("datetime"), local_name!("content")]
            .iter()
            .find_map(|name| page.attribute(id, name).and_then(date::of_value))
            .or_else(|| date::of_value(&start_of_line(page, id)));
        let is_sure = is_published || page.has_attribute(id, &LocalName::from("pubdate"));
        match value {
            Some(day) if is_sure => return Some(day),
            Some(day) if times.len() <= FEW => times.push(day),
            _ => {}
        }
    }
    (times.len() <= FEW)
        .then(|| times.into_iter().next())
        .flatten()
}
