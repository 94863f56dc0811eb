//! Blocks of Markdown: what stands before each line, and the empty lines between them.

mod tables;

use super::{
    escape,
    inline::{Inline, InlineMark, longest_run},
};
use tables::MarkdownTable;

/// Levels of lists and quotes that are written; deeper ones are written at the last level. Each level is repeated before
/// every line, so that hostile nesting would make the output quadratic. Raising it costs memory on such pages.
const MAX_LEVELS: usize = 20;

/// Writes blocks.
#[derive(Default)]
pub(super) struct MarkdownWriter {
    out: String,
    inline: Inline,
    levels: Vec<Level>,
    /// Levels that were asked for beyond the last one.
    beyond: usize,
    lists: Vec<List>,
    gap: LineGap,
    code: Option<Code>,
    table: Option<MarkdownTable>,
}

/// The prefix of a line: a quote's sign, or an item's marker and then its indentation.
struct Level {
    marker: Option<String>,
    rest: String,
    /// No line was written in it yet.
    is_new: bool,
}

struct List {
    /// `None`: bullets.
    number: Option<u64>,
    /// Letters of the last item's marker.
    indentation: usize,
    /// Whether an item of it is open.
    in_item: bool,
    /// Whether it stands directly in another list, and belongs to that one's last item.
    has_level: bool,
}

/// The separation that is still to be written before the next block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum LineGap {
    #[default]
    None,
    Line,
    Empty,
}

struct Code {
    language: String,
    text: String,
}

impl MarkdownWriter {
    // ----- inside a block -----------------------------------------------------------------------------------------

    pub(super) fn text(&mut self, text: &str) {
        match &mut self.code {
            Some(code) => code.text.push_str(text),
            None => self.inline.text(text),
        }
    }

    pub(super) fn line_break(&mut self) {
        match &mut self.code {
            Some(code) => code.text.push('\n'),
            None => self.inline.hard_break(),
        }
    }

    pub(super) fn open_mark(&mut self, mark: InlineMark) {
        if self.code.is_none() {
            self.inline.open(mark);
        }
    }

    pub(super) fn close_mark(&mut self) {
        if self.code.is_none() {
            self.inline.close();
        }
    }

    pub(super) fn image(&mut self, alt: &str, address: &str) {
        if self.code.is_some() || self.inline.in_code() {
            return;
        }
        let alt = crate::vocabulary::words::one_line(alt);
        let mut escaped = String::new();
        escape::inline(&alt, None, self.table.is_some(), &mut escaped);
        let address = escape::target(address);
        self.inline.raw(&format!("![{escaped}]({address})"));
    }

    pub(super) fn formula(&mut self, source: &str, is_display: bool) {
        if is_display && self.table.is_none() {
            self.block();
            self.write_lines(&format!("$${source}$$"), LineGap::Empty);
        } else {
            self.inline.raw(&format!("${source}$"));
        }
    }

    /// A film or a frame: a paragraph that is a link to it; in a table a link in its cell.
    pub(super) fn embedded(&mut self, name: &str, address: String) {
        if self.code.is_some() || self.inline.in_code() {
            return;
        }
        let is_block = self.table.is_none();
        if is_block {
            self.block();
        }
        self.inline.open(InlineMark::Link(address));
        self.inline.text(name);
        self.inline.close();
        if is_block {
            self.block();
        }
    }

    /// The signs around how a character is read, without a space before them.
    pub(super) fn reading(&mut self, sign: &str) {
        if self.code.is_none() {
            self.inline.touching(sign);
        }
    }

    /// The box before a task of a list, as GitHub writes it.
    pub(super) fn task(&mut self, is_done: bool) {
        self.inline.raw(if is_done { "[x] " } else { "[ ] " });
    }

    /// Writes the quotation mark that browsers write before `<q>`.
    pub(super) fn open_quotation(&mut self) {
        if self.code.is_none() {
            self.inline.text("\u{201c}");
        }
    }

    pub(super) fn close_quotation(&mut self) {
        self.reading("\u{201d}");
    }

    // ----- blocks -------------------------------------------------------------------------------------------------

    /// Ends the paragraph; an empty line stands around what comes.
    pub(super) fn block(&mut self) {
        self.paragraph(true);
    }

    /// Ends the paragraph. `is_set_off`: with an empty line, also inside a list.
    pub(super) fn paragraph(&mut self, is_set_off: bool) {
        if self.table.is_some() {
            self.inline.hard_break();
            return;
        }
        let gap = if is_set_off || self.lists.is_empty() { LineGap::Empty } else { LineGap::Line };
        let text = self.inline.take();
        if !text.is_empty() {
            self.write_paragraph(&text);
        }
        self.owe(gap);
    }

    pub(super) fn heading(&mut self, level: usize) {
        if self.table.is_some() {
            return;
        }
        let text = self.inline.take().replace('\n', " ");
        if !text.is_empty() {
            let sign = "#".repeat(level);
            let text = text.trim_end_matches('#').trim_end();
            self.write_lines(&format!("{sign} {text}"), LineGap::Empty);
        }
        self.owe(LineGap::Empty);
    }

    pub(super) fn rule(&mut self) {
        if self.table.is_none() {
            self.block();
            self.write_lines("---", LineGap::Empty);
        }
    }

    pub(super) fn open_list(&mut self, number: Option<u64>) {
        self.paragraph(self.lists.is_empty());
        let of_last_item = self.lists.last().filter(|list| !list.in_item && list.indentation > 0);
        let indentation = of_last_item.map(|list| list.indentation);
        if let Some(indentation) = indentation {
            self.open_level(Level { marker: None, rest: " ".repeat(indentation), is_new: false });
        }
        self.lists.push(List { number, indentation: 0, in_item: false, has_level: indentation.is_some() });
    }

    pub(super) fn close_list(&mut self) {
        self.paragraph(false);
        if self.lists.pop().is_some_and(|list| list.has_level) {
            self.close_level();
        }
        if self.lists.is_empty() {
            self.owe(LineGap::Empty);
        }
    }

    /// `value`: the number that the item gives itself.
    pub(super) fn open_item(&mut self, value: Option<u64>) {
        self.paragraph(false);
        let marker = match self.lists.last_mut() {
            Some(List { number: Some(number), .. }) => {
                *number = value.unwrap_or(*number);
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            _ => "- ".to_owned(),
        };
        if let Some(list) = self.lists.last_mut() {
            (list.indentation, list.in_item) = (marker.len(), true);
        }
        self.open_level(Level { rest: " ".repeat(marker.len()), marker: Some(marker), is_new: true });
    }

    pub(super) fn close_item(&mut self) {
        self.paragraph(false);
        if let Some(list) = self.lists.last_mut() {
            list.in_item = false;
        }
        self.close_level();
    }

    pub(super) fn open_quote(&mut self) {
        self.block();
        self.open_level(Level { marker: None, rest: "> ".to_owned(), is_new: true });
    }

    pub(super) fn close_quote(&mut self) {
        self.block();
        self.close_level();
        self.owe(LineGap::Empty);
    }

    fn open_level(&mut self, level: Level) {
        if self.levels.len() < MAX_LEVELS {
            self.levels.push(level);
        } else {
            self.beyond += 1;
        }
    }

    fn close_level(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else {
            self.levels.pop();
        }
    }

    pub(super) fn open_code(&mut self, language: &str) {
        if let Some(code) = &mut self.code {
            code.text.push('\n');
            return;
        }
        self.block();
        self.code = Some(Code { language: language.to_owned(), text: String::new() });
    }

    pub(super) fn close_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let text = code.text.trim_end().trim_start_matches(['\n', '\r']);
        if text.is_empty() {
            return;
        }
        let fence = "`".repeat((longest_run(text, '`') + 1).max(3));
        let block = format!("{fence}{}\n{text}\n{fence}", code.language);
        self.write_lines(&block, LineGap::Empty);
    }

    // ----- lines --------------------------------------------------------------------------------------------------

    fn owe(&mut self, gap: LineGap) {
        if !self.out.is_empty() && !self.out.ends_with(' ') {
            self.gap = self.gap.max(gap);
        }
    }

    /// Lines of text: a hard break is a backslash at the end of a line (§ 6.7). Two breaks in a row end the paragraph.
    fn write_paragraph(&mut self, text: &str) {
        let mut block = String::with_capacity(text.len() + 8);
        let mut breaks = 0;
        for line in text.split('\n').map(str::trim) {
            if line.is_empty() {
                breaks += 1;
                continue;
            }
            if !block.is_empty() {
                block.push_str(if breaks == 0 { "\\\n" } else { "\n\n" });
            }
            breaks = 0;
            match escape::line_start(line) {
                Some(at) => {
                    block.push_str(&line[..at]);
                    block.push('\\');
                    block.push_str(&line[at..]);
                }
                None => block.push_str(line),
            }
        }
        self.write_lines(&block, LineGap::None);
    }

    /// A finished block, each line behind the signs of what it stands in.
    fn write_lines(&mut self, block: &str, gap_before: LineGap) {
        let gap = if self.out.is_empty() { LineGap::None } else { self.gap.max(gap_before).max(LineGap::Line) };
        self.gap = LineGap::None;
        if gap == LineGap::Empty {
            self.out.push('\n');
            self.push_prefix_of_empty_line();
        }
        for (number, line) in block.split('\n').enumerate() {
            if number > 0 || gap != LineGap::None {
                self.out.push('\n');
            }
            if line.is_empty() {
                self.push_prefix_of_empty_line();
            } else {
                self.push_prefix();
                self.out.push_str(line);
            }
        }
        self.owe(LineGap::Line);
    }

    /// Writes the prefix of a line; the markers of items that begin here are spent.
    fn push_prefix(&mut self) {
        for level in &mut self.levels {
            level.is_new = false;
            match level.marker.take() {
                Some(marker) => self.out.push_str(&marker),
                None => self.out.push_str(&level.rest),
            }
        }
    }

    /// Writes the prefix of an empty line: the signs of the line before it.
    fn push_prefix_of_empty_line(&mut self) {
        let start = self.out.len();
        for level in self.levels.iter().take_while(|level| !level.is_new) {
            self.out.push_str(&level.rest);
        }
        let end = self.out[start..].trim_end().len();
        self.out.truncate(start + end);
    }

    pub(super) fn finish(mut self) -> String {
        let text = self.inline.take();
        if !text.is_empty() {
            self.write_paragraph(&text);
        }
        let end = self.out.trim_end().len();
        self.out.truncate(end);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
