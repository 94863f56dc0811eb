//! HTML 3.2 for old browsers, in an encoding that they know.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use http::Request;
use url::form_urlencoded::byte_serialize;

use crate::harness::{
    Origin, TestProxy,
    client::send,
    get, optional,
    origin::{html, response},
};

const TARGETS: &str = "read: { targets: ['127.0.0.1:1-65535'] }";

const TEXT: &str = "The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice.";

/// Letters of a user agent, and the encoding in which its page comes.
#[tokio::test]
async fn an_old_browser_gets_html_3_2_in_its_encoding() {
    let page = format!(
        "<!doctype html><meta charset=utf-8><title>Größe</title><h1>Größe – Москва</h1><p>{TEXT}</p><p>{TEXT} ‹naïve›</p><p>{TEXT}</p>"
    );
    let site = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start(TARGETS).await;
    let address: String = byte_serialize(site.url("/").as_bytes()).collect();
    for url in [site.url("/"), format!("{}/read?url={address}", proxy.url())] {
        let answer = get(&proxy, &url, &[("user-agent", "Mozilla/3.01 (Macintosh; I; 68K)")]).await;
        assert_eq!(answer.header("content-type"), "text/html; charset=windows-1252", "{url}");
        let text = encoding_rs::WINDOWS_1252.decode(&answer.body).0;
        assert!(text.starts_with("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\">"), "{text}");
        assert!(text.contains("Größe – Moskva") && !text.contains("<style") && !text.contains("HTML?"), "{text}");
        if let Some(onsgmls) = optional::program("onsgmls", "opensp") {
            valid(&onsgmls, &text);
        }
    }
    proxy.stop().await;
}

/// Validates HTML 3.2 with the DTD of the W3C.
fn valid(onsgmls: &Path, page: &str) {
    let folder = Path::new("/usr/share/xml/w3c-sgml-lib/schema/dtd/REC-html32-19970114");
    if !folder.exists() {
        optional::skip("no DTD of HTML 3.2: apt install w3c-sgml-lib");
        return;
    }
    // None of its named characters are used.
    let dir = tempfile::tempdir().unwrap();
    let (catalog, none) = (dir.path().join("catalog"), dir.path().join("none"));
    fs::write(&none, "").unwrap();
    let entries = format!(
        "PUBLIC \"-//W3C//DTD HTML 3.2 Final//EN\" \"{}/HTML32.dtd\"\nPUBLIC \"ISO 8879-1986//ENTITIES Added Latin 1//EN//HTML\" \"{}\"\n",
        folder.display(),
        none.display()
    );
    fs::write(&catalog, entries).unwrap();
    let mut checker = Command::new(onsgmls)
        .args(["-s", "-E0", "-c"])
        .envs([("SP_CHARSET_FIXED", "YES"), ("SP_ENCODING", "UTF-8")])
        .arg(&catalog)
        .arg("-")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    checker.stdin.take().unwrap().write_all(page.as_bytes()).unwrap();
    let output = checker.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{}", String::from_utf8_lossy(&output.stderr), page);
}

/// The field of a form that names its encoding.
const FIELD: &str = "gleaner-encoding=windows-1252";

/// Queries and fields as a browser sends them from a page in windows-1252, and as the site of a page in UTF-8 gets them.
#[tokio::test]
async fn what_is_typed_into_a_form_in_an_old_encoding_reaches_the_site_in_its_own() {
    let page = |charset: &str| {
        let text = TEXT.replace("council", "council (Größe)");
        let form = "<form action=/find><input name=q><input type=submit value=Find></form>";
        let page = format!(
            "<!doctype html><meta charset={charset}><title>Clock</title><h1>Clock</h1><p>{text}<p>{text}<p>{TEXT}{form}<p>{TEXT}"
        );
        encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap().encode(&page).0.into_owned()
    };
    let site = Origin::http(move |seen| match seen.uri.path() {
        "/" => response(&[("content-type", "text/html")], page("utf-8")),
        "/old" => response(&[("content-type", "text/html")], page("iso-8859-1")),
        _ => response(&[("content-type", "text/plain")], "found"),
    })
    .await;
    let proxy = TestProxy::start("").await;
    let agent = ("user-agent", "Mozilla/3.01 (Macintosh; I; 68K)");
    for (path, is_marked) in [("/", true), ("/old", false)] {
        let page = get(&proxy, &site.url(path), &[agent]).await;
        let page = encoding_rs::WINDOWS_1252.decode(&page.body).0.into_owned();
        let field = page.contains("<input type=hidden name=gleaner-encoding value=windows-1252></form>");
        assert!(page.contains("<form") && field == is_marked, "{page}");
    }
    let sent = async |fields: &str, agent: &str| {
        let request = Request::post(site.url(&format!("/find?{fields}")))
            .header("user-agent", agent)
            .header("content-type", "application/x-www-form-urlencoded")
            .header("content-length", fields.len());
        let answer = send(&proxy, request.body(fields.to_owned().into()).unwrap()).await;
        assert_eq!(answer.text(), "found");
        let last = site.last();
        assert_eq!(last.headers["content-length"], last.body.len().to_string());
        let (query, body) = (last.uri.query().unwrap_or_default(), str::from_utf8(&last.body).unwrap());
        assert_eq!(query, body);
        body.to_owned()
    };
    for (typed, wanted) in [
        (format!("q=Gr%F6%DFe+%96&n=a%20b~*&{FIELD}"), "q=Gr%C3%B6%C3%9Fe+%E2%80%93&n=a%20b~*"),
        (format!("{FIELD}&q=a%20b&m=%C3%B6"), "q=a%20b&m=%C3%B6"),
        // A link of the page itself, or a token: its bytes are the site's.
        ("q=%FF%FE&sig=a%20b".to_owned(), "q=%FF%FE&sig=a%20b"),
        (format!("q=%FF&{FIELD}x=1"), "q=%FF&gleaner-encoding=windows-1252x=1"),
    ] {
        assert_eq!(sent(&typed, agent.1).await, wanted, "{typed}");
    }
    let by_another = format!("q=%F6&{FIELD}");
    assert_eq!(sent(&by_another, "curl/8.0").await, by_another);
}
