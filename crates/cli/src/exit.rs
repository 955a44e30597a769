//! How the command ends: documented codes, and errors that say what to do.

use crate::{
    args::Args,
    output,
    screen::{Screen, Style},
};
use countersign_api::{self as api, ErrorCode, GateError, UnavailableReason};
use countersign_gate::StoreError;
use serde::Serialize;
use std::process::ExitCode;

/// A code of those that `--help` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exit(pub(crate) u8);

impl Exit {
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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.0.into()
    }
}

/// An error of the command line itself.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Said {
    pub(crate) exit: Exit,
    pub(crate) code: &'static str,
    pub(crate) message: String,
}

impl Said {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::USAGE, code: "usage", message: message.into() }
    }

    pub(crate) fn no_such_call(message: impl Into<String>) -> Self {
        Self { exit: Exit::NO_SUCH_CALL, code: "unknown_call", message: message.into() }
    }
}

/// What went wrong, for programs.
#[derive(Serialize)]
struct Told<'a> {
    code: &'a str,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution: Option<api::CallExecution>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response: Option<api::ApprovalResponse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vote: Option<api::ApprovalVote>,
}

fn complain_in_json(told: &Told<'_>) {
    // Nothing in it can fail to become text; what could would still be said somehow.
    let line = output::json_line(told).unwrap_or_else(|why| why.to_string());
    output::complain(&line);
}

/// Says in JSON that the command line is none.
pub(crate) fn report_usage(detail: &str) -> Exit {
    complain_in_json(&Told {
        code: "usage",
        detail,
        reason: None,
        response: None,
        execution: None,
        vote: None,
        hint: Some("`countersign COMMAND --help` tells what a command takes"),
    });
    Exit::USAGE
}

/// Says on stderr what went wrong, and gives the code to exit with.
pub(crate) fn report(args: &Args, error: &anyhow::Error) -> Exit {
    let (exit, code) = classify(error);
    if args.json {
        // Who won, for whoever lost.
        let facts = error.downcast_ref::<GateError>().map(|error| (*error.facts).clone()).unwrap_or_default();
        let reason = reason(error);
        let told = Told {
            code: &code,
            reason,
            detail: &format!("{error:#}"),
            response: facts.response,
            execution: facts.execution,
            vote: facts.vote,
            hint: hint(&code),
        };
        complain_in_json(&told);
    } else {
        let screen = Screen::of_stderr(args);
        let text = output::visible_lines(&format!("{error:#}"));
        output::complain(&format!("{} {text}", screen.paint(Style::Red, "countersign:")));
        if let Some(hint) = hint(&code) {
            output::complain(&format!("{} {hint}", screen.paint(Style::Cyan, "hint:")));
        }
    }
    exit
}

/// The remedy for a code or, if the database is unavailable, for its reason. `doctor` shows one for each error.
pub(crate) fn remedy(code: &str) -> &'static str {
    match code {
        "not_countersign" | "no_wal" => "name another file with --database",
        "newer_database" => "use the newer program",
        "half_copied" => "run the same `countersign copy` again",
        "missing" => "`createdb` makes a database, and `countersign serve` or `countersign run` a log in it",
        "read_only" => "change the owner of the file and its folder, or run as theirs",
        "unreachable" => "start the server: `countersign serve`, or PostgreSQL",
        "busy" => "check the load of its server",
        "login" => "check user, password, TLS and pg_hba.conf as in docs/postgresql.md",
        "forbidden" => "docs/postgresql.md lists the permissions of each role",
        "standby" => "name the primary, or promote this standby",
        "behind" => "docs/postgresql.md explains what to do after a failover",
        "too_old" => "upgrade the server",
        "full" => "make room; Countersign then continues by itself",
        "bad_url" | "strange_server" => "name another with --server",
        code => hint(code).unwrap_or("the message has the remedy"),
    }
}

/// What to do about it, where the error itself does not say so.
fn hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "unknown_call" => "`countersign pending` lists what waits, `countersign calls` what there ever was",
        "unknown_thread" => "`countersign threads` lists them",
        "unknown_grant" => "`countersign grants THREAD` lists what stands",
        "several_calls" => "give more of the id, or --thread",
        "not_an_approver" => "decide as a person: --as user:NAME",
        "self_approval" => "somebody else has to decide",
        "not_eligible" => "`countersign show ID` tells who may decide, and at which level",
        "already_voted" => "each approver votes once; `countersign show ID` lists the votes",
        "arguments_changed" => "`countersign show ID` tells what would run now",
        "not_offered" => "`countersign show ID --json` tells what is offered",
        "definition_changed" => "the agent has to propose it anew, and people look at the tool as it is now",
        "already_decided" | "already_claimed" | "already_finished" | "not_allowed" => {
            "`countersign show ID` tells the whole story"
        }
        "thread_closed" => "a closed thread stays closed; use another one",
        "bad_policy" => "docs/policy.md says how one is written; mend it, or name another with --policy",
        "address_in_use" => "name another with --listen; --reuse-port shares it with servers that say so too",
        "no_folder_for_socket" => "make the folder first, or name another with --listen",
        "bad_setting" => "docs/configuration.md says what can be set, and how",
        "bad_address" => "docs/postgresql.md says how one is written",
        "damaged" => "`countersign doctor` looks at it from outside, `countersign verify` at every row",
        _ => return None,
    })
}

/// The reason why the database is unavailable.
fn reason(error: &anyhow::Error) -> Option<&'static str> {
    if let Some(error) = error.downcast_ref::<GateError>() {
        return error.facts.reason.map(UnavailableReason::as_str);
    }
    let store = match error.downcast_ref::<countersign_gate::Error>() {
        Some(countersign_gate::Error::Store(error)) => Some(error),
        _ => error.downcast_ref::<StoreError>(),
    };
    store.and_then(StoreError::reason)
}

fn classify(error: &anyhow::Error) -> (Exit, String) {
    if let Some(said) = error.downcast_ref::<Said>() {
        return (said.exit, said.code.to_owned());
    }
    if let Some(error) = error.downcast_ref::<GateError>() {
        return (of_gate(error), error.code().to_owned());
    }
    if let Some(error) = error.downcast_ref::<StoreError>() {
        return (of_store(error), error.code().to_owned());
    }
    match error.downcast_ref::<countersign_gate::Error>() {
        Some(countersign_gate::Error::Store(error)) => (of_store(error), error.code().to_owned()),
        Some(error) => {
            let error = GateError::from(error.clone());
            (of_gate(&error), error.code().to_owned())
        }
        None => (Exit::FAILED, "failed".to_owned()),
    }
}

/// The exit code for an error of an operation.
pub(crate) fn of_gate(error: &GateError) -> Exit {
    match error.code {
        ErrorCode::UnknownCall | ErrorCode::UnknownGrant | ErrorCode::UnknownThread => Exit::NO_SUCH_CALL,
        ErrorCode::Invalid | ErrorCode::BadUrl => Exit::USAGE,
        ErrorCode::Unreachable | ErrorCode::StrangeServer => Exit::UNAVAILABLE,
        // The request was fine; the server could not do it.
        _ if error.facts.status.is_some_and(|status| status >= 500) => Exit::FAILED,
        ErrorCode::DatabaseUnavailable => error.facts.reason.map_or(Exit::FAILED, of_reason),
        ErrorCode::Damaged | ErrorCode::ShuttingDown => Exit::FAILED,
        _ => Exit::REFUSED,
    }
}

/// The exit code for an unavailable database: a file that fails while it is in use is another matter than one that
/// cannot be used at all.
fn of_reason(reason: UnavailableReason) -> Exit {
    match reason {
        UnavailableReason::Full
        | UnavailableReason::Gone
        | UnavailableReason::IoError
        | UnavailableReason::Locked
        | UnavailableReason::Other => Exit::FAILED,
        _ => Exit::UNAVAILABLE,
    }
}

/// The exit code for a database that cannot be opened or copied.
fn of_store(error: &StoreError) -> Exit {
    match error {
        StoreError::BadAddress { .. } | StoreError::SameLog(_) => Exit::USAGE,
        StoreError::NoFolder { .. }
        | StoreError::NotCountersign { .. }
        | StoreError::NewerDatabase { .. }
        | StoreError::NoWal { .. }
        | StoreError::HalfCopied { .. } => Exit::UNAVAILABLE,
        StoreError::TargetNotEmpty { .. } | StoreError::NotACopy { .. } => Exit::REFUSED,
        StoreError::DatabaseUnavailable(unavailable) => {
            of_reason(UnavailableReason::parse(unavailable.reason()))
        }
        _ => Exit::FAILED,
    }
}
