use futures_util::poll;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

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
