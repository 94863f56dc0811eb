//! Headlines of other articles among the paragraphs of one, with nothing that names them: a list of two or three links to pages of the
//! site, each a headline as a whole. What a paragraph announces ("…three rules:") is the article's own, and so is what leads out of
//! the site.

use html5ever::local_name;

use super::{
    super::blocks::{Block, Blocks},
    lines,
};
use crate::{
    kind::{Kind, KindNow},
    page::{NodeId, Page, tag::Tag},
};

/// Links of such a list, at most.
const MOST: usize = 5;

/// Words of a headline.
const WORDS: std::ops::RangeInclusive<f32> = 3.0..=25.0;

/// Drops them from the kept blocks of an article.
pub(super) fn drop(page: &Page, blocks: &Blocks, kind: &KindNow<'_>, kept: &mut [bool]) {
    if kind.get() != Some(Kind::Article) {
        return;
    }
    let mut at = 1;
    while at < kept.len() {
        let list = page.parent(blocks.list[at].container);
        let is_first = kept[at]
            && page.tag(list) == Some(Tag::Ul)
            && is_headline(page, blocks, at)
            && blocks.inside(page, list).start == at;
        if !is_first {
            at += 1;
            continue;
        }
        let inside = blocks.inside(page, list);
        let before = &blocks.list[at - 1];
        let stands_alone = kept[at - 1]
            && before.linked == 0.0
            && before.stats.ends_sentence
            && !page.tag(before.container).is_some_and(Tag::is_heading)
            && page.parent(before.container) == page.parent(list);
        let goes_on = blocks.list.get(inside.end).is_some_and(|block| {
            lines::is_text(block) && page.parent(block.container) == page.parent(list)
        });
        if stands_alone
            && goes_on
            && inside.len() <= MOST
            && inside.clone().all(|at| is_headline(page, blocks, at))
        {
            kept[inside.clone()].fill(false);
        }
        at = inside.end.max(at + 1);
    }
}

/// A link to a page of the site, and nothing else.
fn is_headline(page: &Page, blocks: &Blocks, at: usize) -> bool {
    let block: &Block = &blocks.list[at];
    let leads_on = |id: NodeId| {
        let to = page.address(id, &local_name!("href"));
        to.is_some_and(|to| {
            to.host_str() == page.web_url().host_str()
                && to.path() != page.web_url().path()
                && to.path() != "/"
        })
    };
    block.linked >= block.chars
        && WORDS.contains(&block.stats.words)
        && page.tag(block.container) == Some(Tag::Li)
        && page
            .live(block.container)
            .any(|id| page.tag(id) == Some(Tag::A) && leads_on(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        kind::Claims,
        testing::{page_at, words},
    };

    const LIST: &str = "<ul><li><a href=/a>Museum open until ten</a></li><li><a href=/b>Bath closed since Monday</a></li></ul>";

    /// How many texts are left of an article that announces a list so, goes on so, and of how many.
    fn left(before: &str, list: &str, after: usize) -> (usize, usize) {
        let html = format!("<div>{before}{list}<p>{}</p></div>", words(after));
        let mut page = page_at("https://example.org/news/bread", &html);
        page.claims = Claims {
            types: vec!["NewsArticle".to_owned()],
            ..Claims::default()
        };
        let blocks = Blocks::of(&page, &[]);
        let mut kept = vec![true; blocks.list.len()];
        drop(&page, &blocks, &KindNow::of(&page), &mut kept);
        (kept.iter().filter(|&&kept| kept).count(), kept.len())
    }

    #[test]
    fn headlines_of_other_articles_among_paragraphs_go() {
        assert_eq!(left("<p>It opened in May.</p>", LIST, 40), (2, 4));
    }

    #[test]
    fn what_is_announced_leads_out_or_ends_the_text_stays() {
        for before in [
            "<p>Three of them:</p>",
            "<h2>What we wrote.</h2>",
            "<p>It is <a href=/x>here</a>.</p>",
        ] {
            assert_eq!(left(before, LIST, 40), (4, 4), "{before}");
        }
        let other = LIST.replace("href=/b", "href=https://example.net/b");
        let words = LIST.replace("</a>", "</a>, since May");
        for list in [other, words] {
            assert_eq!(left("<p>It opened in May.</p>", &list, 40), (4, 4));
        }
        assert_eq!(left("<p>It opened in May.</p>", LIST, 4), (4, 4));
    }
}
