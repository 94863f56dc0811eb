//! The panel: who may open it, what it shows, and what it changes.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use http::Request;
use http_body_util::Full;
use tokio::{io::AsyncReadExt, net::TcpStream, time::timeout};

use crate::harness::{
    Origin, TestProxy,
    client::Answer,
    get, optional,
    origin::html,
    program::{Program, Running},
    raw, send,
    webdriver::Window,
};

const PANEL: &str = "http://gleaner.internal/panel";

/// A configuration as a person writes it.
const WRITTEN: &str = "# At home\n\
    access: { allow_targets: ['127.0.0.1:1-65535', '[::1]:1-65535'] } # tests\n\
    authority: { dir: authority }\n\n\
    filters:\n  # what goes\n  ignore:\n    comments: true # always\n  floor: { kept_chars: 1 }\n\
    sites:\n  # the bank\n  - { hosts: [bank.example], profile: off } # never\n";

const ARTICLE: &str = "<!doctype html><title>Clocks</title><main><h1>Clocks</h1><p>The clock of the town has a single hand, and \
    nobody ever minded that.<p><img src=/clock.png alt='the clock' width=300 height=200><p>It is wound each morning.</main>";

/// A proxy whose file is this one, and which follows it.
async fn with_file() -> (TestProxy, PathBuf) {
    let proxy = TestProxy::start("").await;
    let file = proxy.proxy.config_file().unwrap();
    fs::write(&file, WRITTEN).unwrap();
    gleaner::reload::reload(&proxy.proxy, |_| {});
    assert_eq!(proxy.proxy.reload_error(), None);
    tokio::spawn(gleaner::reload::watch(Arc::clone(&proxy.proxy), |_| {}));
    (proxy, file)
}

/// The value of a hidden field.
fn hidden(page: &Answer, name: &str) -> String {
    let (_, rest) =
        page.text().split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("{}", page.text()));
    rest.split('"').next().unwrap().to_owned()
}

/// Sends a form of the panel, with these fields of the header.
async fn post(proxy: &TestProxy, path: &str, form: &[(&str, &str)], fields: &[(&str, &str)]) -> Answer {
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let mut request = Request::post(format!("http://gleaner.internal{path}"));
    for (name, value) in fields {
        request = request.header(*name, *value);
    }
    send(proxy, request.body(Full::from(form)).unwrap()).await
}

#[tokio::test]
async fn it_counts_what_was_done_and_forgets_addresses_within_sites() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("filters: { floor: { kept_chars: 1 } }").await;
    get(&proxy, &origin.url("/secret-path?secret=query"), &[("cookie", "secret=cookie")]).await;
    get(&proxy, "http://ad.doubleclick.net/x.js", &[]).await;
    let overview = get(&proxy, PANEL, &[]).await;
    for shown in
        ["<dt>pages rewritten</dt><dd>1</dd>", "<dt>requests blocked</dt><dd>1</dd>", "doubleclick.net", "this machine"]
    {
        assert!(overview.text().contains(shown), "{shown}: {}", overview.text());
    }
    let requests = get(&proxy, &format!("{PANEL}/requests"), &[]).await;
    assert!(requests.text().contains("rewritten: 100% kept"), "{}", requests.text());
    assert!(
        !requests.text().contains("secret") && !requests.text().contains("gleaner.internal:"),
        "{}",
        requests.text()
    );
    let one = get(&proxy, &format!("{PANEL}/requests?host=double&device=127.0.0.1"), &[]).await;
    assert!(one.text().contains("blocked by") && !one.text().contains("rewritten:"), "{}", one.text());
    let other = get(&proxy, &format!("{PANEL}/requests?device=192.0.2.1"), &[]).await;
    assert!(!other.text().contains("<td>"), "{}", other.text());
    proxy.stop().await;
}

#[tokio::test]
async fn requests_appear_as_they_come() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("").await;
    let mut live = TcpStream::connect(proxy.addr).await.unwrap();
    let ask = "GET http://gleaner.internal/panel/requests/live?host=127 HTTP/1.1\r\nHost: x\r\n\r\n";
    tokio::io::AsyncWriteExt::write_all(&mut live, ask.as_bytes()).await.unwrap();
    let mut seen = String::new();
    let read = async |live: &mut TcpStream, seen: &mut String, wanted: &str| {
        let mut bytes = [0; 4096];
        while !seen.contains(wanted) {
            let count = timeout(Duration::from_secs(20), live.read(&mut bytes)).await.expect(wanted).unwrap();
            assert!(count > 0, "{seen}");
            seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
    };
    read(&mut live, &mut seen, "text/event-stream").await;
    get(&proxy, "http://ad.doubleclick.net/x.js", &[]).await;
    get(&proxy, &origin.url("/"), &[]).await;
    read(&mut live, &mut seen, "</tr>").await;
    assert!(seen.contains("data: <tr>") && seen.contains("127.0.0.1") && !seen.contains("doubleclick"), "{seen}");
    // It does not hold up the end of the program.
    timeout(Duration::from_secs(5), proxy.stop()).await.unwrap();

    let proxy = TestProxy::start("").await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&format!("{PANEL}/requests?host=127.0.0.1")).await;
    window.until("document.querySelector('[role=status]')?.textContent.startsWith('New')").await;
    get(&proxy, &origin.url("/"), &[]).await;
    window.until("document.querySelectorAll('#requests tbody tr').length > 0").await;
    window.click("main button[type=button]").await;
    assert!(window.text().await.contains("Paused."));
}

#[tokio::test]
async fn other_sites_can_neither_read_it_nor_change_anything() {
    let (proxy, file) = with_file().await;
    let page = get(&proxy, "http://gleaner.internal/settings/ignore", &[]).await;
    let policy = page.header("content-security-policy");
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("form-action 'self'"), "{policy}");
    assert_eq!(page.header("cross-origin-resource-policy"), "same-origin");
    assert_eq!(page.header("access-control-allow-origin"), "");
    let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
    let change = |token: &'static str| [("token", token), ("do", "commit"), ("filters/ignore/forms", "true")];
    for (fields, wanted) in [
        (&[("sec-fetch-site", "cross-site"), ("origin", "http://evil.example")][..], "Another site"),
        (&[("sec-fetch-site", "same-site"), ("origin", "http://evil.gleaner.internal")], "Another site"),
        (&[("origin", "null")], "Another site"),
        (&[("origin", "http://127.0.0.1")], "Another site"),
        (&[], "older page"),
    ] {
        let answer = post(&proxy, "/settings/ignore", &change("0123456789abcdef"), fields).await;
        assert_eq!(answer.status, 403, "{fields:?}");
        assert!(answer.text().contains(wanted), "{fields:?}: {}", answer.text());
    }
    // With the right token too, should it ever leak.
    let form = [("token", token.as_str()), ("stamp", &stamp), ("do", "commit"), ("filters/ignore/forms", "true")];
    let answer = post(&proxy, "/settings/ignore", &form, &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(answer.status, 403);
    let read = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")];
    assert_eq!(get(&proxy, PANEL, &read).await.status, 403);
    assert_eq!(get(&proxy, "http://c1.gleaner.internal/panel", &[]).await.status, 404);
    // A name that is made to resolve to this machine.
    for head in
        ["GET /panel HTTP/1.1\r\nHost: evil.example", "GET http://evil.example/panel HTTP/1.1\r\nHost: evil.example"]
    {
        let answer = raw(proxy.addr, format!("{head}\r\nConnection: close\r\n\r\n")).await;
        assert!(!answer.starts_with("HTTP/1.1 200") && !answer.contains("Overview"), "{answer}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
    // Ours is taken.
    let answer = post(
        &proxy,
        "/settings/ignore",
        &form,
        &[("origin", "http://gleaner.internal"), ("sec-fetch-site", "same-origin")],
    )
    .await;
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert!(fs::read_to_string(&file).unwrap().contains("    comments: true # always\n    forms: true\n"));
}

/// A page that tries what it can, in a browser on this machine.
#[tokio::test]
async fn a_hostile_page_in_a_browser_on_this_machine_gets_nothing() {
    let hostile = "<!doctype html><title>evil</title><iframe id=frame src='http://gleaner.internal/panel'></iframe>\
        <form id=form method=post action='http://gleaner.internal/settings/site' target=other>\
        <input name=host value=victim.example><input name=choice value=never><input name=token value=0></form>\
        <iframe name=other></iframe><script>\
        const results = {}; window.results = results;\
        fetch('http://gleaner.internal/panel').then(r => r.text()).then(t => results.cors = t, () => results.cors = 'refused');\
        fetch('http://gleaner.internal/panel', {mode: 'no-cors'}).then(r => r.text()).then(t => results.opaque = t, () => results.opaque = 'refused');\
        const source = new EventSource('http://gleaner.internal/panel/requests/live');\
        source.onmessage = () => results.live = 'read'; source.onerror = () => results.live ??= 'refused';\
        fetch('http://gleaner.internal/settings/site', {method: 'POST', mode: 'no-cors', body: new URLSearchParams({host: 'victim.example', choice: 'never'})})\
        .then(() => results.sent = 'answered', () => results.sent = 'refused');\
        document.getElementById('form').submit();</script>";
    let origin = Origin::http(move |_| html(hostile)).await;
    let (proxy, file) = with_file().await;
    // Its scripts run.
    fs::write(&file, format!("{WRITTEN}rewrite: {{ enabled: false }}\n")).unwrap();
    gleaner::reload::reload(&proxy.proxy, |_| {});
    let before = fs::read_to_string(&file).unwrap();
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&origin.url("/")).await;
    window.until("window.results.cors && window.results.opaque && window.results.live && window.results.sent").await;
    let results = window.run("return window.results").await;
    assert_eq!(results["cors"], "refused", "{results}");
    assert_eq!(results["live"], "refused", "{results}");
    assert!(results["opaque"] == "" || results["opaque"] == "refused", "{results}");
    let framed = window.run("try { return document.getElementById('frame').contentDocument?.body.innerText ?? 'closed' } catch (e) { return 'closed' }").await;
    assert!(framed == "closed" || framed == "", "{framed}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
}

#[tokio::test]
async fn a_password_is_asked_for_and_guessing_is_stopped() {
    let hash = gleaner::hash_password("right").unwrap();
    let proxy = TestProxy::start(&format!("panel: {{ password: \"{hash}\" }}")).await;
    let asked = get(&proxy, &format!("{PANEL}/health"), &[]).await;
    assert_eq!(asked.status, 401);
    assert!(asked.text().contains("Password of the panel") && !asked.text().contains("Memory"), "{}", asked.text());
    let token = hidden(&asked, "token");
    let log_in = async |password: &str| {
        post(&proxy, "/login", &[("token", token.as_str()), ("password", password), ("then", "/panel/health")], &[])
            .await
    };
    let let_in = log_in("right").await;
    assert_eq!((let_in.status.as_u16(), let_in.header("location")), (303, "/panel/health"));
    let cookie = let_in.header("set-cookie").to_owned();
    for flag in ["; HttpOnly", "; SameSite=Strict", "; Path=/", "; Max-Age="] {
        assert!(cookie.contains(flag), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    let with = [("cookie", cookie)];
    let health = get(&proxy, &format!("{PANEL}/health"), &with).await;
    assert!(health.text().contains("Memory") && health.text().contains("Log out"), "{}", health.text());
    // The token of the log-in page is not that of the session.
    let old = post(&proxy, "/panel/forget", &[("token", &token)], &with).await;
    assert_eq!(old.status, 403);
    assert_eq!(get(&proxy, PANEL, &[("cookie", "gleaner-panel=0000")]).await.status, 401);
    // A link from another site comes without the cookie: the page asks for itself.
    let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    let again = get(&proxy, "http://gleaner.internal/settings/site?host=a.example", &link).await;
    assert!(again.text().contains("url=/settings/site?host=a.example&amp;from-here=1"), "{}", again.text());
    // Metrics are for this machine without it.
    assert_eq!(get(&proxy, "http://gleaner.internal/metrics", &[]).await.status, 200);

    let session = hidden(&health, "token");
    assert_eq!(post(&proxy, "/logout", &[("token", &session)], &with).await.status, 303);
    assert_eq!(get(&proxy, PANEL, &with).await.status, 401);
    for _ in 0..10 {
        assert_eq!(log_in("wrong").await.status, 401);
    }
    let stopped = log_in("wrong").await;
    assert_eq!((stopped.status.as_u16(), stopped.header("retry-after")), (429, "60"));
    proxy.stop().await;
}

#[tokio::test]
async fn another_password_ends_all_sessions() {
    let of = |password: &str| format!("panel: {{ password: \"{}\" }}", gleaner::hash_password(password).unwrap());
    let proxy = TestProxy::start(&of("one")).await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&format!("{PANEL}/requests")).await;
    window.type_into("#password", "one").await;
    window.click("main button").await;
    window.until("document.body.innerText.includes('What happened')").await;
    proxy.save(&of("two"));
    gleaner::reload::reload(&proxy.proxy, |_| {});
    window.go(PANEL).await;
    assert!(window.text().await.contains("Password of the panel"));
}

/// Seen from an address of this machine that is not loopback.
#[tokio::test]
async fn other_machines_see_the_start_page_only() {
    let Some(own) = gleaner::local_addresses().into_iter().find(std::net::IpAddr::is_ipv4) else {
        return optional::skip("this machine has no address but loopback");
    };
    let hash = gleaner::hash_password("right").unwrap();
    for (panel, status) in
        [(String::new(), "403"), (format!("panel: {{ clients: ['{own}'], password: \"{hash}\" }}\n"), "401")]
    {
        let dir = tempfile::tempdir().unwrap();
        let text = format!("access: {{ clients: [loopback, '{own}'] }}\nauthority: {{ dir: ca }}\n{panel}");
        fs::write(dir.path().join("c.yaml"), text).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gleaner"));
        command.args(["--config", "c.yaml", "serve", "--listen", "0.0.0.0:0"]).current_dir(dir.path());
        let mut running = Running::start(&mut command);
        let proxy: std::net::SocketAddr = running.wait_for("proxy ").parse().unwrap();
        let addr = std::net::SocketAddr::new(own, proxy.port());
        let ask = async |path: &str| {
            raw(addr, format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n")).await
        };
        for path in ["/panel", "/panel/requests/live", "/settings", "/settings/site?host=a", "/metrics", "/healthz"] {
            let answer = ask(path).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        }
        assert!(ask("/").await.starts_with("HTTP/1.1 200"));
    }
    let problem = gleaner::Config::from_yaml("panel: { clients: [private] }", None).unwrap_err().to_string();
    assert!(problem.contains("panel.clients: other machines would need no password"), "{problem}");
}

#[tokio::test]
async fn a_switch_changes_the_file_and_the_next_page() {
    let origin = Origin::http(|seen| if seen.uri.path() == "/clock.png" { html("") } else { html(ARTICLE) }).await;
    let (proxy, file) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go(&origin.url("/page")).await;
    assert_eq!(window.run("return document.images.length").await, 1);
    window.go("http://gleaner.internal/settings").await;
    window.run("[...document.links].find(link => link.textContent == 'Ignore').click()").await;
    window.until("document.getElementById('filters/ignore/non_link_images')").await;
    window.click("[id='filters/ignore/non_link_images']").await;
    window.click("button[value=commit]").await;
    window.until("document.body.innerText.includes('Saved.')").await;
    let written = WRITTEN.replace("true # always\n", "true # always\n    non_link_images: true\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    assert_eq!(fs::read_to_string(file.with_extension("yaml.bak")).unwrap(), WRITTEN);
    // The file is watched.
    let shown = async {
        while get(&proxy, &origin.url("/page"), &[]).await.text().contains("<img") {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(20), shown).await.unwrap();
    window.go(&origin.url("/page?again")).await;
    assert_eq!(window.run("return document.images.length").await, 0);

    // Cancel changes nothing, and an edit of the file shows at once.
    window.go("http://gleaner.internal/settings/ignore").await;
    window.click("[id='filters/ignore/non_link_images']").await;
    window.run("[...document.links].find(link => link.textContent == 'Cancel').click()").await;
    fs::write(&file, WRITTEN).unwrap();
    window.go("http://gleaner.internal/settings/ignore").await;
    assert_eq!(window.run("return document.getElementById('filters/ignore/non_link_images').checked").await, false);
}

#[tokio::test]
async fn forms_say_what_is_wrong_where_it_is_and_save_nothing() {
    let (proxy, file) = with_file().await;
    let page = get(&proxy, "http://gleaner.internal/settings/advanced", &[]).await;
    let (token, stamp) = (hidden(&page, "token"), hidden(&page, "stamp"));
    let mut form = vec![("token", token.as_str()), ("stamp", &stamp), ("do", "commit")];
    form.push(("filters/main_block/min_share", "7"));
    let wrong = post(&proxy, "/settings/advanced", &form, &[]).await;
    assert_eq!(wrong.status, 422);
    let said = gleaner::Config::from_yaml("filters: { main_block: { min_share: 7 } }", None).unwrap_err().to_string();
    let (_, said) = said.split_once("filters.main_block.min_share: ").unwrap();
    let field = wrong.text().split("id=\"filters/main_block/min_share\"").nth(1).unwrap();
    let field = &field[..field.find("</div>").unwrap()];
    assert!(field.contains("value=\"7\"") && field.contains("aria-invalid=\"true\""), "{field}");
    assert!(field.contains(&said.replace('`', "</code>").replace("</code>", "")[..20]), "{said}: {field}");
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
    // Somebody else was faster.
    fs::write(&file, format!("{WRITTEN}# faster\n")).unwrap();
    form[3] = ("filters/main_block/min_share", "0.5");
    let stale = post(&proxy, "/settings/advanced", &form, &[]).await;
    assert!(stale.status == 409 && stale.text().contains("changed by somebody else"), "{}", stale.text());
}

#[tokio::test]
async fn a_page_is_shown_before_and_after() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let (proxy, file) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    window.go("http://gleaner.internal/settings/ignore").await;
    window.click("[id='filters/ignore/non_link_images']").await;
    window.type_into("#address", &origin.url("/page")).await;
    window.click("button[value=preview]").await;
    window.until("document.querySelectorAll('iframe').length == 2").await;
    let pictures = "return [...document.querySelectorAll('iframe')].map(frame => frame.srcdoc.includes('<img'))";
    assert_eq!(window.run(pictures).await, serde_json::json!([true, false]), "{}", window.text().await);
    let changed = "return document.getElementById('filters/ignore/non_link_images').checked";
    assert_eq!(window.run(changed).await, true, "what was chosen is kept in the form");
    assert_eq!(fs::read_to_string(&file).unwrap(), WRITTEN);
}

#[tokio::test]
async fn one_site_is_always_or_never_rewritten() {
    let (proxy, file) = with_file().await;
    let Some(window) = Window::open(&proxy).await else { return };
    for (label, rule) in [
        ("Never touch this site", "  - { hosts: [news.example], profile: off }\n"),
        ("Always rewrite its pages", "  - { hosts: [news.example], profile: desktop }\n"),
        ("As on other sites", ""),
    ] {
        window.go("http://gleaner.internal/settings/site?host=news.example").await;
        window
            .run(&format!(
                "[...document.querySelectorAll('button')].find(button => button.textContent == '{label}').click()"
            ))
            .await;
        window.until("document.body.innerText.includes('Saved.')").await;
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains(rule) && text.contains("  - { hosts: [bank.example], profile: off } # never\n"),
            "{label}: {text}"
        );
        assert!(gleaner::Config::from_yaml(&text, None).is_ok(), "{text}");
    }
}

#[tokio::test]
async fn without_a_file_it_offers_to_make_one() {
    let dir = tempfile::tempdir().unwrap();
    let proxy = TestProxy::without_file(&dir.path().join("gleaner/config.yaml")).await;
    let page = get(&proxy, "http://gleaner.internal/settings/ignore", &[]).await;
    assert!(page.text().contains("Create it") && !page.text().contains("value=\"commit\""), "{}", page.text());
    let token = hidden(&page, "token");
    assert_eq!(post(&proxy, "/settings/create", &[("token", &token)], &[]).await.status, 303);
    let text = fs::read_to_string(dir.path().join("gleaner/config.yaml")).unwrap();
    assert_eq!(text, gleaner::config::starter(false));
    let page = get(&proxy, "http://gleaner.internal/settings/ignore", &[]).await;
    assert!(page.text().contains("value=\"commit\""), "{}", page.text());
}

#[tokio::test]
async fn what_is_remembered_of_a_device_is_forgotten() {
    let proxy = TestProxy::start("").await;
    get(&proxy, "http://gleaner.internal/ca.pem", &[]).await;
    let Some(()) = crate::harness::client::curl(&proxy, &["https://c1.gleaner.internal/check.css"]).await.map(drop)
    else {
        return;
    };
    let health = get(&proxy, &format!("{PANEL}/health"), &[]).await;
    assert!(health.text().contains("Forget 127.0.0.1"), "{}", health.text());
    let form = [("token", &*hidden(&health, "token")), ("device", "127.0.0.1")];
    assert_eq!(post(&proxy, "/panel/forget", &form, &[]).await.status, 303);
    let health = get(&proxy, &format!("{PANEL}/health"), &[]).await;
    assert!(health.text().contains("None has shown yet"), "{}", health.text());
}

#[tokio::test]
async fn metrics_are_bounded_and_readable() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("filters: { floor: { kept_chars: 1 } }").await;
    get(&proxy, &origin.url("/"), &[]).await;
    get(&proxy, &origin.url("/"), &[("x-requested-with", "XMLHttpRequest")]).await;
    let metrics = get(&proxy, "http://gleaner.internal/metrics", &[]).await;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    for line in [
        "gleaner_pages_rewritten_total 1\n",
        "gleaner_pages_passed_total{reason=\"fetched-by-script\"} 1\n",
        "gleaner_requests_total{route=\"forward\",status=\"2xx\"} 2\n",
        "gleaner_page_added_seconds_bucket{le=\"+Inf\"} 1\n",
        "gleaner_list_rules{list=\"builtin\"} ",
        "# EOF\n",
    ] {
        assert!(metrics.text().contains(line), "{line}: {}", metrics.text());
    }
    assert!(!metrics.text().contains("127.0.0.1"), "{}", metrics.text());
    for path in ["healthz", "readyz"] {
        assert_eq!(get(&proxy, &format!("http://gleaner.internal/{path}"), &[]).await.text(), "ok\n");
    }
}

/// systemd's side of `Type=notify-reload`.
#[tokio::test]
async fn systemd_is_told_how_the_service_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let socket = tokio::net::UnixDatagram::bind(&path).unwrap();
    let program = Program::start("sh", &format!("export NOTIFY_SOCKET={}", path.display()), "");
    let said = async || {
        let mut bytes = [0; 200];
        let count = timeout(Duration::from_secs(10), socket.recv(&mut bytes)).await.unwrap().unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    };
    assert_eq!(said().await.trim(), "READY=1");
    program.signal("HUP");
    assert!(said().await.starts_with("RELOADING=1\nMONOTONIC_USEC="));
    assert_eq!(said().await.trim(), "READY=1");
    program.signal("TERM");
    assert_eq!(said().await.trim(), "STOPPING=1");
}

#[tokio::test]
async fn lynx_reads_it() {
    let origin = Origin::http(|_| html(ARTICLE)).await;
    let proxy = TestProxy::start("").await;
    get(&proxy, &origin.url("/"), &[]).await;
    for (path, words) in [
        ("panel", &["Overview", "pages rewritten", "this machine", "127.0.0.1"][..]),
        ("panel/requests", &["What happened", "127.0.0.1", "GET 200"]),
        ("panel/health", &["connections open", "builtin"]),
        ("settings/ignore", &["Scripts", "Commit", "Cancel"]),
        ("settings/site?host=a.example", &["Never touch this site"]),
    ] {
        let Some(lynx) = optional::program("lynx", "lynx") else { return };
        let home = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(lynx);
        command.args(["-dump", "-nolist", "-width=72"]).env("http_proxy", proxy.url()).env("HOME", home.path());
        let (_, text) = crate::harness::client::run({
            command.arg(format!("http://gleaner.internal/{path}"));
            command
        })
        .await;
        for word in words {
            assert!(text.contains(word), "{path}: {word}: {text}");
        }
        assert!(!text.contains("{margin") && !text.contains("function"), "{text}");
    }
}

/// Nothing serious, at the width of a small phone and of a desk, and nothing wider than the window.
#[tokio::test]
async fn axe_finds_nothing_serious() {
    let Some(axe) = std::env::var_os("GLEANER_AXE").and_then(|file| fs::read_to_string(file).ok()) else {
        return optional::skip("GLEANER_AXE names no axe.min.js; .ci/run shows where it comes from");
    };
    let (proxy, _) = with_file().await;
    let origin = Origin::http(|_| html(ARTICLE)).await;
    get(&proxy, &origin.url("/"), &[]).await;
    let Some(window) = Window::open(&proxy).await else { return };
    let tabs = [
        "",
        "/ignore",
        "/advanced",
        "/output",
        "/lists",
        "/profiles",
        "/devices",
        "/sites",
        "/proxy",
        "/site?host=a.example",
    ];
    let settings = tabs.map(|tab| format!("settings{tab}"));
    for path in ["panel", "panel/requests", "panel/health"].map(str::to_owned).into_iter().chain(settings) {
        for (width, height) in [(1280, 800), (320, 640)] {
            window.resize(width, height).await;
            window.go(&format!("http://gleaner.internal/{path}")).await;
            let found = window
                .run(&format!(
                    "{axe};return axe.run({{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}}).then(found => \
                     found.violations.map(one => one.impact + ' ' + one.id + ' ' + one.nodes[0].html))"
                ))
                .await;
            assert_eq!(found, serde_json::json!([]), "{path} at {width}");
            let wide =
                window.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth").await;
            assert_eq!(wide, 0, "{path} at {width} is wider than the window");
        }
    }
}
