//! Style sheets that are read while the page arrives: each as soon as its element has ended, so that they need not be read when the
//! last byte is there. What does not look as it did then is read again.

use std::{collections::HashMap, ops::Range};

use kuchikiki::{Node, NodeRef};

use super::{MAX_BYTES, Sheets, names, read, without_comments};

/// The style elements of a page that have ended, by their place in memory, which they hold.
#[derive(Debug, Default)]
pub(crate) struct Early {
    sheets: HashMap<*const Node, (NodeRef, Sheet)>,
    /// Bytes of them.
    bytes: usize,
}

impl Early {
    /// Reads the text of an element that has ended.
    pub(crate) fn read(&mut self, element: &NodeRef) {
        let most = MAX_BYTES - self.bytes;
        let sheet = of_text(element, |css| (css.len() <= most).then(|| Sheet::of(css.to_owned())));
        if let Some(sheet) = sheet.flatten() {
            self.bytes += sheet.bytes;
            let place = std::ptr::from_ref(&**element);
            self.sheets.insert(place, (element.clone(), sheet));
        }
    }

    /// What these elements say together, if all of them have been read.
    pub(super) fn together(mut self, elements: &[&NodeRef]) -> Option<Sheets> {
        let mut all = Sheets::default();
        let mut shown = Vec::new();
        for element in elements {
            let (_, sheet) = self.sheets.remove(&std::ptr::from_ref(&***element))?;
            if of_text(element, str::len)? != sheet.bytes {
                return None;
            }
            all.hidden.extend(sheet.says.hidden);
            all.clipped.extend(sheet.says.clipped);
            shown.push((sheet.css, sheet.shown));
        }
        for (css, ranges) in &shown {
            for range in ranges {
                let selectors = css.get(range.clone()).unwrap_or_default();
                all.show(names(selectors));
            }
        }
        Some(all)
    }
}

/// What is to be told of the text of an element that holds nothing else.
fn of_text<T>(element: &NodeRef, tell: impl FnOnce(&str) -> T) -> Option<T> {
    let Some(child) = element.first_child() else {
        return Some(tell(""));
    };
    let is_alone = child.next_sibling().is_none();
    let text = child.as_text().filter(|_| is_alone)?;
    let text = text.borrow();
    Some(tell(&text))
}

/// A style sheet.
#[derive(Debug)]
struct Sheet {
    /// Bytes of its text.
    bytes: usize,
    /// It without comments.
    css: String,
    says: Sheets,
    /// The selectors in it of rules that show something.
    shown: Vec<Range<usize>>,
}

impl Sheet {
    fn of(text: String) -> Sheet {
        let bytes = text.len();
        let css = without_comments(text);
        let mut says = Sheets::default();
        let mut shown = Vec::new();
        read(&css, &mut |rule| says.rule(rule, &mut shown));
        let place = |part: &str| {
            let start = part.as_ptr().addr() - css.as_ptr().addr();
            start..start + part.len()
        };
        let shown = shown.into_iter().map(place).collect();
        Sheet { bytes, css, says, shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    /// What the page's sheets say, once read early and once late; whether they could be read early.
    fn both(html: &str) -> (Sheets, Sheets, bool) {
        let early = page(html);
        let late = page(html);
        let read = late.early_sheets.take();
        let elements: Vec<_> = super::super::elements(&late).map(|id| late.node(id)).collect();
        let is_early = read.together(&elements).is_some();
        (Sheets::read_all(&early), Sheets::read_all(&late), is_early)
    }

    #[test]
    fn sheets_say_the_same_whenever_they_are_read() {
        for html in [
            "<p>none",
            "<style>.a,#b{display:none}.c{clip:rect(0,0,0,0)}</style><p>x<style></style>",
            "<style>/* x */.a{display:none}.b{display:none}</style><style>@media print{.c{display:none}} .a{display:block}</style>",
            "<style>.a{display:none}</style><style media=print>.b{display:none}</style>",
            "<p><b><style>.a{display:none}</style><p>x</b><table><style>.b{display:none}</style><tr><td>x</table>",
            "<template><style>.a{display:none}</style></template><style>.b{display:none",
        ] {
            let (early, late, is_early) = both(html);
            assert_eq!(early, late, "{html}");
            assert!(is_early, "{html}");
        }
    }

    #[test]
    fn what_is_no_text_alone_or_too_much_of_it_is_read_late() {
        let rule = ".a{display:none}";
        let long = format!("/*{}*/{rule}", "x".repeat(MAX_BYTES - 20));
        for html in [
            format!("<svg><style>{rule}<g></g>{rule}</style></svg>"),
            format!("<style>{long}</style><style>{rule}</style>"),
        ] {
            let (early, late, is_early) = both(&html);
            assert_eq!(early, late);
            assert!(!is_early);
        }
    }
}
