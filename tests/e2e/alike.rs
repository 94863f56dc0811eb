//! Messages of one connection that are like the ones before them, or nearly: each passes as it is, and is judged by itself.

use std::sync::{Arc, Mutex};

use tokio::io::AsyncWriteExt;

use crate::harness::{
    origin::read_head,
    wire::{ROADS, Setup, read_until, soon},
};

/// The fields of messages one after the other: the same again, other values, other letters, one less, one more, another order.
const FIELDS: [&str; 9] = [
    "Date: a\r\nETag: b\r\nx-A: c\r\n",
    "Date: a\r\nETag: b\r\nx-A: c\r\n",
    "Date: d\r\nETag: \r\nx-A: ef\r\n",
    "Date: a\r\nEtag: b\r\nX-a: c\r\n",
    "date: a\r\nETAG: b\r\nx-a: c\r\n",
    "date: a\r\nx-a: c\r\n",
    "date: a\r\nETag: b\r\nx-a: c\r\nDNT: 1\r\n",
    "x-A: c\r\nDNT: 1\r\nETag: b\r\n",
    "Date: a\r\nETag: b\r\nx-A: c\r\n",
];

#[tokio::test]
async fn every_message_of_a_connection_keeps_its_own_letters() {
    for road in ROADS {
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let seen = Arc::clone(&heads);
        let setup = Setup::sockets(road, "", move |mut stream| {
            let seen = Arc::clone(&seen);
            async move {
                for fields in FIELDS {
                    let head = read_head(&mut stream).await;
                    seen.lock().unwrap().push(head);
                    let answer = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 2\r\n\r\nok");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            }
        })
        .await;
        let mut client = setup.connect().await;
        for fields in FIELDS {
            let request = setup.fill(&format!(
                "GET {{/}} HTTP/1.1\r\nHost: {{host}}\r\n{fields}\r\n"
            ));
            client.write_all(request.as_bytes()).await.unwrap();
            let answer = soon(read_until(&mut client, "\r\n\r\nok")).await;
            let expected = format!("HTTP/1.1 200 OK\r\n{fields}Content-Length: 2\r\nVia: ");
            assert!(answer.starts_with(&expected), "{road:?}: {answer}");
            let head = heads.lock().unwrap().pop().unwrap();
            let expected = format!("Host: {}\r\n{fields}Via: ", setup.host());
            assert!(head.contains(&expected), "{road:?}: {head}");
        }
    }
}

#[tokio::test]
async fn a_bad_request_after_a_good_one_is_refused() {
    const GOOD: &str = "GET {/} HTTP/1.1\r\nHost: {host}\r\nX-A: 1\r\nX-B: 2\r\n\r\n";
    for (part, bad) in [
        ("X-B: 2\r\n\r\n", "X-B: 2\0\r\n\r\n"),
        ("X-B: 2\r\n\r\n", "X-B: 2\n\r\n"),
        ("X-B: 2\r\n\r\n", "X-B: 2\r\n\n"),
        ("X-B: 2\r\n\r\n", "X-B: 2\r\n\rx\r\n\r\n"),
        ("X-B: 2\r\n\r\n", "X-B: 2\r\n b\r\n\r\n"),
        ("X-B: 2\r\n\r\n", "X-B: 2\r\nHost: {host}\r\n\r\n"),
        (
            "X-B: 2\r\n\r\n",
            "X-B: 2\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ),
        ("X-B", "X-B "),
        ("X-A: 1\r\n", "X-A: \x01\r\n"),
        ("GET {/}", "GET {/}\x7f"),
        ("HTTP/1.1", "HTTP/2.0"),
    ] {
        let requests = Arc::<Mutex<usize>>::default();
        let count = Arc::clone(&requests);
        let setup = Setup::sockets(ROADS[0], "", move |mut stream| {
            let count = Arc::clone(&count);
            async move {
                while !read_head(&mut stream).await.is_empty() {
                    *count.lock().unwrap() += 1;
                    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
                    stream.write_all(answer).await.unwrap();
                }
            }
        })
        .await;
        let mut client = setup.connect().await;
        for _ in 0..2 {
            client.write_all(setup.fill(GOOD).as_bytes()).await.unwrap();
            soon(read_until(&mut client, "\r\n\r\nok")).await;
        }
        let bad = setup.fill(&GOOD.replace(part, bad));
        client.write_all(bad.as_bytes()).await.unwrap();
        let answer = soon(read_until(&mut client, "\r\n\r\n")).await;
        let is_refused = ["HTTP/1.1 400 ", "HTTP/1.1 505 "]
            .iter()
            .any(|status| answer.starts_with(status));
        assert!(is_refused, "{bad:?}: {answer}");
        assert_eq!(*requests.lock().unwrap(), 2, "{bad:?}");
    }
}
