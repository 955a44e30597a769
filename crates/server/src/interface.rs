//! What an interface for another system builds on: the server state, the request extractors, and streams.

pub use crate::{
    app_state::{AppState, InterfaceRoutes, ServerState},
    extract::{
        AcceptedParameters, AuthorizedGate, CallPath, ConverseGate, Conversing, DecideGate, Deciding,
        ExecuteGate, Executing, JsonBody, LastEventId, NoParameters, NoQuery, PrefersJson, QueryParameters,
        ReadGate, Reading, RequiredRight, ThreadPath,
    },
    limits::HeldPlace,
    openapi::responses as refusal_responses,
    problem::ProblemResponse,
    stream::respond_with_stream,
};

use countersign_store::Clock;

impl ServerState {
    /// The server's clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.options.clock
    }

    /// Counts the requests that a list of pending calls brings to a reader, whose stream or page did not show them.
    pub fn count_recovered(&self, requests: usize) {
        let requests = u64::try_from(requests).unwrap_or(u64::MAX);
        self.metrics.missed.inc_by(requests);
        self.metrics.recovered.inc_by(requests);
    }

    /// Counts a stream of this caller until the returned guard is dropped. Refuses if the caller has too many.
    pub fn open_stream<R>(&self, gate: &AuthorizedGate<R>) -> Result<HeldPlace, ProblemResponse> {
        self.limiter.open_stream(gate.identity())
    }
}
