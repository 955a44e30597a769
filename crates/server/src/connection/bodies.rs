//! The bodies of requests and responses: a request body has a time limit, and a response body reports when it ends.

use super::activity::RequestInProgress;
use crate::RequestLimits;
use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use std::{
    error::Error,
    future::poll_fn,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Instant, Sleep};

/// A request body was not complete in time.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the body was not complete after {} seconds", .0.as_secs_f64())]
pub(crate) struct BodyTimeout(Duration);

/// The most bytes of a body that are read although the request is refused.
const MAX_DISCARDED: usize = 16 * RequestLimits::MAX_BODY;

/// The longest pause of a client that sends a body although the request is refused.
const DISCARD_PAUSE: Duration = Duration::from_secs(1);

/// A request body. The connection keeps it, so that it can read what the endpoint left.
#[derive(Clone)]
pub(super) struct SharedBody(Arc<Mutex<TimedBody>>);

impl SharedBody {
    pub(super) fn new(body: Incoming, limit: Duration) -> Self {
        Self(Arc::new(Mutex::new(TimedBody::new(body, limit))))
    }

    fn lock(&self) -> MutexGuard<'_, TimedBody> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads and discards what the endpoint has not read, up to [`MAX_DISCARDED`]. If the server closed the connection while the
    /// client sends, the client would see a broken connection instead of the error.
    pub(super) async fn discard_rest(self) {
        let mut discarded = 0;
        while discarded <= MAX_DISCARDED && !self.lock().is_end_stream() {
            let next = poll_fn(|context| Pin::new(&mut *self.lock()).poll_frame(context));
            let paused = sleep_until(Instant::now() + DISCARD_PAUSE);
            let frame = tokio::select! {
                frame = next => frame,
                () = paused => return,
            };
            let Some(Ok(frame)) = frame else { return };
            discarded += frame.data_ref().map_or(0, Bytes::len);
        }
    }
}

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}

/// A request body, which fails if it is not complete in time.
struct TimedBody {
    body: Incoming,
    limit: Duration,
    deadline: Instant,
    /// Only a body that the server has to wait for needs a timer.
    timer: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    fn new(body: Incoming, limit: Duration) -> Self {
        Self { body, limit, deadline: Instant::now() + limit, timer: None }
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let (deadline, limit) = (self.deadline, self.limit);
        ready!(self.timer.get_or_insert_with(|| sleep_until(deadline)).as_mut().poll(context));
        Poll::Ready(Some(Err(BodyTimeout(limit).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[expect(clippy::disallowed_methods, reason = "a connection depends on the machine, not on the log's time")]
pub(super) fn sleep_until(deadline: Instant) -> Pin<Box<Sleep>> {
    Box::pin(tokio::time::sleep_until(deadline))
}

/// A response body. The connection is idle when it ends.
pub(super) struct TrackedBody {
    pub(super) body: Body,
    pub(super) _request: RequestInProgress,
}

impl HttpBody for TrackedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
