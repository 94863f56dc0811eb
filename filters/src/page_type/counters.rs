//! Counts that decide the kind of a page (paragraphs, prices, code, links), in one pass over its nodes.

mod run;

use std::sync::LazyLock;

use html5ever::local_name;
use url::Host;

use super::names;
use crate::{
    html::{NodeId, Page, attribute_hints::Hint, tag::Tag},
    vocabulary::{
        lists::{WordList, words},
        prefixes::Prefixes,
        words::{trim, words},
    },
};
use run::Run;

/// Claims of a page about its type, its author and its date, from its head.
#[derive(Clone, Debug, Default)]
pub(crate) struct Claims {
    /// schema.org types of its JSON-LD.
    pub(crate) types: Vec<String>,
    /// `og:type`, in lower case.
    pub(crate) open_graph: String,
    /// The program that made it, in lower case.
    pub(crate) generator: String,
    /// Whether it names its author, and the day on which it was published.
    pub(crate) has_author: bool,
    pub(crate) has_date: bool,
}

impl Claims {
    /// Whether the page declares a product: its dates are then those of a video or a review, not of publication.
    pub(crate) fn is_for_sale(&self) -> bool {
        let is_product = |kind: &String| matches!(&**kind, "Product" | "ProductGroup");
        self.types.iter().any(is_product) || self.open_graph.starts_with("product")
    }

    /// Whether it says that it is a text that somebody wrote on a day.
    pub(crate) fn is_text(&self) -> bool {
        let is_text = |kind: &String| kind.ends_with("Article") || kind.ends_with("Posting");
        self.has_author || self.has_date || self.open_graph == "article" || self.types.iter().any(is_text)
    }

    /// Whether it says that it tells how to cook something.
    pub(crate) fn is_recipe(&self) -> bool {
        self.types.iter().any(|kind| kind == "Recipe")
    }

    /// Whether it says that it tells how to cook or to do something.
    pub(crate) fn tells_how(&self) -> bool {
        self.is_recipe() || self.types.iter().any(|kind| kind == "HowTo")
    }
}

/// All that is known for telling the kind.
#[derive(Clone)]
pub(super) struct Counters {
    claims: Claims,
    /// schema.org types in the page's own marks.
    marked: Vec<String>,
    /// The first name of its host, and the names of its path without their endings.
    host: String,
    path: Vec<String>,
    /// Whether its query names a topic, as SMF and Invision write it.
    has_topic: bool,
    /// Whether it is the front page of its site.
    pub(super) is_front: bool,
    /// Paragraphs of [`LONG`] words or more.
    pub(super) long_paragraphs: usize,
    /// Links, and the share of the characters inside of them.
    pub(super) links: usize,
    pub(super) linked: f64,
    /// Amounts of money.
    pub(super) prices: usize,
    /// Buttons and links that put something into a basket.
    pub(super) buttons_to_buy: usize,
    /// Marks of an offer: price, number, offer.
    pub(super) offers: usize,
    /// Pieces of code.
    pub(super) code: usize,
    /// Whether a time is marked as one.
    pub(super) has_time: bool,
    /// Headings below the first level, and those that are or hold a link.
    pub(super) headings: usize,
    pub(super) linked_headings: usize,
    /// Links that ask the reader to do business.
    pub(super) calls: usize,
}

/// Words of a paragraph that somebody wrote for reading, as in `main_block.algorithm: auto`.
const LONG: u32 = 20;

/// Steps up from a text to the paragraph that it is in: emphasis and links are nested, whole pages are not.
const STEPS_TO_PARAGRAPH: usize = 5;

/// Texts of buttons that put something into a basket; in other languages their classes still tell it.
static TO_BUY: LazyLock<Prefixes> = LazyLock::new(|| Prefixes::new(&TO_BUY_WORDS));
static TO_BUY_WORDS: WordList = words!("type_to_buy");

/// How links begin that ask the reader to do business with whoever runs the site. Pages that offer something have four and
/// more of them, texts about it one or two.
const CALLS: Prefixes = Prefixes::new(&[
    "get started",
    "contact us",
    "book ",
    "request ",
    "free trial",
    "try ",
    "get a ",
    "sign up",
    "schedule",
    "talk to",
    "learn more",
    "start ",
]);

/// Nodes of a heading in which a link is looked for.
const MAX_HEADING_NODES: usize = 10;

/// Bytes of a button's text that are read.
const MAX_BUTTON_BYTES: usize = 60;

impl Counters {
    /// Counters of a page with these claims: nothing is counted yet.
    pub(super) fn from_page(page: &Page, claims: Claims) -> Counters {
        let url = page.web_url();
        let host = match url.host() {
            Some(Host::Domain(name)) => name.trim_start_matches("www."),
            _ => "",
        };
        let segments = url.path_segments().into_iter().flatten();
        let segments = segments.filter(|_| url.has_host());
        let names = segments.map(|name| name.split('.').next().unwrap_or_default());
        Counters {
            claims,
            marked: marked(page),
            host: host.split('.').next().unwrap_or_default().to_owned(),
            path: names.filter(|name| !name.is_empty()).map(str::to_lowercase).collect(),
            has_topic: url.query_pairs().any(|(key, value)| {
                matches!(&*key, "topic" | "showtopic") && value.starts_with(|c: char| c.is_ascii_digit())
            }),
            is_front: url.has_host() && url.path() == "/" && url.query().is_none(),
            long_paragraphs: 0,
            links: 0,
            linked: 0.0,
            prices: 0,
            buttons_to_buy: 0,
            offers: 0,
            code: 0,
            has_time: false,
            headings: 0,
            linked_headings: 0,
            calls: 0,
        }
    }

    /// Counts what can be counted.
    pub(super) fn count(&mut self, page: &Page) {
        let item_prop = local_name!("itemprop");
        let mut words_of = vec![0u32; page.len()];
        let (mut chars, mut linked) = (0, 0);
        let mut run = Run::default();
        for id in page.live(page.body()) {
            if page.own_chars(id) > 0
                && let Some(text) = page.text(id)
            {
                chars += page.own_chars(id);
                linked += usize::from(page.in_link(id)) * page.own_chars(id);
                let prices = prices(&text);
                let mut around = page.ancestors(id).take(STEPS_TO_PARAGRAPH);
                if prices > 0 && !around.any(|up| matches!(page.tag(up), Some(Tag::Pre | Tag::Code))) {
                    self.prices += prices;
                }
                let mut above = page.ancestors(id).take(STEPS_TO_PARAGRAPH);
                if let Some(paragraph) = above.find(|&up| page.tag(up) == Some(Tag::P)) {
                    let so_far = &mut words_of[paragraph.index()];
                    if *so_far < LONG {
                        *so_far += words_up_to(&text, LONG);
                    }
                } else if !page.in_link(id) {
                    run.text(id);
                }
                continue;
            }
            match page.tag(id) {
                Some(Tag::Br) => run.line_break(|id| page.text(id).map_or(0, |text| words(&text))),
                Some(Tag::Td | Tag::Table | Tag::Hr) => run.part(),
                _ => {}
            }
            match page.tag(id) {
                Some(Tag::Pre | Tag::Code) => self.code += 1,
                Some(Tag::Time) => self.has_time = true,
                Some(Tag::H2 | Tag::H3 | Tag::H4) => {
                    self.headings += 1;
                    let mut inside = page.live(id).take(MAX_HEADING_NODES);
                    let is_linked = inside.any(|inner| page.in_link(inner));
                    self.linked_headings += usize::from(is_linked);
                }
                Some(Tag::A) if page.in_link(id) => {
                    self.links += 1;
                    let text = text_of_button(page, id);
                    self.buttons_to_buy += usize::from(is_to_buy(page, id, &text));
                    self.calls += usize::from(begins_with(&text, &CALLS));
                }
                Some(Tag::Button | Tag::Input) => {
                    let text = text_of_button(page, id);
                    self.buttons_to_buy += usize::from(is_to_buy(page, id, &text));
                }
                _ => {}
            }
            if page.hints(id).has(Hint::Property)
                && let Some(part) = page.attribute(id, &item_prop)
            {
                self.offers += usize::from(matches!(part, "price" | "sku" | "offers"));
            }
        }
        let paragraphs = words_of.iter().filter(|words| **words >= LONG).count();
        self.long_paragraphs = paragraphs + run.long;
        self.linked = linked as f64 / chars.max(1) as f64;
    }

    /// Whether its JSON-LD has one of these types.
    pub(super) fn claims(&self, types: &[&str]) -> bool {
        self.claims.types.iter().any(|kind| types.contains(&kind.as_str()))
    }

    /// Whether the page's JSON-LD or a mark in the page has one of these types.
    pub(super) fn says(&self, types: &[&str]) -> bool {
        let is_marked = |kind: &String| types.contains(&kind.as_str());
        self.claims(types) || self.marked.iter().any(is_marked)
    }

    pub(super) fn is_article(&self) -> bool {
        const ARTICLES: [&str; 10] = [
            "Article",
            "NewsArticle",
            "BlogPosting",
            "Report",
            "ReportageNewsArticle",
            "ScholarlyArticle",
            "Recipe",
            "HowTo",
            "Review",
            "LiveBlogPosting",
        ];
        self.claims(&ARTICLES)
    }

    /// Whether it names its author, and its day.
    pub(super) fn has_author(&self) -> bool {
        self.claims.has_author
    }

    pub(super) fn has_date(&self) -> bool {
        self.claims.has_date
    }

    pub(super) fn is_open_graph(&self, types: &[&str]) -> bool {
        types.contains(&self.claims.open_graph.as_str())
    }

    pub(super) fn is_made_by(&self, programs: &[&str]) -> bool {
        let made = &self.claims.generator;
        programs.iter().any(|program| made.starts_with(program))
    }

    /// Whether the first name of its host is one of these.
    pub(super) fn is_on(&self, hosts: &[&str]) -> bool {
        hosts.contains(&self.host.as_str())
    }

    /// Whether its address is that of a discussion: by the names in it, or as forums' programs number them.
    pub(super) fn is_thread(&self) -> bool {
        // Discourse: /t/12, /t/the-bridge/12; Invision: /topic/12-the-bridge.
        let is_numbered = |name: &String| {
            let number = name.split(['-', '_']).next().unwrap_or_default();
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_before = |name: &&String| names::NUMBERED_PATHS.contains(&name.as_str());
        let mut after = self.path.iter().skip_while(|name| !is_before(name)).skip(1);
        let is_script = |name: &String| names::FORUM_SCRIPTS.iter().any(|script| name.starts_with(script));
        // An article about a discussion says that it is one; so does a page of an institution whose name ends so.
        let is_named =
            self.host.ends_with("forum") || self.host.ends_with("forums") || self.is_under(&names::FORUM_PATHS);
        is_named && !self.is_article()
            || self.is_on(&names::FORUM_HOSTS)
            || self.path.iter().any(is_script)
            || after.by_ref().take(2).any(is_numbered)
            || self.has_topic
    }

    /// Whether its path has one of these names.
    pub(super) fn is_under(&self, names: &[&str]) -> bool {
        self.path.iter().any(|name| names.contains(&name.as_str()))
    }
}

/// The schema.org types in the page's own marks. As in all that is counted, a text is no mark.
fn marked(page: &Page) -> Vec<String> {
    let item_type = local_name!("itemtype");
    if !page.any_attribute(|name, _| *name == item_type) {
        return Vec::new();
    }
    page.live(page.body())
        .filter_map(|id| page.attribute(id, &item_type))
        .filter_map(|kind| Some(kind.trim().rsplit_once("schema.org/")?.1.to_owned()))
        .collect()
}

/// The text of a button, as far as that may be of interest: nothing where its first letter is that of no such words.
fn text_of_button(page: &Page, id: NodeId) -> String {
    const NODES: usize = 10;
    let shown = page.live(id).take(NODES);
    let mut shown = shown.filter(|&id| page.own_chars(id) > 0);
    let first = shown.find_map(|id| page.text(id)?.trim_start().bytes().next());
    if first.is_some_and(|first| TO_BUY.may_begin(first) || CALLS.may_begin(first)) {
        page.start_of_text(id, NODES, MAX_BUTTON_BYTES)
    } else {
        String::new()
    }
}

/// The words of a text, so many or more where they are many: most of a long one need not be read.
fn words_up_to(text: &str, most: u32) -> u32 {
    /// Bytes that nearly always hold so many.
    const START: usize = 256;
    if text.len() > START {
        let start = words(&text[..text.floor_char_boundary(START)]);
        if start >= most {
            return start;
        }
    }
    words(text)
}

fn is_to_buy(page: &Page, id: NodeId, text: &str) -> bool {
    let mut is_to_buy = begins_with(text, &TO_BUY);
    page.each_attribute(id, |name, value| {
        is_to_buy |= match *name {
            local_name!("class") | local_name!("id") | local_name!("name") => names_a_basket(value),
            local_name!("value") => begins_with(value, &TO_BUY),
            _ => false,
        };
    });
    is_to_buy
}

/// Whether the name of a class and the like is `add-to-cart` or `addToBasket`.
fn names_a_basket(value: &str) -> bool {
    const NAMES: [&str; 2] = ["addtocart", "addtobasket"];
    let bytes = value.as_bytes();
    let is = |at: usize, name: &&str| {
        let letters = bytes[at..].iter().filter(|byte| !matches!(byte, b'-' | b'_'));
        let mut letters = letters.map(u8::to_ascii_lowercase);
        name.bytes().all(|wanted| letters.next() == Some(wanted))
    };
    // Without a copy in small letters: nearly no value has them.
    let mut starts = memchr::memchr2_iter(b'a', b'A', bytes);
    let may_be = |at: usize| matches!(bytes.get(at + 1), Some(b'd' | b'D' | b'-' | b'_'));
    starts.any(|at| may_be(at) && NAMES.iter().any(|name| is(at, name)))
}

/// Whether a text begins with one of these words.
fn begins_with(text: &str, phrases: &Prefixes) -> bool {
    let text = trim(text);
    // A capital of plain letters becomes one small letter, which most of the words do not begin with.
    let first = text.bytes().next().filter(u8::is_ascii);
    if text.is_empty() || first.is_some_and(|first| !phrases.may_begin(first)) {
        return false;
    }
    let begins = |words: &str| {
        let mut small = text.chars().flat_map(char::to_lowercase);
        words.chars().all(|wanted| small.next() == Some(wanted))
    };
    match first {
        Some(first) => phrases.beginning_with(first.to_ascii_lowercase()).any(begins),
        None => phrases.all.iter().any(|words| begins(words)),
    }
}

/// Amounts of money in a text: a sign of a currency beside a digit.
pub(crate) fn prices(text: &str) -> usize {
    // The block of currency signs holds those of euro, rupee, rouble, won, lira, hryvnia and others.
    let is_currency = |c: &char| matches!(c, '$' | '£' | '¥' | '\u{20a0}'..='\u{20cf}');
    if text.len() < 2 {
        return 0;
    }
    let mut count = 0;
    // The first bytes of all of them.
    for at in memchr::memchr3_iter(b'$', 0xc2, 0xe2, text.as_bytes()) {
        let sign = text[at..].chars().next().filter(is_currency);
        let Some(sign) = sign else { continue };
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        let after = text[at + sign.len_utf8()..].trim_start().chars().next();
        let before = text[..at].trim_end().chars().next_back();
        count += usize::from(is_digit(after) || is_digit(before));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{CALLS, begins_with, names_a_basket, prices};

    #[test]
    fn a_basket_is_named_with_and_without_signs_between_its_words() {
        for value in ["add-to-cart", "x AddToCart", "btn_add_to_b-asket", "aadd-to-cart"] {
            assert!(names_a_basket(value), "{value}");
        }
        for value in ["", "cart", "add to cart", "add-to-car"] {
            assert!(!names_a_basket(value), "{value}");
        }
    }

    #[test]
    fn a_button_calls_by_how_it_begins_in_capitals_or_not() {
        assert!(begins_with(" GET started now", &CALLS));
        assert!(begins_with("Try it", &CALLS));
        for text in ["", "Trying", "Now get started", "\u{130}n"] {
            assert!(!begins_with(text, &CALLS), "{text}");
        }
    }

    #[test]
    fn amounts_of_money_stand_on_either_side_of_their_sign() {
        assert_eq!(prices("from $12.90, £ 3 or 129,00 € a day"), 3);
        assert_eq!(prices("₩ 12,000, 90 ₺, ₴45"), 3);
        assert_eq!(prices("in US$ or €, 15 percent"), 0);
    }
}
