//! What the page's author calls the parts of the page: roles, landmarks, and words in `class` and `id`.
//!
//! The words are general vocabulary of web design, none of a site's own.

use std::sync::LazyLock;

use html5ever::local_name;

use crate::{
    filter::{ignore::style_hides, main_block::auto::remembered::Remembered},
    page::{NodeId, Page, tag::Tag},
};

macro_rules! word_cues {
    ($($cue:ident: $($word:literal)|+;)+) => {
        /// A kind of thing that a word in `class` or `id` stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Cue { $($cue,)+ }

        /// Names of the cues, in order.
        pub(crate) const CUES: &[&str] = &[$(stringify!($cue),)+];

        /// The words, and the bit of the cue that each stands for.
        const WORDS: &[(&str, u32)] = &[$($(($word, Cue::$cue.bit()),)+)+];
    };
}

word_cues! {
    Content: "content" | "contents" | "article" | "articles" | "story" | "entry" | "body" | "text" | "post" | "main" | "prose" | "markdown" | "richtext" | "rte" | "copy" | "blog" | "page" | "single" | "detail" | "details" | "wiki" | "doc" | "docs" | "documentation";
    Message: "message" | "messages" | "reply" | "replies" | "thread" | "topic" | "forum" | "question" | "answer" | "answers" | "discussion" | "posts";
    Comment: "comment" | "comments" | "commentlist" | "disqus" | "respond" | "feedback";
    Related: "related" | "recommended" | "recommendations" | "recommendation" | "popular" | "trending" | "similar" | "suggested" | "suggestions" | "more" | "also" | "read" | "next" | "prev" | "previous" | "latest" | "recent" | "recirc" | "teaser" | "teasers" | "featured" | "upsell" | "viewed";
    Share: "share" | "sharing" | "social" | "socials" | "follow" | "sharebar" | "facebook" | "twitter" | "linkedin" | "whatsapp" | "addthis" | "like" | "likes" | "vote" | "votes";
    Nav: "nav" | "navbar" | "navigation" | "menu" | "menus" | "submenu" | "breadcrumb" | "breadcrumbs" | "crumb" | "crumbs" | "tabs" | "tab" | "links" | "megamenu" | "dropdown" | "subnav" | "skip" | "hamburger" | "offcanvas";
    Footer: "footer" | "foot" | "bottom" | "colophon" | "copyright" | "legal" | "subfooter";
    Header: "header" | "masthead" | "topbar" | "top" | "banner" | "head" | "logo" | "brand" | "branding";
    Title: "title" | "headline" | "heading" | "subtitle" | "hero" | "jumbotron";
    Sidebar: "sidebar" | "side" | "aside" | "rail" | "widget" | "widgets" | "secondary" | "complementary" | "supplementary" | "sticky";
    Ad: "ad" | "ads" | "advert" | "advertisement" | "advertising" | "sponsor" | "sponsored" | "sponsors" | "promo" | "promos" | "promotion" | "promotions" | "promoted" | "cta" | "affiliate" | "disclosure" | "partner" | "partners" | "dfp" | "outbrain" | "taboola";
    Newsletter: "newsletter" | "newsletters" | "subscribe" | "subscription" | "signup" | "optin" | "mailing" | "mailchimp" | "paywall" | "register";
    Consent: "cookie" | "cookies" | "consent" | "gdpr" | "privacy" | "ccpa" | "onetrust" | "cmp";
    Overlay: "modal" | "popup" | "overlay" | "dialog" | "lightbox" | "drawer" | "toast" | "tooltip" | "popover" | "flyout" | "notification" | "notice" | "alert" | "alerts";
    Author: "author" | "authors" | "byline" | "bio" | "avatar" | "profile" | "user" | "username" | "member" | "poster" | "contributor" | "userinfo";
    Meta: "meta" | "metadata" | "date" | "time" | "timestamp" | "published" | "tag" | "tags" | "category" | "categories" | "info" | "stats" | "stat" | "count" | "views" | "badge" | "label" | "labels" | "reading";
    Review: "review" | "reviews" | "rating" | "ratings" | "stars" | "testimonial" | "testimonials" | "qa" | "faq" | "faqs" | "accordion";
    Toc: "toc" | "outline" | "index" | "jump" | "anchor" | "anchors";
    Tool: "tool" | "tools" | "toolbar" | "action" | "actions" | "button" | "buttons" | "btn" | "control" | "controls" | "print" | "edit" | "editsection" | "filter" | "filters" | "sort" | "sorting" | "facet" | "facets" | "refine" | "options" | "option" | "icon" | "icons" | "copy-button";
    Form: "form" | "search" | "login" | "signin" | "input" | "field" | "contact" | "captcha";
    Pager: "pagination" | "pager" | "paging" | "pages" | "paginate" | "loadmore" | "load";
    Shop: "product" | "products" | "price" | "prices" | "cart" | "basket" | "checkout" | "shop" | "store" | "shipping" | "delivery" | "buy" | "sku" | "variant" | "wishlist" | "description" | "spec" | "specs" | "specification" | "specifications" | "features" | "feature";
    Card: "card" | "cards" | "item" | "items" | "list" | "listing" | "grid" | "tile" | "tiles" | "row" | "result" | "results" | "collection" | "gallery" | "carousel" | "slider" | "slide" | "slick" | "swiper";
    Caption: "caption" | "figure" | "image" | "img" | "photo" | "media" | "video" | "credit" | "thumbnail" | "thumb";
    Hidden: "hidden" | "hide" | "invisible" | "sr" | "visually" | "screen" | "offscreen" | "collapsed" | "mobile" | "desktop" | "noscript" | "print-only";
    Quote: "quote" | "blockquote" | "pullquote" | "signature" | "sig" | "quoted";
    Code: "code" | "highlight" | "codehilite" | "syntax" | "sourcecode";
    Help: "support" | "help" | "chat" | "location" | "locations" | "address" | "phone" | "hours" | "app" | "download" | "downloads" | "language" | "lang" | "languages" | "region" | "country" | "currency";
}

/// What the attributes of an element say it is: a bit for each [`Cue`], a bit for each [`Landmark`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) cues: u32,
    pub(crate) landmarks: u32,
}

impl Marks {
    pub(crate) fn of<'a>(
        page: &'a Page,
        id: NodeId,
        remembered: &mut Remembered<'a, u32>,
    ) -> Marks {
        let mut marks = Marks {
            cues: 0,
            landmarks: page.tag(id).map_or(0, landmark_of_tag),
        };
        page.each_attribute(id, |name, value| match *name {
            local_name!("class")
            | local_name!("id")
            | local_name!("itemprop")
            | local_name!("itemtype")
            | local_name!("aria-label") => marks.cues |= remembered.of(value, cues_of),
            local_name!("href") | local_name!("src") | local_name!("alt") => {}
            local_name!("role") => marks.landmarks |= landmark_of_role(value),
            local_name!("hidden") => marks.landmarks |= Landmark::Hidden.bit(),
            local_name!("aria-hidden") if value.eq_ignore_ascii_case("true") => {
                marks.landmarks |= Landmark::Hidden.bit();
            }
            local_name!("style") if style_hides(value) => {
                marks.landmarks |= Landmark::Hidden.bit();
            }
            local_name!("aria-modal") if value.eq_ignore_ascii_case("true") => {
                marks.landmarks |= Landmark::Dialog.bit();
            }
            _ => match &**name {
                "data-testid" | "data-component" | "data-module" | "data-type" | "data-test"
                | "data-qa" => marks.cues |= remembered.of(value, cues_of),
                _ => {}
            },
        });
        marks
    }

    pub(crate) fn has_any(self, cues: u32, landmarks: u32) -> bool {
        self.cues & cues != 0 || self.landmarks & landmarks != 0
    }

    pub(crate) fn is(self, landmark: Landmark) -> bool {
        self.landmarks & landmark.bit() != 0
    }
}

/// Longest word that stands for a cue, in letters: so many fit into a number. A test looks at the list.
const MAX_LETTERS: u32 = 16;

/// Words are runs of letters; `camelCase` is two.
pub(crate) fn cues_of(value: &str) -> u32 {
    let words = &*BITS;
    let mut bits = 0;
    // The letters of the open word, as a number.
    let (mut word, mut length) = (0u128, 0);
    let mut previous_lower = false;
    for byte in value.bytes() {
        let is_letter = byte.is_ascii_alphabetic();
        if !is_letter || byte.is_ascii_uppercase() && previous_lower {
            bits |= words.of(word, length);
            (word, length) = (0, 0);
        }
        if is_letter {
            word = (word << 8) | u128::from(byte.to_ascii_lowercase());
            length += 1;
        }
        previous_lower = byte.is_ascii_lowercase();
    }
    bits | words.of(word, length)
}

/// The bits of words, found by the word's letters: several words stand in the `class` of every element of a page, so that
/// strings are not compared.
static BITS: LazyLock<Words> = LazyLock::new(Words::new);

struct Words(Vec<(u128, u32)>);

impl Words {
    /// More than four times as many as words: nearly all are found, or missed, at the first place.
    const PLACES: usize = 2048;

    fn new() -> Words {
        let mut places = vec![(0, 0); Words::PLACES];
        for (word, bit) in WORDS {
            let key = word
                .bytes()
                .fold(0, |key, byte| (key << 8) | u128::from(byte));
            let mut at = Words::place(key);
            while places[at].0 != 0 {
                at = (at + 1) % Words::PLACES;
            }
            places[at] = (key, *bit);
        }
        Words(places)
    }

    fn of(&self, word: u128, length: u32) -> u32 {
        if !(2..=MAX_LETTERS).contains(&length) {
            return 0;
        }
        let mut at = Words::place(word);
        loop {
            match self.0[at] {
                (key, bit) if key == word => return bit,
                (0, _) => return 0,
                _ => at = (at + 1) % Words::PLACES,
            }
        }
    }

    /// Multiplicative hashing (Knuth, *The Art of Computer Programming* 3, § 6.4), the golden ratio in 64 bits.
    fn place(word: u128) -> usize {
        let half = |word: u128| u64::try_from(word & u128::from(u64::MAX)).unwrap_or(0);
        let mixed = half(word) ^ half(word >> 64).rotate_left(29);
        let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        usize::try_from(mixed >> 53).unwrap_or(0) % Words::PLACES
    }
}

/// Landmarks, by tag or by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Landmark {
    Main,
    Article,
    Nav,
    Header,
    Footer,
    Aside,
    Dialog,
    Form,
    Section,
    List,
    Table,
    Figure,
    Hidden,
    Button,
}

/// Names of the landmarks, in order.
pub(crate) const LANDMARKS: &[&str] = &[
    "main", "article", "nav", "header", "footer", "aside", "dialog", "form", "section", "list",
    "table", "figure", "hidden", "button",
];

impl Landmark {
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl Cue {
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

fn landmark_of_tag(tag: Tag) -> u32 {
    let landmark = match tag {
        Tag::Main => Landmark::Main,
        Tag::Article => Landmark::Article,
        Tag::Nav => Landmark::Nav,
        Tag::Header => Landmark::Header,
        Tag::Footer => Landmark::Footer,
        Tag::Aside => Landmark::Aside,
        Tag::Dialog => Landmark::Dialog,
        Tag::Form => Landmark::Form,
        Tag::Section => Landmark::Section,
        Tag::Ul | Tag::Ol | Tag::Dl => Landmark::List,
        Tag::Table => Landmark::Table,
        Tag::Figure => Landmark::Figure,
        Tag::Button | Tag::Label => Landmark::Button,
        _ => return 0,
    };
    landmark.bit()
}

fn landmark_of_role(role: &str) -> u32 {
    let landmark = match role.trim() {
        "main" => Landmark::Main,
        "article" => Landmark::Article,
        "navigation" | "menu" | "menubar" | "tablist" => Landmark::Nav,
        "banner" => Landmark::Header,
        "contentinfo" => Landmark::Footer,
        "complementary" => Landmark::Aside,
        "dialog" | "alertdialog" => Landmark::Dialog,
        "search" | "form" => Landmark::Form,
        "button" => Landmark::Button,
        _ => return 0,
    };
    landmark.bit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn words_are_found_in_every_spelling() {
        let related = Cue::Related.bit();
        for value in ["related", "post-related", "RelatedPosts", "c_related__list"] {
            assert_ne!(cues_of(value) & related, 0, "{value}");
        }
        assert_eq!(cues_of("correlated unrelatedly"), 0);
    }

    #[test]
    fn every_word_of_the_list_is_found_and_its_beginning_is_not() {
        assert!(WORDS.len() > 300 && WORDS.len() * 4 < Words::PLACES);
        for (word, bit) in WORDS.iter().filter(|(word, _)| !word.contains('-')) {
            assert!(word.len() <= MAX_LETTERS as usize, "{word}");
            assert_eq!(cues_of(word), *bit, "{word}");
            assert_eq!(cues_of(&format!("x{word}x")), 0, "{word}");
        }
    }

    #[test]
    fn remembered_values_are_told_apart() {
        let values: Vec<String> = (0..2000)
            .map(|number| format!("{} n{}", WORDS[number % WORDS.len()].0, number % 7))
            .collect();
        let mut remembered = Remembered::new(0);
        for value in values.iter().chain(values.iter().rev()) {
            assert_eq!(remembered.of(value, cues_of), cues_of(value), "{value}");
        }
    }

    #[test]
    fn landmarks_come_from_tags_roles_and_hidden_states() {
        let page = page(
            "<nav id=a>x</nav><div id=b role=contentinfo>x</div><p id=c style='display: none'>x</p><p id=d aria-hidden=true>x",
        );
        let landmark = |id| {
            let mut remembered = Remembered::new(0);
            Marks::of(&page, by_id(&page, id), &mut remembered).landmarks
        };
        assert_eq!(landmark("a"), Landmark::Nav.bit());
        assert_eq!(landmark("b"), Landmark::Footer.bit());
        assert_eq!(landmark("c"), Landmark::Hidden.bit());
        assert_eq!(landmark("d"), Landmark::Hidden.bit());
    }
}
