//! Other proxies between this one and web servers, by rule: real ones of each kind, and what becomes of a request without them.

mod parents;

use std::{
    fs,
    net::SocketAddr,
    process::Command,
    sync::{Arc, OnceLock},
};

use http::Request;
use http_body_util::Full;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpStream, UdpSocket},
};

use self::parents::{Parent, danted, microsocks, relay, squid, tinyproxy};
use crate::{
    harness::{
        Origin, PAGE, TestCa, TestProxy,
        client::{connect, run, send_h2},
        get, namespace,
        origin::{html, read_head, response},
        program::Program,
        raw,
        websocket::{talk, upgrade},
        wire::soon,
    },
    http::private_targets::{ELSEWHERE, SPELLINGS, watched},
};

/// What a request, a tunnel, an opened connection, a WebSocket, a list and a page for a reader have become: each 200 or what it says.
async fn everything(rule: &str, ca: &TestCa, folder: &std::path::Path) -> [String; 6] {
    let origin = Origin::http(|seen| match seen.uri.path() {
        "/list.txt" => response(&[], "||ads.example^\n"),
        _ => html(PAGE),
    })
    .await;
    let encrypted = Origin::https(ca, |_| html(PAGE)).await;
    let chat = Origin::sockets(upgrade).await;
    let via = format!(
        "upstream: {{ extra_ca_file: origins.pem, via: [{{ {rule} }}] }}\nread: {{ targets: ['127.0.0.1:1-65535'] }}\n"
    );
    let proxy = TestProxy::trusting(ca, &format!("{via}https: {{ intercept: on }}\n")).await;
    let tunnels = TestProxy::trusting(ca, &format!("{via}https: {{ intercept: off }}\n")).await;

    let forwarded = get(&proxy, &origin.url("/"), &[]).await;
    let read = get(&proxy, &format!("{}/read?url={}", proxy.url(), origin.url("/page")), &[]).await;
    let request = Request::get(format!("https://{}/", encrypted.addr)).body(Full::default()).unwrap();
    let opened = send_h2(&proxy, &encrypted.addr.to_string(), request).await;
    let answers = [&forwarded, &opened, &read].map(|answer| {
        if answer.status == 200 { "200".to_owned() } else { format!("{} {}", answer.status.as_u16(), answer.text()) }
    });

    let target = format!("127.0.0.1:{}", encrypted.addr.port());
    let mut tunnel = TcpStream::connect(tunnels.addr).await.unwrap();
    tunnel.write_all(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n").as_bytes()).await.unwrap();
    let head = read_head(&mut tunnel).await;
    let mut tunnelled = head.split(' ').nth(1).unwrap_or_default().to_owned();
    if tunnelled == "200" {
        let pem = folder.join("tunnelled.pem");
        fs::write(&pem, ca.pem()).unwrap();
        crate::harness::client::handshake(tunnel, &target, &pem, &[b"h2"]).await.unwrap();
    } else {
        tunnel.read_to_string(&mut tunnelled).await.unwrap();
    }

    let mut socket = TcpStream::connect(proxy.addr).await.unwrap();
    let chatted = if forwarded.status == 200 {
        talk(socket, &chat.url("/chat"), "x").await;
        "200".to_owned()
    } else {
        let request = format!(
            "GET {} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: abc\r\n\r\n",
            chat.url("/chat")
        );
        socket.write_all(request.as_bytes()).await.unwrap();
        read_head(&mut socket).await.split(' ').nth(1).unwrap_or_default().to_owned()
    };

    fs::write(folder.join("origins.pem"), ca.pem()).unwrap();
    let lists = format!("blocking: {{ lists: ['{}'], dir: lists }}\n", origin.url("/list.txt"));
    let config = folder.join("config.yaml");
    fs::write(&config, format!("access: {{ allow_targets: ['127.0.0.1:1-65535'] }}\n{via}{lists}")).unwrap();
    let mut update = Command::new(env!("CARGO_BIN_EXE_gleaner"));
    update.arg("--config").arg(&config).args(["lists", "update"]);
    let (well, text) = run(update).await;
    let listed = if well { "200".to_owned() } else { text };

    let was_reached = origin.connections() + encrypted.connections() + chat.connections() > 0;
    assert_eq!(was_reached, forwarded.status == 200, "{answers:?}");
    let [forwarded, opened, read] = answers;
    proxy.stop().await;
    tunnels.stop().await;
    [forwarded, tunnelled, opened, chatted, listed, read]
}

/// Everything goes through the parent, and nothing goes anywhere once it has ended.
async fn goes_through(parent: Option<Parent>, ca: &TestCa) {
    let Some(parent) = parent else { return };
    let folder = tempfile::tempdir().unwrap();
    // Its password is read after its end too.
    let Parent { rule, dir, running, .. } = parent;
    let all = Box::pin(everything(&rule, ca, folder.path())).await;
    assert_eq!(all, ["200"; 6].map(str::to_owned), "{rule}");
    drop(running);
    for (index, answer) in Box::pin(everything(&rule, ca, folder.path())).await.iter().enumerate() {
        assert!(!answer.starts_with("200"), "{rule}: {index}");
        // Only its status is known of a WebSocket.
        let has_words = answer == "502" || answer.contains("proxy behind Gleaner") || answer.contains("does not help");
        assert!(has_words, "{rule}: {index}: {answer}");
    }
    drop(dir);
}

#[tokio::test]
async fn tinyproxy_carries_everything_and_without_it_nothing_is_sent() {
    goes_through(tinyproxy("").await, &TestCa::new()).await;
}

#[tokio::test]
async fn squid_with_a_password_carries_everything_and_without_it_nothing_is_sent() {
    goes_through(squid("s3cret").await, &TestCa::new()).await;
}

#[tokio::test]
async fn microsocks_carries_everything_and_without_it_nothing_is_sent() {
    goes_through(microsocks(None).await, &TestCa::new()).await;
    goes_through(microsocks(Some("s3cret")).await, &TestCa::new()).await;
}

#[tokio::test]
async fn dante_carries_everything_and_without_it_nothing_is_sent() {
    goes_through(danted().await, &TestCa::new()).await;
}

#[tokio::test]
async fn a_proxy_over_tls_carries_everything_and_its_certificate_is_verified() {
    let Some(inner) = tinyproxy("").await else { return };
    let ca = TestCa::new();
    let outer = relay(inner.port, Some(&ca)).await;
    let folder = tempfile::tempdir().unwrap();
    let rule = format!("proxy: 'https://127.0.0.1:{}'", outer.addr.port());
    let all = Box::pin(everything(&rule, &ca, folder.path())).await;
    assert_eq!(all, ["200"; 6].map(str::to_owned));
    let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ {rule} }}] }}")).await;
    let answer = get(&proxy, "http://127.0.0.1:1/", &[]).await;
    assert_eq!(answer.status, 502);
    assert!(answer.text().contains("certificate cannot be trusted"), "{}", answer.text());
}

#[tokio::test]
async fn a_parent_that_wants_a_password_is_our_502_and_its_407_is_never_passed_on() {
    let Some(parent) = squid("s3cret").await else { return };
    let origin = Origin::http(|_| html(PAGE)).await;
    let wrong = parent.dir.path().join("wrong");
    parents::secret(&wrong, "guess\n");
    let address = format!("proxy: 'http://127.0.0.1:{}'", parent.port);
    for (rule, words) in [
        (address.clone(), "asks for a name and a password"),
        (format!("{address}, user: anna, password_file: '{}'", wrong.display()), "does not accept the name"),
    ] {
        let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ {rule} }}] }}")).await;
        let place = origin.addr;
        for request in [
            format!("GET http://{place}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
            format!("CONNECT {place} HTTP/1.1\r\nHost: {place}\r\nConnection: close\r\n\r\n"),
        ] {
            let answer = raw(proxy.addr, &request).await;
            assert!(answer.starts_with("HTTP/1.1 502") && answer.contains(words), "{request}: {answer}");
            assert!(!answer.to_lowercase().contains("proxy-authenticate"), "{answer}");
            assert!(!answer.contains("guess") && !answer.contains("anna"), "{answer}");
        }
    }
    assert_eq!(origin.connections(), 0);
    let Some(parent) = microsocks(Some("s3cret")).await else { return };
    let proxy =
        TestProxy::start(&format!("upstream: {{ via: [{{ proxy: 'socks5://127.0.0.1:{}' }}] }}", parent.port)).await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert!(answer.status == 502 && answer.text().contains("asks for a name and a password"), "{}", answer.text());
}

#[tokio::test]
async fn what_a_parent_says_when_it_refuses_is_told() {
    let Some(parent) = tinyproxy("ConnectPort 443").await else { return };
    let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ {} }}] }}", parent.rule)).await;
    let answer = raw(proxy.addr, "CONNECT 127.0.0.1:9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403") || answer.starts_with("HTTP/1.1 502"), "{answer}");
    let request = "CONNECT 127.0.0.1:8443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let answer = raw(proxy.addr, request).await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("it says: 403"), "{answer}");
    let Some(parent) = microsocks(None).await else { return };
    let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ {} }}] }}", parent.rule)).await;
    let answer = raw(proxy.addr, request).await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("it says: the connection was refused"), "{answer}");
}

/// A parent whose own way out is this proxy.
#[tokio::test]
async fn a_tunnel_that_comes_back_through_a_parent_is_found() {
    let back = Arc::new(OnceLock::<SocketAddr>::new());
    let to = Arc::clone(&back);
    let parent = Origin::sockets(move |mut stream| {
        let to = *to.get().unwrap();
        async move {
            let mut to = TcpStream::connect(to).await.unwrap();
            let _ = copy_bidirectional(&mut stream, &mut to).await;
        }
    })
    .await;
    let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ proxy: 'http://{}' }}] }}", parent.addr)).await;
    back.set(proxy.addr).unwrap();
    let asked = raw(proxy.addr, "CONNECT 127.0.0.1:8443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answer = soon(asked).await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("it says: 508"), "{answer}");
    assert_eq!(parent.connections(), 1);
}

#[tokio::test]
async fn plain_requests_to_all_origins_share_connections_to_the_parent() {
    let Some(parent) = squid("s3cret").await else { return };
    let relay = relay(parent.port, None).await;
    let rule = parent.rule.replace(&parent.port.to_string(), &relay.addr.port().to_string());
    let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ {rule} }}] }}")).await;
    let origins = [Origin::http(|_| html(PAGE)).await, Origin::http(|_| html(PAGE)).await];
    for _ in 0..3 {
        for origin in &origins {
            let answer = get(&proxy, &origin.url("/a?b"), &[]).await;
            assert_eq!(answer.status, 200, "{}", answer.text());
            let seen = origin.last();
            assert_eq!(seen.uri.to_string(), "/a?b");
            assert_eq!(seen.headers["host"], origin.addr.to_string());
            assert!(!seen.headers.contains_key("proxy-authorization"), "{seen:?}");
        }
    }
    assert_eq!(relay.connections(), 1);
    // A log-in of the connection itself has one of its own.
    let answer = get(&proxy, &origins[0].url("/"), &[("authorization", "NTLM abc")]).await;
    assert_eq!((answer.status.as_u16(), relay.connections()), (200, 2));
}

#[tokio::test]
async fn rules_hold_for_hosts_and_clients_and_refuse_sends_nothing() {
    let Some(parent) = microsocks(None).await else { return };
    let relay = relay(parent.port, None).await;
    let origin = Origin::http(|_| html(PAGE)).await;
    let proxy = TestProxy::start(&format!(
        "upstream:\n  via:\n  - {{ hosts: [refused.example], proxy: refuse }}\n  - {{ clients: [127.0.0.2], proxy: 'socks5://127.0.0.1:{}' }}\n",
        relay.addr.port()
    ))
    .await;
    for (from, host, status, through) in [
        (1, "127.0.0.1", 200, 0),
        (2, "127.0.0.1", 200, 1),
        (1, "refused.example", 403, 1),
        (2, "www.refused.example", 403, 1),
    ] {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(([127, 0, 0, from], 0).into()).unwrap();
        let mut stream = socket.connect(proxy.addr).await.unwrap();
        let request =
            format!("GET http://{host}:{}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", origin.addr.port());
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        soon(stream.read_to_string(&mut answer)).await.unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{from} {host}: {answer}");
        assert_eq!(relay.connections(), through, "{from} {host}");
    }
    let answer = raw(proxy.addr, "CONNECT refused.example:443 HTTP/1.1\r\nHost: x\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("upstream.via"), "{answer}");
    let metrics = get(&proxy, "http://gleaner.internal/metrics", &[]).await;
    for line in [
        "gleaner_upstream_way_total{way=\"direct\"} 1".to_owned(),
        format!("gleaner_upstream_way_total{{way=\"socks5://127.0.0.1:{}\"}} 1", relay.addr.port()),
        "gleaner_upstream_way_total{way=\"refuse\"} 3".to_owned(),
    ] {
        assert!(metrics.text().contains(&line), "{line}: {}", metrics.text());
    }
    let requests = get(&proxy, "http://gleaner.internal/panel/requests", &[]).await;
    assert!(requests.text().contains("way: socks5://127.0.0.1"), "{}", requests.text());
}

#[tokio::test]
async fn what_is_closed_to_everybody_stays_closed_through_a_parent() {
    let (parent, mut told) = watched().await;
    let port = parent.addr.port();
    for scheme in ["http", "socks5"] {
        let proxy = TestProxy::start(&format!(
            "access: {{ connect_ports: [{port}] }}\nupstream: {{ via: [{{ proxy: '{scheme}://127.0.0.1:{port}' }}] }}"
        ))
        .await;
        for host in SPELLINGS.iter().chain(&ELSEWHERE).chain(&["a.localhost", "metadata.google.internal"]) {
            for request in [
                format!("GET http://{host}:{port}/ HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n\r\n"),
                format!("CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"),
            ] {
                let answer = raw(proxy.addr, &request).await;
                let status = answer.split(' ').nth(1).unwrap_or_default();
                assert!(status == "403" || (!host.is_ascii() && status == "400"), "{request}: {answer}");
            }
        }
        // A page of the internet leads to a name that only the parent can resolve.
        let page = [("referer", "http://site.example/"), ("user-agent", "Mozilla/5.0"), ("accept", "image/*")];
        let answer = get(&proxy, "http://printer.lan/reboot", &page).await;
        assert!(answer.status == 403 && answer.text().contains("a name of the home network"), "{}", answer.text());
        // Ports of other protocols, and one that is open for an address alone.
        for target in ["mail.example:25", "shell.example:22"] {
            let answer = raw(proxy.addr, format!("CONNECT {target} HTTP/1.1\r\nHost: x\r\n\r\n")).await;
            assert!(answer.starts_with("HTTP/1.1 403"), "{target}: {answer}");
        }
        assert!(told.try_recv().is_err(), "{scheme}: the parent was asked");
    }
    // Where private targets are refused, so are the names of private networks.
    let proxy = TestProxy::start(&format!(
        "access: {{ private_targets: refuse }}\nupstream: {{ via: [{{ proxy: 'http://127.0.0.1:{port}' }}] }}"
    ))
    .await;
    for host in ["router.lan", "intranet", "192.168.1.1"] {
        assert_eq!(get(&proxy, &format!("http://{host}/"), &[]).await.status, 403, "{host}");
    }
    assert!(told.try_recv().is_err());
    // Itself, which would go round and round.
    let itself = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let program = Program::start(
        "sh",
        "",
        &format!("listen: '{itself}'\nupstream: {{ via: [{{ proxy: 'http://{itself}' }}] }}\n"),
    );
    let answer = raw(program.addr, "GET http://a.example/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 502") && answer.contains("this proxy itself"), "{answer}");
}

#[tokio::test]
async fn a_parent_that_never_answers_is_given_up() {
    let silent = Origin::sockets(|stream| async move {
        let _stream = stream;
        std::future::pending::<()>().await;
    })
    .await;
    for scheme in ["http", "socks5"] {
        let proxy = TestProxy::start(&format!(
            "timeouts: {{ parent_seconds: 1 }}\nupstream: {{ via: [{{ proxy: '{scheme}://{}' }}] }}",
            silent.addr
        ))
        .await;
        let answer = soon(raw(proxy.addr, "CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 504") && answer.contains("in time"), "{scheme}: {answer}");
    }
}

#[tokio::test]
async fn the_environment_is_obeyed_where_it_is_asked_for() {
    let Some(parent) = tinyproxy("").await else { return };
    let relay = relay(parent.port, None).await;
    let origin = Origin::http(|_| html(PAGE)).await;
    let before =
        format!("export HTTP_PROXY=http://127.0.0.1:{}; unset http_proxy no_proxy NO_PROXY", relay.addr.port());
    for (yaml, through) in [("upstream: { environment: true }", 0), ("", 0)] {
        let program = Program::start("sh", &before, yaml);
        let request = format!("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", origin.url("/"));
        let answer = raw(program.addr, &request).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        // This machine is always an exception.
        assert_eq!(relay.connections(), through);
    }
    let program = Program::start("sh", &before, "upstream: { environment: true }");
    let answer =
        raw(program.addr, "GET http://nowhere.invalid/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(relay.connections() == 1 && answer.contains("inyproxy"), "{answer}");
}

#[tokio::test]
async fn explain_tells_the_way_and_the_rule() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("config.yaml");
    let rules = "upstream: { via: [{ hosts: [onion], proxy: 'socks5://127.0.0.1:9050' }] }";
    fs::write(&config, rules).unwrap();
    for (url, words) in [
        ("https://a.onion/", "way        socks5://127.0.0.1:9050 (upstream.via[0])"),
        ("http://a.example/", "way        direct (no rule fits)"),
    ] {
        let mut explain = Command::new(env!("CARGO_BIN_EXE_gleaner"));
        explain.arg("--config").arg(&config).args(["explain", url]);
        let (well, text) = run(explain).await;
        assert!(well && text.contains(words), "{text}");
    }
}

/// Counts the questions for names that this machine asks.
async fn name_server() -> std::sync::Arc<std::sync::atomic::AtomicUsize> {
    let asked = std::sync::Arc::<std::sync::atomic::AtomicUsize>::default();
    let count = asked.clone();
    let socket = UdpSocket::bind("127.77.0.1:53").await.unwrap();
    tokio::spawn(async move {
        let mut query = [0; 512];
        while let Ok((length, client)) = socket.recv_from(&mut query).await {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            // No such name (RFC 1035 § 4.1.1).
            let mut answer = query[..length].to_vec();
            (answer[2], answer[3]) = (0x81, 0x83);
            let _ = socket.send_to(&answer, client).await;
        }
    });
    asked
}

#[tokio::test]
async fn names_go_to_socks_without_a_question_to_a_name_server() {
    const BEFORE: &str = "echo 'nameserver 127.77.0.1' >/tmp/gleaner-resolv.$$; mount --bind /tmp/gleaner-resolv.$$ /etc/resolv.conf; \
                          rm /tmp/gleaner-resolv.$$";
    let name = "upstream::via::names_go_to_socks_without_a_question_to_a_name_server";
    if !namespace::enter(name, BEFORE) {
        return;
    }
    let asked = name_server().await;
    let questions = || asked.load(std::sync::atomic::Ordering::Relaxed);
    let origin = Origin::http(|_| html(PAGE)).await;
    let Some(parent) = parents::microsocks_that_knows("127.0.0.1 site.example").await else { return };
    let port = origin.addr.port();
    let allowed = format!("access: {{ allow_targets: ['127.0.0.1:1-65535'], connect_ports: [{port}] }}\n");
    let proxy = TestProxy::start(&format!("{allowed}upstream: {{ via: [{{ {} }}] }}", parent.rule)).await;
    for _ in 0..3 {
        let answer = get(&proxy, &format!("http://site.example:{port}/"), &[]).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        let mut tunnel = connect(&proxy, &format!("site.example:{port}")).await;
        tunnel.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
        assert!(read_head(&mut tunnel).await.starts_with("HTTP/1.1 200"));
    }
    assert_eq!(questions(), 0);
    let proxy = TestProxy::start(&allowed).await;
    assert_eq!(get(&proxy, &format!("http://site.example:{port}/"), &[]).await.status, 502);
    assert!(questions() > 0, "the name server is the one that would be asked");
}

/// Without a network Tor takes the name and finds no way to it.
#[tokio::test]
async fn tor_is_given_the_name_and_what_it_cannot_reach_is_told() {
    const ONION: &str = "duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad";
    if !namespace::enter("upstream::via::tor_is_given_the_name_and_what_it_cannot_reach_is_told", "") {
        return;
    }
    let Some(parent) = parents::tor().await else { return };
    let proxy = TestProxy::start(&format!("upstream: {{ via: [{{ hosts: [onion], {} }}] }}", parent.rule)).await;
    let answer = get(&proxy, &format!("http://{ONION}.onion/"), &[]).await;
    assert!(answer.status == 502 && answer.text().contains("it says: "), "{}", answer.text());
    let log = fs::read_to_string(parent.dir.path().join("log")).unwrap();
    assert!(log.contains(&format!("No descriptor found in our cache for {ONION}")), "{log}");
}
