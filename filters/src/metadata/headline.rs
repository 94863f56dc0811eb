//! The page's headline, and the heading that shows it.
//!
//! Candidates are the `<h1>`s, `og:title`, the headline of the JSON-LD and `<title>`. The titles for machines tell which
//! `<h1>` is the headline (pages put logos and section names into `<h1>` too); the `<h1>` tells how it is written. Where no
//! `<h1>` is like any of them, the title for machines is the headline, without the name of the site (`headline/site.rs`).
//!
//! The name of a book or a site can be the `<h1>` of all its pages, and an index has an `<h1>` for each article: what lower
//! headings say of the first part of the title, and the title, win there.
//!
//! Pages of the time of `<font>` show their headline in no heading (`headline/shown.rs`).
//!
//! Measured on WCXB dev, 2026-11-21 (`gleaner-lab evaluate`, column `title`); with the last two rules 94.2 % on 2026-11-22.

mod shown;
mod site;

use super::{
    Headline, MAX_HEADLINE_NODES, document_title, is_same, json_ld::JsonLd, letters, metas::Metas, start_of_line,
};
use crate::{
    hashing::Table,
    hosts::is_same_site,
    html::{NodeId, Page, tag::Tag},
    measure::is_left_open,
};
use site::{Side, Site, split};

/// Likeness (0 to 1, and [`REPEATED`] more) of an `<h1>` to a title from which it is the headline. Lower: a slogan in
/// the `<h1>` wins over the title. Our measurement on WCXB dev, 2026-11-21: titles found on 93.1 % of pages at .3, 92.9 % at .4,
/// 92.5 % at .5.
const LIKE: f64 = 0.3;

/// More likeness for an `<h1>` of two words or more that stands in a title as it is, or is marked. Same measurement: 93.1 % with
/// it, 93.0 % without.
const REPEATED: f64 = 0.3;

/// Likeness of an `<h1>` to a title on a page with [`MANY`] of them: an index has one for each article, and words of the site's name in some.
const LIKE_OF_MANY: f64 = 0.6;

/// `<h1>`s from which a page has many.
const MANY: usize = 4;

/// Likeness of a heading to the last part of the address from which its words are those of the address.
const SAYS_PART: f64 = 0.6;

/// Different words of a heading that an address repeats, at least: fewer are the name of a section.
const ADDRESS_WORDS: usize = 3;

/// Letters that may follow the headline in the heading that shows it, such as its date, and letters that it has then at least.
const MAX_ADDED: usize = 12;
const MIN_LETTERS: usize = 20;

/// Longest `<h1>` that can be a headline, in bytes; longer ones are paragraphs.
const MAX_H1_BYTES: usize = 400;

/// Chooses the headline of a page. A heading that holds the text below it too says it, but does not show it.
pub(super) fn choose(page: &Page, metas: &Metas, json_ld: &JsonLd, site: Option<&str>) -> Headline {
    let mut headline = chosen(page, metas, json_ld, site);
    headline.node = headline.node.filter(|&node| !is_left_open(page, node));
    // Soft hyphens only show where a line ends.
    headline.text.retain(|c| c != '\u{ad}');
    headline
}

fn chosen(page: &Page, metas: &Metas, json_ld: &JsonLd, site: Option<&str>) -> Headline {
    let site = Site::new(page, site);
    let title = document_title(page);
    let clean_title = site.cut_off(&title);
    let social = metas.title().map(|title| site.cut_off(title));
    let social = social.filter(|title| !title.is_empty() && !site.is(title, Side::Start));
    let linked = json_ld.headline();
    // Of a page without an `<h1>` like any of them, the first is the headline.
    let mut titles = [social.as_deref(), Some(clean_title.as_str()), linked.as_deref()];
    if json_ld.is_article() {
        titles.swap(1, 2);
    }
    let titles: Vec<&str> = titles.into_iter().flatten().filter(|title| !title.is_empty()).collect();
    let whole = format!("{title}\n{}", metas.title().unwrap_or_default()).to_lowercase();
    let headings: Vec<(NodeId, String)> = page
        .about(Tag::H1)
        .filter(|&id| page.contains(page.body(), id) && page.is_live(id))
        .take(MAX_HEADLINE_NODES)
        .map(|id| (id, without_count(&without_permalink(&without_buttons(page, id, &whole)), &whole).to_owned()))
        .filter(|(_, heading)| !heading.is_empty() && heading.len() <= MAX_H1_BYTES)
        .filter(|(id, heading)| {
            !leads_to_other_site(page, *id) || titles.iter().any(|title| likeness(heading, title) >= LIKE_OF_MANY)
        })
        .collect();
    let mut best: Option<(f64, &(NodeId, String))> = None;
    for heading in &headings {
        if site.is(&heading.1, Side::End) && !site.begins(&heading.1, &title, &clean_title) {
            continue;
        }
        let likeness = titles.iter().map(|title| likeness(&heading.1, title)).fold(0.0, f64::max);
        let is_repeated = heading.1.contains(' ') && whole.contains(&heading.1.to_lowercase());
        let is_marked = page.attribute(heading.0, &html5ever::local_name!("itemprop")) == Some("headline");
        let score = likeness + if is_repeated || is_marked { REPEATED } else { 0.0 };
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, heading));
        }
    }
    let named_by_site = headings.iter().find(|(_, text)| site.is(text, Side::End));
    if let Some(h1) = best.map(|(_, h1)| h1).or(named_by_site)
        && let Some(headline) = behind_site(page, h1, &headings, &title)
    {
        return headline;
    }
    // The name of a blog is the `<h1>` and the title of all its pages.
    if let Some((_, (id, text))) = best
        && let Some(social) = social.as_deref().filter(|social| site.is(text, Side::End) && !is_same(social, text))
        && !is_content(page, *id)
        && let Some(node) = lower_heading(page, social)
    {
        return Headline { text: social.to_owned(), node: Some(node), only_h1: None };
    }
    let needed = if headings.len() >= MANY { LIKE_OF_MANY } else { LIKE };
    let is_enough = |score: f64| score >= needed || titles.is_empty();
    if let Some((score, (id, text))) = best
        && is_enough(score)
    {
        return Headline { text: text.clone(), node: Some(*id), only_h1: None };
    }
    // A title that has no word of the only heading of the content names the site, where nothing else is told to machines.
    if let Some((0.0, (id, text))) = best
        && headings.len() == 1
        && metas.title().is_none()
        && linked.is_none()
        && is_content(page, *id)
    {
        return Headline { text: text.clone(), node: Some(*id), only_h1: None };
    }
    if let Some((id, text)) = in_address(page, &headings) {
        return Headline { text: text.clone(), node: Some(*id), only_h1: None };
    }
    let text = titles.first().map_or(title.as_str(), |title| title).to_owned();
    let only_h1 = best.filter(|_| headings.len() == 1).map(|(_, (id, _))| *id);
    let node = lower_heading(page, &text);
    if headings.is_empty()
        && node.is_none()
        && let Some(headline) = shown::part(page, &text)
    {
        return headline;
    }
    Headline { text, node, only_h1 }
}

/// The heading whose words are those of the page's address: some sites have one title for all of their pages.
fn in_address<'a>(page: &Page, headings: &'a [(NodeId, String)]) -> Option<&'a (NodeId, String)> {
    let part = page.url().path_segments()?.rfind(|part| !part.is_empty())?;
    let is_long = |text: &str| words(text).len() >= ADDRESS_WORDS;
    let mut likes = headings.iter().filter(|(_, text)| is_long(text) && likeness(text, part) >= SAYS_PART);
    likes.next()
}

/// The lower headings with their words.
fn lower_headings(page: &Page) -> impl Iterator<Item = (NodeId, String)> + '_ {
    let is_lower = |id: &NodeId| matches!(page.tag(*id), Some(Tag::H2 | Tag::H3 | Tag::H4));
    page.live(page.body())
        .filter(is_lower)
        .take(MAX_HEADLINE_NODES)
        .map(|id| (id, without_permalink(&start_of_line(page, id))))
}

/// The first heading of a lower level that says the same, and little more: on many pages the `<h1>` is the name of the site.
fn lower_heading(page: &Page, headline: &str) -> Option<NodeId> {
    let wanted = letters(headline);
    if wanted.is_empty() {
        return None;
    }
    let most = if wanted.chars().count() >= MIN_LETTERS { MAX_ADDED } else { 0 };
    lower_headings(page)
        .find(|(_, text)| {
            let text = letters(text);
            let added = text.strip_prefix(&*wanted).map(|rest| rest.chars().count());
            added.is_some_and(|added| added <= most)
        })
        .map(|(id, _)| id)
}

/// The heading that says the beginning of a title whose end is an `<h1>` above the content: the site or the book has one name on all of
/// its pages.
fn behind_site(page: &Page, h1: &(NodeId, String), h1s: &[(NodeId, String)], title: &str) -> Option<Headline> {
    let at = title.rfind(&h1.1).filter(|&at| at > 0)?;
    let rest = letters(&title[..at]);
    if rest.is_empty() || is_content(page, h1.0) {
        return None;
    }
    let is_last = split(title).last().is_some_and(|last| is_same(&h1.1, last.text));
    let says = |id: NodeId, text: &str| {
        let own = letters(text);
        let is_beginning = !own.is_empty() && rest.starts_with(&own);
        is_last && is_beginning && own.len() * 2 >= rest.len()
            || is_beginning && id > h1.0 && words(text).len() >= ADDRESS_WORDS
            || is_last && id > h1.0 && is_content(page, id) && own.starts_with(&rest)
    };
    let other = h1s.iter().filter(|other| other.0 != h1.0).cloned();
    let (id, text) = other.chain(lower_headings(page)).find(|(id, text)| says(*id, text))?;
    Some(Headline { text, node: Some(id), only_h1: None })
}

fn is_content(page: &Page, id: NodeId) -> bool {
    let mut around = page.ancestors(id);
    around.any(|up| matches!(page.tag(up), Some(Tag::Main | Tag::Article)))
}

/// The words of a heading without what a button at its end says, "Add to favourites", unless nothing is left but a number or titles say
/// it too.
fn without_buttons(page: &Page, heading: NodeId, titles: &str) -> String {
    let mut text = start_of_line(page, heading);
    for button in page.live(heading).filter(|&id| page.tag(id) == Some(Tag::Button)) {
        let said = start_of_line(page, button);
        if !titles.contains(&said.to_lowercase())
            && let Some(rest) = text.strip_suffix(&*said).filter(|rest| rest.contains(char::is_alphabetic))
        {
            text.truncate(rest.trim_end().len());
        }
    }
    text
}

/// Whether all that a heading says is a link to another site: an announcement above the page.
fn leads_to_other_site(page: &Page, heading: NodeId) -> bool {
    let links = page.live(heading).filter(|&id| page.tag(id) == Some(Tag::A));
    let mut addresses = links.filter_map(|id| page.address(id, &html5ever::local_name!("href")));
    let leads_away = addresses.next().is_some_and(|to| to.has_host() && !is_same_site(&to, page.web_url()));
    leads_away && page.live(heading).all(|id| page.own_chars(id) == 0 || page.in_link(id))
}

/// `Dresses (158 items)`, where no title says the number.
fn without_count<'a>(heading: &'a str, titles: &str) -> &'a str {
    let Some((name, count)) = heading.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) else { return heading };
    let mut words = count.split_whitespace();
    let is_number = words.next().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit() || matches!(c, ',' | '.')));
    // One word alone may be a year.
    let is_count = is_number && words.next().is_some() && words.next().is_none();
    if is_count && !name.trim().is_empty() && !titles.contains(&count.to_lowercase()) {
        name.trim_end()
    } else {
        heading
    }
}

/// `Middleware¶`, `Options #`: the sign that links to the heading.
fn without_permalink(heading: &str) -> String {
    heading.trim_end_matches(['¶', '§', '🔗', '#']).trim_end().to_owned()
}

/// Words that two titles have in common: word F1, as of two answers to one question.
fn likeness(left: &str, right: &str) -> f64 {
    let (left, right) = (words(left), words(right));
    let total: usize = left.values().sum::<usize>() + right.values().sum::<usize>();
    let common: usize = left.iter().map(|(word, count)| (*count).min(right.get(word).copied().unwrap_or(0))).sum();
    if total == 0 {
        return 0.0;
    }
    2.0 * common as f64 / total as f64
}

fn words(title: &str) -> Table<String, usize> {
    let mut words = Table::default();
    for word in title.split(|c: char| !c.is_alphanumeric()) {
        if !word.is_empty() {
            *words.entry(word.to_lowercase()).or_insert(0) += 1;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen_of(html: &str) -> String {
        let page = crate::testing::page(html);
        choose(&page, &Metas::from_page(&page), &JsonLd::from_page(&page), None).text
    }

    #[test]
    fn a_name_that_all_pages_share_is_no_headline() {
        let head = "<h1>A Course of Baking</h1><h2>Before we begin</h2>";
        assert_eq!(chosen_of(&format!("<title>Before we begin | A Course of Baking</title>{head}")), "Before we begin");
        assert_eq!(chosen_of(&format!("<title>Recipes | A Course of Baking</title>{head}")), "A Course of Baking");
        let blog = "<title>Example bakes</title><meta property=og:title content=Rye><h1>Example bakes</h1>";
        assert_eq!(chosen_of(&format!("{blog}<main><h2>Rye</h2></main>")), "Rye");
        assert_eq!(chosen_of(&format!("{blog}<main><h2>Oats</h2></main>")), "Example bakes");
    }

    #[test]
    fn a_title_without_a_word_of_the_only_heading_of_the_content_names_the_site() {
        let heading = "<main><h1>Rye bread at home</h1></main>";
        assert_eq!(chosen_of(&format!("<title>Example bakes</title>{heading}")), "Rye bread at home");
        let told = "<meta property=og:title content=\"Three loaves\">";
        assert_eq!(chosen_of(&format!("<title>Example bakes</title>{told}{heading}")), "Three loaves");
        assert_eq!(chosen_of("<title>Three loaves</title><h1>Example bakes</h1>"), "Three loaves");
        assert_eq!(
            chosen_of(&format!("<title>Three loaves</title>{heading}<main><h1>Oats</h1></main>")),
            "Three loaves"
        );
    }

    #[test]
    fn a_heading_that_leads_to_another_site_is_no_headline() {
        let head =
            "<title>Rye bread at home</title><h1><a href=https://other.example/>Our course of baking rye</a></h1>";
        assert_eq!(chosen_of(head), "Rye bread at home");
        let linked = "<title>Rye bread at home</title><h1><a href=https://other.example/>Rye bread at home</a></h1>";
        assert_eq!(chosen_of(linked), "Rye bread at home");
    }

    #[test]
    fn how_many_there_are_is_no_part_of_a_headline() {
        assert_eq!(chosen_of("<title>Dresses | Shop</title><h1>Dresses (158 ITEMS)</h1>"), "Dresses");
        assert_eq!(chosen_of("<title>Elections (2024)</title><h1>Elections (2024)</h1>"), "Elections (2024)");
    }

    #[test]
    fn an_index_is_not_called_by_one_of_its_articles() {
        let articles = "<h1>Bread of the Board</h1><h1>Oven</h1><h1>Flour</h1><h1>Salt</h1>";
        assert_eq!(chosen_of(&format!("<title>The Baking Board</title>{articles}")), "The Baking Board");
    }

    #[test]
    fn the_address_tells_the_headline_where_one_title_is_that_of_all_pages() {
        let html = "<title>Board - The heart of the town</title><h1>Is iron a metal that rusts?</h1>";
        let chosen_at = |address: &str| {
            let page = crate::testing::page_at(address, html);
            choose(&page, &Metas::from_page(&page), &JsonLd::from_page(&page), None).text
        };
        assert_eq!(
            chosen_at("https://board.example/r/iron/1a/is_iron_a_metal_that_rusts/"),
            "Is iron a metal that rusts?"
        );
        assert_eq!(chosen_at("https://board.example/iron/"), "The heart of the town");
    }

    #[test]
    fn a_product_may_begin_with_the_name_of_its_maker() {
        let page = crate::testing::page_at(
            "https://www.acme.example/kettle",
            "<title>Acme Kettle – Steel - Acme - Official Site</title><h1>Acme Kettle - Steel</h1>",
        );
        let headline = choose(&page, &Metas::from_page(&page), &JsonLd::from_page(&page), None);
        assert_eq!(headline.text, "Acme Kettle - Steel");
    }

    #[test]
    fn a_heading_with_a_date_behind_the_headline_shows_it() {
        let html =
            "<title>A parser for every browser</title><h1>Anna</h1><h2>A parser for every browser / Dec 2025</h2>";
        let page = crate::testing::page(html);
        let headline = choose(&page, &Metas::from_page(&page), &JsonLd::from_page(&page), None);
        assert_eq!(headline.node.and_then(|id| page.tag(id)), Some(Tag::H2));
    }
}
