use super::*;
use crate::{main_block::auto::blocks::TextBlocks, testing::page};

const TEXT: &str = "The bridge over the harbour opened on a clear morning in May, eleven months late. \
    Nobody who had waited for it complained about that.";

/// Which texts stay of a page of which all were kept.
fn kept(html: &str) -> Vec<bool> {
    let page = page(html);
    let blocks = TextBlocks::from_page(&page, &[]);
    let all = vec![true; blocks.list.len()];
    super::super::proposed(&page, &blocks, 0.5, all, drop)
}

#[test]
fn a_text_for_another_width_of_screen_goes() {
    let html = format!(
        "<div class=wide><h2>Bridge</h2><p>{TEXT}</p></div><div class=narrow><h2>Bridge</h2><div><p>{TEXT}</p></div></div><p>After it.</p>"
    );
    assert_eq!(kept(&html), [true, true, false, false, true]);
    // Three of them, and a label between two.
    let one = format!("<div><p>{TEXT}</p></div>");
    let three = format!("{one}{one}<b>More</b>{one}");
    assert_eq!(kept(&three), [true, false, true, false]);
}

#[test]
fn what_an_author_says_twice_stays() {
    let refrain = format!("<div><p>{TEXT}</p><p>{TEXT}</p></div>");
    assert_eq!(kept(&refrain), [true, true]);
    let rows = format!("<table><tr><td><p>{TEXT}</p><tr><td><p>{TEXT}</p></table>");
    assert_eq!(kept(&rows), [true, true]);
    let offers = format!(
        "<div><h2>First offer</h2><p>Twelve days of walking.</p><div><p>{TEXT}</p></div></div>\
         <div><h2>Second offer</h2><p>Nine days by boat.</p><div><p>{TEXT}</p></div></div>"
    );
    assert_eq!(kept(&offers), [true; 6]);
    let labels = "<div><b>Read more</b></div><div><b>Read more</b></div>";
    assert_eq!(kept(labels), [true, true]);
}

#[test]
fn thousands_of_equal_texts_take_no_longer_than_their_number() {
    let html = "<div><b>same</b></div>".repeat(20_000);
    assert_eq!(kept(&html).len(), 20_000);
}
