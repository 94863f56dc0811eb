//! Writes the page after all filters have run: as HTML (`reader`, `original`, and `portable` for HTML 3.2 and books),
//! as plain text (`text`) or as Markdown (`markdown`). `tidy` repairs it first, `additions` and `controls` add byline,
//! picture and bar, `part` writes a later page of an article, and `why` marks what was removed.
//!
//! Source: Agarwal et al. 2013, Figure 2 ("Output Settings": HTML or text, "Limit number of line breaks", "Append Links
//! to Bottom of Page", which is the filter `removed_links` here).
//!
//! - `original`: the page's own head, styles and classes; what lies outside the main block is gone.
//! - `reader`: a small page of our own around the main block. It has no style of the page, so it looks alike on every
//!   device and reads well where the page's styles count on scripts.

mod additions;
pub(crate) mod captions;
mod comments;
pub(crate) mod controls;
mod headline;
pub(crate) mod interface;
pub(crate) mod markdown;
mod original;
mod part;
mod picture_size;
pub(crate) mod policies;
mod portable;
mod reader;
pub(crate) mod text;
mod tidy;
pub(crate) mod why;

use std::ops::Range;

use encoding_rs::Encoding;
use html5ever::local_name;
use serde::{Deserialize, Serialize};
use url::Url;

use interface::{Interface, Label};

use crate::{
    analysis::AnalysedPage,
    error::ConfigError,
    html::{
        NodeId, Page,
        serialize::{escape_attribute, escape_text},
        tag::Tag,
        word_gaps,
    },
};

use controls::Bar;
pub use controls::{Controls, Links, Shape, View};
pub(crate) use original::STYLE_SOURCE as ORIGINAL_STYLE_SOURCE;
pub use part::Part;
pub use portable::{Addresses, SharedAddresses};
pub(crate) use reader::{CSP as READER_CSP, text_page};
pub use reader::{ReaderLook, Theme, Typeface};

/// The format of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// HTML.
    #[default]
    Html,
    /// Plain text.
    Text,
}

/// How a rewritten page looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// The page's own head and style sheets, pruned.
    Original,
    /// A small page of our own around the main block.
    #[default]
    Reader,
    /// The reader page in HTML 3.2, without a style sheet: for browsers of before 2005.
    Plain,
}

/// How links stand in a text for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LinkForm {
    /// In their place.
    #[default]
    Inline,
    /// Their words in their place; the addresses are told apart.
    List,
    /// Their words alone.
    None,
}

/// How a page is written, if not as the settings have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// The form that the settings have.
    #[default]
    Configured,
    /// Everything that is known about the page ([`crate::Extract`]).
    Extract,
    /// A chapter of a book: XHTML.
    Chapter,
}

/// Settings of `output`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Output"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `html` or `text`.
    pub format: Format,
    /// How HTML looks: `reader` (our own small page) or `original` (the page's own style).
    pub style: Style,
    /// Reader: show author, date and site under the headline, where the page tells them and the main block does not.
    pub byline: bool,
    /// Reader: show the article's picture above a main block that has none: the one that stands between the headline and the
    /// block, else the one that the page gives to social networks.
    pub lead_image: bool,
    /// Reader: type, colours, scrolling.
    pub look: ReaderLook,
    /// The bar that says what was removed, with links to see more of the page, less or the next block, the original, the text,
    /// and why: `auto` (in the reader look), `on` or `off`.
    pub controls: Controls,
    /// Text: most line breaks in a row, at least 1. The paper's Figure 2 has 2.
    pub max_line_breaks: usize,
    /// The encoding of rewritten pages, by its name on the web, such as `windows-1252`: characters that it does not have are
    /// written with those that it has. `auto` is `utf-8` for browsers that know it.
    pub charset: String,
    /// Reader: one size of each picture, the smallest that is so many pixels wide; `null`: all that a site offers. `pictures.max_width`
    /// sets it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture_width: Option<usize>,
    /// Pages longer than this come in parts, with links between them; 0: whole. In kilobytes. Where they have no bar (`controls`), and in their own style, they
    /// are whole.
    pub split_kb: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            format: Format::Html,
            style: Style::Reader,
            byline: true,
            lead_image: true,
            look: ReaderLook::default(),
            controls: Controls::Auto,
            max_line_breaks: 2,
            charset: "auto".to_owned(),
            picture_width: None,
            split_kb: 0,
        }
    }
}

impl Settings {
    /// Figure 2 as printed: HTML, the page's own look.
    #[must_use]
    pub fn crunch() -> Settings {
        Settings { style: Style::Original, ..Settings::default() }
    }

    pub(crate) fn has_controls(&self) -> bool {
        self.format == Format::Html
            && match self.controls {
                Controls::Auto => self.style != Style::Original,
                Controls::On => true,
                Controls::Off => false,
            }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if self.max_line_breaks == 0 {
            return Err(ConfigError::new("output.max_line_breaks", "0 would join all lines; expected at least 1"));
        }
        let charset = &self.charset;
        let encoding = Encoding::for_label(charset.as_bytes());
        if charset != "auto" && encoding.is_none_or(|encoding| encoding.output_encoding() != encoding) {
            let expected = "`auto`, or the name of an encoding that browsers write, such as utf-8 or windows-1252";
            return Err(ConfigError::new("output.charset", format!("{charset:?} is none; expected {expected}")));
        }
        self.look.check()
    }
}

/// Last edits that belong to a look and not to the page's content.
pub(crate) fn prepare(page: &mut AnalysedPage, settings: &Settings) {
    tidy::icons::drop_names_of_icons(page);
    tidy::code::join_rows(page);
    tidy::code::part_lines(page);
    match (settings.format, settings.style) {
        (Format::Text, _) => {
            tidy::controls::drop_placeholders(page);
            tidy::panels::name(page);
            word_gaps::insert_missing_spaces(page);
        }
        (Format::Html, Style::Original) => {
            tidy::every_look(page);
            original::prepare(page);
        }
        (Format::Html, Style::Reader | Style::Plain) => {
            tidy::every_look(page);
            tidy::controls::drop_placeholders(page);
            reader::prepare(page);
            word_gaps::insert_missing_spaces_in_markup(page);
            if let Some(width) = settings.picture_width {
                let is_of_phone = settings.style == Style::Reader && settings.look.theme != Theme::Ink;
                picture_size::choose(page, width, is_of_phone);
            }
        }
    }
    comments::set_apart(page);
}

/// Removes referrer policies that would send the full URL to other sites: the URL of a view has a token.
pub(crate) fn keep_address(page: &mut Page) {
    const TELLING: [&str; 2] = ["unsafe-url", "no-referrer-when-downgrade"];
    for id in page.live(NodeId::DOCUMENT).collect::<Vec<_>>() {
        let is_meta = page.tag(id) == Some(Tag::Meta)
            && page.attribute(id, &local_name!("name")).is_some_and(|name| name.eq_ignore_ascii_case("referrer"));
        page.drop_attributes(id, |name, value| match &**name {
            "content" => is_meta,
            "referrerpolicy" => TELLING.iter().any(|policy| value.eq_ignore_ascii_case(policy)),
            _ => false,
        });
    }
}

/// Prepares a page to be written as text after it was written as HTML.
pub(crate) fn prepare_text(page: &mut AnalysedPage, settings: &Settings) {
    if settings.format == Format::Html {
        word_gaps::insert_missing_spaces(page);
    }
}

/// The headline that stands on top of a page in the reader look and not in its place; the heading that says it goes. `None` where
/// the page shows it, keeps its own look, or is kept whole.
pub(crate) fn lift_headline(page: &mut AnalysedPage, settings: &Settings) -> Option<String> {
    if settings.style == Style::Original || page.outcome.main_block.is_none() {
        return None;
    }
    let top = reader::Top::from_page(page);
    if let Some(heading) = top.lifted {
        page.drop_silently(heading);
    }
    top.written
}

/// The surroundings of a page: words, bar, links.
#[derive(Clone, Copy, Default)]
pub(crate) struct Surroundings<'a> {
    pub(crate) words: &'static Interface,
    pub(crate) look: ReaderLook,
    /// Where the page can be had without our changes.
    pub(crate) bypass_link: Option<&'a Url>,
    pub(crate) bar: Option<&'a Bar<'a>>,
    /// Whether it is a part of another page, which has a head of its own.
    pub(crate) in_frame: bool,
    /// Where its addresses lead, if not where the page says.
    pub(crate) addresses: Option<&'a dyn Addresses>,
    /// Which part of it is shown, from 1; 0 is the first.
    pub(crate) number: usize,
    /// What is said before the links of the bar.
    pub(crate) warning: Option<Label>,
}

impl Surroundings<'_> {
    /// The address of another part of the page, where it can be shown in parts.
    pub(crate) fn part_link(&self, number: usize) -> Option<String> {
        if let Some(addresses) = self.addresses {
            return Some(addresses.part(number));
        }
        let bar = self.bar?;
        let part = u16::try_from(if number > 1 { number } else { 0 }).ok()?;
        bar.to(View { part, ..bar.links.view })
    }
}

/// The page as HTML.
pub(crate) fn html(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>) -> Written {
    match settings.style {
        Style::Original => {
            let around =
                if around.in_frame { Surroundings { words: around.words, ..Surroundings::default() } } else { around };
            Written { content: original::write(page, around), next_page_link: None }
        }
        Style::Plain => portable::pages::plain(page, settings, around),
        Style::Reader if around.addresses.is_some() => portable::pages::reader(page, settings, around),
        Style::Reader => {
            let whole = reader::write(page, settings, around);
            let head = whole.content.find("<main>").unwrap_or_default();
            let is_long = settings.split_kb > 0 && whole.content.len() - head > settings.split_kb * 1000;
            if is_long && !around.in_frame && around.part_link(1).is_some() {
                portable::pages::reader(page, settings, around)
            } else {
                whole
            }
        }
    }
}

/// The page as a chapter of a book.
pub(crate) fn chapter(page: &AnalysedPage, settings: &Settings, around: Surroundings<'_>) -> Written {
    portable::pages::chapter(page, settings, around)
}

/// A page as it is written.
pub(crate) struct Written {
    pub(crate) content: String,
    /// Where in it the way to the next page of the article stands.
    pub(crate) next_page_link: Option<Range<usize>>,
}

/// The content of a later page of an article, to stand behind the page before it; `None` where pages keep
/// their own look, and where nothing was chosen of this one.
pub(crate) fn part(page: &mut AnalysedPage, settings: &Settings, part: &Part) -> Option<Written> {
    let can_be_joined =
        settings.format == Format::Html && settings.style == Style::Reader && page.outcome.main_block.is_some();
    can_be_joined.then(|| {
        part::prepare(page, part);
        part::write(page)
    })
}

/// The page as HTML in its own look, with a style sheet more.
pub(crate) fn marked(mut page: AnalysedPage, style: &str) -> String {
    original::prepare(&mut page);
    original::write_styled(&page, style, Surroundings::default())
}

/// The page as text: what is left of the body. Removed links are not appended: in Figure 2 that is a setting of the HTML
/// output only.
pub(crate) fn text(page: &AnalysedPage, settings: &Settings) -> String {
    text::from_page(page, settings.max_line_breaks)
}

/// A text below its headline, where there is one.
pub(crate) fn below_headline(headline: Option<&str>, text: String, settings: &Settings) -> String {
    let Some(headline) = headline.filter(|_| !text.trim().is_empty()) else {
        return text;
    };
    let breaks = "\n".repeat(settings.max_line_breaks.min(2));
    format!("{headline}{breaks}{text}")
}

/// The removed links as a closed list that opens without a script.
fn write_links(page: &AnalysedPage, words: &Interface, out: &mut String) {
    let groups = &page.appended;
    if groups.is_empty() {
        return;
    }
    // The words may be English, but stand at the side where the lines of the page begin.
    out.extend(["<details id=\"gleaner-links\"><summary lang=\"", words.language, "\"><bdi>"]);
    out.push_str(&words.counted(Label::RemovedLinks, page.removed_link_count));
    out.push_str("</bdi></summary>");
    for group in groups {
        out.extend(["<h2 lang=\"", words.language, "\"><bdi>"]);
        escape_text(words.named(group.heading), out);
        out.push_str("</bdi></h2><ul dir=\"auto\">");
        for (text, url) in &group.links {
            out.push_str("<li><a href=\"");
            escape_attribute(url, out);
            out.push_str("\">");
            escape_text(text, out);
            out.push_str("</a></li>");
        }
        out.push_str("</ul>");
    }
    out.push_str("</details>");
}
