//! The bar of a rewritten page: what was removed, and links to other views of the same page.
//!
//! Source: López, Silva, Insa 2012, § 6: the tool of the paper has two buttons, which show the parent of the chosen node
//! ("increase") or its child with the highest ratio ("decrease"). The links are the caller's: it knows how its requests look.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Surroundings,
    interface::{Interface, Label},
};
use crate::{
    html::serialize::{escape_attribute, escape_text},
    report::percent,
};

/// Whether rewritten pages have the bar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Controls {
    /// Pages in the reader look.
    #[default]
    Auto,
    /// All rewritten pages.
    On,
    /// No pages: a link to the original page stands in its place.
    Off,
}

/// The view of a page that a reader chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct View {
    /// Steps from the configured choice: above 0 more of the page, below 0 less.
    pub steps: i8,
    /// Which block, in order of relevance; 0 is the main block.
    pub block: u8,
    /// In which form.
    pub shape: Shape,
}

/// The form of a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// The configured format.
    #[default]
    Page,
    /// Plain text.
    Text,
    /// The whole page, with what was removed marked.
    Why,
    /// The removed parts and the reasons, as data.
    Json,
}

/// The most steps either way, and the last block. Blocks beyond are a few words each.
const MOST: u8 = 20;

const SHAPES: [(&str, Shape); 4] =
    [("page", Shape::Page), ("text", Shape::Text), ("why", Shape::Why), ("json", Shape::Json)];

impl View {
    /// This view in another form.
    #[must_use]
    pub fn shaped(self, shape: Shape) -> View {
        View { shape, ..self }
    }

    pub(crate) fn stepped(self, by: i8) -> Option<View> {
        let steps = self.steps.saturating_add(by);
        (steps.unsigned_abs() <= MOST).then_some(View { steps, ..self })
    }

    /// The next block; the main block again where this one was the last.
    pub(crate) fn next_block(self, is_last: bool) -> View {
        let block = if is_last || self.block == MOST { 0 } else { self.block + 1 };
        View { steps: 0, block, ..self }
    }

    /// Whether it shows another choice than the configured one.
    pub(crate) fn is_steered(self) -> bool {
        self.steps != 0 || self.block != 0
    }
}

/// `-1.0.page`: steps, block and form.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = SHAPES.iter().find(|(_, shape)| *shape == self.shape).map_or("", |(name, _)| name);
        write!(f, "{}.{}.{shape}", self.steps, self.block)
    }
}

/// The text is no view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoView;

impl FromStr for View {
    type Err = NoView;

    fn from_str(text: &str) -> Result<View, NoView> {
        let mut parts = text.split('.');
        let (Some(steps), Some(block), Some(shape), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(NoView);
        };
        let steps: i8 = steps.parse().map_err(|_| NoView)?;
        let block: u8 = block.parse().map_err(|_| NoView)?;
        let (_, shape) = SHAPES.iter().find(|(name, _)| *name == shape).ok_or(NoView)?;
        let view = View { steps, block, shape: *shape };
        // Only what is written in one way: links are compared.
        let is_allowed = steps.unsigned_abs() <= MOST && block <= MOST && view.to_string() == text;
        is_allowed.then_some(view).ok_or(NoView)
    }
}

/// Where the links of the bar lead.
#[derive(Clone)]
pub struct Links {
    /// The view that is shown.
    pub view: View,
    /// The address of another view of the page; none where it cannot be asked for again, as the answer to a form.
    pub to: Option<Arc<dyn Fn(View) -> String + Send + Sync>>,
    /// Where a reader says that the site is always or never rewritten.
    pub site: Url,
    /// Where a reader chooses type and colours.
    pub look: Url,
}

impl fmt::Debug for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Links").field("view", &self.view).field("site", &self.site).finish_non_exhaustive()
    }
}

/// The contents of the bar of one page.
pub(crate) struct Bar<'a> {
    pub(crate) links: &'a Links,
    pub(crate) less: Option<View>,
    pub(crate) more: Option<View>,
    pub(crate) next: View,
    pub(crate) removed: Removed,
}

/// Counts of the removed parts of a page.
#[derive(Clone, Copy, Default)]
pub(crate) struct Removed {
    /// Share of the characters, 0 to 1.
    pub(crate) share: f64,
    pub(crate) links: usize,
    pub(crate) ads: usize,
}

/// Writes the bar, or without one the link to the page as it was.
pub(super) fn write(around: &Surroundings<'_>, out: &mut String) {
    let Surroundings { words, bypass_link: original, .. } = around;
    let Some(bar) = around.bar else {
        if let Some(original) = original {
            let attributes = format!(" lang=\"{}\" dir=\"auto\"", words.language);
            write_link(original.as_str(), words.get(Label::AsItWas), &attributes, out);
        }
        return;
    };
    let to = |view: View| bar.links.to.as_ref().map(|to| to(view));
    let view = bar.links.view;
    let is_elsewhere = around.addresses.is_some();
    let (other, word) = if view.shape == Shape::Why { (Shape::Page, Label::Page) } else { (Shape::Why, Label::Why) };
    let links = [
        (bar.less.and_then(to), Label::Less),
        (bar.more.and_then(to), Label::More),
        (to(bar.next), Label::NextBlock),
        (original.map(ToString::to_string), Label::Original),
        (to(view.shaped(Shape::Text)), Label::Text),
        (to(view.shaped(other)).filter(|_| !is_elsewhere), word),
        (Some(bar.links.site.to_string()), Label::Site),
    ];
    // The words may be English, but stand at the side where the lines of the page begin.
    out.extend(["<bdi lang=\"", words.language, "\">", &bar.removed.sentence(words)]);
    out.extend(["</bdi> <nav id=\"gleaner-controls\" lang=\"", words.language, "\" aria-label=\"Gleaner\">"]);
    for (address, word) in links {
        match address {
            Some(address) => write_link(&address, words.get(word), "", out),
            None if bar.links.to.is_none() || word == Label::Why && is_elsewhere => continue,
            None => out.extend(["<span>", words.get(word), "</span>"]),
        }
        // Hidden where there are styles.
        out.push_str(" <i>·</i> ");
    }
    out.extend(["<a rel=\"nofollow\" title=\"", words.get(Label::Look), "\" href=\""]);
    escape_attribute(bar.links.look.as_str(), out);
    out.push_str("\">Aa</a></nav>");
}

/// Writes the bar in a line, with the views alone that a browser of before style sheets shows well.
pub(super) fn write_plain(around: &Surroundings<'_>, out: &mut String) {
    let Surroundings { words, bypass_link: original, .. } = around;
    let bar = around.bar.and_then(|bar| bar.links.to.as_ref().map(|to| (bar, to)));
    let step = |view: Option<View>| bar.and_then(|(_, to)| view.map(|view| to(view)));
    let links = [
        (step(bar.and_then(|(bar, _)| bar.less)), Label::Less),
        (step(bar.and_then(|(bar, _)| bar.more)), Label::More),
        (original.map(ToString::to_string), Label::Original),
    ];
    for (address, word) in links {
        if let Some(address) = address {
            out.push_str("| <a href=\"");
            escape_attribute(&address, out);
            out.push_str("\">");
            escape_text(words.get(word), out);
            out.push_str("</a> ");
        }
    }
}

fn write_link(address: &str, word: &str, attributes: &str, out: &mut String) {
    out.push_str("<a rel=\"nofollow\"");
    out.push_str(attributes);
    out.push_str(" href=\"");
    escape_attribute(address, out);
    out.push_str("\">");
    escape_text(word, out);
    out.push_str("</a>");
}

impl Removed {
    fn sentence(self, words: &Interface) -> String {
        let mut sentence = words.counted(Label::Removed, percent(self.share));
        for (count, word) in [(self.links, Label::Links), (self.ads, Label::Ads)] {
            if count > 0 {
                sentence.push_str(", ");
                sentence.push_str(&words.counted(word, count));
            }
        }
        sentence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_written_in_one_way() {
        let view = View { steps: -1, block: 2, shape: Shape::Why };
        assert_eq!(view.to_string(), "-1.2.why");
        assert_eq!("-1.2.why".parse(), Ok(view));
        assert_eq!("0.0.page".parse(), Ok(View::default()));
        for bad in
            ["", "0.0", "0.0.page.", "+1.0.page", "01.0.page", "21.0.page", "0.21.page", "0.-1.page", "0.0.other"]
        {
            assert_eq!(bad.parse::<View>(), Err(NoView), "{bad}");
        }
    }

    #[test]
    fn blocks_follow_each_other_and_begin_anew() {
        let first = View { steps: 2, ..View::default() };
        assert_eq!(first.next_block(false), View { block: 1, ..View::default() });
        assert_eq!(first.next_block(true), View::default());
        assert_eq!(View { block: MOST, ..first }.next_block(false), View::default());
    }

    #[test]
    fn what_was_removed_is_said_in_numbers() {
        let removed = Removed { share: 0.624, links: 1, ads: 3 };
        assert_eq!(removed.sentence(Interface::for_language(None)), "62% removed, links: 1, ads: 3");
        for (share, percent) in [(0.001, "1%"), (0.999, "99%"), (1.0, "100%")] {
            let removed = Removed { share, ..Removed::default() };
            assert_eq!(removed.sentence(Interface::for_language(None)), format!("{percent} removed"));
        }
        assert_eq!(Removed::default().sentence(Interface::for_language(Some("de"))), "0 % entfernt");
    }
}
