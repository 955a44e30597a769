//! Request limits: the size of bodies and headers, and how much one caller may use concurrently.

mod caller_key;
mod header_limit;
mod held_places;
mod token_buckets;

pub(crate) use caller_key::CallerKey;
pub(crate) use header_limit::{MAX_HEADERS, check_headers};
pub use held_places::HeldPlace;

use crate::{connected_clients::UseKind, identity::CallerIdentity, problem::ProblemResponse};
use countersign_api::ErrorCode;
use countersign_events::json::MAX_BYTES;
use held_places::CallerPlaces;
use token_buckets::TokenBuckets;
use tokio::time::Instant;

/// The limits of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestLimits {
    /// The most bytes of a body. 1 MiB by default.
    pub body: usize,
    /// The most requests of a caller per second; for a moment, it may send twice as many. 5,000 by default.
    pub requests: u32,
    /// The most streams that a caller may have open. 5,000 by default.
    pub streams: u32,
    /// The most requests of a caller that may wait for a decision. 10,000 by default.
    pub waits: u32,
}

impl RequestLimits {
    /// The largest possible limit of a body in bytes: the largest JSON value that the log accepts, and room for the
    /// other fields.
    pub const MAX_BODY: usize = MAX_BYTES + 256 * 1024;
}

impl Default for RequestLimits {
    fn default() -> Self {
        Self { body: 1024 * 1024, requests: 5_000, streams: 5_000, waits: 10_000 }
    }
}

/// Each caller's use of the server.
#[derive(Debug)]
pub(crate) struct CallerLimiter {
    limits: RequestLimits,
    requests: TokenBuckets,
    streams: CallerPlaces,
    waits: CallerPlaces,
}

impl CallerLimiter {
    pub(crate) fn new(limits: RequestLimits) -> Self {
        let requests = TokenBuckets::new(limits.requests);
        Self { limits, requests, streams: CallerPlaces::default(), waits: CallerPlaces::default() }
    }

    /// Counts a request. Refuses if the caller has sent too many.
    pub(crate) fn count_request(&self, caller: CallerKey) -> Result<(), ProblemResponse> {
        self.requests.take(caller, Instant::now()).map_err(|pause| {
            let most = self.limits.requests;
            let detail = format!("this caller sends more than {most} requests a second; send fewer");
            // The header takes whole seconds.
            let pause = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
            ProblemResponse::new(ErrorCode::TooManyRequests, detail).with_retry_after(pause)
        })
    }

    /// Counts a stream until the returned guard is dropped. Refuses if the caller has too many.
    pub(crate) fn open_stream(&self, caller: &CallerIdentity) -> Result<HeldPlace, ProblemResponse> {
        let most = self.limits.streams;
        self.streams.hold(caller, UseKind::Stream, most).ok_or_else(|| {
            let detail = format!("this caller has {most} open streams, the maximum; close some");
            ProblemResponse::new(ErrorCode::TooManyStreams, detail).with_retry_after(RETRY_AFTER_SECONDS)
        })
    }

    /// Counts a request that waits for a decision until the returned guard is dropped. Refuses if too many requests of
    /// the caller wait.
    pub(crate) fn begin_wait(&self, caller: &CallerIdentity) -> Result<HeldPlace, ProblemResponse> {
        let most = self.limits.waits;
        self.waits.hold(caller, UseKind::Wait, most).ok_or_else(|| {
            let detail = format!(
                "{most} requests of this caller wait for a decision, the maximum; end some, or ask without `Prefer: wait`"
            );
            ProblemResponse::new(ErrorCode::TooManyWaits, detail).with_retry_after(RETRY_AFTER_SECONDS)
        })
    }
}

/// The pause after which a stream or a wait may have ended.
const RETRY_AFTER_SECONDS: u64 = 5;
