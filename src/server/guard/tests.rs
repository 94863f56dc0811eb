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
