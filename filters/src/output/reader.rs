//! A small page of our own around what is left.
//!
//! The main block keeps its structure (headings, tables, code, lists, figures) and loses what belongs to the page's own
//! design: classes, inline styles, controls. Everything is readable at 390 pixels and on grey screens; dark where the
//! reader prefers dark; no script.

mod look;
mod top;

use html5ever::{LocalName, local_name};

use super::{Settings, Surroundings, Written, additions, comments, controls, policies, tidy, write_links};
use crate::{
    analysis::AnalysedPage,
    html::{
        NodeId, NodeKind, Page,
        serialize::{self, Rules, escape_attribute, escape_text},
        tag::Tag,
    },
    metadata::{document_title, is_same},
};

pub use look::{ReaderLook, Theme, Typeface};
pub(super) use top::Top;

/// The policy for this page instead of the origin's, which knows nothing of our style: no scripts, no plug-ins, pictures
/// and players from anywhere.
pub(crate) const CSP: &str = "default-src 'none'; img-src * data: blob:; media-src * data: blob:; \
style-src 'unsafe-inline'; frame-src *; form-action *; base-uri *";

pub(super) fn write(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>) -> Written {
    let mut out = String::with_capacity(16 * 1024);
    write_head(page, &around, "", &mut out);
    if !around.in_frame {
        write_header(page, around, &mut out);
    }
    out.push_str("<main>");
    let mut below = String::new();
    let mut top = Top::default();
    if !around.in_frame {
        top = Top::from_page(page);
        below = additions::below_headline(page, settings);
        if let Some(headline) = &top.written {
            out.push_str("<h1>");
            escape_text(headline, &mut out);
            out.push_str("</h1>");
        }
        if top.shown.is_none() {
            out.push_str(&below);
        }
    }
    let rules = Rules {
        keep_attribute: Some(keep_attribute),
        comments: false,
        after: top.shown.map(|heading| (heading, below.as_str())),
        without: top.lifted,
        inside: Some(&tidy::records::post_rules(page)),
        ..Rules::VERBATIM
    };
    for child in page.live_children(page.body()) {
        serialize::write(page, child, rules, &mut out);
    }
    let next_page_link = additions::write_next_page(page, around.words, &mut out);
    comments::write(page, around.words, rules, &mut out);
    out.push_str("</main>");
    write_links(page, around.words, &mut out);
    out.push_str("</body></html>\n");
    Written { content: out, next_page_link }
}

/// A text as a page, below the bar and its headline, where that does not stand in the text. Browsers of terminals cut the lines of a
/// `<pre>` where they end.
pub(crate) fn text_page(page: &AnalysedPage, headline: Option<&str>, text: &str, around: Surroundings<'_>) -> String {
    let mut out = String::with_capacity(16 * 1024);
    write_head(page, &around, "main>p{white-space:pre-wrap}", &mut out);
    write_header(page, around, &mut out);
    out.push_str("<main>");
    let mut paragraphs: Vec<&str> = text.split("\n\n").filter(|text| !text.trim().is_empty()).collect();
    let in_text = |text: &&str| headline.is_none() && is_same(text, &page.headline.text);
    let top = paragraphs.iter().position(in_text).map(|at| paragraphs.remove(at));
    let top = headline.or(top).map_or_else(|| document_title(page), str::to_owned);
    out.push_str("<h1>");
    escape_text(&top, &mut out);
    out.push_str("</h1>");
    for paragraph in paragraphs {
        out.push_str("<p>");
        for (number, line) in paragraph.trim_start_matches('\n').lines().enumerate() {
            if number > 0 {
                out.push_str("<br>");
            }
            // What is not laid out by a style keeps the steps of code.
            let words = line.trim_start();
            out.extend(line.chars().take(line.chars().count() - words.chars().count()).map(|_| '\u{a0}'));
            escape_text(words, &mut out);
        }
        out.push_str("</p>");
    }
    out.push_str("</main></body></html>\n");
    out
}

/// Everything up to the body, with more style.
///
/// Where the page is shown elsewhere than at its own address, nothing in its head has an address.
pub(super) fn write_head(page: &Page, around: &Surroundings<'_>, style: &str, out: &mut String) {
    let (look, is_elsewhere) = (around.look, around.addresses.is_some());
    out.push_str("<!DOCTYPE html>\n<html");
    for name in [local_name!("lang"), local_name!("dir")] {
        let on = |id| page.attribute(id, &name);
        if let Some(value) = page.html().and_then(on).or_else(|| on(page.body())) {
            out.push(' ');
            out.push_str(&name);
            out.push_str("=\"");
            escape_attribute(value, out);
            out.push('"');
        }
    }
    out.push_str("><head><meta charset=\"utf-8\">");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    if let Some(policy) = policies::referrer(page) {
        out.extend(["<meta name=\"referrer\" content=\"", policy, "\">"]);
    }
    out.extend(["<meta name=\"color-scheme\" content=\"", look.color_scheme(), "\"><title>"]);
    escape_text(&document_title(page), out);
    out.push_str("</title>");
    if page.base() != page.url() && !is_elsewhere {
        out.push_str("<base href=\"");
        escape_attribute(page.base().as_str(), out);
        out.push_str("\">");
    }
    if !is_elsewhere {
        write_icon(page, out);
    }
    out.push_str("<style>");
    look.write_style(out);
    out.push_str(style.trim());
    out.push_str("</style></head><body>");
}

pub(super) fn write_header(page: &Page, around: Surroundings<'_>, out: &mut String) {
    let url = page.url();
    let Some(host) = url.host_str() else { return };
    out.push_str("<header><a href=\"");
    let origin = url.origin().ascii_serialization();
    if let Some(addresses) = around.addresses {
        escape_attribute(&url.join("/").map(|top| addresses.page(&top)).unwrap_or_default(), out);
    } else if page.base().origin() != url.origin() {
        escape_attribute(&origin, out);
        out.push('/');
    } else {
        out.push('/');
    }
    // The line stands where lines of the page begin; the name in it is written as it is.
    out.push_str("\"><bdi>");
    escape_text(host.strip_prefix("www.").unwrap_or(host), out);
    out.push_str("</bdi></a> ");
    controls::write(&around, out);
    out.push_str("</header>");
}

fn write_icon(page: &Page, out: &mut String) {
    let icon = page.about(Tag::Link).find(|&id| {
        page.attribute(id, &local_name!("rel"))
            .is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case("icon")))
    });
    if let Some(address) = icon.and_then(|id| page.address(id, &local_name!("href"))) {
        out.push_str("<link rel=\"icon\" href=\"");
        escape_attribute(address.as_str(), out);
        out.push_str("\">");
    }
}

/// Attributes that carry meaning; the rest is the page's own design and its scripts.
pub(super) fn keep_attribute(tag: Tag, name: &LocalName) -> bool {
    match &**name {
        "href" | "src" | "srcset" | "sizes" | "alt" | "title" | "lang" | "dir" | "id" | "name"
        | "colspan" | "rowspan" | "headers" | "scope" | "start" | "reversed" | "datetime"
        | "cite" | "open" | "srcdoc" | "controls" | "poster" | "type" | "kind" | "srclang" | "label"
        | "media" | "for" | "action" | "method" | "enctype" | "target" | "placeholder"
        | "checked" | "selected" | "disabled" | "required" | "multiple" | "maxlength"
        | "autocomplete" | "rel" | "aria-label" | "aria-hidden" | "allowfullscreen"
        | "usemap" | "shape" | "coords" | "span" | "loading" | "decoding" | "list" | "form" | "formaction"
        | "formmethod" | "formenctype" | "formnovalidate" | "novalidate" | "accept"
        | "accept-charset" | "min" | "max" | "step" | "pattern" | "minlength" | "readonly"
        // The walls around a frame.
        | "sandbox" | "allow" | "referrerpolicy"
        // Ours.
        | tidy::MARK => true,
        // Landmarks are ours; what a picture is, is its own.
        "role" => matches!(tag, Tag::Svg | Tag::Img | Tag::Foreign),
        "value" => !matches!(tag, Tag::Div | Tag::Span),
        "width" | "height" => matches!(
            tag,
            Tag::Img
                | Tag::Svg
                | Tag::Video
                | Tag::Iframe
                | Tag::Source
                | Tag::Foreign
                | Tag::Canvas
        ),
        // The language of a code sample is named by its class (HTML Standard § 4.5.15).
        "class" => matches!(tag, Tag::Code | Tag::Pre),
        _ => matches!(tag, Tag::Foreign | Tag::Svg | Tag::Math),
    }
}

/// Takes out what has no place in this look: style sheets in the body, drawings that the page's style kept small, and
/// elements that other filters have emptied.
pub(crate) fn prepare(page: &mut AnalysedPage) {
    tidy::reader(page);
    let unwanted: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| match page.tag(id) {
            Some(Tag::Style | Tag::Link | Tag::Meta | Tag::Title | Tag::Base | Tag::Template | Tag::Dialog) => true,
            Some(Tag::Svg) => tidy::icons::is_drawn_icon(page, id),
            _ => false,
        })
        .collect();
    for id in unwanted {
        page.drop_silently(id);
    }
    // Ours is the one main part of the page.
    if page.has_any(&[Tag::Main]) {
        let mains: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Main)).collect();
        for id in mains {
            page.unwrap_element(id);
        }
    }
    drop_empty(page);
}

/// Bullets without an item, headings without words, frames without a picture: only the page's style made use of them.
/// One pass from the last node to the first, so that what holds nothing but empty elements is empty itself.
fn drop_empty(page: &mut Page) {
    // A drawing is whole, or it is none: what its links hold is no text, but drawn.
    let mut drawing_end = NodeId::DOCUMENT;
    let live: Vec<NodeId> = page
        .live(page.body())
        .skip(1)
        .filter(|&id| {
            let is_drawn = id < drawing_end;
            if !is_drawn && page.tag(id) == Some(Tag::Svg) {
                drawing_end = page.end(id);
            }
            !is_drawn
        })
        .collect();
    let mut holds_something = vec![false; page.len()];
    let mut holds_space = vec![false; page.len()];
    // `<div><br></div>` is an empty line of code.
    let mut code_end = NodeId::DOCUMENT;
    for &id in &live {
        if id >= code_end && page.tag(id).is_some_and(Tag::preserves_space) {
            code_end = page.end(id);
        }
        holds_something[id.index()] = id < code_end && page.tag(id) == Some(Tag::Br);
        let parent = page.parent(id);
        // `apps<b><br></b>Track`: the break stays with the inline element around it.
        if page.tag(id) == Some(Tag::Br) && page.tag(parent).is_some_and(|tag| !tag.is_block() && tag != Tag::A) {
            holds_something[id.index()] = true;
        }
    }
    for &id in live.iter().rev() {
        let parent = page.parent(id);
        let is_kept = holds_something[id.index()]
            || match page.tag(id) {
                Some(tag) => shows_by_itself(tag) || is_target(page, id, tag),
                None => page.own_chars(id) > 0,
            };
        if is_kept {
            holds_something[parent.index()] = true;
        } else if page.kind(id) == NodeKind::Text {
            holds_space[parent.index()] = true;
        } else if let Some(tag) = page.tag(id).filter(|&tag| !is_structure(tag)) {
            // `if<span> </span>x`: the space keeps two words apart, however deep it stands in inline elements.
            let keeps_apart = holds_space[id.index()] && !tag.is_block();
            holds_space[parent.index()] |= keeps_apart;
            if !keeps_apart {
                page.drop_silently(id);
                // Without its line a closed part could not be opened.
                if tag == Tag::Summary {
                    page.unwrap_element(parent);
                }
            } else if tag == Tag::A {
                page.unwrap_element(id);
            }
        }
    }
}

fn shows_by_itself(tag: Tag) -> bool {
    tag.is_media()
        || matches!(tag, Tag::Input | Tag::Button | Tag::Select | Tag::Textarea | Tag::Hr | Tag::Progress | Tag::Meter)
}

/// Parts of a table keep its columns apart, and breaks its lines, without holding anything.
fn is_structure(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Br
            | Tag::Wbr
            | Tag::Td
            | Tag::Th
            | Tag::Tr
            | Tag::Col
            | Tag::Colgroup
            | Tag::Source
            | Tag::Track
            | Tag::Foreign
            | Tag::Param
            | Tag::Area
            | Tag::Map
            | Tag::Option
            | Tag::Optgroup
            | Tag::Datalist
    )
}

/// A place that a link on the page may lead to.
fn is_target(page: &Page, id: NodeId, tag: Tag) -> bool {
    matches!(tag, Tag::A | Tag::Span)
        && (page.has_attribute(id, &local_name!("id")) || page.has_attribute(id, &local_name!("name")))
}
