//! The bar of a rewritten page: what was removed, and links to other views of the same page.
//!
//! Source: López, Silva, Insa 2012, § 6: the tool of the paper has two buttons, which show the parent of the chosen node
//! ("increase") or its child with the highest ratio ("decrease"). The links are the caller's: it knows how its requests look.

use std::{fmt, str::FromStr, sync::Arc};

use html5ever::local_name;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{
    Surroundings,
    interface::{Interface, Label},
};
use crate::{
    html::{
        NodeId, Page,
        serialize::{escape_attribute, escape_text},
        tag::Tag,
    },
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
    /// Which part of a page in parts, from 1; 0 is the first.
    pub part: u16,
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
        View { shape, part: 0, ..self }
    }

    pub(crate) fn stepped(self, by: i8) -> Option<View> {
        let steps = self.steps.saturating_add(by);
        (steps.unsigned_abs() <= MOST).then_some(View { steps, part: 0, ..self })
    }

    /// The next block; the main block again where this one was the last.
    pub(crate) fn next_block(self, is_last: bool) -> View {
        let block = if is_last || self.block == MOST { 0 } else { self.block + 1 };
        View { steps: 0, block, part: 0, ..self }
    }

    /// Whether it shows another choice than the configured one.
    pub(crate) fn is_steered(self) -> bool {
        self.steps != 0 || self.block != 0
    }
}

/// `-1.0.page`: steps, block and form; then the part, if not the first.
impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = SHAPES.iter().find(|(_, shape)| *shape == self.shape).map_or("", |(name, _)| name);
        write!(f, "{}.{}.{shape}", self.steps, self.block)?;
        if self.part > 0 { write!(f, ".{}", self.part) } else { Ok(()) }
    }
}

/// The text is no view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoView;

impl FromStr for View {
    type Err = NoView;

    fn from_str(text: &str) -> Result<View, NoView> {
        let mut parts = text.split('.');
        let (Some(steps), Some(block), Some(shape)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NoView);
        };
        let part = parts.next().map_or(Ok(0), str::parse).map_err(|_| NoView)?;
        let steps: i8 = steps.parse().map_err(|_| NoView)?;
        let block: u8 = block.parse().map_err(|_| NoView)?;
        let (_, shape) = SHAPES.iter().find(|(name, _)| *name == shape).ok_or(NoView)?;
        let view = View { steps, block, shape: *shape, part };
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
    /// Where a reader has the site left as it is, if that can be said of it.
    pub site: Option<Url>,
    /// Where a reader chooses type and colours.
    pub look: Url,
    /// The page as a book, where it can be had.
    pub book: Option<String>,
    /// Where a reader keeps the page, where pages are kept.
    pub keep: Option<String>,
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
    /// Whether the page's pictures are made smaller for this screen.
    pub(crate) has_smaller_pictures: bool,
}

/// Counts of the removed parts of a page.
#[derive(Clone, Copy, Default)]
pub(crate) struct Removed {
    /// Share of the characters, 0 to 1.
    pub(crate) share: f64,
    pub(crate) links: usize,
    pub(crate) ads: usize,
}

/// A link of the bar's menu.
struct MenuLink {
    address: String,
    word: &'static str,
    /// Half a sentence that says when it is of use.
    hint: Label,
}

impl Bar<'_> {
    pub(crate) fn to(&self, view: View) -> Option<String> {
        self.links.to.as_ref().map(|to| to(view))
    }

    /// The way back to the page from a view in another form.
    fn page_link(&self) -> Option<String> {
        let view = self.links.view;
        self.to(view.shaped(Shape::Page)).filter(|_| view.shape != Shape::Page)
    }

    fn summary(&self, words: &Interface) -> String {
        let mut summary = self.removed.sentence(words);
        if self.has_smaller_pictures {
            summary.extend([", ", words.get(Label::SmallerPictures)]);
        }
        summary
    }

    fn menu(&self, around: &Surroundings<'_>) -> Vec<MenuLink> {
        const BOOK: &str = "EPUB";
        let words = around.words;
        let view = self.links.view;
        let other = |shape: Shape| self.to(view.shaped(shape)).filter(|_| view.shape != shape);
        let why = other(Shape::Why).filter(|_| around.addresses.is_none());
        [
            (other(Shape::Text), words.get(Label::Text), Label::TextHint),
            (self.more.and_then(|view| self.to(view)), words.get(Label::More), Label::MoreHint),
            (self.less.and_then(|view| self.to(view)), words.get(Label::Less), Label::LessHint),
            (self.to(self.next), words.get(Label::NextBlock), Label::NextBlockHint),
            (why, words.get(Label::Why), Label::WhyHint),
            (self.links.book.clone(), BOOK, Label::BookHint),
            (self.links.keep.clone(), words.get(Label::Keep), Label::KeepHint),
            (self.links.site.as_ref().map(Url::to_string), words.get(Label::Site), Label::SiteHint),
        ]
        .into_iter()
        .filter_map(|(address, word, hint)| Some(MenuLink { address: address?, word, hint }))
        .collect()
    }
}

/// Separates links where there is no style, which hides it.
const SEPARATOR: &str = " <i>·</i> ";

/// Writes the bar, or without one the link to the page as it was. Links that are seldom of use are in a menu, which browsers that
/// know no `<details>` show in full.
pub(super) fn write(around: &Surroundings<'_>, out: &mut String) {
    let Some(bar) = start_or_link(around, out) else { return };
    let words = around.words;
    write_first_links(bar, around, out);
    let menu = words.get(Label::Menu);
    out.extend(["<details><summary title=\"", menu, "\" aria-label=\"", menu, "\">⋯</summary> <div><bdi>"]);
    out.extend([bar.summary(words).as_str(), "</bdi>"]);
    for MenuLink { address, word, hint } in bar.menu(around) {
        out.extend([SEPARATOR, "<span>"]);
        write_link(&address, word, "", out);
        out.extend([" <small>", words.get(hint), "</small></span>"]);
    }
    out.push_str("</div></details></nav>");
}

/// Writes the bar with all its links in a row, for pages whose own style could break a menu.
pub(super) fn write_row(around: &Surroundings<'_>, out: &mut String) {
    let Some(bar) = start_or_link(around, out) else { return };
    write_first_links(bar, around, out);
    for MenuLink { address, word, .. } in bar.menu(around) {
        write_link(&address, word, "", out);
        out.push_str(SEPARATOR);
    }
    out.extend(["<bdi>", &bar.summary(around.words), "</bdi></nav>"]);
}

/// What the bar of a page says that its site encrypts and that is shown in clear.
pub(crate) fn exposure(page: &Page) -> Label {
    let is_password = |id: &NodeId| {
        let kind = page.attribute(*id, &local_name!("type"));
        page.tag(*id) == Some(Tag::Input) && kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("password"))
    };
    if page.live(page.body()).any(|id| is_password(&id)) { Label::ExposedPassword } else { Label::Exposed }
}

fn write_warning(around: &Surroundings<'_>, out: &mut String) {
    if let Some(warning) = around.warning {
        out.push_str("<strong>");
        escape_text(around.words.get(warning), out);
        out.push_str("</strong> ");
    }
}

/// Begins the bar; where there is none, writes the link to the page as it was.
fn start_or_link<'a>(around: &Surroundings<'a>, out: &mut String) -> Option<&'a Bar<'a>> {
    let words = around.words;
    write_warning(around, out);
    if around.bar.is_some() {
        out.extend(["<nav id=\"gleaner-controls\" lang=\"", words.language, "\" aria-label=\"Gleaner\">"]);
    } else if let Some(original) = around.bypass_link {
        let attributes = format!(" lang=\"{}\" dir=\"auto\"", words.language);
        write_link(original.as_str(), words.get(Label::AsItWas), &attributes, out);
    }
    around.bar
}

/// Writes the way back to the page, if this is another form of it, and the links to its original and to its look.
fn write_first_links(bar: &Bar<'_>, around: &Surroundings<'_>, out: &mut String) {
    let words = around.words;
    for (address, word) in [(bar.page_link(), Label::Page), (around.bypass_link.map(Url::to_string), Label::Original)] {
        if let Some(address) = address {
            write_link(&address, words.get(word), "", out);
            out.push_str(SEPARATOR);
        }
    }
    let title = format!(" title=\"{}\"", words.get(Label::Look));
    write_link(bar.links.look.as_str(), "Aa", &title, out);
    out.push_str(SEPARATOR);
}

/// Writes the bar in a line, with the views alone that a browser of before style sheets shows well.
pub(super) fn write_plain(around: &Surroundings<'_>, out: &mut String) {
    let words = around.words;
    write_warning(around, out);
    let original = around.bypass_link.map(ToString::to_string);
    let mut links = vec![(original, Label::Original)];
    if let Some(bar) = around.bar {
        let step = |view: Option<View>| view.and_then(|view| bar.to(view));
        links.extend([
            (bar.to(bar.links.view.shaped(Shape::Text)), Label::Text),
            (step(bar.less), Label::Less),
            (step(bar.more), Label::More),
        ]);
    }
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
        let view = View { steps: -1, block: 2, shape: Shape::Why, part: 0 };
        assert_eq!(view.to_string(), "-1.2.why");
        let part = View { part: 12, ..View::default() };
        assert_eq!((part.to_string().as_str(), "0.0.page.12".parse()), ("0.0.page.12", Ok(part)));
        assert_eq!(View::default().shaped(Shape::Text), part.shaped(Shape::Text));
        assert_eq!("-1.2.why".parse(), Ok(view));
        assert_eq!("0.0.page".parse(), Ok(View::default()));
        for bad in [
            "",
            "0.0",
            "0.0.page.",
            "0.0.page.0",
            "0.0.page.01",
            "0.0.page.1.1",
            "+1.0.page",
            "01.0.page",
            "21.0.page",
            "0.21.page",
            "0.-1.page",
            "0.0.other",
        ] {
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
