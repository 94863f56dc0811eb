//! One HTTP/2 connection to an origin, many clients: none of them stalls the others, and what one connection cannot take goes on another.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use tokio::{
    io::AsyncWriteExt,
    sync::Barrier,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{connect_tls, send_h2},
    origin::{read_head, response},
    streams::{self, client},
    wire::{read_until, soon},
};

const ON: &str = "https: { intercept: on }";

fn get(target: &str, path: &str) -> Request<Full<Bytes>> {
    let url = format!("https://{target}{path}");
    Request::get(url).body(Full::default()).unwrap()
}

#[tokio::test]
async fn downloads_that_nobody_reads_stall_nobody_else() {
    let ca = TestCa::new();
    let long = Bytes::from(vec![b'x'; 16 << 20]);
    let origin = Origin::https(&ca, move |seen| match seen.uri.path() {
        "/long" => response(&[], long.clone()),
        _ => response(&[], "ok"),
    })
    .await;
    for is_2 in [true, false] {
        let proxy = TestProxy::trusting(&ca, ON).await;
        let target = format!("localhost:{}", origin.addr.port());
        let (mut streams, mut sockets) = (Vec::new(), Vec::new());
        if is_2 {
            let mut sender = client(&proxy, &target).await;
            for _ in 0..4 {
                let request = Request::get(format!("https://{target}/long")).body(());
                let (answer, _) = sender.send_request(request.unwrap(), true).unwrap();
                // Kept, and never read.
                streams.push((soon(answer).await.unwrap(), sender.clone()));
            }
        } else {
            for _ in 0..4 {
                let trust = proxy.ca_file();
                let mut socket = connect_tls(&proxy, &target, &trust, &[b"http/1.1"]).await.unwrap();
                let request = format!("GET /long HTTP/1.1\r\nHost: {target}\r\n\r\n");
                socket.write_all(request.as_bytes()).await.unwrap();
                read_until(&mut socket, "\r\n\r\nx").await;
                sockets.push(socket);
            }
        }
        // As much arrives as will.
        for _ in 0..10 {
            let other = send_h2(&proxy, &target, get(&target, "/short"));
            let other = timeout(Duration::from_secs(10), other).await;
            let other = other.expect("others are served");
            assert_eq!(other.text(), "ok");
        }
    }
}

#[tokio::test]
async fn where_a_server_takes_no_more_streams_another_connection_is_opened() {
    let ca = TestCa::new();
    // Nobody is answered before all six are there.
    let all = Arc::new(Barrier::new(6));
    let origin = streams::origin_of_few(&ca, 2, move |_, mut respond| {
        let all = Arc::clone(&all);
        async move {
            all.wait().await;
            let _ = respond.send_response(Response::new(()), true);
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, ON).await;
    let target = format!("localhost:{}", origin.addr.port());
    let ask = || Box::pin(send_h2(&proxy, &target, get(&target, "/")));
    let six = async { tokio::join!(ask(), ask(), ask(), ask(), ask(), ask()) };
    let (one, ..) = timeout(Duration::from_secs(10), six).await.expect("all six are under way at once");
    assert_eq!(one.status, 200);
}

/// Asks for 120 pictures at once, as a browser does for a page.
async fn pictures(proxy: &TestProxy, target: &str) {
    let mut sender = client(proxy, target).await;
    let mut asked = Vec::new();
    for number in 0..120 {
        sender = soon(sender.ready()).await.unwrap();
        let request = Request::get(format!("https://{target}/{number}")).body(()).unwrap();
        let answer = sender.send_request(request, true).unwrap().0;
        asked.push(tokio::spawn(streams::reply(answer)));
    }
    for asked in asked {
        assert_eq!(asked.await.unwrap().unwrap().status, 200);
    }
}

#[tokio::test]
async fn a_page_of_pictures_opens_as_few_connections_as_a_browser_would() {
    const SLOW: Duration = Duration::from_millis(20);
    let ca = TestCa::new();
    let of_2 = streams::origin_of_few(&ca, 100, |_, mut respond| async move {
        sleep(SLOW).await;
        let _ = respond.send_response(Response::new(()), true);
    })
    .await;
    let tls: TlsAcceptor = ca.server(&["localhost"], &[b"http/1.1"], |_| {}).into();
    let of_1 = Origin::sockets(move |stream| {
        let tls = tls.clone();
        async move {
            let mut stream = tls.accept(stream).await.unwrap();
            while !read_head(&mut stream).await.is_empty() {
                sleep(SLOW).await;
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await.unwrap();
            }
        }
    })
    .await;
    for (origin, most) in [(of_2, 2), (of_1, 6)] {
        let proxy = TestProxy::trusting(&ca, ON).await;
        for _ in 0..2 {
            pictures(&proxy, &format!("localhost:{}", origin.addr.port())).await;
            assert!(origin.connections() <= most, "{} connections in place of {most}", origin.connections());
        }
    }
}
