use std::future::poll_fn;

use futures_util::poll;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    time::timeout,
};

use super::*;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

#[tokio::test]
async fn only_a_request_that_was_not_waiting_was_told_of_just_now() {
    const PATIENCE: Duration = Duration::from_hours(1);
    let (mut client, io) = duplex(1024);
    let watch = Arc::<Watch>::default();
    let patience = Patience {
        head: PATIENCE,
        idle: PATIENCE,
    };
    let mut guard = Guard::new(io, Arc::clone(&watch), patience);
    for (sent, waits, expected) in [
        // What is there when a connection begins.
        (2, false, false),
        // What came with the request before.
        (0, false, false),
        (1, true, true),
        // What came before it was asked for.
        (1, false, false),
    ] {
        let mut got = [0; REQUEST.len()];
        let mut reading = Box::pin(guard.read_exact(&mut got));
        if waits {
            assert!(poll!(reading.as_mut()).is_pending());
        }
        client.write_all(&REQUEST.repeat(sent)).await.unwrap();
        reading.await.unwrap();
        assert_eq!((&got[..], watch.just_told()), (REQUEST, expected));
        drop(watch.in_flight());
    }
}

#[tokio::test]
async fn a_connection_that_ends_a_message_by_itself_is_idle_from_then_on() {
    let (mut client, io) = duplex(1024);
    let watch = Arc::<Watch>::default();
    let patience = Patience {
        head: Duration::from_hours(1),
        idle: Duration::from_millis(40),
    };
    let mut guard = Guard::new(io, Arc::clone(&watch), patience);
    client.write_all(REQUEST).await.unwrap();
    guard.read_exact(&mut [0; REQUEST.len()]).await.unwrap();
    // An answer takes as long as it takes.
    let mut held = Some(watch.in_flight());
    let waiting = timeout(patience.idle * 3, guard.read_u8());
    assert!(waiting.await.is_err());
    let (mut turns, mut first, begun) = (0, None, Instant::now());
    let mut room = [0; REQUEST.len()];
    let ended = poll_fn(|cx| {
        let polled = watch.drive(cx, |cx| {
            turns += 1;
            let mut buf = ReadBuf::new(&mut room);
            let polled = Pin::new(&mut guard).poll_read(cx, &mut buf);
            drop(held.take());
            polled.map_ok(|()| buf.filled().len())
        });
        first.get_or_insert(turns);
        polled
    });
    assert_eq!(ended.await.unwrap(), 0);
    assert!(begun.elapsed() >= patience.idle);
    assert_eq!(first, Some(1), "there was nothing to work on");
}

#[tokio::test]
async fn messages_are_the_same_however_they_arrive_and_whatever_room_there_is() {
    const MESSAGES: [(&str, &str); 6] = [
        (
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n",
        ),
        (
            "GET /2 HTTP/1.9\r\nHost: a\r\n\r\n",
            "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
        ),
        (
            "\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
            "\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n",
        ),
        (
            "PUT /4 HTTP/1.9\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
            "PUT /4 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        ),
        (
            "PUT /5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
            "PUT /5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
        ),
        (
            "GET /6 HTTP/1.1\r\nHost: b\r\n\r\n",
            "GET /6 HTTP/1.1\r\nHost: b\r\n\r\n",
        ),
    ];
    let patience = Patience {
        head: Duration::from_hours(1),
        idle: Duration::from_hours(1),
    };
    let sent: String = MESSAGES.iter().map(|(sent, _)| *sent).collect();
    let sizes: Vec<usize> = (1..40).chain([60, 100, sent.len()]).collect();
    for size in sizes {
        for room in [1, 10, 30, 8192] {
            let (mut client, io) = duplex(sent.len());
            let watch = Arc::<Watch>::default();
            let mut guard = Guard::new(io, Arc::clone(&watch), patience);
            let mut pieces = sent.as_bytes().chunks(size);
            for (_, expected) in MESSAGES {
                // The runtime lets a task read only so often in one turn, and what it holds back would look as if nothing had come.
                tokio::task::yield_now().await;
                let mut got = Vec::new();
                while got.len() < expected.len() {
                    let mut buf = vec![0; room];
                    let mut reading = Box::pin(guard.read(&mut buf));
                    let count = loop {
                        match poll!(reading.as_mut()) {
                            Poll::Ready(count) => break count.unwrap(),
                            Poll::Pending => {
                                let piece = pieces.next().expect("all of it was sent");
                                client.write_all(piece).await.unwrap();
                            }
                        }
                    };
                    drop(reading);
                    got.extend_from_slice(&buf[..count]);
                }
                let got = String::from_utf8_lossy(&got);
                assert_eq!(got, expected, "pieces of {size}, room for {room}");
                // Not a byte of the next one while this one is not answered.
                let mut next = [0; 1];
                let mut reading = Box::pin(guard.read(&mut next));
                assert!(poll!(reading.as_mut()).is_pending());
                drop(reading);
                drop(watch.in_flight());
            }
        }
    }
}
