//! Whether a request that must not be repeated may use an idle connection that its server may be closing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Barrier,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::harness::{
    origin::read_head,
    wire::{OK, Scheme, Setup, ask_until, soon, with_both_schemes},
};

/// An origin that closes a connection which was idle for so long, and says so or not. What arrives while its FIN is on the
/// way is lost, as over a network where that takes 60 ms. The first answers come when so many requests are there. Counts its
/// connections.
async fn closing(idle: Duration, says: &'static str, first: usize) -> (Setup, Arc<AtomicUsize>) {
    let connections = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&connections);
    let together = Arc::new(Barrier::new(first));
    let setup = Setup::sockets(Scheme::Http, "", move |mut stream| {
        let mut waits = count.fetch_add(1, Relaxed) < first;
        let together = Arc::clone(&together);
        async move {
            loop {
                match timeout(idle, read_head(&mut stream)).await {
                    Ok(head) if !head.is_empty() => {}
                    _ => return sleep(Duration::from_millis(60)).await,
                }
                if std::mem::take(&mut waits) {
                    together.wait().await;
                }
                let answer = format!("HTTP/1.1 200 OK\r\n{says}Content-Length: 2\r\n\r\nok");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        }
    })
    .await;
    (setup, connections)
}

const POST: &str = "POST {/} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\r\n";

const CLIENTS: usize = 200;

const SAYS: &str = "Keep-Alive: timeout=1\r\n";

/// How many of so many POST requests fail that come just as the server closes their connection.
async fn failures(says: &'static str, idle: Duration) -> usize {
    let (setup, _) = closing(idle, says, CLIENTS).await;
    let setup = Arc::new(setup);
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS as u64 {
        let setup = Arc::clone(&setup);
        clients.spawn(async move {
            let mut client = setup.connect().await;
            let request = setup.fill(POST);
            ask_until(&mut client, &request, "\r\n\r\nok").await;
            sleep((idle + Duration::from_micros(number * 400)).saturating_sub(Duration::from_millis(20))).await;
            let answer = ask_until(&mut client, &request, "\r\n\r\n").await;
            usize::from(!answer.starts_with("HTTP/1.1 200"))
        });
    }
    clients.join_all().await.into_iter().sum()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_is_not_lost_on_a_connection_that_its_server_said_it_would_close() {
    assert_eq!(failures(SAYS, Duration::from_secs(1)).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_is_not_lost_on_a_connection_that_its_server_closes_without_having_said_so() {
    // No common server does so sooner (gunicorn).
    assert_eq!(failures("", Duration::from_secs(2)).await, 0);
}

#[tokio::test]
async fn a_connection_is_kept_for_no_longer_than_its_server_says() {
    // It would take more.
    let (setup, connections) = closing(Duration::from_secs(30), SAYS, 1).await;
    let mut client = setup.connect().await;
    for _ in 0..2 {
        ask_until(&mut client, &setup.fill(POST), "\r\n\r\nok").await;
        sleep(Duration::from_millis(1100)).await;
    }
    assert_eq!(connections.load(Relaxed), 2);
}

/// Its end is under way for 100 ms, and may cross the next request.
#[tokio::test]
async fn a_post_is_not_lost_on_a_connection_that_its_server_closes_after_every_answer() {
    with_both_schemes(async |scheme| {
        let setup = Setup::sockets(scheme, "", |mut stream| async move {
            read_head(&mut stream).await;
            stream.write_all(OK).await.unwrap();
            let _ = stream.flush().await;
            let _ = timeout(Duration::from_millis(100), stream.read_u8()).await;
        })
        .await;
        let mut client = setup.connect().await;
        for _ in 0..5 {
            client.write_all(setup.fill(POST).as_bytes()).await.unwrap();
            let answer = soon(read_head(&mut client)).await;
            assert!(answer.starts_with("HTTP/1.1 200"), "{scheme:?}: {answer}");
            client.read_exact(&mut [0; 2]).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn a_post_goes_on_a_connection_that_its_server_has_shown_to_keep() {
    let (setup, connections) = closing(Duration::from_secs(30), "", 1).await;
    let mut client = setup.connect().await;
    for method in ["GET", "GET", "POST", "POST"] {
        ask_until(&mut client, &setup.fill(&POST.replace("POST", method)), "\r\n\r\nok").await;
    }
    assert_eq!(connections.load(Relaxed), 1);
}

#[tokio::test]
async fn posts_in_a_row_go_on_one_connection() {
    with_both_schemes(async |scheme| {
        let setup = Setup::sockets(scheme, "", |mut stream| async move {
            while !read_head(&mut stream).await.is_empty() {
                stream.write_all(OK).await.unwrap();
            }
        })
        .await;
        let mut client = setup.connect().await;
        for _ in 0..4 {
            ask_until(&mut client, &setup.fill(POST), "\r\n\r\nok").await;
            // Until an end that was under way would have come.
            sleep(Duration::from_millis(250)).await;
        }
        assert_eq!(setup.origin.connections(), 1, "{scheme:?}");
    })
    .await;
}

/// Small devices have few sockets.
#[tokio::test]
async fn what_a_post_cannot_use_is_closed() {
    let open = Arc::<AtomicUsize>::default();
    let most = Arc::<AtomicUsize>::default();
    let (count, highest) = (Arc::clone(&open), Arc::clone(&most));
    let setup = Setup::sockets(Scheme::Http, "", move |mut stream| {
        highest.fetch_max(count.fetch_add(1, Relaxed) + 1, Relaxed);
        let count = Arc::clone(&count);
        async move {
            while !read_head(&mut stream).await.is_empty() {
                stream.write_all(OK).await.unwrap();
            }
            count.fetch_sub(1, Relaxed);
        }
    })
    .await;
    let mut client = setup.connect().await;
    for _ in 0..25 {
        ask_until(&mut client, &setup.fill(POST), "\r\n\r\nok").await;
        sleep(Duration::from_millis(20)).await;
    }
    assert!(most.load(Relaxed) <= 3, "{most:?} at once");
}
