//! What a table row says about an operation, apart from its types.

use crate::ErrorCode;

/// The HTTP method of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpMethod {
    /// Reads.
    Get,
    /// Creates, or acts.
    Post,
    /// Replaces.
    Put,
    /// Removes.
    Delete,
}

impl HttpMethod {
    /// Returns the method as a request names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }

    /// Returns true if a request has a body.
    #[must_use]
    pub const fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put)
    }
}

/// The right that a caller needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationRight {
    /// To read calls, threads and events.
    Read,
    /// To read what concerns all threads at once.
    ReadAllThreads,
    /// To read the log's policy.
    ReadPolicy,
    /// To judge the calls of all threads by a policy.
    ReadPolicyOfAllThreads,
    /// To propose and execute calls.
    Execute,
    /// To add messages to a conversation.
    Converse,
    /// To decide.
    Decide,
    /// To decide in all threads at once.
    DecideAllThreads,
    /// To close a thread.
    Close,
    /// To add and remove approver keys.
    ManageKeys,
    /// To set policies, modes and tokens.
    Administer,
}

/// How a gate with retries repeats an operation while the log is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryClass {
    /// Not at all: the operation reads, or a repetition could execute it twice.
    Never,
    /// For as long as a person waits for the answer.
    Interaction,
    /// Like an interaction, but a server that is away is reported at once.
    InteractionOnceReached,
    /// For as long as an agent waits for a proposal. A server that is away is reported at once.
    ProposalOnceReached,
    /// For as long as it may take: the executor cannot continue without it.
    Execution,
}

/// What the table says about an operation, apart from its types.
#[derive(Debug)]
pub struct OperationRow {
    /// The operation id in the OpenAPI document.
    pub id: &'static str,
    /// The group of operations in the OpenAPI document.
    pub tag: &'static str,
    /// The HTTP method.
    pub method: HttpMethod,
    /// The path, with the names of its parts in braces.
    pub path: &'static str,
    /// The right that a caller needs.
    pub right: OperationRight,
    /// How it is retried.
    pub retry: RetryClass,
    /// The refusals of this operation, in addition to the common ones.
    pub refusals: &'static [ErrorCode],
    /// The status of success.
    pub status: u16,
    /// Whether the answer depends only on the log, whose end is then the answer's tag.
    pub has_log_tag: bool,
    /// The description, line by line. The first line is the summary.
    pub description: &'static [&'static str],
    /// The answer's description.
    pub answer: &'static str,
}

impl OperationRow {
    /// Default values for what most rows leave out.
    pub(super) const DEFAULTS: Self = Self {
        id: "",
        tag: "",
        method: HttpMethod::Get,
        path: "",
        right: OperationRight::Administer,
        retry: RetryClass::Never,
        refusals: &[],
        status: 200,
        has_log_tag: false,
        description: &[],
        answer: "",
    };
}
