//! What kind of page a page is, for programs: an article, a forum's thread, a product, and so on.
//!
//! Rules of our own, in order of how plainly a page says it: what it tells search engines and social networks (schema.org
//! types, `og:type`), the program that made it (`generator`), the words of its address, and last what it looks like: long
//! paragraphs, prices, code, the share of links. The first rule that fits decides; where none does, no kind is told.
//!
//! The kinds are the page types of WCXB (Foley 2026). Measured there, 2026-11-21: docs/quality.md has the table of kinds
//! told against kinds annotated, and the command that repeats it. The numbers below were set by looking at these pages.

mod names;
mod signs;

use std::cell::OnceCell;

use serde::Serialize;

use crate::html::Page;
use signs::Signs;
pub(crate) use signs::{Claims, prices};

/// A kind of page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// One text to read: news, a blog's post, a recipe.
    Article,
    /// A manual, a reference, a page of an encyclopedia of facts.
    Documentation,
    /// An offer: a company's page, a tool.
    Service,
    /// A discussion, or a question with its answers.
    Forum,
    /// A shelf of a shop.
    Collection,
    /// A list of other pages.
    Listing,
    /// One thing to buy.
    Product,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 7] = [
        Kind::Article,
        Kind::Documentation,
        Kind::Service,
        Kind::Forum,
        Kind::Collection,
        Kind::Listing,
        Kind::Product,
    ];

    /// The name, as it is written in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Article => "article",
            Kind::Documentation => "documentation",
            Kind::Service => "service",
            Kind::Forum => "forum",
            Kind::Collection => "collection",
            Kind::Listing => "listing",
            Kind::Product => "product",
        }
    }
}

/// The kind of a page as it stands between filters, found out when it is first asked for.
pub(crate) struct KindNow<'a> {
    page: &'a Page,
    claims: &'a Claims,
    /// Counts by words, made when they are first needed.
    signs: OnceCell<Signs>,
    kind: OnceCell<Option<Kind>>,
}

impl<'a> KindNow<'a> {
    pub(crate) fn of(page: &'a Page, claims: &'a Claims) -> KindNow<'a> {
        KindNow { page, claims, signs: OnceCell::new(), kind: OnceCell::new() }
    }

    /// Whether it is a forum: that is told by words alone, and nothing needs to be counted for it.
    pub(crate) fn is_forum(&self) -> bool {
        self.signs().tell_a_forum()
    }

    pub(crate) fn get(&self) -> Option<Kind> {
        let found = || told_by(self.page, self.signs().clone());
        *self.kind.get_or_init(found)
    }

    fn signs(&self) -> &Signs {
        let found = || Signs::of(self.page, self.claims.clone());
        self.signs.get_or_init(found)
    }
}

/// The kind of a page as it was sent; none where it is in doubt.
pub(crate) fn of(page: &Page, claims: Claims) -> Option<Kind> {
    told_by(page, Signs::of(page, claims))
}

fn told_by(page: &Page, mut signs: Signs) -> Option<Kind> {
    if signs.tell_a_forum() {
        return Some(Kind::Forum);
    }
    signs.count(page);
    is_manual(&signs)
        .then_some(Kind::Documentation)
        .or_else(|| in_a_shop(&signs))
        .or_else(|| by_claims_and_looks(&signs))
}

impl Signs {
    /// Forums: their programs and addresses tell, and what they say of themselves.
    fn tell_a_forum(&self) -> bool {
        self.says(&["DiscussionForumPosting", "QAPage"])
            || self.is_thread()
            || self.is_made_by(&names::FORUM_PROGRAMS)
            || self.is_on(&["community"]) && !self.is_front
    }
}

/// Manuals: the same, and how much code there is.
fn is_manual(signs: &Signs) -> bool {
    /// A handful of examples is in many an article about programming.
    const MUCH_CODE: usize = 30;
    let is_manual = signs.claims(&["TechArticle", "APIReference"])
        || signs.is_on(&names::MANUAL_HOSTS)
        || signs.is_under(&names::MANUAL_PATHS)
        || signs.is_made_by(&names::MANUAL_PROGRAMS);
    let is_post = signs.is_open_graph(&["article", "blog"])
        || signs.is_on(&["blog"])
        || signs.is_under(&["blog", "post", "posts", "article", "articles", "news", "archive"]);
    is_manual || signs.code >= MUCH_CODE && !is_post
}

/// Products and shelves: prices, and buttons to buy.
fn in_a_shop(signs: &Signs) -> Option<Kind> {
    if signs.is_front || signs.is_article() {
        return None;
    }
    let (prices, linked, long) = (signs.prices, signs.linked, signs.long_paragraphs);
    let is_shelf = prices >= 60 && linked >= 0.35
        || prices >= 40 && (linked >= 0.35 || signs.buttons_to_buy >= 20)
        || signs.is_open_graph(&["product.group"]);
    if is_shelf {
        return Some(Kind::Collection);
    }
    let is_list = signs.claims(&["CollectionPage", "ItemList"]);
    let is_product = signs.is_open_graph(&["product", "og:product"])
        || signs.claims(&["Product", "ProductGroup", "ItemPage"]) && !is_list
        || signs.says(&["Product"]) && signs.offers <= 12
        || signs.is_under(&names::PRODUCTS) && signs.buttons_to_buy > 0
        || (1..=12).contains(&signs.buttons_to_buy) && prices > 0 && linked < 0.3 && long < 12;
    if is_product {
        return Some(Kind::Product);
    }
    let is_shelf =
        prices >= 8 && linked >= 0.2 && long < 20 || prices >= 3 && (signs.is_under(&names::SHELVES) || is_list);
    is_shelf.then_some(Kind::Collection)
}

/// Articles, lists and what is offered. A name or a day says that it is a text that somebody wrote; calls to do business, that
/// something is offered; headings that lead elsewhere, that it is a list.
fn by_claims_and_looks(signs: &Signs) -> Option<Kind> {
    const MANY_CALLS: usize = 4;
    const MANY_LINKED: usize = 4;
    let (linked, long) = (signs.linked, signs.long_paragraphs);
    let is_inner = !signs.is_front;
    if is_inner && (signs.has_author() || signs.is_article()) {
        return Some(Kind::Article);
    }
    let says_article = signs.is_open_graph(&["article", "blog"]);
    let calls = signs.calls >= MANY_CALLS;
    let leads_on = signs.linked_headings >= MANY_LINKED;
    let is_list = signs.claims(&["CollectionPage", "ItemList"]) && is_inner || signs.is_under(&names::LISTS);
    if is_list && !says_article && !calls {
        return Some(Kind::Listing);
    }
    if linked >= 0.4 && long < 6 && signs.links >= 60 {
        let is_offer = calls && !leads_on;
        return Some(if is_offer { Kind::Service } else { Kind::Listing });
    }
    let is_offer = signs.claims(&["Service", "LocalBusiness"]) || signs.is_under(&names::OFFERS);
    if is_offer && !(says_article && signs.has_date()) {
        return Some(Kind::Service);
    }
    let mostly_leads_on = leads_on && signs.linked_headings * 5 >= signs.headings * 2;
    if mostly_leads_on && linked >= 0.3 && !signs.has_date() {
        return Some(Kind::Listing);
    }
    if calls && !signs.has_date() {
        return Some(Kind::Service);
    }
    by_paragraphs(signs, says_article)
}

/// By how much there is to read.
fn by_paragraphs(signs: &Signs, says_article: bool) -> Option<Kind> {
    let (linked, long) = (signs.linked, signs.long_paragraphs);
    let is_written = signs.has_date() && long >= 3
        || long >= 4 && (says_article || signs.is_under(&names::TEXTS))
        || linked < 0.35 && (long >= 10 || long >= 5 && signs.has_time);
    if is_written && !signs.is_front || says_article && linked < 0.25 && long >= 2 {
        return Some(Kind::Article);
    }
    if signs.is_front && signs.links > 0 || linked < 0.35 && long >= 2 {
        return Some(Kind::Service);
    }
    (linked >= 0.35 && long < 3 && signs.links >= 40).then_some(Kind::Listing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{metadata, testing};

    fn kind(address: &str, html: &str) -> Option<Kind> {
        let page = testing::page_at(address, html);
        of(&page, metadata::read(&page).claims)
    }

    const INNER: &str = "https://a.example/x/y";

    #[test]
    fn a_forum_is_told_without_counting_as_it_is_with_it() {
        for (address, html) in [
            ("https://forum.a.example/x", "<p>Text"),
            ("https://a.example/x", "<div itemscope itemtype=http://schema.org/QAPage>"),
            ("https://a.example/x", "<p>Text"),
        ] {
            let page = testing::page_at(address, html);
            let claims = metadata::read(&page).claims;
            let kind = KindNow::of(&page, &claims);
            assert_eq!(kind.is_forum(), kind.get() == Some(Kind::Forum), "{address}");
            assert_eq!(kind.is_forum(), html != "<p>Text" || address.contains("forum"));
        }
    }

    #[test]
    fn what_a_page_says_of_itself_decides() {
        let ld = |kind: &str| format!("<script type=application/ld+json>{{\"@type\":\"{kind}\"}}</script><p>Text");
        for (said, wanted) in [
            ("NewsArticle", Kind::Article),
            ("Product", Kind::Product),
            ("QAPage", Kind::Forum),
            ("TechArticle", Kind::Documentation),
            ("ItemList", Kind::Listing),
            ("Service", Kind::Service),
        ] {
            assert_eq!(kind(INNER, &ld(said)), Some(wanted), "{said}");
        }
        assert_eq!(kind(INNER, "<meta property=og:type content=product.group><p>Text"), Some(Kind::Collection));
        let micro = "<div itemscope itemtype='https://schema.org/Product'><p>Text</div>";
        assert_eq!(kind(INNER, micro), Some(Kind::Product));
    }

    #[test]
    fn the_address_and_the_program_tell_where_the_page_does_not() {
        assert_eq!(kind("https://docs.a.example/x", "<p>Text"), Some(Kind::Documentation));
        assert_eq!(kind("https://a.example/threads/x.12/", "<p>Text"), Some(Kind::Forum));
        for address in [
            "https://www.kettleforums.example/x-12",
            "https://a.example/r/kettles/comments/1rl/whistle/",
            "https://a.example/t/whistle/12",
            "https://a.example/showthread-12-whistle",
            "https://a.example/index.php?topic=12.0",
            "https://a.example/topic/12-whistle/",
            "https://a.example/topic/12/whistle",
            "https://a.example/board/free/12",
        ] {
            assert_eq!(kind(address, "<p>Text"), Some(Kind::Forum), "{address}");
        }
        for address in ["t/kettles", "topic/kettles", "about/board"] {
            let address = format!("https://a.example/{address}");
            assert_ne!(kind(&address, "<p>Text"), Some(Kind::Forum), "{address}");
        }
        let article = "<script type=application/ld+json>{\"@type\":\"NewsArticle\"}</script><p>Text";
        for (address, wanted) in [
            ("https://www.worldforum.example/stories/2024/tides", Kind::Article),
            ("https://a.example/x?topic=baking", Kind::Article),
            ("https://a.example/man/shirts", Kind::Article),
        ] {
            assert_eq!(kind(address, article), Some(wanted), "{address}");
        }
        let made = "<meta name=generator content='phpBB 3'><p>Text";
        assert_eq!(kind(INNER, made), Some(Kind::Forum));
        assert_eq!(kind("https://a.example/tag/x", "<p>Text"), Some(Kind::Listing));
    }

    #[test]
    fn what_a_page_looks_like_tells_last() {
        let paragraph = format!("<p>{}</p>", testing::words(40));
        assert_eq!(kind(INNER, &paragraph.repeat(15)), Some(Kind::Article));
        let shelf = "<a href=/a>Kettle $12.90</a> and so it goes on <button>Add to cart</button>";
        assert_eq!(kind(INNER, &shelf.repeat(40)), Some(Kind::Collection));
        let product = "<h1>Kettle</h1><p>$12.90</p><button>Add to cart</button>";
        assert_eq!(kind(INNER, product), Some(Kind::Product));
        assert_eq!(kind(INNER, &"<pre>code</pre>".repeat(40)), Some(Kind::Documentation));
        assert_eq!(kind(INNER, &"<a href=/a>one of many</a> ".repeat(80)), Some(Kind::Listing));
    }

    #[test]
    fn whoever_signs_writes_and_whoever_calls_offers() {
        let paragraph = format!("<p>{}</p>", testing::words(40));
        let calls = "<a href=/a>Get started</a> <a href=/b>Contact us</a> ".repeat(2);
        let body = format!("<h1>Kettles</h1>{}{calls}", paragraph.repeat(12));
        assert_eq!(kind(INNER, &body), Some(Kind::Service));
        let signed = body.replace("</h1>", "</h1><p>By Ann Ash</p>");
        assert_eq!(kind(INNER, &signed), Some(Kind::Article));
        let leads = "<h2><a href=/a>One of the kettles</a></h2> and so it goes on ".repeat(5);
        assert_eq!(kind(INNER, &leads), Some(Kind::Listing));
    }

    #[test]
    fn where_a_page_tells_nothing_no_kind_is_told() {
        assert_eq!(kind(INNER, "<p>Hello."), None);
        assert_eq!(kind("about:blank", ""), None);
        // A folder of this machine says nothing of the page.
        assert_eq!(kind("file:///docs/forum/x.html", "<p>Hello."), None);
    }

    #[test]
    fn a_file_is_what_it_says_it_was_and_a_page_of_the_web_where_it_was_found() {
        let body = "<link rel=canonical href=https://forum.example.org/t/bridge/12><p>Hello.";
        for address in ["file:///docs/x.html", "about:blank"] {
            assert_eq!(kind(address, body), Some(Kind::Forum), "{address}");
        }
        assert_eq!(kind(INNER, body), None);
        let local = "<link rel=canonical href=file:///forum/x.html><p>Hello.";
        assert_eq!(kind("file:///docs/x.html", local), None);
    }
}
