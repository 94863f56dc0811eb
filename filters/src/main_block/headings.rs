//! Removes headings whose section was not kept.

use html5ever::local_name;

use super::Choice;
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    measure::leads_to_log_in,
    vocabulary::{self, Class},
};

/// Visible characters of a heading, at most; longer ones are sentences.
const MAX_CHARS: usize = 60;

/// Headings of one level in a row from which they are a list: the names of a team, questions whose answers a script unfolds.
const LIST: usize = 3;

/// Drops every heading of a choice that stood above something, all of which is dropped, up to the next heading of its level or a
/// higher one.
///
/// Not the page's headline or a heading of the first level, not a heading that is a link (a card that says all in its title),
/// unless to where readers log in, or a text of its own, and not one of several that follow each other: those are a list.
pub(super) fn drop_dead(page: &AnalysedPage, choice: &mut Choice) {
    let parts = parts(page, choice);
    let mut dead = Vec::new();
    // From the last to the first: a heading whose sections are all dead is dead.
    let mut is_dead = vec![false; parts.len()];
    for at in (0..parts.len()).rev() {
        let HeadingPart::Heading { id, level } = parts[at] else {
            continue;
        };
        let mut lost = false;
        let mut below = parts[at + 1..].iter().enumerate();
        let shows = below.find_map(|(offset, part)| match part {
            HeadingPart::Shown => Some(true),
            HeadingPart::Heading { level: other, .. } if *other <= level => Some(false),
            HeadingPart::Heading { .. } if !is_dead[at + 1 + offset] => Some(true),
            HeadingPart::Heading { .. } => None,
            HeadingPart::Gone | HeadingPart::Hollow => {
                lost = true;
                None
            }
        });
        is_dead[at] = lost && shows != Some(true) && may_go(page, id);
    }
    let headings: Vec<(usize, NodeId, u8)> = parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match *part {
            HeadingPart::Heading { id, level } if is_dead[at] => Some((at, id, level)),
            _ => None,
        })
        .collect();
    // In a row: of one level, with nothing between them that shows.
    let follows = |a: &(usize, NodeId, u8), b: &(usize, NodeId, u8)| {
        a.2 == b.2 && !parts[a.0 + 1..b.0].iter().any(|part| !matches!(part, HeadingPart::Gone | HeadingPart::Hollow))
    };
    for run in headings.chunk_by(follows) {
        if run.len() < LIST {
            dead.extend(run.iter().map(|(_, id, _)| *id));
        }
    }
    dead.extend(parts.iter().filter_map(|part| match *part {
        HeadingPart::Heading { id, .. } if may_go(page, id) && heads_empty_list(page, id) => Some(id),
        _ => None,
    }));
    choice.dropped.extend(dead);
    choice.dropped.sort_unstable();
    choice.dropped.dedup();
}

/// The parts of a page that matter to headings, in document order.
enum HeadingPart {
    Heading {
        id: NodeId,
        level: u8,
    },
    /// Anything else that shows.
    Shown,
    /// Something that would show and is dropped.
    Gone,
    /// A box of the page that a script was to fill.
    Hollow,
}

/// Whether an element is such a box: it has a name of its own and holds nothing at all.
fn is_hollow(page: &Page, id: NodeId) -> bool {
    let is_box = matches!(page.tag(id), Some(Tag::Div | Tag::Section | Tag::Ul | Tag::Ol | Tag::Table | Tag::Other));
    is_box
        && (page.has_attribute(id, &local_name!("id")) || page.tag(id) != Some(Tag::Div))
        && page.live(id).skip(1).all(|inside| page.tag(inside).is_none() && page.own_chars(inside) == 0)
}

/// Whether a heading stands in a box with an empty list and nothing else: the table of contents that a script was to write.
fn heads_empty_list(page: &Page, heading: NodeId) -> bool {
    const LEVELS: usize = 3;
    /// Nodes of such a box, at most: a title, a list and what frames them.
    const NODES: usize = 48;
    let is_title = || {
        let title = page.joined(page.live(heading).filter(|&id| page.own_chars(id) > 0));
        vocabulary::hits(title).whole & Class::Contents.bit() != 0
    };
    let is_list = |id: NodeId| matches!(page.tag(id), Some(Tag::Ul | Tag::Ol | Tag::Dl));
    let around = page.ancestors(heading).take(LEVELS);
    let mut around = around.take_while(|&up| up != page.body() && page.live(up).nth(NODES).is_none());
    let is_other = |up: NodeId| page.live(up).any(|id| !page.contains(heading, id) && shows(page, id));
    let list = around.find(|&up| page.live(up).any(|id| id > heading && is_list(id)));
    list.is_some_and(|up| !is_other(up)) && is_title()
}

fn parts(page: &Page, choice: &Choice) -> Vec<HeadingPart> {
    let mut parts = Vec::new();
    for &root in &choice.kept {
        let mut over = NodeId::DOCUMENT;
        let mut dropped = choice.dropped.iter().copied().peekable();
        for id in page.live(root) {
            while let Some(&next) = dropped.peek()
                && next <= id
            {
                if next >= over && page.live(next).any(|id| shows(page, id)) {
                    parts.push(HeadingPart::Gone);
                }
                over = over.max(page.end(next));
                dropped.next();
            }
            if id < over {
                continue;
            }
            if is_hollow(page, id) && matches!(parts.last(), Some(HeadingPart::Heading { .. })) {
                parts.push(HeadingPart::Hollow);
            } else if let Some(level) = level(page, id) {
                parts.push(HeadingPart::Heading { id, level });
                over = page.end(id);
            } else if shows(page, id) && !matches!(parts.last(), Some(HeadingPart::Shown)) {
                parts.push(HeadingPart::Shown);
            }
        }
    }
    parts
}

fn shows(page: &Page, id: NodeId) -> bool {
    match page.tag(id) {
        Some(tag) => tag.is_media() || matches!(tag, Tag::Input | Tag::Select | Tag::Textarea | Tag::Button),
        None => page.own_chars(id) > 0,
    }
}

fn may_go(page: &AnalysedPage, id: NodeId) -> bool {
    let is_headline = page.headline.node.is_some_and(|node| page.contains(node, id) || page.contains(id, node));
    let is_text = page.tag(id) == Some(Tag::H1) || page.chars(id) > MAX_CHARS;
    !is_headline
        && !is_text
        && !page
            .live(id)
            .any(|at| page.in_link(at) && !leads_to_log_in(page, at) || shows(page, at) && page.tag(at).is_some())
}

/// The level of a heading.
fn level(page: &Page, id: NodeId) -> Option<u8> {
    page.tag(id)?.heading_level()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ids, page};

    /// The ids of the headings that go, if every `<s>` is dropped.
    fn dead(html: &str) -> Vec<String> {
        let page = page(html);
        let is_dropped = |id: &NodeId| page.tag(*id) == Some(Tag::S);
        let dropped: Vec<NodeId> = page.live(page.body()).filter(is_dropped).collect();
        let mut choice = Choice { dropped: dropped.clone(), ..Choice::from(Some(page.body())) };
        drop_dead(&page, &mut choice);
        choice.dropped.retain(|id| !dropped.contains(id));
        ids(&page, &choice.dropped)
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_heading_whose_section_is_dropped_goes() {
        assert_eq!(dead("<h2 id=a>a</h2><s>gone</s><h2>b</h2><p>text"), ["a"]);
        assert_eq!(dead("<p>text</p><h2 id=a>a</h2><s>gone</s>"), ["a"]);
        assert_eq!(dead("<p>t</p><h2 id=a>a</h2><h3 id=b>b</h3><s>gone</s><h2>c</h2>t"), ["a", "b"]);
    }

    #[test]
    fn a_heading_above_anything_stays() {
        for below in ["<p>text</p>", "<img src=a>", "<form><input></form>", "<h3>b</h3><p>text</p>"] {
            let html = format!("<h2>a</h2><s>gone</s>{below}<h2>c</h2><p>text");
            assert_eq!(dead(&html), NONE, "{below}");
        }
    }

    #[test]
    fn what_never_announced_anything_stays() {
        assert_eq!(dead("<h4>Length</h4><h3>2 m</h3><h2>b</h2><p>text</p><s>gone</s>"), NONE);
        assert_eq!(dead("<h3><a href=/x>a</a></h3><s>gone</s><h2>b</h2><p>text"), NONE);
        let sentence = "A sentence that somebody has made a heading, because large letters are read before small ones";
        assert_eq!(dead(&format!("<h2>{sentence}</h2><s>gone</s>")), NONE);
        assert_eq!(dead("<h1>The page</h1><s>gone</s>"), NONE);
    }

    #[test]
    fn a_heading_that_leads_to_the_log_in_announces_what_any_heading_does() {
        let heading = "<h2 id=a>You must <a href='/users/login?from=1'>log in</a> to answer</h2>";
        assert_eq!(dead(&format!("<p>text</p>{heading}<s>gone</s>")), ["a"]);
        assert_eq!(dead(&format!("{heading}<p>text</p><s>gone</s>")), NONE);
    }

    #[test]
    fn a_heading_above_what_a_script_was_to_fill_goes() {
        assert_eq!(dead("<p>text</p><h2 id=a>a</h2><div id=reviews></div><h2>b</h2><p>text"), ["a"]);
        assert_eq!(dead("<p>text</p><h2>a</h2><div class=clear></div><h2>b</h2><p>text"), NONE);
        assert_eq!(dead("<div><h3 id=a>Contents</h3><div><ol> </ol></div></div><p>text"), ["a"]);
        assert_eq!(dead("<div><h3>Contents</h3><div><ol> </ol></div><p>text</p></div>"), NONE);
    }

    #[test]
    fn a_list_of_headings_stays() {
        let question = "<h3>a?</h3><s>answer</s>";
        assert_eq!(dead(&question.repeat(3)), NONE);
        assert_eq!(dead(&question.repeat(2)).len(), 2);
    }
}
