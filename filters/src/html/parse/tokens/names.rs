//! Names of tags and attributes as interned ones, remembered: pages use few of them, again and again.

use html5ever::{LocalName, local_name};

/// Places, a power of two. Two names that meet in one place take turns there, which costs the time that is saved
/// otherwise. A page uses 50 to 100 names.
const PLACES: usize = 256;

/// A name, and what a start tag of this name asks for.
#[derive(Clone)]
pub(super) struct Known {
    /// Text of the name: to read it from the interned `name` takes longer.
    text: String,
    pub(super) name: LocalName,
    pub(super) start_tag: StartTag,
}

/// The processing that a start tag needs before the parser reads on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartTag {
    /// The tree builder makes one element of it, by its name alone: it neither looks at its attributes nor keeps them.
    Plain,
    /// The tree builder looks at the attributes, or remembers them for copies of the element.
    Builders,
    /// The element's content may have to be read by other rules, until its end tag.
    Raw,
    /// The element's content is text to the end of the page: the tokenizer must know of it.
    Tokenizers,
}

pub(super) struct NameCache(Vec<Known>);

impl NameCache {
    pub(super) fn new() -> NameCache {
        let none = Known { text: String::new(), name: LocalName::default(), start_tag: StartTag::Builders };
        NameCache(vec![none; PLACES])
    }

    pub(super) fn get(&mut self, name: &str) -> &Known {
        let known = &mut self.0[place(name)];
        if known.text != name {
            known.text.replace_range(.., name);
            known.name = LocalName::from(name);
            known.start_tag = start_tag(&known.name);
        }
        known
    }
}

/// The length and three letters tell nearly all names apart that stand on one page.
fn place(name: &str) -> usize {
    let bytes = name.as_bytes();
    let Some(&last) = bytes.last() else { return 0 };
    let middle = bytes[bytes.len() / 2];
    let sum = usize::from(bytes[0])
        .wrapping_mul(7)
        .wrapping_add(usize::from(middle).wrapping_mul(31))
        .wrapping_add(usize::from(last).wrapping_mul(61))
        .wrapping_add(bytes.len().wrapping_mul(13));
    sum % PLACES
}

/// The plain ones are all ordinary elements but those for formatting (HTML Standard § 13.2.4.3), which are copied, and the
/// few whose attributes have a meaning for the parser: `html`, `body`, `input`, `template`, and what is not of HTML.
pub(super) fn start_tag(name: &LocalName) -> StartTag {
    match *name {
        local_name!("plaintext") => StartTag::Tokenizers,
        local_name!("script")
        | local_name!("style")
        | local_name!("title")
        | local_name!("textarea")
        | local_name!("xmp")
        | local_name!("iframe")
        | local_name!("noembed")
        | local_name!("noframes")
        | local_name!("noscript") => StartTag::Raw,
        local_name!("article")
        | local_name!("aside")
        | local_name!("blockquote")
        | local_name!("br")
        | local_name!("button")
        | local_name!("dd")
        | local_name!("div")
        | local_name!("dl")
        | local_name!("dt")
        | local_name!("figcaption")
        | local_name!("figure")
        | local_name!("footer")
        | local_name!("form")
        | local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6")
        | local_name!("header")
        | local_name!("img")
        | local_name!("label")
        | local_name!("li")
        | local_name!("link")
        | local_name!("main")
        | local_name!("meta")
        | local_name!("nav")
        | local_name!("ol")
        | local_name!("option")
        | local_name!("p")
        | local_name!("picture")
        | local_name!("section")
        | local_name!("select")
        | local_name!("source")
        | local_name!("span")
        | local_name!("table")
        | local_name!("tbody")
        | local_name!("td")
        | local_name!("th")
        | local_name!("thead")
        | local_name!("time")
        | local_name!("tr")
        | local_name!("ul")
        | local_name!("video") => StartTag::Plain,
        _ => StartTag::Builders,
    }
}
