//! Output formats for programs: Markdown, JSON, EPUB.

use std::{fs, path::Path, process::Command};

use http::Request;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;
use url::form_urlencoded::byte_serialize;

use crate::harness::{
    Origin, TestProxy,
    client::{Answer, free_port, run, send},
    get, optional,
    origin::{html, response},
    program::gleaner,
    raw,
};

const TARGETS: &str = "read: { targets: ['127.0.0.1:1-65535'] }";

const TEXT: &str = "The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice.";

const AGENT: (&str, &str) = ("accept", "text/markdown, text/html;q=0.9, */*;q=0.8");

/// Links that browsers follow, though their addresses are none by RFC 3986.
const NO_URIS: &str = "Ask <a href='http://x.example/%zz%'>them</a>, <a href='tel:+1 2'>by telephone</a>, \
<a href='mailto:a b@c.example?subject=x&amp;body=[q]'>by letter</a>, <a href='http://x.example/#a#b'>there</a> or <a href='http://a..b/'>nowhere</a>.";

fn article() -> String {
    format!(
        "<!doctype html><html lang=en><head><title>The clock</title><meta name=author content='Ann Lee'>\
         <style>.gone{{position:absolute;left:-9999px}} .w{{color:#fff}}</style></head><body><nav><a href=/>Home</a></nav><article><h1>The clock</h1>\
         <p>{TEXT}</p><p style='display:none'>HIDDEN one</p><p class=gone>HIDDEN two</p><p class=w>HIDDEN three</p><div hidden><p>HIDDEN four {TEXT} {TEXT}</p></div>\
         <p>{TEXT} See <a href=/hand>the hand</a>. {NO_URIS}</p><img src=/clock.png alt='the clock' width=300 height=200><p>{TEXT}</p></article></body></html>"
    )
}

async fn site() -> Origin {
    Origin::http(|seen| match seen.uri.path() {
        "/moved" => {
            let mut answer = response(&[("location", "/new/")], "");
            *answer.status_mut() = http::StatusCode::FOUND;
            answer
        }
        "/directory" => html(DIRECTORY.to_owned()),
        "/own" => response(&[("content-type", "text/markdown")], "# Its own"),
        "/clock.png" => response(&[("content-type", "image/png")], PNG),
        "/none.png" => response(&[("content-type", "text/html")], "no picture"),
        _ => html(article()),
    })
    .await
}

/// Two columns of links, of which the second may be main content or not.
const DIRECTORY: &str = include_str!(
    "../../../filters/tests/pages/main_block_keeps_the_links_of_a_directory_in_a_layout_table/source.html"
);

/// A picture of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\xf8\xff\xff?\0\x05\xfe\x02\xfe\xa75\x81\x84\0\0\0\0IEND\xaeB`\x82";

async fn read(proxy: &TestProxy, page: &str, more: &str) -> Answer {
    let page: String = byte_serialize(page.as_bytes()).collect();
    get(proxy, &format!("{}/read?url={page}{more}", proxy.url()), &[]).await
}

#[tokio::test]
async fn a_program_that_prefers_markdown_gets_what_can_be_seen_of_a_page() {
    let site = site().await;
    let proxy = TestProxy::start("").await;
    let answer = get(&proxy, &site.url("/"), &[AGENT]).await;
    assert_eq!(answer.header("content-type"), "text/markdown; charset=utf-8");
    assert!(answer.header("gleaner").starts_with("rewritten"), "{}", answer.header("gleaner"));
    assert!(answer.headers.get_all("vary").iter().any(|value| value.to_str().unwrap().contains("Accept")));
    let text = answer.text();
    assert!(text.starts_with("---\ntitle: \"The clock\"\nauthor: \"Ann Lee\"\n"), "{text}");
    assert!(text.contains("single hand") && text.contains("[the hand](") && !text.contains("Home"), "{text}");
    assert!(!text.contains("HIDDEN"), "{text}");
    // A browser's page is another one, with a tag of its own.
    let page = get(&proxy, &site.url("/"), &[("accept", "text/html")]).await;
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    // What the site itself has passes, and so does what is left alone.
    assert_eq!(get(&proxy, &site.url("/own"), &[AGENT]).await.text(), "# Its own");
    // A program that accepts everything is known by its name.
    let name =
        ("user-agent", "ModelContextProtocol/1.0 (Autonomous; +https://github.com/modelcontextprotocol/servers)");
    for (accept, kind) in [("*/*", "text/markdown"), ("text/html", "text/html")] {
        let answer = get(&proxy, &site.url("/"), &[name, ("accept", accept)]).await;
        assert_eq!(answer.header("content-type"), format!("{kind}; charset=utf-8"));
    }
    proxy.stop().await;
    for (yaml, begins) in [
        ("agents: { markdown: false }", "<!doctype"),
        ("rewrite: { enabled: false }", "<!doctype"),
        ("agents: { front_matter: false }", "# The clock"),
    ] {
        let proxy = TestProxy::start(yaml).await;
        let answer = get(&proxy, &site.url("/"), &[AGENT]).await;
        assert!(answer.text().starts_with(begins), "{yaml}: {}", answer.text());
        proxy.stop().await;
    }
}

#[tokio::test]
async fn a_program_gets_what_is_in_doubt() {
    const DOUBTFUL: &str = "The Covered Bridge List";
    let site = site().await;
    let page = site.url("/directory");
    for (yaml, is_there) in [("", true), ("\nagents: { favor: balanced }", false)] {
        let proxy = TestProxy::start(&format!("{TARGETS}{yaml}")).await;
        let in_proxy = get(&proxy, &page, &[AGENT]).await;
        assert_eq!(in_proxy.text().contains(DOUBTFUL), is_there, "{}", in_proxy.text());
        for form in ["text", "markdown", "json"] {
            let answer = read(&proxy, &page, &format!("&as={form}")).await;
            assert_eq!(answer.text().contains(DOUBTFUL), is_there, "{form}: {}", answer.text());
        }
        proxy.stop().await;
    }
}

#[tokio::test]
async fn the_readers_address_answers_in_the_form_that_is_asked_for() {
    let site = site().await;
    let proxy = TestProxy::start(TARGETS).await;
    for (form, kind) in [
        ("text", "text/plain; charset=utf-8"),
        ("markdown", "text/markdown; charset=utf-8"),
        ("json", "application/json"),
    ] {
        let answer = read(&proxy, &site.url("/"), &format!("&as={form}")).await;
        assert_eq!(answer.header("content-type"), kind);
        assert!(answer.text().contains("single hand") && !answer.text().contains("HIDDEN"), "{}", answer.text());
    }
    let record: Value = serde_json::from_slice(&read(&proxy, &site.url("/"), "&as=json").await.body).unwrap();
    assert_eq!(record["author"], "Ann Lee");
    assert_eq!(record["links"][0]["text"], "the hand");
    assert!(record["confidence"].is_number() && record["images"].is_array(), "{record}");
    // In parts, which are all of it.
    let whole = read(&proxy, &site.url("/"), "&as=text").await.text().to_owned();
    let (mut all, mut next) = (String::new(), Some("&as=text&max_chars=500".to_owned()));
    while let Some(more) = next {
        let part = read(&proxy, &site.url("/"), &more).await.text().to_owned();
        next = part.split_once("\nNext part: ").map(|(text, address)| {
            all.push_str(text);
            format!("&{}", address.trim().split_once('&').unwrap().1)
        });
        if next.is_none() {
            all.push_str(&part);
        }
    }
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&all), words(&whole));
    let bare = read(&proxy, &site.url("/"), "&as=markdown&links=none&images=none").await;
    assert!(bare.text().contains("the hand") && !bare.text().contains("]("), "{}", bare.text());
    let listed = read(&proxy, &site.url("/"), "&as=markdown&links=list").await;
    assert!(
        listed.text().contains("## Links") && listed.text().contains(&format!("- the hand <{}>", site.url("/hand"))),
        "{}",
        listed.text()
    );
    proxy.stop().await;
}

#[tokio::test]
async fn the_parts_of_a_record_are_parts_of_its_markdown() {
    let linked = (0..60).map(|at| format!("<p>{TEXT} See <a href='/page/{at}'>page {at}</a>.</p>"));
    let linked = linked.collect::<Vec<_>>().concat();
    let page = format!("<!doctype html><title>Long</title><main><h1>Long</h1>{linked}</main>");
    let site = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start(TARGETS).await;
    let record = async |more: &str| -> Value {
        let answer = read(&proxy, &site.url("/"), &format!("&as=json{more}")).await;
        serde_json::from_slice(&answer.body).unwrap()
    };
    let whole = record("").await;
    let (text, markdown) = (whole["text"].as_str().unwrap(), whole["markdown"].as_str().unwrap());
    assert!(text.contains("page 59.") && markdown.contains("[page 59]("), "{markdown}");
    let (mut joined, mut parts, mut next) = (String::new(), 0, Some("&max_chars=2000".to_owned()));
    while let Some(more) = next {
        let part = record(&more).await;
        assert!(part.get("text").is_none() && part["links"].as_array().unwrap().len() == 60, "{part}");
        joined.push_str(part["markdown"].as_str().unwrap());
        next = part["next"].as_str().map(|address| address[address.find("&max_chars").unwrap()..].to_owned());
        parts += 1;
    }
    assert!(joined == markdown && parts > 5, "{parts} parts: {joined}");
    proxy.stop().await;
}

/// Numbers of characters that are none, and what is said of them.
const NO_NUMBERS: [(&str, &str, &str); 4] = [
    ("start", "\"zzz\"", "start is \"zzz\"; expected a whole number from 0 to "),
    ("start", "999999999999999999999", "expected a whole number from 0 to "),
    ("max_chars", "-1", "max_chars is -1; expected a whole number from 1 to "),
    ("max_chars", "1.5", "max_chars is 1.5; expected a whole number from 1 to "),
];

/// Other parameters that cannot be.
const IMPOSSIBLE: [(&str, &str, &str); 4] = [
    ("part", "two", "part is two; expected a whole number from 1 to "),
    ("links", "footnotes", "links is footnotes; expected list or none"),
    ("images", "some", "images is some; expected none"),
    ("feed", "ftp://a.example/", "feed is ftp://a.example/; expected an address of http or https"),
];

#[tokio::test]
async fn a_parameter_that_cannot_be_is_named() {
    let site = site().await;
    let proxy = TestProxy::start(TARGETS).await;
    let asked = site.requests().len();
    for (name, value, problem) in NO_NUMBERS.into_iter().chain(IMPOSSIBLE) {
        let value: String = byte_serialize(value.as_bytes()).collect();
        let answer = read(&proxy, &site.url("/"), &format!("&as=text&{name}={value}")).await;
        assert_eq!(answer.status, 400, "{name}");
        assert!(answer.text().contains(problem), "{}", answer.text());
    }
    let answer = read(&proxy, &site.url("/"), "&as=foo").await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (400, "text/html; charset=utf-8"));
    let expected = "as is foo; expected reader, plain, text, markdown, json or epub";
    assert!(answer.text().contains(expected), "{}", answer.text());
    assert_eq!(site.requests().len(), asked);
    for form in ["text", "markdown", "json"] {
        let answer = read(&proxy, &site.url("/"), &format!("&as={form}&start=100000")).await;
        assert_eq!(answer.status, 400, "{form}");
        assert!(answer.text().contains("start is beyond the end, which is "), "{}", answer.text());
    }
    // Fields that are left empty, and those of a site's own form, say nothing.
    assert_eq!(read(&proxy, &site.url("/"), "&as=&start=&max_chars=&part=&links=&images=").await.status, 200);
    let action: String = byte_serialize(site.url("/find").as_bytes()).collect();
    let found = get(&proxy, &format!("{}/read?gleaner-form={action}&as=foo&start=zzz", proxy.url()), &[]).await;
    assert_eq!((found.status.as_u16(), found.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(site.requests().last().unwrap().uri.query(), Some("as=foo&start=zzz"));
    proxy.stop().await;
}

#[tokio::test]
async fn a_program_gets_a_sentence_in_the_place_of_an_error_page() {
    let site =
        Origin::http(|_| html("<!doctype html><title>App</title><div id=root></div><script>draw()</script>")).await;
    let gone = format!("http://127.0.0.1:{}/", free_port());
    let proxy = TestProxy::start(TARGETS).await;
    let pages = [
        (site.url("/"), 422, "its scripts draw it"),
        ("http://192.168.0.1/".to_owned(), 403, "private network"),
        (gone.clone(), 502, "refused"),
    ];
    for (page, status, words) in &pages {
        let address: String = byte_serialize(page.as_bytes()).collect();
        let accepted = get(&proxy, &format!("{}/read?url={address}", proxy.url()), &[AGENT]).await;
        let mut answers = vec![accepted];
        for form in ["text", "markdown", "json"] {
            answers.push(read(&proxy, page, &format!("&as={form}")).await);
        }
        for answer in &answers {
            assert_eq!(answer.status, *status, "{page}: {}", answer.text());
            assert!(answer.text().contains(words) && !answer.text().contains('<'), "{page}: {}", answer.text());
        }
        let [accepted, text, markdown, json] = &answers[..] else { panic!("{answers:?}") };
        for answer in [accepted, text, markdown] {
            assert_eq!((answer.header("content-type"), &answer.body), ("text/plain; charset=utf-8", &text.body));
        }
        let json_error: Value = serde_json::from_slice(&json.body).unwrap();
        assert_eq!((json.header("content-type"), &json_error["error"]), ("application/json", &json!(text.text())));
        assert!(read(&proxy, page, "").await.text().contains("<h1>"), "{page}");
    }
    let in_proxy = get(&proxy, &gone, &[AGENT]).await;
    assert_eq!((in_proxy.status.as_u16(), in_proxy.header("content-type")), (502, "text/plain; charset=utf-8"));
    assert!(in_proxy.text().contains("refused") && !in_proxy.text().contains('<'), "{}", in_proxy.text());
    assert!(get(&proxy, &gone, &[("accept", "text/html")]).await.text().contains("<h1>"));
    proxy.stop().await;
}

#[tokio::test]
async fn a_head_says_of_markdown_what_a_get_does() {
    let fields = [("content-type", "text/html"), ("content-security-policy", "img-src 'self'")];
    let site = Origin::http(move |_| response(&fields, article())).await;
    let proxy = TestProxy::start("").await;
    for accept in [AGENT, ("accept", "text/html")] {
        let [got, headed] = ["GET", "HEAD"]
            .map(|method| Request::builder().method(method).uri(site.url("/")).header(accept.0, accept.1));
        let got = send(&proxy, got.body(Full::default()).unwrap()).await;
        let headed = send(&proxy, headed.body(Full::default()).unwrap()).await;
        for field in ["content-type", "content-security-policy", "etag", "vary"] {
            assert_eq!(headed.header(field), got.header(field), "{accept:?} {field}");
        }
        assert_eq!(got.header("content-type").starts_with("text/markdown"), accept == AGENT);
    }
    proxy.stop().await;
}

#[tokio::test]
async fn a_book_has_the_page_and_its_pictures() {
    let Some(epubcheck) = optional::program("epubcheck", "epubcheck") else { return };
    let site = site().await;
    let proxy = TestProxy::start(TARGETS).await;
    let answer = read(&proxy, &site.url("/"), "&as=epub").await;
    assert_eq!(answer.header("content-type"), "application/epub+zip");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"the-clock.epub\"");
    assert!(answer.body.starts_with(b"PK") && answer.body[30..].starts_with(b"mimetypeapplication/epub+zip"));
    assert!(answer.body.windows(PNG.len()).any(|part| part == PNG), "the picture is missing");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("book.epub");
    fs::write(&file, &answer.body).unwrap();
    check_book(&epubcheck, &file).await;
    let asked = site.requests().len();
    let bare = read(&proxy, &site.url("/"), "&as=epub&images=none").await;
    assert!(!bare.body.windows(PNG.len()).any(|part| part == PNG) && site.requests().len() == asked + 1);
    proxy.stop().await;

    for name in ["one.html", "two.html"] {
        fs::write(dir.path().join(name), article()).unwrap();
    }
    let output = gleaner(dir.path(), &["extract", "--format", "epub", "one.html", "two.html"], "");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::write(&file, &output.stdout).unwrap();
    check_book(&epubcheck, &file).await;
}

async fn check_book(epubcheck: &Path, file: &Path) {
    // An archive, which not every system starts.
    let mut command = Command::new("java");
    command.arg("-jar").arg(epubcheck).arg("--failonwarnings").arg(file);
    let (well, text) = run(command).await;
    assert!(well, "{text}");
}

#[tokio::test]
async fn a_long_page_comes_in_parts() {
    let page = format!("<!doctype html><title>Long</title><h1>Long</h1>{}", format!("<p>{TEXT}</p>").repeat(100));
    let site = Origin::http(move |_| html(page.clone())).await;
    let proxy = TestProxy::start(TARGETS).await;
    let first = read(&proxy, &site.url("/"), "&as=plain").await;
    assert_eq!(first.text().matches("single hand").count(), 100, "the profile has no parts");
    proxy.stop().await;
    let proxy = TestProxy::start(&format!("{TARGETS}\nfilters: {{ output: {{ split_kb: 8 }} }}")).await;
    let (mut shown, mut part) = (0, 1);
    loop {
        let answer = read(&proxy, &site.url("/"), &format!("&as=plain&part={part}")).await;
        assert!(answer.body.len() < 11_000, "{}", answer.body.len());
        shown += answer.text().matches("single hand").count();
        assert_eq!(answer.text().contains(">Previous page</a>"), part > 1);
        if !answer.text().contains(">Next page</a>") {
            break;
        }
        part += 1;
    }
    assert_eq!(shown, 100);
    assert!(part > 3, "{part}");
    proxy.stop().await;
}

/// The address of a link of a page, by its word.
fn address_of(page: &str, word: &str) -> Option<String> {
    let end = page.find(&format!("\">{word}</a>"))?;
    Some(page[page[..end].rfind('"')? + 1..end].replace("&amp;", "&"))
}

#[tokio::test]
async fn a_long_page_comes_in_parts_in_the_proxy_too() {
    let page = format!(
        "<!doctype html><title>Long</title><main><h1>Long</h1>{}<form method=post action=/in><p>Say <input name=q></p></form></main>",
        format!("<p>{TEXT}</p>").repeat(100)
    );
    let site = Origin::http(move |_| html(page.clone())).await;
    for style in ["reader", "plain"] {
        let proxy = TestProxy::start(&format!("filters: {{ output: {{ split_kb: 8, style: {style} }} }}")).await;
        let fields = [("accept", "text/html"), ("cookie", "a=1")];
        let before = site.requests().len();
        let mut answer = get(&proxy, &site.url("/?a=b"), &fields).await;
        let (mut shown, mut parts) = (0, 1);
        while let Some(next) = address_of(answer.text(), "Next page") {
            assert_eq!(answer.text().matches(">Next page</a>").count(), 2, "{style}: at both ends");
            assert_eq!(answer.text().contains(">Previous page</a>"), parts > 1, "{style}");
            shown += answer.text().matches("single hand").count();
            assert!(next.starts_with(&site.url("/?a=b&gleaner-view=")), "{next}");
            answer = get(&proxy, &next, &[fields[0], fields[1], ("referer", &site.url("/"))]).await;
            assert_eq!(answer.status, 200, "{style}: {}", answer.text());
            parts += 1;
        }
        shown += answer.text().matches("single hand").count();
        assert_eq!((shown, parts > 3, site.requests().len() - before), (100, true, 1), "{style}: {parts}");
        let back = address_of(answer.text(), "Previous page").unwrap();
        assert!(get(&proxy, &back, &fields).await.text().contains(">Next page</a>"));
        proxy.stop().await;
        // Without a bar there is nothing to follow.
        let proxy =
            TestProxy::start(&format!("filters: {{ output: {{ split_kb: 8, style: {style}, controls: off }} }}")).await;
        let whole = get(&proxy, &site.url("/"), &fields).await;
        assert_eq!(whole.text().matches("single hand").count(), 100, "{style}");
        proxy.stop().await;
    }
}

#[tokio::test]
async fn a_program_reads_pages_by_the_model_context_protocol() {
    let site = site().await;
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    fs::write(&config, TARGETS).unwrap();
    let call = |id: u32, name: &str, arguments: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": name, "arguments": arguments } });
    let messages = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        call(3, "read_page", json!({ "url": site.url("/"), "max_chars": 600 })),
        call(4, "page_outline", json!({ "url": site.url("/") })),
        call(5, "read_page", json!({ "url": "http://192.168.0.1/" })),
        call(6, "other", json!({})),
        call(8, "read_page", json!({ "url": site.url("/directory") })),
        call(9, "read_page", json!({ "url": site.url("/own") })),
        call(10, "read_page", json!({ "url": site.url("/clock.png") })),
        call(11, "read_page", json!({ "url": site.url("/moved") })),
        call(12, "read_page", json!({ "url": site.url("/"), "start": 100_000 })),
        call(13, "read_page", json!({ "url": site.url("/own"), "start": 10 })),
        json!({ "jsonrpc": "2.0", "id": 7, "method": "resources/list" }),
    ];
    let wrong = NO_NUMBERS.map(|(name, value, _)| {
        let arguments = format!(r#"{{ "url": "{}", "{name}": {value} }}"#, site.url("/"));
        format!(r#"{{ "jsonrpc": "2.0", "id": 14, "method": "tools/call", "params": {{ "name": "read_page", "arguments": {arguments} }} }}"#)
    });
    let messages = messages.iter().map(Value::to_string).chain(["nonsense".to_owned()]).chain(wrong);
    let input = messages.map(|message| format!("{message}\n")).collect::<Vec<_>>().concat();
    let output =
        spawn_blocking(move || gleaner(dir.path(), &["--config", "config.yaml", "mcp"], &input)).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |at: usize| answers[at]["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answers[1]["result"]["tools"][0]["name"], "read_page");
    assert!(
        text(2).contains("single hand")
            && text(2).contains("Next part: read_page with start ")
            && !text(2).contains("HIDDEN"),
        "{}",
        text(2)
    );
    assert!(text(3).contains("article"), "{}", text(3));
    assert!(answers[4]["result"]["isError"] == true && text(4).contains("private network"), "{}", text(4));
    assert_eq!((&answers[5]["error"]["code"], &answers[12]["error"]["code"]), (&json!(-32602), &json!(-32601)));
    assert!(text(6).contains("The Covered Bridge List"), "{}", text(6));
    assert_eq!(text(7), "# Its own");
    assert!(answers[8]["result"]["isError"] == true && text(8).contains("no page"), "{}", text(8));
    assert!(text(9).contains(&format!("url: \"{}\"", site.url("/new/"))), "{}", text(9));
    let is_error = |at: usize| answers[at]["result"]["isError"] == true;
    assert!(is_error(10) && text(10).starts_with("start is beyond the end, which is "), "{}", text(10));
    assert_eq!((is_error(11), text(11)), (true, "start is beyond the end, which is 9".to_owned()));
    assert_eq!(answers[13]["error"]["code"], -32700);
    for (at, (name, _, problem)) in (14..).zip(NO_NUMBERS) {
        assert!(is_error(at) && text(at).contains(problem), "{name}: {}", answers[at]);
    }
    assert_eq!(answers.len(), 14 + NO_NUMBERS.len());
}

/// Posts a message to `/mcp` as a program does.
async fn post_message(proxy: &TestProxy, message: &str, fields: &str) -> (String, Value) {
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n{fields}\r\n{message}",
        proxy.addr,
        message.len()
    );
    let answer = raw(proxy.addr, request).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), serde_json::from_str(body).unwrap_or(Value::Null))
}

#[tokio::test]
async fn programs_on_this_machine_read_pages_by_http() {
    const JSON: &str = "Content-Type: application/json\r\n";
    let site = site().await;
    let proxy = TestProxy::start(&format!("{TARGETS}\nagents: {{ mcp: true }}")).await;
    let ask = async |message: Value| post_message(&proxy, &message.to_string(), JSON).await.1;
    let call = async |name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        let answer = ask(json!({ "jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params })).await;
        assert_eq!(answer["id"], "a");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, answer["result"]["isError"] == true)
    };
    let started = ask(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": "2025-06-18", "capabilities": {} } })).await;
    assert_eq!(started["result"]["protocolVersion"], "2025-06-18");
    let (head, _) = post_message(&proxy, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, JSON).await;
    assert!(head.starts_with("HTTP/1.1 202"), "{head}");
    let (text, is_error) = call("read_page", json!({ "url": site.url("/"), "max_chars": 600 })).await;
    assert!(!is_error && text.contains("single hand") && text.contains("Next part: read_page with start "), "{text}");
    assert!(!text.contains("HIDDEN"), "{text}");
    let start: u64 = text.trim().rsplit(' ').next().unwrap().parse().unwrap();
    let (next, _) = call("read_page", json!({ "url": site.url("/"), "start": start, "format": "text" })).await;
    assert!(!next.is_empty() && !next.starts_with("---"), "{next}");
    let (outline, is_error) = call("page_outline", json!({ "url": site.url("/") })).await;
    assert!(!is_error && outline.contains("article"), "{outline}");
    assert_eq!(call("read_page", json!({ "url": site.url("/own") })).await, ("# Its own".to_owned(), false));
    assert!(call("read_page", json!({ "url": site.url("/clock.png") })).await.1);
    for (page, end) in [("/own", "9"), ("/", "")] {
        let (problem, is_error) = call("read_page", json!({ "url": site.url(page), "start": 100_000 })).await;
        assert!(is_error && problem.starts_with(&format!("start is beyond the end, which is {end}")), "{problem}");
    }
    for (name, value, problem) in NO_NUMBERS {
        let value: Value = serde_json::from_str(value).unwrap();
        let (said, is_error) = call("read_page", json!({ "url": site.url("/"), name: value })).await;
        assert!(is_error && said.contains(problem), "{name}: {said}");
    }
    let asked = site.requests().len();
    let (problem, is_error) = call("read_page", json!({ "url": "http://192.168.0.1/" })).await;
    assert!(is_error && problem.contains("192.168.0.1"), "{problem}");
    let refused = [
        ("Origin: http://evil.example\r\n", "403"),
        ("Origin: null\r\n", "403"),
        ("Sec-Fetch-Site: cross-site\r\n", "403"),
        ("MCP-Protocol-Version: 1999-01-01\r\n", "400"),
    ];
    let read = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "read_page", "arguments": { "url": site.url("/") } } });
    for (fields, status) in refused.map(|(fields, status)| (format!("{JSON}{fields}"), status)) {
        let (head, _) = post_message(&proxy, &read.to_string(), &fields).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{fields}: {head}");
    }
    let (head, _) = post_message(&proxy, &read.to_string(), "Content-Type: text/plain\r\n").await;
    assert!(head.starts_with("HTTP/1.1 415"), "{head}");
    assert_eq!(get(&proxy, &format!("{}/mcp", proxy.url()), &[]).await.status, 405);
    assert_eq!(site.requests().len(), asked);
    proxy.stop().await;
    let proxy = TestProxy::start(TARGETS).await;
    let (head, _) = post_message(&proxy, &read.to_string(), JSON).await;
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    proxy.stop().await;
}
