//! The one error type of every gate: a stable code for programs, a sentence for people, and the facts.

mod code;

pub use code::{ErrorCode, UnavailableReason};

use crate::{ApprovalResponse, ApprovalVote, CallExecution, CallResult, Problem};
use std::fmt::Display;

/// The reason why a gate did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct GateError {
    /// The stable code that programs switch on.
    pub code: ErrorCode,
    /// A sentence for people: the mistake, its place, and the remedy.
    pub detail: String,
    /// The facts that go with the code.
    pub facts: Box<ErrorFacts>,
}

/// The facts that go with an error. Boxed, because most errors have none and answers should stay small.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorFacts {
    /// Why the database is unavailable.
    pub reason: Option<UnavailableReason>,
    /// The HTTP status, if a server sent the error.
    pub status: Option<u16>,
    /// The id under which the server logged the request.
    pub request_id: Option<String>,
    /// The pause in seconds that the server asks for before the next attempt.
    pub retry_after: Option<u64>,
    /// The decision that stands in the way.
    pub response: Option<ApprovalResponse>,
    /// The vote that stands in the way.
    pub vote: Option<ApprovalVote>,
    /// The claim that stands in the way.
    pub execution: Option<CallExecution>,
    /// The result that stands in the way.
    pub result: Option<CallResult>,
}

impl GateError {
    /// An error without further facts.
    #[must_use]
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into(), facts: Box::default() }
    }

    /// A field with a value that makes no sense.
    #[must_use]
    pub fn invalid(field: &'static str, why: &impl Display) -> Self {
        Self::new(ErrorCode::Invalid, format!("{field}: {why}"))
    }

    /// The code as it is written.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// True if a later attempt may succeed, because the request itself is fine. A server's 503 is always transient.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.facts.status == Some(503)
            || match self.code {
                ErrorCode::Unreachable | ErrorCode::NotReady | ErrorCode::ShuttingDown => true,
                ErrorCode::DatabaseUnavailable => {
                    self.facts.reason.is_some_and(UnavailableReason::is_transient)
                }
                _ => false,
            }
    }
}

impl From<Problem> for GateError {
    fn from(problem: Problem) -> Self {
        let Problem { status, code, detail, request_id, reason, retry_after, .. } = problem;
        let Problem { response, vote, execution, result, .. } = problem;
        let status = Some(status);
        let facts = ErrorFacts { reason, status, request_id, retry_after, response, vote, execution, result };
        Self { code, detail, facts: Box::new(facts) }
    }
}
