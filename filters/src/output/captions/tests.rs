use super::*;
use crate::testing::page;

/// The text of a page that has this and a hundred words more.
fn text(html: &str) -> String {
    let rest = "The harbour was quiet that day, and nobody came. ".repeat(12);
    let mut page = page(&format!("{html}<p>{rest}</p>"));
    page.metadata.kind = Some(PageType::Article);
    let text = crate::output::text::from_page(&page, 1);
    text.trim_end().trim_end_matches(rest.trim_end()).trim_end().replace('\n', "|")
}

#[test]
fn captions_of_pictures_are_no_text_of_the_page() {
    assert_eq!(
        text("<p>One.</p><figure><img src=a.jpg><figcaption>The quay <i>in May</i>.</figcaption></figure><p>Two.</p>"),
        "One.|Two."
    );
    assert_eq!(text("<div class=wp-caption><a><img src=a.jpg></a><p class=wp-caption-text>The quay.</p></div>"), "");
    assert_eq!(
        text(
            "<p>One.</p><figure><div></div><figcaption>The quay, whose picture a script draws.</figcaption></figure><p>Two.</p>"
        ),
        "One.|Two."
    );
}

#[test]
fn captions_of_what_the_text_shows_stay() {
    for html in [
        "<figure><table><tr><th>a<th>b<tr><td>1<td>2</table><figcaption>Two numbers</figcaption></figure>",
        "<figure><pre>a = 1</pre><figcaption>Listing 1</figcaption></figure>",
        "<figure><blockquote>No.</blockquote><figcaption>Ann Lee</figcaption></figure>",
        "<figure><p>A text that stands in the figure itself, and not below a picture of it.</p><figcaption>The quay</figcaption></figure>",
        "<figure><img src=a.png><figcaption><b>Fig. 2:</b> The quay</figcaption></figure>",
        "<figure><img src=a.png><figcaption>图12 The quay</figcaption></figure>",
        "<div><img src=a.jpg><p>A text beside the picture.</p><p class=caption>The quay</p><p>And below it, of more than a few words, to be sure that it is one.</p></div>",
    ] {
        let kept = text(html);
        assert!(
            ["Two numbers", "Listing 1", "Ann Lee", "The quay"].iter().any(|caption| kept.contains(caption)),
            "{html}: {kept}"
        );
    }
}

#[test]
fn the_steps_of_what_a_page_tells_how_to_do_stay() {
    let step = "<figure><img src=a.jpg><figcaption>Fold the dough.</figcaption></figure>";
    let kept = |kind: &str| {
        let rest = "The harbour was quiet that day, and nobody came. ".repeat(12);
        let mut page = page(&format!("{step}<p>{rest}</p>"));
        page.claims.types = vec![kind.to_owned()];
        crate::output::text::from_page(&page, 1).contains("Fold")
    };
    assert!(kept("Recipe") && kept("HowTo"));
    assert!(!kept("NewsArticle"));
}

#[test]
fn captions_that_are_the_page_stay() {
    let figure = "<figure><img src=a.jpg><figcaption>The quay on a morning in May, before the boats go out.</figcaption></figure>";
    assert!(text(&figure.repeat(6)).contains("before the boats"));
}
