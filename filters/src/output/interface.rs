//! The reader page's own labels, in the page's language or in English.

use std::sync::LazyLock;

/// A text of the reader page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    Removed,
    Links,
    Ads,
    SmallerPictures,
    Less,
    More,
    NextBlock,
    Original,
    Text,
    Why,
    Page,
    Site,
    Look,
    AsItWas,
    NextPage,
    RemovedLinks,
    Comments,
    Menu,
    TextHint,
    LessHint,
    MoreHint,
    NextBlockHint,
    WhyHint,
    SiteHint,
    BookHint,
    PreviousPage,
    WhyTitle,
    WhyIntro,
    WhyMenu,
    WhyAd,
    WhyRelated,
    WhyComments,
    WhyFooter,
    WhyLinks,
    WhyForm,
    WhyHidden,
    WhyEmbedded,
    WhyEmpty,
    WhyPicture,
    WhyConsent,
    WhyOffer,
    WhyOther,
    WhySure,
    WhyKept,
    WhyDetails,
    Keep,
    KeepHint,
    Exposed,
    ExposedPassword,
}

/// In `data/interface.txt`; the first are those of [`Label`], in its order.
const NAMES: [&str; 52] = [
    "removed",
    "links",
    "ads",
    "smaller_pictures",
    "less",
    "more",
    "next_block",
    "original",
    "text",
    "why",
    "page",
    "site",
    "look",
    "as_it_was",
    "next_page",
    "removed_links",
    "comments",
    "menu",
    "text_hint",
    "less_hint",
    "more_hint",
    "next_block_hint",
    "why_hint",
    "site_hint",
    "book_hint",
    "previous_page",
    "why_title",
    "why_intro",
    "why_menu",
    "why_ad",
    "why_related",
    "why_comments",
    "why_footer",
    "why_links",
    "why_form",
    "why_hidden",
    "why_embedded",
    "why_empty",
    "why_picture",
    "why_consent",
    "why_offer",
    "why_other",
    "why_sure",
    "why_kept",
    "why_details",
    "keep",
    "keep_hint",
    "exposed",
    "exposed_password",
    "elsewhere",
    "lists_of_links",
    "other_links",
];

/// The words of one language.
pub(crate) struct Interface {
    /// Its BCP 47 tag.
    pub(crate) language: &'static str,
    texts: [&'static str; NAMES.len()],
}

static ALL: LazyLock<Vec<Interface>> = LazyLock::new(|| {
    let mut all: Vec<Interface> = Vec::new();
    let lines = include_str!("../../data/interface.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some((language, _)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
            all.push(Interface { language, texts: [""; NAMES.len()] });
        } else if let Some((name, text)) = line.split_once(" = ")
            && let Some(at) = NAMES.iter().position(|known| *known == name)
            && let Some(words) = all.last_mut()
        {
            words.texts[at] = text;
        }
    }
    all
});

impl Interface {
    /// Words of a language (BCP 47), whatever its region; English where it is unknown.
    pub(crate) fn for_language(language: Option<&str>) -> &'static Interface {
        let primary = language.and_then(|language| language.split(['-', '_']).next()).unwrap_or_default();
        let found = ALL.iter().find(|words| words.language.eq_ignore_ascii_case(primary));
        found.unwrap_or(&ALL[0])
    }

    pub(crate) fn get(&self, word: Label) -> &'static str {
        self.texts[word as usize]
    }

    /// A word by its name in the file.
    pub(crate) fn named(&self, name: &str) -> &'static str {
        NAMES.iter().position(|known| *known == name).map_or("", |at| self.texts[at])
    }

    /// A word with a number in it.
    pub(crate) fn counted(&self, word: Label, count: impl std::fmt::Display) -> String {
        self.get(word).replace("{}", &format!("{count}"))
    }
}

impl Default for &Interface {
    fn default() -> Self {
        &ALL[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_every_word() {
        assert_eq!(ALL.len(), 20);
        for words in ALL.iter() {
            for (name, text) in NAMES.iter().zip(words.texts) {
                let has_number = ["removed", "links", "ads", "removed_links", "comments", "why_sure"].contains(name);
                assert!(!text.is_empty() && text.contains("{}") == has_number, "{} {name}: {text:?}", words.language);
            }
        }
    }

    #[test]
    fn the_region_of_a_language_does_not_count() {
        let of = |language| Interface::for_language(language).language;
        assert_eq!(of(Some("de-AT")), "de");
        assert_eq!(of(Some("zh_TW")), "zh");
        assert_eq!(of(Some("tlh")), "en");
        assert_eq!(of(None), "en");
        assert_eq!(Interface::for_language(Some("fr")).counted(Label::Links, 3), "liens : 3");
    }
}
