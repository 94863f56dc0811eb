//! What the link quota filter records of structural elements: four counts each, and the lists of linked images among them.

use super::Settings;
use crate::{
    analysis::AnalysedPage,
    domain::{
        self,
        images::{Images, linked_images},
    },
    html::{NodeId, Page, tag::Tag},
};

/// The counts that the paper records of a structural element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Quota {
    pub(super) anchors: f64,
    pub(super) tags: f64,
    pub(super) linked: f64,
    pub(super) chars: f64,
}

impl Quota {
    /// The counts of a part that is `share` as important.
    pub(super) fn add(&mut self, part: Quota, share: f64) {
        self.anchors += part.anchors * share;
        self.tags += part.tags * share;
        self.linked += part.linked * share;
        self.chars += part.chars * share;
    }
}

pub(super) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The structural elements and what belongs to them.
pub(super) struct Structure {
    /// In document order; the body is the first.
    pub(super) elements: Vec<NodeId>,
    /// For each row the structural element that it is or is flattened into.
    owner: Vec<NodeId>,
}

impl Structure {
    pub(super) fn new(page: &Page, names: &[String]) -> Structure {
        let tags: Vec<Tag> = names.iter().filter_map(|name| Tag::from_name(name)).collect();
        let body = page.body();
        let mut owner = vec![body; page.len()];
        let mut elements = Vec::new();
        for id in page.live(body) {
            if id == body || page.tag(id).is_some_and(|tag| tags.contains(&tag)) {
                owner[id.index()] = id;
                elements.push(id);
            } else {
                owner[id.index()] = owner[page.parent(id).index()];
            }
        }
        Structure { elements, owner }
    }

    pub(super) fn around(&self, page: &Page, id: NodeId) -> NodeId {
        self.owner[page.parent(id).index()]
    }
}

/// The four counts of every structural element by itself.
pub(super) fn own_quotas(page: &AnalysedPage, structure: &Structure, settings: &Settings) -> Vec<Quota> {
    let mut quotas = vec![Quota::default(); page.len()];
    let measures = crate::measure::Measures::from_page(page);
    for id in page.live(page.body()) {
        let owner = structure.owner[id.index()];
        let quota = &mut quotas[owner.index()];
        let Some(tag) = page.tag(id) else {
            let chars = page.own_chars(id) as f64;
            quota.chars += chars;
            if page.in_link(id) {
                quota.linked += chars;
            }
            continue;
        };
        let is_link = tag == Tag::A && page.in_link(id);
        let has_text = measures.get(id).chars > 0;
        if owner != id && has_text && !is_implied(tag) {
            quota.tags += 1.0;
            if is_link {
                quota.anchors += 1.0;
            }
        }
    }
    if settings.image_lists {
        for (list, images) in image_lists(page, structure, settings) {
            let count = f64::from(images);
            let quota = &mut quotas[list.index()];
            quota.anchors += count;
            quota.tags += count;
            quota.linked += count * settings.image_characters;
            quota.chars += count * settings.image_characters;
        }
    }
    quotas
}

/// The lists of linked images, and how many images each has.
fn image_lists(page: &AnalysedPage, structure: &Structure, settings: &Settings) -> Vec<(NodeId, u32)> {
    let mut images = vec![Images::default(); page.len()];
    for id in page.live(page.body()) {
        if page.tag(id) == Some(Tag::Img) && page.in_link(id) {
            let owner = structure.owner[id.index()];
            images[list_around(structure, page, owner).index()].add(page, id);
        }
    }
    let other_pages = page
        .domain
        .as_ref()
        .filter(|_| settings.image_lists_by_domain)
        .map(|domain| (domain, domain::signatures(page), linked_images(page)));
    let is_list = |id: NodeId| {
        let by_domain = other_pages.as_ref().and_then(|(domain, signatures, sections)| {
            domain.is_image_list(signatures[id.index()], sections[id.index()])
        });
        by_domain.unwrap_or_else(|| images[id.index()].are_alike())
    };
    let elements = structure.elements.iter();
    let lists = elements.filter(|&&id| images[id.index()].count() > 0 && is_list(id));
    lists.map(|&id| (id, images[id.index()].count())).collect()
}

/// Row groups, which the parser adds where the page has none, are no tags of the page.
fn is_implied(tag: Tag) -> bool {
    matches!(tag, Tag::Tbody | Tag::Thead | Tag::Tfoot)
}

/// A linked image usually stands alone in its item or cell; the list is what holds the items.
fn list_around(structure: &Structure, page: &Page, owner: NodeId) -> NodeId {
    if owner == page.body() { owner } else { structure.around(page, owner) }
}
