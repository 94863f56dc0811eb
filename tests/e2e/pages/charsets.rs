//! The characters of a page, however it says what they are: the same text arrives, labelled as what it is.
//!
//! Order: byte order mark, header, the page's own declaration, a guess (WHATWG HTML § 13.2.3.2).

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::harness::{Origin, TestProxy, get, origin::response};

const JAPANESE: &str = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
const CHINESE: &str = "我们每天都在学习新的知识，这个城市的人都喜欢读书。";
const TAIWANESE: &str = "我們每天都在學習新的知識，這個城市的人都喜歡讀書。";
const KOREAN: &str = "모든 국민은 법 앞에 평등하다. 누구든지 차별을 받지 아니한다.";
const RUSSIAN: &str = "Съешь же ещё этих мягких французских булок, да выпей чаю.";
const GREEK: &str = "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία με μεγάλη προσοχή.";
const GERMAN: &str = "Die größten Äpfel müssen über die Straße getragen werden.";
const POLISH: &str = "Zażółć gęślą jaźń, powiedział łagodnie ślusarz z Łodzi.";
const TURKISH: &str = "Pijamalı hasta yağız şoföre çabucak güvendi ve ağladı.";

/// Label, text.
const ENCODINGS: [(&str, &str); 18] = [
    ("utf-8", JAPANESE),
    ("shift_jis", JAPANESE),
    ("euc-jp", JAPANESE),
    ("iso-2022-jp", JAPANESE),
    ("gb18030", CHINESE),
    ("gbk", CHINESE),
    ("gb2312", CHINESE),
    ("big5", TAIWANESE),
    ("euc-kr", KOREAN),
    ("ks_c_5601-1987", KOREAN),
    ("koi8-r", RUSSIAN),
    ("windows-1251", RUSSIAN),
    ("iso-8859-5", RUSSIAN),
    ("windows-1253", GREEK),
    ("windows-1252", GERMAN),
    ("iso-8859-1", GERMAN),
    ("windows-1250", POLISH),
    ("windows-1254", TURKISH),
];

fn page(meta: &str, text: &str) -> String {
    let text = text.repeat(6);
    format!("<!DOCTYPE html><html><head>{meta}<title>x</title></head><body><p>{text}</p></body></html>")
}

fn encode(label: &str, text: &str) -> Vec<u8> {
    let encoding = Encoding::for_label(label.as_bytes()).unwrap();
    if [UTF_16LE, UTF_16BE].contains(&encoding) {
        let big = encoding == UTF_16BE;
        let unit = |unit: u16| {
            if big { unit.to_be_bytes() } else { unit.to_le_bytes() }
        };
        return text.encode_utf16().flat_map(unit).collect();
    }
    let (bytes, _, lost) = encoding.encode(text);
    assert!(!lost, "{label} cannot write {text}");
    bytes.into_owned()
}

/// A page as it is sent: its content type, its bytes, and the text that a reader must see.
struct Case {
    name: String,
    content_type: String,
    body: Vec<u8>,
    text: String,
}

impl Case {
    fn new(name: impl Into<String>, content_type: impl Into<String>, body: Vec<u8>, text: &str) -> Case {
        Case { name: name.into(), content_type: content_type.into(), body, text: text.to_owned() }
    }
}

async fn all_arrive(cases: Vec<Case>) {
    assert!(!cases.is_empty());
    let proxy = TestProxy::start("").await;
    let bodies: Vec<(String, Bytes)> =
        cases.iter().map(|case| (case.content_type.clone(), case.body.clone().into())).collect();
    let origin = Origin::http(move |request| {
        let at: usize = request.uri.path()[1..].parse().unwrap();
        response(&[("content-type", &bodies[at].0)], bodies[at].1.clone())
    })
    .await;
    for (at, case) in cases.iter().enumerate() {
        let answer = get(&proxy, &origin.url(&format!("/{at}")), &[]).await;
        let name = &case.name;
        assert!(answer.header("gleaner").starts_with("rewritten"), "{name}: {}", answer.header("gleaner"));
        assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{name}");
        let got = std::str::from_utf8(&answer.body).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(got.contains(&case.text), "{name}: {got}");
        assert!(got.contains("<meta charset=\"utf-8\">"), "{name}");
    }
}

#[tokio::test]
async fn the_header_says_it() {
    let cases = ENCODINGS.iter().map(|(label, text)| {
        let content_type = format!("text/html; charset={label}");
        Case::new(*label, content_type, encode(label, &page("", text)), text)
    });
    all_arrive(cases.collect()).await;
}

/// Templates and saved files keep old declarations.
#[tokio::test]
async fn what_is_utf_8_is_read_as_that_whatever_is_declared() {
    let cases = ENCODINGS.iter().filter(|(label, _)| *label != "utf-8").flat_map(|(label, text)| {
        let by_page = page(&format!("<meta charset={label}>"), text).into_bytes();
        let by_header = format!("text/html; charset={label}");
        [
            Case::new(format!("{label} in the page"), "text/html", by_page, text),
            Case::new(format!("{label} in the header"), by_header, page("", text).into_bytes(), text),
        ]
    });
    all_arrive(cases.collect()).await;
}

#[tokio::test]
async fn the_page_says_it() {
    let cases = ENCODINGS.iter().flat_map(|(label, text)| {
        let metas = [
            format!("<meta charset={label}>"),
            format!("<meta http-equiv=content-type content='text/html; charset={label}'>"),
        ];
        metas.map(|meta| Case::new(meta.clone(), "text/html", encode(label, &page(&meta, text)), text))
    });
    all_arrive(cases.collect()).await;
}

/// ISO-2022-JP is never guessed: it hides ASCII, and browsers do not guess it either on the web. The others
/// are told apart by their letters.
#[tokio::test]
async fn nobody_says_it_and_the_letters_tell() {
    let guessed = ENCODINGS.iter().filter(|(label, _)| !["iso-2022-jp", "windows-1254", "iso-8859-5"].contains(label));
    let cases = guessed.map(|(label, text)| Case::new(*label, "text/html", encode(label, &page("", text)), text));
    all_arrive(cases.collect()).await;
}

#[tokio::test]
async fn a_byte_order_mark_wins_over_every_label() {
    let mut cases = Vec::new();
    for label in ["utf-8", "utf-16le", "utf-16be"] {
        for content_type in ["text/html", "text/html; charset=koi8-r", "text/html; charset=nonsense"] {
            let text = format!("\u{feff}{}", page("<meta charset=shift_jis>", JAPANESE));
            let name = format!("{label} as {content_type}");
            cases.push(Case::new(name, content_type, encode(label, &text), JAPANESE));
        }
    }
    all_arrive(cases).await;
}

#[tokio::test]
async fn the_header_wins_over_the_page_and_odd_spellings_are_read() {
    let mut cases = Vec::new();
    let russian = |meta| encode("koi8-r", &page(meta, RUSSIAN));
    for charset in
        ["koi8-r", "KOI8-R", "\"koi8-r\"", "'koi8-r'", " koi8-r ", "koi8-r; koi8-r", "koi8-r;charset=utf-8", "koi"]
    {
        let content_type = format!("text/html; charset={charset}");
        cases.push(Case::new(content_type.clone(), content_type, russian("<meta charset=utf-8>"), RUSSIAN));
    }
    for content_type in
        ["text/html; charset=UTF-8; utf-8", "text/html;charset=utf8", "TEXT/HTML;version=1;CHARSET=\"Utf-8\""]
    {
        let body = page("<meta charset=koi8-r>", JAPANESE).into_bytes();
        cases.push(Case::new(content_type, content_type, body, JAPANESE));
    }
    // UTF-16 with a label and without a mark.
    for label in ["utf-16le", "utf-16be"] {
        let content_type = format!("text/html; charset={label}");
        cases.push(Case::new(label, content_type, encode(label, &page("", JAPANESE)), JAPANESE));
    }
    // A page that can be read as ASCII is not UTF-16, whatever it says.
    let body = page("<meta charset=utf-16>", JAPANESE).into_bytes();
    cases.push(Case::new("meta utf-16", "text/html", body, JAPANESE));
    all_arrive(cases).await;
}

/// A label that lies gives wrong letters in a browser, too; what must hold is that the answer is whole and is what it says.
#[tokio::test]
async fn bytes_that_mean_nothing_become_the_replacement_character() {
    let broken = |bytes: &[u8]| {
        let mut body = page("", "before ").into_bytes();
        body.extend(bytes);
        body.extend(b"<p>and after");
        body
    };
    let cases = vec![
        Case::new("utf-8", "text/html; charset=utf-8", broken(b"\xff\xfe\xc3"), "\u{fffd}"),
        Case::new("surrogate", "text/html; charset=utf-8", broken(b"\xed\xa0\x80"), "\u{fffd}"),
        Case::new("shift_jis", "text/html; charset=shift_jis", broken(b"\x81"), "\u{fffd}"),
        Case::new("big5", "text/html; charset=big5", broken(b"\xff\xff"), "\u{fffd}"),
        Case::new("after", "text/html; charset=utf-8", broken(b"\xff"), "and after"),
        Case::new("lying", "text/html; charset=utf-8", encode("koi8-r", &page("", RUSSIAN)), "\u{fffd}"),
        Case::new("fallback", "text/html; charset=nonsense", encode("windows-1252", &page("", GERMAN)), GERMAN),
    ];
    all_arrive(cases).await;
}

/// A page that declares nothing is read as UTF-8 for as long as it is, piece by piece; one that turns out to be something else is read
/// anew, and comes out as if all of it had been looked at first.
#[tokio::test]
async fn a_page_that_declares_nothing_is_what_all_of_it_is() {
    let late = |label: &str, before: &str| {
        let mut body = page("", before).into_bytes();
        body.extend(encode(label, &format!("<p>{RUSSIAN}").repeat(40)));
        body
    };
    let mut cut = page("", JAPANESE).into_bytes();
    cut.truncate(cut.len() - "</p></body></html>".len() - 1);
    let plain = "Plain words go on and on. ".repeat(1000);
    let cases = vec![
        Case::new("utf-8", "text/html", page("", JAPANESE).into(), JAPANESE),
        Case::new("cut in a character", "text/html", cut, "どこで生れたかとんと見当がつか"),
        Case::new("late", "text/html", late("windows-1251", &plain), RUSSIAN),
        // The first letters are a character of UTF-8 by chance.
        Case::new("late, by chance UTF-8", "text/html", late("windows-1251", &format!("é {plain}")), "Г© Plain"),
    ];
    all_arrive(cases).await;
}

/// Labels that stand for an attack (WHATWG Encoding § 4.2, "replacement").
#[tokio::test]
async fn a_charset_that_is_an_attack_passes() {
    let origin =
        Origin::http(|_| response(&[("content-type", "text/html; charset=hz-gb-2312")], page("", "words"))).await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(answer.header("gleaner"), "passed; reason=charset");
    assert_eq!(answer.header("content-type"), "text/html; charset=hz-gb-2312");
    assert_eq!(answer.text(), page("", "words"));
}
