//! Embedded-gate errors, and their API codes.

use crate::view::{view_execution, view_response, view_result, view_vote};
use countersign_api::{ErrorCode, ErrorFacts, GateError, UnavailableReason};
use countersign_approvals::Refused;
use countersign_store::StoreError;
use std::fmt::Display;

/// An embedded-gate error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateFailure {
    /// The rules refuse the command.
    #[error(transparent)]
    Refused(Refused),
    /// The database failed.
    #[error(transparent)]
    Store(StoreError),
    /// This version cannot read the active policy.
    #[error(
        "the active policy (event {seq}) cannot be read by this version: {}; apply another one with `countersign policy apply`",
        .why.trim_end()
    )]
    PolicyUnreadable {
        /// The position of its event in the log.
        seq: i64,
        /// The problem.
        why: String,
    },
    /// The feed delivers events later than it should.
    #[error("the feed is {by} events behind the log; if that lasts, restart this process")]
    FeedBehind {
        /// The number of events.
        by: i64,
    },
}

impl GateFailure {
    /// The stable code that programs switch on.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::Store(error) => error.code(),
            Self::PolicyUnreadable { .. } => ErrorCode::PolicyUnreadable.as_str(),
            Self::FeedBehind { .. } => ErrorCode::NotReady.as_str(),
        }
    }

    /// The reason why the database is unavailable, if it is.
    #[must_use]
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Store(error) => error.reason(),
            _ => None,
        }
    }

    /// The refusal for a request whose `field` has a meaningless value.
    pub(crate) fn invalid(field: &'static str, why: &impl Display) -> Self {
        Self::Refused(Refused::Invalid { field, why: why.to_string() })
    }
}

impl From<StoreError> for GateFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(refused) => Self::Refused(refused),
            error => Self::Store(error),
        }
    }
}

impl From<Refused> for GateFailure {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<GateFailure> for GateError {
    fn from(error: GateFailure) -> Self {
        let detail = error.to_string();
        let (code, facts) = match &error {
            GateFailure::Refused(refused) => (ErrorCode::parse(refused.code()), refusal_facts(refused)),
            GateFailure::Store(error) => store_code(error),
            GateFailure::PolicyUnreadable { .. } => (ErrorCode::PolicyUnreadable, ErrorFacts::default()),
            GateFailure::FeedBehind { .. } => (ErrorCode::NotReady, ErrorFacts::default()),
        };
        Self { code, detail, facts: Box::new(facts) }
    }
}

/// The decision, vote, claim or result that prevents the command.
fn refusal_facts(refused: &Refused) -> ErrorFacts {
    let none = ErrorFacts::default();
    match refused {
        Refused::AlreadyDecided { response } => {
            ErrorFacts { response: Some(view_response(response, &response.by)), ..none }
        }
        Refused::AlreadyVoted { vote } => ErrorFacts { vote: Some(view_vote(vote, vote.what.round)), ..none },
        Refused::AlreadyClaimed { claim } => ErrorFacts { execution: Some(view_execution(claim)), ..none },
        Refused::AlreadyFinished { result } => ErrorFacts { result: Some(view_result(result)), ..none },
        Refused::ProofRequired { statement, .. } => ErrorFacts { statement: Some(statement.clone()), ..none },
        _ => none,
    }
}

/// The code for a store error, with the reason if the database is unavailable.
fn store_code(error: &StoreError) -> (ErrorCode, ErrorFacts) {
    let reason = match error {
        StoreError::Refused(refused) => return (ErrorCode::parse(refused.code()), refusal_facts(refused)),
        StoreError::NeedsEvidence(_) => return (ErrorCode::parse(error.code()), ErrorFacts::default()),
        StoreError::Damaged(_) | StoreError::DamagedFile { .. } => {
            return (ErrorCode::Damaged, ErrorFacts::default());
        }
        StoreError::CursorBeyondEnd { tip, .. } | StoreError::CursorOfAnotherLog { tip, .. } => {
            return (ErrorCode::BadCursor, ErrorFacts { tip: Some(*tip), ..ErrorFacts::default() });
        }
        StoreError::ShuttingDown => return (ErrorCode::ShuttingDown, ErrorFacts::default()),
        StoreError::NewerDatabase { .. } => UnavailableReason::NewerDatabase,
        // The others are errors of opening and copying: the file was replaced by one that cannot be opened.
        error => error.reason().map_or(UnavailableReason::NotCountersign, UnavailableReason::parse),
    };
    (ErrorCode::DatabaseUnavailable, ErrorFacts { reason: Some(reason), ..ErrorFacts::default() })
}
