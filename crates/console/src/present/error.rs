//! Error messages on stderr, with a hint about what to do.

use super::screen::{ScreenFormat, TextStyle};
use crate::{CommandExit, classify_error, escape_lines, format_json_line, print_error, unavailable_reason};
use countersign_api as api;
use countersign_api::GateError;
use serde::Serialize;

/// An error as JSON.
#[derive(Serialize)]
struct ErrorReport<'a> {
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

impl ErrorReport<'_> {
    fn print(&self) {
        let line = format_json_line(self).unwrap_or_else(|error| error.to_string());
        print_error(&line);
    }
}

/// Prints an error in the command line as JSON.
#[must_use]
pub fn report_usage_as_json(detail: &str) -> CommandExit {
    let hint = Some("run `countersign COMMAND --help` to list the options of a command");
    ErrorReport { code: "usage", detail, response: None, execution: None, vote: None, reason: None, hint }
        .print();
    CommandExit::USAGE
}

/// Prints an error to stderr, and returns the exit code.
#[must_use]
pub fn report_error(json: bool, screen: &ScreenFormat, error: &anyhow::Error) -> CommandExit {
    let (exit, code) = classify_error(error);
    let detail = format!("{error:#}");
    if json {
        // The response, the execution or the vote says who acted first.
        let facts = error.downcast_ref::<GateError>().map(|error| (*error.facts).clone()).unwrap_or_default();
        ErrorReport {
            code: &code,
            detail: &detail,
            response: facts.response,
            execution: facts.execution,
            vote: facts.vote,
            reason: unavailable_reason(error),
            hint: error_hint(&code),
        }
        .print();
        return exit;
    }
    print_error(&format!("{} {}", screen.paint(TextStyle::Red, "countersign:"), escape_lines(&detail)));
    if let Some(hint) = error_hint(&code) {
        print_error(&format!("{} {hint}", screen.paint(TextStyle::Cyan, "hint:")));
    }
    exit
}

/// The remedy for a code or, if the database is unavailable, for its reason. It may repeat advice from the error.
#[must_use]
pub fn error_remedy(code: &str) -> &'static str {
    match code {
        "not_countersign" | "no_wal" => "use another file with --database",
        "empty_file" => {
            "copy the original with `countersign backup`, or create a log with `countersign serve`"
        }
        "older_database" => "run `countersign migrate` as the owner of the file",
        "newer_database" => "use the newer version of countersign",
        "half_copied" => "run the same `countersign copy` again",
        "missing" => "create the database with `createdb`; `countersign serve` then creates the log",
        "no_log" => {
            "start `countersign serve`, which creates the log, or name another database with --database"
        }
        "read_only" => "change the owner of the file and its folder, or run as their owner",
        "unreachable" => "start the server: `countersign serve`, or PostgreSQL",
        "busy" => "check the load of the database server",
        "login" => "check the user, the password, TLS and pg_hba.conf; see docs/postgresql.md",
        "forbidden" => "see docs/postgresql.md for the rights of each role",
        "standby" => "use the primary, or promote this standby",
        "behind" => "see docs/postgresql.md about failover",
        "too_old" => "upgrade the database server",
        "full" => "free disk space; countersign then continues without a restart",
        "bad_url" | "strange_server" => "use another address with --server",
        code => error_hint(code).unwrap_or("see the error message"),
    }
}

/// The hint for an error whose message does not say what to do.
fn error_hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "unknown_call" => "`countersign pending` lists pending calls, `countersign calls` lists all calls",
        "unknown_thread" => "`countersign thread list` lists the threads",
        "unknown_delegation" | "not_delegated" => {
            "`countersign delegation list` lists the active delegations"
        }
        "unknown_grant" => "`countersign grant list THREAD` lists the active grants",
        "several_calls" => "type more of the id, or add --thread",
        "not_an_approver" => "decide as a person: --as user:NAME",
        "self_approval" => "another person must decide",
        "not_eligible" => "`countersign show ID` lists who may decide, and at which level",
        "already_voted" => "each approver votes once; `countersign show ID` lists the votes",
        "arguments_changed" => "`countersign show ID` shows the current arguments",
        "not_offered" => "`countersign show ID --json` lists the decisions that are offered",
        "definition_changed" => "the agent must propose the call again with the current tool definition",
        "already_decided" | "already_claimed" | "already_finished" | "not_allowed" => {
            "`countersign show ID` shows the call and its events"
        }
        "thread_closed" => "a thread cannot be reopened; use another thread",
        "policy_changed" => {
            "`countersign policy show` shows the active policy now; compare it and run the command again"
        }
        "bad_policy" => "correct the policy (see docs/policy.md), or use another file with --policy",
        "address_in_use" => {
            "use another address with --listen; --reuse-port shares a port between servers that all set it"
        }
        "no_folder_for_socket" => "create the folder, or use another address with --listen",
        "bad_setting" => "see docs/configuration.md for the settings",
        "bad_address" => "see docs/postgresql.md for the format of an address",
        "damaged" => "`countersign doctor` checks the database, `countersign verify` checks every event",
        _ => return None,
    })
}
