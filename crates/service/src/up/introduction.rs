//! The output of `up`: the same for a service that it started and for one that it found.

use super::{
    credentials::LocalCredentials,
    environment::{AgentEnvironment, ShellSyntax},
};
use crate::process::{ServiceFiles, ServiceRecord, ServiceStarter};
use countersign_console::{CommandContext, escape_text, local_person, print_json, print_line};
use serde_json::json;
use std::io::{IsTerminal, stdout};

/// A service, and facts about its log.
pub(super) struct ServiceSummary<'a> {
    pub(super) record: &'a ServiceRecord,
    pub(super) files: &'a ServiceFiles,
    /// Whether this command started it.
    pub(super) started: bool,
}

pub(super) fn print_introduction(
    context: &CommandContext,
    summary: &ServiceSummary<'_>,
    credentials: &LocalCredentials,
    environment: &AgentEnvironment,
) -> anyhow::Result<()> {
    let ServiceSummary { record, files, started, .. } = summary;
    if context.json {
        let link = credentials.link.as_ref();
        print_json(&json!({
            "started": started,
            "address": record.address(),
            "addresses": record.addresses,
            "pages": record.pages(),
            "version": record.version,
            "pid": record.pid,
            "startedAt": record.started_at,
            "startedBy": record.started_by,
            "database": files.log,
            "messages": messages_of(summary),
            "solo": record.solo,
            "signInLink": link.map(|(link, _)| link),
            "signInUntil": link.map(|(_, until)| until),
            "environment": environment.0,
        }))?;
        return Ok(());
    }
    for line in describe_service(context, summary, credentials) {
        print_line(&line);
    }
    print_line("\nFor agents, in the shell that starts them:");
    environment.print(ShellSyntax::Sh);
    let how = context.command_prefix();
    print_line(&format!("\nor in one line:  eval \"$({how} up --env)\""));
    print_line("Decide in a browser, or in a terminal without these variables.");
    Ok(())
}

fn describe_service(
    context: &CommandContext,
    summary: &ServiceSummary<'_>,
    credentials: &LocalCredentials,
) -> Vec<String> {
    let ServiceSummary { record, files, .. } = summary;
    let how = context.command_prefix();
    let (version, since) = (escape_text(&record.version), record.started_at);
    let mut lines = vec![format!("Countersign {version} runs in process {} since {since}.", record.pid)];
    if record.version != env!("CARGO_PKG_VERSION") {
        let own = env!("CARGO_PKG_VERSION");
        lines.push(format!("This command has version {own}: restart the service to use it."));
    }
    let log = escape_text(&files.log);
    lines.push(format!("\n  address    {}", escape_text(&record.addresses.join("\n             "))));
    lines.extend(record.pages().map(|pages| format!("  pages      {}", escape_text(&pages))));
    lines.push(format!("  log        {log}"));
    lines.extend(describe_approver(summary, credentials));
    if let Some(path) = messages_of(summary) {
        lines.push(format!("  messages   {}", escape_text(&path)));
    }
    lines.push(format!("  status     {how} status"));
    lines.push(match record.started_by {
        ServiceStarter::Up => format!("  stop       {how} down"),
        other => format!("  stop       as it was started: by {}", other.describe()),
    });
    lines
}

/// How a person decides. The link is a secret, so it is printed to a terminal only.
fn describe_approver(summary: &ServiceSummary<'_>, credentials: &LocalCredentials) -> Vec<String> {
    if summary.record.solo {
        let solo = "  approver   SOLO: a caller without a token may both propose and decide; events name it \"(solo)\"";
        return vec![solo.to_owned()];
    }
    let Some((link, until)) = &credentials.link else { return Vec::new() };
    let person = escape_text(&local_person());
    if !stdout().is_terminal() {
        return vec![format!(
            "  approver   user:{person}; the sign-in link is printed to a terminal, and with --json"
        )];
    }
    vec![
        format!("  approver   {}", escape_text(link)),
        format!(
            "             signs user:{person} in once, until {until}, to read and decide; not to propose"
        ),
    ]
}

/// The message file of a service that `up` started.
fn messages_of(summary: &ServiceSummary<'_>) -> Option<String> {
    let is_ours = summary.record.started_by == ServiceStarter::Up;
    is_ours.then(|| summary.files.messages().display().to_string())
}
