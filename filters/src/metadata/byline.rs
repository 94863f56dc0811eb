//! The byline that a page shows: the name of the author of this text, among all the names on the page.
//!
//! A name has a sign: microdata (`itemprop=author`), `rel=author` (HTML § 4.6.7.2), a class name, an address of an author's page,
//! or the word "by" before it. Comments, answers, cards of other articles and testimonials have the same signs. So it
//! counts where the name stands:
//!
//! - close to the headline, or by itself: a name in one of several siblings that are built alike and each name somebody is
//!   one of many;
//! - not inside what is called a comment, an answer, a review.
//!
//! Readability takes the first of `rel=author`, `itemprop=author` and a class like `byline` (`_isValidByline`), wherever
//! it is.

mod author_marks;
mod place;

use html5ever::local_name;

use super::{
    Headline, MAX_NAME_BYTES, date,
    names::{joined, openers, tidy, trim, trim_start, without_opener},
    start_of_line,
};
use crate::{
    html::{NodeId, Page, tag::Tag},
    vocabulary::words::one_line,
};
use author_marks::AuthorMark;
pub(super) use author_marks::is_of_another;
pub(super) use place::Places;

/// Most characters of a byline; Readability has the same. Higher: paragraphs about the author.
const MAX_CHARS: usize = 100;

/// Names that are looked at. Raising it costs time on hostile pages.
const MAX_MARKS: usize = 300;

/// Nodes of a byline that are read.
const MAX_NODES: usize = 30;

/// Names of one byline that are joined.
const MAX_AUTHORS: usize = 10;

/// Characters of an element whose class says that it is an author, at most: boxes about authors are shorter, and some sites give the
/// author's name to the whole text as a class.
const MAX_CLASS_CHARS: usize = 600;

/// A name, where it stands, and what says that it is one.
struct NamedAuthor {
    element: NodeId,
    sign: AuthorMark,
    name: String,
}

/// The author whom the page shows.
pub(super) fn author(page: &Page, headline: &Headline) -> Option<String> {
    find(page, headline, |is_near, mark| is_near || mark.sign.may_be_far())
}

/// The author whom the page names close to its headline.
pub(super) fn below_headline(page: &Page, headline: &Headline) -> Option<String> {
    find(page, headline, |is_near, mark| is_near && mark.sign != AuthorMark::Link)
}

fn find(page: &Page, headline: &Headline, may_be: impl Fn(bool, &NamedAuthor) -> bool) -> Option<String> {
    let places = Places::new(page, headline.node);
    let marks = marks(page, &places);
    let is_near = |mark: &NamedAuthor| places.is_near(mark.element);
    let mut ranked: Vec<&NamedAuthor> = marks.iter().collect();
    ranked.sort_by_key(|mark| (!is_near(mark), mark.sign));
    let best = ranked
        .into_iter()
        .find(|mark| may_be(is_near(mark), mark) && !place::is_one_of_many(page, mark, &marks, headline.node))?;
    Some(with_others(page, innermost(page, best, &marks), &marks))
}

/// All names with a sign, in document order.
fn marks(page: &Page, places: &Places) -> Vec<NamedAuthor> {
    let mut marks: Vec<NamedAuthor> = Vec::new();
    for id in page.live(page.body()) {
        if marks.len() >= MAX_MARKS {
            break;
        }
        let mark = match page.tag(id) {
            Some(tag) => author_marks::from_element(page, id, tag).and_then(|sign| {
                if sign == AuthorMark::Class && !is_short(page, id, MAX_CLASS_CHARS) {
                    return None;
                }
                let name = name_in(page, id)?;
                Some(NamedAuthor { element: id, sign, name })
            }),
            None if (1..MAX_CHARS).contains(&page.own_chars(id)) => opened_by_words(page, id, places.is_near(id)),
            None => None,
        };
        marks.extend(mark);
    }
    marks
}

/// The name in an element that has a sign.
fn name_in(page: &Page, id: NodeId) -> Option<String> {
    if let Some(within) = author_marks::inner_name(page, id) {
        return tidy(first_part(&short_line(start_of_line(page, within))?));
    }
    let line = short_line(first_line(page, id))?;
    tidy(cut(without_opener(&line, openers::all())))
}

fn short_line(line: String) -> Option<String> {
    let is_short = line.len() <= MAX_NAME_BYTES && line.chars().count() < MAX_CHARS;
    (is_short && !line.is_empty()).then_some(line)
}

/// The first line of an element that holds more than the word "by".
fn first_line(page: &Page, id: NodeId) -> String {
    let mut line = String::new();
    let mut block_end = page.end(id);
    let mut is_next = false;
    for at in page.live(id).take(MAX_NODES) {
        is_next |= at >= block_end;
        if let Some(tag) = page.tag(at) {
            if at != id && (tag.is_block() || tag == Tag::Br) {
                is_next = true;
                block_end = page.end(at);
            }
        } else if page.own_chars(at) > 0 {
            if is_next && tidy(&line).is_some() {
                break;
            }
            is_next = false;
            if let Some(text) = page.text(at) {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(&text[..text.floor_char_boundary(text.len().min(MAX_NAME_BYTES))]);
            }
        }
    }
    one_line(&line)
}

/// "By Ann Ash", or "By" and the name in the next text. Far from the headline, "by" alone says nothing.
fn opened_by_words(page: &Page, id: NodeId, is_near: bool) -> Option<NamedAuthor> {
    let line = {
        let text = page.text(id)?;
        if !is_near && !author_marks::may_open(trim_start(&text)) {
            return None;
        }
        let start = trim(&text);
        let is_short = start.len() <= 2 * MAX_NAME_BYTES;
        (is_short && (is_near || author_marks::may_open(start))).then(|| one_line(start))?
    };
    if is_near && let Some(name) = joined::names(&line) {
        return Some(NamedAuthor { element: id, sign: AuthorMark::Opener, name });
    }
    let (sign, openers) =
        if is_near { (AuthorMark::Opener, openers::all()) } else { (AuthorMark::Written, openers::sure()) };
    let rest = without_opener(&line, openers);
    if rest.len() == trim(&line).len() || !is_near && goes_on(page, id) {
        return None;
    }
    let (element, name) = if rest.is_empty() {
        // The name is an element beside it.
        let mut after = (id.index() + 1..page.end(page.body()).index()).map(NodeId::from_row);
        let next = after.by_ref().take(MAX_NODES).find(|&next| page.own_chars(next) > 0)?;
        (next, one_line(&page.text(next)?))
    } else {
        (id, rest.to_owned())
    };
    let name = cut(&name);
    // What stands behind a comma may be an office.
    let parts = [Some(name), name.split_once(", ").map(|(name, _)| name)];
    let name = parts.into_iter().flatten().find(|name| author_marks::looks_like_names(name))?;
    Some(NamedAuthor { element, sign, name: tidy(name)? })
}

/// Whether a text stands within a line: "based on the story *Bell* written by Ann Ash".
fn goes_on(page: &Page, text: NodeId) -> bool {
    let is_line = |id: &NodeId| page.tag(*id).is_some_and(|tag| tag.is_block() || matches!(tag, Tag::Td | Tag::Th));
    let line_of = |id| page.ancestors(id).find(is_line);
    let mut before = (0..text.index()).rev().map(NodeId::from_row).take(MAX_NODES);
    let before = before.find(|&id| page.own_chars(id) > 0 || page.tag(id) == Some(Tag::Br));
    before.is_some_and(|id| page.tag(id).is_none() && line_of(id) == line_of(text))
}

/// A line up to its first separator, without what stands in brackets at the end.
fn first_part(line: &str) -> &str {
    let mut end = line.find(['|', '·', '•', '∙']).unwrap_or(line.len());
    // The name of the paper or a place.
    for dash in [" - ", " – ", " — "] {
        end = line[..end].find(dash).unwrap_or(end);
    }
    let line = &line[..end];
    match line.split_once(" (") {
        Some((name, rest)) if !name.is_empty() && rest.find(')').is_none_or(|at| at + 1 == rest.len()) => name,
        _ => line,
    }
}

/// A name without the day and the like behind it.
fn cut(name: &str) -> &str {
    /// Words that follow a name in a byline.
    const AFTER: [&str; 8] = ["published", "updated", "posted", "last", "reviewed", "medically", "edited", "fact"];
    let name = first_part(name);
    let mut at = 0;
    // Where the day begins, once one may have begun: "on", "in", a month.
    let mut day_at = None;
    for word in name.split(' ') {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let begins = date::is_word(bare) || ["on", "in", "at"].contains(&bare);
        if bare.starts_with(|c: char| c.is_ascii_digit()) && (at > 0 || name.contains(' ')) {
            return trim(&name[..day_at.unwrap_or(at)]);
        }
        if AFTER.iter().any(|after| bare.eq_ignore_ascii_case(after)) {
            return trim(&name[..day_at.unwrap_or(at)]);
        }
        day_at = if begins { day_at.or(Some(at)) } else { None };
        at += word.len() + 1;
    }
    trim(name)
}

/// The innermost of marked names inside each other: around it stand a day, a rank, the word "by".
fn innermost<'a>(page: &Page, mark: &'a NamedAuthor, marks: &'a [NamedAuthor]) -> &'a NamedAuthor {
    marks
        .iter()
        .filter(|inner| inner.sign <= mark.sign && page.contains(mark.element, inner.element))
        .max_by_key(|inner| inner.element)
        .unwrap_or(mark)
}

/// The name, and those beside it in the same line.
fn with_others(page: &Page, mark: &NamedAuthor, marks: &[NamedAuthor]) -> String {
    let line = line_around(page, mark.element);
    let mut names = vec![mark.name.as_str()];
    for other in marks.iter().filter(|other| other.sign == mark.sign) {
        let is_beside = line.is_some_and(|line| page.contains(line, other.element));
        let is_new = !names.iter().any(|name| name.contains(&other.name) || other.name.contains(name))
            && leads_to(page, other).is_none_or(|to| Some(to) != leads_to(page, mark));
        if is_beside && is_new && names.len() < MAX_AUTHORS {
            names.push(&other.name);
        }
    }
    names.join(", ")
}

/// Where the link of a name leads: "View my complete profile" beside the name leads where the name does.
fn leads_to<'a>(page: &'a Page, mark: &NamedAuthor) -> Option<&'a str> {
    page.attribute(mark.element, &local_name!("href"))
}

/// The largest element around a name that is no longer than a byline.
fn line_around(page: &Page, name: NodeId) -> Option<NodeId> {
    page.ancestors(name).take_while(|&up| up != page.body() && is_short(page, up, MAX_CHARS)).last()
}

/// Whether an element has no more visible characters.
fn is_short(page: &Page, id: NodeId, most: usize) -> bool {
    let mut chars = 0;
    page.live(id).all(|id| {
        chars += page.own_chars(id);
        chars <= most
    })
}

#[cfg(test)]
mod tests;
