//! What kind of page a page is, for programs: an article, a forum's thread, a product, and so on.
//!
//! Rules of our own, in order of how plainly a page says it: what it tells search engines and social networks (schema.org
//! types, `og:type`), the program that made it (`generator`), the words of its address, and last what it looks like: long
//! paragraphs, prices, code, the share of links. The first rule that fits decides; where none does, no kind is given.
//!
//! The kinds are the page types of WCXB (Foley 2026). Measured there, 2026-11-21: docs/quality.md has the table of kinds
//! told against kinds annotated, and the command that repeats it. The numbers below were set by looking at these pages.

mod counters;
mod names;

use std::cell::OnceCell;

use serde::Serialize;

use crate::html::Page;
use counters::Counters;
pub(crate) use counters::{Claims, prices};

/// A kind of page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PageType {
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

impl PageType {
    /// All of them.
    pub const ALL: [PageType; 7] = [
        PageType::Article,
        PageType::Documentation,
        PageType::Service,
        PageType::Forum,
        PageType::Collection,
        PageType::Listing,
        PageType::Product,
    ];

    /// The name, as it is written in records.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            PageType::Article => "article",
            PageType::Documentation => "documentation",
            PageType::Service => "service",
            PageType::Forum => "forum",
            PageType::Collection => "collection",
            PageType::Listing => "listing",
            PageType::Product => "product",
        }
    }
}

/// The kind of a page as it stands between filters, found out when it is first asked for.
pub(crate) struct LazyPageType<'a> {
    page: &'a Page,
    claims: &'a Claims,
    /// Counts by words, made when they are first needed.
    counters: OnceCell<Counters>,
    kind: OnceCell<Option<PageType>>,
}

impl<'a> LazyPageType<'a> {
    pub(crate) fn new(page: &'a Page, claims: &'a Claims) -> LazyPageType<'a> {
        LazyPageType { page, claims, counters: OnceCell::new(), kind: OnceCell::new() }
    }

    /// Whether it is a forum: that is decided by words alone, and nothing needs to be counted for it.
    pub(crate) fn is_forum(&self) -> bool {
        self.counters().tell_a_forum()
    }

    pub(crate) fn get(&self) -> Option<PageType> {
        let found = || told_by(self.page, self.counters().clone());
        *self.kind.get_or_init(found)
    }

    fn counters(&self) -> &Counters {
        let found = || Counters::from_page(self.page, self.claims.clone());
        self.counters.get_or_init(found)
    }
}

/// The kind of a page as it was sent; none where it is in doubt.
pub(crate) fn classify(page: &Page, claims: Claims) -> Option<PageType> {
    told_by(page, Counters::from_page(page, claims))
}

fn told_by(page: &Page, mut counters: Counters) -> Option<PageType> {
    if counters.tell_a_forum() {
        return Some(PageType::Forum);
    }
    counters.count(page);
    is_manual(&counters)
        .then_some(PageType::Documentation)
        .or_else(|| in_a_shop(&counters))
        .or_else(|| by_claims_and_counters(&counters))
}

impl Counters {
    /// Forums: their programs and addresses tell, and what they say of themselves.
    fn tell_a_forum(&self) -> bool {
        self.says(&["DiscussionForumPosting", "QAPage"])
            || self.is_thread()
            || self.is_made_by(&names::FORUM_PROGRAMS)
            || self.is_on(&["community"]) && !self.is_front
    }
}

/// Manuals: the same, and how much code there is.
fn is_manual(counters: &Counters) -> bool {
    /// A handful of examples is in many an article about programming.
    const MUCH_CODE: usize = 30;
    let is_manual = counters.claims(&["TechArticle", "APIReference"])
        || counters.is_on(&names::MANUAL_HOSTS)
        || counters.is_under(&names::MANUAL_PATHS)
        || counters.is_made_by(&names::MANUAL_PROGRAMS);
    let is_post = counters.is_open_graph(&["article", "blog"])
        || counters.is_on(&["blog"])
        || counters.is_under(&["blog", "post", "posts", "article", "articles", "news", "archive"]);
    is_manual || counters.code >= MUCH_CODE && !is_post
}

/// Products and shelves: prices, and buttons to buy.
fn in_a_shop(counters: &Counters) -> Option<PageType> {
    if counters.is_front || counters.is_article() {
        return None;
    }
    let (prices, linked, long) = (counters.prices, counters.linked, counters.long_paragraphs);
    let is_shelf = prices >= 60 && linked >= 0.35
        || prices >= 40 && (linked >= 0.35 || counters.buttons_to_buy >= 20)
        || counters.is_open_graph(&["product.group"]);
    if is_shelf {
        return Some(PageType::Collection);
    }
    let is_list = counters.claims(&["CollectionPage", "ItemList"]);
    let is_product = counters.is_open_graph(&["product", "og:product"])
        || counters.claims(&["Product", "ProductGroup", "ItemPage"]) && !is_list
        || counters.says(&["Product"]) && counters.offers <= 12
        || counters.is_under(&names::PRODUCTS) && counters.buttons_to_buy > 0
        || (1..=12).contains(&counters.buttons_to_buy) && prices > 0 && linked < 0.3 && long < 12;
    if is_product {
        return Some(PageType::Product);
    }
    let is_shelf =
        prices >= 8 && linked >= 0.2 && long < 20 || prices >= 3 && (counters.is_under(&names::SHELVES) || is_list);
    is_shelf.then_some(PageType::Collection)
}

/// Articles, lists and what is offered. A name or a day says that it is a text that somebody wrote; calls to do business, that
/// something is offered; headings that lead elsewhere, that it is a list.
fn by_claims_and_counters(counters: &Counters) -> Option<PageType> {
    const MANY_CALLS: usize = 4;
    const MANY_LINKED: usize = 4;
    let (linked, long) = (counters.linked, counters.long_paragraphs);
    let is_inner = !counters.is_front;
    if is_inner && (counters.has_author() || counters.is_article()) {
        return Some(PageType::Article);
    }
    let says_article = counters.is_open_graph(&["article", "blog"]);
    let calls = counters.calls >= MANY_CALLS;
    let leads_on = counters.linked_headings >= MANY_LINKED;
    let is_list = counters.claims(&["CollectionPage", "ItemList"]) && is_inner || counters.is_under(&names::LISTS);
    if is_list && !says_article && !calls {
        return Some(PageType::Listing);
    }
    if linked >= 0.4 && long < 6 && counters.links >= 60 {
        let is_offer = calls && !leads_on;
        return Some(if is_offer { PageType::Service } else { PageType::Listing });
    }
    let is_offer = counters.claims(&["Service", "LocalBusiness"]) || counters.is_under(&names::OFFERS);
    if is_offer && !(says_article && counters.has_date()) {
        return Some(PageType::Service);
    }
    let mostly_leads_on = leads_on && counters.linked_headings * 5 >= counters.headings * 2;
    if mostly_leads_on && linked >= 0.3 && !counters.has_date() {
        return Some(PageType::Listing);
    }
    if calls && !counters.has_date() {
        return Some(PageType::Service);
    }
    by_paragraphs(counters, says_article)
}

/// By how much there is to read.
fn by_paragraphs(counters: &Counters, says_article: bool) -> Option<PageType> {
    let (linked, long) = (counters.linked, counters.long_paragraphs);
    let is_written = counters.has_date() && long >= 3
        || long >= 4 && (says_article || counters.is_under(&names::TEXTS))
        || linked < 0.35 && (long >= 10 || long >= 5 && counters.has_time);
    if is_written && !counters.is_front || says_article && linked < 0.25 && long >= 2 {
        return Some(PageType::Article);
    }
    if counters.is_front && counters.links > 0 || linked < 0.35 && long >= 2 {
        return Some(PageType::Service);
    }
    (linked >= 0.35 && long < 3 && counters.links >= 40).then_some(PageType::Listing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{metadata, testing};

    fn kind(address: &str, html: &str) -> Option<PageType> {
        let page = testing::page_at(address, html);
        classify(&page, metadata::read(&page).claims)
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
            let kind = LazyPageType::new(&page, &claims);
            assert_eq!(kind.is_forum(), kind.get() == Some(PageType::Forum), "{address}");
            assert_eq!(kind.is_forum(), html != "<p>Text" || address.contains("forum"));
        }
    }

    #[test]
    fn what_a_page_says_of_itself_decides() {
        let ld = |kind: &str| format!("<script type=application/ld+json>{{\"@type\":\"{kind}\"}}</script><p>Text");
        for (said, wanted) in [
            ("NewsArticle", PageType::Article),
            ("Product", PageType::Product),
            ("QAPage", PageType::Forum),
            ("TechArticle", PageType::Documentation),
            ("ItemList", PageType::Listing),
            ("Service", PageType::Service),
        ] {
            assert_eq!(kind(INNER, &ld(said)), Some(wanted), "{said}");
        }
        assert_eq!(kind(INNER, "<meta property=og:type content=product.group><p>Text"), Some(PageType::Collection));
        let micro = "<div itemscope itemtype='https://schema.org/Product'><p>Text</div>";
        assert_eq!(kind(INNER, micro), Some(PageType::Product));
    }

    #[test]
    fn the_address_and_the_program_tell_where_the_page_does_not() {
        assert_eq!(kind("https://docs.a.example/x", "<p>Text"), Some(PageType::Documentation));
        assert_eq!(kind("https://a.example/threads/x.12/", "<p>Text"), Some(PageType::Forum));
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
            assert_eq!(kind(address, "<p>Text"), Some(PageType::Forum), "{address}");
        }
        for address in ["t/kettles", "topic/kettles", "about/board"] {
            let address = format!("https://a.example/{address}");
            assert_ne!(kind(&address, "<p>Text"), Some(PageType::Forum), "{address}");
        }
        let article = "<script type=application/ld+json>{\"@type\":\"NewsArticle\"}</script><p>Text";
        for (address, wanted) in [
            ("https://www.worldforum.example/stories/2024/tides", PageType::Article),
            ("https://a.example/x?topic=baking", PageType::Article),
            ("https://a.example/man/shirts", PageType::Article),
            ("https://a.example/discussion/why-tides-matter", PageType::Article),
        ] {
            assert_eq!(kind(address, article), Some(wanted), "{address}");
        }
        let made = "<meta name=generator content='phpBB 3'><p>Text";
        assert_eq!(kind(INNER, made), Some(PageType::Forum));
        assert_eq!(kind(INNER, "<div class=lemmy-site id=app><p>Text"), Some(PageType::Forum));
        assert_eq!(kind("https://a.example/tag/x", "<p>Text"), Some(PageType::Listing));
    }

    #[test]
    fn what_a_page_looks_like_tells_last() {
        let paragraph = format!("<p>{}</p>", testing::words(40));
        assert_eq!(kind(INNER, &paragraph.repeat(15)), Some(PageType::Article));
        let shelf = "<a href=/a>Kettle $12.90</a> and so it goes on <button>Add to cart</button>";
        assert_eq!(kind(INNER, &shelf.repeat(40)), Some(PageType::Collection));
        let product = "<h1>Kettle</h1><p>$12.90</p><button>Add to cart</button>";
        assert_eq!(kind(INNER, product), Some(PageType::Product));
        assert_eq!(kind(INNER, &"<pre>code</pre>".repeat(40)), Some(PageType::Documentation));
        assert_eq!(kind(INNER, &"<a href=/a>one of many</a> ".repeat(80)), Some(PageType::Listing));
    }

    #[test]
    fn whoever_signs_writes_and_whoever_calls_offers() {
        let paragraph = format!("<p>{}</p>", testing::words(40));
        let calls = "<a href=/a>Get started</a> <a href=/b>Contact us</a> ".repeat(2);
        let body = format!("<h1>Kettles</h1>{}{calls}", paragraph.repeat(12));
        assert_eq!(kind(INNER, &body), Some(PageType::Service));
        let signed = body.replace("</h1>", "</h1><p>By Ann Ash</p>");
        assert_eq!(kind(INNER, &signed), Some(PageType::Article));
        let leads = "<h2><a href=/a>One of the kettles</a></h2> and so it goes on ".repeat(5);
        assert_eq!(kind(INNER, &leads), Some(PageType::Listing));
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
            assert_eq!(kind(address, body), Some(PageType::Forum), "{address}");
        }
        assert_eq!(kind(INNER, body), None);
        let local = "<link rel=canonical href=file:///forum/x.html><p>Hello.";
        assert_eq!(kind("file:///docs/x.html", local), None);
    }
}
