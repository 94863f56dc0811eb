//! Who wrote the page: a name that the page gives as that of the author of *this* text.
//!
//! In this order: the people whom it names to search engines and social networks, the byline that it shows (`byline`), and
//! last, on an article alone, an organization. The name of the site is such an organization too, whatever it is declared as:
//! publishing systems fill it in where nobody is named, and a byline says more.
//!
//! Measured on WCXB dev, 2026-11-21 (`examples/authors.rs`): docs/quality.md.

use super::{Headline, byline, document_title, is_same, json_ld::JsonLd, letters, metas::Metas, names::tidy};
use crate::html::Page;

/// Chooses the author of a page.
pub(super) fn choose(
    page: &Page,
    metas: &Metas,
    json_ld: &JsonLd,
    headline: &Headline,
    site: Option<&str>,
) -> Option<String> {
    let house = House::new(page, site);
    let is_article = json_ld.is_article() || metas.is_article();
    let tidied = |name: Option<String>| {
        let name = tidy(&name?)?;
        (!is_same(&name, &headline.text)).then_some(name)
    };
    let declared = [
        tidied(metas.authors_of_paper()),
        tidied(json_ld.author(&headline.text)),
        tidied(metas.author()),
        tidied(metas.written_by()),
    ];
    if let Some(name) = declared.iter().flatten().find(|name| !house.is(name)) {
        // A name that no reader meets is often that of whoever put the text in.
        let shown = || byline::below_headline(page, headline).filter(|name| !house.is(name));
        let other = if is_shown(page, name) { None } else { shown() };
        return Some(other.unwrap_or_else(|| name.clone()));
    }
    let house_name = || {
        let any = || tidied(json_ld.any_author(&headline.text));
        declared.iter().flatten().next().cloned().or_else(any)
    };
    byline::author(page, headline)
        // "Acme Kettle", "by Acme": whose make it is.
        .filter(|name| !is_same(name, &headline.text) && (is_article || !document_title(page).starts_with(&**name)))
        .or_else(|| house_name().filter(|_| is_article))
        // Whoever runs a site of their own is called what the site is.
        .or_else(|| tidied(metas.author()).filter(|name| is_person(name)))
}

/// Whether a name is that of a person and not of an organisation: two or three words with capitals.
fn is_person(name: &str) -> bool {
    let is_name = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.chars().skip(1).all(|c| c.is_lowercase() || matches!(c, '-' | '\'' | '.'))
    };
    let words: Vec<&str> = name.split(' ').collect();
    (2..=3).contains(&words.len()) && words[0] != "The" && words.iter().all(|word| is_name(word))
}

/// Whether a name stands somewhere on the page.
fn is_shown(page: &Page, name: &str) -> bool {
    let first = name.split(", ").next().unwrap_or(name);
    page.live(page.body())
        .filter(|&id| page.own_chars(id) > 0)
        .any(|id| page.text(id).is_some_and(|text| text.contains(first)))
}

/// The names of whoever runs the site, letters and digits only.
struct House(Vec<String>);

impl House {
    fn new(page: &Page, site: Option<&str>) -> House {
        let host = page.web_url().host_str().unwrap_or_default();
        let mut names: Vec<String> = host.split('.').map(letters).collect();
        names.push(letters(host));
        names.extend(site.map(letters));
        House(names)
    }

    fn is(&self, name: &str) -> bool {
        /// Legal forms in the names of companies.
        const FORMS: [&str; 7] = ["inc", "llc", "ltd", "gmbh", "corporation", "pvt", "plc"];
        let folded = letters(name);
        let last = name.split_whitespace().next_back().map(letters);
        self.0.contains(&folded) || last.is_some_and(|last| FORMS.contains(&last.as_str()))
    }
}
