//! The vocabulary of Countersign: events and their bodies, JSON with exact numbers, ids, principals, timestamps and
//! the hash chain. It performs no I/O and reads no clock.

pub mod chain;
mod event;
mod folded_spelling;
pub mod id;
pub mod json;
pub mod look;
pub mod look_alike;
#[cfg(feature = "openapi")]
mod openapi;
pub mod principal;
pub mod proven;
pub mod question;
pub mod sealed;
mod secret_value;
pub mod timestamp;

pub use event::*;
pub use folded_spelling::{fold_spelling, is_same_spelling};
pub use id::{CallId, ThreadId, ToolName};
pub use json::{Json, Sha256};
pub use principal::Principal;
pub use question::{BadAnswer, Question, QuestionAnswer, QuestionForm, QuestionKind, QuestionOption};
pub use secret_value::SecretValue;
pub use timestamp::Timestamp;

/// An error for a log row that no version of Countersign can have written. Readers report the row and never skip it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("event {seq} is damaged: {what}")]
pub struct DamagedEvent {
    /// The row's `seq`.
    pub seq: i64,
    /// The defect.
    pub what: String,
}
