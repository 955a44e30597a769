//! The exit codes of the command, and errors of the command line itself.

use countersign_gate::Error;
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

/// The exit code and the error code of any error.
pub(crate) fn classify_error(error: &anyhow::Error) -> (CommandExit, String) {
    if let Some(error) = error.downcast_ref::<CliError>() {
        return (error.exit, error.code.to_owned());
    }
    let Some(error) = error.downcast_ref::<Error>() else {
        return (CommandExit::FAILED, "failed".to_owned());
    };
    (exit_for(error), error.code().to_owned())
}

/// The exit code for an error of the gate.
pub(crate) fn exit_for(error: &Error) -> CommandExit {
    match error.code() {
        "unknown_call" | "unknown_grant" | "unknown_thread" => CommandExit::NO_SUCH_CALL,
        "invalid" | "bad_url" | "bad_address" | "same_log" | "only_over_a_file" => CommandExit::USAGE,
        "unreachable"
        | "strange_server"
        | "database_missing"
        | "no_folder"
        | "not_a_countersign_database"
        | "newer_database"
        | "read_only"
        | "no_wal"
        | "half_copied" => CommandExit::UNAVAILABLE,
        "target_not_empty" | "not_a_copy" => CommandExit::REFUSED,
        _ => match error {
            Error::Store(error) if error.is_of_a_server() => CommandExit::UNAVAILABLE,
            Error::Store(_) => CommandExit::FAILED,
            // The request was valid, but the server could not execute it.
            Error::Remote(problem) if problem.status >= 500 => CommandExit::FAILED,
            _ => CommandExit::REFUSED,
        },
    }
}
