//! Lines of code that are elements with no line break between them: the page's style sheet made a line of each, and without it
//! they are one long line, `npm create vite@latest my-projectcd my-project`.
//!
//! Known inside of `<pre>` as lines are: blocks and rows; elements that a class calls a line (`line`, `code-line`,
//! `gatsby-highlight-code-line`; Shiki, Prism and their like).

use std::collections::HashSet;

use html5ever::local_name;

use crate::{
    html::{Fate, NodeId, Page, tag::Tag},
    vocabulary::words::words_of_identifier,
};

/// Lines that stand empty between two others; more are no lines.
const MAX_EMPTY: usize = 3;

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
    let mut over = NodeId::DOCUMENT;
    for sample in samples {
        if sample < over {
            continue;
        }
        over = page.end(sample);
        for (text, count) in missing_breaks(page, sample) {
            page.append_lines(text, count);
        }
    }
}

/// The texts behind which line breaks are missing.
fn missing_breaks(page: &Page, sample: NodeId) -> Vec<(NodeId, usize)> {
    let lines = lines(page, sample);
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
fn lines(page: &Page, sample: NodeId) -> HashSet<NodeId> {
    let may_be = page.live(sample).skip(1).filter(|&id| page.fate(id) == Fate::Keep);
    may_be
        .filter(|&id| {
            let tag = page.tag(id);
            tag.is_some_and(|tag| {
                !matches!(tag, Tag::Td | Tag::Th | Tag::Br) && (tag.is_block() || is_called_line(page, id))
            })
        })
        .collect()
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
    fn lines_that_are_parted_and_signs_of_one_line_stay() {
        for (html, expected) in [
            ("<pre><span class=line>a</span>\n<span class=line>b</span></pre>", "a\nb"),
            ("<pre><span class=line>a\n</span><span class=line>b\n</span></pre>", "a\nb"),
            ("<pre><div>a</div>\n<div>b</div></pre>", "a\nb"),
            ("<pre><span class=t>a</span><span class=t>b</span></pre>", "ab"),
            ("<pre><span class=line>a</span><br><span class=line>b</span></pre>", "a\nb"),
            ("<pre>a <span class=underline>b</span>c</pre>", "a bc"),
            ("<pre>a <span class=line-through>b</span>c</pre>", "a bc"),
            ("<p><span class=line>a</span><span class=line>b</span></p>", "ab"),
        ] {
            assert_eq!(parted(html), expected, "{html}");
        }
    }
}
