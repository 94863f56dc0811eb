//! A page's blocks as rows of a report: what was kept of each, and what should have been.
//!
//! Each text of the page is in one of four states. A block whose texts are all in the same state is one row, without the
//! blocks inside it, neighbours of the same state share a row, and small blocks are not opened; so a page of a thousand
//! blocks is some dozen rows, and they are where something happened.

use std::ops::Range;

use gleaner_filters::{Trace, TracedBlock};
use maud::{Markup, html};

/// Rows of a page that are shown; of more, the first.
const MAX_ROWS: usize = 150;

/// Levels that are set in; deeper ones stand with the last, so that a telephone shows them.
const MAX_DEPTH: usize = 10;

/// Share of the page's text below which a block is not opened, whatever is in it: nobody looks for ten characters.
const SMALL: f64 = 0.01;

/// Characters of a row's text: enough to recognise it.
const START_CHARS: usize = 90;

/// The outcome of a text, and the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Right,
    Extra,
    Missing,
    Gone,
}

impl State {
    const ALL: [State; 4] = [State::Right, State::Extra, State::Missing, State::Gone];

    fn new(kept: bool, wanted: bool) -> State {
        match (kept, wanted) {
            (true, true) => State::Right,
            (true, false) => State::Extra,
            (false, true) => State::Missing,
            (false, false) => State::Gone,
        }
    }

    fn class(self) -> &'static str {
        match self {
            State::Right => "right",
            State::Extra => "extra",
            State::Missing => "missing",
            State::Gone => "gone",
        }
    }

    /// For those who cannot tell the colours apart.
    fn sign(self) -> &'static str {
        match self {
            State::Right => "✓",
            State::Extra => "+",
            State::Missing => "−",
            State::Gone => "×",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            State::Right => "kept, and wanted",
            State::Extra => "kept, not wanted",
            State::Missing => "removed, but wanted",
            State::Gone => "removed, not wanted",
        }
    }
}

/// Visible characters in each state.
type Sizes = [usize; 4];

/// A page's texts with their states.
pub(super) struct Outline<'a> {
    trace: &'a Trace,
    states: Vec<State>,
    /// Before each text, and after the last, the characters of all texts before it.
    before: Vec<Sizes>,
}

/// A row.
#[derive(Debug, PartialEq)]
struct Row {
    depth: usize,
    label: String,
    /// Neighbours that it tells of beside itself.
    more: usize,
    texts: Range<usize>,
    sizes: Sizes,
    removed_by: Option<&'static str>,
}

/// The meaning of the colours and signs.
pub(super) fn legend() -> Markup {
    html! {
        p.legend {
            @for state in State::ALL {
                span class=(state.class()) { b { (state.sign()) } " " (state.meaning()) } " "
            }
        }
    }
}

impl<'a> Outline<'a> {
    /// `wanted` tells of each text whether it should have been kept.
    pub(super) fn new(trace: &'a Trace, wanted: &[bool]) -> Outline<'a> {
        let states = trace.texts.iter().zip(wanted);
        let states: Vec<State> = states.map(|(text, &wanted)| State::new(text.kept, wanted)).collect();
        let mut sum = Sizes::default();
        let mut before = vec![sum];
        for (text, state) in trace.texts.iter().zip(&states) {
            sum[*state as usize] += text.text.chars().filter(|c| !c.is_whitespace()).count();
            before.push(sum);
        }
        Outline { trace, states, before }
    }

    /// The page from its top to its end as one line.
    pub(super) fn strip(&self) -> Markup {
        let mut runs: Vec<(State, usize)> = Vec::new();
        for (at, &state) in self.states.iter().enumerate() {
            let size = self.sizes(at, at + 1).iter().sum();
            match runs.last_mut() {
                Some((last, sum)) if *last == state => *sum += size,
                _ => runs.push((state, size)),
            }
        }
        html! {
            span.strip {
                @for (state, size) in runs { i class=(state.class()) style={ "flex-grow:" (size) } {} }
            }
        }
    }

    /// The tree of its blocks.
    pub(super) fn tree(&self) -> Markup {
        let rows = self.rows();
        let page = self.page();
        let shown = rows.len().min(MAX_ROWS);
        html! {
            div.tree {
                @for (at, row) in rows[..shown].iter().enumerate() {
                    @let is_closed = rows.get(at + 1).is_none_or(|next| next.depth <= row.depth);
                    (self.row(row, page, is_closed))
                }
            }
            @if rows.len() > MAX_ROWS { p.note { "… and " (rows.len() - MAX_ROWS) " more rows" } }
        }
    }

    /// Visible characters of the page.
    fn page(&self) -> usize {
        self.before.last().iter().flat_map(|sizes| *sizes).sum()
    }

    fn row(&self, row: &Row, page: usize, is_closed: bool) -> Markup {
        let size: usize = row.sizes.iter().sum();
        let state = only_state(&row.sizes);
        let share = size as f64 / page.max(1) as f64;
        html! {
            div class={ "row " (state.map_or("mixed", State::class)) } style={ "--depth:" (row.depth.min(MAX_DEPTH)) } {
                span.name {
                    b { (state.map_or("◐", State::sign)) } " "
                    code { (row.label) }
                    @if row.more > 0 { " and " (row.more) " more" }
                }
                span.size title="visible characters" { (grouped(size)) }
                span.bar title=(format!("{:.1} % of the page's text", share * 100.0)) {
                    span style=(format!("width:{:.2}%", share * 100.0)) {
                        @for (state, &size) in State::ALL.iter().zip(&row.sizes) {
                            @if size > 0 { i class=(state.class()) style={ "flex-grow:" (size) } {} }
                        }
                    }
                }
                span.start {
                    @if let Some(filter) = row.removed_by { em { (filter) } " " }
                    @if is_closed { (self.start(&row.texts)) }
                }
            }
        }
    }

    fn rows(&self) -> Vec<Row> {
        let blocks = &self.trace.blocks;
        let page = self.page();
        let mut rows: Vec<Row> = Vec::new();
        let mut at = 0;
        while at < blocks.len() {
            let block = &blocks[at];
            let sizes = self.sizes(block.texts.start, block.texts.end);
            let state = only_state(&sizes);
            at += 1;
            let is_small = (sizes.iter().sum::<usize>() as f64) < SMALL * page as f64;
            if state.is_some() || is_small {
                at += below(&blocks[at..], block.depth);
            }
            if state.is_some()
                && let Some(last) = rows.last_mut()
                && last.depth == block.depth
                && only_state(&last.sizes) == state
                && last.removed_by == block.removed_by
            {
                last.more += 1;
                last.texts.end = block.texts.end;
                for (sum, size) in last.sizes.iter_mut().zip(sizes) {
                    *sum += size;
                }
                continue;
            }
            rows.push(Row {
                depth: block.depth,
                label: block.label.clone(),
                more: 0,
                texts: block.texts.clone(),
                sizes,
                removed_by: block.removed_by,
            });
        }
        rows
    }

    fn sizes(&self, start: usize, end: usize) -> Sizes {
        let (before, after) = (self.before[start], self.before[end]);
        std::array::from_fn(|state| after[state] - before[state])
    }

    fn start(&self, texts: &Range<usize>) -> String {
        let mut out = String::new();
        let texts = self.trace.texts[texts.clone()].iter();
        for word in texts.flat_map(|text| text.text.split_whitespace()) {
            out.push_str(word);
            if out.chars().count() >= START_CHARS {
                break;
            }
            out.push(' ');
        }
        out.chars().take(START_CHARS).collect()
    }
}

/// How many of the first blocks stand deeper.
fn below(blocks: &[TracedBlock], depth: usize) -> usize {
    blocks.iter().take_while(|block| block.depth > depth).count()
}

/// The state of all characters, where they are in one.
fn only_state(sizes: &Sizes) -> Option<State> {
    let mut states = State::ALL.into_iter().zip(sizes);
    let (state, _) = states.find(|(_, size)| **size > 0)?;
    states.all(|(_, size)| *size == 0).then_some(state)
}

/// `12,345`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gleaner_filters::{Chain, ChainConfig, HostList, PageLimits};

    use super::*;

    /// A chain that only cleans: everything shown is kept.
    fn trace(html: &str) -> Trace {
        let mut config = ChainConfig::default();
        config.main_block.enabled = false;
        config.floor.page_chars = 0;
        let chain = Chain::new(&config, PageLimits::default(), HostList::default()).unwrap();
        let url = "https://example.org/".parse().unwrap();
        Arc::new(chain).trace(html, &url).unwrap()
    }

    const PAGE: &str = "<ul><li>one</li><li>two</li></ul>\
        <main><h1>three</h1><p>four</p><p>five</p><p>six &lt;b&gt;</p></main>";

    #[test]
    fn blocks_in_one_state_are_one_row_and_neighbours_share_it() {
        let trace = trace(PAGE);
        let outline = Outline::new(&trace, &[false, false, true, true, false, false]);
        let rows: Vec<(usize, String, usize, Sizes)> =
            outline.rows().into_iter().map(|row| (row.depth, row.label, row.more, row.sizes)).collect();
        let wanted = [
            (0, "body", 0, [9, 16, 0, 0]),
            (1, "ul", 0, [0, 6, 0, 0]),
            (1, "main", 0, [9, 10, 0, 0]),
            (2, "h1", 1, [9, 0, 0, 0]),
            (2, "p", 1, [0, 10, 0, 0]),
        ];
        let wanted = wanted.map(|(d, label, more, sizes)| (d, label.to_owned(), more, sizes));
        assert_eq!(rows, wanted);
    }

    #[test]
    fn what_a_page_says_is_text_and_no_markup() {
        let trace = trace(PAGE);
        let outline = Outline::new(&trace, &[false, false, true, true, false, true]);
        let html = outline.tree().into_string() + &outline.strip().into_string();
        assert!(html.contains("six &lt;b&gt;"), "{html}");
        assert!(html.contains("<i class=\"extra\" style=\"flex-grow:6\">"), "{html}");
    }

    #[test]
    fn large_numbers_are_grouped() {
        let numbers = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(numbers, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_page_without_text_has_no_rows() {
        let trace = trace("<div></div>");
        assert!(Outline::new(&trace, &[]).rows().is_empty());
    }
}
