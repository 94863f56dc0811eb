//! A page that arrives too slowly, or for which no memory is free, is passed on unfiltered as it arrives.

use std::sync::Arc;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    sync::Notify,
};

use crate::harness::{
    Origin, PAGE, TestProxy, get,
    origin::{html, read_head},
};

#[tokio::test]
async fn a_slow_page_is_given_on_as_it_comes() {
    given_on_as_it_comes("page_arrival_seconds: 1").await;
}

/// Text that has come can be read in the meantime.
#[tokio::test]
async fn a_page_that_pauses_is_given_on_as_it_comes() {
    given_on_as_it_comes("page_pause_seconds: 1").await;
}

async fn given_on_as_it_comes(limit: &str) {
    let go = Arc::new(Notify::new());
    let wait = Arc::clone(&go);
    let origin = Origin::sockets(move |mut stream| {
        let wait = Arc::clone(&wait);
        async move {
            read_head(&mut stream).await;
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
            stream.write_all(format!("{head}{PAGE}").as_bytes()).await.unwrap();
            wait.notified().await;
            stream.write_all(b"the end").await.unwrap();
        }
    })
    .await;
    let proxy = TestProxy::start(&format!("limits: {{ {limit} }}")).await;
    let mut client = TcpStream::connect(proxy.addr).await.unwrap();
    let request = format!("GET {} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", origin.url("/"));
    client.write_all(request.as_bytes()).await.unwrap();
    let mut got = Vec::new();
    while !got.windows(7).any(|window| window == b"</html>") {
        assert!(client.read_buf(&mut got).await.unwrap() > 0);
    }
    go.notify_one();
    client.read_to_end(&mut got).await.unwrap();
    let got = String::from_utf8_lossy(&got);
    assert!(got.contains("reason=slow") && got.contains("the end"), "{got}");
}

/// Its tree takes more than there is room for, which is noticed while it arrives.
#[tokio::test]
async fn a_page_that_finds_no_memory_passes_untouched() {
    let page = PAGE.replace("<p>", &"<p>Text <b>with</b> <a href=/>markup</a>".repeat(5000));
    let sent = page.clone();
    let origin = Origin::http(move |_| html(sent.clone())).await;
    let proxy = TestProxy::start("limits: { pages_memory_bytes: 1048576 }").await;
    let answer = get(&proxy, &origin.url("/"), &[]).await;
    assert_eq!(answer.header("gleaner"), "passed; reason=busy");
    assert_eq!(answer.body, page);
    // What it took is given back.
    let small = Origin::http(|_| html(PAGE)).await;
    for _ in 0..3 {
        let answer = get(&proxy, &small.url("/"), &[]).await;
        assert!(answer.header("gleaner").starts_with("rewritten"));
    }
}
