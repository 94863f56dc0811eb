//! The floor: a choice that keeps next to nothing is not carried out, whatever algorithm made it.

use html5ever::{LocalName, local_name};

use super::{
    Algorithm, Choice, Settings,
    choice::{kept_chars, kept_size},
};
use crate::html::{NodeId, Page, tag::Tag};

/// Why a choice must not be carried out, if it must not.
pub(super) fn objection(page: &Page, choice: &Choice, settings: &Settings) -> Option<String> {
    let chars = kept_chars(page, choice);
    // `auto` says itself how sure it is.
    let min_share = match settings.algorithm {
        Algorithm::Auto => 0.0,
        _ => settings.min_share,
    };
    // The size is never less than the characters, and costs a reading.
    let size = if chars < settings.min_chars.max(settings.picture_chars) { kept_size(page, choice) } else { chars };
    let of = || page.chars(page.body());
    let is_less = || min_share > 0.0 && (chars as f64) < min_share * (of() as f64);
    if size < settings.min_chars || is_less() {
        let of = of();
        return Some(format!("{chars} of {of} characters are too few to select"));
    }
    if size >= settings.picture_chars {
        return None;
    }
    if leaves_pictures_behind(page, &choice.kept) {
        return Some(format!("{chars} characters would leave the pictures behind"));
    }
    if leaves_sign_in_behind(page, &choice.kept) {
        return Some(format!("{chars} characters would leave the sign-in behind"));
    }
    None
}

/// Whether the page asks for a password and the block does not: beside the form of a bank stands a longer text that warns of
/// thieves. Fields in a menu are on every page of a site and say nothing about this one.
fn leaves_sign_in_behind(page: &Page, kept: &[NodeId]) -> bool {
    let in_menu = |id| {
        page.ancestors(id).any(|up| matches!(page.tag(up), Some(Tag::Header | Tag::Nav | Tag::Dialog | Tag::Footer)))
    };
    let fields: Vec<NodeId> = page
        .live(page.body())
        .filter(|&id| page.tag(id) == Some(Tag::Input) && asks_for_password(page, id))
        .filter(|&id| !in_menu(id))
        .collect();
    let is_kept = |field| kept.iter().any(|&kept| page.contains(kept, field));
    !fields.is_empty() && !fields.into_iter().any(is_kept)
}

fn asks_for_password(page: &Page, input: NodeId) -> bool {
    page.attribute(input, &local_name!("type")).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"))
}

/// Whether there are pictures on the page that lead nowhere, and so are there to be looked at, and the block has none.
fn leaves_pictures_behind(page: &Page, kept: &[NodeId]) -> bool {
    let mut outside = false;
    for id in page.live(page.body()) {
        if is_shown(page, id) {
            if kept.iter().any(|&kept| page.contains(kept, id)) {
                return false;
            }
            outside = true;
        }
    }
    outside
}

/// Whether an element is a picture that leads nowhere, and so is there to be looked at.
pub(super) fn is_shown(page: &Page, id: NodeId) -> bool {
    page.tag(id).is_some_and(is_picture) && !page.in_link(id) && !is_strip(page, id)
}

/// Whether a picture is a line, a corner or the name of a site by the size that the page gives it.
fn is_strip(page: &Page, id: NodeId) -> bool {
    /// Pixels of the side of a picture that shows something, at least, and how many times as wide as high a masthead is, at least.
    const LEAST: u32 = 60;
    const FLAT: u32 = 3;
    let side = |name: LocalName| {
        let size = page.attribute(id, &name)?.trim();
        size.trim_end_matches("px").parse::<u32>().ok()
    };
    let (width, height) = (side(local_name!("width")), side(local_name!("height")));
    width.is_some_and(|width| width < LEAST)
        || height.is_some_and(|height| height < LEAST)
        || width.zip(height).is_some_and(|(width, height)| width >= height.saturating_mul(FLAT))
}

fn is_picture(tag: Tag) -> bool {
    matches!(tag, Tag::Img | Tag::Video | Tag::Canvas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page, words};

    /// The objection to choosing the warning of a bank, beside this form.
    fn objection_beside(form: &str, warning_words: usize) -> Option<String> {
        let html = format!("{form}<div id=warning>{}</div>", words(warning_words));
        let page = page(&html);
        let choice = Choice { kept: vec![by_id(&page, "warning")], ..Choice::default() };
        objection(&page, &choice, &Settings::default())
    }

    #[test]
    fn a_short_text_is_not_chosen_over_the_form_that_asks_for_the_password() {
        let form = "<form><label>PIN <input type=password></label></form>";
        let why = objection_beside(form, 100).unwrap();
        assert!(why.contains("sign-in"), "{why}");
        assert_eq!(objection_beside(form, 200), None);
    }

    #[test]
    fn a_paragraph_of_chinese_counts_as_much_as_what_it_says() {
        let objection = |sentence: &str, times: usize| {
            let html = format!("<img src=a><div id=text>{}</div>", sentence.repeat(times));
            let page = page(&html);
            let choice = Choice { kept: vec![by_id(&page, "text")], ..Choice::default() };
            objection(&page, &choice, &Settings::default())
        };
        // 20 characters, which say as much as about 54 letters.
        let sentence = "这只提篮用的是三年生的毛竹，冬天砍下来。";
        assert_eq!(objection(sentence, 10), None);
        let why = objection(sentence, 5).unwrap();
        assert!(why.contains("pictures"), "{why}");
        let why = objection(sentence, 2).unwrap();
        assert!(why.contains("too few"), "{why}");
        assert!(objection("Twenty letters of it.", 10).is_some());
    }

    #[test]
    fn the_name_of_a_site_drawn_above_a_short_text_is_no_picture_to_look_at() {
        let masthead = "<img src=a.gif width=240 height=70><img src=dot.gif width=8 height=8>";
        assert_eq!(objection_beside(masthead, 60), None);
        let picture = "<img src=a.jpg width=240 height=170>";
        assert!(objection_beside(picture, 60).is_some());
    }

    #[test]
    fn a_password_in_the_menu_of_every_page_says_nothing() {
        let form = "<header><form><input type=password></form></header>";
        assert_eq!(objection_beside(form, 100), None);
        assert_eq!(objection_beside("<form><input type=text></form>", 100), None);
    }
}
