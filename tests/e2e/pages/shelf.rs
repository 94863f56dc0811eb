//! The shelf: pages that people keep, as books, and its catalogue.

use std::{fs, process::Command};

use crate::harness::{Origin, TestProxy, client::Answer, get, optional, origin::html, raw};

const TEXT: &str = "<p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody did, the \
council found that a second hand would cost as much as a bridge. So it still points between the numbers, and the town reads \
it well enough to be late by choice. Visitors set their watches by the bakery.</p>";

fn settings(dir: &std::path::Path, more: &str) -> String {
    format!("read: {{ targets: ['127.0.0.1:1-65535'] }}\nshelf: {{ enabled: true, dir: '{}' }}\n{more}", dir.display())
}

async fn site() -> Origin {
    Origin::http(|seen| {
        let title = seen.uri.path().trim_start_matches('/').to_owned();
        html(format!(
            "<!doctype html><html lang=en><title>{title} &amp; more</title><meta name=author content='Anna'><main><h1>{title} &amp; more</h1>{TEXT}{TEXT}</main>"
        ))
    })
    .await
}

async fn at(proxy: &TestProxy, path: &str) -> Answer {
    get(proxy, &format!("{}{path}", proxy.url()), &[]).await
}

/// Sends an empty form to this path with these fields.
async fn post(proxy: &TestProxy, path: &str, fields: &str) -> String {
    let request = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: 0\r\n{fields}\r\n",
        proxy.addr
    );
    raw(proxy.addr, request).await
}

/// The address that the first form of a page like this one leads to.
fn action(page: &str, start: &str) -> String {
    let at = page.find(&format!("action=\"{start}")).unwrap_or_else(|| panic!("no {start}: {page}"));
    page[at + 8..].split('"').next().unwrap().replace("&amp;", "&")
}

async fn keep(proxy: &TestProxy, page: &str) {
    let page: String = url::form_urlencoded::byte_serialize(page.as_bytes()).collect();
    let asked = at(proxy, &format!("/shelf/keep?url={page}")).await;
    let answer = post(proxy, &action(asked.text(), "/shelf/keep"), "").await;
    assert!(answer.starts_with("HTTP/1.1 303") && answer.contains("Location: /shelf\r\n"), "{answer}");
}

#[tokio::test]
async fn a_page_is_kept_from_its_bar_listed_read_and_removed() {
    let site = site().await;
    let dir = tempfile::tempdir().unwrap();
    let books = dir.path().join("books");
    let proxy = TestProxy::start(&settings(&books, "")).await;
    let page: String = url::form_urlencoded::byte_serialize(site.url("/one").as_bytes()).collect();
    let shown = at(&proxy, &format!("/read?url={page}")).await;
    assert!(shown.text().contains(&format!("href=\"/shelf/keep?url={page}\">Keep</a>")), "{}", shown.text());
    assert!(at(&proxy, "/shelf").await.text().contains("It is empty"));
    keep(&proxy, &site.url("/one")).await;
    keep(&proxy, &site.url("/two")).await;
    let list = at(&proxy, "/shelf").await;
    assert!(list.text().find("two &amp; more") < list.text().find("one &amp; more"), "{}", list.text());
    assert!(list.text().contains("Anna"), "{}", list.text());
    let newest = at(&proxy, "/shelf/latest.epub").await;
    assert_eq!(newest.header("content-type"), "application/epub+zip");
    assert!(newest.body.starts_with(b"PK\x03\x04"));
    if let Some(epubcheck) = optional::program("epubcheck", "epubcheck") {
        let file = dir.path().join("latest.epub");
        fs::write(&file, &newest.body).unwrap();
        let checked = Command::new("java").arg("-jar").arg(epubcheck).arg(&file).output().unwrap();
        assert!(checked.status.success(), "{checked:?}");
    }
    // Nobody else on the machine may read them.
    #[cfg(unix)]
    for file in all_files(&books) {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if file.is_dir() { 0o700 } else { 0o600 }, "{}", file.display());
    }
    // They outlive the program.
    proxy.stop().await;
    let proxy = TestProxy::start(&settings(&books, "")).await;
    let list = at(&proxy, "/shelf").await;
    assert!(list.text().contains("two &amp; more"), "{}", list.text());
    let answer = post(&proxy, &action(list.text(), "/shelf/delete"), "").await;
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    let list = at(&proxy, "/shelf").await;
    assert!(!list.text().contains("two &amp; more") && list.text().contains("one &amp; more"), "{}", list.text());
    assert_eq!(all_files(&books).iter().filter(|file| file.is_file()).count(), 2);
    proxy.stop().await;
}

fn all_files(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let below = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> = below.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect();
    all.push(dir.to_owned());
    all
}

#[tokio::test]
async fn the_catalogue_is_one_that_feed_readers_understand() {
    let site = site().await;
    let dir = tempfile::tempdir().unwrap();
    let proxy = TestProxy::start(&settings(dir.path(), "")).await;
    keep(&proxy, &site.url("/one?a=1&b=2")).await;
    let catalogue = at(&proxy, "/shelf/opds").await;
    assert_eq!(catalogue.header("content-type"), "application/atom+xml;profile=opds-catalog;kind=acquisition");
    let text = catalogue.text();
    assert!(text.contains("<title>one &amp; more</title>") && text.contains("a=1&amp;b=2\"/>"), "{text}");
    let book = text.split("href=\"").find(|part| part.contains(".epub\"")).unwrap().split('"').next().unwrap();
    assert!(at(&proxy, book).await.body.starts_with(b"PK\x03\x04"));
    let Some(python) = optional::program("python3", "python3") else { return };
    let file = dir.path().join("catalogue.xml");
    fs::write(&file, &catalogue.body).unwrap();
    let script = "import sys, xml.etree.ElementTree as tree\n\
        name = '{http://www.w3.org/2005/Atom}'\n\
        feed = tree.parse(sys.argv[1]).getroot()\n\
        assert feed.tag == name + 'feed' and all(feed.find(name + part) is not None for part in ('id', 'title', 'updated', 'author'))\n\
        (entry,) = feed.findall(name + 'entry')\n\
        assert all(entry.find(name + part).text for part in ('id', 'title', 'updated'))\n\
        print([link.get('type') for link in entry.findall(name + 'link') if link.get('rel') == 'http://opds-spec.org/acquisition'])";
    let output = Command::new(python).args(["-c", script]).arg(file).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "['application/epub+zip']\n", "{output:?}");
    proxy.stop().await;
}

#[tokio::test]
async fn nothing_is_kept_but_by_our_own_forms_and_for_whom_it_is() {
    let site = site().await;
    let dir = tempfile::tempdir().unwrap();
    let page: String = url::form_urlencoded::byte_serialize(site.url("/one").as_bytes()).collect();
    // Off unless it is switched on.
    let proxy = TestProxy::start("read: { targets: ['127.0.0.1:1-65535'] }").await;
    let shown = at(&proxy, &format!("/read?url={page}")).await;
    assert!(shown.status == 200 && !shown.text().contains("/shelf/keep"), "{}", shown.text());
    assert_eq!(at(&proxy, "/shelf").await.status, 404);
    proxy.stop().await;

    let proxy = TestProxy::start(&settings(dir.path(), "")).await;
    let asked = at(&proxy, &format!("/shelf/keep?url={page}")).await;
    let action = action(asked.text(), "/shelf/keep");
    let connections = site.connections();
    for (path, fields) in [
        (format!("/shelf/keep?url={page}"), ""),
        (format!("/shelf/keep?url={page}&token=00112233445566778899aabbccddeeff"), ""),
        // The token is of this page alone.
        (action.replace("one", "two"), ""),
        (action.replace("/shelf/keep?url", "/shelf/delete?id"), ""),
        (action.clone(), "Origin: http://evil.example\r\n"),
        (action.clone(), "Sec-Fetch-Site: cross-site\r\n"),
        (action.clone(), "Referer: http://evil.example/\r\n"),
    ] {
        let answer = post(&proxy, &path, fields).await;
        assert!(answer.starts_with("HTTP/1.1 403"), "{path} {fields}: {answer}");
    }
    assert_eq!(site.connections(), connections);
    assert!(at(&proxy, "/shelf").await.text().contains("It is empty"));
    // Another site's page gets nothing of it.
    let answer = get(&proxy, &format!("{}/shelf/opds", proxy.url()), &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(answer.status, 403);
    proxy.stop().await;

    // Each user has a shelf.
    let [anna, ben] = ["anna", "ben"].map(|_| gleaner::hash_password("secret").unwrap());
    let users = format!("access: {{ users: {{ anna: '{anna}', ben: '{ben}' }} }}");
    let proxy = TestProxy::start(&settings(dir.path(), &users)).await;
    let credentials = |name| format!("Authorization: {}\r\n", crate::harness::client::basic(name, "secret"));
    let ask = async |name, path: &str| {
        let (host, fields) = (proxy.addr, credentials(name));
        raw(proxy.addr, format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{fields}\r\n")).await
    };
    let asked = ask("anna", &format!("/shelf/keep?url={page}")).await;
    let form = self::action(&asked, "/shelf/keep");
    // A form of hers is none of his.
    assert!(post(&proxy, &form, &credentials("ben")).await.starts_with("HTTP/1.1 403"));
    assert!(post(&proxy, &form, &credentials("anna")).await.starts_with("HTTP/1.1 303"));
    let hers = ask("anna", "/shelf").await;
    assert!(hers.contains("one &amp; more"), "{hers}");
    let book = hers.split("href=\"").find(|part| part.contains(".epub\"")).unwrap().split('"').next().unwrap();
    assert!(ask("anna", book).await.starts_with("HTTP/1.1 200"));
    assert!(ask("ben", book).await.starts_with("HTTP/1.1 404"));
    assert!(ask("ben", "/shelf").await.contains("It is empty"));
    proxy.stop().await;
}

/// The address of a link of a page, by its words.
fn link(page: &str, words: &str) -> String {
    let end = page.find(&format!("\">{words}</a>")).unwrap_or_else(|| panic!("no {words}: {page}"));
    page[page[..end].rfind('"').unwrap() + 1..end].replace("&amp;", "&")
}

#[tokio::test]
async fn a_page_in_the_proxy_is_kept_from_its_bar() {
    let site = site().await;
    let dir = tempfile::tempdir().unwrap();
    let proxy = TestProxy::start(&settings(dir.path(), "")).await;
    let page = site.url("/one");
    let shown = get(&proxy, &page, &[("accept", "text/html")]).await;
    // Browsers name the page that a link was on.
    let followed = [("sec-fetch-site", "cross-site"), ("referer", page.as_str())];
    let book = link(shown.text(), "EPUB");
    assert!(book.starts_with("http://gleaner.internal/read?url="), "{book}");
    let epub = get(&proxy, &book, &followed).await;
    assert_eq!(epub.header("content-type"), "application/epub+zip", "{:?}", epub.status);
    let asked = get(&proxy, &link(shown.text(), "Keep"), &followed).await;
    let kept = action(asked.text(), "/shelf/keep");
    let request = format!(
        "POST http://gleaner.internal{kept} HTTP/1.1\r\nHost: gleaner.internal\r\nOrigin: http://gleaner.internal\r\n\
         Connection: close\r\nContent-Length: 0\r\n\r\n"
    );
    let answer = raw(proxy.addr, request).await;
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    assert!(at(&proxy, "/shelf").await.text().contains("one &amp; more"));
    // No site makes a link for another page, another form or another browser of its own.
    for foreign in [
        book.replace("%2Fone", "%2Ftwo"),
        book.replace("as=epub", "as=reader"),
        book.split("&key=").next().unwrap().to_owned(),
    ] {
        let count = site.requests().len();
        assert_eq!(get(&proxy, &foreign, &followed).await.status, 403, "{foreign}");
        assert_eq!(site.requests().len(), count, "{foreign}");
    }
    let other = [followed[0], followed[1], ("user-agent", "Other")];
    assert_eq!(get(&proxy, &book, &other).await.status, 403);
    proxy.stop().await;
    let proxy = TestProxy::start("").await;
    let shown = get(&proxy, &page, &[("accept", "text/html")]).await;
    assert!(!shown.text().contains("EPUB") && !shown.text().contains(">Keep<"), "{}", shown.text());
    proxy.stop().await;
}
