//! `<meta>`: the Open Graph protocol (<https://ogp.me>), the cards of Twitter, Dublin Core, the tags of Highwire that
//! libraries read, and the names that publishing systems use.

use html5ever::local_name;

use super::{byline::is_of_another, date, is_same, letters, title_line};
use crate::html::{Page, tag::Tag};
use crate::vocabulary::lists::{WordList, words};

/// `<meta>` elements that are read; pages have some dozens. Raising it costs time on hostile pages.
const MAX_METAS: usize = 500;

/// Bytes of a value that are read.
const MAX_VALUE_BYTES: usize = 2000;

/// Names and contents, in the order of the page, names in lower case.
pub(super) struct Metas(Vec<(String, String)>);

impl Metas {
    pub(super) fn from_page(page: &Page) -> Metas {
        let keys = [local_name!("property"), local_name!("name"), local_name!("itemprop"), local_name!("http-equiv")];
        let mut all = Vec::new();
        for id in page.about(Tag::Meta).take(MAX_METAS) {
            let Some(content) = page.attribute(id, &local_name!("content")) else {
                continue;
            };
            let end = content.floor_char_boundary(MAX_VALUE_BYTES.min(content.len()));
            let content = title_line(&content[..end]);
            if content.is_empty() {
                continue;
            }
            for key in &keys {
                // The author of a review is not that of the page.
                let is_foreign = || *key == keys[2] && is_of_another(page, id);
                if let Some(name) = page.attribute(id, key)
                    && !is_foreign()
                {
                    all.push((name.trim().to_ascii_lowercase(), content.clone()));
                }
            }
        }
        Metas(all)
    }

    /// The first content of one of these names, in the order of the names.
    fn first(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| {
            let mut all = self.0.iter();
            all.find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        })
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let is_wanted = move |(known, _): &&(String, String)| known == name;
        self.0.iter().filter(is_wanted).map(|(_, value)| value.as_str())
    }

    pub(super) fn title(&self) -> Option<&str> {
        self.first(&["og:title", "twitter:title"])
    }

    pub(super) fn site(&self) -> Option<String> {
        self.first(&["og:site_name", "application-name"])
            .filter(|name| name.len() <= super::MAX_NAME_BYTES)
            .map(str::to_owned)
    }

    /// The authors of a paper, as libraries read them: "Ash, Ann" as well as "Ann Ash".
    pub(super) fn authors_of_paper(&self) -> Option<String> {
        let turned = |name: &str| match name.split_once(", ") {
            Some((last, first)) if !first.contains(',') => format!("{first} {last}"),
            _ => name.to_owned(),
        };
        let names: Vec<String> = self.all("citation_author").map(turned).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// All that are named; `article:author` is the address of a profile by its definition, and a name on many pages.
    pub(super) fn author(&self) -> Option<String> {
        let names =
            ["author", "article:author", "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator", "byl"];
        let is_name = |value: &&str| !value.contains("://") && !value.starts_with('@');
        names.iter().find_map(|name| {
            let mut all: Vec<&str> = self.all(name).filter(is_name).collect();
            all.dedup_by(|name, before| is_same(name, before));
            (!all.is_empty()).then(|| all.join(", "))
        })
    }

    /// The name in the labels of a card of Twitter, which publishing systems fill in with "Written by" and the like: `twitter:label1`
    /// says what `twitter:data1` is.
    pub(super) fn written_by(&self) -> Option<String> {
        let is_author = |label: &&str| {
            let label = label.to_lowercase();
            label.ends_with(" by") || label == "author"
        };
        [1, 2].iter().find_map(|number| {
            self.first(&[&format!("twitter:label{number}")]).filter(is_author)?;
            self.first(&[&format!("twitter:data{number}")]).map(str::to_owned)
        })
    }

    /// The day of publication, whatever the program puts before its name: `og:article:published_time`. The names that do not say of what
    /// the day is are left out where their day is that of a change.
    pub(super) fn date(&self) -> Option<String> {
        static PUBLISHED: WordList = words!("published");
        const VAGUE: [&str; 4] = ["dc.date", "dcterms.date", "published", "date"];
        let changed = self.first(&["article:modified_time", "og:updated_time", "dcterms.modified"]);
        let folded: Vec<(String, &str)> = self.0.iter().map(|(name, value)| (letters(name), &**value)).collect();
        let of_ending = |ending: &&str| {
            let mut those = folded.iter().filter(|(name, _)| name.ends_with(ending));
            those.find_map(|(_, value)| date::parse(value))
        };
        let vague = |name: &&str| self.all(name).filter(|value| Some(*value) != changed).find_map(date::parse);
        PUBLISHED.iter().find_map(of_ending).or_else(|| VAGUE.iter().find_map(vague))
    }

    pub(super) fn language(&self) -> Option<String> {
        self.first(&["content-language", "og:locale", "dc.language"]).and_then(super::language::language_tag)
    }

    pub(super) fn description(&self) -> Option<String> {
        self.first(&["og:description", "description", "twitter:description"]).map(str::to_owned)
    }

    pub(super) fn image(&self) -> Option<String> {
        self.first(&["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"])
            .map(str::to_owned)
    }

    /// `og:type`, as it is compared.
    pub(super) fn kind(&self) -> Option<String> {
        self.first(&["og:type"]).map(str::to_lowercase)
    }

    /// The program that made the page.
    pub(super) fn generator(&self, page: &Page) -> Option<String> {
        /// Nodes in which a program's own element is looked for: it is around all others.
        const NODES: usize = 20;
        // Lemmy names itself nowhere else.
        let is_lemmys = |id| page.attribute(id, &local_name!("class")) == Some("lemmy-site");
        let is_lemmy = || page.live(page.body()).take(NODES).any(is_lemmys).then(|| "lemmy".to_owned());
        self.first(&["generator"]).map(str::to_lowercase).or_else(is_lemmy)
    }

    pub(super) fn is_article(&self) -> bool {
        self.first(&["og:type"]).is_some_and(|kind| kind.eq_ignore_ascii_case("article"))
    }
}
