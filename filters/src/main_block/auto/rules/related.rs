//! Lists of other articles: "Read also" with a link beside it, or with a list of links behind it.

use std::ops::Range;

use html5ever::local_name;

use super::{
    super::blocks::{TextBlock, TextBlocks},
    Context,
};
use crate::{
    hosts::is_same_site,
    html::{Page, tag::Tag},
    page_type::PageType,
    vocabulary::{self, Class},
};

/// Words of a name outside of links, at most.
const NAME_WORDS: f32 = 8.0;

/// Visible characters of a line that begins with a name, at most.
const LINE_CHARS: f32 = 200.0;

/// Texts of such a list, at most: a bound on the work.
const LONGEST: usize = 40;

/// Words of what stands beside the links of a list: a day, a number of comments.
const BESIDE: f32 = 4.0;

/// Words of the first lines of another article, at most.
const TEASER: f32 = 30.0;

/// Other articles from which they are a list without a name.
const TEASERS: usize = 3;

/// Takes out lists with a name, and of an article what stands at its end and is nothing but links alike with a text.
pub(super) fn drop(context: &Context<'_>, kept: &mut [bool]) {
    for list in lists(context.page, context.blocks, kept) {
        kept[list].fill(false);
    }
    if context.kind.get() == Some(PageType::Article) {
        let end = end(context.page, context.blocks, kept);
        kept[end..].fill(false);
    }
}

/// Where the list begins at the end of what is kept. The heading of a kept text would stay with it, kept or not.
fn end(page: &Page, blocks: &TextBlocks, kept: &[bool]) -> usize {
    let list = &blocks.list;
    let look = |at: usize| {
        let block = &list[at];
        let is_link = block.link_density() >= 0.8 && block.stats.words > BESIDE;
        (is_link && !leads_elsewhere(page, blocks, at..at + 1))
            .then(|| (page.tag(block.container), page.first_class(block.container)))
    };
    let (mut start, mut texts, mut count) = (kept.len(), 0, 0);
    // How each of them looks: its link, and the number of texts that follow it.
    let mut first = None;
    for at in (0..=kept.iter().rposition(|&kept| kept).unwrap_or(0)).rev() {
        if let Some(look) = look(at) {
            let own = (look, texts);
            if *first.get_or_insert(own) != own {
                break;
            }
            (start, texts, count) = (at, 0, count + 1);
        } else if kept[at] {
            if list[at].stats.words > 2.0 * TEASER || is_heading(page, &list[at]) {
                break;
            }
            texts += 1;
        }
    }
    // A page that has more of them is for them.
    let is_alone = || first.is_some_and(|first| (0..start).all(|at| !kept[at] || look(at) != Some(first.0)));
    if count >= TEASERS && is_alone() { start } else { kept.len() }
}

/// The lists among the kept blocks, each with its name.
fn lists(page: &Page, blocks: &TextBlocks, kept: &[bool]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < kept.len() {
        let end = end_of_list(page, blocks, kept, at);
        if end > at && !leads_elsewhere(page, blocks, at..end) {
            found.push(at..end);
        }
        at = end.max(at + 1);
    }
    found
}

/// One past the list that begins here; here where there is none.
fn end_of_list(page: &Page, blocks: &TextBlocks, kept: &[bool], at: usize) -> usize {
    let block = &blocks.list[at];
    let is_kept_near = kept[at..].iter().take(3).any(|&kept| kept);
    let unlinked = block.stats.words * (1.0 - block.link_density());
    if !is_kept_near || block.chars > LINE_CHARS || unlinked > NAME_WORDS {
        return at;
    }
    let hits = vocabulary::hits(blocks.text(page, block));
    let is = |bits: u32| bits & Class::Related.bit() != 0;
    let is_line = is(hits.start) && block.linked * 2.0 >= block.chars && block.linked < block.chars;
    let behind = || at + 1 + links(page, &blocks.list[at + 1..]);
    if is_line {
        at + 1
    } else if block.linked == 0.0 && (is(hits.whole) || is(hits.start) && is_heading(page, block)) && behind() > at + 1
    {
        behind()
    } else {
        at
    }
}

fn is_heading(page: &Page, block: &TextBlock) -> bool {
    page.tag(block.container).is_some_and(Tag::is_heading)
}

/// How many of the next texts are links, what stands beside them, and the first lines of what they lead to, where another link follows.
fn links(page: &Page, next: &[TextBlock]) -> usize {
    let mut end = 0;
    for (at, block) in next.iter().enumerate().take(LONGEST) {
        let most = if at > 0 && end == at { TEASER } else { BESIDE };
        if block.link_density() >= 0.8 {
            end = at + 1;
        } else if is_heading(page, block) || block.stats.words > most {
            break;
        }
    }
    end
}

/// Whether all links of a run of texts lead to other sites: an author put them there, a site lists its own articles.
fn leads_elsewhere(page: &Page, blocks: &TextBlocks, run: Range<usize>) -> bool {
    let links = blocks.list[run].iter().flat_map(|block| blocks.links(page, block));
    let mut addresses = links.filter_map(|link| page.address(link, &local_name!("href"))).peekable();
    addresses.peek().is_some() && addresses.all(|to| !is_same_site(page.web_url(), &to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    fn found(html: &str) -> Vec<Range<usize>> {
        let page = page_at("https://www.example.org/bread", html);
        let blocks = TextBlocks::from_page(&page, &[]);
        lists(&page, &blocks, &vec![true; blocks.list.len()])
    }

    #[test]
    fn a_list_with_its_name_is_found_in_every_language() {
        for name in ["Read also", "Lesen Sie auch:", "Читайте также", "関連記事"] {
            let list = "<ul><li><a href=/a>One story</a><li><a href=/b>Two stories</a></ul>";
            let html = format!("<p>It goes on.</p><h3>{name}</h3>{list}<p>And on it goes.</p>");
            assert_eq!(found(&html), vec![Range { start: 1, end: 4 }], "{name}");
        }
        let line = "<p>One.</p><p>Read also: <a href=/a>a story of bread and butter</a></p>";
        assert_eq!(found(line), vec![Range { start: 1, end: 2 }]);
    }

    #[test]
    fn what_an_author_put_there_stays() {
        for html in [
            "<h3>Related articles</h3><ul><li><a href=https://journal.example/1>Tides and silt</a></ul>",
            "<p>Read also what he said of bread that is baked without an oven in the north: <a href=/x>all</a></p>",
            "<p>More from the garden came in May.</p>",
            "<h2>Related work</h2><p>Much was said of it before we came here.</p>",
        ] {
            assert!(found(html).is_empty(), "{html}");
        }
    }
}
