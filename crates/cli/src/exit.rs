//! The exit codes of the command, and errors of the command line itself.

use countersign_api::{ErrorCode, GateError, UnavailableReason};
use countersign_gate::{GateFailure, StoreError};
use std::process::ExitCode;

/// An exit code that `--help` lists, or the code of the command that `run` ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandExit(pub(crate) u8);

impl CommandExit {
    pub(crate) const DONE: Self = Self(0);
    pub(crate) const FAILED: Self = Self(1);
    pub(crate) const USAGE: Self = Self(2);
    pub(crate) const REFUSED: Self = Self(3);
    pub(crate) const NO_SUCH_CALL: Self = Self(4);
    pub(crate) const UNAVAILABLE: Self = Self(5);
    pub(crate) const ASKED: Self = Self(76);
    pub(crate) const DENIED: Self = Self(77);
    pub(crate) const EXPIRED: Self = Self(78);
    pub(crate) const CANCELLED: Self = Self(79);
    pub(crate) const NOT_EXECUTABLE: Self = Self(126);
    pub(crate) const NOT_FOUND: Self = Self(127);
    pub(crate) const INTERRUPTED: Self = Self(130);
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> Self {
        exit.0.into()
    }
}

/// An error of the command line itself.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CliError {
    pub(crate) exit: CommandExit,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl CliError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: CommandExit::USAGE, code: "usage", message: message.into() }
    }

    pub(crate) fn no_such_call(message: impl Into<String>) -> Self {
        Self { exit: CommandExit::NO_SUCH_CALL, code: "unknown_call", message: message.into() }
    }
}

/// The error of a service that did not start, as the service printed it.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub(crate) struct ServiceStartError {
    pub(crate) exit: CommandExit,
    pub(crate) code: String,
    pub(crate) detail: String,
}

/// The exit code and the error code of any error.
pub(crate) fn classify_error(error: &anyhow::Error) -> (CommandExit, String) {
    if let Some(error) = error.downcast_ref::<CliError>() {
        return (error.exit, error.code.to_owned());
    }
    if let Some(error) = error.downcast_ref::<ServiceStartError>() {
        return (error.exit, error.code.clone());
    }
    if let Some(error) = error.downcast_ref::<GateError>() {
        return (gate_exit(error), error.code().to_owned());
    }
    match store_error(error) {
        Some(error) => (store_exit(error), error.code().to_owned()),
        None => match error.downcast_ref::<GateFailure>() {
            Some(error) => {
                let error = GateError::from(error.clone());
                (gate_exit(&error), error.code().to_owned())
            }
            None => (CommandExit::FAILED, "failed".to_owned()),
        },
    }
}

/// The reason why the database is unavailable.
pub(crate) fn unavailable_reason(error: &anyhow::Error) -> Option<&'static str> {
    match error.downcast_ref::<GateError>() {
        Some(error) => error.facts.reason.map(UnavailableReason::as_str),
        None => store_error(error).and_then(StoreError::reason),
    }
}

fn store_error(error: &anyhow::Error) -> Option<&StoreError> {
    match error.downcast_ref::<GateFailure>() {
        Some(GateFailure::Store(error)) => Some(error),
        _ => error.downcast_ref::<StoreError>(),
    }
}

/// The exit code for an error of an operation.
pub(crate) fn gate_exit(error: &GateError) -> CommandExit {
    match error.code {
        ErrorCode::UnknownCall | ErrorCode::UnknownGrant | ErrorCode::UnknownThread => {
            CommandExit::NO_SUCH_CALL
        }
        ErrorCode::Invalid | ErrorCode::BadUrl => CommandExit::USAGE,
        ErrorCode::Unreachable | ErrorCode::StrangeServer => CommandExit::UNAVAILABLE,
        // The request was fine; the server could not do it.
        _ if error.facts.status.is_some_and(|status| status >= 500) => CommandExit::FAILED,
        ErrorCode::DatabaseUnavailable => CommandExit::UNAVAILABLE,
        ErrorCode::Damaged | ErrorCode::ShuttingDown => CommandExit::FAILED,
        _ => CommandExit::REFUSED,
    }
}

/// The exit code for a database that cannot be opened or copied.
fn store_exit(error: &StoreError) -> CommandExit {
    match error {
        StoreError::BadAddress { .. } | StoreError::SameLog(_) => CommandExit::USAGE,
        StoreError::NoFolder { .. }
        | StoreError::NotCountersign { .. }
        | StoreError::EmptyFile { .. }
        | StoreError::OlderDatabase { .. }
        | StoreError::NewerDatabase { .. }
        | StoreError::UnreleasedDatabase { .. }
        | StoreError::NoWal { .. }
        | StoreError::DatabaseUnavailable(_)
        | StoreError::HalfCopied { .. } => CommandExit::UNAVAILABLE,
        StoreError::InUse(_)
        | StoreError::LogExists(_)
        | StoreError::FileInTheWay(_)
        | StoreError::BackupTooOld { .. }
        | StoreError::TargetNotEmpty { .. }
        | StoreError::TargetExists { .. }
        | StoreError::NotACopy { .. } => CommandExit::REFUSED,
        _ => CommandExit::FAILED,
    }
}
