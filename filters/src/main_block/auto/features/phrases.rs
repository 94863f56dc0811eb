//! What the words of a block and of those around it are about: classes of the vocabulary, prices, dates, and where it stands among
//! records.

use super::{Base, Family, RowSink, log, ratio};
use crate::{
    html::{NodeId, Page, tag::Tag},
    main_block::auto::{
        blocks::TextBlocks,
        records::{Records, mentions::is_written_date},
    },
    page_type::prices,
    vocabulary::{self, Class, Hits},
};

/// Words of a block that is looked through, at most: in a paragraph such a phrase says nothing of it.
const MOST_WORDS: f32 = 40.0;

/// Words of a block that may head what follows it.
const HEAD_WORDS: f32 = 12.0;

/// Blocks up to the last block of a class; those further away are alike.
const FAR: f32 = 60.0;

/// Blocks on either side whose classes are counted.
const AROUND: usize = 8;

/// Classes whose last mention before a block tells where it stands.
const HEADS: [Class; 12] = [
    Class::Related,
    Class::Newsletter,
    Class::Follow,
    Class::Comments,
    Class::Author,
    Class::Advertisement,
    Class::Rights,
    Class::Tools,
    Class::Share,
    Class::Endings,
    Class::Reviews,
    Class::Neighbours,
];

/// A heading of reviews stands over what others say of the page's subject.
const BOILERPLATE: u32 = vocabulary::BOILERPLATE | Class::Reviews.bit();

/// Phrases, prices and digits in one block.
#[derive(Clone, Copy, Default)]
struct Says {
    hits: Hits,
    prices: f32,
    is_date: bool,
    digits: f32,
}

pub(super) struct Phrases {
    says: Vec<Says>,
    /// By block: how many blocks ago each of [`HEADS`] was.
    since: Vec<[f32; HEADS.len()]>,
    /// Blocks with boilerplate before each, and at the end all.
    boilerplate: Vec<f32>,
    prices: f32,
    /// Classes of the heading above.
    heading: Vec<u32>,
    /// By block: whether it stands in a post, and in a field of a record.
    records: Vec<(bool, bool)>,
    posts: f32,
}

impl Phrases {
    pub(super) fn new(base: &Base<'_>, records: &Records) -> Phrases {
        let list = &base.blocks.list;
        let says: Vec<Says> = (0..list.len()).map(|at| says(base.page, base.blocks, at)).collect();
        let mut ago = [FAR; HEADS.len()];
        let (mut since, mut heading, mut boilerplate) = (Vec::new(), Vec::new(), vec![0.0]);
        let (mut above, mut sum) = (0, 0.0);
        for (block, says) in list.iter().zip(&says) {
            let heads = if block.stats.words <= HEAD_WORDS { says.hits.start } else { 0 };
            for (ago, class) in ago.iter_mut().zip(HEADS) {
                *ago = if heads & class.bit() != 0 { 0.0 } else { (*ago + 1.0).min(FAR) };
            }
            since.push(ago);
            if base.page.tag(block.container).is_some_and(Tag::is_heading) {
                above = says.hits.any;
            }
            heading.push(above);
            sum += f32::from(u8::from(says.hits.start & BOILERPLATE != 0));
            boilerplate.push(sum);
        }
        Phrases {
            prices: says.iter().map(|says| says.prices).sum(),
            records: (0..list.len()).map(|at| records.place(&list[at], at)).collect(),
            posts: records.count() as f32,
            says,
            since,
            boilerplate,
            heading,
        }
    }

    /// Share of the blocks in a range that are boilerplate by their words.
    fn share(&self, range: std::ops::Range<usize>) -> f32 {
        let count = self.boilerplate[range.end] - self.boilerplate[range.start];
        ratio(count, range.len() as f32)
    }
}

fn says(page: &Page, blocks: &TextBlocks, at: usize) -> Says {
    let block = &blocks.list[at];
    if block.stats.words > MOST_WORDS {
        return Says::default();
    }
    let text = blocks.text(page, block);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    Says {
        prices: prices(&text) as f32,
        is_date: block.stats.words <= HEAD_WORDS && is_written_date(text.trim()),
        digits: ratio(digits as f32, block.chars),
        hits: vocabulary::hits(text),
    }
}

impl Family for Phrases {
    fn add(&self, base: &Base<'_>, index: usize, chain: &[NodeId], row: &mut impl RowSink) {
        let says = self.says[index];
        for class in Class::ALL {
            let bit = class.bit();
            let level = [says.hits.any, says.hits.start, says.hits.whole];
            let level = level.iter().filter(|bits| **bits & bit != 0).count();
            row.add_of("says", class.name(), level as f32);
        }
        for (class, since) in HEADS.iter().zip(self.since[index]) {
            row.add_of("since", class.name(), since);
        }
        let heading = self.heading[index];
        row.flag("heading_boilerplate", heading & BOILERPLATE != 0);
        row.flag("heading_endings", heading & Class::Endings.bit() != 0);
        let count = self.says.len();
        row.add("boilerplate_before", self.share(index.saturating_sub(AROUND)..index));
        row.add("boilerplate_after", self.share(index + 1..(index + 1 + AROUND).min(count).max(index + 1)));
        for (level, name) in [(1, "1"), (2, "2"), (4, "4")] {
            let up = chain[level.min(chain.len() - 1)];
            row.add_of("boilerplate_up", name, self.share(base.blocks.inside(base.page, up)));
        }
        row.add("prices", says.prices);
        row.add("page_prices", log(self.prices));
        row.flag("is_date", says.is_date);
        row.add("digits", says.digits);
        let (in_post, in_field) = self.records[index];
        row.flag("in_post", in_post);
        row.flag("in_field", in_field);
        row.add("page_posts", log(self.posts));
    }
}
