//! Names and dates: short texts that the page says are such.

use std::{cell::OnceCell, collections::HashMap};

use html5ever::{LocalName, local_name};

use crate::{
    dom::leads_to_log_in,
    filter::main_block::auto::thread::talk::when::is_date as is_date_text,
    page::{NodeId, Page, said::Hint, tag::Tag},
    parts::Parts,
    text::words_of_identifier,
};

/// Visible characters of a name and of a date. Higher: panels pass for names.
const MAX_NAME: usize = 40;
const MAX_DATE: usize = 40;

/// Nodes of a name or a date that are read.
const MAX_NODES: usize = 20;

/// Elements between a text and the one that says what it is.
const LEVELS: usize = 3;

/// What attributes of a name and of a date may say.
const NAME_SIGNS: u32 = Hint::Posters.bit() | Hint::Profile.bit() | Hint::AuthorMark.bit();
const DATE_SIGNS: u32 = Hint::Dates.bit() | Hint::Title.bit();

/// The names and the dates of a page, found once for all who ask.
#[derive(Default)]
pub(in super::super) struct Signs {
    names: OnceCell<Vec<Sign>>,
    dates: OnceCell<Vec<Sign>>,
}

impl Signs {
    /// The names; always to be asked for the same page.
    pub(in super::super) fn names(&self, page: &Page) -> &[Sign] {
        self.names.get_or_init(|| names(page))
    }

    /// The dates, without those of changes ("edited 3 May").
    pub(in super::super) fn dates(&self, page: &Page) -> &[Sign] {
        self.dates.get_or_init(|| dates(page))
    }
}

/// Something short that the page says is a name or a date.
#[derive(Clone, Copy)]
pub(in super::super) struct Sign {
    pub(in super::super) element: NodeId,
    /// How sure that is; 0 is best.
    pub(in super::super) rank: u8,
    /// Its first text node.
    pub(in super::super) text: NodeId,
}

fn names(page: &Page) -> Vec<Sign> {
    let marks_authors = page.any_may(Hint::AuthorMark) && page.any_attribute(is_author_mark);
    let rank = |id| name_rank(page, id, marks_authors);
    let mut names = if marks_authors {
        // Every link may stand in such a mark.
        signs(page, page.live(page.body()).skip(1), MAX_NAME, rank)
    } else {
        signs(page, page.telling(NAME_SIGNS, &[]), MAX_NAME, rank)
    };
    // "Log in" is an address below `/users/` too.
    names.retain(|name| {
        let id = name.element;
        !leads_to_log_in(page, id)
            && !is_initial(page, name.text, page.parent(id))
            && !is_number(page, id)
            && !is_time(page, name)
    });
    let mut counts: HashMap<String, usize> = HashMap::new();
    let text = |sign: &Sign| page.start_of_text(sign.element, MAX_NODES, MAX_NAME * 4);
    let is_bare = |sign: &Sign| page.tag(sign.element) != Some(Tag::A);
    for name in names.iter().filter(|name| is_bare(name)) {
        *counts.entry(text(name)).or_default() += 1;
    }
    for name in &mut names {
        // The same in several posts and no link: a rank or a state, where there is a better name.
        if is_bare(name) && counts[&text(name)] > 1 {
            name.rank += 3;
        }
    }
    names
}

/// When somebody wrote, in the same mark as who did: `<span rel="author">Ann <a href="#c2"><time>3 May</time></a></span>`.
fn is_time(page: &Page, name: &Sign) -> bool {
    let mut above = page.ancestors(name.text).take(LEVELS);
    above.any(|up| page.tag(up) == Some(Tag::Time))
}

/// How many posts somebody wrote leads to the same profile.
fn is_number(page: &Page, id: NodeId) -> bool {
    let text = page.start_of_text(id, MAX_NODES, MAX_NAME * 4);
    !text.contains(char::is_alphabetic)
}

/// Initials in place of a picture of the person: "L", and what programs say of it behind them ("Offline").
pub(super) fn is_initial(page: &Page, text: NodeId, within: NodeId) -> bool {
    const MOST: usize = 2;
    const PICTURES: Parts = Parts::new(&["avatar"]);
    let is_picture = |id: NodeId| {
        let class = page.attribute(id, &local_name!("class"));
        let role = page.attribute(id, &local_name!("role"));
        class.is_some_and(|class| PICTURES.are_in(class)) || role == Some("img")
    };
    let mut above = page.ancestors(text).take(LEVELS);
    page.own_chars(text) <= MOST && above.any(|up| page.contains(within, up) && is_picture(up))
}

fn dates(page: &Page) -> Vec<Sign> {
    let may_be = page.telling(DATE_SIGNS, &[Tag::Time]);
    let mut dates = signs(page, may_be, MAX_DATE, |id| date_rank(page, id));
    dates.retain(|date| {
        let around = [date.element, page.parent(date.element)];
        !around.into_iter().any(|id| tells_change(page, id))
    });
    dates
}

/// Whether a text begins with "edited".
fn tells_change(page: &Page, id: NodeId) -> bool {
    const WORDS: [&str; 4] = ["edited", "modified", "last edited", "last modified"];
    let start = page.start_of_text(id, MAX_NODES, MAX_DATE);
    let start = start.trim_start();
    let begins = |word: &&str| {
        let start = start.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    WORDS.iter().any(begins)
}

/// The outermost of some elements that hold one short text of a kind, in document order.
fn signs(
    page: &Page,
    may_be: impl IntoIterator<Item = NodeId>,
    max_chars: usize,
    rank: impl Fn(NodeId) -> Option<u8>,
) -> Vec<Sign> {
    let mut signs = Vec::new();
    let mut over = NodeId::DOCUMENT;
    for id in may_be {
        if id < over || page.tag(id).is_none() {
            continue;
        }
        // Nearly no element has one.
        let Some(rank) = rank(id) else { continue };
        let Some(text) = only_line(page, id, max_chars) else {
            continue;
        };
        over = page.end(id);
        if is_quoted(page, id) || is_last(page, id) {
            continue;
        }
        signs.push(Sign {
            element: inner_link(page, id),
            rank,
            text,
        });
    }
    signs
}

/// Whether a text stands in a quotation or above one ("Ann said:"): its name is that of another post.
pub(in super::super) fn is_quoted(page: &Page, id: NodeId) -> bool {
    let mut around = page.ancestors(id).take(LEVELS);
    around.any(|up| is_quote(page, up))
}

/// Whether an element holds what somebody else wrote.
pub(in super::super) fn is_quote(page: &Page, id: NodeId) -> bool {
    page.tag(id) == Some(Tag::Blockquote)
        || page.said(id).has(Hint::Quotes) && says(page, id, &local_name!("class"), &QUOTE_WORDS)
}

/// Whether it is that of the last post ("last reply by Ann, 3 May"), which is told at the head of the first.
fn is_last(page: &Page, id: NodeId) -> bool {
    let above = page.parent(id);
    page.live(above)
        .take(MAX_NODES)
        .take_while(|&before| before < id)
        .filter_map(|before| page.text(before))
        .any(|text| {
            let start = text.trim_start().get(..4);
            start.is_some_and(|start| start.eq_ignore_ascii_case("last"))
        })
}

/// The link in a sign, where there is one: what stands beside it is a rank, or a number of posts.
fn inner_link(page: &Page, id: NodeId) -> NodeId {
    page.live(id)
        .find(|&inside| page.tag(inside) == Some(Tag::A) && page.chars(inside) > 0)
        .unwrap_or(id)
}

/// The first text of an element that holds one short line.
fn only_line(page: &Page, id: NodeId, max_chars: usize) -> Option<NodeId> {
    let (mut chars, mut first) = (0, None);
    for (number, inside) in page.live(id).enumerate() {
        let ends_line = inside != id
            && page
                .tag(inside)
                .is_some_and(|tag| tag.is_block() || tag == Tag::Br);
        chars += page.own_chars(inside);
        if ends_line || chars > max_chars || number > MAX_NODES {
            return None;
        }
        if first.is_none() && page.own_chars(inside) > 0 {
            first = Some(inside);
        }
    }
    first
}

/// How sure an element is to be a name. `marks_authors`: whether any element of the page is marked as one.
fn name_rank(page: &Page, id: NodeId, marks_authors: bool) -> Option<u8> {
    let is_link = page.tag(id) == Some(Tag::A);
    let may_be_marked = marks_authors && is_link;
    if !may_be_marked && !page.said(id).has_any(NAME_SIGNS) {
        return None;
    }
    let (mut is_author, mut is_named, mut is_profile) = (false, false, false);
    page.each_attribute(id, |name, value| match *name {
        local_name!("class") => is_named = holds(value, &NAMES),
        local_name!("href") => is_profile = is_link && leads_to_profile(value),
        _ => is_author |= is_author_mark(name, value),
    });
    let marked_around = || {
        let mut above = page.ancestors(id).take(LEVELS);
        above.any(|up| {
            let mut is_marked = false;
            page.each_attribute(up, |name, value| is_marked |= is_author_mark(name, value));
            is_marked
        })
    };
    if is_author || marks_authors && is_link && marked_around() {
        return Some(0);
    }
    if is_named {
        return Some(1);
    }
    is_profile.then_some(2)
}

/// `itemprop=author`, `rel=author` and the like.
fn is_author_mark(name: &LocalName, value: &str) -> bool {
    matches!(*name, local_name!("itemprop") | local_name!("rel"))
        && value
            .split_ascii_whitespace()
            .any(|word| matches!(word, "author" | "creator"))
}

/// Words in the class of a name, and of a quotation.
const NAMES: Words = Words::new(POSTERS);
pub(crate) const POSTERS: &[&str] = &[
    "author",
    "username",
    "creator",
    "poster",
    "nickname",
    "commenter",
    "postername",
    "authorname",
    "displayname",
    "byline",
];
const QUOTE_WORDS: Words = Words::new(QUOTES);
pub(crate) const QUOTES: &[&str] = &["quote", "blockquote", "quoteheader", "quotetitle"];

/// Folders, files and parameters of addresses of profiles.
pub(crate) const PROFILES: [&str; 17] = [
    "user",
    "users",
    "u",
    "member",
    "members",
    "profile",
    "profiles",
    "author",
    "authors",
    "people",
    "account",
    "member.php",
    "memberlist.php",
    "profile.php",
    "viewprofile",
    "showuser",
    "uid",
];

pub(crate) fn leads_to_profile(href: &str) -> bool {
    let is_end = |byte: &u8| matches!(byte, b'/' | b'?' | b'&' | b'=' | b';' | b'#');
    let mut parts = href
        .as_bytes()
        .split(is_end)
        .filter(|part| !part.is_empty())
        .peekable();
    while let Some(part) = parts.next() {
        // Discuz: space-uid-12.html.
        if part.starts_with(b"space-uid-") {
            return true;
        }
        let is_folder = || {
            let may_be = matches!(part[0] | 32, b'a' | b'm' | b'p' | b's' | b'u' | b'v');
            let is = |folder: &&str| part.eq_ignore_ascii_case(folder.as_bytes());
            may_be && PROFILES.iter().any(is)
        };
        if matches!(part[0], b'~' | b'@') || parts.peek().is_some() && is_folder() {
            return true;
        }
    }
    false
}

/// Words in the class of a date, and in the properties of one.
pub(crate) const DATES: [&[&str]; 2] = [
    &[
        "date",
        "time",
        "postdate",
        "timestamp",
        "relativetime",
        "datetime",
        "postdetails",
    ],
    &["datecreated", "datepublished", "date"],
];

/// How sure an element is to be a date.
fn date_rank(page: &Page, id: NodeId) -> Option<u8> {
    const CLASSES: Words = Words::new(DATES[0]);
    const PROPERTIES: Words = Words::new(DATES[1]);
    // When somebody came here is no date of what they wrote.
    const OTHERS: Words = Words::new(&["join", "joined", "joindate", "registered", "regdate"]);
    if page.tag(id) == Some(Tag::Time) {
        return Some(0);
    }
    if !page.said(id).has_any(DATE_SIGNS) {
        return None;
    }
    let is_date = says(page, id, &local_name!("itemprop"), &PROPERTIES)
        || says(page, id, &local_name!("class"), &CLASSES);
    let has_digit = || {
        page.live(id)
            .take(20)
            .filter_map(|id| page.text(id))
            .any(|text| text.contains(|c: char| c.is_numeric()))
    };
    if is_date && says(page, id, &local_name!("class"), &OTHERS) {
        return None;
    }
    if is_date && has_digit() {
        let is_time = |id| page.tag(id) == Some(Tag::Time) && page.chars(id) > 0;
        return Some(u8::from(!page.live(id).take(MAX_NODES).any(is_time)));
    }
    // "4 days ago", and the day where the pointer rests.
    let title = page.attribute(id, &local_name!("title"));
    (title.is_some_and(is_date_text) && has_digit()).then_some(2)
}

/// Words of names in attributes.
struct Words {
    list: &'static [&'static str],
    /// Nearly no element has one, and to cut a name into words costs more.
    parts: Parts,
}

impl Words {
    const fn new(list: &'static [&'static str]) -> Words {
        Words {
            list,
            parts: Parts::new(list),
        }
    }
}

/// Whether an attribute holds one of these words.
fn says(page: &Page, id: NodeId, name: &LocalName, wanted: &Words) -> bool {
    page.attribute(id, name)
        .is_some_and(|value| holds(value, wanted))
}

fn holds(value: &str, wanted: &Words) -> bool {
    wanted.parts.are_in(value)
        && words_of_identifier(value).any(|word| wanted.list.contains(&word.as_str()))
}
