//! Counts and classifies the fields of a form: typed, chosen, search, e-mail.

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};

/// The fields of a form, and the buttons that send it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fields {
    pub(crate) words: usize,
    pub(crate) mails: usize,
    pub(crate) passwords: usize,
    pub(crate) numbers: usize,
    pub(crate) lists: usize,
    pub(crate) boxes: usize,
    pub(crate) texts: usize,
    /// Buttons that send the form.
    pub(crate) buttons: usize,
    /// A field holds what the address of the page asks for.
    pub(crate) asked: bool,
    /// A field is for what somebody looks for.
    pub(crate) seeks: bool,
}

impl Fields {
    pub(crate) fn from_form(page: &Page, form: NodeId) -> Fields {
        let mut fields = Fields::default();
        for id in page.live(form) {
            match page.tag(id) {
                Some(Tag::Select) => fields.lists += 1,
                Some(Tag::Textarea) => fields.texts += 1,
                Some(Tag::Button) => {
                    let kind = page.attribute(id, &local_name!("type")).unwrap_or_default();
                    let is_other = ["button", "reset"].iter().any(|other| kind.eq_ignore_ascii_case(other));
                    fields.buttons += usize::from(!is_other);
                }
                Some(Tag::Input) => fields.add(page, id),
                _ => {}
            }
        }
        fields
    }

    fn add(&mut self, page: &Page, input: NodeId) {
        let kind = page.attribute(input, &local_name!("type")).unwrap_or("text");
        match kind.trim().to_ascii_lowercase().as_str() {
            "hidden" | "button" | "reset" => {}
            "submit" | "image" => self.buttons += 1,
            "checkbox" | "radio" => self.boxes += 1,
            "password" => self.passwords += 1,
            "email" => self.mails += 1,
            "search" => {
                self.words += 1;
                self.seeks = true;
                self.asked |= is_asked(page, input);
            }
            "number" | "range" | "date" | "time" | "datetime-local" | "month" | "week" | "file" => {
                self.numbers += 1;
            }
            _ if names_mail(page, input) => self.mails += 1,
            _ => {
                self.words += 1;
                self.asked |= is_asked(page, input);
            }
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.typed() + self.chosen()
    }

    /// Everything that is typed.
    pub(crate) fn typed(&self) -> usize {
        self.words + self.mails + self.passwords + self.numbers + self.texts
    }

    /// Everything that is chosen from.
    pub(crate) fn chosen(&self) -> usize {
        self.lists + self.boxes
    }
}

fn names_mail(page: &Page, input: NodeId) -> bool {
    [local_name!("name"), local_name!("id"), local_name!("placeholder"), local_name!("autocomplete")]
        .iter()
        .filter_map(|name| page.attribute(input, name))
        .any(|value| value.to_ascii_lowercase().contains("mail"))
}

/// Whether the page's address has a value for the field.
fn is_asked(page: &Page, input: NodeId) -> bool {
    page.attribute(input, &local_name!("name"))
        .is_some_and(|name| page.url().query_pairs().any(|(key, value)| key == name && !value.trim().is_empty()))
}
