//! The reasons why a hook has no answer.

use countersign_api::GateError;

/// The reason why a hook has no answer. The agent must be stopped.
#[derive(Debug, thiserror::Error)]
pub enum HookFailure {
    /// The agent's message cannot be used.
    #[error("{0}")]
    BadMessage(String),
    /// The answer cannot be written as JSON.
    #[error("the answer cannot be written: {0}")]
    NoAnswer(#[from] serde_json::Error),
    /// The gate did not execute an operation.
    #[error(transparent)]
    Gate(#[from] GateError),
}
