//! Lists with the name of one of other articles that are something else: "Related publications" and the papers of a scholar, "Related
//! articles" and those of a law, "Read also" and an essay on a film in a list of films.
//!
//! A site puts its own articles there, so what leads to other sites only was put there by the author. And what a site calls its articles
//! does not begin with the same word and a number, one like the other.
//!
//! WCXB dev, 2026-11-22, five folds: one page changes by .002 or more (+.003); it is for the reader.

use std::ops::Range;

use html5ever::local_name;
use url::Url;

use super::super::super::blocks::Blocks;
use crate::{page::Page, text::one_line};

/// Letters of a part of a host that may name a site, at least, and parts that name none.
const NAME: usize = 3;
const COMMON: [&str; 6] = ["www", "com", "org", "net", "gov", "edu"];

/// Bytes of the word before a number.
const WORD: usize = 24;

/// Whether the links of a run of texts all lead to other sites, or all begin with the same word and a number.
pub(super) fn are_named(page: &Page, blocks: &Blocks, run: Range<usize>) -> bool {
    let linked = || {
        blocks.list[run.clone()]
            .iter()
            .filter(|block| block.linked > 0.0)
    };
    let mut links = linked()
        .flat_map(|block| blocks.links(page, block))
        .peekable();
    if links.peek().is_none() {
        return false;
    }
    let own = page.web_url();
    links.all(|link| {
        let to = page.address(link, &local_name!("href"));
        to.is_some_and(|to| is_elsewhere(own, &to))
    }) || are_numbered(linked().map(|block| one_line(&blocks.text(page, block))))
}

/// Whether two addresses are of sites that have no name in common: `news.example.org` and `shop.example.com` have one.
fn is_elsewhere(one: &Url, other: &Url) -> bool {
    let (Some(one), Some(other)) = (one.host_str(), other.host_str()) else {
        return false;
    };
    one != other && !names(one).any(|name| names(other).any(|other| other == name))
}

/// The parts of a host that may name a site.
fn names(host: &str) -> impl Iterator<Item = &str> {
    let parts = host.rsplit('.').skip(1);
    parts.filter(|part| part.len() >= NAME && !COMMON.contains(part))
}

/// "Article 11: Berths", "§ 12", "第五条".
fn are_numbered(texts: impl Iterator<Item = String>) -> bool {
    let mut word: Option<String> = None;
    let mut count = 0;
    for text in texts {
        let Some(own) = numbered(&text) else {
            return false;
        };
        if word.as_deref().is_some_and(|word| word != own) {
            return false;
        }
        word.get_or_insert_with(|| own.to_owned());
        count += 1;
    }
    count > 0
}

/// The word before the number that a text begins with.
fn numbered(text: &str) -> Option<&str> {
    let (at, _) = text
        .char_indices()
        .take_while(|&(at, _)| at <= WORD)
        .find(|&(_, c)| is_digit(c))?;
    let word = text[..at].trim_end();
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    let rest = text[at..].trim_start_matches(is_digit);
    let ends = rest.is_empty()
        || rest.starts_with([':', '.', ',', '—', '–', '-', '(', ' ', '条', '條', '조']);
    (is_word && ends).then_some(word)
}

/// A digit, in Chinese too.
fn is_digit(c: char) -> bool {
    c.is_numeric() || "〇一二三四五六七八九十百千".contains(c)
}

#[cfg(test)]
mod tests {
    use super::{super::super::super::trial::Trial, *};

    fn are(html: &str) -> bool {
        let trial = Trial::of(html, 0.5);
        let all = 0..trial.blocks.list.len();
        are_named(&trial.page, &trial.blocks, all)
    }

    #[test]
    fn what_leads_to_other_sites_was_named_by_the_author() {
        let paper = "<li><a href=https://doi.test/10.1/1>Okafor, R. (2024). Tides and silt.</a>";
        assert!(are(&format!(
            "<p>Related publications</p><ul>{paper}{paper}</ul>"
        )));
        let own = "<li><a href=/news/1>New boat for the institute</a>";
        assert!(!are(&format!(
            "<p>Related publications</p><ul>{paper}{own}</ul>"
        )));
        let brother = "<p>Read also: <a href=https://shop.example.net/1>Ten lamps</a></p>";
        assert!(!are(brother));
        assert!(!are("<p>Read also</p>"));
    }

    #[test]
    fn sites_of_one_name_are_one() {
        let is_elsewhere = |one: &str, other: &str| {
            let url = |host: &str| Url::parse(&format!("https://{host}/a")).unwrap();
            super::is_elsewhere(&url(one), &url(other))
        };
        for (one, other) in [
            ("abc.example", "abc.example"),
            ("www.abc.example", "abc.example"),
            ("x.example", "x.example"),
            ("news.abc.co.example", "abc.test"),
        ] {
            assert!(!is_elsewhere(one, other), "{one} {other}");
        }
        assert!(is_elsewhere("www.abc.example", "www.harbour.example"));
        assert!(is_elsewhere("abc.com.example", "harbour.com.example"));
    }

    #[test]
    fn articles_of_a_law_are_no_articles_of_the_site() {
        let list = |one: &str, other: &str| {
            are(&format!(
                "<h3>Related articles</h3><ul><li><a href=/1>{one}</a><li><a href=/2>{other}</a></ul>"
            ))
        };
        assert!(list("Article 11: Berths", "Article 12: Cranes"));
        assert!(list("§ 4 Rückgabe", "§ 12"));
        assert!(list("第四条 责任", "第十二条"));
        assert!(!list("Top 10 lamps of the year", "Article 12: Cranes"));
        assert!(!list("Article 11: Berths", "The crane falls"));
    }
}
