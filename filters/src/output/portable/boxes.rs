//! Blocks of text, and the boxes that hold them: lists, quotes, tables. A box is written when something in it is; text
//! where its parent allows none is wrapped in the missing item or cell.

use html5ever::{LocalName, local_name};

use super::{Dialect, Leave, PortableWriter};
use crate::{
    html::{NodeId, tag::Tag},
    output::tidy,
};

/// Boxes in each other that are written; what stands deeper is written in the last one. Hostile pages nest thousands.
const MAX_BOXES: usize = 40;

/// A block of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph,
    Heading(u8),
    Code,
}

/// What holds blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoxKind {
    List,
    Numbered,
    Item,
    Terms,
    Term,
    Description,
    Quote,
    Table,
    Caption,
    Row,
    Cell,
    HeadCell,
    Form,
}

/// A box around what is written.
pub(super) struct OpenBox {
    pub(super) kind: BoxKind,
    /// Attributes, and what stands directly inside.
    pub(super) attributes: String,
    pub(super) inside: String,
    is_written: bool,
    /// Whether a block of text stands in it.
    has_text: bool,
    /// Items or rows.
    count: usize,
}

impl OpenBox {
    pub(super) fn new(kind: BoxKind) -> OpenBox {
        OpenBox { kind, attributes: String::new(), inside: String::new(), is_written: false, has_text: false, count: 0 }
    }
}

impl BoxKind {
    fn name(self) -> &'static str {
        match self {
            BoxKind::List => "ul",
            BoxKind::Numbered => "ol",
            BoxKind::Item => "li",
            BoxKind::Terms => "dl",
            BoxKind::Term => "dt",
            BoxKind::Description => "dd",
            BoxKind::Quote => "blockquote",
            BoxKind::Table => "table",
            BoxKind::Caption => "caption",
            BoxKind::Row => "tr",
            BoxKind::Cell => "td",
            BoxKind::HeadCell => "th",
            BoxKind::Form => "form",
        }
    }

    /// Whether text may stand in it.
    fn holds_text(self) -> bool {
        !matches!(self, BoxKind::List | BoxKind::Numbered | BoxKind::Terms | BoxKind::Table | BoxKind::Row)
    }

    /// Whether nothing but text may stand in it.
    fn holds_only_text(self) -> bool {
        matches!(self, BoxKind::Term | BoxKind::Caption)
    }

    /// Whether it can end with a part of the page and begin again with the next one.
    fn can_be_cut(self) -> bool {
        matches!(self, BoxKind::List | BoxKind::Numbered | BoxKind::Quote)
    }
}

impl PortableWriter<'_> {
    pub(super) fn top(&self) -> Option<BoxKind> {
        self.boxes.last().map(|open| open.kind)
    }

    /// Opens the box that an element is; none where it is no box.
    pub(super) fn box_of(&mut self, id: NodeId, tag: Tag) -> Option<Leave> {
        let kind = match tag {
            Tag::Ul | Tag::Menu | Tag::Dir => BoxKind::List,
            Tag::Ol => BoxKind::Numbered,
            Tag::Li => BoxKind::Item,
            Tag::Dl => BoxKind::Terms,
            Tag::Dt => BoxKind::Term,
            Tag::Dd => BoxKind::Description,
            Tag::Blockquote => BoxKind::Quote,
            Tag::Table => BoxKind::Table,
            Tag::Caption => BoxKind::Caption,
            Tag::Tr => BoxKind::Row,
            Tag::Td => BoxKind::Cell,
            Tag::Th => BoxKind::HeadCell,
            Tag::Thead | Tag::Tbody | Tag::Tfoot | Tag::Colgroup => return Some(Leave::Inside),
            _ => return None,
        };
        let is_term = matches!(kind, BoxKind::Terms | BoxKind::Term | BoxKind::Description);
        let mark = self.page.attribute(id, &LocalName::from(tidy::MARK)).unwrap_or_default();
        let is_layout = kind == BoxKind::Table && mark.split(' ').any(|mark| mark == "layout");
        // EPUB wants descriptions in pairs.
        if is_layout || is_term && self.dialect == Dialect::Xhtml || self.boxes.len() >= MAX_BOXES {
            return None;
        }
        self.begin(Block::Paragraph);
        let is_fitting = |holder: BoxKind| match kind {
            BoxKind::Item => matches!(holder, BoxKind::List | BoxKind::Numbered),
            BoxKind::Term | BoxKind::Description => holder == BoxKind::Terms,
            BoxKind::Row | BoxKind::Caption => holder == BoxKind::Table,
            BoxKind::Cell | BoxKind::HeadCell => holder == BoxKind::Row,
            _ => true,
        };
        let is_inner = !is_fitting(BoxKind::Form);
        // An item that was put in for text before this one ends here.
        let implied = self.boxes.iter().rposition(|open| !open.is_implied()).map_or(0, |at| at + 1);
        if is_inner && implied > 0 && is_fitting(self.boxes[implied - 1].kind) {
            self.close_boxes(implied);
        }
        if is_inner && !self.top().is_some_and(is_fitting) {
            return None;
        }
        if kind == BoxKind::Caption && self.boxes.last().is_some_and(|table| table.is_written) {
            return None;
        }
        if self.top() == Some(BoxKind::Caption) {
            return None;
        }
        if !is_inner {
            self.make_room();
        }
        let count = self.boxes.len();
        let attributes = self.box_attributes(id, kind, mark);
        self.boxes.push(OpenBox { attributes, ..OpenBox::new(kind) });
        if matches!(kind, BoxKind::Cell | BoxKind::HeadCell) {
            self.open_boxes();
        }
        Some(Leave::Box(count))
    }

    fn box_attributes(&self, id: NodeId, kind: BoxKind, mark: &str) -> String {
        let number = |name: LocalName| {
            let number = self.page.attribute(id, &name)?.trim().parse::<u16>().ok()?;
            (2..=1000).contains(&number).then(|| format!(" {}=\"{number}\"", &*name))
        };
        match kind {
            BoxKind::Numbered => number(local_name!("start")).unwrap_or_default(),
            BoxKind::Cell | BoxKind::HeadCell => {
                [local_name!("colspan"), local_name!("rowspan")].into_iter().filter_map(number).collect()
            }
            BoxKind::Table if self.dialect == Dialect::Plain => " border=\"1\"".to_owned(),
            BoxKind::Table if self.dialect == Dialect::Html && mark == "data" => {
                format!(" {}=\"data\"", tidy::MARK)
            }
            _ => String::new(),
        }
    }

    /// Ends the block of text; the next text begins this one.
    pub(super) fn begin(&mut self, block: Block) {
        self.close_leaf();
        self.block = block;
    }

    /// Opens what must stand around a box or a block where none may stand.
    pub(super) fn make_room(&mut self) {
        if self.top() == Some(BoxKind::Term) {
            let terms = self.boxes.len() - 1;
            self.close_boxes(terms);
        }
        loop {
            let kind = match self.top() {
                Some(BoxKind::List | BoxKind::Numbered) => BoxKind::Item,
                Some(BoxKind::Terms) => BoxKind::Description,
                Some(BoxKind::Table) => BoxKind::Row,
                Some(BoxKind::Row) => BoxKind::Cell,
                _ => return,
            };
            self.boxes.push(OpenBox { attributes: IMPLIED.to_owned(), ..OpenBox::new(kind) });
        }
    }

    /// Writes the start tags of the boxes that are open.
    pub(super) fn open_boxes(&mut self) {
        self.make_room_for_text();
        for at in 0..self.boxes.len() {
            if self.boxes[at].is_written {
                continue;
            }
            if at > 0 {
                self.boxes[at - 1].count += 1;
            }
            let open = &mut self.boxes[at];
            open.is_written = true;
            self.out.extend(["<", open.kind.name(), open.attributes.trim_start_matches(IMPLIED), ">", &open.inside]);
        }
    }

    fn make_room_for_text(&mut self) {
        if self.top().is_some_and(|top| !top.holds_text()) {
            self.make_room();
        }
    }

    pub(super) fn open_leaf(&mut self) {
        if self.leaf.is_some() {
            return;
        }
        self.open_boxes();
        let top = self.boxes.last();
        let is_first = top.is_some_and(|top| !top.has_text);
        let leaf = match (top.map(|top| top.kind), self.block) {
            (Some(kind), _) if kind.holds_only_text() => {
                if !is_first {
                    self.out.push_str(if self.dialect == Dialect::Xhtml { "<br/>" } else { "<br>" });
                }
                ""
            }
            (Some(BoxKind::Item | BoxKind::Description | BoxKind::Cell | BoxKind::HeadCell), Block::Paragraph)
                if is_first =>
            {
                ""
            }
            // HTML 3.2 has no headings in lists.
            (Some(BoxKind::Item | BoxKind::Description), Block::Heading(_)) if self.dialect == Dialect::Plain => {
                self.out.push_str("<p><b>");
                "</b></p>"
            }
            (_, Block::Heading(level)) => {
                let (start, end) = HEADINGS[usize::from(level.clamp(1, 6)) - 1];
                self.out.push_str(start);
                end
            }
            (_, Block::Code) => {
                self.out.push_str("<pre>");
                "</pre>"
            }
            (_, Block::Paragraph) => {
                self.out.push_str("<p>");
                "</p>"
            }
        };
        self.leaf = Some(leaf);
        if let Some(top) = self.boxes.last_mut() {
            top.has_text = true;
        }
        self.write_marks();
    }

    pub(super) fn close_leaf(&mut self) {
        let Some(end) = self.leaf.take() else { return };
        self.end_inline();
        self.out.push_str(end);
        self.cut();
    }

    /// Closes boxes until so many are left.
    pub(super) fn close_boxes(&mut self, left: usize) {
        self.begin(Block::Paragraph);
        while self.boxes.len() > left {
            let Some(open) = self.boxes.pop() else { return };
            if !open.is_written {
                continue;
            }
            if open.kind == BoxKind::Table && open.count == 0 {
                self.out.push_str("<tr><td></td></tr>");
            }
            self.out.extend(["</", open.kind.name(), ">"]);
            self.cut();
        }
    }

    /// Ends a part of the page here, where it is long enough and what is open can be cut.
    fn cut(&mut self) {
        if self.out.len() < self.part_bytes || !self.boxes.iter().all(|open| open.kind.can_be_cut()) {
            return;
        }
        for open in self.boxes.iter().rev().filter(|open| open.is_written) {
            self.out.extend(["</", open.kind.name(), ">"]);
        }
        self.parts.push(std::mem::take(&mut self.out));
        for open in &mut self.boxes {
            open.is_written = false;
            if open.kind == BoxKind::Numbered {
                let first = open.attributes.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap_or(1);
                open.attributes = format!(" start=\"{}\"", first + open.count);
                open.count = 0;
            }
        }
    }
}

/// Stands before the attributes of a box that no element of the page is.
const IMPLIED: &str = "\0";

impl OpenBox {
    fn is_implied(&self) -> bool {
        self.attributes == IMPLIED
    }
}

const HEADINGS: [(&str, &str); 6] =
    [("<h1>", "</h1>"), ("<h2>", "</h2>"), ("<h3>", "</h3>"), ("<h4>", "</h4>"), ("<h5>", "</h5>"), ("<h6>", "</h6>")];
