//! Code samples: no numbers that the page wrote beside lines, and lines apart.
//!
//! Nobody can copy code with numbers of lines in it, and a screen reader reads each. They are known by where they stand: in a cell of
//! their own, counting up by one, beside a cell with code; or inside the code in elements that highlighters name alike, holding nothing
//! but digits.
//!
//! Lines that are elements with no line break between them would be one long line, `npm create vite@latest my-projectcd my-project`:
//! the page's style sheet made a line of each. Known inside of `<pre>` as lines are: blocks and rows; elements that a class calls a line
//! (`line`, `code-line`, `gatsby-highlight-code-line`; Shiki, Prism and their like).

use std::collections::HashSet;

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, NodeState, Page, tag::Tag},
    measure::table,
    vocabulary::{any_of::AnyOf, words::words_of_identifier},
};

/// Bytes and nodes of a cell that are read: enough for a thousand numbers.
const MAX_BYTES: usize = 8000;
const MAX_NODES: usize = 4000;

/// Preformatted text that is no code but prose, as archives of mailing lists and old texts have it: at 390 pixels its lines must
/// break.
pub(super) fn is_prose(page: &Page, id: NodeId) -> bool {
    /// Words of a line on average, and the share of letters in its words, from which it is written to be read.
    const WORDS: usize = 6;
    const LETTERS: f64 = 0.9;
    let has_code =
        page.live(id).take(MAX_NODES).any(|inside| matches!(page.tag(inside), Some(Tag::Code | Tag::Kbd | Tag::Samp)));
    if has_code {
        return false;
    }
    let text = text(page, id);
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    let words = text.split_whitespace().count();
    let signs = text.chars().filter(|c| !c.is_whitespace());
    let (mut letters, mut all) = (0u32, 0u32);
    for c in signs {
        all += 1;
        letters += u32::from(c.is_alphabetic() || matches!(c, '.' | ',' | '\'' | '’'));
    }
    // A table or a drawing is held together by its spaces.
    let is_aligned = text.lines().any(|line| line.trim().contains("    "));
    lines > 0 && words >= WORDS * lines && f64::from(letters) >= LETTERS * f64::from(all) && !is_aligned
}

fn text(page: &Page, id: NodeId) -> String {
    page.start_as_written(id, MAX_NODES, MAX_BYTES)
}

/// Code of which each line is a row of a table, beside its number: from here on it is code, and its rows are lines.
pub(in crate::output) fn join_rows(page: &mut Page) {
    drop_numbers(page);
    let tables: Vec<NodeId> =
        page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Table) && holds_lines(page, id)).collect();
    for table in tables {
        let inside: Vec<(NodeId, Tag)> = page.live(table).filter_map(|id| Some((id, page.tag(id)?))).collect();
        for (id, tag) in inside {
            match tag {
                Tag::Table => page.retag(id, Tag::Pre),
                Tag::Tr => page.retag(id, Tag::Div),
                // Its number.
                Tag::Td | Tag::Th if page.live_siblings_after(id).any(|next| page.tag(next).is_some()) => {
                    page.drop_silently(id);
                }
                Tag::Td | Tag::Th | Tag::Tbody => page.retag(id, Tag::Span),
                _ => {}
            }
        }
    }
}

/// Takes out the numbers of lines: the cell of them beside a cell of code, and inside of code what highlighters call so.
fn drop_numbers(page: &mut Page) {
    const NUMBERS: AnyOf =
        AnyOf::new(&["lineno", "line-number", "linenumber", "line_number", "hljs-ln-n", "ln-num", "crayon-num"]);
    if page.has_any(&[Tag::Table]) {
        let tables = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Table));
        let found: Vec<_> = tables.filter_map(|id| Some((id, table::numbered_code(page, id)?))).collect();
        for (id, [numbers, code]) in found {
            page.drop_silently(numbers);
            let is_marked = page.live(code).any(|inside| page.tag(inside) == Some(Tag::Pre));
            page.retag(id, if is_marked { Tag::Div } else { Tag::Pre });
            let frames: Vec<NodeId> = page
                .live(id)
                .skip(1)
                .take_while(|&inside| inside <= code)
                .filter(|&inside| page.tag(inside).is_some())
                .collect();
            for frame in frames {
                page.retag(frame, Tag::Span);
            }
        }
    }
    if !page.has_any(&[Tag::Pre]) {
        return;
    }
    let is_called_number = |name: &LocalName, value: &str| *name == local_name!("class") && NUMBERS.are_in(value);
    if !page.any_attribute(is_called_number) {
        return;
    }
    let mut code_end = NodeId::DOCUMENT;
    let mut numbers = Vec::new();
    for id in page.live(page.body()) {
        if page.tag(id) == Some(Tag::Pre) {
            code_end = code_end.max(page.end(id));
        }
        let class = local_name!("class");
        let is_called = || page.attribute(id, &class).is_some_and(|value| is_called_number(&class, value));
        if id < code_end && (1..=MAX_DIGITS).contains(&page.chars(id)) && is_called() {
            let is_number = page
                .live(id)
                .filter_map(|inside| page.text(inside))
                .all(|text| text.chars().all(|c| c.is_ascii_digit() || c.is_whitespace()));
            if is_number {
                numbers.push(id);
            }
        }
    }
    for id in numbers {
        page.drop_silently(id);
    }
}

/// Digits of the number of a line, at most.
const MAX_DIGITS: usize = 6;

/// Whether the last cell of every row is a line of code by its class, as GitHub and highlight.js call it.
fn holds_lines(page: &Page, table: NodeId) -> bool {
    const LINES: AnyOf = AnyOf::new(&["blob-code", "hljs-ln-code", "file-line", "code-line"]);
    let is_line = |id: NodeId| {
        let class = page.attribute(id, &local_name!("class"));
        class.is_some_and(|class| LINES.are_in(class))
    };
    let mut rows = 0;
    let are_all = page.live(table).filter(|&id| page.tag(id) == Some(Tag::Tr)).all(|row| {
        rows += 1;
        page.live_children(row).filter(|&cell| page.tag(cell).is_some()).last().is_some_and(is_line)
    });
    are_all && rows > 0
}

/// Lines that stand empty between two others; more are no lines.
const MAX_EMPTY: usize = 3;

/// Puts a line break between them.
pub(in crate::output) fn part_lines(page: &mut Page) {
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
    let may_be = page.live(sample).skip(1).filter(|&id| page.state(id) == NodeState::Keep);
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
    use crate::{
        measure::text::from_subtree,
        testing::{by_id, page},
    };

    #[test]
    fn numbers_of_lines_go_and_numbers_of_the_code_stay() {
        let left = |html: &str| {
            let mut page = page(html);
            join_rows(&mut page);
            part_lines(&mut page);
            crate::measure::text::from_subtree(&page, page.body(), 2).trim().to_owned()
        };
        let crayon =
            "<table class=crayon><tr><td><div>1</div><div>2</div><td><div><div>a {</div><div>  b }</div></div></table>";
        assert_eq!(left(crayon), "a {\n  b }");
        let pygments = "<table class=highlighttable><tr><td class=linenos><pre>1\n2</pre><td class=code><pre>x = 1\ny = 2</pre></table>";
        assert_eq!(left(pygments), "x = 1\ny = 2");
        assert_eq!(left("<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>b</pre>"), "a\nb");
        assert_eq!(left("<pre><span class=number>1</span> + a</pre>"), "1 + a");
        assert_eq!(left("<table><tr><td>1<td>Introduction</table>"), "1\tIntroduction");
    }

    #[test]
    fn prose_is_told_from_code() {
        let is_prose_in = |text: &str| {
            let page = page(&format!("<pre id=p>{text}</pre>"));
            is_prose(&page, by_id(&page, "p"))
        };
        let letter = "Dear all, I have looked at the patch again and it seems fine to me.\n                      > Could you tell me what is meant by the second paragraph of it, please?\n\nBest wishes, Anna";
        assert!(is_prose_in(letter));
        assert!(!is_prose_in("let total = items.iter().map(|item| item.price * item.count).sum();"));
        assert!(!is_prose_in("cargo build --release\ncargo test"));
        assert!(!is_prose_in("name of the thing       what it is and does in words"));
        assert!(!is_prose_in(&format!("<code>{letter}</code>")));
    }

    fn parted(html: &str) -> String {
        let mut page = page(html);
        part_lines(&mut page);
        from_subtree(&page, page.body(), 3).trim_end().to_owned()
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
