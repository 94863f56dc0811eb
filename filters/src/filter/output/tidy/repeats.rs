//! What stands twice in a row: a heading, a picture. Pages show one on phones and the other on screens.

use html5ever::local_name;

use super::is_small;
use crate::{
    metadata::start_of_line,
    page::{Kind, NodeId, Page, tag::Tag},
};

/// Drops the second of each.
pub(super) fn drop_repeats(page: &mut Page) {
    let mut repeated = headings(page);
    repeated.extend(pictures(page));
    for id in repeated {
        page.drop_silently(id);
    }
}

/// A heading directly below one of the same words.
fn headings(page: &Page) -> Vec<NodeId> {
    let mut last: Option<String> = None;
    let mut end = NodeId::DOCUMENT;
    let mut repeated = Vec::new();
    for id in page.live(page.body()) {
        if id < end {
            continue;
        }
        match page.kind(id) {
            Kind::Element(tag) if tag.is_heading() => {
                let text = start_of_line(page, id);
                end = page.end(id);
                if text.is_empty() {
                    continue;
                }
                if last.as_ref() == Some(&text) {
                    repeated.push(id);
                } else {
                    last = Some(text);
                }
            }
            Kind::Element(tag) if tag.is_media() => last = None,
            _ if page.own_chars(id) > 0 => last = None,
            _ => {}
        }
    }
    repeated
}

/// A picture directly behind itself, in this size or another. Not stars and other signs, which count by repetition.
fn pictures(page: &Page) -> Vec<NodeId> {
    let mut last: Option<String> = None;
    let mut repeated = Vec::new();
    for id in page.live(page.body()) {
        if page.tag(id) == Some(Tag::Img) {
            let file = (!is_small(page, id)).then(|| file(page, id)).flatten();
            if file.is_some() && file == last {
                repeated.push(id);
            }
            last = file;
        } else if page.own_chars(id) > 0 {
            last = None;
        }
    }
    repeated
}

/// The address of a picture without the size in its name: `a-300x200.jpg` and `a.jpg` are one picture.
fn file(page: &Page, id: NodeId) -> Option<String> {
    let mut url = page.address(id, &local_name!("src"))?;
    if url.scheme() == "data" {
        return None;
    }
    url.set_fragment(None);
    let path = url.path().to_owned();
    if let Some((stem, ending)) = path.rsplit_once('.')
        && let Some((stem, size)) = stem.rsplit_once(['-', '_'])
        && size.contains('x')
        && size.chars().all(|c| c.is_ascii_digit() || c == 'x')
    {
        url.set_path(&format!("{stem}.{ending}"));
    }
    Some(url.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    fn left(html: &str) -> usize {
        let mut page = page(html);
        drop_repeats(&mut page);
        let is_picture = |id: &NodeId| page.tag(*id) == Some(Tag::Img);
        page.live(page.body()).filter(is_picture).count()
    }

    #[test]
    fn a_picture_behind_itself_goes() {
        assert_eq!(
            left("<a><img src=/a.jpg></a><div><img src=/a.jpg></div>"),
            1
        );
        assert_eq!(left("<img src=/a-300x200.jpg> <img src=/a.jpg>"), 1);
    }

    #[test]
    fn pictures_that_differ_or_stand_apart_stay() {
        assert_eq!(left("<img src=/a.jpg>text<img src=/a.jpg>"), 2);
        assert_eq!(left("<img src=/i?id=1><img src=/i?id=2>"), 2);
        assert_eq!(
            left("<img width=16 src=/star.png><img width=16 src=/star.png>"),
            2
        );
        assert_eq!(left("<img src=/a.jpg><img src=/b.jpg><img src=/a.jpg>"), 3);
    }
}
