//! The exit codes of the command, and errors of the command line itself.

use countersign_api::{ErrorCode, GateError, UnavailableReason};
use countersign_gate::GateFailure;
use countersign_store::StoreError;
use std::process::ExitCode;

/// An exit code that `--help` lists, or the exit code of the command that `run` ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandExit(pub u8);

impl CommandExit {
    /// Success.
    pub const DONE: Self = Self(0);
    /// A file or the system failed, or damage was found.
    pub const FAILED: Self = Self(1);
    /// The command line or a setting is invalid.
    pub const USAGE: Self = Self(2);
    /// The rules refuse it.
    pub const REFUSED: Self = Self(3);
    /// There is no such call, thread or grant, or more than one.
    pub const NO_SUCH_CALL: Self = Self(4);
    /// The server or the database is unavailable.
    pub const UNAVAILABLE: Self = Self(5);
    /// The verdict is to ask people.
    pub const ASKED: Self = Self(76);
    /// The call is denied or blocked.
    pub const DENIED: Self = Self(77);
    /// The call expired without a decision.
    pub const EXPIRED: Self = Self(78);
    /// The call is cancelled.
    pub const CANCELLED: Self = Self(79);
    /// The program cannot be started.
    pub const NOT_EXECUTABLE: Self = Self(126);
    /// The program was not found.
    pub const NOT_FOUND: Self = Self(127);
    /// Ctrl-C ended the command.
    pub const INTERRUPTED: Self = Self(130);
}

impl From<CommandExit> for ExitCode {
    fn from(exit: CommandExit) -> Self {
        exit.0.into()
    }
}

/// An error in the command line itself.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct CliError {
    /// The exit code of the command.
    pub exit: CommandExit,
    /// The stable code for programs.
    pub code: &'static str,
    /// What is wrong, and what to do.
    pub message: String,
}

impl CliError {
    /// Creates the error for an invalid command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: CommandExit::USAGE, code: "usage", message: message.into() }
    }

    /// Creates the error for a call that does not exist.
    pub fn no_such_call(message: impl Into<String>) -> Self {
        Self { exit: CommandExit::NO_SUCH_CALL, code: "unknown_call", message: message.into() }
    }
}

/// The error from a service that did not start, as the service printed it.
#[derive(Debug, thiserror::Error)]
#[error("{detail}")]
pub struct ServiceStartError {
    /// The exit code of the command.
    pub exit: CommandExit,
    /// The stable code for programs.
    pub code: String,
    /// What is wrong, and what to do.
    pub detail: String,
}

/// The exit code and the error code of any error.
#[must_use]
pub fn classify_error(error: &anyhow::Error) -> (CommandExit, String) {
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
pub fn unavailable_reason(error: &anyhow::Error) -> Option<&'static str> {
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

/// The exit code for an operation error.
#[must_use]
pub fn gate_exit(error: &GateError) -> CommandExit {
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
