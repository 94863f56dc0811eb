//! What a client has already got is not sent again: its conditions reach the origin, and the 304 reaches it.

use std::{fs, path::Path, process::Command};

use http_body_util::Full;
use ring::digest::{SHA256, digest};

use crate::harness::{
    Origin, PAGE, TestProxy,
    client::{Answer, curl_command, get, run},
    nginx, optional,
    origin::response,
};

const DATE: &str = "Sat, 21 Nov 2026 11:00:00 GMT";

/// Serves these as their types say, with a tag and a date, and 304 to who has one of them.
async fn origin() -> Origin {
    Origin::http(|seen| {
        let (kind, body) = match seen.uri.path() {
            "/page" => ("text/html", PAGE),
            "/app" => ("text/html", "<!doctype html><title>App</title><div id=app></div>"),
            "/feed" => ("application/rss+xml", "<rss version='2.0'></rss>"),
            _ => ("application/pdf", "%PDF-1.7"),
        };
        let mut answer = response(&[("content-type", kind), ("etag", "\"v1\""), ("last-modified", DATE)], body);
        let asks = |name: &str, value: &str| seen.headers.get(name).is_some_and(|field| field == value);
        if asks("if-none-match", "\"v1\"") || asks("if-modified-since", DATE) {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
            *answer.body_mut() = Full::default();
            answer.headers_mut().remove("content-type");
        }
        answer
    })
    .await
}

/// Asks twice, with the validators of the first response.
async fn twice(proxy: &TestProxy, url: &str, fields: &[(&str, &str)]) -> (Answer, Answer) {
    let first = get(proxy, url, fields).await;
    assert_eq!(first.status, 200, "{url}");
    let (tag, date) = (first.header("etag").to_owned(), first.header("last-modified").to_owned());
    let again = [fields, &[("if-none-match", tag.as_str()), ("if-modified-since", date.as_str())]].concat();
    let second = get(proxy, url, &again).await;
    (first, second)
}

const BROWSERS: [&[(&str, &str)]; 2] = [
    &[("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"), ("sec-fetch-dest", "document")],
    &[("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")],
];

/// The page in either form, the shell of an application, a PDF, a feed.
#[tokio::test]
async fn browsers_and_programs_get_304_of_what_they_got_before() {
    let origin = origin().await;
    let proxy = TestProxy::start("").await;
    let programs: [&[(&str, &str)]; 5] = [
        // curl, wget; others; apt; feedparser; Miniflux.
        &[("accept", "*/*")],
        &[],
        &[("accept", "text/*")],
        &[("accept", "application/atom+xml,application/rss+xml,application/xml;q=0.9,text/xml;q=0.2,*/*;q=0.1")],
        &[("accept", "application/xml, application/atom+xml, application/rss+xml, text/html, */*;q=0.9")],
    ];
    for fields in BROWSERS.iter().chain(&programs) {
        for path in ["/page", "/app", "/pdf", "/feed"] {
            let (first, second) = twice(&proxy, &origin.url(path), fields).await;
            assert_eq!(second.status, 304, "{path} {fields:?}");
            let ours = first.header("etag").contains("gleaner-");
            assert!(!ours || path == "/page", "{path} passes as it is");
        }
    }
}

/// A program has fetched its copy itself, perhaps before this process began.
#[tokio::test]
async fn conditions_of_programs_pass_whatever_is_known() {
    let origin = origin().await;
    for (name, value) in [("if-none-match", "\"v1\""), ("if-modified-since", DATE)] {
        for accept in [&[][..], &[("accept", "*/*")], &[("accept", "text/*")]] {
            let proxy = TestProxy::start("").await;
            for path in ["/page", "/pdf"] {
                let answer = get(&proxy, &origin.url(path), &[accept, &[(name, value)]].concat()).await;
                assert_eq!(answer.status, 304, "{path} {name} {accept:?}");
            }
        }
    }
}

/// Copies in a browser may be from before its pages were rewritten, or from another configuration.
#[tokio::test]
async fn a_browsers_copy_that_may_be_an_original_is_replaced_by_the_rewritten_page() {
    let origin = origin().await;
    let proxy = TestProxy::start("").await;
    let app = origin.url("/app");
    for fields in BROWSERS {
        for known in [[("if-none-match", "\"v1\"")], [("if-modified-since", DATE)]] {
            let page = get(&proxy, &origin.url("/page"), &[fields, &known].concat()).await;
            assert!(page.status == 200 && page.header("etag").contains("gleaner-"), "{known:?} {fields:?}");
        }
        assert_eq!(twice(&proxy, &app, fields).await.1.status, 304);
        // One of several copies is not known.
        let both = get(&proxy, &app, &[fields, &[("if-none-match", "\"v0\", \"v1\"")]].concat()).await;
        assert_eq!(both.status, 200);
    }
    proxy.reload("rewrite: { max_html_bytes: 4000000 }");
    let anew = get(&proxy, &app, &[BROWSERS[0], &[("if-none-match", "\"v1\"")]].concat()).await;
    assert_eq!(anew.status, 200, "the new configuration may rewrite it");
}

/// nginx with files that were changed long ago.
async fn nginx_with(files: &[(&str, &str)]) -> Option<(Origin, crate::harness::program::Running, tempfile::TempDir)> {
    let (origin, running, dir) = nginx::origin("", files).await?;
    for (name, _) in files {
        let file = fs::File::options().append(true).open(dir.path().join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000)).unwrap();
    }
    Some((origin, running, dir))
}

#[tokio::test]
async fn curl_and_wget_do_not_load_again_what_is_as_it_was() {
    let text = format!("<!doctype html><title>Bells</title><p>{}", "The bells ring at six. ".repeat(40));
    let Some((origin, _nginx, _dir)) = nginx_with(&[("page.html", &text), ("file.bin", "binary")]).await else {
        return;
    };
    let proxy = TestProxy::start("").await;
    let dir = tempfile::tempdir().unwrap();
    for name in ["page.html", "file.bin"] {
        let url = origin.url(&format!("/{name}"));
        let copy = dir.path().join(format!("of-curl-{name}"));
        let copy = copy.to_str().unwrap();
        // curl itself calls 304 what is not new enough: what came is in the head.
        for (arguments, wanted) in [(&["-R"][..], "200 OK"), (&["-z", copy][..], "304 Not Modified")] {
            let arguments = [arguments, &["-D", "-", "-o", copy, url.as_str()]].concat();
            let Some(command) = curl_command(&proxy, &arguments) else { return };
            let (well, told) = run(command).await;
            assert!(well && told.starts_with(&format!("HTTP/1.1 {wanted}")), "{name}: {told}");
        }
        for wanted in ["200 OK", "304 Not Modified"] {
            let Some(wget) = optional::program("wget", "wget") else { return };
            let mut command = Command::new(wget);
            command
                .args(["-N", "-S", "-P"])
                .arg(dir.path())
                .arg(&url)
                .env("http_proxy", proxy.url())
                .env("no_proxy", "");
            let (well, told) = run(command).await;
            assert!(well && told.contains(&format!("HTTP/1.1 {wanted}")), "{name}: {told}");
        }
    }
}

#[tokio::test]
async fn apt_hits_what_it_has() {
    let Some(apt) = optional::program("apt-get", "apt") else { return };
    let packages = "Package: none\nVersion: 1\nArchitecture: all\nFilename: ./none.deb\nSize: 1\n\n";
    let sum = digest(&SHA256, packages.as_bytes())
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .concat();
    let release = format!("Date: Sat, 21 Nov 2026 11:00:00 UTC\nSHA256:\n {sum} {} Packages\n", packages.len());
    let Some((origin, _nginx, _dir)) = nginx_with(&[("Release", &release), ("Packages", packages)]).await else {
        return;
    };
    let proxy = TestProxy::start("").await;
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).display().to_string();
    for name in ["lists/partial", "cache/archives/partial", "empty"] {
        fs::create_dir_all(Path::new(&place(name))).unwrap();
    }
    fs::write(place("sources.list"), format!("deb [trusted=yes] {} ./\n", origin.url("/"))).unwrap();
    for wanted in ["Get:2", "Hit:2"] {
        let mut command = Command::new(&apt);
        command.arg("update");
        for option in [
            format!("Dir::State::Lists={}", place("lists")),
            format!("Dir::Cache={}", place("cache")),
            format!("Dir::Etc::SourceList={}", place("sources.list")),
            format!("Dir::Etc::SourceParts={}", place("empty")),
            format!("Dir::Etc::Parts={}", place("empty")),
            format!("Acquire::http::Proxy={}", proxy.url()),
            "APT::Sandbox::User=root".to_owned(),
        ] {
            command.args(["-o", &option]);
        }
        let (well, told) = run(command).await;
        assert!(well && told.contains(wanted), "{told}");
    }
}

#[tokio::test]
async fn a_page_is_revalidated_until_the_configuration_changes() {
    let origin = Origin::http(|seen| {
        let known = seen.headers.get("if-none-match").is_some_and(|tag| tag == "\"v1\"");
        let mut answer = response(&[("content-type", "text/html"), ("etag", "\"v1\"")], PAGE);
        if known {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
            *answer.body_mut() = http_body_util::Full::default();
        }
        answer
    })
    .await;
    let proxy = TestProxy::start("").await;
    let first = get(&proxy, &origin.url("/"), &[]).await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with("W/\"gleaner-"), "{tag}");

    let again = get(&proxy, &origin.url("/"), &[("if-none-match", &tag)]).await;
    assert_eq!(again.status, 304);
    assert_eq!(again.header("etag"), tag);

    // A copy of the time before: the page is to come anew, and rewritten. Other things stay as they are.
    let original = [
        ("if-none-match", "\"v1\""),
        ("if-modified-since", "Sat, 21 Nov 2026 11:00:00 GMT"),
        ("sec-fetch-dest", "document"),
    ];
    let anew = get(&proxy, &origin.url("/"), &original).await;
    assert_eq!((anew.status.as_u16(), anew.header("etag")), (200, &*tag));
    let [version, since, _] = original;
    let image = get(&proxy, &origin.url("/"), &[version, since, ("sec-fetch-dest", "image")]).await;
    assert_eq!(image.status, 304);
    assert_eq!(origin.last().headers["if-modified-since"], since.1);

    let other =
        gleaner::LoadedConfig::from_yaml("access: { allow_targets: ['127.0.0.1'] }\nblocking: { lists: [] }", None);
    proxy.proxy.reload(other.unwrap()).unwrap();
    let anew = get(&proxy, &origin.url("/"), &[("if-none-match", &tag)]).await;
    assert_eq!(anew.status, 200);
    assert_ne!(anew.header("etag"), tag);
    assert!(!origin.last().headers.contains_key("if-none-match"));
}

#[tokio::test]
async fn a_page_with_only_a_date_is_revalidated_by_it() {
    let origin = Origin::http(|seen| {
        let mut answer = response(&[("content-type", "text/html"), ("last-modified", DATE)], PAGE);
        if seen.headers.get("if-modified-since").is_some_and(|date| date == DATE) {
            *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
        }
        answer
    })
    .await;
    let proxy = TestProxy::start("").await;
    let first = get(&proxy, &origin.url("/"), &[]).await;
    // For programs that compare by it, as `wget -N` does.
    assert_eq!(first.header("last-modified"), DATE);
    let tag = first.header("etag").to_owned();
    let again = get(&proxy, &origin.url("/"), &[("if-none-match", &tag)]).await;
    assert_eq!((again.status.as_u16(), again.header("etag")), (304, tag.as_str()));
}
