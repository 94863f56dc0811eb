//! Forms that no reader fills in: what narrows down a list, the country and currency of a shop, the button that every
//! card or comment has, and boxes that nobody can send.
//!
//! Known by their fields, not by their words: a form that asks the same page again by nothing but boxes and lists; one whose only
//! field is a long list; forms without any field that repeat. A form without a button and without a line to type in is sent by
//! no key (HTML § 4.10.22.2, implicit submission): with the scripts gone its boxes and lists do nothing, and go; its words stay.
//! So they do where a form that narrows down holds the whole list, and where it is a quiz.

use std::collections::HashSet;

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};

/// Boxes and lists of a form from which it narrows down what the page shows. A poll has fewer, and is posted.
const FILTERS: usize = 4;

/// Options of a list from which it is one of countries, months or languages. Sizes and colours are fewer.
const LONG_LIST: usize = 20;

/// Forms without a field from which they are the buttons of something that repeats.
const REPEATED: usize = 3;

/// Visible characters of a form that is a button.
const BUTTON_CHARS: usize = 40;

/// What a reader would fill in.
#[derive(Default)]
struct Fields {
    /// Check boxes, radio buttons, lists.
    choices: usize,
    /// Everything that is typed.
    texts: usize,
    options: usize,
    /// What sends the form.
    buttons: usize,
}

impl Fields {
    fn of(page: &Page, form: NodeId) -> Fields {
        let mut fields = Fields::default();
        for id in page.live(form) {
            match page.tag(id) {
                Some(Tag::Select) => fields.choices += 1,
                Some(Tag::Option) => fields.options += 1,
                Some(Tag::Textarea) => fields.texts += 1,
                Some(Tag::Button) => {
                    let kind = page.attribute(id, &local_name!("type"));
                    let is_other = kind
                        .is_some_and(|kind| kind.eq_ignore_ascii_case("button") || kind.eq_ignore_ascii_case("reset"));
                    fields.buttons += usize::from(!is_other);
                }
                Some(Tag::Input) => {
                    let kind = page.attribute(id, &local_name!("type"));
                    match kind.unwrap_or("text").to_ascii_lowercase().as_str() {
                        "submit" | "image" => fields.buttons += 1,
                        "hidden" | "button" | "reset" => {}
                        "checkbox" | "radio" => fields.choices += 1,
                        _ => fields.texts += 1,
                    }
                }
                _ => {}
            }
        }
        fields
    }

    fn are_none(&self) -> bool {
        self.choices == 0 && self.texts == 0
    }
}

/// Drops such forms.
pub(super) fn drop_unread(page: &mut Page) {
    if !page.has_any(&[Tag::Form]) {
        return;
    }
    let forms: Vec<(NodeId, Fields)> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::Form))
        .map(|id| (id, Fields::of(page, id)))
        .collect();
    if forms.is_empty() {
        return;
    }
    let is_button =
        |id: NodeId, fields: &Fields| fields.are_none() && page.chars(id) <= BUTTON_CHARS && !holds_content(page, id);
    let buttons = forms.iter().filter(|(id, fields)| is_button(*id, fields)).count();
    let unwanted: Vec<NodeId> = forms
        .iter()
        .filter(|(id, fields)| {
            let is_list = fields.texts == 0
                && fields.choices == 1
                && fields.options >= LONG_LIST
                && page.chars(*id) <= BUTTON_CHARS;
            let narrows = fields.texts == 0
                && fields.choices >= FILTERS
                && asks_again(page, *id)
                && !holds_content(page, *id)
                && !asks_questions(page, *id);
            is_list || narrows || buttons >= REPEATED && is_button(*id, fields)
        })
        .map(|(id, _)| *id)
        .collect();
    // A button elsewhere may send a form, by its name.
    let named: HashSet<&str> =
        page.live(page.body()).filter_map(|id| page.attribute(id, &local_name!("form"))).collect();
    let dead: Vec<NodeId> = forms
        .iter()
        .filter(|(id, fields)| {
            let name = page.attribute(*id, &local_name!("id"));
            let is_named = name.is_some_and(|name| named.contains(name));
            let is_sent = fields.buttons > 0 || is_named;
            fields.texts == 0 && fields.choices > 0 && (!is_sent || fields.choices >= FILTERS && asks_again(page, *id))
        })
        .flat_map(|&(form, _)| page.live(form))
        .filter(|&id| matches!(page.tag(id), Some(Tag::Input | Tag::Select)))
        .collect();
    for id in unwanted.into_iter().chain(dead) {
        page.drop_silently(id);
    }
}

/// Whether a form asks for the same page with other parameters.
fn asks_again(page: &Page, form: NodeId) -> bool {
    let is_get =
        page.attribute(form, &local_name!("method")).is_none_or(|method| method.trim().eq_ignore_ascii_case("get"));
    let to_self = page.attribute(form, &local_name!("action")).is_none_or(|action| action.trim().is_empty())
        || page.address(form, &local_name!("action")).is_some_and(|to| to.path() == page.url().path());
    is_get && to_self
}

/// Whether a form is a quiz or a questionnaire: texts in it end with a question mark, of any script.
fn asks_questions(page: &Page, form: NodeId) -> bool {
    /// Questions at least, and visible characters of one ("In stock?" is none).
    const QUESTIONS: usize = 2;
    const SHORTEST: usize = 12;
    let is_question = |id: &NodeId| {
        page.own_chars(*id) >= SHORTEST
            && page.text(*id).is_some_and(|text| text.trim_end().ends_with(['?', '？', '؟', '՞', ';']))
    };
    page.live(form).filter(is_question).nth(QUESTIONS - 1).is_some()
}

/// Whether something in a form is read: a paragraph, a heading, a picture. Some sites put a whole page into one form.
fn holds_content(page: &Page, form: NodeId) -> bool {
    page.live(form).any(|id| {
        page.tag(id).is_some_and(|tag| {
            matches!(tag, Tag::P | Tag::Img | Tag::Picture | Tag::Pre | Tag::Table | Tag::H1 | Tag::H2)
        }) && (page.chars(id) > 0 || page.tag(id) == Some(Tag::Img))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn forms_left(html: &str) -> usize {
        let mut page = page(html);
        drop_unread(&mut page);
        let is_form = |id: &NodeId| page.tag(*id) == Some(Tag::Form);
        page.live(page.body()).filter(is_form).count()
    }

    #[test]
    fn what_narrows_down_a_list_goes() {
        let boxes = "<label><input type=checkbox name=c> oak</label>".repeat(5) + "<button>show</button>";
        assert_eq!(forms_left(&format!("<form>{boxes}</form>")), 0);
        assert_eq!(forms_left(&format!("<form method=post>{boxes}</form>")), 1);
        assert_eq!(forms_left(&format!("<form action=/find>{boxes}</form>")), 1);
        assert_eq!(forms_left(&format!("<form>{boxes}<input name=q></form>")), 1);
        assert_eq!(forms_left(&format!("<form><p>Our chairs</p>{boxes}</form>")), 1);
        let question = "<legend>Which wood is the hardest of all?</legend>";
        let quiz = format!("<form>{question}{boxes}{question}{boxes}</form>");
        assert_eq!(forms_left(&quiz), 1);
        assert_eq!(forms_left(&format!("<form>In stock?{boxes}Sold?</form>")), 0);
        let mut with_text = page(&format!("<form><p>Our chairs</p>{boxes}</form>"));
        drop_unread(&mut with_text);
        let is_box = |id: NodeId| with_text.tag(id) == Some(Tag::Input);
        assert!(!with_text.live(with_text.body()).any(is_box));
    }

    #[test]
    fn a_list_of_countries_goes_and_one_of_sizes_stays() {
        let options = "<option>Land".repeat(30);
        assert_eq!(forms_left(&format!("<form method=post><select>{options}</select></form>")), 0);
        assert_eq!(forms_left("<form method=post><select><option>S<option>M</select></form>"), 1);
    }

    #[test]
    fn boxes_that_nobody_can_send_go_and_their_words_stay() {
        let left = |html: &str| {
            let mut page = page(html);
            drop_unread(&mut page);
            let boxes = page.live(page.body()).filter(|&id| page.tag(id) == Some(Tag::Input)).count();
            (boxes, page.chars(page.body()))
        };
        let box_ = "<label><input type=checkbox name=c> oak</label>";
        assert_eq!(left(&format!("<form>{box_}</form>")), (0, 3));
        assert_eq!(left(&format!("<form>{box_}<button>go</button></form>")), (1, 5));
        assert_eq!(left(&format!("<form>{box_}<input></form>")), (2, 3));
        assert_eq!(left(&format!("<form id=f>{box_}</form><button form=f>go</button>")), (1, 5));
    }

    #[test]
    fn buttons_that_repeat_go_and_a_single_one_stays() {
        let button = "<form method=post><input type=hidden name=id><button>Add</button></form>";
        assert_eq!(forms_left(button), 1);
        assert_eq!(forms_left(&button.repeat(4)), 0);
        let search = "<form><input name=q></form>";
        assert_eq!(forms_left(&format!("{}{search}", button.repeat(4))), 1);
    }
}
