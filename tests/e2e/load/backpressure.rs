//! More than the proxy can do at once: pages pass before they wait, uploads wait before they fill the memory, and
//! what is live stays live.

use std::{
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Notify,
    task::JoinSet,
    time::timeout,
};

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{html, read_head, response},
    wire::{SCHEMES, Setup, ask_until, soon, until},
};

#[tokio::test]
async fn while_every_place_is_taken_pages_pass_untouched() {
    let (asked, go) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (tell, wait) = (Arc::clone(&asked), Arc::clone(&go));
    let origin = Origin::sockets(move |mut stream| {
        let (tell, wait) = (Arc::clone(&tell), Arc::clone(&wait));
        async move {
            let head = read_head(&mut stream).await;
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n",
                PAGE.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
            if head.contains("/slow") {
                stream.write_all(&PAGE.as_bytes()[..20]).await.unwrap();
                tell.notify_one();
                wait.notified().await;
                stream.write_all(&PAGE.as_bytes()[20..]).await.unwrap();
            } else {
                stream.write_all(PAGE.as_bytes()).await.unwrap();
            }
        }
    })
    .await;
    let proxy = Arc::new(TestProxy::start("limits: { page_workers: 1, max_pages_in_progress: 1 }").await);
    let (first, url) = (Arc::clone(&proxy), origin.url("/slow"));
    let slow = tokio::spawn(async move { get(&first, &url, &[]).await });
    soon(asked.notified()).await;
    // The first page has its place a moment after its server has sent the beginning.
    let busy = soon(async {
        loop {
            let answer = get(&proxy, &origin.url("/"), &[]).await;
            if answer.header("gleaner") == "passed; reason=busy" {
                return answer;
            }
            assert!(answer.header("gleaner").starts_with("rewritten"));
        }
    })
    .await;
    assert_eq!(busy.text(), PAGE);
    go.notify_one();
    let slow = soon(slow).await.unwrap();
    assert!(slow.header("gleaner").starts_with("rewritten"), "{slow:?}");
    // The place is free again.
    let after = soon(get(&proxy, &origin.url("/"), &[])).await;
    assert!(after.header("gleaner").starts_with("rewritten"), "{after:?}");
}

/// 1.8 MB that cost whatever a page may cost, of which a few kilobytes are sent.
fn heavy_page() -> Vec<u8> {
    let mut page = GzEncoder::new(Vec::new(), Compression::fast());
    let lists = "<ul><li>b</ul>".repeat(130_000);
    write!(page, "<!DOCTYPE html><title>Lists</title>{PAGE}{lists}").unwrap();
    page.finish().unwrap()
}

/// How long it took to get a page, which must be rewritten.
async fn time_of(proxy: &TestProxy, url: &str) -> Duration {
    let start = Instant::now();
    let answer = soon(get(proxy, url, &[("accept-encoding", "gzip")])).await;
    let action = answer.header("gleaner");
    assert!(action.starts_with("rewritten"), "{action} after {:?}", start.elapsed());
    start.elapsed()
}

/// Heavy pages of one site took all processors, all memory and all places: every other page passed unfiltered for minutes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn heavy_pages_of_one_site_delay_the_pages_of_another_by_less_than_a_second() {
    let page = heavy_page();
    let fields = [("content-type", "text/html; charset=utf-8"), ("content-encoding", "gzip")];
    let heavy = Origin::http(move |_| response(&fields, page.clone())).await;
    let honest = Origin::http(|_| html(PAGE)).await;
    let proxy = Arc::new(TestProxy::start("").await);
    // Sites are told apart by their names.
    let url = format!("http://localhost:{}/", honest.addr.port());
    let alone = time_of(&proxy, &url).await;
    let mut clients = JoinSet::new();
    for number in 0..40 {
        let (proxy, url) = (Arc::clone(&proxy), heavy.url(&format!("/{number}")));
        clients.spawn(async move { get(&proxy, &url, &[("accept-encoding", "gzip")]).await });
    }
    until("all ask", async || heavy.requests().len() >= 40).await;
    let mut times = Vec::new();
    for _ in 0..5 {
        times.push(time_of(&proxy, &url).await);
    }
    times.sort_unstable();
    eprintln!("a page took {alone:?} alone and {times:?} beside forty heavy ones, of which {} are left", clients.len());
    assert!(times[2] < alone + Duration::from_secs(1), "{times:?}, alone {alone:?}");
}

/// An origin that takes nothing stops its client: what lies in between is bounded.
#[tokio::test]
async fn an_upload_waits_for_a_slow_origin() {
    const SENT: usize = 64 << 20;
    for scheme in SCHEMES {
        let (go, total) = (Arc::new(Notify::new()), Arc::new(AtomicU64::new(0)));
        let (wait, count) = (Arc::clone(&go), Arc::clone(&total));
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let (wait, count) = (Arc::clone(&wait), Arc::clone(&count));
            async move {
                read_head(&mut stream).await;
                wait.notified().await;
                let mut piece = vec![0; 1 << 16];
                while count.load(SeqCst) < SENT as u64 {
                    let read = stream.read(&mut piece).await.unwrap();
                    count.fetch_add(read as u64, SeqCst);
                }
                let answer = "HTTP/1.1 204 No Content\r\n\r\n";
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        })
        .await;
        let mut client = setup.connect().await;
        let request = format!("POST {{/}} HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: {SENT}\r\n\r\n");
        client.write_all(setup.fill(&request).as_bytes()).await.unwrap();
        let piece = vec![b'x'; 1 << 16];
        let mut sent = 0;
        // Nothing more is taken once a write waits for a whole second.
        while sent < SENT {
            match timeout(Duration::from_secs(1), client.write(&piece[..piece.len().min(SENT - sent)])).await {
                Ok(written) => sent += written.unwrap(),
                Err(_) => break,
            }
        }
        eprintln!("{scheme:?}: {sent} bytes of an upload were taken for an origin that reads none");
        assert!(sent < 24 << 20, "{scheme:?}: {sent}");
        go.notify_one();
        let rest = async {
            while sent < SENT {
                let end = piece.len().min(SENT - sent);
                sent += client.write(&piece[..end]).await.unwrap();
            }
            client.flush().await.unwrap();
        };
        soon(rest).await;
        let head = soon(read_head(&mut client)).await;
        assert!(head.starts_with("HTTP/1.1 204"), "{scheme:?}: {head}");
        assert_eq!(total.load(SeqCst), SENT as u64);
    }
}

/// The stream stays open; its first event does not wait for a second one.
#[tokio::test]
async fn the_first_event_of_a_stream_passes_at_once() {
    for scheme in SCHEMES {
        for framing in ["", "Transfer-Encoding: chunked\r\n"] {
            let setup = Setup::sockets(scheme, "", move |mut stream| async move {
                read_head(&mut stream).await;
                let event = if framing.is_empty() { "data: one\n\n" } else { "b\r\ndata: one\n\n\r\n" };
                let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{framing}\r\n{event}");
                stream.write_all(answer.as_bytes()).await.unwrap();
                let _ = stream.read_to_end(&mut Vec::new()).await;
            })
            .await;
            let mut client = setup.connect().await;
            let request = setup.fill("GET {/} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n\r\n");
            let start = Instant::now();
            ask_until(&mut client, &request, "data: one\n\n").await;
            assert!(start.elapsed() < Duration::from_secs(1), "{scheme:?}");
        }
    }
}
