//! What a removed part is, in words that anyone understands.

use html5ever::local_name;
use serde::Serialize;

use crate::{
    html::{NodeId, Page, tag::Tag},
    output::interface::Label,
    vocabulary::{self, Class},
};

/// Share of its characters from which the links in a part are what it is.
const LINK_SHARE: f64 = 0.7;

/// What a removed part of a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// The site's own links.
    Menu,
    /// What a list of advertisements and trackers names.
    Advertisement,
    /// Other articles.
    Related,
    /// What readers wrote.
    Comments,
    /// What stands below every page of the site.
    Footer,
    /// Links and few other words.
    Links,
    /// Fields and buttons.
    Form,
    /// What nobody was to see.
    Hidden,
    /// A frame or a plug-in.
    Embedded,
    /// A table without words.
    Empty,
    /// A picture beside the text, or what stands for one.
    Picture,
    /// A question about cookies.
    Consent,
    /// A newsletter, buttons to share, an appeal for money.
    Offer,
    /// Anything else.
    Other,
}

impl PartKind {
    /// The kind of a part that this filter removed.
    pub(super) fn from_part(page: &Page, id: NodeId, filter: &str, start: &str) -> PartKind {
        match filter {
            "ad_servers" => PartKind::Advertisement,
            "ignore" => match page.tag(id) {
                Some(Tag::Form | Tag::Input | Tag::Select | Tag::Textarea | Tag::Button) => PartKind::Form,
                Some(Tag::Img | Tag::Picture | Tag::Svg) => PartKind::Picture,
                Some(Tag::Iframe | Tag::Embed | Tag::Object | Tag::Applet) => PartKind::Embedded,
                Some(Tag::A) => PartKind::Links,
                _ => PartKind::Hidden,
            },
            "link_lists" | "link_quota" => PartKind::Links,
            "empty_tables" => PartKind::Empty,
            "captions" | "lazy_images" => PartKind::Picture,
            _ => by_place(page, id).or_else(|| by_words(start)).unwrap_or_else(|| by_links(page, id)),
        }
    }

    pub(super) fn label(self) -> Label {
        match self {
            PartKind::Menu => Label::WhyMenu,
            PartKind::Advertisement => Label::WhyAd,
            PartKind::Related => Label::WhyRelated,
            PartKind::Comments => Label::WhyComments,
            PartKind::Footer => Label::WhyFooter,
            PartKind::Links => Label::WhyLinks,
            PartKind::Form => Label::WhyForm,
            PartKind::Hidden => Label::WhyHidden,
            PartKind::Embedded => Label::WhyEmbedded,
            PartKind::Empty => Label::WhyEmpty,
            PartKind::Picture => Label::WhyPicture,
            PartKind::Consent => Label::WhyConsent,
            PartKind::Offer => Label::WhyOffer,
            PartKind::Other => Label::WhyOther,
        }
    }
}

/// By the landmark that it is, stands in, or consists of.
fn by_place(page: &Page, id: NodeId) -> Option<PartKind> {
    let landmark = |id: NodeId| match (page.tag(id)?, page.attribute(id, &local_name!("role"))) {
        (Tag::Nav, _) | (_, Some("navigation")) => Some(PartKind::Menu),
        (Tag::Footer, _) | (_, Some("contentinfo")) => Some(PartKind::Footer),
        (Tag::Form, _) => Some(PartKind::Form),
        _ => None,
    };
    let around = || page.ancestors(id).take_while(|&up| up != page.body()).find_map(landmark);
    let chars = page.chars(id);
    let is_most = |inner: &NodeId| chars > 0 && 2 * page.chars(*inner) > chars;
    let within = || page.live(id).skip(1).filter(|&inner| landmark(inner).is_some()).find(is_most).and_then(landmark);
    landmark(id).or_else(within).or_else(around)
}

/// By the words with which its text begins.
fn by_words(start: &str) -> Option<PartKind> {
    let found = vocabulary::hits(start.to_owned()).start;
    [
        (Class::Related, PartKind::Related),
        (Class::Comments, PartKind::Comments),
        (Class::Advertisement, PartKind::Advertisement),
        (Class::Consent, PartKind::Consent),
        (Class::Newsletter, PartKind::Offer),
        (Class::Follow, PartKind::Offer),
        (Class::Support, PartKind::Offer),
        (Class::Share, PartKind::Offer),
        (Class::Rights, PartKind::Footer),
    ]
    .into_iter()
    .find_map(|(class, kind)| (found & class.bit() != 0).then_some(kind))
}

fn by_links(page: &Page, id: NodeId) -> PartKind {
    let links: Vec<NodeId> = page.live(id).filter(|&inside| page.tag(inside) == Some(Tag::A)).collect();
    let in_links: usize = links.iter().map(|&link| page.chars(link)).sum();
    let is_list = links.len() > 1 && in_links as f64 >= LINK_SHARE * page.chars(id) as f64;
    if is_list { PartKind::Links } else { PartKind::Other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    #[test]
    fn a_part_is_told_by_its_place_its_words_or_its_links() {
        let links = "<a href=/1>One town</a> <a href=/2>Two towns</a>";
        for (html, kind) in [
            (format!("<nav id=x>{links}</nav>"), PartKind::Menu),
            (format!("<footer><div id=x>{links}</div></footer>"), PartKind::Footer),
            (format!("<div id=x><div role=navigation>{links}</div></div>"), PartKind::Menu),
            (format!("<div id=x><h3>Related articles</h3>{links}</div>"), PartKind::Related),
            (format!("<div id=x>{links}</div>"), PartKind::Links),
            ("<p id=x>The clock has a single hand.".to_owned(), PartKind::Other),
        ] {
            let page = page(&html);
            let id = by_id(&page, "x");
            let start = page.start_of_text(id, 100, 200);
            assert_eq!(PartKind::from_part(&page, id, "main_block", &start), kind, "{html}");
        }
    }
}
