//! Linked images of a block: how many, of what size, and whether they are alike on several pages.
//!
//! Source: Mantratzis, Orgun, Cassidy 2005, § 4: "support for lists of hyperlinks that use images instead of text by
//! comparing the ratio of hyperlinked image tags to the ratio of those in a similar section in another document of the same
//! domain. The analysis can be further enhanced by comparing the dimensions of the images on both sides".

use html5ever::local_name;

use crate::html::{NodeId, Page, tag::Tag};

/// Fewer linked images than this are no list. Our choice: two may be a picture and its thumbnail.
const MIN_IMAGES: u32 = 3;

/// Difference of two ratios of linked images to tags below which they are alike. Our choice: one entry more or less in a list
/// of ten. Higher: more blocks are lists.
const SIMILAR_RATIO: f64 = 0.1;

/// Linked images of a block, and all tags of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Images {
    count: u32,
    tags: u32,
    /// Width and height where the images give them.
    size: Option<(u32, u32)>,
    differ: bool,
}

impl Images {
    /// Takes one more linked image into account.
    pub(crate) fn add(&mut self, page: &Page, id: NodeId) {
        self.count += 1;
        self.agree(size(page, id));
    }

    fn agree(&mut self, size: Option<(u32, u32)>) {
        self.differ |= self.size.zip(size).is_some_and(|(own, other)| own != other);
        self.size = self.size.or(size);
    }

    fn join(&mut self, other: Images) {
        self.count += other.count;
        self.tags += other.tags;
        self.differ |= other.differ;
        self.agree(other.size);
    }

    pub(crate) fn count(self) -> u32 {
        self.count
    }

    /// Enough of them to be a list.
    pub(crate) fn are_many(self) -> bool {
        self.count >= MIN_IMAGES
    }

    /// A list, as far as one page tells: many, and all that give their dimensions give the same.
    pub(crate) fn are_alike(self) -> bool {
        self.are_many() && !self.differ
    }

    /// Whether the same block of another page has as many for its tags, and of the same size where both tell.
    pub(super) fn is_like(self, other: Images) -> bool {
        let ratio = |images: Images| f64::from(images.count) / f64::from(images.tags.max(1));
        let sizes = self.size.zip(other.size);
        (ratio(self) - ratio(other)).abs() <= SIMILAR_RATIO
            && self.differ == other.differ
            && (self.differ || sizes.is_none_or(|(own, other)| own == other))
    }
}

fn size(page: &Page, id: NodeId) -> Option<(u32, u32)> {
    let pixels = |name| -> Option<u32> {
        let value = page.attribute(id, &name)?;
        value.trim().trim_end_matches("px").parse().ok()
    };
    pixels(local_name!("width")).zip(pixels(local_name!("height")))
}

/// For each row the linked images of its subtree, and its tags: elements with text, and images. "Tags that contain no text are
/// ignored" (§ 3), so that what a filter has taken out of a list says little.
pub(crate) fn linked_images(page: &Page) -> Vec<Images> {
    let body = page.body();
    let mut images = vec![Images::default(); page.len()];
    let mut has_text = vec![false; page.len()];
    let live: Vec<NodeId> = page.live(body).collect();
    for &id in live.iter().rev() {
        let row = id.index();
        has_text[row] |= page.own_chars(id) > 0;
        let tag = page.tag(id);
        if tag == Some(Tag::Img) && page.in_link(id) {
            images[row].add(page, id);
        }
        let is_tag = tag == Some(Tag::Img) || tag.is_some() && has_text[row];
        images[row].tags += u32::from(is_tag);
        if id != body {
            let (parent, own) = (page.parent(id).index(), images[row]);
            has_text[parent] |= has_text[row];
            images[parent].join(own);
        }
    }
    images
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{by_id, page};

    fn images(html: &str) -> Images {
        let page = page(html);
        linked_images(&page)[by_id(&page, "x").index()]
    }

    fn list(images: usize, size: &str) -> String {
        let item = format!("<li><a href=/x><img src=i {size}></a></li>");
        format!("<ul id=x>{}</ul>", item.repeat(images))
    }

    #[test]
    fn ratios_and_dimensions_are_compared() {
        let small = images(&list(4, "width=80 height=60"));
        assert_eq!((small.count, small.tags), (4, 4));
        assert!(small.is_like(images(&list(5, "width=80 height=60"))));
        assert!(small.is_like(images(&list(5, ""))), "nothing tells against it");
        assert!(!small.is_like(images(&list(4, "width=640 height=480"))));
        let beside_text = "<ul id=x><li><a href=/x><img src=i></a></li><li><p><b>a</b><i>b</i></p></li></ul>";
        assert!(!small.is_like(images(beside_text)), "1 of 6 tags for 4 of 4");
    }

    #[test]
    fn images_of_one_page_are_a_list_where_they_are_many_of_one_size() {
        assert!(images(&list(3, "width=80px height=60px")).are_alike());
        assert!(!images(&list(2, "width=80 height=60")).are_alike());
        let mixed = list(3, "width=80 height=60").replacen("80", "640", 1);
        assert!(images(&mixed).are_many() && !images(&mixed).are_alike());
    }
}
