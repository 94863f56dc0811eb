//! The language of a page, as a tag of BCP 47.

use html5ever::local_name;

use crate::html::Page;

/// The language of the page: the one on the root, else on the body.
pub(super) fn from_page(page: &Page) -> Option<String> {
    let on = |id| page.attribute(id, &local_name!("lang"));
    let value = page.html().and_then(on).or_else(|| on(page.body()))?;
    language_tag(value)
}

/// A tag in the form of BCP 47 (RFC 5646 § 2.1), near enough: `en_us` becomes `en-US`.
pub(super) fn language_tag(value: &str) -> Option<String> {
    let mut parts = value.trim().split(['-', '_']);
    let language = parts.next()?.to_ascii_lowercase();
    let is_language = (2..=3).contains(&language.len()) && language.bytes().all(|b| b.is_ascii_lowercase());
    if !is_language {
        return None;
    }
    let mut tag = language;
    for part in parts.take(3) {
        if !(2..=8).contains(&part.len()) || !part.bytes().all(|b| b.is_ascii_alphanumeric()) {
            break;
        }
        tag.push('-');
        match part.len() {
            2 => tag.push_str(&part.to_ascii_uppercase()),
            4 => {
                tag.push_str(&part[..1].to_ascii_uppercase());
                tag.push_str(&part[1..].to_ascii_lowercase());
            }
            _ => tag.push_str(part),
        }
    }
    Some(tag)
}
