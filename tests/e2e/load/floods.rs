//! Clients that flood HTTP/2 frames or handshakes do not slow others, and leave next to nothing behind.

use std::{sync::Arc, time::Duration};

use tokio::{io::AsyncWriteExt, task::JoinSet, time::timeout};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::{connect, connect_tls, get},
    frames::{CANCEL, CONTINUATION, DATA, END_HEADERS, Frames, HEADERS, PING, SETTINGS, WINDOW_UPDATE, frame, reset},
    origin::response,
    streams::{client, reply},
    wire::soon,
};

/// Frames of each flood; a browser sends some hundred in a minute.
const FRAMES: u32 = 20_000;

/// `GET https://localhost/` in small: method, scheme, path and an authority that is written out (RFC 7541 § 6).
fn head(target: &str) -> Vec<u8> {
    let length = u8::try_from(target.len()).unwrap();
    [&[0x82, 0x87, 0x84, 0x01, length], target.as_bytes()].concat()
}

/// One frame, or two, of a flood.
fn piece(kind: &str, number: u32, target: &str) -> Vec<u8> {
    let stream = number * 2 + 1;
    match kind {
        "rapid reset" => {
            let open = frame(HEADERS, END_HEADERS | 1, stream, &head(target));
            [open, reset(stream, CANCEL)].concat()
        }
        "continuation" if number == 0 => frame(HEADERS, 1, 1, &head(target)),
        // A field of eight bytes, which is not indexed.
        "continuation" => frame(CONTINUATION, 0, 1, b"\x00\x01x\x04yyyy"),
        "ping" => frame(PING, 0, 0, &[0; 8]),
        "settings" => frame(SETTINGS, 0, 0, &[]),
        "window update" => frame(WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1]),
        "empty data" if number == 0 => {
            let mut head = head(target);
            // POST.
            head[0] = 0x83;
            frame(HEADERS, END_HEADERS, 1, &head)
        }
        "empty data" => frame(DATA, 0, 1, &[]),
        _ => unreachable!("{kind}"),
    }
}

/// How many frames went out before the proxy had enough.
async fn flood(proxy: Arc<TestProxy>, target: String, kind: &'static str) -> u32 {
    let trust = proxy.ca_file();
    let stream = connect_tls(&proxy, &target, &trust, &[b"h2"]).await.unwrap();
    let mut frames = Frames::client(stream).await;
    for number in 0..FRAMES {
        let bytes = piece(kind, number, &target);
        // A proxy that stops to read has enough too.
        let sent = timeout(Duration::from_secs(5), frames.send(&bytes)).await;
        if sent != Ok(true) {
            return number;
        }
    }
    FRAMES
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_of_frames_harm_nobody_else() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "ok")).await;
    let proxy = Arc::new(TestProxy::trusting(&ca, "https: { intercept: on }").await);
    let target = origin.host_and_port();
    let mut floods = JoinSet::new();
    for kind in ["rapid reset", "continuation", "ping", "settings", "window update", "empty data"] {
        let (proxy, target) = (Arc::clone(&proxy), target.clone());
        floods.spawn(async move { (kind, flood(proxy, target, kind).await) });
    }
    let honest = async {
        let mut served = 0;
        while !floods.is_empty() {
            let mut sender = client(&proxy, &target).await;
            let request = http::Request::get(format!("https://{target}/honest"));
            let (answer, _) = sender.send_request(request.body(()).unwrap(), true).unwrap();
            assert_eq!(soon(reply(answer)).await.unwrap().status, 200);
            served += 1;
            while let Some(done) = floods.try_join_next() {
                let (kind, sent) = done.unwrap();
                eprintln!("{kind}: {sent} of {FRAMES} frames were taken");
                // These hold memory, or make work behind the proxy.
                if ["rapid reset", "continuation"].contains(&kind) {
                    assert!(sent < FRAMES, "{kind}");
                }
            }
        }
        served
    };
    let served = timeout(Duration::from_mins(2), honest).await.unwrap();
    assert!(served > 0);
    let asked = origin.requests().len();
    assert!(asked < 2000 + served, "{asked} requests reached the origin");
    let after = get(&proxy, "http://gleaner.internal/", &[]).await;
    assert_eq!(after.status, 200);
}

/// A handshake that is none, half of one, one that stands still, and garbage in the middle of an encrypted connection.
#[tokio::test]
async fn handshakes_that_come_to_nothing_harm_nobody_else() {
    let ca = TestCa::new();
    let origin = Origin::https(&ca, |_| response(&[], "ok")).await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let mut kept = Vec::new();
    for beginning in [
        // The first bytes of a greeting, one that says it is 16 KiB long, an alert, and a renegotiation out of nothing.
        &b"\x16\x03\x01"[..],
        b"\x16\x03\x01\x40\x00\x01\x00\x3f\xfc\x03\x03",
        b"\x15\x03\x03\x00\x02\x02\x28",
        b"\x16\x03\x03\x00\x04\x00\x00\x00\x00",
    ] {
        for _ in 0..25 {
            let mut stream = connect(&proxy, &target).await;
            stream.write_all(beginning).await.unwrap();
            kept.push(stream);
        }
    }
    for _ in 0..25 {
        let trust = proxy.ca_file();
        let stream = connect_tls(&proxy, &target, &trust, &[b"http/1.1"]).await;
        let (mut tcp, _) = stream.unwrap().into_inner();
        // Not a record that the keys fit; RFC 8446 § 5.2 has it end the connection.
        tcp.write_all(b"\x17\x03\x03\x00\x20garbage in place of a record....").await.unwrap();
        let mut end = Vec::new();
        let _ = soon(tokio::io::AsyncReadExt::read_to_end(&mut tcp, &mut end)).await;
    }
    let mut sender = client(&proxy, &target).await;
    let request = http::Request::get(format!("https://{target}/")).body(()).unwrap();
    let (answer, _) = sender.send_request(request, true).unwrap();
    assert_eq!(soon(reply(answer)).await.unwrap().status, 200);
    assert_eq!(origin.requests().len(), 1);
}
