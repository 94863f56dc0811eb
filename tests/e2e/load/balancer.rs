//! Behind a load balancer: the PROXY protocol, readiness, and two proxies that share a folder behind `HAProxy`.

use std::{
    collections::BTreeMap,
    fs,
    net::{IpAddr, SocketAddr},
    path::Path,
    process::Command,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
    time::{Instant, sleep},
};

use crate::harness::{
    Origin,
    client::{free_port, listens},
    optional,
    origin::html,
    program::{Program, Running},
    wire::{soon, until},
};

const PAGE: &str = "<!doctype html><html lang=en><title>The clock</title><nav><a href=/a>CLUTTER</a> <a href=/b>CLUTTER</a></nav>\
<article><h1>The clock</h1><p>The town clock has a single hand. When it was built nobody needed minutes, and when somebody \
did, the council found that a second hand would cost as much as a bridge.</p><p>So it still points between the numbers, and \
the town reads it well enough to be late by choice. Visitors set their watches by the bakery.</p></article>";

/// The address of the balancer in the tests without one.
const BALANCER: &str = "127.0.0.2";

/// A port that is free now.
/// A proxy whose health address is beside it, with this balancer in front, for which pages of one client pass.
fn replica(balancer: &str, folder: &Path, passes_for: &str) -> (Program, SocketAddr) {
    let (port, health) = (free_port(), SocketAddr::from(([127, 0, 0, 1], free_port())));
    let yaml = format!(
        "listen: [{{ address: '127.0.0.1:{port}', proxy_protocol: [{balancer}] }}]
health: {{ listen: '{health}' }}
limits: {{ drain_seconds: 3 }}
authority: {{ dir: '{}' }}
access: {{ clients: [loopback, private], allow_targets: ['127.0.0.1:1-65535'] }}
devices: [{{ clients: [{passes_for}], profile: 'off' }}]
",
        folder.display()
    );
    (Program::start("sh", "", &yaml), health)
}

/// What the proxy answers to these bytes from this address, until it closes.
async fn answer(from: &str, to: SocketAddr, bytes: &[u8]) -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
    let mut stream = socket.connect(to).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an end too.
    let _ = soon(stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// Whether a page passed, without a bar and what else a rewritten one has.
fn is_untouched(page: &str) -> bool {
    page.contains("single hand") && !page.contains("gleaner-controls")
}

fn request(origin: &Origin) -> String {
    format!("GET {} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n", origin.url("/page"))
}

#[tokio::test]
async fn the_client_that_a_balancer_names_counts_and_others_may_name_none() {
    let origin = Origin::http(|_| html(PAGE)).await;
    let folder = tempfile::tempdir().unwrap();
    let (proxy, _) = replica(BALANCER, folder.path(), "192.168.7.7");
    let request = request(&origin);
    let through = |client: &str| format!("PROXY TCP4 {client} 10.0.0.1 5000 8118\r\n{request}");
    let page = answer(BALANCER, proxy.addr, through("192.168.7.8").as_bytes()).await;
    assert!(page.contains("single hand") && !is_untouched(&page), "{page}");
    let page = answer(BALANCER, proxy.addr, through("192.168.7.7").as_bytes()).await;
    assert!(is_untouched(&page), "{page}");
    // The rules on clients are asked for the client, not for the balancer.
    let refused = answer(BALANCER, proxy.addr, through("203.0.113.7").as_bytes()).await;
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    assert_eq!(answer(BALANCER, proxy.addr, request.as_bytes()).await, "");
    // Another machine asks as itself, and its header is no request.
    let page = answer("127.0.0.1", proxy.addr, request.as_bytes()).await;
    assert!(page.contains("single hand"), "{page}");
    let refused = answer("127.0.0.1", proxy.addr, through("192.168.7.7").as_bytes()).await;
    assert!(refused.starts_with("HTTP/1.1 400") && refused.matches("HTTP/1.1").count() == 1, "{refused}");
    let binary =
        [b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c".as_slice(), &[192, 168, 7, 7, 10, 0, 0, 1, 1, 1, 1, 1]].concat();
    let refused = answer("127.0.0.1", proxy.addr, &[&binary, request.as_bytes()].concat()).await;
    assert!(!refused.contains("200 OK"), "{refused}");
    let page = answer(BALANCER, proxy.addr, &[&binary, request.as_bytes()].concat()).await;
    assert!(is_untouched(&page), "{page}");
}

#[tokio::test]
async fn readiness_has_an_address_of_its_own_and_ends_before_the_listener() {
    let folder = tempfile::tempdir().unwrap();
    let (proxy, health) = replica(BALANCER, folder.path(), "192.168.7.7");
    for (request, wanted) in [
        ("GET /readyz HTTP/1.0\r\n\r\n", "ok"),
        ("GET /healthz HTTP/1.1\r\nHost: anything.example\r\nConnection: close\r\n\r\n", "ok"),
        ("GET /metrics HTTP/1.0\r\n\r\n", "gleaner_client_connections"),
        ("GET /panel HTTP/1.0\r\n\r\n", "404"),
        ("GET http://gleaner.internal/ HTTP/1.0\r\n\r\n", "404"),
    ] {
        let answer = answer("127.0.0.1", health, request.as_bytes()).await;
        assert!(answer.contains(wanted), "{request}: {answer}");
    }
    proxy.signal("TERM");
    let ready = async || answer("127.0.0.1", health, b"GET /readyz HTTP/1.0\r\n\r\n").await;
    until("it is not ready", async || ready().await.contains("503")).await;
    let page = answer("127.0.0.1", proxy.addr, b"GET http://gleaner.internal/ HTTP/1.0\r\n\r\n").await;
    assert!(page.contains(" 200 "), "{page}");
}

/// `HAProxy` with the file that is shipped, in front of these.
fn haproxy(program: &Path, folder: &Path, port: u16, replicas: &[(&Program, SocketAddr)]) -> Running {
    let shipped = include_str!("../../../contrib/haproxy.cfg");
    let mut config = shipped.replace("bind :8118", &format!("bind 127.0.0.1:{port}")).replace(" port 8119", "");
    for (at, (proxy, health)) in [("10.0.0.11:8118", replicas[0]), ("10.0.0.12:8118", replicas[1])] {
        assert!(config.contains(at), "{config}");
        config = config.replace(at, &format!("{} port {}", proxy.addr, health.port()));
    }
    let file = folder.join("haproxy.cfg");
    fs::write(&file, config).unwrap();
    Running::start(Command::new(program).args(["-db", "-f"]).arg(file))
}

#[tokio::test]
async fn behind_haproxy_each_client_keeps_its_profile_and_a_restart_fails_no_request() {
    const CLIENTS: u8 = 200;
    let Some(program) = optional::program("haproxy", "haproxy") else { return };
    let origin = Origin::http(|_| html(PAGE)).await;
    let folder = tempfile::tempdir().unwrap();
    let replicas = [(); 2].map(|()| replica("127.0.0.1", folder.path(), "127.0.7.0/25"));
    let port = free_port();
    let _haproxy =
        haproxy(&program, folder.path(), port, &[(&replicas[0].0, replicas[0].1), (&replicas[1].0, replicas[1].1)]);
    let addr = SocketAddr::from(([127, 0, 0, 1], port));
    let request = request(&origin);
    listens(addr).await;
    until("it answers", async || !answer("127.0.0.1", addr, request.as_bytes()).await.is_empty()).await;
    for _ in 0..2 {
        for last in 0..CLIENTS {
            let page = answer(&format!("127.0.7.{last}"), addr, request.as_bytes()).await;
            assert_eq!(is_untouched(&page), last < 128, "{last}: {page}");
        }
    }
    // Both have work.
    for (_, health) in &replicas {
        let metrics = answer("127.0.0.1", *health, b"GET /metrics HTTP/1.0\r\n\r\n").await;
        let served = metrics.lines().find_map(|line| line.strip_prefix("gleaner_pages_rewritten_total "));
        assert!(served.unwrap().trim().parse::<u32>().unwrap() > 20, "{metrics}");
    }
    replicas[0].0.signal("TERM");
    let (mut failed, mut slowest) = (BTreeMap::new(), Duration::ZERO);
    for number in 0..250_u8 {
        let begun = Instant::now();
        let from = IpAddr::from([127, 0, 7, number]).to_string();
        let page = answer(&from, addr, request.as_bytes()).await;
        slowest = slowest.max(begun.elapsed());
        if !page.contains("single hand") {
            failed.insert(number, page);
        }
        sleep(Duration::from_millis(20).saturating_sub(begun.elapsed())).await;
    }
    println!("the slowest of 250 requests beside a restart took {slowest:?}");
    assert!(failed.is_empty(), "{failed:?}");
}

/// The texts of the configurations in these files, by the keys that they are under.
fn shipped_configurations(yaml: &str, places: &[&[&str]]) -> Vec<String> {
    let documents = serde_yaml::Deserializer::from_str(yaml);
    let documents: Vec<serde_yaml::Value> =
        documents.map(|document| serde::Deserialize::deserialize(document).unwrap()).collect();
    let found = documents.iter().flat_map(|document| {
        places.iter().filter_map(move |keys| keys.iter().try_fold(document, |tree, key| tree.get(key))?.as_str())
    });
    found.map(str::to_owned).collect()
}

#[test]
fn what_is_shipped_for_several_copies_is_a_configuration() {
    let compose = include_str!("../../../contrib/compose.yaml");
    let cluster = include_str!("../../../contrib/kubernetes.yaml");
    let own = shipped_configurations(compose, &[&["configs", "one", "content"], &["configs", "two", "content"]]);
    let pods = shipped_configurations(cluster, &[&["data", "lists.yaml"], &["data", "gleaner.yaml"]]);
    assert_eq!((own.len(), pods.len()), (2, 2));
    for pair in [own, pods] {
        let configs: Vec<_> =
            pair.iter().map(|text| gleaner::Config::from_yaml(text, None).expect("it is valid")).collect();
        // One copy fetches the lists into the folder that both read.
        assert!(configs[0].blocking.update && !configs[1].blocking.update);
        assert_eq!(configs[0].blocking.dir, configs[1].blocking.dir);
        assert_eq!(configs[0].authority_dir, configs[1].authority_dir);
        assert!(configs.iter().all(|config| config.health.listen.is_some() && config.limits.drain_seconds > 0));
    }
    let Some(program) = optional::program("haproxy", "haproxy") else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("haproxy.cfg");
    fs::write(&file, shipped_configurations(compose, &[&["configs", "haproxy", "content"]]).concat()).unwrap();
    let checked = Command::new(program).arg("-c").arg("-f").arg(&file).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}
