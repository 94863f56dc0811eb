//! Everything that is known about a page, for programs: `gleaner extract`.

use html5ever::local_name;
use serde::Serialize;

use crate::{
    analysis::AnalysedPage,
    html::{NodeId, Page, tag::Tag},
    metadata::Metadata,
    output::{self, LinkForm, captions, markdown},
    page_type::PageType,
    report::Report,
    vocabulary::words::one_line,
};

/// All information about a page, in every form.
#[derive(Clone, Debug, Serialize)]
pub struct Extract {
    /// Metadata that the page declares.
    #[serde(flatten)]
    pub metadata: Metadata,
    /// The page as text.
    pub text: String,
    /// The page as HTML, in the look that the configuration asks for.
    pub html: String,
    /// The page as Markdown.
    pub markdown: String,
    /// The links that are left, in the order of the page.
    pub links: Vec<Link>,
    /// The pictures that are left, in the order of the page.
    pub images: Vec<Image>,
    /// The comments below an article, in the order of the page, where they are not dropped (`main_block.comments`).
    pub comments: Vec<Comment>,
    /// Report of the chain.
    pub report: Report,
}

/// A comment below an article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comment {
    /// Who wrote it.
    pub author: Option<String>,
    /// The day, as in the metadata of the page (`2026-11-28`), or as the page writes it ("two hours ago").
    pub date: Option<String>,
    /// Its words.
    pub text: String,
}

/// A link on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Where it leads: absolute where the page's address is known, else as it is written.
    pub url: String,
    /// Text of the link as a reader sees it.
    pub text: String,
}

/// A picture on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    /// Its address: absolute where the page's address is known, else as it is written.
    pub url: String,
    /// Alternative text for those who cannot see the picture.
    pub alt: String,
    /// Caption below the picture.
    pub caption: Option<String>,
}

/// Most links, and most pictures, of a page. Raising it costs memory on hostile pages.
const MAX_LISTED: usize = 10_000;

/// Nodes and bytes of a link's text that are read: links can be nested in table cells.
const MAX_LINK_NODES: usize = 100;
const MAX_LINK_BYTES: usize = 1000;

impl Extract {
    pub(crate) fn from_page(
        page: &mut AnalysedPage,
        settings: &output::Settings,
        report: Report,
        links_as: LinkForm,
        without_images: bool,
    ) -> Extract {
        let links = if links_as == LinkForm::None { Vec::new() } else { links(page) };
        let unwanted = |tag| tag == Tag::A && links_as != LinkForm::Inline || tag == Tag::Img && without_images;
        let all: Vec<NodeId> = page.live(page.body()).filter(|&id| page.tag(id).is_some_and(unwanted)).collect();
        for id in all {
            if page.tag(id) == Some(Tag::Img) { page.drop_silently(id) } else { page.unwrap_element(id) }
        }
        let html = output::html(page, settings, output::Surroundings::default()).content;
        output::prepare_text(page, settings);
        let headline = output::lift_headline(page, settings);
        let mut metadata = page.metadata.clone();
        // A thread shows it in its first post, so nothing is written below the headline.
        if metadata.kind == Some(PageType::Forum) && metadata.author.is_none() {
            metadata.author = page.outcome.starter.take();
        }
        Extract {
            metadata,
            text: output::below_headline(headline.as_deref(), output::text(page, settings), settings),
            html,
            markdown: markdown::below_headline(headline.as_deref(), markdown::from_subtree(page, page.body())),
            links,
            images: images(page),
            comments: comments(page),
            report,
        }
    }
}

fn comments(page: &mut AnalysedPage) -> Vec<Comment> {
    let comments = std::mem::take(&mut page.outcome.comments).into_iter().take(MAX_LISTED);
    comments.map(|comment| Comment { author: comment.author, date: comment.date, text: comment.text }).collect()
}

fn links(page: &Page) -> Vec<Link> {
    with_tag(page, Tag::A)
        .filter_map(|id| {
            let url = page.shown_address(id, &local_name!("href"))?;
            let text = one_line(&page.start_of_text(id, MAX_LINK_NODES, MAX_LINK_BYTES));
            (!url.starts_with('#')).then_some(Link { url, text })
        })
        .take(MAX_LISTED)
        .collect()
}

fn images(page: &Page) -> Vec<Image> {
    let mut captions = captions::by_picture(page);
    with_tag(page, Tag::Img)
        .filter_map(|id| {
            let url = page.shown_address(id, &local_name!("src"))?;
            let caption = captions.remove(&id);
            let alt = page.attribute(id, &local_name!("alt"));
            let alt = one_line(alt.unwrap_or_default());
            (!url.starts_with("data:")).then_some(Image { url, alt, caption })
        })
        .take(MAX_LISTED)
        .collect()
}

fn with_tag(page: &Page, tag: Tag) -> impl Iterator<Item = NodeId> + '_ {
    page.live(page.body()).filter(move |&id| page.tag(id) == Some(tag))
}
