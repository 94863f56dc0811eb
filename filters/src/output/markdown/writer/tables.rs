//! Tables of Markdown: GitHub Flavored Markdown § 4.10.

use super::{LineGap, MarkdownWriter};
use crate::{
    html::{NodeId, Page},
    measure::table::{self, Columns},
};

/// A table of which not all is known.
#[derive(Default)]
pub(super) struct MarkdownTable {
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    span: usize,
    columns: Columns,
}

impl MarkdownWriter {
    pub(in crate::output::markdown) fn is_in_table(&self) -> bool {
        self.table.is_some()
    }

    pub(in crate::output::markdown) fn open_table(&mut self) {
        self.block();
        self.table = Some(MarkdownTable::default());
        self.inline.in_table = true;
    }

    /// Opens a row. Text outside of cells (a caption) is a row of its own.
    pub(in crate::output::markdown) fn open_row(&mut self) {
        let text = self.inline.take();
        if !text.is_empty() {
            self.inline.in_table = false;
            let table = self.table.take();
            self.write_paragraph(&text);
            self.owe(LineGap::Empty);
            self.table = table;
            self.inline.in_table = true;
        }
    }

    pub(in crate::output::markdown) fn open_cell(&mut self, page: &Page, cell: NodeId) {
        if let Some(table) = &mut self.table {
            let skipped = table.columns.place(page, cell);
            table.row.extend(std::iter::repeat_n(String::new(), skipped));
            table.span = table::span(page, cell);
        }
    }

    pub(in crate::output::markdown) fn close_cell(&mut self) {
        let text = self.inline.take().replace('\n', " ");
        if let Some(table) = &mut self.table {
            table.row.push(text);
            let empty = table.span.saturating_sub(1);
            table.row.extend(std::iter::repeat_n(String::new(), empty));
        }
    }

    pub(in crate::output::markdown) fn close_row(&mut self) {
        if let Some(table) = &mut self.table
            && !table.row.is_empty()
        {
            table.columns.end_row();
            let row = std::mem::take(&mut table.row);
            if row.iter().any(|cell| !cell.is_empty()) {
                table.rows.push(row);
            }
        }
    }

    /// The first row is the head, and every row has as many cells.
    pub(in crate::output::markdown) fn close_table(&mut self) {
        let Some(table) = self.table.take() else {
            return;
        };
        self.inline.in_table = false;
        let columns = table.rows.iter().map(Vec::len).max().unwrap_or(0);
        if columns == 0 {
            return;
        }
        let mut block = String::new();
        for (number, row) in table.rows.iter().enumerate() {
            if number > 0 {
                block.push('\n');
            }
            for at in 0..columns {
                block.push_str("| ");
                block.push_str(row.get(at).map_or("", String::as_str));
                block.push(' ');
            }
            block.push('|');
            if number == 0 {
                block.push('\n');
                block.push_str(&"| --- ".repeat(columns));
                block.push('|');
            }
        }
        self.write_lines(&block, LineGap::Empty);
        self.owe(LineGap::Empty);
    }
}
