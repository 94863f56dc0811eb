//! Connections to origins that are kept: used again, closed in time, and no request lost with them.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use http::Request;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::{Barrier, Notify, mpsc},
};

use crate::harness::{
    Origin, TestCa, TestProxy,
    client::connect_tls,
    origin::read_head,
    streams::{client, reply},
    wire::{GET, OK, SCHEMES, Scheme, Setup, ask_until, read_until, soon},
};

/// An origin may close a connection while it is idle, or as the next request comes.
#[tokio::test]
async fn a_request_on_a_connection_that_ends_is_sent_again_as_it_was() {
    for scheme in SCHEMES {
        let connections = Arc::new(AtomicUsize::new(0));
        let (tell, mut told) = mpsc::unbounded_channel();
        let count = Arc::clone(&connections);
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let (first, tell) = (count.fetch_add(1, Relaxed) == 0, tell.clone());
            async move {
                tell.send(read_head(&mut stream).await).unwrap();
                stream.write_all(OK).await.unwrap();
                // The first one takes another request and gives no answer.
                tell.send(read_head(&mut stream).await).unwrap();
                if !first {
                    stream.write_all(OK).await.unwrap();
                }
            }
        })
        .await;
        let mut client = setup.connect().await;
        let request =
            setup.fill("GET {/a?b=c} HTTP/1.1\r\nHost: {host}\r\nX-oDD: 1\r\naccept: x/y\r\nCookie: a=\u{e9}\r\n\r\n");
        for _ in 0..2 {
            ask_until(&mut client, &request, "\r\n\r\nok").await;
        }
        // Each request has a loop token of its own.
        let without_token = |head: String| {
            let lines = head.split("\r\n").filter(|line| !line.to_ascii_lowercase().starts_with("cdn-loop:"));
            lines.collect::<Vec<_>>().join("\r\n")
        };
        let first = without_token(soon(told.recv()).await.unwrap());
        assert!(first.starts_with("GET /a?b=c HTTP/1.1\r\n"), "{first}");
        assert!(first.contains("\r\nX-oDD: 1\r\naccept: x/y\r\nCookie: a="), "{first}");
        for _ in 0..2 {
            assert_eq!(without_token(soon(told.recv()).await.unwrap()), first, "{scheme:?}");
        }
        assert_eq!(connections.load(Relaxed), 2, "{scheme:?}");
    }
}

/// RFC 9112 § 6.3: what lies on a connection before a request goes out is not its answer, however many requests come at once.
#[tokio::test]
async fn what_an_origin_says_unasked_is_nobodys_answer() {
    const EVIL: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";
    for (scheme, is_2) in [(Scheme::Http, false), (Scheme::Https, false), (Scheme::Https, true)] {
        let [answered, left] = [(); 2].map(|()| Arc::new(Notify::new()));
        let (wait, tell) = (Arc::clone(&answered), Arc::clone(&left));
        let first = Arc::new(AtomicBool::new(true));
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let (wait, tell) = (Arc::clone(&wait), Arc::clone(&tell));
            let first = first.swap(false, Relaxed);
            async move {
                while !read_head(&mut stream).await.is_empty() {
                    stream.write_all(OK).await.unwrap();
                    if first {
                        wait.notified().await;
                        stream.write_all(EVIL).await.unwrap();
                        stream.flush().await.unwrap();
                        tell.notify_one();
                    }
                }
            }
        })
        .await;
        let mut one = setup.connect().await;
        let request = setup.fill(GET);
        let host = setup.host();
        let mut many = None;
        if is_2 {
            many = Some(client(&setup.proxy, &host).await);
        }
        for count in [1, 8] {
            if let Some(sender) = &mut many {
                let mut asked = Vec::new();
                for _ in 0..count {
                    let request = Request::get(format!("https://{host}/")).body(()).unwrap();
                    asked.push(sender.send_request(request, true).unwrap().0);
                }
                for asked in asked {
                    let reply = reply(asked).await.unwrap();
                    assert_eq!((reply.status, &reply.body[..]), (200, &b"ok"[..]));
                }
            } else {
                for _ in 0..count {
                    let answer = ask_until(&mut one, &request, "\r\n\r\n").await;
                    assert!(!answer.contains("Content-Length: 4"), "{scheme:?}: {answer}");
                    if !answer.ends_with("ok") {
                        read_until(&mut one, "ok").await;
                    }
                }
            }
            if count == 1 {
                answered.notify_one();
                soon(left.notified()).await;
            }
        }
    }
}

/// Where one kept connection has ended, another that was kept as long may have too.
#[tokio::test]
async fn a_request_that_is_sent_again_goes_on_a_new_connection() {
    for scheme in SCHEMES {
        let connections = Arc::new(AtomicUsize::new(0));
        let (count, both) = (Arc::clone(&connections), Arc::new(Barrier::new(2)));
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let is_kept = count.fetch_add(1, Relaxed) < 2;
            let both = Arc::clone(&both);
            async move {
                read_head(&mut stream).await;
                if is_kept {
                    both.wait().await;
                }
                stream.write_all(OK).await.unwrap();
                // The next one gets no answer.
                read_head(&mut stream).await;
            }
        })
        .await;
        let mut clients = [setup.connect().await, setup.connect().await];
        let request = setup.fill(GET);
        for client in &mut clients {
            client.write_all(request.as_bytes()).await.unwrap();
        }
        for client in &mut clients {
            read_until(client, "\r\n\r\nok").await;
        }
        let client = &mut clients[0];
        ask_until(client, &request, "\r\n\r\nok").await;
        assert_eq!(connections.load(Relaxed), 3, "{scheme:?}");
    }
}

/// A request that changes something may have done so: it is not sent a second time.
#[tokio::test]
async fn a_post_that_was_sent_is_not_sent_again() {
    for scheme in SCHEMES {
        let requests = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&requests);
        let setup = Setup::sockets(scheme, "", move |mut stream| {
            let count = Arc::clone(&count);
            async move {
                while !read_head(&mut stream).await.is_empty() {
                    if count.fetch_add(1, Relaxed) > 0 {
                        return;
                    }
                    stream.write_all(OK).await.unwrap();
                }
            }
        })
        .await;
        let mut client = setup.connect().await;
        let request = setup.fill("POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n");
        ask_until(&mut client, &request, "\r\n\r\nok").await;
        let answer = ask_until(&mut client, &request, "\r\n\r\n").await;
        assert!(answer.contains("HTTP/1.1 502 "), "{scheme:?}: {answer}");
        assert_eq!(requests.load(Relaxed), 2, "{scheme:?}");
    }
}

/// Nobody reads an idle connection; its end is noticed all the same, and its descriptor given back.
#[tokio::test]
async fn idle_connections_are_closed_when_the_origin_closes_them_and_when_they_are_old() {
    for (yaml, origin_closes) in [("", true), ("timeouts: { server_idle_seconds: 1 }", false)] {
        let closed = Arc::new(Notify::new());
        let tell = Arc::clone(&closed);
        let setup = Setup::sockets(SCHEMES[0], yaml, move |mut stream| {
            let tell = Arc::clone(&tell);
            async move {
                read_head(&mut stream).await;
                stream.write_all(OK).await.unwrap();
                if origin_closes {
                    stream.shutdown().await.unwrap();
                }
                assert_eq!(stream.read(&mut [0]).await.unwrap(), 0);
                tell.notify_one();
            }
        })
        .await;
        let mut client = setup.begin(GET).await;
        read_until(&mut client, "\r\n\r\nok").await;
        soon(closed.notified()).await;
    }
}

/// Many servers begin to answer before they have all of a request. A client that reads only when it has sent all of it must
/// get it sent.
#[tokio::test]
async fn a_request_goes_on_while_its_answer_waits_to_be_read() {
    const BYTES: usize = 16 << 20;
    for scheme in SCHEMES {
        let setup = Setup::sockets(scheme, "", |stream| async move {
            let (mut reading, mut writing) = tokio::io::split(stream);
            read_head(&mut reading).await;
            let answer = async {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BYTES}\r\n\r\n");
                writing.write_all(head.as_bytes()).await.unwrap();
                let piece = vec![b'x'; 1 << 16];
                for _ in 0..BYTES >> 16 {
                    writing.write_all(&piece).await.unwrap();
                }
                writing.flush().await.unwrap();
            };
            let request = async {
                let mut rest = vec![0; 1 << 16];
                let mut read = 0;
                while read < BYTES {
                    read += reading.read(&mut rest).await.unwrap();
                }
            };
            tokio::join!(answer, request);
        })
        .await;
        let mut client = setup.connect().await;
        let head = setup.fill("PUT {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: ");
        let head = format!("{head}{BYTES}\r\nConnection: close\r\n\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        let piece = vec![b'y'; 1 << 16];
        soon(async {
            for _ in 0..BYTES >> 16 {
                client.write_all(&piece).await.unwrap();
            }
            // The end of what was written may still wait inside TLS.
            client.flush().await.unwrap();
        })
        .await;
        let start = read_until(&mut client, "\r\n\r\n").await;
        let (_, body) = start.split_once("\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        soon(client.read_to_end(&mut answer)).await.unwrap();
        assert_eq!(answer.len(), BYTES - body.len(), "{scheme:?}");
        assert!(answer.iter().all(|byte| *byte == b'x'), "{scheme:?}");
    }
}

/// RFC 9110 § 9.2.2: what is done twice with one effect is sent again, its body too.
#[tokio::test]
async fn what_twice_is_as_good_as_once_is_sent_again() {
    for scheme in SCHEMES {
        for (method, body) in [("DELETE", ""), ("PUT", "hello"), ("OPTIONS", "")] {
            let connections = Arc::new(AtomicUsize::new(0));
            let (tell, mut told) = mpsc::unbounded_channel();
            let count = Arc::clone(&connections);
            let setup = Setup::sockets(scheme, "", move |mut stream| {
                let (first, tell) = (count.fetch_add(1, Relaxed) == 0, tell.clone());
                async move {
                    read_head(&mut stream).await;
                    if first {
                        stream.write_all(OK).await.unwrap();
                        // The second request comes, is read whole, and gets no answer.
                        read_head(&mut stream).await;
                    }
                    let mut content = vec![0; body.len()];
                    stream.read_exact(&mut content).await.unwrap();
                    tell.send(content).unwrap();
                    if !first {
                        stream.write_all(OK).await.unwrap();
                    }
                }
            })
            .await;
            let mut client = setup.connect().await;
            let get = setup.fill(GET);
            ask_until(&mut client, &get, "\r\n\r\nok").await;
            let head = setup.fill(&format!("{method} {{/}} HTTP/1.1\r\nHost: {{host}}\r\n"));
            let request = format!("{head}Content-Length: {}\r\n\r\n{body}", body.len());
            let answer = ask_until(&mut client, &request, "\r\n\r\n").await;
            assert!(answer.starts_with("HTTP/1.1 200 "), "{scheme:?} {method}: {answer}");
            for _ in 0..2 {
                assert_eq!(soon(told.recv()).await.unwrap(), body.as_bytes());
            }
            assert_eq!(connections.load(Relaxed), 2, "{scheme:?} {method}");
        }
    }
}

/// Session tickets and key updates (RFC 8446 § 4.6) come when the server likes, and are no answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_of_tls_itself_do_not_end_a_kept_connection() {
    let ca = TestCa::new();
    let connections = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&connections);
    let origin = Origin::tls_sockets(&ca, &[b"http/1.1"], move |mut stream| {
        count.fetch_add(1, Relaxed);
        async move {
            let mut number = 0;
            while !read_head(&mut stream).await.is_empty() {
                stream.write_all(OK).await.unwrap();
                stream.flush().await.unwrap();
                // At any time up to the next request.
                let (now, delay) = (Instant::now(), Duration::from_micros(number % 200));
                while now.elapsed() < delay {}
                number += 1;
                stream.get_mut().1.refresh_traffic_keys().unwrap();
                stream.flush().await.unwrap();
            }
        }
    })
    .await;
    let proxy = TestProxy::trusting(&ca, "https: { intercept: on }").await;
    let target = origin.host_and_port();
    let mut client = connect_tls(&proxy, &target, &proxy.ca_file(), &[b"http/1.1"]).await.unwrap();
    for _ in 0..400 {
        let request = format!("GET / HTTP/1.1\r\nHost: {target}\r\n\r\n");
        ask_until(&mut client, &request, "\r\n\r\nok").await;
    }
    assert_eq!(connections.load(Relaxed), 1);
}
