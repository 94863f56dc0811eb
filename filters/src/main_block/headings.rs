//! Removes headings, and lines that name what follows like a heading, of which nothing is left.

use html5ever::local_name;

use super::Choice;
use crate::{
    analysis::AnalysedPage,
    html::{
        NodeId, Page,
        attribute_hints::class_hints::{ClassHint, RegionHints},
        tag::Tag,
    },
    measure::leads_to_log_in,
    vocabulary::{self, Class, words::is_question},
};

/// Visible characters of a heading, at most; longer ones are sentences.
const MAX_CHARS: usize = 60;

/// Visible characters of the title of a table of contents, at most.
const MAX_CONTENTS: usize = 24;

/// Headings of one level in a row from which they are a list: the names of a team, questions whose answers a script unfolds.
const LIST: usize = 3;

/// The level of a line that is no heading, below all of these.
const LINE: u8 = 7;

/// Drops every heading of a choice that stood above something, all of which is dropped, up to the next heading of its level or a
/// higher one; so a line that is all bold, ends in a colon or is called a title, up to the next heading of any level, and the title of a
/// table of contents, where no list follows.
///
/// Not the page's headline, not a heading that is a link (a card that says all in its title), unless to where readers log in, or a text
/// of its own, and not one of several that follow each other: those are a list, unless a script was to fill what stands below each.
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
        let next = below.find_map(|(offset, part)| match part {
            HeadingPart::Shown(shown) => Some(Some(*shown)),
            HeadingPart::Heading { level: other, .. } if *other <= level => Some(None),
            HeadingPart::Heading { id, .. } if !is_dead[at + 1 + offset] => Some(Some(*id)),
            HeadingPart::Heading { .. } => None,
            HeadingPart::Gone | HeadingPart::Hollow => {
                lost = true;
                None
            }
        });
        let shown = next.flatten();
        // What stands in one box with it may be what a parcel holds.
        let is_entry = |shown| in_list(page, shown) || page.contains(page.parent(id), shown);
        let heads_nothing = lost && shown.is_none() || !shown.is_some_and(is_entry) && is_contents(page, id);
        is_dead[at] = heads_nothing && may_go(page, id);
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
    let is_unfilled = |&(at, id, _): &(usize, NodeId, u8)| {
        matches!(parts.get(at + 1), Some(HeadingPart::Hollow)) && !is_question(&text(page, id))
    };
    for run in headings.chunk_by(follows) {
        if run.len() < LIST || run.iter().all(is_unfilled) {
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
    /// A heading, or a line that names what follows.
    Heading { id: NodeId, level: u8 },
    /// Anything else that shows; the first of several.
    Shown(NodeId),
    /// Something that would show and is dropped.
    Gone,
    /// A box of the page that a script was to fill.
    Hollow,
}

/// Whether an element is such a box: it has a name of its own, or is one of a kind, and holds nothing that shows.
fn is_hollow(page: &Page, id: NodeId) -> bool {
    let is_named = || page.has_attribute(id, &local_name!("id"));
    let is_box = match page.tag(id) {
        Some(Tag::Section | Tag::Ul | Tag::Ol | Tag::Table | Tag::Other | Tag::Nav) => {
            return page.live(id).skip(1).all(|inside| page.tag(inside).is_none() && page.own_chars(inside) == 0);
        }
        Some(Tag::Figure) => true,
        Some(Tag::Div | Tag::P) => is_named(),
        _ => false,
    };
    is_box && !page.live(id).any(|inside| shows(page, inside))
}

/// A line that names what follows, as a heading does: all of it bold, at its end a colon, or called a title; or the title of a table of
/// contents.
fn is_line(page: &Page, id: NodeId) -> bool {
    if page.tag(id) != Some(Tag::P) || !(1..=MAX_CHARS).contains(&page.chars(id)) {
        return false;
    }
    let mut bold_end = NodeId::DOCUMENT;
    let mut is_bold = true;
    for at in page.live(id) {
        match page.tag(at) {
            Some(Tag::Strong | Tag::B) => bold_end = bold_end.max(page.end(at)),
            _ => is_bold &= page.own_chars(at) == 0 || at < bold_end,
        }
    }
    let text = text(page, id);
    let text = text.trim_end();
    let is_sentence = || text.ends_with(['.', '!', '?', '…', '。', '！', '？']);
    let is_title = || is_bold || RegionHints::new(page, id).class_hints & ClassHint::Title.bit() != 0;
    text.ends_with([':', '：']) || is_title() && !is_sentence() || is_contents(page, id)
}

/// Whether a text is the title of a table of contents, and nothing else.
fn is_contents(page: &Page, id: NodeId) -> bool {
    page.chars(id) <= MAX_CONTENTS && vocabulary::hits(text(page, id)).whole & Class::Contents.bit() != 0
}

/// Whether something stands in a list or is one, or is a link: an entry of a table of contents.
fn in_list(page: &Page, id: NodeId) -> bool {
    const LEVELS: usize = 4;
    let mut around = page.self_and_ancestors(id).take(1 + LEVELS);
    page.in_link(id) || around.any(|up| matches!(page.tag(up), Some(Tag::Ul | Tag::Ol | Tag::Dl | Tag::Table | Tag::A)))
}

fn text(page: &Page, id: NodeId) -> String {
    page.joined(page.live(id).filter(|&id| page.own_chars(id) > 0))
}

/// Whether a heading stands in a box with an empty list and nothing else: the table of contents that a script was to write.
fn heads_empty_list(page: &Page, heading: NodeId) -> bool {
    const LEVELS: usize = 3;
    /// Nodes of such a box, at most: a title, a list and what frames them.
    const NODES: usize = 48;
    let is_list = |id: NodeId| matches!(page.tag(id), Some(Tag::Ul | Tag::Ol | Tag::Dl));
    let around = page.ancestors(heading).take(LEVELS);
    let mut around = around.take_while(|&up| up != page.body() && page.live(up).nth(NODES).is_none());
    let is_other = |up: NodeId| page.live(up).any(|id| !page.contains(heading, id) && shows(page, id));
    let list = around.find(|&up| page.live(up).any(|id| id > heading && is_list(id)));
    list.is_some_and(|up| !is_other(up)) && is_contents(page, heading)
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
            if matches!(parts.last(), Some(HeadingPart::Heading { .. })) && is_hollow(page, id) {
                parts.push(HeadingPart::Hollow);
            } else if let Some(level) = level(page, id) {
                parts.push(HeadingPart::Heading { id, level });
                over = page.end(id);
            } else if shows(page, id) && !matches!(parts.last(), Some(HeadingPart::Shown(_))) {
                parts.push(HeadingPart::Shown(id));
            }
        }
    }
    parts
}

fn shows(page: &Page, id: NodeId) -> bool {
    match page.tag(id) {
        Some(Tag::Img) => has_source(page, id),
        Some(tag) => tag.is_media() || matches!(tag, Tag::Input | Tag::Select | Tag::Textarea | Tag::Button),
        None => page.own_chars(id) > 0,
    }
}

/// Whether a picture has an address, be it one that a script was to use.
fn has_source(page: &Page, id: NodeId) -> bool {
    let mut has_source = false;
    page.each_attribute(id, |name, _| has_source |= name.contains("src"));
    has_source
}

fn may_go(page: &AnalysedPage, id: NodeId) -> bool {
    let headline = page.headline.node.or(page.headline.only_h1);
    let is_headline = headline.is_some_and(|node| page.contains(node, id) || page.contains(id, node));
    // Without a headline that is known, it may be any of the first level.
    let is_first = page.tag(id) == Some(Tag::H1) && headline.is_none();
    let is_text = is_first || page.chars(id) > MAX_CHARS;
    !is_headline
        && !is_text
        && !page
            .live(id)
            .any(|at| page.in_link(at) && !leads_to_log_in(page, at) || shows(page, at) && page.tag(at).is_some())
}

/// The level of a heading, or of a line that names what follows.
fn level(page: &Page, id: NodeId) -> Option<u8> {
    page.tag(id)?.heading_level().or_else(|| is_line(page, id).then_some(LINE))
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

    #[test]
    fn headings_over_what_a_script_was_to_fill_are_no_list() {
        let fact = |id: &str| format!("<h2 id={id}>Fact</h2><p id=of-{id}></p>");
        let html = format!("<p>text</p>{}{}{}<h2>b</h2><p>text", fact("a"), fact("b"), fact("c"));
        assert_eq!(dead(&html), ["a", "b", "c"]);
        assert_eq!(dead(&html.replace("Fact", "Why?")), NONE);
    }

    #[test]
    fn a_heading_above_a_film_or_picture_that_is_not_there_goes() {
        for below in ["<figure><div><span></span></div></figure>", "<div id=v><img class=lazy></div>", "<nav></nav>"] {
            let html = format!("<p>text</p><h2 id=a>Watch it</h2>{below}<h2>b</h2><p>text");
            assert_eq!(dead(&html), ["a"], "{below}");
        }
        assert_eq!(dead("<h2>a</h2><div id=v><img data-src=a></div><h2>b</h2><p>text"), NONE);
    }

    #[test]
    fn a_line_that_names_what_is_dropped_goes_with_it() {
        for line in
            ["<p id=a><b>More of this</b></p>", "<p id=a>Read also:</p>", "<p id=a class=admonition-title>See</p>"]
        {
            assert_eq!(dead(&format!("<h2>h</h2><p>text</p>{line}<s>gone</s><h3>b</h3><p>text")), ["a"], "{line}");
            assert_eq!(dead(&format!("<p>text</p>{line}<s>gone</s>")), ["a"], "{line}");
            assert_eq!(dead(&format!("<p>text</p>{line}<s>gone</s><p>text</p>")), NONE, "{line}");
            assert_eq!(dead(&format!("<p>text</p>{line}<h3>b</h3><p>text")), NONE, "{line}");
        }
        assert_eq!(dead("<p>text</p><p>The end.</p><s>gone</s>"), NONE);
    }

    #[test]
    fn the_title_of_contents_goes_where_no_list_follows() {
        assert_eq!(dead("<div><p id=a>Table of Contents</p></div><h2>b</h2><p>text"), ["a"]);
        assert_eq!(dead("<div><h4 id=a>Contents</h4></div><p><img src=a></p><p>text"), ["a"]);
        assert_eq!(dead("<p>Contents</p><ul><li>One<li>Two</ul><h2>b</h2><p>text"), NONE);
    }

    #[test]
    fn a_heading_of_the_first_level_that_is_not_the_headline_goes_as_others_do() {
        let mut page = page("<h1 id=h>The page</h1><p>text</p><h1 id=a>Events</h1><s>gone</s><h1>b</h1><p>text");
        page.headline.node = page.live(page.body()).find(|&id| page.tag(id) == Some(Tag::H1));
        let gone: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::S)).collect();
        let mut choice = Choice { dropped: gone, ..Choice::from(Some(page.body())) };
        drop_dead(&page, &mut choice);
        assert!(ids(&page, &choice.dropped).contains(&"a".to_owned()));
    }
}
