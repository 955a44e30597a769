//! The rules by which a newer document is a larger one.

use std::fmt;

/// What programs that were written for an earlier document rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GrowthRule {
    OperationStays,
    ParameterStays,
    RequestNeedsNoMore,
    RequestMemberStays,
    RequestWordStays,
    RequestTypeStays,
    LimitDoesNotShrink,
    DefaultStays,
    AnswerStays,
    AnswerMemberStays,
    AnswerWordStays,
    AnswerTypeStays,
    ErrorCodeStays,
}

impl GrowthRule {
    /// The rule, and what to do instead.
    fn explain(self) -> &'static str {
        match self {
            Self::OperationStays => "an operation must not vanish: keep its route, and mark it as deprecated",
            Self::ParameterStays => {
                "a parameter must not vanish, because a server refuses what it does not know: keep reading it"
            }
            Self::RequestNeedsNoMore => {
                "a request must not need more than before: make it optional, with the old behaviour as its default"
            }
            Self::RequestMemberStays => {
                "a member of a request must not vanish, because a server refuses what it does not know: keep reading it"
            }
            Self::RequestWordStays => "a request's enumeration only grows: keep reading the word",
            Self::RequestTypeStays => {
                "a request's values keep their types: read the old type, too, or add another member"
            }
            Self::LimitDoesNotShrink => "a limit of a request must not become stricter: keep the old one",
            Self::DefaultStays => {
                "what a request leaves out keeps its meaning: keep the default, or add another parameter"
            }
            Self::AnswerStays => "an answer must not vanish: keep its status, its media type and its headers",
            Self::AnswerMemberStays => {
                "a member of an answer must not vanish, nor become optional: keep writing it, and add another one"
            }
            Self::AnswerWordStays => {
                "a word of an answer's enumeration must not vanish: keep it in the type, also if it is rare now"
            }
            Self::AnswerTypeStays => "an answer's values keep their types: add a member with another name",
            Self::ErrorCodeStays => {
                "an error code must not vanish, nor change its HTTP status: keep it, and add another code"
            }
        }
    }
}

/// A promise that the newer document does not keep.
#[derive(Debug)]
pub(super) struct BrokenPromise {
    pub(super) rule: GrowthRule,
    /// The operation or the member of a schema.
    pub(super) place: String,
    pub(super) change: String,
}

impl fmt::Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.place, self.change, self.rule.explain())
    }
}
