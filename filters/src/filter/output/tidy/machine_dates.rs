//! The machine's form of a date behind the reader's: `<time>2006-08-08T22:13+00:00</time>`, which the page's style sheet hid.

use crate::{
    metadata::start_of_line,
    page::{NodeId, Page, tag::Tag},
};

/// Bytes of such a date, at most: `2006-08-08T22:13:00.000000+00:00`.
const MAX_BYTES: usize = 35;

/// Levels around it in which the reader's form stands.
const LEVELS: usize = 2;

/// Nodes of a level that are looked at.
const MAX_NODES: usize = 60;

/// Drops it where the year stands beside it once more.
pub(in crate::filter::output) fn drop(page: &mut Page) {
    let repeated: Vec<NodeId> = page
        .about(Tag::Time)
        .filter(|&id| page.contains(page.body(), id) && page.is_live(id))
        .filter(|&id| is_repeated(page, id))
        .collect();
    for id in repeated {
        page.drop_silently(id);
    }
}

fn is_repeated(page: &Page, id: NodeId) -> bool {
    let date = start_of_line(page, id);
    if !is_machines(&date) {
        return false;
    }
    let year = &date[..4];
    page.ancestors(id).take(LEVELS).any(|up| {
        page.live(up)
            .take(MAX_NODES)
            .filter(|&other| !page.contains(id, other) && page.own_chars(other) > 0)
            .any(|other| page.text(other).is_some_and(|text| text.contains(year) && !is_machines(text.trim())))
    })
}

/// ISO 8601 with a time: `2006-08-08T22:13`.
fn is_machines(text: &str) -> bool {
    let pattern = b"0000-00-00T00:00";
    text.len() <= MAX_BYTES
        && text.len() >= pattern.len()
        && text.bytes().zip(pattern).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            wanted => byte == *wanted,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{testing::page, text::of_subtree};

    fn left(html: &str) -> String {
        let mut page = page(html);
        drop(&mut page);
        of_subtree(&page, page.body(), 1).trim().to_owned()
    }

    #[test]
    fn the_machines_date_beside_the_readers_goes() {
        let machine = "<time class=hide datetime=x>2006-08-08T22:13+00:00</time>";
        assert_eq!(left(&format!("<p>Aug 08, 2006 <a>#1</a> {machine}</p>")), "Aug 08, 2006 #1");
        let alone = format!("<p>{machine}</p>");
        assert_eq!(left(&alone), "2006-08-08T22:13+00:00");
        assert_eq!(left("<p>2006 <time>08.08.2006</time></p>"), "2006 08.08.2006");
    }
}
