//! Each command has a sample, which is refused inside an agent or not, and a new log's policy agrees.

use super::*;
use crate::args::CliArguments;
use clap::{Command, CommandFactory, Parser};
use countersign_events::{Json, Principal, ThreadId, ToolName, Verdict};
use countersign_policy::{JudgedCall, Policy};
use std::collections::BTreeSet;

/// Command lines that decide or loosen, without the program.
const REFUSED: &[&str] = &[
    "advisor advise-only a",
    "advisor allow-decide a --statement s",
    "advisor replay a",
    "advisor report a --record",
    "allow c",
    "approver-key add k.pub",
    "approver-key remove k",
    "archive --before 90d old.ndjson",
    "compact",
    "checkpoint key k",
    "checkpoint sign --key k",
    "copy --from a.db --to b.db",
    "delegation end 1",
    "delegation set user:ben --for 7d",
    "deny c",
    "down",
    "erase t c --reason r",
    "flag c",
    "grant revoke t 1",
    "grant prolong t 1 --for 1h",
    "install claude-code --yes",
    "mcp unwrap mcp.json",
    "mcp wrap mcp.json",
    "policy add --yes p.toml",
    "policy apply --daily --yes",
    "policy apply --yes p.toml",
    "policy revert --yes",
    "policy use observe --yes",
    "release c",
    "restore copy.db --replace",
    "serve --solo",
    "serve --policy p.toml",
    "serve",
    "stop --yes",
    "take-back c",
    "thread close t",
    "thread mode t approve_all",
    "thread policy t bash=allow",
    "token create --name n --role agent",
    "token revoke i",
    "tool accept t --hash 0000000000000000000000000000000000000000000000000000000000000000",
    "uninstall claude-code",
    "up",
    "watch",
    "webhook end-old w",
    "webhook rotate w",
    "webhook add w https://hooks.example --topic decided",
    "webhook remove w",
    "webhook retry w",
    "webhook test w",
];

/// Command lines that are harmless, without the program.
const HARMLESS: &[&str] = &[
    "acp -- agent",
    "advisor list",
    "advisor prompt",
    "approver-key list",
    "backup copy.db",
    "calls",
    "codex-app-server -- codex app-server",
    "completions bash",
    "config",
    "delegation list",
    "demo --auto",
    "doctor",
    "grant list t",
    "hook claude-code",
    "log",
    "man",
    "mcp -- server",
    "migrate",
    "pending",
    "permission-prompt",
    "policy check p.toml",
    "policy daily",
    "policy fmt p.toml",
    "policy history",
    "policy reach read .env",
    "policy import p.yaml",
    "policy replay",
    "policy show",
    "policy suggest",
    "policy test p.toml",
    "reference",
    "run -- ls",
    "show c",
    "stats",
    "status",
    "thread list",
    "thread show t",
    "token list",
    "tool list",
    "tool show t",
    "verify",
    "version",
    "webhook list",
];

/// Harmless forms of commands that have others. A new log's policy blocks some of them with the others.
const HARMLESS_FORMS: &[&str] = &[
    "advisor report a",
    "archive --before 90d --dry-run",
    "install --verify",
    "thread mode t",
    "thread policy t",
];

fn effect(line: &str) -> CommandEffect {
    let words = std::iter::once("countersign").chain(line.split(' '));
    let parsed = CliArguments::try_parse_from(words).unwrap_or_else(|why| panic!("{line}: {why}"));
    effect_of(&parsed.command)
}

/// The verdict on a shell command under a new log's policy.
fn verdict(line: &str) -> Verdict {
    let arguments = Json::encode(&serde_json::json!({ "command": format!("countersign {line}") }));
    let call = JudgedCall {
        thread: &ThreadId::new("t").expect("a name"),
        principal: &Principal::agent("bot"),
        tool: &ToolName::new("bash").expect("a name"),
        arguments: &arguments.expect("JSON"),
        redacted: &[],
        annotations: None,
        impact: None,
        definition: None,
        place: None,
    };
    Policy::shipped().judge(&call, &|| false).verdict
}

/// The commands that have no subcommands, such as `token create`.
fn leaves(command: &Command, path: &str, found: &mut BTreeSet<String>) {
    for inner in command.get_subcommands() {
        let path = format!("{path} {}", inner.get_name()).trim_start().to_owned();
        if inner.get_subcommands().next().is_none() {
            found.insert(path);
        } else {
            leaves(inner, &path, found);
        }
    }
}

#[test]
fn every_command_has_a_sample() {
    let mut commands = BTreeSet::new();
    leaves(&CliArguments::command(), "", &mut commands);
    for command in &commands {
        let mut samples = REFUSED.iter().chain(HARMLESS);
        assert!(samples.any(|line| line.starts_with(command.as_str())), "{command} has no sample");
    }
    assert!(commands.len() > 60, "{commands:?}");
}

#[test]
fn commands_that_loosen_are_refused() {
    for line in REFUSED {
        assert!(effect(line).refused_action().is_some(), "{line}");
    }
    for line in HARMLESS.iter().chain(HARMLESS_FORMS) {
        assert_eq!(effect(line).refused_action(), None, "{line}");
    }
}

#[test]
fn policy_of_new_log_agrees() {
    for line in REFUSED {
        assert_eq!(verdict(line), Verdict::Block, "{line}");
    }
    for line in HARMLESS {
        assert_eq!(verdict(line), Verdict::Ask, "{line}");
    }
}
