//! What a page says about itself: title, author, date, language, site, picture, next page.
//!
//! A page says it in several places, for several readers; each place is a file: `json_ld` (search engines), `metas`
//! (social networks, libraries), `marks` (microdata and days in the text), `pages` (the page that comes next), and
//! `headline` weighs the titles against each other. What is said is a claim of the page: it is shown as text and never
//! trusted. Read before any filter runs, because scripts are the first thing that goes.

mod author;
mod byline;
mod date;
mod headline;
mod json_ld;
mod language;
mod marks;
mod metas;
mod names;
pub(crate) mod pages;

use serde::Serialize;
use url::Url;

use crate::{
    html::{NodeId, Page, tag::Tag},
    page_type::{Claims, PageType},
    vocabulary::words::{one_line, text_size},
};
use json_ld::JsonLd;
use metas::Metas;

/// Metadata that a page declares. A field is `None` where the page does not declare it, or not in a usable way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// The headline: the page's own title, without the name of the site.
    pub title: String,
    /// Who wrote it; several names are separated by commas.
    pub author: Option<String>,
    /// The day on which it was published, as in ISO 8601: `2026-11-21`.
    pub date: Option<String>,
    /// The language of the text as a BCP 47 tag: `en-GB`.
    pub language: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// One or two sentences on what the page holds.
    pub description: Option<String>,
    /// The picture that stands for the page.
    pub image: Option<Url>,
    /// The next page of the same article.
    pub next_page: Option<Url>,
    /// The page before this one of the same article, thread or list.
    #[serde(skip)]
    pub previous_page: Option<Url>,
    /// The type of the page. Set by [`crate::Chain::extract`] alone: nothing else asks for it.
    pub kind: Option<PageType>,
    /// Whether the page says that it is one article.
    #[serde(skip)]
    pub(crate) is_article: bool,
}

/// The headline of the page, and the heading that shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Headline {
    pub(crate) text: String,
    /// The heading that shows the headline, where there is one.
    pub(crate) node: Option<NodeId>,
    /// The only `<h1>` of a page where no heading shows the headline.
    pub(crate) only_h1: Option<NodeId>,
}

/// The result of [`read`].
pub(crate) struct Declared {
    pub(crate) metadata: Metadata,
    pub(crate) headline: Headline,
    /// The text that the page gives to search engines.
    pub(crate) hidden_text: HiddenText,
    /// Claims of the page about its type, its author and its date.
    pub(crate) claims: Claims,
}

/// Text of a page that stands in its JSON-LD, for pages that have next to no other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct HiddenText {
    /// All of an article (`articleBody`, schema.org), a paragraph each.
    pub(crate) article: Vec<String>,
    /// A summary of whatever it is (`description`).
    pub(crate) description: Vec<String>,
}

impl HiddenText {
    /// Visible characters, about 100 words, from which an `articleBody` is an article. Shorter ones repeat the first lines of
    /// what scripts would draw. The same measure as `main_block.picture_chars`.
    const ARTICLE_CHARS: usize = 500;

    pub(crate) fn is_article(&self) -> bool {
        let size: usize = self.article.iter().map(|text| text_size(text)).sum();
        size >= HiddenText::ARTICLE_CHARS
    }
}

/// Longest value that is taken for a name or a title, in bytes: beyond, it is a text. Longer names are not shown.
const MAX_NAME_BYTES: usize = 200;

/// Bytes read of a title or a heading. The longest headlines are of a few hundred characters; headings can be nested and
/// titles can hold megabytes, and each heading is looked for in the title. Raising it costs time on hostile pages.
const MAX_HEADLINE_BYTES: usize = 1000;

/// Nodes of a heading that are read for its text, and headings that are looked at: the same concern.
const MAX_HEADLINE_NODES: usize = 100;

/// The name of a site into which a page wrote its whole title: what stands behind the last bar of it.
fn without_headline(site: &str, headline: &str) -> Option<String> {
    /// Letters of a headline that is not the site's name itself.
    const MIN_LETTERS: usize = 20;
    let (folded, wanted) = (letters(site), letters(headline));
    let holds_it = wanted.chars().count() >= MIN_LETTERS && folded.contains(&wanted);
    if !holds_it || folded == wanted {
        return Some(site.to_owned());
    }
    let (_, last) = site.rsplit_once('|')?;
    let last = last.trim();
    (!letters(last).contains(&wanted)).then(|| last.to_owned())
}

/// The day that a line names to readers of a language, as [`Metadata::date`] has it.
pub(crate) fn day_in(line: &str, language: Option<&str>) -> Option<String> {
    date::parse_shown(line, language)
}

/// Reads all of it.
pub(crate) fn read(page: &Page) -> Declared {
    let metas = Metas::from_page(page);
    let json_ld = JsonLd::from_page(page);
    let site = metas.site().or_else(|| json_ld.site());
    let headline = headline::choose(page, &metas, &json_ld, site.as_deref());
    let author = author::choose(page, &metas, &json_ld, &headline, site.as_deref());
    // Soft hyphens only show where a line ends.
    let plain = |text: String| text.replace('\u{ad}', "");
    let author = author.map(|name| plain(names::without_full_stop(&name).to_owned()));
    let site = site.and_then(|site| without_headline(&site, &headline.text));
    let built = |day: String| {
        let shown = || marks::shown_before(page, headline.node, &day);
        let shown = json_ld.is_built_at_once().then(shown).flatten();
        shown.unwrap_or(day)
    };
    let in_path = date::from_path(page.web_url());
    // Dates in metadata are UTC. A date in the path is local, and wins if the two are one day apart.
    let local = |day: String| in_path.clone().filter(|path| date::are_neighbours(path, &day)).unwrap_or(day);
    let date = json_ld
        .date()
        .map(built)
        .or_else(|| metas.date())
        .map(local)
        .or_else(|| marks::date(page, headline.node))
        .or_else(|| in_path.clone());
    Declared {
        claims: Claims {
            types: json_ld.types(),
            open_graph: metas.kind().unwrap_or_default(),
            generator: metas.generator(page).unwrap_or_default(),
            has_author: author.is_some(),
            has_date: date.is_some(),
        },
        metadata: Metadata {
            title: headline.text.clone(),
            author,
            date,
            language: language::from_page(page).or_else(|| metas.language()).or_else(|| json_ld.language()),
            site,
            description: metas.description().or_else(|| json_ld.description()).map(plain),
            image: json_ld
                .image()
                .or_else(|| metas.image())
                .and_then(|address| page.base().join(&address).ok())
                .filter(|url| matches!(url.scheme(), "http" | "https")),
            next_page: pages::next(page),
            previous_page: pages::previous(page),
            kind: None,
            is_article: json_ld.is_article() || metas.is_article(),
        },
        headline,
        hidden_text: json_ld.hidden_text(),
    }
}

/// The page's `<title>`, on one line; empty where there is none.
pub(crate) fn document_title(page: &Page) -> String {
    page.about(Tag::Title).next().map(|id| title_line(&page.raw_text(id, MAX_HEADLINE_BYTES))).unwrap_or_default()
}

/// A title for machines on one line. Some hold the `<br>` of the headline, as text.
pub(crate) fn title_line(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    let mut rest = title;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at);
        out.push_str(before);
        let tag = after.find('>').map(|end| &after[..=end]);
        rest = match tag {
            Some(tag) if is_break(tag) => {
                out.push(' ');
                &after[tag.len()..]
            }
            _ => {
                out.push('<');
                &after[1..]
            }
        };
    }
    out.push_str(rest);
    one_line(&out)
}

/// `<br>`, `<br/>`, `<BR />`.
fn is_break(tag: &str) -> bool {
    let name = tag.trim_matches(['<', '>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}

/// The beginning of a title or a heading, on one line.
pub(crate) fn start_of_line(page: &Page, id: NodeId) -> String {
    one_line(&page.start_of_text(id, MAX_HEADLINE_NODES, MAX_HEADLINE_BYTES))
}

/// Letters and digits only, in lower case: how names are compared.
pub(crate) fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    letters.extend(folded(text));
    letters
}

/// Letters and digits of a text in lower case, one by one.
pub(crate) fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Whether two names are the same but for case and punctuation.
pub(crate) fn is_same(left: &str, right: &str) -> bool {
    folded(left).eq(folded(right))
}

#[cfg(test)]
mod tests;
