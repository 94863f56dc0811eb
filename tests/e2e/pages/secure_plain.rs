//! `secure: plain`: browsers that cannot speak today's TLS get in clear what is encrypted on the web.

use std::process::Command;

use http::{Response, StatusCode};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{Answer, get, run, send},
    namespace, optional,
    origin::{html, response},
};

const AGENT: (&str, &str) = ("user-agent", "OldBrowser/3.0");

const SETTINGS: &str = "profiles: { vintage: { secure: plain }, own: { secure: plain } }\n\
    devices: [{ user_agents: [OldBrowser, Lynx/, w3m/, Links], profile: vintage }, { user_agents: [Second], profile: own }]";

const TEXT: &str = "The lamp was lit at dusk by a keeper who came by boat, and the light was seen from twelve miles away in fair weather. ";

/// A site that is on the web over TLS and leads there from HTTP, but for one page; another that is in clear alone.
struct Sites {
    clear: Origin,
    secure: Origin,
    old: Origin,
}

fn page(more: &str) -> String {
    format!(
        "<!doctype html><title>Lamp</title><meta http-equiv=content-security-policy content=upgrade-insecure-requests><h1>Lamp</h1><main>{}{more}</main>",
        format!("<p>{TEXT}{TEXT}</p>").repeat(6)
    )
}

fn moved(to: &str) -> Response<http_body_util::Full<bytes::Bytes>> {
    let mut answer = response(&[("location", to)], "");
    *answer.status_mut() = StatusCode::MOVED_PERMANENTLY;
    answer
}

impl Sites {
    /// Two of them under names and the ports of the web.
    async fn start(ca: &TestCa) -> Self {
        namespace::set_names(&[("site.example", "127.0.0.1"), ("other.example", "127.0.0.1"), ("old.example", "::1")]);
        let clear = Origin::at(("127.0.0.1", 80), |request| match request.uri.path() {
            "/only-clear" => html(page("")),
            path => {
                let host = request.headers["host"].to_str().unwrap();
                moved(&format!("https://{host}{path}"))
            }
        });
        let tls = ca.server(&["site.example", "other.example"], &[b"h2", b"http/1.1"], |_| {});
        let secure = Origin::tls_at(("127.0.0.1", 443), tls.into(), |request| match request.uri.path() {
            path @ ("/only-clear" | "/loop") => moved(&format!("http://site.example{path}")),
            "/moved" => moved("https://other.example/there"),
            "/log-in" => html(page("").replace("<main>", "<main><form action=/in method=post>").replacen(
                "</p>",
                " <input name=n> <input type=password name=p> <input type=submit></p>",
                1,
            )),
            _ => {
                let more = "<p><a href=\"https://other.example/next\">Next lamp</a> <a href=\"https://old.example/\">Old lamp</a> \
                    <img src=\"https://site.example/lamp.png\" alt=lamp width=300 height=200>\
                    <form action=\"https://site.example/find\"><input name=q><input type=submit value=Find></form>";
                let mut answer = html(page(more));
                for (name, value) in [
                    ("strict-transport-security", "max-age=1000"),
                    ("content-security-policy", "upgrade-insecure-requests"),
                    ("set-cookie", "sid=1; Path=/; Secure; SameSite=None"),
                ] {
                    answer.headers_mut().insert(name, value.parse().unwrap());
                }
                answer
            }
        });
        let old = Origin::at(("::1", 80), |_| html(page("")));
        let (clear, secure, old) = tokio::join!(clear, secure, old);
        Self { clear, secure, old }
    }

    /// Requests so far: in clear and over TLS.
    fn counts(&self) -> (usize, usize) {
        (self.clear.requests().len(), self.secure.requests().len())
    }
}

async fn ask(proxy: &TestProxy, url: &str, fields: &[(&str, &str)]) -> Answer {
    get(proxy, url, &[&[AGENT, ("accept", "text/html")], fields].concat()).await
}

#[tokio::test]
async fn what_is_encrypted_comes_in_clear() {
    if !namespace::enter("pages::secure_plain::what_is_encrypted_comes_in_clear", "") {
        return;
    }
    let ca = TestCa::new();
    let sites = Sites::start(&ca).await;
    let proxy = TestProxy::trusting(&ca, SETTINGS).await;
    // To the client the redirect is none: it would lead to the same address.
    let answer = ask(&proxy, "http://site.example/", &[]).await;
    assert_eq!((answer.status, sites.counts()), (StatusCode::OK, (1, 1)));
    let text = answer.text();
    assert!(text.contains("Lamp") && !text.contains("https://"), "{text}");
    for address in ["http://other.example/next", "http://site.example/lamp.png", "action=\"http://site.example/find\""]
    {
        assert!(text.contains(address), "{address}: {text}");
    }
    assert!(text.contains("<strong>Not encrypted here"), "{text}");
    assert_eq!(answer.header("set-cookie"), "sid=gleaner-secure.1; Path=/");
    assert!(!answer.headers.contains_key("strict-transport-security"));
    let policies = answer.headers.get_all("content-security-policy").iter();
    assert_eq!(
        policies.filter(|policy| policy.to_str().unwrap().contains("upgrade")).count(),
        0,
        "{:?}",
        answer.headers
    );
    // From now on the host is asked over TLS, and told what it knows.
    let sent = [
        ("cookie", "sid=gleaner-secure.1; free=2"),
        ("referer", "http://site.example/"),
        ("origin", "http://site.example"),
    ];
    ask(&proxy, "http://site.example/again", &sent).await;
    assert_eq!(sites.counts(), (1, 2));
    let seen = sites.secure.last().headers;
    assert_eq!(
        [&seen["cookie"], &seen["referer"], &seen["origin"]],
        ["sid=1; free=2", "https://site.example/", "https://site.example"]
    );
    // So is one that a link has named.
    let answer = ask(&proxy, "http://other.example/next", &[]).await;
    assert_eq!((answer.status, sites.counts()), (StatusCode::OK, (1, 3)));
    let answer = ask(&proxy, "http://site.example/moved", &[]).await;
    assert_eq!(
        (answer.status, answer.header("location")),
        (StatusCode::MOVED_PERMANENTLY, "http://other.example/there")
    );
    let answer = ask(&proxy, "http://site.example/log-in", &[]).await;
    assert!(answer.text().contains("<strong>Type no password here"), "{}", answer.text());
    // A site in clear gets no secure cookie. One without TLS that a link had named is asked in clear after the first failure.
    let failed = ask(&proxy, "http://old.example/", &sent).await;
    assert_eq!((failed.status, sites.old.requests().len()), (StatusCode::BAD_GATEWAY, 0));
    let answer = ask(&proxy, "http://old.example/", &sent).await;
    assert!(answer.status == StatusCode::OK && !answer.text().contains("Not encrypted"), "{}", answer.text());
    let seen = sites.old.last().headers;
    assert!(seen["cookie"] == "free=2" && !seen.contains_key("referer"), "{seen:?}");
    proxy.stop().await;
}

#[tokio::test]
async fn no_redirect_leads_on_for_ever() {
    if !namespace::enter("pages::secure_plain::no_redirect_leads_on_for_ever", "") {
        return;
    }
    let ca = TestCa::new();
    let sites = Sites::start(&ca).await;
    let proxy = TestProxy::trusting(&ca, SETTINGS).await;
    let answer = ask(&proxy, "http://site.example/loop", &[]).await;
    assert_eq!((answer.status, sites.counts()), (StatusCode::BAD_GATEWAY, (1, 1)));
    for words in
        ["The web site leads nowhere", "The site site.example:443 leads from http to https and back, without an end"]
    {
        assert!(answer.text().contains(words), "{}", answer.text());
    }
    // A page that its site has in clear alone comes in clear, though the host is known.
    ask(&proxy, "http://site.example/", &[]).await;
    assert_eq!(sites.counts(), (2, 2));
    let answer = ask(&proxy, "http://site.example/only-clear", &[]).await;
    assert_eq!((answer.status, sites.counts()), (StatusCode::OK, (3, 3)));
    assert!(!answer.text().contains("Not encrypted"), "{}", answer.text());
    // A form is sent again by the browser, as it is led to.
    let form =
        http::Request::post("http://site.example/form").header("user-agent", AGENT.1).header("accept", "text/html");
    let answer = send(&proxy, form.body("a=1".into()).unwrap()).await;
    assert_eq!((answer.status, answer.header("location")), (StatusCode::MOVED_PERMANENTLY, "http://site.example/form"));
    ask(&proxy, "http://site.example/form", &[]).await;
    assert_eq!(sites.counts(), (4, 4));
    proxy.stop().await;
}

#[tokio::test]
async fn other_devices_are_led_to_tls_and_other_styles_work() {
    if !namespace::enter("pages::secure_plain::other_devices_are_led_to_tls_and_other_styles_work", "") {
        return;
    }
    let ca = TestCa::new();
    let sites = Sites::start(&ca).await;
    let proxy = TestProxy::trusting(&ca, SETTINGS).await;
    let answer = get(&proxy, "http://site.example/", &[("accept", "text/html")]).await;
    assert_eq!((answer.header("location"), sites.counts()), ("https://site.example/", (1, 0)));
    let second = [("accept", "text/html"), ("user-agent", "Second")];
    let answer = get(&proxy, "http://site.example/", &second).await;
    let text = answer.text();
    assert!(text.contains("http://other.example/next") && !text.contains("https://"), "{text}");
    assert!(text.contains("<strong>Not encrypted here"), "{text}");
    // Another view of it.
    let at = text.find("gleaner-view=").unwrap();
    let start = text[..at].rfind('"').unwrap() + 1;
    let link = text[start..].split('"').next().unwrap().replace("&amp;", "&");
    assert!(link.starts_with("http://site.example/?gleaner-view="), "{link}");
    let view = get(&proxy, &link, &second).await;
    assert!(view.status == StatusCode::OK && view.text().contains("lit at dusk"), "{:?} {}", view.status, view.text());
    proxy.stop().await;
}

#[tokio::test]
async fn browsers_without_tls_read_an_encrypted_page() {
    if !namespace::enter("pages::secure_plain::browsers_without_tls_read_an_encrypted_page", "") {
        return;
    }
    let ca = TestCa::new();
    let sites = Sites::start(&ca).await;
    let proxy = TestProxy::trusting(&ca, SETTINGS).await;
    let address = proxy.addr.to_string();
    for (program, arguments) in [
        ("lynx", &["-dump", "-width=100"][..]),
        ("w3m", &["-dump", "-cols", "100"]),
        ("links2", &["-dump", "-width", "100", "-http-proxy", &address]),
    ] {
        let Some(path) = optional::program(program, program) else { continue };
        let home = tempfile::tempdir().unwrap();
        let before = sites.counts();
        let mut command = Command::new(&path);
        command.args(arguments).env("http_proxy", proxy.url()).env("no_proxy", "").env("HOME", home.path());
        command.arg("http://site.example/");
        let (well, text) = run(command).await;
        assert!(well && text.contains("lit at dusk") && text.contains("Not encrypted here"), "{program}: {text}");
        assert!(sites.counts().1 > before.1, "{program}");
        assert!(sites.clear.requests().len() <= 1, "{program}: {:?}", sites.counts());
        assert!(program != "lynx" || text.contains("http://other.example/next"), "{text}");
    }
    proxy.stop().await;
}
