//! The next page of an article that was cut into several, and the one before.
//!
//! Links say `rel="next"` for many things (the next post of a blog, the next chapter), and "2" stands on every page; so
//! the address decides: the next page has the same address but for the number of the page, and the number is one more.
//! Addresses number their pages at the end of the path (`/page/2`, `/2`, `-2.html`, `_2`, `/p2`) or in the query (`?page=2`).

use std::sync::LazyLock;

use html5ever::local_name;
use memchr::memmem::Finder;
use url::Url;

use super::{is_same, start_of_line};
use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::{
        lists::{WordList, words},
        prefixes::Prefixes,
    },
};

/// Links that are looked at, and highest number of a page.
const MAX_LINKS: usize = 5000;
const MAX_PAGE: u32 = 500;

/// Names of the page number in a query.
const KEYS: [&str; 6] = ["page", "p", "pg", "paged", "seite", "pagenum"];

/// How a link to the next page begins, besides the number itself. More of them need no care: the address decides.
static NEXT: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(&NEXT_WORDS));
static NEXT_WORDS: WordList = words!("next_page");

/// How a link to the page before begins.
static PREVIOUS: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(&PREVIOUS_WORDS));
static PREVIOUS_WORDS: WordList = words!("previous_page");

/// Words that stand beside the number of a page in a title, and those between it and how many there are.
static PAGE: WordList = words!("page");
const OF: [&str; 10] = ["of", "von", "de", "di", "sur", "van", "из", "z", "av", "من"];

/// Whether two pages have the same headline, but for the number of the page in it: "Clocks", "Clocks, page 2", "Clocks (3/4)". Not "Comic
/// 1" and "Comic 2".
pub(crate) fn is_headline_of_both(one: &str, other: &str) -> bool {
    is_same(without_number(one), without_number(other))
}

/// A title without the number of its page at the end.
fn without_number(title: &str) -> &str {
    let (mut start, mut numbers, mut words) = (title.len(), 0, 0);
    for token in title.rsplit(|c: char| !c.is_alphanumeric()) {
        let folded = token.to_lowercase();
        let has_number = folded.contains(char::is_numeric);
        let is_joined = has_number && folded.contains(['页', '頁', 'ペ', '쪽']);
        if is_joined || folded.chars().all(char::is_numeric) && !folded.is_empty() {
            numbers += 1;
            words += usize::from(is_joined);
        } else if PAGE.contains(&&*folded) {
            words += 1;
        } else if !folded.is_empty() && !OF.contains(&&*folded) {
            break;
        }
        start = token.as_ptr().addr() - title.as_ptr().addr();
    }
    let is_page = numbers > 0 && numbers + words >= 2 && start > 0;
    if is_page { &title[..start] } else { title }
}

/// The side on which another page lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// The next page, where a link leads to it.
pub(super) fn next(page: &Page) -> Option<Url> {
    neighbour(page, Side::After)
}

/// The page before, where a link leads to it.
pub(super) fn previous(page: &Page) -> Option<Url> {
    neighbour(page, Side::Before)
}

fn neighbour(page: &Page, side: Side) -> Option<Url> {
    let here = PageAddress::from_url(page.url());
    // The number in the path may be that of the work, and its pages be numbered in the query.
    let in_query = PageAddress::in_query(page.url());
    let second = || (in_query != here).then(|| beside(page, &in_query, side));
    beside(page, &here, side).or_else(|| second().flatten())
}

fn beside(page: &Page, here: &PageAddress, side: Side) -> Option<Url> {
    let wanted = match side {
        Side::After => here.number + 1,
        Side::Before => here.number.checked_sub(1).filter(|number| *number > 0)?,
    };
    let number = wanted.to_string();
    // The first page has no number in its address.
    let may_have_none = wanted == 1 || page.base().as_str().contains(&number);
    let finder = Finder::new(&number);
    let links = page.about(Tag::Link).chain(page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::A)));
    links
        .take(MAX_LINKS)
        .filter(|&id| may_have_none || has_number(page, id, &finder))
        .filter(|&id| is_candidate(page, id, &number, side))
        .filter_map(|id| page.address(id, &local_name!("href")))
        .find(|url| {
            url.origin() == page.url().origin() && {
                // The number in the path of the first page may be that of the work.
                let is_there = |there: PageAddress| there.stem == here.stem && there.number == wanted;
                is_there(PageAddress::from_url(url)) || is_there(PageAddress::in_query(url))
            }
        })
}

/// Whether the number stands in the link's address, or may: digits can be written as escapes, and line breaks between them
/// are nothing (WHATWG URL § 4.4). Hardly any address has it, and the text of a link costs more to read.
fn has_number(page: &Page, id: NodeId, number: &Finder<'_>) -> bool {
    let Some(first) = number.needle().first() else {
        return true;
    };
    page.attribute(id, &local_name!("href")).is_some_and(|href| {
        let may_hide = |byte| matches!(byte, b'%' | b'\t' | b'\n' | b'\r');
        // To the end whatever is found, because that is done many bytes at once.
        let may_be = |byte: u8| may_hide(byte) || byte == *first;
        href.bytes().fold(false, |found, byte| found | may_be(byte))
            && (href.bytes().any(may_hide) || number.find(href.as_bytes()).is_some())
    })
}

fn is_candidate(page: &Page, id: NodeId, number: &str, side: Side) -> bool {
    let (rels, words): (&[&str], &Prefixes) = match side {
        Side::Before => (&["prev", "previous"], &PREVIOUS),
        Side::After => (&["next"], &NEXT),
    };
    let is_named = |word: &str| rels.iter().any(|rel| word.eq_ignore_ascii_case(rel));
    let is_said = page.attribute(id, &local_name!("rel")).is_some_and(|rel| rel.split_ascii_whitespace().any(is_named));
    if is_said || page.tag(id) != Some(Tag::A) {
        return is_said;
    }
    let label = page.attribute(id, &local_name!("aria-label")).map(str::to_lowercase);
    let text = start_of_line(page, id).to_lowercase();
    [Some(text), label].into_iter().flatten().any(|text| {
        text == number
            || text.strip_prefix("page ") == Some(number)
            || text.bytes().next().is_some_and(|first| {
                words
                    .beginning_with(first)
                    .any(|word| text.starts_with(word) && text.chars().count() <= word.chars().count() + 8)
            })
    })
}

/// An address, and the number of the page in it; 1 where there is none.
#[derive(Debug, PartialEq, Eq)]
struct PageAddress {
    /// Path and query without the number.
    stem: String,
    number: u32,
}

impl PageAddress {
    fn from_url(url: &Url) -> PageAddress {
        PageAddress::read(url, true)
    }

    /// The number is looked for in the query alone.
    fn in_query(url: &Url) -> PageAddress {
        PageAddress::read(url, false)
    }

    fn read(url: &Url, in_path: bool) -> PageAddress {
        let mut number = None;
        let mut query: Vec<String> = Vec::new();
        for (key, value) in url.query_pairs() {
            match value.parse() {
                Ok(page) if number.is_none() && KEYS.contains(&&*key.to_ascii_lowercase()) => {
                    number = Some(page);
                }
                _ => query.push(format!("{key}={value}")),
            }
        }
        let mut path = url.path().trim_end_matches('/');
        if number.is_none()
            && in_path
            && let Some((stem, page)) = number_at_end(path)
        {
            (path, number) = (stem, Some(page));
        }
        let ending = [".html", ".htm", ".php"].iter().find_map(|ending| path.strip_suffix(ending));
        PageAddress {
            stem: format!("{}?{}", ending.unwrap_or(path), query.join("&")),
            number: number.filter(|&page| page <= MAX_PAGE).unwrap_or(1),
        }
    }
}

/// `/a/page/2`, `/a/2`, `/a/p2`, `/a-2.html`, `/a_2`: the path before the number, and the number. A number of the work
/// (`/chapter-2` after `/chapter-1`) looks the same; the stems then differ from the page without a number only.
fn number_at_end(path: &str) -> Option<(&str, u32)> {
    let bare = [".html", ".htm", ".php"].iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path);
    let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: u32 = bare[stem.len()..].parse().ok()?;
    if number == 0 || number > MAX_PAGE {
        return None;
    }
    let stem = ["/page/", "/page-", "/p/", "-page-", "_page_", "/page", "/p", "/", "-", "_"]
        .iter()
        .find_map(|before| stem.strip_suffix(before))?;
    (!stem.is_empty()).then_some((stem, number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    fn follows(here: &str, there: &str) -> bool {
        let base = Url::parse("https://example.org").unwrap();
        let (here, there) =
            (PageAddress::from_url(&base.join(here).unwrap()), PageAddress::from_url(&base.join(there).unwrap()));
        here.stem == there.stem && there.number == here.number + 1
    }

    #[test]
    fn a_story_with_a_number_has_pages_too() {
        let next_of = |here: &str, link: &str| {
            let html = format!("<p>1 <a rel=next href='{link}'>2</a>");
            let page = page_at(&format!("https://example.org{here}"), &html);
            next(&page).map(|url| url[url::Position::BeforePath..].to_owned())
        };
        for here in ["/story/12", "/story-2", "/story/123"] {
            assert_eq!(next_of(here, "?page=2"), Some(format!("{here}?page=2")));
        }
        assert_eq!(next_of("/story/2", "/story/3").as_deref(), Some("/story/3"));
        assert_eq!(next_of("/story/2", "?page=3"), None);
    }

    #[test]
    fn pages_of_one_article_have_its_headline() {
        for other in ["Clocks", "Clocks - Page 2", "Clocks (2/4)", "Clocks – Seite 3 von 7", "Clocks 2ページ"] {
            assert!(is_headline_of_both("Clocks", other), "{other}");
        }
        assert!(is_headline_of_both("Clocks (1/4)", "Clocks (2/4)"));
        assert!(!is_headline_of_both("Clocks 1", "Clocks 2"));
        assert!(!is_headline_of_both("Clocks of 1900", "Clocks of 1901"));
        assert!(!is_headline_of_both("Clocks", "Sign in"));
        assert!(!is_headline_of_both("Page 1", "Page 2"));
    }

    #[test]
    fn a_link_says_so_in_many_languages() {
        let next_of = |link: &str| {
            let page = page_at("https://example.org/clock", &format!("<p>1 {link}"));
            next(&page).map(|url| url.path().to_owned())
        };
        for text in [
            "2",
            "Page 2",
            "Next page",
            "Nächste Seite",
            "Siguiente",
            "Próxima página",
            "下一頁",
            "次のページ",
            "다음 페이지",
            "التالي",
            "»",
        ] {
            let link = format!("<a href=/clock/2>{text}</a>");
            assert!(next_of(&link).is_some(), "{text}");
        }
        assert_eq!(next_of("<a href=/clock/2>Nextdoor clocks of the town</a>"), None);
        assert_eq!(next_of("<a href=/watch/2>Next</a>"), None);
    }

    #[test]
    fn the_page_before_may_be_the_first_which_has_no_number() {
        let before = |here: &str, link: &str| {
            let page = page_at(&format!("https://example.org{here}"), &format!("<p>{link} <a href=/x>1</a>"));
            previous(&page).map(|url| url[url::Position::BeforePath..].to_owned())
        };
        for (here, link, found) in [
            ("/thread/7?page=2", "<a href=/thread/7>Previous</a>", Some("/thread/7")),
            ("/thread/7?page=3", "<a href='?page=2'>2</a>", Some("/thread/7?page=2")),
            ("/thread/page/3", "<a href=/thread/page/2>« Zurück</a>", Some("/thread/page/2")),
            ("/thread/page/3", "<a rel=prev href=/thread/page/2>older</a>", Some("/thread/page/2")),
            ("/thread/page/3", "<a href=/thread/page/4>Previous</a>", None),
            ("/thread", "<a href=/thread>Previous</a>", None),
        ] {
            assert_eq!(before(here, link).as_deref(), found, "{here} {link}");
        }
    }

    #[test]
    fn an_address_with_the_next_number_is_the_next_page() {
        for (here, there) in [
            ("/a", "/a/2"),
            ("/a/", "/a/page/2/"),
            ("/a/page/2", "/a/page/3"),
            ("/a.html", "/a-2.html"),
            ("/a.html", "/a_2.html"),
            ("/a?x=1", "/a?x=1&page=2"),
            ("/a?page=3", "/a?page=4"),
        ] {
            assert!(follows(here, there), "{here} {there}");
        }
        for (here, there) in [
            ("/a", "/b"),
            ("/a", "/b/2"),
            ("/a", "/a/3"),
            ("/2024/05/a", "/2024/05/b"),
            ("/a?page=3", "/a?page=2"),
            ("/", "/2"),
        ] {
            assert!(!follows(here, there), "{here} {there}");
        }
    }
}
