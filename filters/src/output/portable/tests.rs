use super::*;
use crate::testing::page;

#[derive(Debug)]
struct Elsewhere;

impl Addresses for Elsewhere {
    fn page(&self, url: &Url) -> String {
        format!("/read?url={url}")
    }

    fn picture(&self, url: &Url) -> Option<String> {
        (!url.path().contains("none")).then(|| format!("/picture?url={url}"))
    }

    fn form(&self, action: &Url) -> Option<(String, (String, String))> {
        Some(("/read".to_owned(), ("form".to_owned(), action.to_string())))
    }

    fn part(&self, number: usize) -> String {
        format!("/read?part={number}")
    }
}

fn parts(html: &str, dialect: Dialect, bytes: Option<usize>) -> Vec<String> {
    let page = page(html);
    let mut writer = PortableWriter::new(&page, dialect, Some(&Elsewhere));
    writer.cut_at(bytes);
    writer.body(None, None, |_| {}, |_| false);
    writer.finish()
}

fn written(html: &str, dialect: Dialect) -> String {
    parts(html, dialect, None).concat()
}

#[test]
fn blocks_stand_where_their_model_has_them() {
    for (html, plain) in [
        ("one<p>two<div>three <b>four</b></div>", "<p>one</p><p>two</p><p>three <b>four</b></p>"),
        (
            "<a href=/x><div>one</div><div>two</div></a>",
            "<p><a href=\"/read?url=https://example.org/x\">one</a></p><p><a href=\"/read?url=https://example.org/x\">two</a></p>",
        ),
        ("<ul><li>one<p>two<li><h2>three</h2></ul>", "<ul><li>one<p>two</p></li><li><p><b>three</b></p></li></ul>"),
        ("<ul>loose<li>two</ul>", "<ul><li>loose</li><li>two</li></ul>"),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        (
            "<table><tr><td>a<td><tr><th>b</table>",
            "<table border=\"1\"><tr><td>a</td><td></td></tr><tr><th>b</th></tr></table>",
        ),
        ("<pre>\na\n  b</pre>c", "<pre>a\n  b</pre><p>c</p>"),
        ("<ul></ul><p> <p><b></b>x", "<p>x</p>"),
        ("<blockquote><p>a</blockquote>", "<blockquote><p>a</p></blockquote>"),
        ("a<br>b<hr>", "<p>a<br>b</p><hr>"),
        ("<q>x</q> y <ruby>a<rt>b</rt></ruby>", "<p>\u{201c}x\u{201d} y a(b)</p>"),
        ("<a href=#n>1</a><p id=n>note", "<p><a href=\"#n\">1</a></p><p><a name=\"n\"></a>note</p>"),
    ] {
        assert_eq!(written(html, Dialect::Plain), plain, "{html}");
    }
}

#[test]
fn nothing_but_known_addresses_and_texts_comes_through() {
    for html in [
        "<script>bad</script>",
        "<style>bad</style>",
        "<svg><text>bad</text><script>bad</script></svg>",
        "<iframe src=javascript:bad></iframe>",
        "<a href=' java\nscript:bad()'>x</a>",
        "<a href='data:text/html,bad'>x</a>",
        "<p onclick=bad style=bad class=bad>x</p>",
        "<img src='data:image/svg+xml,bad'>",
        "<img src=x onerror=bad>",
        "<form action=javascript:bad><input name=bad></form>",
        "<math><mtext><script>bad</script></mtext></math>",
        "<template>bad</template>",
        "<object data=bad></object>",
        "<base href=bad>",
        "<a href=vbscript:bad>x</a>",
        "<xmp></xmp><noembed>bad</noembed>",
        "<form method=post action=/bad><input name=q></form>",
    ] {
        for dialect in [Dialect::Html, Dialect::Plain, Dialect::Xhtml] {
            let out = written(html, dialect);
            assert!(!out.contains("bad"), "{html}: {out}");
        }
    }
}

#[test]
fn texts_and_addresses_are_escaped() {
    let out = written(
        "<p>&lt;b&gt; &amp; <a href='/\"&gt;&lt;i&gt;?a=1&amp;b=2'>x</a><img src=/a alt='\"&gt;&lt;'>",
        Dialect::Xhtml,
    );
    assert!(
        out.starts_with("<p>&lt;b&gt; &amp; <a href=\"/read?url=https://example.org/%22%3E%3Ci%3E?a=1&amp;b=2\">x</a>"),
        "{out}"
    );
    assert!(out.ends_with("alt=\"&#34;&gt;&lt;\"/></p>"), "{out}");
    let out = written("<a href='http://[::1]/x?a={b}|[c]'>x</a>", Dialect::Xhtml);
    assert!(out.contains("http://[::1]/x?a=%7Bb%7D%7C%5Bc%5D\""), "{out}");
}

#[test]
fn addresses_in_books_are_uris_or_left_out() {
    for (address, uri) in [
        ("http://x.example/%zz%41%", "http://x.example/%25zz%41%25"),
        ("http://x.example/?q=%é%4", "http://x.example/?q=%25%C3%A9%254"),
        ("http://x.example/#a#b", "http://x.example/#a%23b"),
        ("http://a_b.x-y.example./", "http://a_b.x-y.example./"),
        ("tel:+1 2", "tel:+1%202"),
        ("mailto:a b@c?subject=x&body=[q]", "mailto:a%20b@c?subject=x&amp;body=%5Bq%5D"),
        ("mailto:?body=x", "mailto:?body=x"),
        ("http://a..b/", ""),
        ("http://-a.example/", ""),
        ("http://a*b.example/", ""),
        ("http://a.1b/", ""),
        ("mailto:", ""),
        ("tel:#x", ""),
    ] {
        let out = written(&format!("<a href='{address}'>x</a>"), Dialect::Xhtml).replace("/read?url=", "");
        let wanted = if uri.is_empty() { "<p>x</p>".to_owned() } else { format!("<p><a href=\"{uri}\">x</a></p>") };
        assert_eq!(out, wanted, "{address}");
    }
}

#[test]
fn forms_that_ask_are_led_along_and_pictures_may_be_words() {
    let out = written(
        "<form action=/find><input name=q value=a><select name=s><option>x</select><button>Go</button></form>",
        Dialect::Plain,
    );
    assert_eq!(
        out,
        "<form method=\"get\" action=\"/read\"><input type=\"hidden\" name=\"form\" value=\"https://example.org/find\"><p><input type=\"text\" \
         name=\"q\" value=\"a\"><select name=\"s\"><option value=\"x\">x</option></select><input type=\"submit\" value=\"Go\"></p></form>"
    );
    assert_eq!(written("<img src=/none.png alt='a cat'>", Dialect::Html), "<p>a cat</p>");
}

#[test]
fn a_long_page_is_cut_between_blocks() {
    let html = format!("<ol>{}</ol>", "<li>ten letters".repeat(10));
    let parts = parts(&html, Dialect::Plain, Some(100));
    assert!(parts.len() > 1);
    assert!(parts.iter().all(|part| part.starts_with("<ol") && part.ends_with("</ol>")), "{parts:?}");
    assert!(parts[1].starts_with("<ol start=\"6\"><li>"), "{parts:?}");
    assert_eq!(parts.concat().matches("ten letters").count(), 10);
}
