//! A body that can be had back while little of it was taken: a server that did not take a request up has read some of its
//! body all the same.

use std::{
    collections::VecDeque,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body as _, Frame, SizeHint};

use super::{Body, BodyError, Kind};

/// Most bytes kept of a body that was lent: twice what an HTTP/2 server takes unasked (RFC 9113 § 6.9.2, a window of
/// 65,535), for the last piece may be larger than what is
/// left of the window. Raising it lets larger uploads be sent again, and costs that much memory for each that waits for an
/// answer.
const KEPT: usize = 128 * 1024;

/// What remains with whoever lent a body.
#[derive(Debug)]
pub(crate) struct Loan(Arc<Mutex<Lent>>);

/// What is shared between the two.
#[derive(Debug, Default)]
pub(super) struct Lent {
    /// Comes first: it was taken by someone who gave it up.
    again: VecDeque<Bytes>,
    /// None once it was taken back.
    body: Option<Body>,
    /// What was taken so far; none once that is more than is kept, or nobody may want it back.
    taken: Option<VecDeque<Bytes>>,
    bytes: usize,
}

impl Body {
    /// A body to give away, and the way to have it back.
    pub(crate) fn lend(self) -> (Self, Loan) {
        Lent::of(self, VecDeque::new())
    }
}

impl Loan {
    /// The body from its beginning. None where more of it was taken than is kept, or it has broken off.
    pub(crate) fn take_back(&self) -> Option<Body> {
        let mut lent = lock(&self.0);
        let mut again = lent.taken.take()?;
        again.append(&mut lent.again);
        let body = lent.body.take()?;
        drop(lent);
        let (body, _) = Lent::of(body, again);
        Some(body)
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        lock(&self.0).taken = None;
    }
}

impl Lent {
    fn of(body: Body, again: VecDeque<Bytes>) -> (Body, Loan) {
        let lent = Arc::new(Mutex::new(Self {
            again,
            body: Some(body),
            taken: Some(VecDeque::new()),
            bytes: 0,
        }));
        let body = Body::of(Kind::Lent(Arc::clone(&lent)));
        (body, Loan(lent))
    }

    fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(data) = self.again.pop_front() {
            self.note(&data);
            return Poll::Ready(Some(Ok(Frame::data(data))));
        }
        let Some(body) = &mut self.body else {
            return Poll::Ready(Some(Err(BodyError::Cut)));
        };
        let frame = ready!(Pin::new(body).poll_frame(cx));
        match &frame {
            Some(Ok(frame)) => match frame.data_ref() {
                Some(data) => self.note(data),
                None => self.taken = None,
            },
            Some(Err(_)) => self.taken = None,
            None => {}
        }
        Poll::Ready(frame)
    }

    fn note(&mut self, data: &Bytes) {
        self.bytes += data.len();
        if self.bytes > KEPT {
            self.taken = None;
        } else if let Some(taken) = &mut self.taken {
            taken.push_back(data.clone());
        }
    }

    fn is_end_stream(&self) -> bool {
        self.again.is_empty() && self.body.as_ref().is_some_and(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let kept: u64 = self.again.iter().map(|data| data.len() as u64).sum();
        let Some(rest) = self.body.as_ref().map(Body::size_hint) else {
            return SizeHint::new();
        };
        let mut hint = SizeHint::new();
        hint.set_lower(kept.saturating_add(rest.lower()));
        if let Some(upper) = rest.upper() {
            hint.set_upper(kept.saturating_add(upper));
        }
        hint
    }
}

pub(super) fn poll_frame(
    lent: &Mutex<Lent>,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
    lock(lent).poll_frame(cx)
}

pub(super) fn is_end_stream(lent: &Mutex<Lent>) -> bool {
    lock(lent).is_end_stream()
}

pub(super) fn size_hint(lent: &Mutex<Lent>) -> SizeHint {
    lock(lent).size_hint()
}

fn lock(lent: &Mutex<Lent>) -> MutexGuard<'_, Lent> {
    // A panic in the middle leaves a body that ends too early or is not had back, which its length tells.
    lent.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::body::Rest;

    fn body(pieces: &[&'static str]) -> Body {
        let frames = pieces
            .iter()
            .map(|piece| Frame::data(Bytes::from_static(piece.as_bytes())));
        Body::prefixed(frames.collect(), Rest::Nothing)
    }

    #[tokio::test]
    async fn a_body_that_is_had_back_begins_at_its_beginning() {
        let (mut given, loan) = body(&["one", "two", "three"]).lend();
        for _ in 0..2 {
            given.frame().await.unwrap().unwrap();
        }
        let (mut again, second) = loan.take_back().unwrap().lend();
        assert_eq!(again.size_hint().exact(), Some(11));
        assert!(given.frame().await.unwrap().is_err(), "it was taken back");
        again.frame().await.unwrap().unwrap();
        let whole = second.take_back().unwrap().collect().await.unwrap();
        assert_eq!(whole.to_bytes(), "onetwothree");
    }

    #[tokio::test]
    async fn a_body_of_which_much_was_taken_is_not_had_back() {
        let long = Bytes::from(vec![b'x'; KEPT + 1]);
        let (given, loan) = Body::from(long).lend();
        assert_eq!(given.collect().await.unwrap().to_bytes().len(), KEPT + 1);
        assert!(loan.take_back().is_none());
        let broken = Body::prefixed(VecDeque::new(), Rest::Broken(BodyError::Cut));
        let (mut given, loan) = broken.lend();
        assert!(given.frame().await.unwrap().is_err());
        assert!(loan.take_back().is_none());
    }
}
