use super::{super::super::trial::Trial, *};
use crate::kind::Claims;

/// How many texts are left of a page that says it is this, of which all were kept.
fn left(html: &str, says: &str) -> usize {
    let mut trial = Trial::of(html, 0.5);
    trial.page.claims = Claims {
        types: vec![says.to_owned()],
        ..Claims::default()
    };
    let mut kept = vec![true; trial.kept.len()];
    drop(
        &trial.page,
        &trial.blocks,
        &KindNow::of(&trial.page),
        &mut kept,
    );
    kept.into_iter().filter(|&kept| kept).count()
}

#[test]
fn a_list_at_the_end_that_says_more_goes() {
    let text = format!("<p>{}</p>", crate::testing::words(120));
    let list = |name: &str| {
        format!(
            "{text}<h3>{name}</h3><ul><li><a href=/a>Bread without an oven</a><li><a href=/b>Ovens without any bread</a></ul>"
        )
    };
    let count = |html: &str| left(html, "BlogPosting");
    for name in [
        "More from the bakery",
        "If you liked this you might also like:",
        "Mehr aus der Backstube",
        "Más artículos sobre pan",
    ] {
        assert_eq!(count(&list(name)), 1, "{name}");
    }
    for name in [
        "See also",
        "The ovens of this year",
        "My other ovens by size",
    ] {
        assert_eq!(count(&list(name)), 4, "{name}");
    }
    let name = "More from the bakery";
    assert_eq!(count(&format!("{}{text}", list(name))), 5);
    assert_eq!(left(&list(name), "TechArticle"), 4);
    let elsewhere = list(name).replace("href=/", "href=https://other.test/");
    assert_eq!(count(&elsewhere), 4);
    assert_eq!(count(&list(name).replace("href=/a", "href=/a.pdf")), 4);
    let words = list(name)
        .replace("without an oven", "")
        .replace("without any bread", "");
    assert_eq!(count(&words), 4);
}

const LINKS: &str =
    "<ul><li><a href=/a>Museum open</a><p>3 May</p><li><a href=/b>Bath closed</a></ul>";

#[test]
fn a_list_of_other_articles_goes_from_the_middle_of_one() {
    for name in [
        "Read also",
        "Lesen Sie auch:",
        "» Читайте также",
        "関連記事",
        "İlgili haberler",
        "ये भी पढ़ें",
        "اقرأ أيضاً:",
        "আরও পড়ুন",
        "यह भी पढ़ें |",
        "இதையும் படியுங்கள்",
        "ဆက်စပ်သတင်းများ",
    ] {
        let html = format!("<p>one</p><h3>{name}</h3>{LINKS}<p>two</p>");
        assert_eq!(left(&html, "NewsArticle"), 2, "{name}");
    }
    let line =
        "<p>one</p><p>Baca juga: <a href=/a>Museum open until ten on Sundays</a></p><p>two</p>";
    assert_eq!(left(line, "NewsArticle"), 2);
    for line in [
        "<p><span>Czytaj więcej</span> <a href=/a>Museum open until ten on Sundays</a></p>",
        "<p>&gt;&gt; Leia também <a href=/a><b>Museum open until ten on Sundays</b></a></p>",
        "<p>OLVASSA EL EZT IS: <a href=/a>Museum open until ten on Sundays</a></p>",
        "<p>Bekijk ook &gt; <a href=/a>Museum open until ten on Sundays</a></p>",
        "<p>Taip pat skaitykite</p><h5><a href=/a>Museum open until ten</a></h5>",
    ] {
        let html = format!("<p>one</p>{line}<p>two</p>");
        assert_eq!(left(&html, "NewsArticle"), 2, "{line}");
    }
    let skipped =
        format!("<p>one</p><div><b>Most read</b> <a href=#x>Skip</a></div>{LINKS}<p>two</p>");
    assert_eq!(left(&skipped, "NewsArticle"), 2);
    let related =
        "<p>one</p><p>▶ Related: <a href=/a>Museum open until ten on Sundays</a></p><p>two</p>";
    assert_eq!(left(related, "NewsArticle"), 2);
    assert_eq!(left(related, "TechArticle"), 3);
    let spoken = "<p>one</p><p>Related: <b>what is</b> of one blood with <a href=/a>others</a></p><p>two</p>";
    assert_eq!(left(spoken, "NewsArticle"), 3);
    let learn = "<p>one</p><p>Read <a href=/a>what the museum says of its Sundays</a> to learn more.</p><p>two</p>";
    assert_eq!(left(learn, "NewsArticle"), 3);
    let button = "<p>one</p><p><a href=/a>Read more</a></p><h3><a href=/b>A chapter</a></h3>";
    assert_eq!(left(button, "NewsArticle"), 3);
    let sentence =
        "<p>one</p><p>Read also what <a href=/a>the museum says of its Sundays</a></p><p>two</p>";
    assert_eq!(left(sentence, "NewsArticle"), 3);
}

#[test]
fn a_box_that_begins_with_a_name_goes_where_the_text_has_begun() {
    let text = crate::testing::words(40);
    let html = |name: &str| {
        format!(
            "<aside>{name}<h4><a href=/a>Museum open until ten</a></h4><p>From May on it is shown at night…</p></aside>"
        )
    };
    for name in [
        "<span>Читайте также</span>",
        "<b>推薦閱讀</b>",
        "<p>न्यूज़लेटर</p>",
    ] {
        let (above, below) = (
            format!("<p>{text}</p>{}<p>{text}</p>", html(name)),
            format!("{}<p>{text}</p>", html(name)),
        );
        assert_eq!(left(&above, "NewsArticle"), 2, "{name}");
        assert!(left(&below, "NewsArticle") > 1, "{name}");
    }
    let large = html("<span>Читайте также</span>").replace("From", &crate::testing::words(60));
    assert_eq!(left(&format!("<p>{text}</p>{large}"), "NewsArticle"), 2);
}

#[test]
fn rows_of_subjects_go_from_an_article_and_stay_in_a_manual() {
    for name in ["<b>Теги:</b>", "關鍵字", "برچسب‌ها:", "ट्याग -"] {
        let row = format!(
            "<p>one</p><div>{name} <a href=/a>Bread</a> <a href=/b>Ovens, and salt</a></div>"
        );
        assert_eq!(left(&row, "NewsArticle"), 1, "{name}");
        assert_eq!(left(&row, "APIReference"), 2, "{name}");
    }
}

#[test]
fn a_chapter_of_that_name_and_the_lists_of_a_page_of_lists_stay() {
    let chapter = "<p>one</p><h3>Read also</h3><p>A text that is no link, but a chapter of what is read here</p>";
    assert_eq!(left(chapter, "NewsArticle"), 3);
    let html = format!("<h3>Related news</h3>{LINKS}");
    assert_eq!(left(&html, "ItemList"), 4);
}
