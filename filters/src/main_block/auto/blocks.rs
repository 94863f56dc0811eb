//! Cuts a page into text blocks: runs of text without a block boundary between them, which is what a reader sees as one
//! paragraph, heading, item or cell.

use std::ops::Range;

use super::text::{Reading, TextStats};
use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::count,
};

/// A run of text.
#[derive(Clone, Debug)]
pub(crate) struct TextBlock {
    /// Its text nodes and the breaks between them, in document order: a part of [`TextBlocks::texts`].
    texts: Range<usize>,
    /// The innermost block element around all of them.
    pub(crate) container: NodeId,
    /// Visible characters.
    pub(crate) chars: f32,
    /// Visible characters in links.
    pub(crate) linked: f32,
    pub(crate) stats: TextStats,
    /// A part of [`TextBlocks::words`].
    words: Range<usize>,
}

impl TextBlock {
    /// Share of the characters that stand in links.
    pub(crate) fn link_density(&self) -> f32 {
        ratio(self.linked, self.chars)
    }

    /// Blocks of at least 20 words, at most half of them links: what the rules call text.
    pub(crate) fn is_long(&self) -> bool {
        self.stats.words >= 20.0 && self.linked * 2.0 < self.chars
    }
}

/// The blocks of a page, in document order.
#[derive(Debug, Default)]
pub(crate) struct TextBlocks {
    pub(crate) list: Vec<TextBlock>,
    texts: Vec<NodeId>,
    /// By block: its first text.
    begins: Vec<NodeId>,
    /// The words of all of them, as hashes.
    words: Vec<u64>,
}

impl TextBlocks {
    /// The text nodes of a block, and the breaks between them.
    pub(crate) fn texts(&self, block: &TextBlock) -> &[NodeId] {
        &self.texts[block.texts.clone()]
    }

    /// The text nodes of all blocks, and the breaks between them.
    pub(crate) fn all_texts(&self) -> impl Iterator<Item = NodeId> {
        self.texts.iter().copied()
    }

    /// The words of a block as hashes, in order: words that an element ends or begins in are two.
    pub(crate) fn words(&self, block: &TextBlock) -> &[u64] {
        &self.words[block.words.clone()]
    }

    /// The text of a block.
    pub(crate) fn text(&self, page: &Page, block: &TextBlock) -> String {
        page.joined(self.texts(block).iter().copied())
    }

    /// The links of a block, one after another.
    pub(crate) fn links<'a>(&'a self, page: &'a Page, block: &TextBlock) -> impl Iterator<Item = NodeId> + 'a {
        /// Elements around a text in which its link is looked for.
        const LEVELS: usize = 8;
        let texts = self.texts(block).iter();
        let link_of = |&text: &NodeId| {
            let mut around = page.ancestors(text).take(LEVELS);
            around.find(|&up| page.tag(up) == Some(Tag::A))
        };
        let mut last = None;
        texts
            .filter(|&&text| page.in_link(text))
            .filter_map(link_of)
            .filter(move |&link| last.replace(link) != Some(link))
    }

    /// The blocks that begin inside of an element.
    pub(crate) fn inside(&self, page: &Page, id: NodeId) -> Range<usize> {
        let begins_before = |row: NodeId| self.begins.partition_point(|&text| text < row);
        begins_before(id)..begins_before(page.end(id))
    }

    /// The place of the block that a text is part of.
    pub(crate) fn around(&self, text: NodeId) -> Option<usize> {
        let at = self.begins.partition_point(|&begin| begin <= text).checked_sub(1)?;
        self.texts(&self.list[at]).contains(&text).then_some(at)
    }

    /// The blocks that begin inside of an element, for a loop over all of them: the page's time is charged for it.
    pub(crate) fn over(&self, page: &Page, id: NodeId) -> Range<usize> {
        let inside = self.inside(page, id);
        page.charge(count(inside.len()));
        inside
    }

    /// The blocks below the one that holds the headline, at most so many; none where there is no headline.
    pub(crate) fn below_headline(&self, page: &AnalysedPage, most: usize) -> Range<usize> {
        let holds_headline = |block: &TextBlock| {
            let headline = page.headline.node;
            headline.is_some_and(|node| page.contains(node, block.container))
        };
        let headline = self.list.iter().rposition(holds_headline);
        headline.map_or(0..0, |at| at + 1..self.list.len().min(at + 1 + most))
    }

    /// Cuts the body. `title` are the words of the page's headline, as [`super::text::hashes`] of them.
    pub(crate) fn from_page(page: &Page, title: &[u64]) -> TextBlocks {
        let mut cutter = Cutter {
            page,
            title,
            blocks: TextBlocks::default(),
            start: 0,
            open: vec![(page.end(page.body()), page.body())],
            breaks: 0,
        };
        for id in page.live(page.body()).skip(1) {
            cutter.close_until(id);
            match page.tag(id) {
                // A single break divides lines, two in a row divide paragraphs.
                Some(Tag::Br) => {
                    cutter.breaks += 1;
                    if cutter.breaks == 2 {
                        cutter.flush();
                    } else if cutter.start < cutter.blocks.texts.len() {
                        cutter.blocks.texts.push(id);
                    }
                }
                Some(tag) if is_boundary(tag) => {
                    cutter.flush();
                    cutter.open.push((page.end(id), id));
                }
                None if page.own_chars(id) > 0 => {
                    cutter.breaks = 0;
                    cutter.blocks.texts.push(id);
                }
                _ => {}
            }
        }
        cutter.flush();
        cutter.blocks
    }
}

fn is_boundary(tag: Tag) -> bool {
    tag.is_block() || matches!(tag, Tag::Td | Tag::Th | Tag::Button | Tag::Label)
}

struct Cutter<'a> {
    page: &'a Page,
    title: &'a [u64],
    blocks: TextBlocks,
    /// Where the open run begins among the texts.
    start: usize,
    /// Block elements around the walk: one past their last row, and they themselves.
    open: Vec<(NodeId, NodeId)>,
    breaks: usize,
}

impl Cutter<'_> {
    fn close_until(&mut self, id: NodeId) {
        while self.open.len() > 1 && self.open.last().is_some_and(|&(end, _)| id >= end) {
            self.flush();
            self.open.pop();
        }
    }

    fn flush(&mut self) {
        self.breaks = 0;
        let texts = self.start..self.blocks.texts.len();
        if texts.is_empty() {
            return;
        }
        self.blocks.begins.push(self.blocks.texts[self.start]);
        self.start = texts.end;
        let words = self.blocks.words.len();
        let mut reading = Reading::new(self.title, &mut self.blocks.words);
        let (mut chars, mut linked) = (0, 0);
        for &id in &self.blocks.texts[texts.clone()] {
            match self.page.text(id) {
                Some(text) => reading.feed(&text),
                None => reading.feed(" "),
            }
            let own = self.page.own_chars(id);
            chars += own;
            if self.page.in_link(id) {
                linked += own;
            }
        }
        let stats = reading.finish();
        self.blocks.list.push(TextBlock {
            texts,
            words: words..self.blocks.words.len(),
            container: self.open.last().map_or(self.page.body(), |&(_, id)| id),
            chars: chars as f32,
            linked: linked as f32,
            stats,
        });
    }
}

/// 0 where there is no whole.
pub(super) fn ratio(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn a_block_is_a_run_of_text_without_a_boundary() {
        let page = page(
            "<div id=a>one <b>two</b><br>three<p id=b>four</p> five<br><br>six</div>\
             <table><tr><td id=c>seven<td>eight</table>",
        );
        let blocks = TextBlocks::from_page(&page, &[]);
        let words: Vec<f32> = blocks.list.iter().map(|block| block.stats.words).collect();
        assert_eq!(words, [3.0, 1.0, 1.0, 1.0, 1.0, 1.0]);
        let containers: Vec<NodeId> = blocks.list.iter().map(|block| block.container).collect();
        let node = |id| by_id(&page, id);
        assert_eq!(containers[..4], [node("a"), node("b"), node("a"), node("a")]);
        assert_eq!(containers[4], node("c"));
        assert_eq!(blocks.texts(&blocks.list[0]).len(), 4);
    }

    #[test]
    fn characters_in_links_are_told_apart() {
        let page = page("<p>four <a href=/x>five</a></p>");
        let block = &TextBlocks::from_page(&page, &[]).list[0];
        assert_eq!((block.chars, block.linked), (8.0, 4.0));
        assert!((block.link_density() - 0.5).abs() < 1e-6);
    }
}
