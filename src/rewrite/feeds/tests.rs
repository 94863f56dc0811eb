use super::*;

fn feed(text: &str) -> Feed {
    Feed::parse(text.as_bytes(), &HeaderMap::new(), &"http://a.example/feed".parse().unwrap()).expect("a feed")
}

fn filled(text: &str) -> String {
    let feed = feed(text);
    let texts = vec![Some(Arc::from("<p>a &amp; ]]> b</p>")); feed.items.len()];
    feed.with_texts(&texts)
}

#[test]
fn the_text_alone_is_put_into_an_item() {
    let rss = "<?xml version='1.0' encoding='iso-8859-1'?>\n<?xml-stylesheet href='x.xsl'?><rss version=\"2.0\"><channel>\
        <link>/</link><item><guid isPermaLink='false'>7</guid><link>/one?a&amp;b</link><description>s</description><x:y/></item></channel></rss>";
    assert_eq!(
        filled(rss),
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\n<rss version=\"2.0\"><channel>\
        <link>/</link><item><guid isPermaLink='false'>7</guid><link>/one?a&amp;b</link><description>s</description><x:y/>\
        <content:encoded xmlns:content=\"http://purl.org/rss/1.0/modules/content/\"><![CDATA[<p>a &amp; ]]]]><![CDATA[> b</p>]]></content:encoded>\
        </item></channel></rss>"
    );
    assert_eq!(feed(rss).items[0].page.as_ref().unwrap().as_str(), "http://a.example/one?a&b");
    let atom = "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:link rel='self' href='/x'/><a:link href='/y'/><a:content type='text'>short</a:content><a:id>i</a:id></a:entry></a:feed>";
    assert!(filled(atom).contains(
        "<a:link href='/y'/><a:content type=\"html\">&lt;p&gt;a &amp;amp; ]]&gt; b&lt;/p&gt;</a:content><a:id>i</a:id></a:entry>"
    ));
    assert_eq!(feed(atom).items[0].page.as_ref().unwrap().path(), "/y");
    let styled =
        "<rss><channel><item><content:encoded><?xml-stylesheet href='x'?>old</content:encoded></item></channel></rss>";
    assert!(filled(styled).ends_with("b</p>]]></content:encoded></item></channel></rss>"), "{}", filled(styled));
    let json =
        r#"{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"7","url":"/j","summary":"s","_own":[1]}]}"#;
    let json: serde_json::Value = serde_json::from_str(&filled(json)).unwrap();
    assert_eq!(json["items"][0]["content_html"], "<p>a &amp; ]]> b</p>");
    assert_eq!((&json["items"][0]["id"], &json["items"][0]["_own"][0]), (&"7".into(), &1.into()));
}

#[test]
fn an_item_with_its_whole_text_is_told_from_one_with_a_summary() {
    let long = "word ".repeat(100);
    for (summary, text, is_whole) in [
        ("", "", false),
        ("short", "", false),
        ("", &*long, true),
        ("short", &*format!("{long} […]"), false),
        ("short", &*format!("{long}<a href=x>Continue reading →</a>"), false),
        ("short", &*format!("{long} [&#8230;]<p>The post <a>One</a> appeared first on <a>A</a>.</p>"), false),
        (&*long, "", false),
        (&*long.repeat(6), "", true),
        (&*format!("{}...", long.repeat(6)), "", false),
    ] {
        assert_eq!(FeedItem::new(None, summary, text).is_whole, is_whole, "{summary} / {text}");
    }
    assert_eq!(seen_chars("<p title='x'>a  b</p>"), 2);
}

#[test]
fn what_is_no_feed_is_none_and_broken_ones_count_to_where_they_break() {
    let base = "http://a.example/".parse().unwrap();
    for text in
        ["", "<html><body>x</body></html>", "{}", "{\"version\":\"https://jsonfeed.org/version/1\"}", "text", "<opml/>"]
    {
        assert!(Feed::parse(text.as_bytes(), &HeaderMap::new(), &base).is_none(), "{text}");
    }
    let broken =
        "<rss><channel><item><link>/a</link><description>x & y <br></description></item><item><link>/b</link><";
    let feed = feed(broken);
    assert_eq!(feed.items.len(), 1);
    assert!(feed.with_texts(&[Some("t".into())]).ends_with("</content:encoded></item><item><link>/b</link><"));
}

#[test]
fn a_chapter_is_an_items_text_without_its_headline() {
    let chapter =
        "<?xml version=\"1.0\"?><html><head><title>T</title></head><body>\n<h1>T</h1><p>text</p>\n</body></html>\n";
    assert_eq!(fragment(chapter), "<p>text</p>");
    assert_eq!(fragment("<p>text</p>"), "<p>text</p>");
}
