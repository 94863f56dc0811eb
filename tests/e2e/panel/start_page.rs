//! The start page: the one next step for each client, in every browser.

use std::process::Command;

use crate::harness::{Origin, TestProxy, browsers::Browser, get, optional, origin::html, raw};

const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Version/17.5 Mobile/15E148 Safari/604.1";
const KINDLE: &str = "Mozilla/5.0 (X11; U; Linux armv7l like Android; en-us) AppleWebKit/533.2+ (KHTML, like Gecko) \
                      Version/5.0 Safari/533.2+ Kindle/3.0+";

#[tokio::test]
async fn it_says_the_next_step_for_this_client() {
    let proxy = TestProxy::start("").await;
    let (ip, port) = (proxy.addr.ip(), proxy.addr.port());
    let request =
        format!("GET / HTTP/1.1\r\nHost: {}\r\nUser-Agent: {IPHONE}\r\nConnection: close\r\n\r\n", proxy.addr);
    let direct = raw(proxy.addr, request).await;
    assert!(direct.contains("Next: let this device use the proxy"), "{direct}");
    assert!(direct.contains(&format!("Server <strong>{ip}</strong>, port <strong>{port}</strong>")), "{direct}");
    assert!(direct.contains("Configure Proxy") && !direct.contains("check.css"), "{direct}");
    for (agent, certificate, profile) in [
        (IPHONE, "/gleaner.mobileconfig", "phone"),
        ("Mozilla/5.0 (Linux; Android 14) Chrome/140.0 Mobile Safari/537.36", "/ca.crt", "phone"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0", "/ca.crt", "desktop"),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "/ca.pem", "desktop"),
        ("Lynx/2.9.0", "/ca.pem", "text"),
    ] {
        let page = get(&proxy, "http://gleaner.internal/", &[("user-agent", agent)]).await;
        let button = format!("class=\"button\" href=\"{certificate}\"");
        assert!(page.text().contains("Next: let this browser trust") && page.text().contains(&button), "{agent}");
        assert!(page.text().contains(&format!("<strong>{profile}</strong>")), "{agent}: {}", page.text());
        assert!(page.text().contains(".gleaner.internal/check.css"), "{agent}");
        assert!(page.text().contains("blocked by the name of their host alone"), "{agent}");
    }
    let kindle = get(&proxy, "http://gleaner.internal/", &[("user-agent", KINDLE)]).await;
    assert!(
        kindle.text().contains("This reader uses the proxy")
            && kindle.text().contains("e-ink")
            // What a rule may name is at the end.
            && kindle.text().contains("Kindle/3.0+<"),
        "{}",
        kindle.text()
    );
    let off = TestProxy::start("https: { intercept: off }").await;
    let page = get(&off, "http://gleaner.internal/", &[]).await;
    assert!(page.text().contains("This device uses the proxy"), "{}", page.text());
    assert!(!off.ca_file().exists());
}

#[tokio::test]
async fn every_system_has_its_page_and_none_needs_a_script() {
    let proxy = TestProxy::start("").await;
    let start = get(&proxy, "http://gleaner.internal/", &[]).await;
    let links: Vec<_> =
        start.text().split("href=\"/steps/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert!(links.len() >= 9, "{links:?}");
    for link in links {
        let page = get(&proxy, &format!("http://gleaner.internal/steps/{link}"), &[]).await;
        assert_eq!(page.status, 200, "{link}");
        assert!(!page.text().contains("<script") && page.text().contains("<li>"), "{link}");
    }
    assert_eq!(get(&proxy, "http://gleaner.internal/steps/none", &[]).await.status, 404);
}

#[tokio::test]
async fn the_certificate_comes_as_an_apple_profile_too() {
    let proxy = TestProxy::start("").await;
    let profile = get(&proxy, "http://gleaner.internal/gleaner.mobileconfig", &[]).await;
    assert_eq!(profile.header("content-type"), "application/x-apple-aspen-config");
    let Some(python) = optional::program("python3", "python3") else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.mobileconfig");
    std::fs::write(&file, &profile.body).unwrap();
    let code = "import plistlib, sys; p = plistlib.load(open(sys.argv[1], 'rb')); \
                sys.stdout.buffer.write(p['PayloadContent'][0]['PayloadContent'])";
    let output = Command::new(python).args(["-c", code, file.to_str().unwrap()]).output().unwrap();
    let der = get(&proxy, "http://gleaner.internal/ca.crt", &[]).await;
    assert_eq!(output.stdout, der.body, "{output:?}");
}

/// The script is asked for as browsers do: at the proxy's address, and at `wpad` in the local domain.
#[tokio::test]
async fn a_browser_finds_the_proxy_by_its_script() {
    let proxy = TestProxy::start("https: { except: [bank.example] }").await;
    for (host, path, status) in [
        (proxy.addr.to_string(), "/proxy.pac", "200"),
        (proxy.addr.to_string(), "/wpad.dat", "200"),
        ("wpad.fritz.box".to_owned(), "/wpad.dat", "200"),
        ("wpad".to_owned(), "/wpad.dat", "200"),
        // A site can have its name lead here (DNS rebinding).
        ("wpad.evil.example".to_owned(), "/wpad.dat", "400"),
        ("evil.example".to_owned(), "/wpad.dat", "400"),
        ("wpad.fritz.box".to_owned(), "/", "400"),
    ] {
        let answer = raw(proxy.addr, format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}{path}: {answer}");
        let wanted = format!("\"PROXY {}; DIRECT\"", proxy.addr);
        assert_eq!(answer.contains(&wanted) && answer.contains("\"bank.example\": 1"), status == "200", "{answer}");
    }
    let Some(browser) = Browser::find() else { return };
    let pac = format!("--proxy-pac-url={}/proxy.pac", proxy.url());
    let dom = browser.dom_with(&[&pac], "http://gleaner.internal/".to_owned()).await;
    assert!(dom.contains("Next: let this browser trust"), "{dom}");
    // A private address is reached without the proxy.
    let origin = Origin::http(|_| html("<!doctype html><title>x</title><p>direct")).await;
    let dom = browser.dom_with(&[&pac, "--proxy-bypass-list=<-loopback>"], origin.url("/")).await;
    assert!(dom.contains("direct"), "{dom}");
    assert!(!origin.last().headers.contains_key("via") && !dom.contains("gleaner"), "{dom}");
    proxy.stop().await;
}

#[tokio::test]
async fn browsers_of_terminals_read_it() {
    let proxy = TestProxy::start("").await;
    for (program, arguments) in [
        ("lynx", &["-dump", "-nolist", "-width=72"][..]),
        ("w3m", &["-dump", "-cols", "72"]),
        ("links2", &["-dump", "-width", "72"]),
    ] {
        let Some(path) = optional::program(program, program) else { continue };
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(path);
        command.args(arguments).env("http_proxy", proxy.url()).env("HOME", home.path());
        if program == "links2" {
            command.args(["-http-proxy", &proxy.addr.to_string()]);
        }
        command.arg("http://gleaner.internal/");
        let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for words in ["Next: let this browser trust the proxy", "Get the certificate", "text", "E-readers"] {
            assert!(text.contains(words), "{program}: {words}: {text}");
        }
        assert!(!text.contains("All is set") && !text.contains('{'), "{program}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{program}: {text}");
    }
    proxy.stop().await;
}

/// Browsers ask for the script without a name and a password, and go on without the proxy where they do not get it.
#[tokio::test]
async fn its_script_needs_no_login_and_all_else_does() {
    let hash = gleaner::hash_password("right").unwrap();
    let proxy = TestProxy::start(&format!("access: {{ users: {{ anna: \"{hash}\" }} }}")).await;
    for (target, host, status) in [
        ("/proxy.pac", proxy.addr.to_string(), "200"),
        ("/wpad.dat", "wpad.fritz.box".to_owned(), "200"),
        ("/proxy.pac", "evil.example".to_owned(), "400"),
        ("/", proxy.addr.to_string(), "401"),
        ("/ca.pem", proxy.addr.to_string(), "401"),
        ("http://gleaner.internal/proxy.pac", "gleaner.internal".to_owned(), "407"),
        ("http://news.example/proxy.pac", "news.example".to_owned(), "407"),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = raw(proxy.addr, request).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{target} {host}: {answer}");
    }
    proxy.stop().await;
}
