//! What says that a short text is the name of an author.

use html5ever::local_name;

use crate::{
    html::{
        NodeId, Page,
        attribute_hints::{Hint, names::AUTHORS},
        tag::Tag,
    },
    vocabulary::{
        any_of::AnyOf,
        lists::{WordList, words},
        words::words_of_identifier,
    },
};

/// Words in the classes of what stands beside the names of authors.
static BESIDE: WordList = words!("beside_authors");

/// The evidence that a text is a name, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum AuthorMark {
    /// Microdata: the `author` of something.
    Item,
    /// `rel=author` (HTML § 4.6.7.2).
    Rel,
    /// "Written by" stands before it.
    Written,
    /// The name of a class.
    Class,
    /// The word "by" before the name.
    Opener,
    /// A link to an author's page.
    Link,
}

impl AuthorMark {
    /// Whether it says enough where no headline is near.
    pub(super) fn may_be_far(self) -> bool {
        self <= AuthorMark::Class
    }
}

/// Whether a text may begin with one of the sure ones: most do not, and comparing costs more.
pub(super) fn may_open(text: &str) -> bool {
    match text.as_bytes() {
        [first, second, ..] if first.is_ascii() => matches!(
            (first | 32, second | 32),
            (b't', b'h' | b'e')
                | (b'a', b'r' | b'u')
                | (b'w', b'r' | b'o')
                | (b'p', b'o')
                | (b's', b't' | b'c')
                | (b'v' | b'g', b'e')
                | (b'e', b's')
        ),
        // "écrit par"
        _ => text.starts_with(['é', 'É']),
    }
}

/// The evidence in an element's attributes that its text is an author's name.
pub(super) fn from_element(page: &Page, id: NodeId, tag: Tag) -> Option<AuthorMark> {
    const SIGNS: u32 = Hint::AuthorMark.bit() | Hint::Authors.bit() | Hint::AuthorPage.bit();
    if !page.hints(id).has_any(SIGNS) {
        return None;
    }
    let mut sign = None;
    let mut add = |found: AuthorMark| sign = sign.map_or(Some(found), |known| Some(found.min(known)));
    for attribute in page.attributes(id) {
        let (name, value) = (&attribute.name.local, &*attribute.value);
        let has_word = |wanted: &str| {
            let mut words = value.split_ascii_whitespace();
            words.any(|word| word.eq_ignore_ascii_case(wanted))
        };
        match *name {
            local_name!("itemprop") if has_word("author") => {
                if is_of_another(page, id) {
                    return None;
                }
                add(AuthorMark::Item);
            }
            local_name!("rel") if tag == Tag::A && has_word("author") => add(AuthorMark::Rel),
            local_name!("class") if is_author_class(value) => add(AuthorMark::Class),
            _ => {}
        }
    }
    if tag == Tag::A && page.hints(id).has(Hint::AuthorPage) {
        add(AuthorMark::Link);
    }
    sign
}

/// The thing of which an element tells a property (HTML § 5.2.2).
fn item(page: &Page, id: NodeId) -> Option<NodeId> {
    page.ancestors(id).find(|&up| page.has_attribute(up, &local_name!("itemscope")))
}

/// Whether a property is that of what others say of the page, or about it.
pub(in crate::metadata) fn is_of_another(page: &Page, id: NodeId) -> bool {
    const OTHERS: [&str; 5] = ["Comment", "UserComments", "Answer", "Review", "Quotation"];
    item(page, id)
        .and_then(|item| page.attribute(item, &local_name!("itemtype")))
        .and_then(|kind| kind.trim().rsplit('/').next())
        .is_some_and(|kind| OTHERS.contains(&kind))
}

fn is_author_class(value: &str) -> bool {
    /// Parts of the words for authors without their first letters, which may be capitals: nearly no class has one, and
    /// cutting it into words costs more.
    const PARTS: AnyOf = AnyOf::new(&[
        "uthor",
        "yline",
        "riter",
        "olumnist",
        "ontributor",
        "utor",
        "uteur",
        "edakteur",
        "ournalist",
        "eporter",
        "azar",
        "enulis",
        "vtor",
        "reatedby",
    ]);
    if !PARTS.are_in_exactly(value) {
        return false;
    }
    value.split_ascii_whitespace().any(|class| {
        let words: Vec<String> = words_of_identifier(class).collect();
        let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
        has(&AUTHORS) && !has(&BESIDE)
    })
}

/// The name inside an author: `<span itemprop=author itemscope><span itemprop=name>` or `<span class=vcard><span class=fn>` (hCard), else
/// its link, beside which stand ranks and numbers.
pub(super) fn inner_name(page: &Page, id: NodeId) -> Option<NodeId> {
    const MAX_NODES: usize = 30;
    let inner = || page.live(id).skip(1).take(MAX_NODES);
    let is_name = |inner: NodeId| {
        page.attribute(inner, &local_name!("itemprop")) == Some("name")
            || page
                .attribute(inner, &local_name!("class"))
                .is_some_and(|class| class.split_ascii_whitespace().any(|class| class == "fn"))
                && page.chars(inner) > 0
    };
    inner().find(|&inner| is_name(inner)).or_else(|| {
        let is_link = |inner: &NodeId| page.tag(*inner) == Some(Tag::A);
        let mut links = inner().filter(is_link);
        let link = links.find(|&link| page.chars(link) > 0)?;
        links.next().is_none().then_some(link)
    })
}

/// Whether a text with no other sign than "by" before it is one name or some: few words, each with a capital letter or of
/// a script that has none.
pub(super) fn looks_like_names(text: &str) -> bool {
    /// Words of names without a capital, and between names.
    static SMALL: WordList = words!("small_words");
    /// Two names of three words, and a degree.
    const MAX_WORDS: usize = 8;
    let is_word = |word: &str| {
        let bare = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        let starts = bare.chars().next().is_some_and(|c| c.is_alphabetic() && (!c.is_lowercase() || is_georgian(c)));
        starts || SMALL.contains(&word)
    };
    let words = text.split_whitespace();
    let is_sentence = text.contains(". ") && !words.clone().any(is_initial);
    words.clone().count() <= MAX_WORDS
        && words.clone().all(is_word)
        && !text.ends_with(['!', '?', '…'])
        && !text.starts_with('&')
        && !is_sentence
}

/// Letters that are small ones to Unicode, and begin names and sentences all the same.
fn is_georgian(c: char) -> bool {
    matches!(c, '\u{10d0}'..='\u{10ff}')
}

/// "J.", "Jr.": the dot does not end a sentence.
fn is_initial(word: &str) -> bool {
    word.len() <= 4 && word.ends_with('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::names::openers;

    #[test]
    fn what_is_not_compared_begins_with_no_opener() {
        for opener in openers::sure().all {
            for text in [opener.to_string(), opener.to_uppercase()] {
                assert!(may_open(&text), "{text}");
            }
        }
        assert!(!may_open("Ann Ash"));
        assert!(!may_open("t"));
    }
}
