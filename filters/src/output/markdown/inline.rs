//! A paragraph under construction: text, and the marks around parts of it.

use super::escape;
use crate::vocabulary::words::one_line;

/// Markup within a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum InlineMark {
    Strong,
    Emphasis,
    Struck,
    Code,
    Sub,
    Sup,
    Link(String),
}

/// A mark that was opened and not closed, and where its text begins.
struct OpenMark {
    mark: InlineMark,
    start: usize,
    /// Inside another of its kind it says nothing.
    is_silent: bool,
}

/// One paragraph's text, escaped, white space collapsed; a line feed is a hard break.
#[derive(Default)]
pub(super) struct Inline {
    out: String,
    open: Vec<OpenMark>,
    owes_space: bool,
    pub(super) in_table: bool,
}

impl Inline {
    pub(super) fn text(&mut self, mut text: &str) {
        while !self.in_code()
            && let Some((before, source, sign, after)) = escape::formula(text)
        {
            self.words(before);
            let source = if self.in_table { source.replace('|', "\\|") } else { source.to_owned() };
            self.raw(&format!("{sign}{}{sign}", one_line(&source)));
            text = after;
        }
        self.words(text);
    }

    fn words(&mut self, text: &str) {
        self.owes_space |= text.starts_with(char::is_whitespace);
        let in_code = self.in_code();
        for word in text.split_whitespace() {
            self.pay_space();
            if in_code {
                self.out.push_str(word);
            } else {
                let before = self.out.chars().next_back();
                escape::inline(word, before, self.in_table, &mut self.out);
            }
            self.owes_space = true;
        }
        self.owes_space = text.ends_with(char::is_whitespace) || self.owes_space && text.trim().is_empty();
    }

    /// Appends what is Markdown already.
    pub(super) fn raw(&mut self, markdown: &str) {
        self.pay_space();
        self.out.push_str(markdown);
    }

    /// Appends a sign that has no space before it.
    pub(super) fn touching(&mut self, sign: &str) {
        self.owes_space = false;
        self.out.push_str(sign);
    }

    pub(super) fn hard_break(&mut self) {
        self.owes_space = false;
        if self.in_table || self.in_code() {
            self.owes_space = true;
        } else if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Space that does not stand at the start of a line.
    fn pay_space(&mut self) {
        if std::mem::take(&mut self.owes_space) && !self.out.is_empty() && !self.out.ends_with(['\n', ' ']) {
            self.out.push(' ');
        }
    }

    pub(super) fn in_code(&self) -> bool {
        self.open.iter().any(|open| open.mark == InlineMark::Code)
    }

    pub(super) fn open(&mut self, mark: InlineMark) {
        let is_link = |mark: &InlineMark| matches!(mark, InlineMark::Link(_));
        let is_silent =
            self.in_code() || self.open.iter().any(|open| open.mark == mark || is_link(&open.mark) && is_link(&mark));
        // The space before it stands before the mark, not in it.
        self.pay_space();
        self.open.push(OpenMark { mark, start: self.out.len(), is_silent });
    }

    pub(super) fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.wrap(&open);
        }
    }

    fn wrap(&mut self, open: &OpenMark) {
        if open.is_silent {
            return;
        }
        let text = self.out.split_off(open.start.min(self.out.len()));
        let trimmed = text.trim();
        if trimmed.is_empty() {
            self.out.push_str(&text);
            return;
        }
        let lead = text.len() - text.trim_start().len();
        self.out.push_str(&text[..lead]);
        match &open.mark {
            InlineMark::Strong => around(&mut self.out, "**", trimmed),
            InlineMark::Emphasis => around(&mut self.out, "*", trimmed),
            InlineMark::Struck => around(&mut self.out, "~~", trimmed),
            InlineMark::Sub => self.out.extend(["<sub>", trimmed, "</sub>"]),
            InlineMark::Sup => self.out.extend(["<sup>", trimmed, "</sup>"]),
            InlineMark::Code => self.out.push_str(&code_span(trimmed, self.in_table)),
            InlineMark::Link(address) => {
                let address = escape::target(address);
                let trimmed = trimmed.replace('\n', " ");
                self.out.extend(["[", trimmed.as_str(), "](", &address, ")"]);
            }
        }
        self.out.push_str(&text[lead + trimmed.len()..]);
    }

    /// The paragraph so far; what is open goes on in the next one.
    pub(super) fn take(&mut self) -> String {
        let mut open = std::mem::take(&mut self.open);
        for mark in open.iter().rev() {
            self.wrap(mark);
        }
        for mark in &mut open {
            mark.start = 0;
        }
        self.open = open;
        self.owes_space = false;
        let out = std::mem::take(&mut self.out);
        out.trim().to_owned()
    }
}

/// Marks do not reach over a hard break: each line has its own.
fn around(out: &mut String, sign: &str, text: &str) {
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        let line = line.trim();
        if !line.is_empty() {
            out.push_str(sign);
            out.push_str(line);
            out.push_str(sign);
        }
    }
}

/// A code span whose fence is longer than any run of backticks in it (§ 6.1).
fn code_span(text: &str, in_table: bool) -> String {
    let fence = "`".repeat(longest_run(text, '`') + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    let text = if in_table { text.replace('|', "\\|") } else { text.to_owned() };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Length of the longest run of a character.
pub(super) fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
