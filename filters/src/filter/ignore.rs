//! Drops tags and attributes: the "Ignore Settings" of Crunch, every check box.
//!
//! Source: Agarwal, Chheda, Shah, Narvekar, *Content Extraction Using Document Object Model and Natural Language
//! Processing*, 2013, Figure 1 ("the first set of filters simply ignores tags or specific attributes within tags"),
//! after Gupta, Kaiser, Neistadt, Grimm, *DOM-based Content Extraction of HTML Documents*, WWW 2003.
//!
//! [`Settings::crunch`] is the figure as printed. [`Settings::default`] departs from it where pages have changed since:
//! images, styles and layout carry meaning now, and five boxes are new (`style_attributes`, which is the paper's box of
//! `<div>` for every element, `hidden`, `dead_controls`, `tracking_pixels`, `comments`). One look at every node.

mod buttons;
mod hidden;
mod scripts;

use html5ever::{LocalName, local_name};
use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    filter::Filter,
    html::{NodeId, NodeKind, NodeState, Page, tag::Tag},
};
use hidden::{Hidden, Size, show};
pub(crate) use hidden::{remove_hidden, show_hidden};

/// Settings of `ignore`. A box that is `true` drops the thing it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Ignore"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Scripts: `<script>`, event attributes such as `onclick`, `javascript:` addresses; a page written into a frame's
    /// `srcdoc` or `data:` address is shown without its own.
    pub scripts: bool,
    /// With `scripts`, show what `<noscript>` holds instead.
    pub noscript: bool,
    /// Style sheets: `<style>` and `<link rel="stylesheet">`.
    pub styles: bool,
    /// `style` attributes, of every element.
    pub style_attributes: bool,
    /// `style` attributes of `<div>` elements.
    pub div_style_attributes: bool,
    /// Images that are not links.
    pub non_link_images: bool,
    /// With `non_link_images`, put the image's alternative text in its place.
    pub non_link_images_alt: bool,
    /// Links that hold an image and no text.
    pub image_links: bool,
    /// With `image_links`, keep the link and put the image's alternative text in its place.
    pub image_links_alt: bool,
    /// Links that hold text.
    pub text_links: bool,
    /// `<form>` with all it holds.
    pub forms: bool,
    /// `<input>`.
    pub input: bool,
    /// `<button>`.
    pub button: bool,
    /// `<select>`.
    pub select: bool,
    /// `<meta>`.
    pub meta: bool,
    /// `<iframe>`.
    pub iframe: bool,
    /// `<video>` and `<audio>`.
    pub players: bool,
    /// The `width` of table cells.
    pub table_cell_widths: bool,
    /// `<embed>`, `<object>` and `<applet>`.
    pub embed: bool,
    /// Elements that the page itself hides: `hidden`, `display: none`, `visibility: hidden` written on the element, and small
    /// pieces of text that its `<style>` elements hide. Where the main block is chosen by `auto` afterwards, hidden text is
    /// scored like any other first, because an answer that unfolds is content: what the choice keeps is shown, small pieces aside,
    /// the rest is removed.
    pub hidden: bool,
    /// Buttons, inputs, selects and empty text fields outside a form: with the scripts gone nothing answers them. What is no control
    /// in a button stays: a heading, what a text unfolds below, a word of a sentence, a picture that opens in its full size.
    pub dead_controls: bool,
    /// Images that say they are one pixel large.
    pub tracking_pixels: bool,
    /// HTML comments.
    pub comments: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            enabled: true,
            scripts: true,
            noscript: true,
            styles: false,
            style_attributes: false,
            div_style_attributes: false,
            non_link_images: false,
            non_link_images_alt: false,
            image_links: false,
            image_links_alt: false,
            text_links: false,
            forms: false,
            input: false,
            button: false,
            select: false,
            meta: false,
            iframe: false,
            players: false,
            table_cell_widths: false,
            embed: true,
            hidden: true,
            dead_controls: true,
            tracking_pixels: true,
            comments: true,
        }
    }
}

impl Settings {
    /// Figure 1 as printed. Where the box's state is lost in print (`select`, the second "Display ALT Links"), off: the
    /// state of its neighbours.
    #[must_use]
    pub fn crunch() -> Settings {
        Settings {
            div_style_attributes: true,
            non_link_images: true,
            image_links: true,
            meta: true,
            iframe: true,
            hidden: false,
            dead_controls: false,
            tracking_pixels: false,
            comments: false,
            ..Settings::default()
        }
    }
}

pub(crate) struct Ignore {
    settings: Settings,
}

impl Ignore {
    pub(crate) fn new(settings: &Settings) -> Ignore {
        Ignore { settings: settings.clone() }
    }
}

/// The decision on a node.
enum Verdict {
    Keep,
    Remove,
    Unwrap,
    AltText,
    /// Unwrap, as words of the line around it.
    Words,
    /// Unwrap, and remove the words: "View full size".
    Picture,
    /// Kept although the page hides it.
    Show,
}

impl Filter for Ignore {
    fn name(&self) -> &'static str {
        "ignore"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let page_chars = page.chars(page.body());
        let hidden = Hidden::from_page(page, self.settings.hidden, page_chars);
        let mut at = NodeId::DOCUMENT.0 + 1;
        let end = page.end(NodeId::DOCUMENT).0;
        // Forms around the node: one past the last row that belongs to them.
        let mut forms: Vec<NodeId> = Vec::new();
        while at < end {
            let id = NodeId(at);
            at += 1;
            if page.state(id) == NodeState::Removed {
                at = page.end(id).0;
                continue;
            }
            while forms.last().is_some_and(|&end| id >= end) {
                forms.pop();
            }
            match self.verdict(page, id, &hidden, !forms.is_empty()) {
                Verdict::Keep => {
                    self.clean_attributes(page, id);
                    if page.tag(id) == Some(Tag::Form) {
                        forms.push(form_end(page, id));
                    }
                }
                Verdict::Remove => {
                    page.remove(id, self.name());
                    if page.state(id) == NodeState::Removed {
                        at = page.end(id).0;
                    }
                }
                Verdict::Unwrap => page.unwrap_element(id),
                Verdict::Words => {
                    page.retag(id, Tag::Span);
                    page.unwrap_element(id);
                }
                Verdict::Picture => {
                    let words: Vec<NodeId> = page.live(id).filter(|&inside| page.own_chars(inside) > 0).collect();
                    for words in words {
                        page.remove(words, self.name());
                    }
                    page.unwrap_element(id);
                }
                Verdict::AltText => page.replace_by_alt(id),
                Verdict::Show => {
                    show(page, id);
                    self.clean_attributes(page, id);
                }
            }
        }
        None
    }
}

/// Whether a page was saved by a program that wrote the markup in `<noscript>` as text.
fn holds_markup_as_text(page: &Page, noscript: NodeId) -> bool {
    let mut texts = page.live(noscript).filter_map(|id| page.text(id));
    texts.any(|text| {
        let text = text.trim();
        text.starts_with('<') && text.ends_with('>')
    })
}

/// Whether a link has no address and says that it is a button: "Click to expand". Not what is content in a button.
fn waits_for_script(page: &AnalysedPage, link: NodeId) -> bool {
    let is = |name: LocalName| page.has_attribute(link, &name);
    page.attribute(link, &local_name!("role")).is_some_and(|role| role.trim().eq_ignore_ascii_case("button"))
        && ![local_name!("href"), local_name!("id"), local_name!("name")].into_iter().any(is)
        && !buttons::is_content(page, link)
        && !buttons::is_in_sentence(page, link)
        && !page.live(link).any(|inside| page.tag(inside).is_some_and(Tag::is_media))
}

/// Whether a box says that a task of a list is done.
fn is_of_task(page: &Page, input: NodeId) -> bool {
    let is_box =
        page.attribute(input, &local_name!("type")).is_some_and(|kind| kind.trim().eq_ignore_ascii_case("checkbox"));
    is_box
        && page.has_attribute(input, &local_name!("disabled"))
        && page.ancestors(input).take(3).any(|up| page.tag(up) == Some(Tag::Li))
}

impl Ignore {
    fn verdict(&self, page: &AnalysedPage, id: NodeId, hidden: &Hidden, in_form: bool) -> Verdict {
        let s = &self.settings;
        let tag = match page.kind(id) {
            NodeKind::Element(tag) => tag,
            NodeKind::Comment | NodeKind::ProcessingInstruction => return remove_if(s.comments),
            NodeKind::Text => return remove_if(s.scripts && scripts::is_data(page, id)),
            _ => return Verdict::Keep,
        };
        match hidden.size(page, id) {
            Some(Size::Large) => return Verdict::Show,
            Some(Size::Trifle) if !(in_form && holds_control(page, id)) => return Verdict::Remove,
            _ => {}
        }
        let is_dead = || s.dead_controls && s.scripts && !in_form && !page.has_attribute(id, &local_name!("form"));
        match tag {
            Tag::Noscript if s.scripts && holds_markup_as_text(page, id) => Verdict::Remove,
            Tag::Noscript if s.scripts && s.noscript => Verdict::Unwrap,
            // A template is filled in by a script; without one it is never shown.
            Tag::Script | Tag::Noscript | Tag::Template => remove_if(s.scripts),
            Tag::Style => remove_if(s.styles),
            Tag::Link => self.link_element(page, id),
            Tag::Img | Tag::Svg | Tag::Picture => self.image(page, id, tag),
            Tag::A if is_dead() && waits_for_script(page, id) => Verdict::Remove,
            Tag::A => self.anchor(page, id),
            Tag::Form => remove_if(s.forms),
            Tag::Input => remove_if(s.input || is_dead() && !is_of_task(page, id)),
            Tag::Button if !s.button && is_dead() && buttons::is_content(page, id) => Verdict::Unwrap,
            Tag::Button if !s.button && is_dead() && buttons::is_in_sentence(page, id) => Verdict::Words,
            Tag::Button if !s.button && is_dead() && buttons::shows_picture(page, id) => Verdict::Picture,
            Tag::Button => remove_if(s.button || is_dead()),
            Tag::Select => remove_if(s.select || is_dead()),
            // One with a text shows it.
            Tag::Textarea => remove_if(is_dead() && page.raw_text(id, 100).trim().is_empty()),
            Tag::Meta => {
                let is_script = || is_refresh_in_noscript(page, id) || scripts::is_script_refresh(page, id);
                remove_if(s.meta || s.scripts && is_script())
            }
            Tag::Iframe => remove_if(s.iframe),
            Tag::Video | Tag::Audio => remove_if(s.players),
            Tag::Embed | Tag::Object | Tag::Applet => remove_if(s.embed),
            _ => Verdict::Keep,
        }
    }

    fn link_element(&self, page: &Page, id: NodeId) -> Verdict {
        let rel = page.attribute(id, &local_name!("rel"));
        let has = |wanted: &str| {
            rel.as_ref().is_some_and(|rel| rel.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(wanted)))
        };
        let is_script = has("modulepreload")
            || (has("preload") || has("prefetch"))
                && page.attribute(id, &LocalName::from("as")).is_some_and(|kind| kind.eq_ignore_ascii_case("script"));
        remove_if(self.settings.styles && has("stylesheet") || self.settings.scripts && is_script)
    }

    fn image(&self, page: &Page, id: NodeId, tag: Tag) -> Verdict {
        let s = &self.settings;
        if s.tracking_pixels && tag == Tag::Img && is_pixel(page, id) {
            return Verdict::Remove;
        }
        // An image inside a link is the business of the box about links.
        if page.in_link(id) {
            let replaced = s.image_links && s.image_links_alt && tag == Tag::Img && is_in_image_link(page, id);
            return if replaced { Verdict::AltText } else { Verdict::Keep };
        }
        match tag {
            _ if !s.non_link_images => Verdict::Keep,
            Tag::Img if s.non_link_images_alt => Verdict::AltText,
            Tag::Picture if s.non_link_images_alt => Verdict::Keep,
            _ => Verdict::Remove,
        }
    }

    fn anchor(&self, page: &AnalysedPage, id: NodeId) -> Verdict {
        let s = &self.settings;
        if !s.text_links && !s.image_links || !page.has_attribute(id, &local_name!("href")) {
            return Verdict::Keep;
        }
        let has_text = page.chars(id) > 0;
        let images: Vec<NodeId> = page.live(id).filter(|&inside| page.tag(inside) == Some(Tag::Img)).collect();
        // With the alternative text shown, a link goes only where there is none to show.
        let has_alt = s.image_links_alt && images.iter().any(|&image| has_alt(page, image));
        let is_image_link = !has_text && !images.is_empty() && !has_alt;
        remove_if(s.text_links && has_text || s.image_links && is_image_link)
    }

    fn clean_attributes(&self, page: &mut Page, id: NodeId) {
        let Some(tag) = page.tag(id) else { return };
        let s = &self.settings;
        if s.scripts {
            scripts::disarm(page, id, tag);
        }
        let drops_style = s.style_attributes || s.div_style_attributes && tag == Tag::Div;
        if !drops_style && !s.table_cell_widths {
            return;
        }
        page.drop_attributes(id, |name, _| {
            drops_style && *name == local_name!("style")
                || s.table_cell_widths && matches!(tag, Tag::Td | Tag::Th) && *name == local_name!("width")
        });
    }
}

fn remove_if(condition: bool) -> Verdict {
    if condition { Verdict::Remove } else { Verdict::Keep }
}

/// Where a form's controls end. The parser closes a form at once that stands between the rows of a table; its controls
/// are the table's then, and are given its name so that they still belong to it when the page is parsed again.
fn form_end(page: &mut Page, form: NodeId) -> NodeId {
    let parent = page.parent(form);
    let between_rows = matches!(page.tag(parent), Some(Tag::Table | Tag::Thead | Tag::Tbody | Tag::Tfoot | Tag::Tr));
    if !between_rows || page.live_children(form).next().is_some() {
        return page.end(form);
    }
    let table = page.ancestors(form).find(|&up| page.tag(up) == Some(Tag::Table)).unwrap_or(parent);
    let name = page
        .attribute(form, &local_name!("id"))
        .map_or_else(|| format!("gleaner-form-{}", form.0), std::borrow::ToOwned::to_owned);
    page.set_attribute(form, local_name!("id"), name.clone());
    let controls: Vec<NodeId> = page
        .live(table)
        .filter(|&id| id > form && page.tag(id).is_some_and(is_control))
        .filter(|&id| !page.has_attribute(id, &local_name!("form")))
        .collect();
    for control in controls {
        page.set_attribute(control, local_name!("form"), name.clone());
    }
    page.end(table)
}

fn is_control(tag: Tag) -> bool {
    matches!(tag, Tag::Input | Tag::Button | Tag::Select | Tag::Textarea | Tag::Output | Tag::Fieldset)
}

fn holds_control(page: &Page, id: NodeId) -> bool {
    page.live(id).any(|inside| page.tag(inside).is_some_and(is_control))
}

/// Whether the link around an image holds no text.
fn is_in_image_link(page: &Page, image: NodeId) -> bool {
    page.ancestors(image).find(|&up| page.tag(up) == Some(Tag::A)).is_some_and(|link| page.chars(link) == 0)
}

fn has_alt(page: &Page, image: NodeId) -> bool {
    page.attribute(image, &local_name!("alt")).is_some_and(|alt| !alt.trim().is_empty())
}

/// An image that says it is at most one pixel wide and high.
pub(crate) fn is_pixel(page: &Page, id: NodeId) -> bool {
    let tiny = |name: &LocalName| {
        page.attribute(id, name).is_some_and(|size| matches!(size.trim().trim_end_matches("px"), "0" | "1"))
    };
    tiny(&local_name!("width")) && tiny(&local_name!("height"))
}

/// `<noscript><meta http-equiv="refresh">` sends readers without scripts to another page: ours have scripts, the page
/// just does not need them any more.
fn is_refresh_in_noscript(page: &Page, id: NodeId) -> bool {
    page.attribute(id, &local_name!("http-equiv")).is_some_and(|kind| kind.eq_ignore_ascii_case("refresh"))
        && page.ancestors(id).any(|ancestor| page.tag(ancestor) == Some(Tag::Noscript))
}
