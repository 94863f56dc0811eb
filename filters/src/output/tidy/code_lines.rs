//! Lines of code that are elements with no line break between them: the page's style sheet made a line of each, and without it
//! they are one long line, `npm create vite@latest my-projectcd my-project`.
//!
//! Known inside of `<pre>` as lines are: blocks and rows; elements that a class calls a line (`line`, `code-line`,
//! `gatsby-highlight-code-line`; Shiki, Prism and their like), or that the page's own `<style>` makes blocks; and where
//! the code has no line break at all, brothers that are each a sample (`<code>`) or a row of signs.

use std::collections::HashSet;

use html5ever::local_name;

use crate::{
    html::{
        Fate, NodeId, Page,
        style_sheets::{Names, declarations, each_rule, names},
        tag::Tag,
    },
    vocabulary::words::words_of_identifier,
};

/// Lines that stand empty between two others; more are no lines.
const MAX_EMPTY: usize = 3;

/// Signs in a row from which brothers in code without a line break are lines.
const MIN_SIGNS: usize = 2;

/// Puts a line break between them.
pub(in crate::output) fn part(page: &mut Page) {
    if !page.has_any(&[Tag::Pre, Tag::Listing, Tag::Plaintext, Tag::Xmp]) {
        return;
    }
    let samples: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.tag(id).is_some_and(Tag::preserves_space))
        .filter(|&id| page.tag(id) != Some(Tag::Textarea))
        .collect();
    if samples.is_empty() {
        return;
    }
    let blocks = named_blocks(page);
    let mut over = NodeId::DOCUMENT;
    for sample in samples {
        if sample < over {
            continue;
        }
        over = page.end(sample);
        for (text, count) in missing_breaks(page, sample, &blocks) {
            page.append_lines(text, count);
        }
    }
}

/// The texts behind which line breaks are missing.
fn missing_breaks(page: &Page, sample: NodeId, blocks: &Names) -> Vec<(NodeId, usize)> {
    let lines = lines(page, sample, blocks);
    if lines.is_empty() {
        return Vec::new();
    }
    let mut missing = Vec::new();
    let mut last: Option<NodeId> = None;
    // Boundaries since the last text: whether there is one, and lines that hold nothing.
    let (mut is_boundary, mut empty) = (false, 0);
    let mut open: Vec<NodeId> = Vec::new();
    let mut blank = sample;
    for id in page.live(sample).skip(1) {
        while open.last().is_some_and(|&end| id >= end) {
            open.pop();
            is_boundary = true;
        }
        if id < blank {
            continue;
        }
        if page.tag(id) == Some(Tag::Br) {
            last = None;
        } else if lines.contains(&id) {
            is_boundary = true;
            if is_blank(page, id) {
                // A break in it is written as one.
                let has_break = page.live(id).any(|id| page.tag(id) == Some(Tag::Br));
                empty += usize::from(!has_break);
                blank = page.end(id);
            } else {
                open.push(page.end(id));
            }
        }
        let Some(text) = page.text(id).filter(|text| !text.is_empty()) else {
            continue;
        };
        if let Some(before) = last
            && is_boundary
            && !text.starts_with('\n')
            && page.text(before).is_some_and(|text| !text.ends_with('\n'))
        {
            missing.push((before, 1 + empty.min(MAX_EMPTY)));
        }
        last = Some(id);
        (is_boundary, empty) = (false, 0);
    }
    missing
}

/// A line that holds nothing, or the break that editors put there to give it its height.
fn is_blank(page: &Page, line: NodeId) -> bool {
    page.live(line).all(|id| is_nothing(page, id) || page.tag(id) == Some(Tag::Br))
}

fn is_nothing(page: &Page, id: NodeId) -> bool {
    match page.tag(id) {
        Some(tag) => !tag.is_media() && tag != Tag::Br,
        None => page.text(id).is_none_or(|text| text.is_empty()),
    }
}

/// The elements of a sample that are a line each.
fn lines(page: &Page, sample: NodeId, blocks: &Names) -> HashSet<NodeId> {
    let has_break = page
        .live(sample)
        .any(|id| page.tag(id) == Some(Tag::Br) || page.text(id).is_some_and(|text| text.contains('\n')));
    let mut lines = HashSet::new();
    for id in page.live(sample).skip(1) {
        let Some(tag) = page.tag(id) else { continue };
        if page.fate(id) != Fate::Keep || matches!(tag, Tag::Td | Tag::Th | Tag::Br) {
            continue;
        }
        if tag.is_block() || is_called_line(page, id) || blocks.are_on(page, id) {
            lines.insert(id);
        }
    }
    if lines.is_empty() && !has_break {
        let parents = page.live(sample).filter(|&id| page.tag(id).is_some());
        lines.extend(parents.flat_map(|id| rows_of_signs(page, id)));
    }
    lines
}

/// `line`, `code-line`, `codeLine`; not `underline`, `line-number`, `line-through`.
fn is_called_line(page: &Page, id: NodeId) -> bool {
    let is_line = |class: &str| {
        let words: Vec<String> = words_of_identifier(class).collect();
        // The last one is the whole name.
        let words = words.split_last().map_or(&words[..], |(_, words)| words);
        let is_last = words.last().is_some_and(|word| word == "line");
        is_last && !words.iter().any(|word| word == "in" || word == "under")
    };
    page.attribute(id, &local_name!("class")).is_some_and(|classes| classes.split_ascii_whitespace().any(is_line))
}

/// The children of an element where all of them are alike, nothing stands between them, and each is a sample or a row of
/// signs.
fn rows_of_signs(page: &Page, parent: NodeId) -> Vec<NodeId> {
    let children: Vec<NodeId> =
        page.live_children(parent).filter(|&id| !is_nothing(page, id) || page.tag(id).is_some()).collect();
    let signs = |id: NodeId| {
        let elements = page.live_children(id);
        elements.filter(|&id| page.tag(id).is_some()).count()
    };
    let are_samples = || children.iter().all(|&id| page.tag(id) == Some(Tag::Code));
    let are_rows = || children.iter().all(|&id| page.tag(id) == Some(Tag::Span) && signs(id) >= MIN_SIGNS);
    if children.len() > 1 && (are_samples() || are_rows()) {
        return children;
    }
    Vec::new()
}

/// Names that the page's own rules make blocks, as the last part of a selector.
fn named_blocks(page: &Page) -> Names {
    let mut blocks = Names::default();
    each_rule(page, |rule| {
        let is_block = || {
            declarations(rule.body).any(|(name, value)| {
                name == "display"
                    && matches!(value.as_str(), "block" | "flex" | "grid" | "table" | "table-row" | "list-item")
            })
        };
        if !rule.holds || !rule.body.contains("display") || !is_block() {
            return;
        }
        for selector in rule.selectors.split(',') {
            let last = selector.trim().rsplit([' ', '>', '+', '~']).next();
            let last = last.filter(|last| !last.contains([':', '[']));
            // A name of a part that has two is not enough by itself.
            let mut found = last.into_iter().flat_map(names);
            if let (Some(name), None) = (found.next(), found.next()) {
                blocks.add(name);
            }
        }
    });
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{measure::text::of_subtree, testing::page};

    fn parted(html: &str) -> String {
        let mut page = page(html);
        part(&mut page);
        of_subtree(&page, page.body(), 3).trim_end().to_owned()
    }

    #[test]
    fn lines_that_are_elements_are_parted() {
        let line = |text| format!("<span class='line'><b>{text}</b><i>;</i></span>");
        for html in [
            format!("<pre><code>{}{}</code></pre>", line("a"), line("b")),
            "<pre><span class=code-line>a;</span><span class=codeLine>b;</span></pre>".to_owned(),
            "<pre><code>a;</code><code>b;</code></pre>".to_owned(),
            "<pre><code><div>a;</div><div>b;</div></code></pre>".to_owned(),
            "<pre><ol><li>a;<li>b;</ol></pre>".to_owned(),
            "<pre><span><b>a</b><i>;</i></span><span><b>b</b><i>;</i></span></pre>".to_owned(),
            "<style>.box .row{display:block}</style><pre><b class=row>a;</b><b class=row>b;</b></pre>".to_owned(),
            "<pre><span class=high-line><b>a</b>;</span><b>b</b>;</pre>".to_owned(),
        ] {
            assert_eq!(parted(&html), "a;\nb;", "{html}");
        }
    }

    #[test]
    fn an_empty_line_stays_one() {
        let html = "<pre><span class=line>a</span><span class=line></span><span class=line>b</span></pre>";
        assert_eq!(parted(html), "a\n\nb");
        let with_break = "<pre><code><div>a</div><div><br></div><div>b</div></code></pre>";
        assert_eq!(parted(with_break).trim_matches('\n').matches('\n').count(), 2);
    }

    #[test]
    fn lines_that_are_parted_and_signs_of_one_line_stay() {
        for (html, expected) in [
            ("<pre><span class=line>a</span>\n<span class=line>b</span></pre>", "a\nb"),
            ("<pre><span class=line>a\n</span><span class=line>b\n</span></pre>", "a\nb"),
            ("<pre><div>a</div>\n<div>b</div></pre>", "a\nb"),
            ("<pre><span class=t>a</span><span class=t>b</span></pre>", "ab"),
            ("<pre><span class=line>a</span><br><span class=line>b</span></pre>", "a\nb"),
            ("<pre>a <span class=underline>b</span>c</pre>", "a bc"),
            ("<pre>a <span class=line-through>b</span>c</pre>", "a bc"),
            ("<style>.k:before{display:block}</style><pre><b class=k>a</b><b class=k>b</b></pre>", "ab"),
            ("<p><span class=line>a</span><span class=line>b</span></p>", "ab"),
        ] {
            assert_eq!(parted(html), expected, "{html}");
        }
    }
}
