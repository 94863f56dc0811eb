//! Whether a table holds data, or was used to lay the page out.
//!
//! Source: the rules of Firefox for screen readers (`HTMLTableAccessible::IsProbablyLayoutTable`), as Readability takes them
//! over (`_markDataTables`). Two are ours: small tables count as data when all their cells are short (Firefox takes ten
//! cells at most for layout, and half the tables of shops have fewer), and tables whose cells are long do not (forums of the
//! tables' age have headers and ten rows too).

use html5ever::{LocalName, local_name};

use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::any_of::AnyOf,
};

/// Firefox: from so many rows, or beyond so many columns or cells, a table holds data.
const MANY_ROWS: usize = 10;
const MANY_COLUMNS: usize = 4;
const MANY_CELLS: usize = 10;

/// Visible characters of a cell that is short: a name, a number, a line.
const SHORT_CELL: usize = 60;

/// Visible characters of the mean cell beyond which a table lays out texts.
const LONG_CELL: usize = 250;

/// Whether a table holds data. Reads the nodes of the table once.
pub(crate) fn is_data(page: &Page, table: NodeId) -> bool {
    if page
        .attribute(table, &local_name!("role"))
        .is_some_and(|role| role.eq_ignore_ascii_case("presentation") || role.eq_ignore_ascii_case("none"))
        || page.attribute(table, &LocalName::from("datatable")).is_some_and(|value| value == "0")
    {
        return false;
    }
    let shape = TableShape::from_table(page, table);
    if shape.has_nested_table || shape.cells == 0 || shape.chars / shape.cells > LONG_CELL {
        return false;
    }
    if shape.has_mark || page.has_attribute(table, &LocalName::from("summary")) && shape.columns > 1 {
        return true;
    }
    if shape.rows <= 1 || shape.columns <= 1 {
        return false;
    }
    shape.rows >= MANY_ROWS
        || shape.columns > MANY_COLUMNS
        || shape.rows * shape.columns > MANY_CELLS
        || shape.longest <= SHORT_CELL && shape.chars > 0
}

/// Whether a table sets the fields of a form beside their labels: at least half of its rows have one to type in or to choose from, and
/// none of them is a head. Boxes to tick stand in tables of data too.
pub(crate) fn is_form(page: &Page, table: NodeId) -> bool {
    let (mut rows, mut with_field, mut has_field, mut is_head) = (0, 0, true, false);
    let mut heads = 0;
    for id in page.live(table).skip(1) {
        match page.tag(id) {
            Some(Tag::Thead) => return false,
            Some(Tag::Tr) => {
                if is_head && heads > 1 {
                    return false;
                }
                rows += 1;
                (has_field, is_head, heads) = (false, true, 0);
            }
            Some(Tag::Th) => heads += 1,
            Some(Tag::Td) => is_head = false,
            Some(Tag::Input | Tag::Select | Tag::Textarea) if is_typed(page, id) && !has_field => {
                has_field = true;
                with_field += 1;
            }
            _ => {}
        }
    }
    with_field > 0 && with_field * 2 >= rows
}

fn is_typed(page: &Page, field: NodeId) -> bool {
    const OTHER: [&str; 8] = ["hidden", "checkbox", "radio", "submit", "button", "image", "reset", "range"];
    let kind = page.attribute(field, &local_name!("type"));
    page.tag(field) != Some(Tag::Input)
        || kind.is_none_or(|kind| !OTHER.iter().any(|other| kind.eq_ignore_ascii_case(other)))
}

/// Visible characters of a cell that is a text by itself: the column of an article.
const COLUMN: usize = 4 * LONG_CELL;

/// Whether a table was plainly used to lay the page out: another one stands in it, or most of it is one cell with a text. Its cells are
/// parts of the page, and have nothing to do with each other. Reads the nodes of the table once, up to the first table in it.
pub(crate) fn lays_out(page: &Page, table: NodeId) -> bool {
    let shape = TableShape::from_table(page, table);
    shape.has_nested_table || shape.longest > COLUMN && shape.longest * 2 > shape.chars
}

/// The cells of a table that is a piece of code with the numbers of its lines beside it: that of the numbers, and that of the code
/// (Crayon, `SyntaxHighlighter`, Pygments). It has no other cell.
pub(crate) fn numbered_code(page: &Page, table: NodeId) -> Option<[NodeId; 2]> {
    const CODE: AnyOf = AnyOf::new(&["code", "crayon", "highlight", "syntax"]);
    let mut cells = page.live(table).filter(|&id| matches!(page.tag(id), Some(Tag::Td | Tag::Th)));
    let (Some(numbers), Some(code), None) = (cells.next(), cells.next(), cells.next()) else { return None };
    let is_called_code = |id: NodeId| page.attribute(id, &local_name!("class")).is_some_and(|class| CODE.are_in(class));
    let is_code = page.chars(code) > 0
        && (page.live(code).any(|id| matches!(page.tag(id), Some(Tag::Pre | Tag::Code)))
            || page.self_and_ancestors(code).take(5).any(is_called_code));
    if !is_code {
        return None;
    }
    let mut last: Option<u32> = None;
    for text in page.live(numbers).filter(|&id| page.own_chars(id) > 0) {
        for word in page.text(text)?.split_whitespace() {
            let number: u32 = word.parse().ok()?;
            if last.is_some_and(|last| last.checked_add(1) != Some(number)) {
                return None;
            }
            last = Some(number);
        }
    }
    last.map(|_| [numbers, code])
}

/// Counts of a table.
#[derive(Debug, Default)]
struct TableShape {
    rows: usize,
    columns: usize,
    cells: usize,
    chars: usize,
    longest: usize,
    has_nested_table: bool,
    /// A caption, a header cell, a head or foot, described columns.
    has_mark: bool,
}

impl TableShape {
    fn from_table(page: &Page, table: NodeId) -> TableShape {
        let mut shape = TableShape::default();
        let mut in_row = 0;
        let mut in_cell = 0;
        for id in page.live(table).skip(1) {
            match page.tag(id) {
                Some(Tag::Table) => {
                    shape.has_nested_table = true;
                    break;
                }
                Some(Tag::Tr) => {
                    shape.rows += 1;
                    in_row = 0;
                }
                Some(tag @ (Tag::Td | Tag::Th)) => {
                    shape.cells += 1;
                    in_row += span(page, id);
                    in_cell = 0;
                    shape.has_mark |= tag == Tag::Th;
                    shape.columns = shape.columns.max(in_row);
                }
                Some(Tag::Caption | Tag::Thead | Tag::Tfoot | Tag::Col | Tag::Colgroup) => {
                    shape.has_mark = true;
                }
                _ => {
                    let chars = page.own_chars(id);
                    in_cell += chars;
                    shape.chars += chars;
                    shape.longest = shape.longest.max(in_cell);
                }
            }
        }
        shape
    }
}

/// Columns that a cell takes.
pub(crate) fn span(page: &Page, cell: NodeId) -> usize {
    page.attribute(cell, &local_name!("colspan"))
        .and_then(|span| span.trim().parse().ok())
        .map_or(1, |span: usize| span.clamp(1, 100))
}

/// Rows that a cell takes, of those that its part of the table has left (HTML § 4.9.12.1: a cell ends with its row group).
pub(crate) fn rows(page: &Page, cell: NodeId) -> usize {
    let written = page.attribute(cell, &local_name!("rowspan")).and_then(|rows| rows.trim().parse().ok()).unwrap_or(1);
    if written == 1 {
        return 1;
    }
    let row = page.parent(cell);
    let end = page.end(page.parent(row));
    // Past the last node there is none to ask.
    let next = |&id: &NodeId| (id < end).then(|| page.end(id));
    let below = std::iter::successors(Some(page.end(row)), next);
    let left = 1 + below
        .take_while(|&id| id < end)
        .take(MOST_ROWS)
        .filter(|&id| page.is_live(id) && page.tag(id) == Some(Tag::Tr))
        .count();
    // 0 is all that are left.
    let wanted = if written == 0 { left } else { written };
    wanted.clamp(1, left)
}

/// Nodes below a row that are looked at. Our choice: raising it costs time on hostile pages.
const MOST_ROWS: usize = 200;

/// Which columns are taken by cells of rows above.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Rows that are still covered, by column.
    covered: Vec<usize>,
    at: usize,
}

impl Columns {
    /// Places the next cell of a row: how many columns before it are covered from above.
    pub(crate) fn place(&mut self, page: &Page, cell: NodeId) -> usize {
        let mut skipped = 0;
        while let Some(rows) = self.covered.get_mut(self.at).filter(|rows| **rows > 0) {
            *rows -= 1;
            self.at += 1;
            skipped += 1;
        }
        let below = rows(page, cell) - 1;
        for _ in 0..span(page, cell) {
            match self.covered.get_mut(self.at) {
                Some(rows) => *rows = below,
                None => self.covered.push(below),
            }
            self.at += 1;
        }
        skipped
    }

    /// The row ends; what is covered to its right is so for one row less.
    pub(crate) fn end_row(&mut self) {
        let right = self.covered.iter_mut().skip(self.at);
        right.for_each(|rows| *rows = rows.saturating_sub(1));
        self.at = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn holds_data(table: &str) -> bool {
        let page = page(&table.replacen("<table", "<table id=t", 1));
        is_data(&page, by_id(&page, "t"))
    }

    #[test]
    fn tables_with_marks_or_many_short_cells_hold_data() {
        assert!(holds_data("<table><tr><th>a<td>b</table>"));
        assert!(holds_data("<table><caption>c</caption><tr><td>a<td>b</table>"));
        assert!(holds_data("<table><tr><td>Ash<td>12<tr><td>Oak<td>9</table>"));
        assert!(holds_data(&format!("<table>{}</table>", "<tr><td>a<td>b".repeat(10))));
    }

    #[test]
    fn a_column_of_text_or_another_table_tells_a_layout() {
        let plain = |table: &str| {
            let page = page(&table.replacen("<table", "<table id=t", 1));
            lays_out(&page, by_id(&page, "t"))
        };
        let text = "word ".repeat(300);
        assert!(plain(&format!("<table><tr><td>menu<td>{text}</table>")));
        assert!(plain("<table><tr><td>menu<td><table><tr><td>a</table></table>"));
        assert!(!plain("<table><tr><td>Ash<td>12<tr><td>Oak<td>9</table>"));
        let rows = format!("<tr><td>Ash<td>{text}").repeat(3);
        assert!(!plain(&format!("<table>{rows}</table>")));
    }

    #[test]
    fn tables_that_lay_out_a_page_hold_none() {
        let text = "word ".repeat(100);
        assert!(!holds_data(&format!("<table><tr><td>menu<td>{text}</table>")));
        assert!(!holds_data(&format!("<table><tr><td>a<td>{text}<tr><td>b<td>{text}</table>")));
        assert!(!holds_data("<table role=presentation><tr><th>a<td>b</table>"));
        assert!(!holds_data("<table><tr><th>a<td><table><tr><td>b</table></table>"));
        assert!(!holds_data("<table><tr><td>one<tr><td>two</table>"));
        let posts = format!("<tr><th>Ann<td>{}", text.repeat(3));
        assert!(!holds_data(&format!("<table>{}</table>", posts.repeat(12))));
    }

    #[test]
    fn fields_beside_their_labels_are_a_form_and_amounts_to_order_below_a_head_are_none() {
        let are_form = |rows: &str| {
            let page = page(&format!("<form><table id=t>{rows}</table></form>"));
            is_form(&page, by_id(&page, "t"))
        };
        let login = "<tr><td>Name<td><input><tr><th>Word<td><input type=password><tr><td><td><button>Go</button>";
        assert!(are_form(login));
        assert!(are_form("<tr><td>From<td><select><option>a</select>"));
        let row = "<tr><td>Red rose<td>5.00<td><input name=n>";
        assert!(!are_form(&format!("<tr><th>What<th>Price<th>How many{row}{row}")));
        assert!(!are_form("<tr><td>Ash<td><input type=checkbox>"));
        assert!(!are_form("<tr><td>Ash<td>12<tr><td>Oak<td>9<tr><td>All<td><input>"));
    }
}
