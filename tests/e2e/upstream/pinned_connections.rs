//! A connection that NTLM or Negotiate has authenticated serves only the client connection that authenticated it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use tokio::{io::AsyncWriteExt, sync::mpsc};

use crate::harness::{
    client::curl,
    origin::read_head,
    wire::{SCHEMES, Scheme, Setup, Stream, read_until, soon},
};

/// A challenge as servers send it (MS-NLMP § 2.2.1.2), in Base64.
const CHALLENGE: &str = "TlRMTVNTUAACAAAAAAAAADAAAAABAgAAAQIDBAUGBwgAAAAAAAAAAAAAAAAwAAAA";

/// An origin like IIS: the second token authenticates the connection, and all that comes on it later is answered. Answers
/// carry the number of their connection; its end is reported.
async fn origin(scheme: Scheme) -> (Setup, mpsc::UnboundedReceiver<usize>) {
    let count = Arc::<AtomicUsize>::default();
    let (ended, ends) = mpsc::unbounded_channel();
    let setup = Setup::sockets(scheme, "", move |mut stream| {
        let (number, ended) = (count.fetch_add(1, Relaxed), ended.clone());
        async move {
            let mut tokens = 0;
            loop {
                let head = read_head(&mut stream).await.to_lowercase();
                if head.is_empty() {
                    let _ = ended.send(number);
                    return;
                }
                let method = ["NTLM", "Negotiate"]
                    .into_iter()
                    .find(|method| head.contains(&format!("authorization: {} ", method.to_lowercase())));
                tokens += usize::from(method.is_some());
                let (status, challenge, body) = match (method, tokens) {
                    (_, 2..) => ("200 OK", String::new(), "secret"),
                    (Some(method), _) => ("401 More", format!("WWW-Authenticate: {method} {CHALLENGE}\r\n"), "no"),
                    (None, _) => ("401 Who", "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: NTLM\r\n".into(), "no"),
                };
                let answer = format!(
                    "HTTP/1.1 {status}\r\n{challenge}X-Connection: {number}\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
                if stream.write_all(answer.as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    })
    .await;
    (setup, ends)
}

/// The status of an answer, and the connection that it came from.
async fn ask(setup: &Setup, client: &mut Box<dyn Stream>, fields: &str) -> (u16, usize) {
    let request = format!("GET {{/}} HTTP/1.1\r\nHost: {{host}}\r\n{fields}\r\n");
    let request = setup.fill(&request);
    client.write_all(request.as_bytes()).await.unwrap();
    let mut head = read_until(client, "\r\n\r\n").await.to_lowercase();
    let status = head[9..12].parse().unwrap();
    let body = if status == 200 { "secret" } else { "no" };
    if !head.ends_with(body) {
        head += &read_until(client, body).await;
    }
    let (_, rest) = head.split_once("x-connection: ").expect(&head);
    (status, rest.split_once("\r\n").unwrap().0.parse().unwrap())
}

#[tokio::test]
async fn an_authenticated_connection_serves_one_client_alone() {
    for scheme in SCHEMES {
        for method in ["NTLM", "Negotiate"] {
            let (setup, mut ends) = origin(scheme).await;
            let (mut anna, mut bert) = (setup.connect().await, setup.connect().await);
            let mut connections = Vec::new();
            let token = format!("Authorization: {method} TlRMTVNTUAABAAAA\r\n");
            for (fields, expected) in [("", 401), (&token, 401), (&token, 200), ("", 200)] {
                let (status, connection) = ask(&setup, &mut anna, fields).await;
                assert_eq!(status, expected, "{scheme:?} {method} {connections:?}");
                connections.push(connection);
                let (status, other) = ask(&setup, &mut bert, "").await;
                assert_eq!(status, 401, "{scheme:?}: another's {method} connection");
                let pinned = &connections[1.min(connections.len() - 1)..];
                assert!(fields.is_empty() || !pinned.contains(&other), "{scheme:?} {method}");
            }
            // One handshake, one connection; it ends with its client.
            let pinned = connections[1];
            assert_eq!(connections[1..], [pinned; 3], "{scheme:?} {method}");
            drop(anna);
            while soon(ends.recv()).await.unwrap() != pinned {}
        }
    }
}

#[tokio::test]
async fn curl_logs_in_with_ntlm_and_nobody_else_is_let_in_by_that() {
    for scheme in SCHEMES {
        let (setup, _ends) = origin(scheme).await;
        let url = setup.url();
        for (user, expected) in [(&["--ntlm", "--user", "anna:x"][..], "secret"), (&[], "no")] {
            let arguments = [&["--http1.1", &url], user].concat();
            let Some(page) = curl(&setup.proxy, &arguments).await else {
                return;
            };
            assert_eq!(page, expected, "{scheme:?}");
        }
    }
}
