use super::*;
use crate::testing::page;

/// The text of a page that has this and a hundred words more.
fn text(html: &str) -> String {
    let rest = "The harbour was quiet that day, and nobody came. ".repeat(12);
    let mut page = page(&format!("{html}<p>{rest}</p>"));
    page.metadata.kind = Some(Kind::Article);
    let text = crate::output::text::of_page(&page, 1);
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
fn what_is_more_than_a_caption_stays() {
    let figure = |caption: &str| format!("<figure><img src=a.jpg><figcaption>{caption}</figcaption></figure>");
    let step = figure("Fold the dough.");
    for html in [
        format!("<ol><li>{step}<li><div>{step}</div></ol>"),
        format!("<h3>Third day</h3><div>{step}</div><h3>Fourth day</h3>"),
        "<div class=thumbnail><img src=a.jpg><div class=caption><h3>Fold</h3><p>the dough.</p></div></div>".to_owned(),
        figure("“Fold it when the oven is hot, and not before,” says Ann Lee."),
        figure("「先有了港口，然后才有了城市」 Fold"),
        figure("‘We didn’t fold it when the oven was hot,’ says Ann Lee. Fold"),
        figure("״שמרנו על הפנסים אחת עשרה לילות כי איש לא אמר״ Fold"),
        figure("— Мы не гасили лампы одиннадцать ночей, — говорит Анна. Fold"),
        figure("<b>Ann Lee, 81:</b> “Fold it when the oven is hot, and not before.”"),
        format!("<h2>The boat</h2>{step}{step}<p>It floats.</p>"),
        format!("<p>What to do:</p><div>{step}</div><div>{step}</div>"),
    ] {
        assert!(text(&html).contains("Fold"), "{html}");
    }
    for html in [
        format!("<ul><li>{step}<li>{step}</ul>"),
        format!("<h3>Third day</h3>{step}<p>It rained.</p>"),
        figure("“Fold” by Ann Lee, 1954"),
        figure("‘Fold’ by Ann Lee’s daughter, painted in 1954 in the old shed"),
        figure("– Fold of the dough, by Ann Lee"),
        format!("<p>It rained.</p>{step}{step}<p>It rained.</p>"),
        format!("<h2>The boat</h2>{step}<p>It rained.</p>"),
    ] {
        assert!(!text(&html).contains("Fold"), "{html}");
    }
}

#[test]
fn the_words_of_a_comic_and_the_figures_of_a_chart_stay() {
    let figure = |caption: &str| format!("<figure><img src=a.png><figcaption>{caption}</figcaption></figure>");
    for caption in [
        "The gull: Is this the tide you ordered? The pilot: I asked for the small one.",
        "かもめ：これが頼んだ潮ですか、大きすぎませんか？水先人：小さいのを頼んだはずです。",
        "Berths by year: 212 in 1990, 140 in 2005, 61 in 2025",
        "各年泊位：1990年212个、2005年140个、2025年61个",
    ] {
        assert_eq!(text(&figure(caption)), caption);
    }
    for caption in [
        "The quay: a picture of 12 May 1961. Photo: Ann Lee.",
        "From left: Ann Lee, 45, Tom Reed, 43, and Ada, 41",
        "Left: Ann Lee, who ran the ferry for years. Right: Tom Reed, who mends its sails.",
        "The quay: on the right stands the oldest of the sheds.",
    ] {
        assert_eq!(text(&figure(caption)), "", "{caption}");
    }
}

#[test]
fn the_steps_of_what_a_page_tells_how_to_do_stay() {
    let step = "<figure><img src=a.jpg><figcaption>Fold the dough.</figcaption></figure>";
    let kept = |kind: &str| {
        let rest = "The harbour was quiet that day, and nobody came. ".repeat(12);
        let mut page = page(&format!("{step}<p>{rest}</p>"));
        page.claims.types = vec![kind.to_owned()];
        crate::output::text::of_page(&page, 1).contains("Fold")
    };
    assert!(kept("Recipe") && kept("HowTo"));
    assert!(!kept("NewsArticle"));
}

#[test]
fn captions_that_are_the_page_stay() {
    let figure = "<figure><img src=a.jpg><figcaption>The quay on a morning in May, before the boats go out.</figcaption></figure>";
    assert!(text(&figure.repeat(6)).contains("before the boats"));
}
