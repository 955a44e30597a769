//! The error type of all gates: a stable code for programs, a sentence for people, and the facts.

mod code;

pub use code::{ErrorCode, UnavailableReason};

use crate::{ApprovalResponse, ApprovalVote, CallExecution, CallResult, Problem};
use std::fmt::Display;

/// Why a gate did not execute an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct GateError {
    /// The stable code that programs switch on.
    pub code: ErrorCode,
    /// A sentence for people: the mistake, its place, and the remedy.
    pub detail: String,
    /// The facts that accompany the code.
    pub facts: Box<ErrorFacts>,
}

/// The facts that accompany an error. Boxed, because most errors have none and answers should stay small.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorFacts {
    /// Why the database is unavailable.
    pub reason: Option<UnavailableReason>,
    /// The HTTP status, if a server sent the error.
    pub status: Option<u16>,
    /// Whether a client got no answer, although the request may have arrived: the server may have executed it.
    pub may_have_arrived: bool,
    /// The id under which the server logged the request.
    pub request_id: Option<String>,
    /// The pause in seconds that the server asks for before the next attempt.
    pub retry_after: Option<u64>,
    /// The log's last `seq`, if the request's cursor does not fit the log.
    pub tip: Option<i64>,
    /// The earlier decision that the request conflicts with.
    pub response: Option<ApprovalResponse>,
    /// The earlier vote that the request conflicts with.
    pub vote: Option<ApprovalVote>,
    /// The earlier claim that the request conflicts with.
    pub execution: Option<CallExecution>,
    /// The earlier result that the request conflicts with.
    pub result: Option<CallResult>,
    /// The statement that the approver must sign.
    pub statement: Option<String>,
}

impl GateError {
    /// Creates an error without further facts.
    #[must_use]
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), facts: Box::default() }
    }

    /// Creates the error for a field with an invalid value.
    #[must_use]
    pub fn invalid(field: &'static str, why: &impl Display) -> Self {
        Self::new(ErrorCode::Invalid, format!("{field}: {why}"))
    }

    /// Returns the code as text.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// Returns true if a later attempt may succeed, because the request itself is valid. A server's 503 is always
    /// transient.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.facts.status == Some(503)
            || match self.code {
                ErrorCode::Unreachable
                | ErrorCode::NotReady
                | ErrorCode::ShuttingDown
                | ErrorCode::TooManyRequests
                | ErrorCode::TooManyStreams
                | ErrorCode::TooManyWaits => true,
                ErrorCode::DatabaseUnavailable => {
                    self.facts.reason.is_some_and(UnavailableReason::is_transient)
                }
                _ => false,
            }
    }
}

impl From<Problem> for GateError {
    fn from(problem: Problem) -> Self {
        let Problem { status, code, detail, request_id, reason, retry_after, tip, .. } = problem;
        let Problem { response, vote, execution, result, statement, .. } = problem;
        let status = Some(status);
        let facts = ErrorFacts {
            reason,
            status,
            may_have_arrived: false,
            request_id,
            retry_after,
            tip,
            response,
            vote,
            execution,
            result,
            statement,
        };
        Self { code, detail, facts: Box::new(facts) }
    }
}
