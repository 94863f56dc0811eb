//! JSON-LD: what a page tells search engines, in the words of <https://schema.org>.
//!
//! Only the things that the page is about are read: those at the top, in `@graph`, and what is the `mainEntity`. What is
//! nested deeper (the author of a review, the publisher of a cited work) is about something else.

use std::collections::VecDeque;

use html5ever::local_name;
use serde_json::{Map, Value};

use super::{HiddenText, MAX_NAME_BYTES, date, is_same};
use crate::{
    html::{Page, tag::Tag},
    measure::text,
    vocabulary::words::one_line,
};

/// Bytes of JSON-LD that are read of one page, all scripts together. Shops describe hundreds of products in 200 KB; what is
/// wanted stands at the start. Raising it costs time on hostile pages.
const MAX_BYTES: usize = 512 * 1024;

/// Things that are looked at.
const MAX_THINGS: usize = 1000;

/// Names of one list of authors that are joined.
const MAX_AUTHORS: usize = 10;

/// Bytes of an article's text that are taken.
const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The page's JSON-LD.
pub(super) struct JsonLd {
    things: Vec<Map<String, Value>>,
}

impl JsonLd {
    pub(super) fn from_page(page: &Page) -> JsonLd {
        let mut left = MAX_BYTES;
        let mut queue = VecDeque::new();
        let scripts = page.about(Tag::Script).filter(|&id| {
            page.attribute(id, &local_name!("type"))
                .is_some_and(|kind| kind.trim().to_ascii_lowercase().starts_with("application/ld+json"))
                && page.is_live(id)
        });
        for id in scripts {
            let text = page.raw_text(id, left);
            left -= text.len().min(left);
            queue.extend(parse(&text));
        }
        JsonLd { things: flatten(queue) }
    }

    /// The things whose type is one of these, in the order of the page.
    fn with_type<'a>(&'a self, is_wanted: impl Fn(&str) -> bool + 'a) -> impl Iterator<Item = &'a Map<String, Value>> {
        self.things.iter().filter(move |thing| strings(thing.get("@type")).any(&is_wanted))
    }

    /// The types of everything that the page is about.
    pub(super) fn types(&self) -> Vec<String> {
        let types = self.things.iter().flat_map(|thing| strings(thing.get("@type")));
        types.map(str::to_owned).collect()
    }

    fn article(&self) -> Option<&Map<String, Value>> {
        self.with_type(is_article).next()
    }

    pub(super) fn is_article(&self) -> bool {
        self.article().is_some()
    }

    /// The article, or whatever else has a name and an author.
    fn work(&self) -> Option<&Map<String, Value>> {
        self.article()
            .or_else(|| self.with_type(is_work).next())
            .or_else(|| self.with_type(|kind| kind == "WebPage").next())
    }

    /// The work that the page is about. Of several articles the one with the headline, else the first if all have one author.
    fn only_work(&self, headline: &str) -> Option<&Map<String, Value>> {
        let titles = |thing: &Map<String, Value>| {
            let said = ["headline", "name"].map(|key| name_of(thing.get(key)));
            said.into_iter().flatten().any(|title| is_same(&title, headline))
        };
        let mut articles = self.with_type(is_article);
        match (articles.next(), articles.next()) {
            (Some(_), Some(_)) => {
                let mut those = self.with_type(is_article);
                those.find(|article| titles(article)).or_else(|| {
                    let mut authors = self.with_type(is_article).map(|article| article.get("author"));
                    let first = authors.next()?;
                    authors.all(|author| author == first).then(|| self.work())?
                })
            }
            _ => self.work(),
        }
    }

    pub(super) fn headline(&self) -> Option<String> {
        let article = self.article().or_else(|| self.with_type(is_work).next())?;
        name_of(article.get("headline")).or_else(|| name_of(article.get("name")))
    }

    /// The people who are named; `None` where it is an organization, which is the publisher by another name.
    pub(super) fn author(&self, headline: &str) -> Option<String> {
        self.names_of_authors(headline, |kind| kind != "Organization")
    }

    /// Whoever is named.
    pub(super) fn any_author(&self, headline: &str) -> Option<String> {
        self.names_of_authors(headline, |_| true)
    }

    fn names_of_authors(&self, headline: &str, is_wanted_kind: impl Fn(&str) -> bool) -> Option<String> {
        let work = self.only_work(headline)?;
        let author = work.get("author").or_else(|| work.get("creator"))?;
        let mut names: Vec<String> = Vec::new();
        for value in one_or_many(author).take(MAX_AUTHORS) {
            if !strings(value.get("@type")).all(&is_wanted_kind) {
                continue;
            }
            let name = name_of(Some(value)).or_else(|| {
                let wanted = value.get("@id")?.as_str()?;
                let is_wanted = |thing: &&Map<_, Value>| thing.get("@id").and_then(Value::as_str) == Some(wanted);
                name_of(self.things.iter().find(is_wanted)?.get("name"))
            });
            names.extend(name.filter(|name| !names.contains(name)));
        }
        (!names.is_empty()).then(|| names.join(", "))
    }

    pub(super) fn date(&self) -> Option<String> {
        let work = self.work()?;
        ["datePublished", "dateCreated", "uploadDate"].iter().find_map(|key| date::parse(work.get(*key)?.as_str()?))
    }

    /// Whether the day of publication is that of the last change to the letter.
    pub(super) fn is_built_at_once(&self) -> bool {
        let of = |key: &str| self.work().and_then(|work| work.get(key)).and_then(Value::as_str);
        of("datePublished").is_some() && of("datePublished") == of("dateModified")
    }

    pub(super) fn language(&self) -> Option<String> {
        super::language::language_tag(self.work()?.get("inLanguage")?.as_str()?)
    }

    pub(super) fn site(&self) -> Option<String> {
        let site = self.with_type(|kind| kind == "WebSite").next();
        site.and_then(|site| name_of(site.get("name"))).or_else(|| name_of(self.article()?.get("publisher")))
    }

    pub(super) fn description(&self) -> Option<String> {
        let text = self.work()?.get("description")?.as_str()?;
        let text = one_line(&plain(text, MAX_TEXT_BYTES));
        (!text.is_empty()).then_some(text)
    }

    /// The article's own picture. The `image` of a `WebPage` is that of the site as often as not.
    pub(super) fn image(&self) -> Option<String> {
        let article = self.article().or_else(|| self.with_type(is_work).next())?;
        one_or_many(article.get("image")?).find_map(|image| {
            let address = image.as_str().or_else(|| image.get("url")?.as_str())?;
            Some(address.trim().to_owned()).filter(|address| !address.is_empty())
        })
    }

    pub(super) fn hidden_text(&self) -> HiddenText {
        let text = |key: &str| {
            self.article()
                .into_iter()
                .chain(self.with_type(is_work))
                .find_map(|thing| thing.get(key)?.as_str())
                .map(|text| {
                    let end = text.floor_char_boundary(MAX_TEXT_BYTES.min(text.len()));
                    text[..end]
                        .lines()
                        .flat_map(|line| {
                            let text = plain(line, MAX_TEXT_BYTES);
                            text.lines().map(one_line).collect::<Vec<_>>()
                        })
                        .filter(|line| !line.is_empty())
                        .collect()
                })
                .unwrap_or_default()
        };
        HiddenText { article: text("articleBody"), description: text("description") }
    }
}

/// The subtypes of schema.org's `Article` and what search engines treat alike.
fn is_article(kind: &str) -> bool {
    kind.ends_with("Article")
        || kind.ends_with("Posting")
        || kind.ends_with("BlogPost")
        || matches!(kind, "Report" | "Review" | "Recipe" | "HowTo")
}

/// Other things of which a page has one as its subject.
fn is_work(kind: &str) -> bool {
    matches!(
        kind,
        "Product"
            | "ProductGroup"
            | "Book"
            | "Movie"
            | "Event"
            | "Course"
            | "Dataset"
            | "CreativeWork"
            | "SoftwareApplication"
            | "VideoObject"
            | "PodcastEpisode"
            | "JobPosting"
            | "QAPage"
            | "Question"
            | "MusicAlbum"
            | "Service"
    )
}

/// JSON as pages write it: with comments of HTML around it, and line breaks inside strings.
fn parse(text: &str) -> Option<Value> {
    let text = text
        .trim()
        .trim_start_matches("<!--")
        .trim_start_matches("//<![CDATA[")
        .trim_start_matches("<![CDATA[")
        .trim_end_matches("-->")
        .trim_end_matches("//]]>")
        .trim_end_matches("]]>")
        .trim()
        .trim_end_matches(';');
    // A control character is an error inside a string and means nothing outside of one (RFC 8259 § 7).
    let without_controls = || -> Option<Value> {
        let replaced = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        serde_json::from_str(&replaced.collect::<String>()).ok()
    };
    // Hardly any text has one in a string, and there is no other that JSON allows there.
    let may_be_allowed = |byte| matches!(byte, 0x7f | 0xc2);
    if text.bytes().fold(false, |found, byte| found | may_be_allowed(byte)) {
        return without_controls();
    }
    let read = serde_json::from_str(text).ok();
    read.or_else(without_controls)
}

fn flatten(mut queue: VecDeque<Value>) -> Vec<Map<String, Value>> {
    let mut things = Vec::new();
    while let Some(value) = queue.pop_front() {
        if things.len() >= MAX_THINGS {
            break;
        }
        match value {
            // What a list holds comes before what follows it.
            Value::Array(values) => {
                for value in values.into_iter().take(MAX_THINGS).rev() {
                    queue.push_front(value);
                }
            }
            Value::Object(mut thing) => {
                for key in ["mainEntityOfPage", "mainEntity", "@graph"] {
                    if matches!(thing.get(key), Some(Value::Array(_) | Value::Object(_)))
                        && let Some(inner) = thing.remove(key)
                    {
                        queue.push_front(inner);
                    }
                }
                things.push(thing);
            }
            _ => {}
        }
    }
    things
}

fn one_or_many(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(values) => values.as_slice(),
        value => std::slice::from_ref(value),
    }
    .iter()
}

fn strings(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.into_iter().flat_map(one_or_many).filter_map(Value::as_str)
}

/// A name: a string, or the `name` of a thing, or the two names of a person.
fn name_of(value: Option<&Value>) -> Option<String> {
    let value = one_or_many(value?).next()?;
    let of_person = || {
        let names = ["givenName", "familyName"].iter().filter_map(|key| value.get(*key)?.as_str());
        let name = names.collect::<Vec<_>>().join(" ");
        (!name.is_empty()).then_some(name)
    };
    let name = value.as_str().or_else(|| value.get("name")?.as_str()).map(str::to_owned).or_else(of_person)?;
    let name = one_line(&plain(&name, MAX_NAME_BYTES * 4));
    (!name.is_empty() && name.len() <= 2 * MAX_NAME_BYTES).then_some(name)
}

/// A value without the markup and the entities that some pages leave in it.
fn plain(value: &str, max_bytes: usize) -> String {
    let value = &value[..value.floor_char_boundary(max_bytes.min(value.len()))];
    if value.contains(['<', '&']) { text::from_markup(value) } else { value.to_owned() }
}
