//! Bytes from one side to the other, both ways, until both have ended.
//!
//! A tunnel borrows a room for what it reads from its thread and gives it back when all of it is written. So a room can be large,
//! which is what a bulk transfer costs least with, and a tunnel that waits has none: with a room of its own for each way, as
//! [`tokio::io::copy_bidirectional`] has it, large rooms are what idle tunnels cost.

use std::{
    cell::RefCell,
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes of a room.
const ROOM: usize = 64 * 1024;

/// Rooms that a thread keeps for whoever reads next; more are in use only while receivers are slower than senders.
const KEPT: usize = 4;

/// Rooms that one way may fill before others have their turn: as many bytes as go through small rooms before the runtime's own bound.
const IN_A_ROW: usize = 8;

thread_local! {
    static ROOMS: RefCell<Vec<Box<[u8]>>> = const { RefCell::new(Vec::new()) };
}

/// Copies until both sides have ended. The end of one is told to the other, whose own bytes go on.
///
/// # Errors
/// What the first side to fail says.
pub(super) async fn both_ways<A, B>(a: &mut A, b: &mut B) -> io::Result<()>
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let (mut there, mut back) = (Way::default(), Way::default());
    poll_fn(|cx| {
        let there = there.poll(cx, a, b)?;
        let back = back.poll(cx, b, a)?;
        ready!(there);
        ready!(back);
        Poll::Ready(Ok(()))
    })
    .await
}

/// One way, from a side that is read to one that is written.
#[derive(Default)]
struct Way {
    /// What was read and is not written yet.
    room: Option<MemoryBudget>,
    /// Something was written and not flushed since.
    is_unflushed: bool,
    stage: Stage,
}

#[derive(Default)]
enum Stage {
    #[default]
    Moving,
    /// All was read.
    Ending,
    Ended,
}

impl Way {
    fn poll<R, W>(&mut self, cx: &mut Context<'_>, from: &mut R, to: &mut W) -> Poll<io::Result<()>>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        for _ in 0..IN_A_ROW {
            if let Some(room) = &mut self.room {
                while let rest @ [_, ..] = room.rest() {
                    let written = ready!(Pin::new(&mut *to).poll_write(cx, rest))?;
                    if written == 0 {
                        return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
                    }
                    room.written += written;
                    self.is_unflushed = true;
                }
            }
            match self.stage {
                Stage::Moving => match self.fill(cx, from) {
                    Poll::Ready(is_more) => {
                        if !is_more? {
                            self.stage = Stage::Ending;
                        }
                    }
                    Poll::Pending => {
                        self.room = None;
                        if self.is_unflushed {
                            ready!(Pin::new(&mut *to).poll_flush(cx))?;
                            self.is_unflushed = false;
                        }
                        return Poll::Pending;
                    }
                },
                Stage::Ending => {
                    self.room = None;
                    ready!(Pin::new(&mut *to).poll_shutdown(cx))?;
                    self.stage = Stage::Ended;
                }
                Stage::Ended => return Poll::Ready(Ok(())),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Reads into a room, which must be empty; false at the end.
    fn fill<R: AsyncRead + Unpin>(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut R,
    ) -> Poll<io::Result<bool>> {
        let room = self.room.get_or_insert_with(MemoryBudget::borrow);
        let mut into = ReadBuf::new(&mut room.bytes);
        ready!(Pin::new(from).poll_read(cx, &mut into))?;
        (room.read, room.written) = (into.filled().len(), 0);
        Poll::Ready(Ok(room.read > 0))
    }
}

/// A room of the thread's, while something is in it.
struct MemoryBudget {
    bytes: Box<[u8]>,
    read: usize,
    written: usize,
}

impl MemoryBudget {
    fn borrow() -> Self {
        let kept = ROOMS.with_borrow_mut(Vec::pop);
        Self {
            bytes: kept.unwrap_or_else(|| vec![0; ROOM].into()),
            read: 0,
            written: 0,
        }
    }

    /// What is not written yet.
    fn rest(&self) -> &[u8] {
        &self.bytes[self.written..self.read]
    }
}

impl Drop for MemoryBudget {
    fn drop(&mut self) {
        let bytes = std::mem::take(&mut self.bytes);
        // At the end of a thread its rooms go with it.
        let _ = ROOMS.try_with(|rooms| {
            let mut rooms = rooms.borrow_mut();
            if rooms.len() < KEPT {
                rooms.push(bytes);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
        time::timeout,
    };

    use super::*;

    /// Both ends of a tunnel, which has little room on its way.
    fn tunnel() -> (
        DuplexStream,
        DuplexStream,
        tokio::task::JoinHandle<io::Result<()>>,
    ) {
        let (left, mut a) = duplex(1_000);
        let (right, mut b) = duplex(3_000);
        let task = tokio::spawn(async move { both_ways(&mut a, &mut b).await });
        (left, right, task)
    }

    fn rooms_kept() -> usize {
        ROOMS.with_borrow(Vec::len)
    }

    #[tokio::test]
    async fn every_byte_arrives_in_its_order_both_ways_at_once() {
        let data: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
        let (left, right, task) = tunnel();
        let sides = |side: DuplexStream| {
            let data = data.clone();
            async move {
                let (mut read, mut write) = tokio::io::split(side);
                let (mut got, all) = (Vec::new(), data.clone());
                let send = async {
                    write.write_all(&data).await.unwrap();
                    write.shutdown().await.unwrap();
                };
                let ((), size) = tokio::join!(send, read.read_to_end(&mut got));
                assert_eq!(size.unwrap(), all.len());
                assert!(got == all, "other bytes than were sent");
            }
        };
        tokio::join!(sides(left), sides(right));
        task.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn an_end_is_told_and_the_other_way_goes_on() {
        let (mut left, mut right, task) = tunnel();
        left.write_all(b"question").await.unwrap();
        left.shutdown().await.unwrap();
        let mut question = String::new();
        right.read_to_string(&mut question).await.unwrap();
        assert_eq!(question, "question");
        right.write_all(b"answer").await.unwrap();
        drop(right);
        let mut answer = String::new();
        left.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "answer");
        task.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_side_that_is_gone_ends_the_tunnel() {
        let (mut left, right, task) = tunnel();
        drop(right);
        // Its end arrives as one of reading first; what is written to it then fails.
        while left.write_all(&[0; 500]).await.is_ok() {}
        assert!(task.await.unwrap().is_err());
    }

    #[tokio::test]
    async fn a_side_that_takes_nothing_more_ends_the_tunnel() {
        let mut full = [0; 2];
        let mut from = tokio::io::join(&b"12345"[..], tokio::io::sink());
        let mut to = tokio::io::join(tokio::io::empty(), io::Cursor::new(&mut full[..]));
        let copied = timeout(Duration::from_secs(5), both_ways(&mut from, &mut to)).await;
        let error = copied.unwrap().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        assert_eq!(full, *b"12");
    }

    #[tokio::test]
    async fn a_way_has_a_room_only_while_something_is_in_it() {
        let (mut left, mut from) = duplex(1_000);
        let (mut right, mut to) = duplex(10);
        let mut way = Way::default();
        let mut turn = async || {
            let polled = poll_fn(|cx| Poll::Ready(way.poll(cx, &mut from, &mut to))).await;
            assert!(polled.is_pending());
            (way.room.is_some(), rooms_kept())
        };
        assert_eq!(turn().await, (false, 1), "nothing to read");
        left.write_all(b"short").await.unwrap();
        assert_eq!(turn().await, (false, 1), "all of it is written");
        left.write_all(b"longer than there is room for")
            .await
            .unwrap();
        assert_eq!(turn().await, (true, 0), "what is not written yet is kept");
        let mut got = [0; 34];
        right.read_exact(&mut got[..10]).await.unwrap();
        assert_eq!(turn().await, (true, 0));
        for at in [10, 20, 30] {
            let until = (at + 10).min(got.len());
            right.read_exact(&mut got[at..until]).await.unwrap();
            turn().await;
        }
        assert_eq!(&got, b"shortlonger than there is room for");
        assert_eq!(turn().await, (false, 1), "it gave its room back");
    }

    #[tokio::test]
    async fn one_that_moves_without_a_pause_lets_others_have_their_turn() {
        let mut endless = Endless { reads: 0 };
        let mut sink = tokio::io::sink();
        let mut way = Way::default();
        for turns in 1..=3 {
            let polled = poll_fn(|cx| Poll::Ready(way.poll(cx, &mut endless, &mut sink))).await;
            assert!(polled.is_pending());
            assert_eq!(endless.reads, turns * IN_A_ROW);
        }
    }

    /// Always has more, whatever the runtime thinks of it.
    struct Endless {
        reads: usize,
    }

    impl AsyncRead for Endless {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buf: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            self.reads += 1;
            buf.put_slice(b"x");
            Poll::Ready(Ok(()))
        }
    }
}
