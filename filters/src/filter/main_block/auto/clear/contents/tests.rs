use super::*;
use crate::testing::page_saying;

/// What is left of a page that says it is this, of which all was kept.
fn left(html: &str, says: &str) -> String {
    left_of(html, says, |_| true)
}

/// The same where only such texts were kept.
fn left_of(html: &str, says: &str, is_kept: impl Fn(&str) -> bool) -> String {
    let page = page_saying(says, "https://example.org/clocks", html);
    let blocks = Blocks::of(&page, &[]);
    let text = |block| blocks.text(&page, block);
    let mut kept: Vec<bool> = blocks
        .list
        .iter()
        .map(|block| is_kept(&text(block)))
        .collect();
    drop(&page, &blocks, &KindNow::of(&page), &mut kept);
    let texts = blocks.list.iter().zip(kept).filter(|(_, kept)| *kept);
    let texts: Vec<String> = texts.map(|(block, _)| blocks.text(&page, block)).collect();
    texts.join("|")
}

const LIST: &str = "<ol><li><a href=#a>1. Of springs</a><li><a href=/clocks#b>Of hands</a><li><a href=#c>The small bells</a></ol>";

const TEXT: &str = "<p>one</p><h2 id=a>Of springs</h2><p>two</p><h2 id=b>Of hands</h2><p>three</p><h2 id=c>Bells: the small bells and others</h2><p>four</p>";

const LEFT: &str = "one|Of springs|two|Of hands|three|Bells: the small bells and others|four";

#[test]
fn what_the_headings_say_again_goes_with_its_label() {
    for label in [
        format!("<div><p>Was Sie hier finden</p> <span>Show</span>{LIST}</div>"),
        format!("<h2>Table of Contents</h2>{LIST}"),
        format!("<p><b>สารบัญ</b></p>{LIST}"),
        format!("<p>These are the topics:</p>{LIST}"),
        LIST.to_owned(),
    ] {
        assert_eq!(left(&format!("{label}{TEXT}"), "Article"), LEFT, "{label}");
    }
    let headline = format!("<p>zero</p>{LIST}{TEXT}");
    assert_eq!(left(&headline, "Article"), format!("zero|{LEFT}"));
    let in_one_line =
        "<p><a href=#a>Of springs</a> <a href=#b>Of hands</a> <a href=#c>The small bells</a></p>";
    assert_eq!(left(&format!("{in_one_line}{TEXT}"), "Article"), LEFT);
}

#[test]
fn what_is_said_nowhere_else_stays() {
    for list in [
        LIST.replace("#a", "/a").replace("#b", "/b"),
        LIST.replace("Of", "Much more about"),
        LIST.replace("</ol>", "<li><a href=#d>No ferry after six</a></ol>"),
        LIST.replace("Of hands", "Of hands ✅"),
        "<p>The order:</p><ol><li><a href=#b>Of hands</a><li><a href=#a>Of springs</a><li><a href=#c>The small bells</a></ol>".to_owned(),
        "<p><a href=#a>A</a> <a href=#b>B</a> <a href=#c>C</a></p><h2>A</h2><h2>B</h2><h2>C</h2>".to_owned(),
        "<h2><a href=#a>Of springs</a></h2><h2><a href=#b>Of hands</a></h2><h2><a href=#c>Bells</a></h2>".to_owned(),
    ] {
        let before = left(&list, "WebPage");
        assert_eq!(left(&format!("{list}{TEXT}"), "Article"), format!("{before}|{LEFT}"), "{list}");
    }
    let manual = left(&format!("{LIST}{TEXT}"), "TechArticle");
    assert!(
        manual.starts_with("1. Of springs|Of hands|The small bells|"),
        "{manual}"
    );
}

#[test]
fn a_label_for_what_a_script_would_write_goes() {
    for label in [
        "<div><p>In this article</p><ol></ol></div>",
        "<div><b>Sommaire</b><ul></ul></div>",
    ] {
        assert_eq!(left(&format!("{label}{TEXT}"), "Article"), LEFT, "{label}");
    }
    for (label, says) in [
        ("<p>Contents</p>", "Article"),
        ("<div><p>Contents</p><p>Six clocks.</p></div>", "Article"),
        ("<div><p>Inhalt</p></div><div>6 St.</div>", "Product"),
    ] {
        let all = left(&format!("{label}{TEXT}"), says);
        assert!(!all.starts_with("one"), "{label}");
    }
}

#[test]
fn a_label_goes_where_its_list_has_gone_before_and_other_texts_stay() {
    let entries = ["1. Of springs", "Of hands", "The small bells"];
    let menu = "<ul><li><a href=/a>Of clocks</a><li><a href=/b>Of time</a></ul>";
    for label in [
        "<h2>Table of contents</h2>".to_owned(),
        format!("{menu}<div><p>Was Sie hier finden</p>{LIST}</div>{menu}<p>Contents</p>"),
    ] {
        let html = format!("{label}{LIST}{TEXT}");
        let without = |text: &str| !entries.contains(&text) && !text.starts_with("Of ");
        let left = left_of(&html, "Article", without);
        assert_eq!(
            left, "one|two|three|Bells: the small bells and others|four",
            "{label}"
        );
    }
    let far = format!("<p>A few words on what clocks are made of and why.</p>{LIST}{TEXT}");
    let left = left_of(&far, "Article", |text| text.starts_with("A few"));
    assert!(left.starts_with("A few"), "{left}");
}
