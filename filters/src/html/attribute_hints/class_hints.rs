//! What the page's author calls the parts of the page: roles, landmarks, and words in `class` and `id`.
//!
//! The words are general vocabulary of web design, none of a site's own.

use html5ever::local_name;

use crate::html::{NodeId, Page, attribute_hints::Hint, style_sheets::style_hides, tag::Tag};

macro_rules! class_hints {
    ($($class_hint:ident: $($word:literal)|+;)+) => {
        /// A kind of thing that a word in `class` or `id` stands for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum ClassHint { $($class_hint,)+ }

        /// Names of the class hints, in order.
        pub(crate) const CLASS_HINTS: &[&str] = &[$(stringify!($class_hint),)+];

        /// The words, and the bit of the class hint that each stands for.
        pub(crate) const WORDS: &[(&str, u32)] = &[$($(($word, ClassHint::$class_hint.bit()),)+)+];
    };
}

class_hints! {
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
    Consent: "cookie" | "cookies" | "consent" | "gdpr" | "privacy" | "ccpa" | "onetrust";
    Overlay: "modal" | "popup" | "overlay" | "dialog" | "lightbox" | "drawer" | "toast" | "tooltip" | "popover" | "flyout" | "notification" | "notice" | "alert" | "alerts";
    Author: "author" | "authors" | "byline" | "bio" | "avatar" | "profile" | "user" | "username" | "member" | "poster" | "contributor" | "userinfo";
    Meta: "meta" | "metadata" | "date" | "time" | "timestamp" | "published" | "tag" | "tags" | "category" | "categories" | "info" | "stats" | "stat" | "count" | "views" | "badge" | "label" | "labels" | "reading";
    Review: "review" | "reviews" | "rating" | "ratings" | "stars" | "testimonial" | "testimonials" | "qa" | "faq" | "faqs" | "accordion";
    Tool: "tool" | "tools" | "toolbar" | "action" | "actions" | "button" | "buttons" | "btn" | "control" | "controls" | "print" | "edit" | "editsection" | "filter" | "filters" | "sort" | "sorting" | "facet" | "facets" | "refine" | "options" | "option" | "icon" | "icons";
    Form: "form" | "search" | "login" | "signin" | "input" | "field" | "contact" | "captcha";
    Pager: "pagination" | "pager" | "paging" | "pages" | "paginate" | "loadmore" | "load";
    Shop: "product" | "products" | "price" | "prices" | "cart" | "basket" | "checkout" | "shop" | "store" | "shipping" | "delivery" | "buy" | "sku" | "variant" | "wishlist" | "description" | "spec" | "specs" | "specification" | "specifications" | "features" | "feature";
    Card: "card" | "cards" | "item" | "items" | "list" | "listing" | "grid" | "tile" | "tiles" | "row" | "result" | "results" | "collection" | "gallery" | "carousel" | "slider" | "slide" | "slick" | "swiper";
    Caption: "caption" | "figure" | "image" | "img" | "photo" | "media" | "video" | "credit" | "thumbnail" | "thumb";
}

/// Class hints and landmark of an element's attributes: a bit for each [`ClassHint`], a bit for each [`Landmark`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegionHints {
    pub(crate) class_hints: u32,
    pub(crate) landmarks: u32,
}

impl RegionHints {
    pub(crate) fn new(page: &Page, id: NodeId) -> RegionHints {
        let hints = page.hints(id);
        let mut marks =
            RegionHints { class_hints: hints.class_hints, landmarks: page.tag(id).map_or(0, landmark_of_tag) };
        if !hints.has_any(Hint::Landmark.bit() | Hint::Hides.bit()) {
            return marks;
        }
        page.each_attribute(id, |name, value| match *name {
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
            _ => {}
        });
        marks
    }

    pub(crate) fn has_any(self, class_hints: u32, landmarks: u32) -> bool {
        self.class_hints & class_hints != 0 || self.landmarks & landmarks != 0
    }

    pub(crate) fn is(self, landmark: Landmark) -> bool {
        self.landmarks & landmark.bit() != 0
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
    "main", "article", "nav", "header", "footer", "aside", "dialog", "form", "section", "list", "table", "figure",
    "hidden", "button",
];

impl Landmark {
    pub(crate) const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl ClassHint {
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
    fn landmarks_come_from_tags_roles_and_hidden_states() {
        let page = page(
            "<nav id=a>x</nav><div id=b role=contentinfo>x</div><p id=c style='display: none'>x</p><p id=d aria-hidden=true>x",
        );
        let landmark = |id| RegionHints::new(&page, by_id(&page, id)).landmarks;
        assert_eq!(landmark("a"), Landmark::Nav.bit());
        assert_eq!(landmark("b"), Landmark::Footer.bit());
        assert_eq!(landmark("c"), Landmark::Hidden.bit());
        assert_eq!(landmark("d"), Landmark::Hidden.bit());
    }
}
