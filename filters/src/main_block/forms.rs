//! Forms that a reader came for: the search of a page of results, a converter, a log-in, a checkout, a contact form.
//!
//! Their labels are short and look like clutter, so no choice by text keeps them. What a form is for is shown by its fields and by
//! where it stands, never by its words:
//!
//! - a field that holds what the page was asked for (`?q=oak` and a field `q`) is the search that led here;
//! - on a page with little text a form that is part of no landmark is what the page is for;
//! - numbers to fill in, or lists to choose from, among the text are a converter or an order.
//!
//! Not: one line to fill in above the headline, a box for an e-mail address alone (a newsletter), a text field for comments below a long text, anything in the site's
//! navigation or footer.

use html5ever::local_name;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, attribute_hints::class_hints::ClassHint, tag::Tag},
    measure::fields::Fields,
};

/// Words of the text that is kept below which a page is there for its form. A sign-in page has 50 to 150, an article 300 and more.
pub(super) const FEW_WORDS: f64 = 150.0;

/// Words of the text that is kept from which a form with a text field asks for comments, and is not what the page is for.
const HARDLY_ANY_WORDS: f64 = 50.0;

/// Things to choose from in a poll, at most: it stands beside texts, and a page with more of them is a survey or a quiz.
const CHOICES: usize = 8;

/// Words of the text that is kept from which a line to fill in above the headline is the site's search. Fewer are hardly a headline.
const MIN_TEXT_WORDS: f64 = 10.0;

/// Visible characters of a form that is looked at, at most: some sites put all of a page into one.
const MAX_CHARS: usize = 500;

/// Visible characters of a form that is looked at, at most, the options of its lists included.
const MAX_CHARS_AND_LISTS: usize = 5000;

/// Visible characters beside a form that belong to it.
const LABEL_CHARS_BESIDE: usize = 80;

/// Most forms that are looked at; the landmarks of a page have two or three.
const MAX_FORMS: usize = 50;

/// The forms of a page.
#[derive(Default)]
pub(super) struct Forms {
    /// Forms to keep, whatever text is kept, each with the heading and the links beside it.
    pub(super) wanted: Vec<NodeId>,
    /// Forms that stay as a whole or go as a whole: without its button a field is of no use.
    pub(super) whole: Vec<NodeId>,
    /// Forms with a text field, on a short page: a label that is kept keeps its field, all the others and their button. Below a
    /// longer text they ask for comments.
    pub(super) for_comments: Vec<NodeId>,
    /// Forms that ask for an e-mail address and nothing else of weight, or that search the site beside a text. They go with
    /// their labels, whatever is kept of these.
    pub(super) unwanted: Vec<NodeId>,
}

impl Forms {
    /// The forms of a page of whose text so many words are kept.
    pub(super) fn from_page(page: &AnalysedPage, kept_words: f64) -> Forms {
        if !page.has_any(&[Tag::Form]) {
            return Forms::default();
        }
        let found: Vec<(NodeId, Fields)> = page
            .live(page.body())
            .filter(|&id| page.tag(id) == Some(Tag::Form) && is_small(page, id))
            .take(MAX_FORMS)
            .map(|id| (id, Fields::from_form(page, id)))
            .filter(|(_, fields)| fields.count() > 0)
            .collect();
        let searches = || found.iter().filter(|(_, fields)| fields.asked);
        let outside = searches().find(|(id, _)| !in_landmark(page, *id));
        let search = outside.or_else(|| searches().next()).map(|(id, _)| *id);
        let is_of_site = |id: NodeId, fields: &Fields| {
            in_landmark(page, id) || kept_words >= MIN_TEXT_WORDS && is_site_search(page, id, fields)
        };
        let mut forms = Forms::default();
        for (id, fields) in &found {
            if Some(*id) == search {
                forms.wanted.push(*id);
            } else if is_newsletter(page, *id, fields) && kept_words >= HARDLY_ANY_WORDS {
                forms.unwanted.push(*id);
            } else {
                let is_for_all = is_all(fields, kept_words) || converts(fields);
                let is_sites = is_of_site(*id, fields);
                if is_for_all && !is_sites {
                    forms.wanted.push(with_labels(page, *id));
                } else if fields.seeks && !is_for_all {
                    forms.unwanted.push(*id);
                } else if !is_sites && fields.texts == 0 {
                    forms.whole.push(*id);
                } else if !is_sites && kept_words < FEW_WORDS {
                    forms.for_comments.push(*id);
                }
            }
        }
        forms
    }
}

/// Whether a form holds few words, besides those that are to be chosen from.
fn is_small(page: &Page, form: NodeId) -> bool {
    let chars = page.chars(form);
    chars <= MAX_CHARS
        || chars <= MAX_CHARS_AND_LISTS && {
            let lists = page.live(form).filter(|&id| page.tag(id) == Some(Tag::Select));
            chars - lists.map(|id| page.chars(id)).sum::<usize>().min(chars) <= MAX_CHARS
        }
}

/// The element around a form and little else: its heading, "Forgot your password?".
fn with_labels(page: &Page, form: NodeId) -> NodeId {
    let parent = page.parent(form);
    let is_alone = parent != page.body()
        && page.chars(parent) <= page.chars(form) + LABEL_CHARS_BESIDE
        && !page.live_children(parent).any(|id| id != form && page.tag(id) == Some(Tag::Form));
    if is_alone { parent } else { form }
}

/// Whether these are what a page with so many words is for.
fn is_all(fields: &Fields, words: f64) -> bool {
    let few = if fields.texts > 0 { HARDLY_ANY_WORDS } else { FEW_WORDS };
    let is_poll = fields.boxes > 0 && fields.count() == fields.boxes && fields.boxes <= CHOICES;
    fields.count() > 0 && words < few && !(is_poll && words >= HARDLY_ANY_WORDS)
}

/// An address, and perhaps a box to agree with; with a name only where its author calls it so: it may be a petition too.
fn is_newsletter(page: &Page, form: NodeId, fields: &Fields) -> bool {
    let is_called = || {
        let mut around = page.self_and_ancestors(form).take(1 + LEVELS);
        around.any(|up| page.hints(up).class_hints & ClassHint::Newsletter.bit() != 0)
    };
    fields.mails > 0
        && fields.passwords + fields.numbers + fields.texts == 0
        && (fields.words == 0 || fields.words <= 2 && is_called())
}

/// Elements around a form that may be called a newsletter's.
const LEVELS: usize = 3;

/// A number or a file and how to take it, or a line of text between two lists; and nobody asks who it is. What sorts a list has
/// lists only.
fn converts(fields: &Fields) -> bool {
    fields.mails + fields.passwords + fields.texts == 0
        && (fields.numbers > 0 && fields.numbers + fields.lists >= 2
            || fields.words > 0 && fields.lists == 2 && fields.boxes == 0)
}

/// Whether a form above the headline has one line to fill in and perhaps a list of where to look: on pages without a `<header>` the
/// site's search stands so, and a poem has few words.
fn is_site_search(page: &AnalysedPage, id: NodeId, fields: &Fields) -> bool {
    let is_above = || page.headline.node.is_some_and(|node| page.end(id) <= node);
    fields.words == 1 && fields.count() - fields.lists == 1 && fields.lists <= 1 && is_above()
}

/// Whether it is a part of every page of the site.
fn in_landmark(page: &Page, id: NodeId) -> bool {
    page.self_and_ancestors(id).any(|up| {
        matches!(page.tag(up), Some(Tag::Nav | Tag::Header | Tag::Footer | Tag::Aside | Tag::Dialog))
            || page.attribute(up, &local_name!("role")).is_some_and(|role| {
                ["navigation", "banner", "contentinfo", "complementary", "dialog", "search"]
                    .iter()
                    .any(|landmark| role.trim().eq_ignore_ascii_case(landmark))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ids, page, page_at};

    /// The ids of the forms that are kept beside a long text, and beside a short one.
    fn kept(html: &str) -> [Vec<String>; 2] {
        let page = page(html);
        [300.0, 100.0].map(|words| ids(&page, &Forms::from_page(&page, words).wanted))
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn the_search_that_led_to_the_page_is_kept() {
        let at = "https://example.org/find?q=oak&page=2";
        let box_ = |id: &str| format!("<form id={id}><input name=q></form>");
        let both = page_at(at, &format!("<header>{}</header>{}", box_("top"), box_("own")));
        assert_eq!(ids(&both, &Forms::from_page(&both, 300.0).wanted), ["own"]);
        let top = page_at(at, &format!("<header>{}</header>", box_("top")));
        assert_eq!(ids(&top, &Forms::from_page(&top, 300.0).wanted), ["top"]);
        let other = page_at("https://example.org/find?q=", &box_("own"));
        assert_eq!(ids(&other, &Forms::from_page(&other, 300.0).wanted), NONE);
    }

    #[test]
    fn a_converter_is_kept_beside_any_text() {
        let form = "<form id=f><input type=number><select><option>km</select></form>";
        assert_eq!(kept(form), [["f"], ["f"]]);
        let with_name = form.replace("</form>", "<input type=email></form>");
        assert_eq!(kept(&with_name), [vec![], vec!["f".to_owned()]]);
    }

    #[test]
    fn a_log_in_is_kept_beside_a_short_text_only() {
        let form = "<form id=f><input name=user><input type=password></form>";
        assert_eq!(kept(form), [vec![], vec!["f".to_owned()]]);
        assert_eq!(kept(&format!("<aside>{form}</aside>")), [NONE, NONE]);
    }

    #[test]
    fn a_contact_form_is_kept_where_there_is_hardly_anything_else() {
        let page = page("<form id=f><input name=name><input type=email><textarea></textarea></form>");
        assert_eq!(ids(&page, &Forms::from_page(&page, 100.0).wanted), NONE);
        assert_eq!(ids(&page, &Forms::from_page(&page, 30.0).wanted), ["f"]);
    }

    #[test]
    fn a_form_has_its_heading_with_it() {
        let html = "<div id=d><h2>Log in</h2><form><input type=password></form><a href=/v>Lost it?</a></div><p>text";
        assert_eq!(kept(html)[1], ["d"]);
    }

    #[test]
    fn one_line_to_fill_in_above_the_headline_is_the_search_of_the_site() {
        let form = "<form id=f><input><select><option>all</select></form>";
        let headline = "<h1 id=h>Night train</h1>";
        let wanted = |html: &str, words: f64| {
            let mut page = page(html);
            page.headline.node = Some(crate::testing::by_id(&page, "h"));
            ids(&page, &Forms::from_page(&page, words).wanted)
        };
        assert_eq!(wanted(&format!("{form}{headline}"), 100.0), NONE);
        assert_eq!(wanted(&format!("{headline}{form}"), 100.0), ["f"]);
        assert_eq!(wanted(&format!("{form}{headline}"), 5.0), ["f"]);
        let log_in = form.replace("<input>", "<input><input type=password>");
        assert_eq!(wanted(&format!("{log_in}{headline}"), 100.0), ["f"]);
    }

    #[test]
    fn a_search_is_whole_or_gone() {
        let page = page("<form id=f><input name=q><button>Go</button></form>");
        assert_eq!(ids(&page, &Forms::from_page(&page, 300.0).whole), ["f"]);
    }

    #[test]
    fn a_petition_is_no_newsletter() {
        let form = "<form id=f><input name=name><input type=email><button>Sign</button></form>";
        assert_eq!(kept(form)[1], ["f"]);
        assert_eq!(kept(&format!("<div class=newsletter>{form}</div>"))[1], NONE);
    }

    #[test]
    fn a_newsletter_is_never_kept() {
        assert_eq!(kept("<form><input name=e-mail><input type=checkbox></form>"), [NONE, NONE]);
        let page = page("<form id=f><input type=email></form><form><input></form>");
        assert_eq!(ids(&page, &Forms::from_page(&page, 300.0).unwanted), ["f"]);
        // Where nothing else is, somebody has lost a password.
        assert_eq!(ids(&page, &Forms::from_page(&page, 20.0).unwanted), NONE);
    }
}
