//! The refusal to set something for a thread that does not exist.

use countersign_api::{ErrorCode, GateError};

/// Adds the option that lets a setting precede the first call of its thread.
pub(super) fn explain_unknown_thread(error: GateError) -> anyhow::Error {
    let is_unknown = error.code == ErrorCode::UnknownThread;
    let error = anyhow::Error::from(error);
    if is_unknown { error.context("to set it for a new thread, add --new-thread") } else { error }
}
