use crate::{metadata, testing::page};

fn author(html: &str) -> Option<String> {
    metadata::read(&page(html)).metadata.author
}

fn article(html: &str) -> Option<String> {
    author(&format!("<meta property=og:type content=article><title>The night ferry</title>{html}"))
}

const TEXT: &str = "<p>It leaves the harbour of the old town at eleven and comes back before the bakers open.</p>";

#[test]
fn the_word_by_below_the_headline_stands_before_a_name() {
    for byline in [
        "<p>By Ann Ash</p>",
        "<p>By <b>Ann Ash</b> | 3 min read</p>",
        "<div>Written by</div><div>Ann Ash</div>",
        "<span>By</span><span>Ann Ash</span><span>Updated May 3, 2026</span>",
        "<p>Von Ann Ash</p>",
        "<p>by: <a href=/people/7>Ann Ash</a> on May 3, 2026</p>",
        "<p>By Ann Ash May 3, 2026</p>",
        "<div class='post-meta_authorName__x7'>Ann Ash</div>",
        "<div class=author-box><div class=author-name>Ann Ash</div><div class=author-title>Senior Writer</div></div>",
    ] {
        let html = format!("<h1>The night ferry</h1>{byline}{TEXT}");
        assert_eq!(article(&html).as_deref(), Some("Ann Ash"), "{byline}");
    }
}

#[test]
fn a_class_on_the_whole_text_names_nobody() {
    let text = TEXT.repeat(10);
    let html = |class: &str| {
        article(&format!(
            "<article class='{class}'><nav><a href=/shop>Shop All</a></nav><h1>The night ferry</h1>{text}</article>"
        ))
    };
    assert_eq!(html("hentry author-ann-ash"), None);
    assert_eq!(html("hentry"), None);
}

#[test]
fn the_words_before_a_name_are_those_of_many_languages() {
    for (byline, name) in [
        ("<p>Piše: Ivana Barić</p>", "Ivana Barić"),
        ("<p>Γράφει η Ελένη Παππά</p>", "Ελένη Παππά"),
        ("<p>লেখা: তানভীর হাসান</p>", "তানভীর হাসান"),
        ("<p>تحریر: عائشہ خان</p>", "عائشہ خان"),
        ("<p>ავტორი: ნინო ბერიძე</p>", "ნინო ბერიძე"),
        ("<p>Հեղինակ՝ Աննա Սարգսյան</p>", "Աննա Սարգսյան"),
        ("<p>Autorė: Ona Kazlauskienė</p>", "Ona Kazlauskienė"),
        ("<p>Egilea: Ane Etxeberria</p>", "Ane Etxeberria"),
        ("<p>రచన: రాధ కుమారి</p>", "రాధ కుమారి"),
        ("<p>എഴുതിയത്: ലത നായർ</p>", "ലത നായർ"),
        ("<p>ដោយ សុខា ចាន់</p>", "សុខា ចាន់"),
        ("<p>Por Ana Freire — Serra Clara</p>", "Ana Freire"),
        ("<p>Par Anne Aulne (Saint-Aubray, envoyée spéciale)</p>", "Anne Aulne"),
        ("<p>記者林佳穎／基隆報導</p>", "林佳穎"),
        ("<p>김서연 기자</p>", "김서연"),
        ("<p class=article_author>김서연 기자 - 한빛일보</p>", "김서연"),
        ("<a href=/autor/ana>Ana Freire</a>", "Ana Freire"),
        ("<p class=auteur>Anne Aulne</p>", "Anne Aulne"),
    ] {
        let html = format!("<h1>The night ferry</h1>{byline}{TEXT}");
        assert_eq!(article(&html).as_deref(), Some(name), "{byline}");
    }
    let fee = format!("<h1>The night ferry</h1><p>Per Day</p><p>记者从县里获悉</p>{TEXT}");
    assert_eq!(article(&fee), None);
}

#[test]
fn a_sentence_that_begins_with_by_is_no_byline() {
    for line in [
        "<p>By 2030 it will run on wind alone</p>",
        "<p>By the light of the moon</p>",
        "<p>By and large, nobody sleeps.</p>",
        "<p class=byline>Written by</p>",
        "<p class=byline__tag>Money</p>",
        "<p class=author>View all posts</p>",
    ] {
        let html = format!("<h1>The night ferry</h1>{line}{TEXT}");
        assert_eq!(article(&html), None, "{line}");
    }
}

#[test]
fn a_work_that_the_text_names_has_another_author() {
    let page = |end: &str| article(&format!("<h1>The night ferry</h1>{}{end}", TEXT.repeat(9)));
    assert_eq!(page("<p>Written by <a href=/ann>Ann Ash</a>").as_deref(), Some("Ann Ash"));
    assert_eq!(page("<p>All rights reserved.<br>Written by <a href=/ann>Ann Ash</a>").as_deref(), Some("Ann Ash"));
    assert_eq!(
        page("<table><tr><td>A film of the story <i>Bell</i> written by <a href=/ann>Ann Ash</a>.</table>"),
        None
    );
}

#[test]
fn two_names_in_one_line_are_two_authors() {
    let html = format!(
        "<h1>The night ferry</h1><p>By <a rel=author href=/a>Ann Ash</a> and <a rel=author href=/b>Ben Birch</a></p>{TEXT}"
    );
    assert_eq!(article(&html).as_deref(), Some("Ann Ash, Ben Birch"));
}

#[test]
fn whoever_answers_or_comments_is_not_the_author() {
    let post = |name: &str| format!("<div class=post><a rel=author class=author href=/u/{name}>{name}</a>{TEXT}</div>");
    let thread = format!("<h1>The night ferry</h1>{}{}", post("Ann"), post("Ben"));
    assert_eq!(article(&thread), None);
    let answer = format!(
        "<h1>The night ferry</h1>{TEXT}<div id=answers><div itemscope itemtype=https://schema.org/Answer>\
         <p itemprop=author>Ben</p>{TEXT}</div></div>"
    );
    assert_eq!(article(&answer), None);
    let comment =
        format!("<h1>The night ferry</h1>{TEXT}<ol class=comment-list><li><b class=author>Ben</b>{TEXT}</ol>");
    assert_eq!(article(&comment), None);
}

#[test]
fn whoever_took_a_picture_is_not_the_author() {
    for name in ["figcaption><b itemprop=author>Ben Birch</b", "p class=img-caption>By <b>Ben Birch</b"] {
        assert_eq!(article(&format!("<h1>The night ferry</h1><figure><img src=a.jpg><{name}></figure>{TEXT}")), None);
    }
}

#[test]
fn whoever_reviews_a_product_is_not_the_author() {
    let review = "<div itemscope itemtype=https://schema.org/Review><meta itemprop=author content=Ben>\
                  <b class=review__author>Ben</b></div>";
    assert_eq!(author(&format!("<h1>Kettle</h1>{review}")), None);
}

#[test]
fn a_name_that_no_reader_meets_yields_to_the_byline() {
    let page =
        |byline: &str| article(&format!("<meta name=author content='b.birch'><h1>The night ferry</h1>{byline}{TEXT}"));
    assert_eq!(page("<p>By Ann Ash</p>").as_deref(), Some("Ann Ash"));
    assert_eq!(page("").as_deref(), Some("b.birch"));
    let both = page("<p>By Ann Ash</p><p>Edited by b.birch</p>");
    assert_eq!(both.as_deref(), Some("b.birch"));
}

#[test]
fn a_card_of_another_article_is_not_the_author() {
    let card = |name: &str| format!("<li class=card><a href=/x>More</a><i class=byline>By {name}</i>{TEXT}");
    let list = format!("<h1>News</h1><ul>{}{}</ul>", card("Ann Ash"), card("Ben Birch"));
    assert_eq!(author(&list), None);
    let below = format!(
        "<h1>The night ferry</h1><p class=byline>By Cy Cole</p>{TEXT}<ul>{}{}</ul>",
        card("Ann Ash"),
        card("Ben Birch")
    );
    assert_eq!(article(&below).as_deref(), Some("Cy Cole"));
}

#[test]
fn the_name_of_the_site_is_an_author_of_articles_alone_and_the_last() {
    let head = "<meta property=og:site_name content='The Paper'><meta name=author content='The Paper'><title>The night ferry</title>";
    let body = format!("<h1>The night ferry</h1>{TEXT}");
    assert_eq!(author(&format!("{head}{body}")), None);
    let head = format!("<meta property=og:type content=article>{head}");
    assert_eq!(author(&format!("{head}{body}")).as_deref(), Some("The Paper"));
    let byline = format!("<h1>The night ferry</h1><p>By Ann Ash{TEXT}");
    assert_eq!(author(&format!("{head}{byline}")).as_deref(), Some("Ann Ash"));
    // The site of one person.
    let own = head.replace("The Paper", "Ben Stone").replace("article", "website");
    assert_eq!(author(&format!("{own}{body}")).as_deref(), Some("Ben Stone"));
}

#[test]
fn a_card_for_social_networks_says_who_wrote_it() {
    let head = "<meta name=twitter:label1 content='Written by'><meta name=twitter:data1 content='Ann Ash'>\
                <meta name=twitter:label2 content='Est. reading time'><meta name=twitter:data2 content='4 minutes'>";
    assert_eq!(author(head).as_deref(), Some("Ann Ash"));
}

#[test]
fn of_several_articles_only_that_of_the_headline_has_the_author() {
    let ld = |titles: [&str; 2]| {
        format!(
            r#"<script type=application/ld+json>[{{"@type":"NewsArticle","headline":"{}","author":"Ann Ash"}},
               {{"@type":"NewsArticle","headline":"{}","author":"Ben Birch"}}]</script>"#,
            titles[0], titles[1]
        )
    };
    let page = |titles| format!("{}<title>The night ferry</title><h1>The night ferry</h1>", ld(titles));
    assert_eq!(author(&page(["Other", "The night ferry"])).as_deref(), Some("Ben Birch"));
    assert_eq!(author(&page(["Other", "Another"])), None);
}

#[test]
fn labels_and_places_for_names_are_no_names() {
    for content in [
        "Written By",
        "undefined",
        "page.head.extra.author",
        "View more posts",
        "Log in",
        "5 Great Ways to Read On-page Ideas for 2022",
        "Coming Soon! Food Colours",
        "3d23d65-ddc6-4ce5",
        "content: Ash, design: Ben Birch",
        "Member",
        ", ",
    ] {
        let html = format!("<meta name=author content='{content}'>");
        assert_eq!(author(&html), None, "{content}");
    }
}
