//! `gleaner extract`: its output in each format, as programs read it.

use std::{fs, path::Path};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::program::{command, gleaner};

const PAGE: &str = r#"<!doctype html><html lang="en-gb"><head><title>The clock: one hand | Velle Courier</title>
<meta property="og:site_name" content="Velle Courier"><script type="application/ld+json">{"@type":"NewsArticle",
"headline":"The clock: one hand","author":{"name":"Ann Ash"},"datePublished":"2026-11-21T08:00:00Z"}</script></head><body>
<div class=menu><a href="/">Home</a> <a href="town">Town</a> <a href="sea">Sea</a> <a href="sky">Sky</a></div>
<article><h1>The clock: one hand</h1><p>The town clock has a <b>single</b> hand. When it was built nobody needed minutes, and when
somebody did, the council found that a second hand would cost as much as <a href="bridge">a bridge</a>.</p><p>So it still points
between the numbers, and people here are punctual by quarters, which visitors take for manners. Nobody has ever
asked for more, and the sexton, who winds it on Sundays, has promised to leave it as it is for as long as he can climb the stairs.</p><figure><img src="clock.jpg"
alt="The clock"><figcaption>The tower at <i>noon</i>, seen from the harbour.</figcaption></figure></article></body></html>"#;

/// A folder with the page in it.
fn folder() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("page.html"), PAGE).unwrap();
    dir
}

fn extract(dir: &Path, arguments: &[&str]) -> String {
    let output = command(dir, &["extract"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn json_tells_all_that_is_known_of_a_page() {
    let dir = folder();
    let url = ["--url", "https://velle.example/news/clock"];
    let json = extract(dir.path(), &["page.html", "--format", "json", url[0], url[1]]);
    let page: Value = serde_json::from_str(&json).unwrap();
    for (field, expected) in [
        ("file", "page.html"),
        ("title", "The clock: one hand"),
        ("author", "Ann Ash"),
        ("date", "2026-11-21"),
        ("language", "en-GB"),
        ("site", "Velle Courier"),
    ] {
        assert_eq!(page[field], expected, "{field}");
    }
    assert_eq!(page["kind"], "article");
    let confidence = page["confidence"].as_f64().unwrap();
    assert!((0.0..=1.0).contains(&confidence), "{confidence}");
    assert!(page["text"].as_str().unwrap().contains("a single hand"));
    assert!(page["html"].as_str().unwrap().contains("<b>single</b>"));
    let markdown = page["markdown"].as_str().unwrap();
    assert!(markdown.contains("# The clock: one hand"), "{markdown}");
    assert!(markdown.contains("a **single** hand"), "{markdown}");
    let bridge = "https://velle.example/news/bridge";
    assert!(markdown.contains(&format!("[a bridge]({bridge})")), "{markdown}");
    let link = &page["links"].as_array().unwrap().last().unwrap();
    assert_eq!((&link["url"], &link["text"]), (&bridge.into(), &"a bridge".into()));
    assert_eq!(page["images"][0]["url"], "https://velle.example/news/clock.jpg");
    assert_eq!(page["images"][0]["alt"], "The clock");
    assert_eq!(page["images"][0]["caption"], "The tower at noon, seen from the harbour.");
    assert!(page["html"].as_str().unwrap().contains("<i>noon</i>"));
    assert!(markdown.contains("The tower at *noon*, seen from the harbour."), "{markdown}");
    let text = page["text"].as_str().unwrap();
    assert!(!text.contains("noon"), "a caption without its picture: {text}");
}

#[test]
fn comments_below_an_article_are_a_field_of_their_own() {
    let dir = folder();
    let comment = |who: &str, day: u8, text: &str| {
        format!(
            "<li class=comment><a class=author href=/u/{who}>{who}</a> <time datetime=\"2026-11-2{day}T10:00:00Z\">{day} days ago</time>\
             <p>{text}</p><a href=#reply>Reply</a></li>"
        )
    };
    let comments = [comment("Ben", 2, "Quarters are enough for me."), comment("Cleo", 3, "The sexton is my uncle.")];
    let section = format!("</article><div id=comments><h2>2 comments</h2><ol>{}</ol></div>", comments.concat());
    fs::write(dir.path().join("page.html"), PAGE.replace("</article>", &section)).unwrap();
    let json = |more: &[&str]| -> Value {
        let arguments = ["page.html", "--format", "json", "--url", "https://velle.example/news/clock"];
        serde_json::from_str(&extract(dir.path(), &[&arguments, more].concat())).unwrap()
    };
    let is_in = |page: &Value, field: &str| page[field].as_str().unwrap().contains("The sexton is my uncle.");
    let page = json(&[]);
    let expected = serde_json::json!([
        { "author": "Ben", "date": "2026-11-22", "text": "Quarters are enough for me." },
        { "author": "Cleo", "date": "2026-11-23", "text": "The sexton is my uncle." },
    ]);
    assert_eq!(page["comments"], expected);
    assert!(!is_in(&page, "text") && !is_in(&page, "markdown") && is_in(&page, "html"), "{page}");
    let kept = json(&["--filters", "main_block: { comments: keep }"]);
    assert!(kept["comments"] == expected && is_in(&kept, "text") && is_in(&kept, "markdown"), "{kept}");
    let dropped = json(&["--filters", "main_block: { comments: drop }"]);
    assert!(dropped["comments"] == serde_json::json!([]) && !is_in(&dropped, "html"), "{dropped}");
}

#[test]
fn markdown_of_a_page_without_an_address_keeps_its_links_as_they_are_written() {
    let dir = folder();
    let markdown = extract(dir.path(), &["page.html", "--format", "markdown"]);
    assert!(markdown.contains("[a bridge](bridge)"), "{markdown}");
    assert!(markdown.contains("![The clock](clock.jpg)"), "{markdown}");
}

#[test]
fn removed_links_of_a_page_without_an_address_are_listed_as_they_are_written() {
    let dir = folder();
    let filters = "filters: { main_block: { picture_chars: 0, min_chars: 10, min_share: 0.1 } }\n";
    fs::write(dir.path().join("c.yaml"), filters).unwrap();
    let html = extract(dir.path(), &["page.html", "--config", "c.yaml"]);
    let (_, list) = html.split_once("gleaner-links").expect("a list of removed links");
    assert!(list.contains("<a href=\"town\">Town</a>"), "{list}");
    assert!(!html.contains("file://"), "{html}");
}

#[test]
fn a_page_that_the_proxy_would_find_too_long_is_an_error_that_names_the_key() {
    let dir = folder();
    let config = dir.path().join("config.yaml");
    fs::write(&config, "rewrite: { max_html_bytes: 1024 }").unwrap();
    fs::write(dir.path().join("long.html"), PAGE.repeat(2)).unwrap();
    for command in ["extract", "blocks"] {
        let output = gleaner(dir.path(), &[command, "long.html", "--config", "config.yaml"], "");
        assert_eq!(output.status.code(), Some(65), "{output:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("long.html: the page has") && told.contains("rewrite.max_html_bytes"), "{told}");
    }
}

#[test]
fn the_configured_format_is_written_unless_another_is_asked_for() {
    let dir = folder();
    let config = dir.path().join("text.yaml");
    fs::write(&config, "filters: { output: { format: text } }").unwrap();
    let text = extract(dir.path(), &["page.html", "--config", "text.yaml"]);
    assert_eq!(text, extract(dir.path(), &["page.html", "--format", "text"]));
    let html = extract(dir.path(), &["page.html", "--config", "text.yaml", "--format", "html"]);
    assert!(html.contains("<html"), "{html}");
}
