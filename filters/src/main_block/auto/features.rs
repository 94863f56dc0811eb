//! Numbers about every text block: what it is, what stands around it, and what the rest of the page is like.
//!
//! One pass up the tree sums over subtrees, one pass over the blocks writes their rows. Each family of features is a
//! file; the order in which they are written is the order of the forest's columns ([`super::forest`]), and a test keeps
//! the names of the two together.

mod around;
mod phrases;
mod place;
mod repetition;
mod sections;

use super::{
    blocks::{TextBlocks, ratio},
    forest::{Column, Rows},
    records::Records,
};
use crate::{
    analysis::AnalysedPage,
    html::attribute_hints::class_hints::RegionHints,
    html::{NodeId, tag::Tag},
    measure,
    measure::Measures,
    vocabulary::words::count,
};

/// The features of all blocks, row by row; and the names of the columns, where they are asked for.
pub(crate) fn rows(
    page: &AnalysedPage,
    blocks: &TextBlocks,
    records: &Records,
    names: Option<&mut Vec<String>>,
) -> Rows {
    let base = Base::new(page, blocks);
    let families = Families {
        around: around::Around::new(&base),
        repetition: repetition::Repetition::new(&base),
        place: place::PlaceOnPage::new(&base),
        sections: sections::Sections::new(&base),
        phrases: phrases::Phrases::new(&base, records),
        page: base.page_features(),
    };
    let mut chain = Vec::new();
    let mut width = ColumnCount(0);
    if !blocks.list.is_empty() {
        base.fill_chain(0, &mut chain);
        families.add(&base, 0, &chain, &mut width);
        if let Some(names) = names {
            families.add(&base, 0, &chain, &mut ColumnNames(names));
        }
    }
    let mut rows = Rows::new(width.0, blocks.list.len());
    for index in 0..blocks.list.len() {
        base.fill_chain(index, &mut chain);
        let (columns, place) = rows.row_mut(index);
        let columns = columns.iter_mut();
        families.add(&base, index, &chain, &mut Values { columns, place });
    }
    rows.finish();
    rows
}

/// All families of features, in the order of the columns.
struct Families {
    around: around::Around,
    repetition: repetition::Repetition,
    place: place::PlaceOnPage,
    sections: sections::Sections,
    phrases: phrases::Phrases,
    /// Features of the page, which are equal for all blocks.
    page: Vec<(&'static str, f32)>,
}

impl Family for Families {
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut impl RowSink) {
        base.add_text(index, chain.len(), row);
        self.around.add(base, index, chain, row);
        self.repetition.add(base, index, chain, row);
        self.place.add(base, index, chain, row);
        self.sections.add(base, index, chain, row);
        self.phrases.add(base, index, chain, row);
        for &(name, value) in &self.page {
            row.add(name, value);
        }
    }
}

/// A family of features.
trait Family {
    /// Writes the numbers of one block. `chain` is its container and the elements around it, up to the body.
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut impl RowSink);
}

/// Takes the numbers of one row.
trait RowSink {
    /// One of several numbers of a name.
    fn add_of(&mut self, name: &str, which: &str, value: f32);

    #[inline]
    fn add(&mut self, name: &str, value: f32) {
        self.add_of(name, "", value);
    }

    #[inline]
    fn flag(&mut self, name: &str, value: bool) {
        self.add(name, f32::from(u8::from(value)));
    }
}

/// Where the next numbers go.
struct Values<'a> {
    columns: std::slice::IterMut<'a, Column>,
    /// The row's place in each.
    place: usize,
}

impl RowSink for Values<'_> {
    #[inline]
    fn add_of(&mut self, _: &str, _: &str, value: f32) {
        if let Some(column) = self.columns.next() {
            column[self.place] = value;
        }
    }
}

/// How many they are.
struct ColumnCount(usize);

impl RowSink for ColumnCount {
    fn add_of(&mut self, _: &str, _: &str, _: f32) {
        self.0 += 1;
    }
}

/// The names alone.
struct ColumnNames<'a>(&'a mut Vec<String>);

impl RowSink for ColumnNames<'_> {
    fn add_of(&mut self, name: &str, which: &str, _: f32) {
        let gap = if which.is_empty() { "" } else { "_" };
        self.0.push(format!("{name}{gap}{which}"));
    }
}

/// Sums over the blocks below a node.
#[derive(Clone, Copy, Default)]
struct BlockSums {
    blocks: f32,
    words: f32,
    stops: f32,
    /// Words of long blocks ([`super::blocks::TextBlock::is_long`]).
    long: f32,
    headings: f32,
}

impl BlockSums {
    fn add(&mut self, other: BlockSums) {
        self.blocks += other.blocks;
        self.words += other.words;
        self.stops += other.stops;
        self.long += other.long;
        self.headings += other.headings;
    }
}

/// The common input of all families of features.
struct Base<'a> {
    page: &'a AnalysedPage,
    blocks: &'a TextBlocks,
    measures: Measures,
    /// By row.
    sums: Vec<BlockSums>,
    /// By row; empty for elements without text.
    marks: Vec<RegionHints>,
    /// The rows of elements with text, in document order: the body first, each behind the one around it.
    rows: Vec<NodeId>,
    /// Where in them each of them is, by row.
    places: Vec<u32>,
    body: NodeId,
}

impl<'a> Base<'a> {
    fn new(page: &'a AnalysedPage, blocks: &'a TextBlocks) -> Base<'a> {
        let body = page.body();
        let mut sums = vec![BlockSums::default(); page.len()];
        for block in &blocks.list {
            let stats = &block.stats;
            sums[block.container.index()].add(BlockSums {
                blocks: 1.0,
                words: stats.words,
                stops: stats.stops,
                long: if block.is_long() { stats.words } else { 0.0 },
                headings: f32::from(u8::from(page.tag(block.container).is_some_and(Tag::is_heading))),
            });
        }
        for row in (body.index() + 1..page.end(body).index()).rev() {
            let sum = sums[row];
            if sum.blocks > 0.0 {
                sums[page.parent(NodeId::from_row(row)).index()].add(sum);
            }
        }
        let mut marks = vec![RegionHints::default(); page.len()];
        let mut rows = Vec::new();
        let mut places = vec![0; page.len()];
        for row in body.index()..page.end(body).index() {
            if sums[row].blocks > 0.0 {
                let id = NodeId::from_row(row);
                marks[row] = RegionHints::new(page, id);
                places[row] = count(rows.len());
                rows.push(id);
            }
        }
        Base { page, blocks, measures: Measures::from_texts(page, blocks.all_texts()), sums, marks, rows, places, body }
    }

    fn sums(&self, id: NodeId) -> BlockSums {
        self.sums[id.index()]
    }

    fn marks(&self, id: NodeId) -> RegionHints {
        self.marks[id.index()]
    }

    /// The place of an element with text among its like.
    fn place(&self, id: NodeId) -> usize {
        self.places[id.index()] as usize
    }

    /// Values of each element with text, from the element itself and the value of the one around it, in their order. A block asks
    /// the element that holds it, not all that stand around it.
    fn downwards<T: Clone>(&self, of_body: T, mut tell: impl FnMut(NodeId, &T) -> T) -> Vec<T> {
        let mut told: Vec<T> = Vec::with_capacity(self.rows.len());
        for &id in &self.rows {
            let own = if id == self.body { of_body.clone() } else { tell(id, &told[self.place(self.page.parent(id))]) };
            told.push(own);
        }
        told
    }

    fn chars(&self, id: NodeId) -> f32 {
        self.measures.get(id).chars as f32
    }

    fn link_density(&self, id: NodeId) -> f32 {
        let measure = self.measures.get(id);
        ratio(measure.linked as f32, measure.chars as f32)
    }

    /// Share of the page's characters.
    fn share(&self, id: NodeId) -> f32 {
        ratio(self.chars(id), self.chars(self.body))
    }

    fn total_words(&self) -> f32 {
        self.sums(self.body).words
    }

    /// The container of a block and the elements around it, up to the body.
    fn fill_chain(&self, index: usize, chain: &mut Vec<NodeId>) {
        chain.clear();
        let mut at = self.blocks.list[index].container;
        while at != self.body && at != NodeId::DOCUMENT {
            chain.push(at);
            at = self.page.parent(at);
        }
        chain.push(self.body);
    }

    fn add_text(&self, index: usize, depth: usize, row: &mut impl RowSink) {
        let block = &self.blocks.list[index];
        let stats = &block.stats;
        row.add("words", log(stats.words));
        row.add("link_density", block.link_density());
        row.add("capitalised", ratio(stats.capitalised, stats.words));
        row.add("commas", log(stats.commas));
        row.add("stops", log(stats.stops));
        row.add("stops_per_word", ratio(stats.stops, stats.words));
        row.add("dividers", log(stats.dividers));
        row.add("quotes", log(stats.quotes));
        row.add("longest_word", stats.longest_word);
        row.flag("ends_sentence", stats.ends_sentence);
        // A long text that shares words with the headline is no repetition of it.
        let titled = if stats.words > 60.0 { 0.0 } else { stats.titled };
        row.add("title_overlap", ratio(titled, stats.lexical));
        row.add("tag", tag_group(self.page.tag(block.container)));
        row.add("depth", depth as f32);
    }

    fn page_features(&self) -> Vec<(&'static str, f32)> {
        let list = &self.blocks.list;
        let count = list.len() as f32;
        let linked: f32 = list.iter().map(|block| block.linked).sum();
        let long = list.iter().filter(|block| block.is_long()).count() as f32;
        let total = self.sums(self.body);
        let [mut articles, mut paragraphs, mut images, mut forms, mut tables, mut items] = [0.0; 6];
        for id in self.page.live(self.body) {
            match self.page.tag(id) {
                Some(Tag::Article) => articles += 1.0,
                Some(Tag::P) => paragraphs += 1.0,
                Some(Tag::Img) => images += 1.0,
                Some(Tag::Form) => forms += 1.0,
                Some(Tag::Table) => tables += 1.0,
                Some(Tag::Li) => items += 1.0,
                _ => {}
            }
        }
        vec![
            ("page_blocks", log(count)),
            ("page_words", log(total.words)),
            ("page_links", ratio(linked, self.chars(self.body))),
            ("page_stops", ratio(total.stops, total.words)),
            ("page_long", ratio(long, count)),
            ("page_long_words", ratio(total.long, total.words)),
            ("page_articles", log(articles)),
            ("page_paragraphs", log(paragraphs)),
            ("page_images", log(images)),
            ("page_forms", forms),
            ("page_tables", log(tables)),
            ("page_items", log(items)),
            ("open_graph", self.open_graph_type()),
        ]
    }

    fn open_graph_type(&self) -> f32 {
        match measure::meta_content(self.page, &["og:type"]).as_deref() {
            None | Some("") => 0.0,
            Some("article") => 1.0,
            Some("product" | "og:product") => 2.0,
            Some("website") => 3.0,
            Some(_) => 4.0,
        }
    }
}

fn log(value: f32) -> f32 {
    (1.0 + value).ln()
}

fn tag_group(tag: Option<Tag>) -> f32 {
    match tag {
        Some(Tag::P) => 1.0,
        Some(Tag::Li) => 2.0,
        Some(Tag::Td | Tag::Th) => 3.0,
        Some(tag) if tag.is_heading() => 4.0,
        Some(Tag::Div) => 5.0,
        Some(Tag::Dt | Tag::Dd) => 6.0,
        Some(Tag::Blockquote) => 7.0,
        Some(Tag::Pre) => 8.0,
        Some(Tag::Figcaption | Tag::Caption) => 9.0,
        Some(Tag::Button | Tag::Label | Tag::Legend | Tag::Option) => 10.0,
        Some(Tag::Summary) => 11.0,
        Some(Tag::Section | Tag::Article | Tag::Main) => 12.0,
        Some(Tag::Header | Tag::Footer | Tag::Nav | Tag::Aside) => 13.0,
        _ => 0.0,
    }
}
