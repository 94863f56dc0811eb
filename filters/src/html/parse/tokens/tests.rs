//! However a page is read, the tree is the one that html5ever's tokenizer alone would have built.

use super::*;
use crate::{
    html::parse::{
        PIECE, Parser, comparison,
        comparison::{NoscriptMode, by_html5ever, in_pieces, lines, lines_of},
    },
    testing::Lcg,
};

fn compare(text: &str, noscript: NoscriptMode, size: impl FnMut() -> usize) {
    if let Some([got, wanted]) = comparison::difference(text, noscript, size) {
        assert_eq!(got, wanted, "{text:?}");
    }
}

/// Pieces of pages, ordinary ones and broken ones.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "<p>", "</p>", "<div class=a>", "</div>", "<DIV Class='B' class=c>", "<a href=\"/x?a=1&b=2\">", "</a>",
    "<br/>", "<a href='/x?a=1&amp;copy=2&copy=3&copy;&copy'>", "<img src=x/y alt=\"a > b\">", "<img src=/>",
    "<input disabled>", "<table>", "<tr>", "<td>", "</table>", "<li>", "<b>", "</b>", "<i>", "</i>", "<template>",
    "</template>", "<pre>\n", "<script>", "</script>", "<script type=x>a < b && c</script>", "<script><!--", "-->",
    "<style>", "</style>", "<style>a > b { } <!-- </style>", "<title>", "</title>", "<title>a &amp; b</title>",
    "<textarea>\n", "<textarea>a &amp; b</b></textarea>", "<style>a</styl", "e>",
    "<noscript><img src=x></noscript>", "<iframe src=x></iframe>", "</textarea>", "<noscript>", "</noscript>",
    "<iframe>", "</iframe>", "<svg viewBox='0 0 1 1'>", "</svg>", "<math>", "</math>", "<path d='M0 0'/>",
    "<script/>", "<![CDATA[", "]]>", "<!-- a -- b -->", "<!---->", "<!-->", "<!doctype html>", "<?x y>", "</>",
    "</ p>", "<", ">", "/", "=", "\"", "'", "&", ";", "&amp;", "&nbsp;x", "&lt;p&gt;", "&#39;", "&#x27;",
    "&notit;", "&not", "&amp", "& ", "&=", "\0", "\r\n", "\r", "\n", "\t", " ", "x", "text ", "é", "日本語",
    "\u{feff}", "<p\n", " b=\"", " c='", " d=", " e", " f=g", "<x-y:z A=B>", "<p a=1 a=2>", "<p \"=1>", "<p =1>",
    "<p a=b`c>", "<p a==b>", "<p/ a>", "<p é=ü>", "</p x>", "</p/>", "<!-- a > b <!-- c -->", "<!--->",
    "<!-- --!>", "<!--a--!>-->", "<!--\0-->", "&#8217;", "&#x2019;", "&#128;", "&#xA;", "&#9;", "&#0;", "&#xD800;",
    "&#99999999999;", "&rsquo;", "&rsquo", "&#8217", "<p a=\"&#8217;&rsquo;&rsquox;&rsquo=\">",
    "<p a=b=c\"d'e`f<g>", "<p a\"b='c'd>", "</scripture>", "</SCRIPT>", "<script>a</b></script >", "<!--<script>",
    "<plaintex", "<select>", "<option>", "<frameset>", "<body onload=x>", "<html lang=en>", "<form>", "<button>",
    "<h1>", "</h2>", "<xmp>", "</xmp>",
];

#[test]
fn random_markup_in_random_pieces_gives_the_tokenizers_tree() {
    for seed in 0..20_000 {
        let mut random = Lcg(seed);
        let count = 1 + random.below(24);
        let text: String = (0..count).map(|_| PARTS[random.below(PARTS.len())]).collect();
        let most = [1, 3, 16, 4096][random.below(4)];
        // Where scripts run, other elements in a list of choices are refused.
        let scripting =
            seed % 2 == 0 && !["<select", "<svg", "<math"].iter().any(|tag| text.to_ascii_lowercase().contains(tag));
        let modes =
            if scripting { &[NoscriptMode::Text][..] } else { &[NoscriptMode::Element, NoscriptMode::Confined] };
        for mode in modes {
            compare(&text, *mode, || 1 + random.below(most));
        }
    }
}

#[test]
fn markup_that_is_read_in_two_ways_is_refused_where_scripts_run() {
    let outcome = |text: &str, scripting: bool| {
        let mut parser = Parser::new(scripting, usize::MAX, usize::MAX);
        parser.feed(text).and_then(|()| parser.finish()).err()
    };
    let choices = "<select><optgroup><option>a<hr><option>b</optgroup></select><style>p{}</style><select><script></script></select>";
    assert_eq!(outcome(choices, true), None);
    for other in [
        "<select><style></select><img>",
        "<select><option><b>x</select>",
        "<select></div>",
        "<table><select><tr>",
        "<form><math><mtext></form><form>",
    ] {
        assert_eq!(outcome(other, true), Some(PageError::Ambiguous), "{other}");
        assert_eq!(outcome(other, false), None, "{other}");
    }
}

#[test]
fn a_long_tag_waits_for_its_end() {
    let long = format!("<p>x<div a='{}' b>text<p>", "&quot;a > b, ".repeat(20_000));
    for size in [4096, 10_007, 300_000] {
        compare(&long, NoscriptMode::Confined, || size);
        compare(&long[..long.len() - 12], NoscriptMode::Confined, || size);
    }
    let mut parser = Parser::new(false, usize::MAX, usize::MAX);
    for piece in long.as_bytes()[..200_000].chunks(PIECE) {
        parser.feed(std::str::from_utf8(piece).unwrap()).unwrap();
    }
    assert_eq!(parser.tokens.unfinished.len(), 200_000 - "<p>x".len());
}

#[test]
fn what_stands_behind_a_long_tag_is_read_at_the_latest_at_the_end() {
    let long = format!("<div a='{}'>", "a > b, ".repeat(20_000));
    let page = format!("{long}text<p>more<div b='{}", "c > d, ".repeat(2_000));
    compare(&page, NoscriptMode::Confined, || PIECE);
}

#[test]
fn saved_pages_give_the_tokenizers_tree() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pages");
    let mut pages = 0;
    for case in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(case.unwrap().path().join("source.html")).unwrap();
        pages += 1;
        compare(&text, NoscriptMode::Confined, || PIECE);
        compare(&text.replace('\n', "\r\n"), NoscriptMode::Text, || 100);
        compare(&text, NoscriptMode::Element, || 1000);
    }
    assert!(pages > 10, "{pages} pages");
}

#[test]
fn names_of_attributes_in_drawings_are_those_of_drawings() {
    compare(
        "<svg><section viewbox=1 xlink:href=x><p viewbox=2></svg><section viewbox=3>",
        NoscriptMode::Confined,
        || PIECE,
    );
}

#[test]
fn attributes_of_a_tag_that_is_ignored_are_nobodys() {
    for text in [
        "<select><p a=1></select></p><tr b=1><table><tr>",
        "<p a=1><frameset><img b=2><p c=3>",
        // The second row is the tokenizer's to read.
        "<!doctype html><p><tr b=1><table><tr c=2 d='&notit;'>",
    ] {
        compare(text, NoscriptMode::Confined, || PIECE);
    }
}

#[test]
fn text_of_elements_with_rules_of_their_own_ends_where_it_ends_however_it_arrives() {
    let text = "<title>a &amp; b</title><style>a</b > c</STYLE><script>a<!b; c<!--d</script>--></script><textarea>\n\
                e</textarea ><iframe>f</iframe><noscript><p>g</noscript><xmp>h</xm";
    for noscript in [NoscriptMode::Text, NoscriptMode::Element, NoscriptMode::Confined] {
        for size in 1..text.len() {
            compare(text, noscript, || size);
            let cut = &text[..size];
            compare(cut, noscript, || PIECE);
        }
    }
}

#[test]
fn ordinary_markup_is_read_without_the_tokenizer() {
    let text = "<!doctype html><p class='a b' id=c hidden>Text, and <a href=\"/x?a=1&amp;b=2\">a link</a>.</p>\
                <!-- a comment -->&ldquo;x&#8221;<script>if (a) { c() }</script><ul><li>One<li>Two</ul><img src=x.png alt=\"\"/>";
    let mut parser = Parser::new(false, 512, 100);
    parser.feed("<!doctype html>").unwrap();
    let mut names = NameCache::new();
    let tendril = StrTendril::from_slice(text);
    let mut at = "<!doctype html>".len();
    let mut left = Vec::new();
    while at < text.len() {
        if let Ok(read) = short_cut::token(&tendril, at, &mut names, &mut Vec::new()) {
            at = read.end;
        } else {
            left.push(&text[at..at + 3]);
            at += 1;
        }
    }
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn the_text_of_programs_is_forgotten_on_request_and_nothing_else() {
    let text = "<!doctype html><script>a < b; one('<b>')</script><script type=' Application/LD+JSON'>{\"<b>\":5}</script>\
                <script type='math/tex; mode=display'>x<y</script><script>one(6)</script>\
                <p>two<style>three</style><textarea>four";
    let mut parser = Parser::new(false, 512, 100).without_script_text();
    parser.feed(text).unwrap();
    let got = lines_of(&parser.finish().unwrap());
    let wanted: String = lines(&by_html5ever(text, false), None)
        .lines()
        .filter(|line| !line.contains("one("))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(got, wanted);
}

#[test]
fn what_is_not_ended_in_noscript_ends_with_it() {
    for inside in [
        "<iframe src=x />",
        "<iframe>Your browser has <b>no</b> frames",
        "<textarea>a &amp; b</div>",
        "<style>a{}",
        "<xmp>",
        "<script>f('</b>')",
        "<script><!-- f()",
        "<!-- a comment > and <p>",
        "<div><table><tr><td><svg><g>",
        "</div></p></noscripts></b>",
        "<noscript><i>",
        "<title>a",
        "<iframe></IFRAME ><iframe>",
    ] {
        for size in [1, 2, 3, 7, PIECE] {
            let text = format!("<!doctype html><body><div id=a><noscript>{inside}</NOSCRIPT ><p id=p>text</div>")
                .replace("NOSCRIPT ", if size == 2 { "noscript\n" } else { "noscript" });
            let tree = lines_of(&in_pieces(&text, NoscriptMode::Confined, || size).unwrap());
            // Document, html, body, div, p.
            let found = tree.lines().any(|line| line.starts_with("4 ") && line.ends_with("\"p\""));
            assert!(found, "{inside} in pieces of {size}:\n{tree}");
        }
    }
}
