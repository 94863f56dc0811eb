//! Words, lines and empty lines: what separates two texts is written when the second one comes.

use crate::html::tag::Tag;

/// Line breaks that an element asks for before and after itself.
fn breaks_around(tag: Tag) -> usize {
    match tag {
        Tag::P
        | Tag::Pre
        | Tag::Blockquote
        | Tag::Ul
        | Tag::Ol
        | Tag::Dl
        | Tag::Table
        | Tag::Figure
        | Tag::Hr
        | Tag::H1
        | Tag::H2
        | Tag::H3
        | Tag::H4
        | Tag::H5
        | Tag::H6 => 2,
        Tag::Td | Tag::Th => 0,
        _ => 1,
    }
}

pub(super) struct TextWriter {
    out: String,
    max_breaks: usize,
    /// Line breaks owed before the next text.
    breaks: usize,
    pub(super) space: bool,
    /// Cells that ended on this line since the last text.
    tabs: usize,
    /// Columns of the cell that is written.
    pub(super) span: usize,
}

impl TextWriter {
    pub(super) fn new(max_breaks: usize) -> TextWriter {
        TextWriter { out: String::new(), max_breaks: max_breaks.max(1), breaks: 0, space: false, tabs: 0, span: 1 }
    }

    pub(super) fn enter(&mut self, tag: Tag) {
        self.request_breaks(breaks_around(tag));
    }

    pub(super) fn leave(&mut self, tag: Tag) {
        match tag {
            Tag::Td | Tag::Th => self.tabs += std::mem::replace(&mut self.span, 1),
            Tag::Rt => self.touching(")"),
            Tag::Q => self.touching("\u{201d}"),
            _ => self.request_breaks(breaks_around(tag)),
        }
    }

    /// Cells of rows above that reach into this one.
    pub(super) fn skip_cells(&mut self, cells: usize) {
        self.tabs += cells;
    }

    /// The sign before how a character is read, or before a quotation.
    pub(super) fn open_sign(&mut self, tag: Tag) {
        if tag == Tag::Rt {
            self.touching("(");
        } else {
            self.inline("\u{201c}");
            self.space = false;
        }
    }

    /// A sign that has no space before it.
    fn touching(&mut self, sign: &str) {
        self.space = false;
        self.separate();
        self.out.push_str(sign);
    }

    fn request_breaks(&mut self, breaks: usize) {
        self.breaks = self.breaks.max(breaks.min(self.max_breaks));
        if breaks > 0 {
            // Cells that held nothing at the end of a line need no mark.
            self.tabs = 0;
        }
    }

    /// Unlike blocks, whose distances overlap, breaks add up.
    pub(super) fn line_break(&mut self) {
        self.request_breaks(self.breaks + 1);
    }

    fn separate(&mut self) {
        if !self.out.is_empty() {
            self.out.extend(std::iter::repeat_n('\n', self.breaks));
            if self.space && self.breaks == 0 && self.tabs == 0 {
                self.out.push(' ');
            }
        }
        self.out.extend(std::iter::repeat_n('\t', self.tabs));
        self.breaks = 0;
        self.tabs = 0;
        self.space = false;
    }

    pub(super) fn inline(&mut self, text: &str) {
        self.space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            self.separate();
            // Soft hyphens only show where a line ends.
            self.out.extend(word.split('\u{ad}'));
            self.space = true;
        }
        self.space = text.ends_with(char::is_whitespace) || (self.space && text.trim().is_empty());
    }

    pub(super) fn preformatted(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let trimmed = text.trim_end_matches('\n');
        if !trimmed.is_empty() {
            self.separate();
            self.out.push_str(trimmed);
        }
        if trimmed.len() < text.len() {
            self.request_breaks(text.len() - trimmed.len());
        }
    }

    pub(super) fn finish(mut self) -> String {
        let kept = self.out.trim_end().len();
        self.out.truncate(kept);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
