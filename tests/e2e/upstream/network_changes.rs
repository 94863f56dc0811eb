//! The network under kept connections changes: other addresses after a change of Wi-Fi, a VPN, a dock, sleep; routers that
//! forget. The first request is answered in time all the same.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use http::Request;
use http_body_util::Full;
use tokio::{
    io::AsyncWriteExt,
    net::TcpListener,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    TestCa, TestProxy,
    client::send_h2,
    frames::{END_HEADERS, END_STREAM, Frames, HEADERS, STATUS_200, frame},
    namespace::{self, ip},
    origin::read_head,
};

/// The origin has an address of its own, and hosts have a name for it. Connections to it come from another.
const BEFORE: &str = "ip addr add 10.77.0.1/32 dev lo; ip addr add 10.77.0.2/32 dev lo; \
    ip route replace local 10.77.0.1 dev lo table local src 10.77.0.2; \
    echo '10.77.0.1 origin.test' >/tmp/gleaner-hosts-$$; mount --bind /tmp/gleaner-hosts-$$ /etc/hosts; \
    rm -f /tmp/gleaner-hosts-$$ || true";
const SETTINGS: &str = "https: { intercept: on }\naccess: { allow_targets: ['10.77.0.1:1-65535'] }";

/// Changes of the network.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// The machine has another address.
    Address,
    /// Packets to the old one of two addresses are lost.
    Forgotten,
}

impl Change {
    /// Makes the network as it is before the change.
    fn prepare(self, to: u8) {
        if matches!(self, Self::Forgotten) {
            ip(&format!("addr add 10.77.0.{to}/32 dev lo"));
        }
    }

    fn happens(self, to: u8) {
        if matches!(self, Self::Address) {
            ip(&format!("addr add 10.77.0.{to}/32 dev lo"));
        }
        ip(&format!("route replace local 10.77.0.1 dev lo table local src 10.77.0.{to}"));
        let from = to - 1;
        match self {
            Self::Address => ip(&format!("addr del 10.77.0.{from}/32 dev lo")),
            Self::Forgotten => {
                ip(&format!("route del local 10.77.0.{from} dev lo table local"));
                ip(&format!("route add blackhole 10.77.0.{from}/32 table local"));
            }
        }
    }
}

/// An origin over TLS with this protocol, whose connections and requests are counted. It leaves every request without an
/// answer whose number is `silent`.
async fn origin(ca: &TestCa, port: u16, is_2: bool, silent: usize) -> [Arc<AtomicUsize>; 2] {
    let alpn: &[&[u8]] = if is_2 { &[b"h2"] } else { &[b"http/1.1"] };
    let tls: TlsAcceptor = ca.server(&["origin.test"], alpn, |_| {}).into();
    let listener = TcpListener::bind(("10.77.0.1", port)).await.unwrap();
    let counts = [(); 2].map(|()| Arc::<AtomicUsize>::default());
    let [connections, requests] = counts.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (tls, requests) = (tls.clone(), Arc::clone(&requests));
            connections.fetch_add(1, Relaxed);
            tokio::spawn(async move {
                let Ok(mut stream) = tls.accept(stream).await else { return };
                let answers = || requests.fetch_add(1, Relaxed) != silent;
                if is_2 {
                    let mut frames = Frames::server(stream).await;
                    while let Some((stream, _)) = frames.request().await {
                        if answers() {
                            frames.send(&frame(HEADERS, END_HEADERS | END_STREAM, stream, STATUS_200)).await;
                        }
                    }
                } else {
                    while !read_head(&mut stream).await.is_empty() {
                        if answers() {
                            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
                        }
                    }
                }
            });
        }
    });
    counts
}

async fn ask(proxy: &TestProxy, method: &str, port: u16) -> u16 {
    let target = format!("origin.test:{port}");
    let request = Request::builder().method(method).uri(format!("https://{target}/"));
    let answer = send_h2(proxy, &target, request.body(Full::default()).unwrap());
    timeout(Duration::from_secs(9), answer).await.map_or(0, |answer| answer.status.as_u16())
}

#[tokio::test]
async fn the_first_request_after_a_change_of_the_network_is_answered_within_three_seconds() {
    let name =
        "upstream::network_changes::the_first_request_after_a_change_of_the_network_is_answered_within_three_seconds";
    if !namespace::enter(name, BEFORE) {
        return;
    }
    let ca = TestCa::new();
    let mut number = 3;
    for is_2 in [true, false] {
        for change in [Change::Address, Change::Forgotten] {
            let port = 8000 + u16::from(number);
            let [connections, _] = origin(&ca, port, is_2, usize::MAX).await;
            change.prepare(number);
            let proxy = TestProxy::trusting(&ca, SETTINGS).await;
            assert_eq!([ask(&proxy, "GET", port).await, ask(&proxy, "GET", port).await], [200; 2]);
            // Until the network is looked at again.
            sleep(Duration::from_millis(1100)).await;
            change.happens(number);
            number += 1;
            let start = Instant::now();
            let status = ask(&proxy, "GET", port).await;
            let took = start.elapsed();
            eprintln!("{change:?}, HTTP/2 {is_2}: {status:?} after {took:?}");
            assert_eq!(status, 200, "{change:?}, HTTP/2 {is_2}");
            assert!(took < Duration::from_secs(3), "{change:?}, HTTP/2 {is_2}: {took:?}");
            assert_eq!(connections.load(Relaxed), 2, "{change:?}, HTTP/2 {is_2}");
        }
    }
}

/// RFC 9110 § 9.2.2: what may be done twice is asked anew, anything else is an error, and neither waits for the first byte.
#[tokio::test]
async fn a_request_under_way_is_not_waited_for_where_the_address_has_gone() {
    let name = "upstream::network_changes::a_request_under_way_is_not_waited_for_where_the_address_has_gone";
    if !namespace::enter(name, BEFORE) {
        return;
    }
    let ca = TestCa::new();
    let mut number = 3;
    for is_2 in [true, false] {
        for (method, expected) in [("GET", 200), ("POST", 502)] {
            let port = 8000 + u16::from(number);
            let [_, requests] = origin(&ca, port, is_2, 1).await;
            let proxy = TestProxy::trusting(&ca, SETTINGS).await;
            assert_eq!(ask(&proxy, "GET", port).await, 200);
            let change = async {
                while requests.load(Relaxed) < 2 {
                    sleep(Duration::from_millis(10)).await;
                }
                Change::Address.happens(number);
                number += 1;
                Instant::now()
            };
            let (status, changed) = tokio::join!(ask(&proxy, method, port), change);
            assert_eq!(status, expected, "{method}, HTTP/2 {is_2}");
            assert!(changed.elapsed() < Duration::from_secs(3), "{method}, HTTP/2 {is_2}: {:?}", changed.elapsed());
        }
    }
}
