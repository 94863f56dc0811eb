//! What a household decides by device: lists and exceptions of a profile, services with hours, and safe search.

use std::fs;

use jiff::{Timestamp, ToSpan, tz::TimeZone};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::{after_minutes, at_localhost};
use crate::harness::{
    Origin, TestProxy,
    client::{Answer, connect_as},
    get,
    links::link,
    origin::{html, read_head, response},
    raw, send,
    wire::{soon, until},
};

const TABLET: (&str, &str) = ("user-agent", "Tablet");

/// The hash of `1234`, with as little work as is allowed.
fn password() -> String {
    use argon2::{Algorithm, Argon2, Params, PasswordHasher, Version, password_hash::SaltString};
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::new(64, 1, 1, None).unwrap());
    hasher.hash_password(b"1234", &SaltString::encode_b64(b"0123456789abcdef").unwrap()).unwrap().to_string()
}

/// Hours from so many hours before now to so many after, in the zone UTC.
fn hours(from: i64, to: i64) -> String {
    let at = |hours: i64| {
        Timestamp::now().to_zoned_datetime(TimeZone::UTC).saturating_add(hours.hours()).strftime("%H:%M").to_string()
    };
    format!("{}-{}", at(from), at(to))
}

async fn document(proxy: &TestProxy, url: &str, fields: &[(&str, &str)]) -> Answer {
    get(proxy, url, &[fields, &[("sec-fetch-dest", "document")]].concat()).await
}

#[tokio::test]
async fn a_profile_has_lists_exceptions_and_rules_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("ads.txt"), "||localhost^*/ad\n##.ad\n").unwrap();
    fs::write(dir.path().join("games.txt"), "||localhost^*/game\n##.game\n").unwrap();
    let origin = Origin::http(|_| {
        html("<!doctype html><main><p>The town clock has a single hand, and nobody minds.</p><div class=ad>Buy</div><div class=game>Play</div></main>")
    })
    .await;
    let path = dir.path().display();
    let proxy = TestProxy::start(&format!(
        "blocking: {{ lists: ['{path}/ads.txt'], dir: '{path}' }}\n\
         profiles:\n  kids: {{ blocking: {{ lists: ['{path}/ads.txt', '{path}/games.txt'], rules: ['! ours', '||localhost^*/own'] }} }}\n  \
         open: {{ blocking: {{ except: [localhost] }} }}\n\
         devices: [{{ user_agents: [Tablet], profile: kids }}, {{ user_agents: [Desk], profile: open }}]\n\
         filters: {{ order: [ad_servers], floor: {{ page_chars: 0, kept_chars: 0 }}, output: {{ style: original }} }}\n"
    ))
    .await;
    let blocks = async |agent: &str, path: &str| {
        let fields = [("user-agent", agent), ("referer", "http://127.0.0.1/news"), ("sec-fetch-dest", "script")];
        get(&proxy, &at_localhost(&origin, path), &fields).await.status == 403
    };
    for (agent, wanted) in [("Phone", "ad"), ("Tablet", "ad game own"), ("Desk", "")] {
        for path in ["ad", "game", "own"] {
            assert_eq!(blocks(agent, &format!("/{path}")).await, wanted.contains(path), "{agent} {path}");
        }
    }
    // The elements of pages too, and pages of one device are no pages of another to a cache.
    let page = async |agent: &str| document(&proxy, &origin.url("/news"), &[("user-agent", agent)]).await;
    let (phone, tablet) = (page("Phone").await, page("Tablet").await);
    assert!(!phone.text().contains("Buy") && phone.text().contains("Play"), "{}", phone.text());
    assert!(!tablet.text().contains("Buy") && !tablet.text().contains("Play"), "{}", tablet.text());
    // Sets with the same lists are compiled once.
    let lists: Vec<_> = proxy.proxy.blocker().lists().iter().map(|list| list.source.to_string()).collect();
    assert_eq!(lists.iter().filter(|list| list.ends_with("ads.txt")).count(), 1, "{lists:?}");
    proxy.stop().await;
}

#[tokio::test]
async fn a_service_is_blocked_in_its_hours_and_the_page_says_until_when() {
    let profiles = |hours: &str| {
        format!(
            "profiles: {{ kids: {{ blocking: {{ services: [youtube, tiktok@always], time_zone: UTC, schedule: {{ bed: '{hours}' }} }} }} }}\n\
             devices: [{{ user_agents: [Tablet], profile: kids }}]\n"
        )
    };
    let span = hours(-1, 1);
    let proxy = TestProxy::start(&profiles(&span)).await;
    let url = "http://www.youtube.com/watch?v=1";
    let page = document(&proxy, url, &[TABLET]).await;
    assert_eq!((page.status.as_u16(), page.header("gleaner")), (403, "blocked"));
    assert!(
        page.text().contains("YouTube is not open now") && page.text().contains(&span[6..]),
        "{span} {}",
        page.text()
    );
    let part = get(&proxy, "http://i.ytimg.com/x.jpg", &[TABLET, ("sec-fetch-dest", "image")]).await;
    assert_eq!((part.status.as_u16(), part.text()), (403, ""));
    let always = document(&proxy, "http://www.tiktok.com/", &[TABLET]).await;
    assert!(always.text().contains("It is blocked on this device."), "{}", always.text());
    // Neither a pause, which a child can begin, nor the link past a list opens it.
    let pause = get(&proxy, "http://gleaner.internal/pause", &[TABLET]).await;
    let form = pause.text().split("action=\"").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    let request = http::Request::post(format!("http://gleaner.internal{form}")).header("user-agent", "Tablet");
    assert_eq!(send(&proxy, request.body(http_body_util::Full::default()).unwrap()).await.status, 303);
    assert_eq!(document(&proxy, url, &[TABLET]).await.status, 403);
    // On other devices, and of other hosts, nothing is.
    assert_ne!(document(&proxy, url, &[("user-agent", "Phone")]).await.header("gleaner"), "blocked");
    assert_ne!(document(&proxy, "http://nottiktok.com/", &[TABLET]).await.header("gleaner"), "blocked");
    // A tunnel is refused whole.
    let connect = "CONNECT www.youtube.com:443 HTTP/1.1\r\nHost: www.youtube.com:443\r\nUser-Agent: Tablet\r\n\r\n";
    let refused = raw(proxy.addr, connect).await;
    assert!(refused.starts_with("HTTP/1.1 403") && refused.contains("YouTube is not open now"), "{refused}");

    proxy.reload(&profiles(&hours(2, 3)));
    assert_ne!(document(&proxy, url, &[TABLET]).await.header("gleaner"), "blocked");
    assert_eq!(document(&proxy, "http://www.tiktok.com/", &[TABLET]).await.header("gleaner"), "blocked");
    proxy.stop().await;
}

#[tokio::test]
async fn the_password_of_the_panel_opens_for_a_quarter_of_an_hour_on_one_device() {
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let proxy =
        TestProxy::start(&format!("blocking: {{ services: [everything] }}\npanel: {{ password: '{}' }}\n", password()))
            .await;
    let url = origin.url("/film");
    let blocked = document(&proxy, &url, &[]).await;
    assert_eq!(blocked.status, 403);
    let form = get(&proxy, &link(blocked.text(), "gleaner.internal/open?"), &[]).await;
    let hidden = |name: &str| super::super::panel::hidden(&form, name);
    let (token, page) = (hidden("token"), hidden("page"));
    assert_eq!(page, url);
    let post = async |token: &str, password: &str| {
        let form = [("token", token), ("page", &*url), ("password", password)];
        super::super::panel::post(&proxy, "/open", &form, &[]).await
    };
    assert_eq!(post("0123456789abcdef", "1234").await.status, 403);
    assert_eq!(post(&token, "4321").await.status, 401);
    assert_eq!(document(&proxy, &url, &[]).await.status, 403);
    let opened = post(&token, "1234").await;
    assert!(opened.status == 200 && opened.text().contains(&format!("href=\"{url}\"")), "{}", opened.text());
    assert_eq!(document(&proxy, &url, &[]).await.text(), "from the origin");
    for _ in 0..12 {
        post(&token, "guess").await;
    }
    assert_eq!(post(&token, "1234").await.status, 429);
    proxy.stop().await;
}

#[tokio::test]
async fn a_tunnel_ends_when_its_service_is_blocked() {
    let origin = Origin::echo().await;
    let proxy = TestProxy::start("https: { intercept: off }\n").await;
    let settings = "https: { intercept: off }\nblocking: { services: [everything@bed], time_zone: UTC, schedule: { bed: 'HOURS' } }\n";
    proxy.reload(&settings.replace("HOURS", &hours(2, 3)));
    let mut tunnel = connect_as(&proxy, &origin.addr.to_string(), "Tablet").await;
    tunnel.write_all(b"\0\x01hi!").await.unwrap();
    let mut bytes = [0; 5];
    tunnel.read_exact(&mut bytes).await.unwrap();
    proxy.reload(&settings.replace("HOURS", &hours(-1, 1)));
    after_minutes(1).await;
    let mut rest = Vec::new();
    // Whether it is an end or a reset does not matter.
    let _ = soon(tunnel.read_to_end(&mut rest)).await;
    assert!(rest.is_empty());
    proxy.stop().await;
}

#[tokio::test]
async fn safe_search_connects_to_the_engines_own_filtering_servers() {
    let (told, mut heads) = tokio::sync::mpsc::unbounded_channel::<String>();
    let parent_proxy = Origin::sockets(move |mut stream| {
        let told = told.clone();
        async move {
            let head = read_head(&mut stream).await;
            let _ = told.send(head.lines().next().unwrap_or_default().to_owned());
            let _ = stream.write_all(b"HTTP/1.1 502 told\r\nContent-Length: 0\r\n\r\n").await;
        }
    })
    .await;
    let proxy = TestProxy::start(&format!(
        "upstream: {{ via: [{{ proxy: 'http://{}' }}] }}\nhttps: {{ intercept: off }}\n\
         profiles: {{ kids: {{ blocking: {{ safe_search: moderate }} }}, small: {{ blocking: {{ safe_search: strict }} }} }}\n\
         devices: [{{ user_agents: [Tablet], profile: kids }}, {{ user_agents: [Reader], profile: small }}]\n",
        parent_proxy.addr
    ))
    .await;
    for (agent, host, wanted) in [
        ("Tablet", "www.google.de", "forcesafesearch.google.com"),
        ("Tablet", "www.youtube.com", "restrictmoderate.youtube.com"),
        ("Reader", "www.youtube.com", "restrict.youtube.com"),
        ("Reader", "duckduckgo.com", "safe.duckduckgo.com"),
        ("Tablet", "mail.google.com", "mail.google.com"),
        ("Phone", "www.google.de", "www.google.de"),
    ] {
        let connect = format!("CONNECT {host}:443 HTTP/1.1\r\nHost: {host}:443\r\nUser-Agent: {agent}\r\n\r\n");
        raw(proxy.addr, connect).await;
        let head = soon(heads.recv()).await.unwrap();
        assert_eq!(head, format!("CONNECT {wanted}:443 HTTP/1.1"), "{agent} {host}");
    }
    // Over plain HTTP too, where the other proxy is asked for a connection instead of the page.
    get(&proxy, "http://www.bing.com/search?q=x", &[TABLET]).await;
    assert_eq!(soon(heads.recv()).await.unwrap(), "CONNECT strict.bing.com:80 HTTP/1.1");
    get(&proxy, "http://www.bing.com/search?q=x", &[("user-agent", "Phone")]).await;
    assert_eq!(soon(heads.recv()).await.unwrap(), "GET http://www.bing.com/search?q=x HTTP/1.1");
    proxy.stop().await;
}

/// The test has one thread for the proxy and for its clients, as a machine of one processor has.
#[tokio::test]
async fn other_devices_are_answered_while_the_rules_of_one_are_compiled() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().display();
    let long = (0..200_000).map(|number| format!("||host{number}.example^$script,third-party\n"));
    let long = long.collect::<Vec<_>>().concat();
    fs::write(dir.path().join("first.txt"), "||localhost^*/x$important\n").unwrap();
    fs::write(dir.path().join("long.txt"), long + "||localhost^*/x\n").unwrap();
    let lists = format!("lists: ['{path}/first.txt', '{path}/long.txt']");
    let proxy = TestProxy::start(&format!(
        "blocking: {{ {lists}, dir: '{path}' }}\n\
         profiles: {{ kids: {{ blocking: {{ {lists}, except_by_list: {{ '{path}/first.txt': [127.0.0.1] }} }} }} }}\n\
         devices: [{{ user_agents: [Tablet], profile: kids }}]\n"
    ))
    .await;
    let origin = Origin::http(|_| response(&[], "from the origin")).await;
    let blocks = async |agent: &str| {
        let fields = [("user-agent", agent), ("referer", "http://127.0.0.1/news"), ("sec-fetch-dest", "script")];
        get(&proxy, &at_localhost(&origin, "/x"), &fields).await.status == 403
    };
    // The first request begins it. Until it is done the list that does not count forbids nothing, and afterwards the other does.
    assert!(!blocks("Tablet").await, "the request waited for the rules");
    for _ in 0..5 {
        assert!(blocks("Phone").await);
    }
    assert!(!blocks("Tablet").await, "the rules were compiled before the others were answered");
    until("the device's own rules hold", async || blocks("Tablet").await).await;
    proxy.stop().await;
}
