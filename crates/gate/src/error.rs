//! What can go wrong at the gate, alike over a file and over a server.

use crate::api::{Execution, Problem, Response, Vote};
use countersign_approvals::Refused;
use std::fmt::Display;

/// Why the gate did not do what was asked. Each has a stable [`code`](Error::code).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The rules do not allow it.
    #[error(transparent)]
    Refused(Refused),
    /// The database does not allow it.
    #[error(transparent)]
    Store(countersign_store::Error),
    /// The server says no.
    #[error("{}", .0.detail)]
    Remote(Box<Problem>),
    /// No server answers.
    #[error(
        "no answer from {server}: {why}; start it with `countersign serve`, or name another with --server"
    )]
    Unreachable {
        /// Where it was looked for.
        server: String,
        /// What the system says.
        why: String,
    },
    /// What answers is no Countersign server.
    #[error("{server} does not answer as a Countersign server does: {why}")]
    Strange {
        /// Where it is.
        server: String,
        /// What is odd about the answer.
        why: String,
    },
    /// The address names no server.
    #[error(
        "{url:?} is no server's address ({why}); it looks like http://127.0.0.1:7878 or unix:/run/countersign.sock"
    )]
    BadUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// The feed does not hand out what the log has.
    #[error("the feed is {by} events behind the log; if that stays so, restart this process")]
    FeedBehind {
        /// By how many events.
        by: i64,
    },
    /// A server does not hand out its file.
    #[error("this needs the database itself; use --database instead of --server")]
    OnlyOverAFile,
}

impl Error {
    /// A refusal of something that cannot be meant.
    pub(crate) fn invalid(field: &'static str, why: &impl Display) -> Self {
        Self::Refused(Refused::Invalid { field, why: why.to_string() })
    }

    /// The stable word that programs switch on.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(refused) => refused.code(),
            Self::Store(error) => error.code(),
            Self::Remote(problem) => &problem.code,
            Self::Unreachable { .. } => "unreachable",
            Self::Strange { .. } => "strange_server",
            Self::BadUrl { .. } => "bad_url",
            Self::FeedBehind { .. } => "feed_behind",
            Self::OnlyOverAFile => "only_over_a_file",
        }
    }

    /// The decision that stands in the way, where one does: who decided what, and when.
    #[must_use]
    pub fn response(&self) -> Option<Response> {
        match self {
            Self::Refused(Refused::AlreadyDecided { response }) => Some(response.as_ref().into()),
            Self::Remote(problem) => problem.response.clone(),
            _ => None,
        }
    }

    /// The vote that stands in the way, where one does.
    #[must_use]
    pub fn vote(&self) -> Option<Vote> {
        match self {
            Self::Refused(Refused::AlreadyVoted { vote }) => Some(Vote::of(vote, vote.what.round)),
            Self::Remote(problem) => problem.vote.clone(),
            _ => None,
        }
    }

    /// The claim that stands in the way, where one does.
    #[must_use]
    pub fn execution(&self) -> Option<Execution> {
        match self {
            Self::Refused(Refused::AlreadyClaimed { claim }) => Some(claim.as_ref().into()),
            Self::Remote(problem) => problem.execution.clone(),
            _ => None,
        }
    }

    /// Whether trying again later may help: nothing is wrong with what was asked. Whatever a server answers
    /// with 503 is among that: it is to be asked again.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Remote(problem) if problem.status == 503 => true,
            _ => PASSING.contains(&self.code()),
        }
    }
}

/// Codes of what may be otherwise in a while.
const PASSING: &[&str] = &[
    "closed",
    "feed_behind",
    "not_ready",
    "shutting_down",
    "locked",
    "disk_full",
    "io_error",
    "database_unreachable",
    "outcome_unknown",
    "database_busy",
    "database_read_only",
    "database_behind",
];

impl From<countersign_store::Error> for Error {
    fn from(error: countersign_store::Error) -> Self {
        match error {
            countersign_store::Error::Refused(refused) => Self::Refused(refused),
            error => Self::Store(error),
        }
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}
