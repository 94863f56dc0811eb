//! Filter `captions`: removes images whose caption shares too few names with the article.
//!
//! Source: Agarwal, Chheda, Shah, Narvekar 2013, "Proposed method".
//!
//! The idea:
//!
//! 1. Only images inside the article are looked at: inside the main block, where one was chosen.
//! 2. The caption of an image is all text of its first parent block element. An image without caption is no article
//!    image.
//! 3. Caption and article are compared by the names in them (`entities.rs`); an image whose caption is too unlike
//!    the article goes.
//!
//! | constant | paper | here | why |
//! |---|---|---|---|
//! | least similarity | none given | .05 | one of ten representative names is .1; a caption of many names shares some |
//! | block of an image | first parent block element | the `<figure>` around it, where there is one | the caption stands beside the image's own wrapper there |
//! | caption where there is none | none: the image goes | its `alt` text | screen readers' captions are captions |
//!
//! Off by default: on today's pages most images of an article have neither caption nor names.
//!
//! Cost: one reading of the article's text, one of each image's block; a block with several images is read once.

use html5ever::local_name;
use serde::{Deserialize, Serialize};

use crate::{
    analysis::AnalysedPage,
    entities::{Profile, Recogniser, Small},
    error::ConfigError,
    filter::Filter,
    html::{NodeId, Page, tag::Tag},
    measure::text,
};

/// Settings of `captions`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Captions"))]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Whether the filter runs.
    pub enabled: bool,
    /// Least similarity of caption and article, 0 to 1. Higher: more images go.
    pub min_similarity: f64,
    /// Take the `<figure>` around an image for its block.
    pub figures: bool,
    /// Take an image's `alt` text for its caption where it has no other.
    pub alt: bool,
    /// Remove images without any caption.
    pub remove_without_caption: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { enabled: false, min_similarity: 0.05, figures: true, alt: true, remove_without_caption: true }
    }
}

impl Settings {
    /// The settings of the paper.
    #[must_use]
    pub fn paper() -> Settings {
        Settings { enabled: true, figures: false, alt: false, ..Settings::default() }
    }

    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        ConfigError::unless_share("captions.min_similarity", self.min_similarity)
    }
}

pub(crate) struct Captions {
    settings: Settings,
    recogniser: Box<dyn Recogniser>,
}

impl Captions {
    pub(crate) fn new(settings: &Settings) -> Captions {
        Captions { settings: settings.clone(), recogniser: Box::new(Small) }
    }
}

impl Filter for Captions {
    fn name(&self) -> &'static str {
        "captions"
    }

    fn apply(&self, page: &mut AnalysedPage) -> Option<String> {
        let article = page.outcome.main_block.unwrap_or_else(|| page.body());
        let images: Vec<NodeId> = page.live(article).filter(|&id| page.tag(id) == Some(Tag::Img)).collect();
        if images.is_empty() {
            return None;
        }
        let blocks: Vec<NodeId> = images.iter().map(|&image| self.block(page, image, article)).collect();
        let body = Profile::from_text(self.recogniser.as_ref(), &text_without(page, article, &blocks));
        // Images of one block stand beside each other, so remembering the last block is enough.
        let mut last: Option<(NodeId, Option<f64>)> = None;
        for (&image, &block) in images.iter().zip(&blocks) {
            let known = last.filter(|&(other, _)| other == block);
            let of_block = match known {
                Some((_, similarity)) => similarity,
                None => self.similarity(&body, &text::from_subtree(page, block, 1)),
            };
            last = Some((block, of_block));
            let similarity = of_block.or_else(|| self.similarity_of_alt(page, image, &body));
            let is_removed = match similarity {
                Some(similarity) => similarity < self.settings.min_similarity,
                None => self.settings.remove_without_caption,
            };
            if is_removed {
                let whole = whole_image(page, image, block);
                page.remove(whole, self.name());
            }
        }
        None
    }
}

impl Captions {
    /// The first parent block element, within the article.
    fn block(&self, page: &Page, image: NodeId, article: NodeId) -> NodeId {
        let inside = || page.ancestors(image).take_while(|&around| around >= article);
        if self.settings.figures
            && let Some(figure) = inside().find(|&id| page.tag(id) == Some(Tag::Figure))
        {
            return figure;
        }
        inside().find(|&id| page.tag(id).is_some_and(Tag::is_block)).unwrap_or(article)
    }

    /// None for a text without a word.
    fn similarity(&self, body: &Profile, caption: &str) -> Option<f64> {
        caption.chars().any(char::is_alphanumeric).then(|| body.similarity(self.recogniser.as_ref(), caption))
    }

    fn similarity_of_alt(&self, page: &Page, image: NodeId, body: &Profile) -> Option<f64> {
        if !self.settings.alt {
            return None;
        }
        let alt = page.attribute(image, &local_name!("alt"))?;
        self.similarity(body, alt)
    }
}

/// The article's text without the captions: otherwise each caption would resemble itself. Where the images' blocks hold
/// most of the text they are paragraphs with an image in them, and all of it is the article.
fn text_without(page: &Page, article: NodeId, blocks: &[NodeId]) -> String {
    let mut out = String::new();
    let (mut left, mut skip_to) = (0, NodeId::DOCUMENT);
    let mut starts: Vec<NodeId> = blocks.to_vec();
    starts.sort_unstable();
    let mut starts = starts.into_iter().peekable();
    for id in page.live(article) {
        while let Some(block) = starts.next_if(|&block| block <= id) {
            if block != article {
                skip_to = skip_to.max(page.end(block));
            }
        }
        if id >= skip_to
            && page.own_chars(id) > 0
            && let Some(text) = page.text(id)
        {
            left += page.own_chars(id);
            out.push_str(&text);
            // The end of a block ends a sentence; one mark too many does no harm to names.
            out.push(' ');
        }
    }
    if left * 2 < page.chars(article) {
        return text::from_subtree(page, article, 2);
    }
    out
}

/// The element to remove: the figure with its caption, the `<picture>` with its sources, or the image.
fn whole_image(page: &Page, image: NodeId, block: NodeId) -> NodeId {
    if page.tag(block) == Some(Tag::Figure) {
        return block;
    }
    let parent = page.parent(image);
    if page.tag(parent) == Some(Tag::Picture) { parent } else { image }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse::Parser;

    fn images_left(html: &str, settings: &Settings) -> Vec<String> {
        let mut parser = Parser::new(false, 512, 10_000);
        parser.feed(html).unwrap();
        let url = "https://example.org/".parse().unwrap();
        let mut page = Page::new(parser.finish().unwrap(), &url, false, 512).unwrap().into();
        Captions::new(settings).apply(&mut page);
        page.live(page.body()).filter_map(|id| Some(page.attribute(id, &local_name!("src"))?.to_string())).collect()
    }

    const ARTICLE: &str = "<p>On Monday the painter Ada Novak came back to Lyon. People of Lyon had waited for Novak.</p>\
        <div><img src=portrait>Novak in front of her house</div>\
        <div><img src=advert>Cheap flights from Oslo with Skyline and Jetgo and Aerix</div>\
        <div><img src=bare></div>";

    #[test]
    fn an_image_stays_if_its_caption_names_what_the_article_names() {
        assert_eq!(images_left(ARTICLE, &Settings::paper()), ["portrait"]);
    }

    #[test]
    fn images_without_caption_can_be_kept() {
        let settings = Settings { remove_without_caption: false, ..Settings::paper() };
        assert_eq!(images_left(ARTICLE, &settings), ["portrait", "bare"]);
    }

    #[test]
    fn a_figure_goes_with_its_caption_or_not_at_all() {
        let html = "<p>We met Ada Novak in Lyon, and Novak spoke.</p>\
            <figure><div><img src=kept></div><figcaption>Ada Novak</figcaption></figure>\
            <figure><div><img src=gone></div><figcaption>Try our coffee</figcaption></figure>";
        assert_eq!(images_left(html, &Settings::default()), ["kept"]);
    }
}
