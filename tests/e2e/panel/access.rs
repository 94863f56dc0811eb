//! Who may open the panel, and what other sites can do about it.

use std::fs;

use super::{PANEL, WRITTEN, hidden, post, with_file};
use crate::harness::{
    Origin, TestProxy, get, optional,
    origin::html,
    program::{Running, command},
    raw,
    webdriver::Window,
};

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
    for flag in ["; HttpOnly", "; SameSite=Lax", "; Path=/", "; Max-Age="] {
        assert!(cookie.contains(flag), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap();
    let site = "/settings/site?host=a.example";
    let then = hidden(&get(&proxy, &format!("http://gleaner.internal{site}"), &[]).await, "then");
    let fields = [("token", token.as_str()), ("password", "right"), ("then", &then)];
    assert_eq!(post(&proxy, "/login", &fields, &[]).await.header("location"), site);
    let with = [("cookie", cookie)];
    let health = get(&proxy, &format!("{PANEL}/health"), &with).await;
    assert!(health.text().contains("Memory") && health.text().contains("Log out"), "{}", health.text());
    // The token of the log-in page is not that of the session.
    let old = post(&proxy, "/panel/forget", &[("token", &token)], &with).await;
    assert_eq!(old.status, 403);
    assert_eq!(get(&proxy, PANEL, &[("cookie", "gleaner-panel=0000")]).await.status, 401);
    // The bar of a page links here.
    let link = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    let linked = [&with[..], &link].concat();
    assert_eq!(get(&proxy, "http://gleaner.internal/settings/site?host=a.example", &linked).await.status, 200);
    // Metrics are for this machine without it.
    assert_eq!(get(&proxy, "http://gleaner.internal/metrics", &[]).await.status, 200);

    let session = hidden(&health, "token");
    assert_eq!(post(&proxy, "/logout", &[("token", &session)], &with).await.status, 303);
    assert_eq!(get(&proxy, PANEL, &with).await.status, 401);
    for _ in 0..10 {
        assert_eq!(log_in("wrong").await.status, 401);
    }
    // The right one waits too, though it was right before: or guessing would go on.
    for password in ["wrong", "right"] {
        let stopped = log_in(password).await;
        assert_eq!((stopped.status.as_u16(), stopped.header("retry-after")), (429, "60"), "{password}");
    }
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
    proxy.reload(&of("two"));
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
        let arguments = ["--config", "c.yaml", "serve", "--listen", "0.0.0.0:0"];
        let mut running = Running::start(&mut command(dir.path(), &arguments));
        let proxy = running.address();
        let addr = std::net::SocketAddr::new(own, proxy.port());
        let ask = async |path: &str| {
            raw(addr, format!("GET {path} HTTP/1.1\r\nHost: {addr}\r\nConnection: close\r\n\r\n")).await
        };
        for path in ["/panel", "/panel/requests/live", "/settings", "/settings/site?host=a", "/metrics", "/healthz"] {
            let answer = ask(path).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{path}: {answer}");
        }
        assert!(ask("/").await.starts_with("HTTP/1.1 200"));
        // What to do for all devices, and by whom.
        let site = ask("/settings/site?host=news.example&page=https%3A%2F%2Fnews.example%2Fa").await;
        let there = format!("http://127.0.0.1:{}/settings/site?host=news.example", proxy.port());
        let rule = "sites: [{ hosts: [news.example], profile: off }]";
        let back = "<a href=\"https://news.example/a\">Back to the page</a>";
        assert_eq!(site.contains(&there) && site.contains(rule) && site.contains(back), status == "403", "{site}");
    }
    let proxy = TestProxy::start("panel: { enabled: false }").await;
    for (path, says) in
        [("panel", "panel.enabled: false"), ("settings/site?host=news.example", "hosts: [news.example], profile: off")]
    {
        let answer = get(&proxy, &format!("http://gleaner.internal/{path}"), &[]).await;
        assert!(answer.status == 404 && answer.text().contains("panel.enabled: false"), "{}", answer.text());
        assert!(answer.text().contains(says) && !answer.text().contains("panel.clients"), "{}", answer.text());
    }
    let problem = gleaner::Config::from_yaml("panel: { clients: [private] }", None).unwrap_err().to_string();
    assert!(problem.contains("panel.clients: other machines would need no password"), "{problem}");
}
