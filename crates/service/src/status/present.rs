//! The output of `status` for people.

use super::{connection::StatusSource, integration::LocalIntegration};
use countersign_api::{
    AgentActivity, ApproverActivity, ConnectedClient, DailyReview, Principal, StatusReport, Timestamp,
};
use countersign_console::{
    ColumnFit, CommandContext, ScreenFormat, TableCell, TextStyle, TextTable, count_day, count_words,
    escape_text, format_age, format_duration,
};

/// The most rows of a table, and the most threads.
const MAX_ROWS: usize = 20;

/// All that `status` shows.
pub(super) struct StatusView<'a> {
    pub(super) source: &'a StatusSource,
    pub(super) status: &'a StatusReport,
    pub(super) integrations: &'a [LocalIntegration],
    pub(super) yesterday: Option<&'a DailyReview>,
}

/// The status in lines.
pub(super) fn describe_status(context: &CommandContext, view: &StatusView<'_>) -> Vec<String> {
    let StatusView { source, status, integrations, yesterday } = *view;
    let (screen, now) = (context.screen(), context.now());
    let mut lines = describe_service(context, source, status);
    let tables = [
        ("agents", agent_table(status, now)),
        ("executors", executor_table(status, now)),
        ("approvers", approver_table(status, now)),
        ("integrations", integration_table(status, integrations, now)),
    ];
    for (name, (table, rows)) in tables {
        lines.push(String::new());
        if rows == 0 {
            lines.push(format!("{name}: none"));
            continue;
        }
        lines.extend(table.format(&screen).lines().map(str::to_owned));
        if rows > MAX_ROWS {
            lines.push(format!("and {} more; --json lists all", rows - MAX_ROWS));
        }
    }
    lines.push(String::new());
    lines.extend(describe_pending(context, status, &screen));
    lines.extend(yesterday.and_then(|review| describe_yesterday(context, review)));
    lines
}

/// What people were asked yesterday, and how much of it was needless.
fn describe_yesterday(context: &CommandContext, review: &DailyReview) -> Option<String> {
    let observed = (review.observed > 0)
        .then(|| format!(", {} would have been asked if the policy did more than observe", review.observed));
    let saved = (review.saved > 0).then(|| {
        let rules = count_words(review.rules.len() as u64, "rule");
        format!("; {} would not have been asked with {rules}", review.saved)
    });
    let parts: Vec<_> = observed.into_iter().chain(saved).collect();
    let how =
        if parts.is_empty() { String::new() } else { format!(": {} policy daily", context.command_prefix()) };
    Some(format!("yesterday: {}{}{how}", count_day(review)?, parts.concat()))
}

fn describe_service(context: &CommandContext, source: &StatusSource, status: &StatusReport) -> Vec<String> {
    let (screen, now, how) = (context.screen(), context.now(), context.command_prefix());
    let mut lines = Vec::new();
    let address = source.server.as_deref().map(escape_text).unwrap_or_default();
    match (&status.service, &source.trouble) {
        (Some(service), _) => {
            let (style, word) =
                if service.ready { (TextStyle::Green, "ready") } else { (TextStyle::Red, "not ready") };
            let age = format_duration(now.since(service.started_at).as_secs());
            let version = escape_text(&service.version);
            let word = screen.paint(style, word);
            lines.push(format!("service  Countersign {version} at {address}: {word}, started {age} ago"));
            lines.extend(service.trouble.iter().map(|why| format!("         ! {}", escape_text(why))));
        }
        (None, Some(trouble)) => {
            lines.push(format!("service  {}", screen.paint(TextStyle::Red, "does not answer")));
            lines.push(format!("         ! {}", escape_text(trouble)));
        }
        (None, None) => lines.push(format!("service  none runs for this log; start it with: {how} up")),
    }
    if let Some(process) = &source.process {
        let starter = process.started_by.describe();
        lines.push(format!("process  {}, started by {starter}", process.pid));
    }
    lines.extend(source.database.as_ref().map(|log| format!("log      {}", escape_text(log))));
    lines
}

fn agent_table(status: &StatusReport, now: Timestamp) -> (TextTable, usize) {
    let mut table = TextTable::new(&[
        ("AGENT", ColumnFit::Truncated),
        ("PROGRAM", ColumnFit::Optional),
        ("LAST SEEN", ColumnFit::Whole),
        ("PENDING", ColumnFit::Number),
        ("WAITS", ColumnFit::Number),
        ("RUNNING", ColumnFit::Number),
    ]);
    let agents = agents_with_clients(status);
    for agent in agents.iter().take(MAX_ROWS) {
        let clients = clients_of(status, &agent.principal);
        let waits: Option<u32> =
            clients.as_ref().map(|clients| clients.iter().map(|client| client.waits).sum());
        let style = if agent.gone > 0 { TextStyle::Yellow } else { TextStyle::Plain };
        let pending = match agent.gone {
            0 => agent.pending.to_string(),
            gone => format!("{} ({gone} left)", agent.pending),
        };
        table.add_row([
            escape_text(agent.principal.as_str()).into(),
            program_names(clients.as_deref()).into(),
            format_age(agent.last_seen_at, now).into(),
            TableCell::styled(style, pending),
            waits.map_or_else(|| "?".to_owned(), |waits| waits.to_string()).into(),
            agent.running.to_string().into(),
        ]);
    }
    (table, agents.len())
}

/// The agents in the log, and those that are only connected.
fn agents_with_clients(status: &StatusReport) -> Vec<AgentActivity> {
    let mut agents = status.agents.clone();
    for client in status.clients.iter().flatten() {
        let known = agents.iter_mut().find(|agent| agent.principal == client.principal);
        match known {
            Some(agent) => agent.last_seen_at = agent.last_seen_at.max(client.last_request_at),
            None if client.principal.as_str().starts_with("agent:") => agents.push(AgentActivity {
                principal: client.principal.clone(),
                last_seen_at: client.last_request_at,
                pending: 0,
                gone: 0,
                running: 0,
            }),
            None => {}
        }
    }
    agents
}

fn executor_table(status: &StatusReport, now: Timestamp) -> (TextTable, usize) {
    let mut table = TextTable::new(&[
        ("EXECUTOR", ColumnFit::Truncated),
        ("CALL", ColumnFit::Truncated),
        ("TOOL", ColumnFit::Truncated),
        ("THREAD", ColumnFit::Optional),
        ("CLAIMED", ColumnFit::Whole),
        ("LEASE ENDS", ColumnFit::Whole),
    ]);
    for claim in status.executors.iter().take(MAX_ROWS) {
        let rest =
            claim.lease_expires_at.map(|end| format!("in {}", format_duration(end.since(now).as_secs())));
        table.add_row([
            escape_text(&claim.executor).into(),
            escape_text(claim.id.as_str()).into(),
            escape_text(claim.name.as_str()).into(),
            escape_text(claim.thread_id.as_str()).into(),
            format_age(claim.started_at, now).into(),
            rest.unwrap_or_else(|| "–".to_owned()).into(),
        ]);
    }
    (table, status.executors.len())
}

fn approver_table(status: &StatusReport, now: Timestamp) -> (TextTable, usize) {
    let mut table = TextTable::new(&[
        ("APPROVER", ColumnFit::Truncated),
        ("PROGRAM", ColumnFit::Optional),
        ("CONNECTED", ColumnFit::Whole),
        ("SIGNED IN", ColumnFit::Whole),
        ("LAST DECISION", ColumnFit::Whole),
    ]);
    let approvers = approvers_with_clients(status);
    for approver in approvers.iter().take(MAX_ROWS) {
        let clients = clients_of(status, &approver.principal);
        let streams =
            clients.as_ref().map(|clients| clients.iter().map(|client| client.streams).sum::<u32>());
        let connected = match streams {
            None => TableCell::from("?"),
            Some(0) => TableCell::styled(TextStyle::Dim, "no"),
            Some(streams) => TableCell::styled(TextStyle::Green, count_words(streams.into(), "stream")),
        };
        let sessions = match approver.sessions {
            0 => "no".to_owned(),
            sessions => count_words(sessions as u64, "browser"),
        };
        let last = approver.last_decision_at.map_or_else(|| "–".to_owned(), |at| format_age(at, now));
        table.add_row([
            escape_text(approver.principal.as_str()).into(),
            program_names(clients.as_deref()).into(),
            connected,
            sessions.into(),
            last.into(),
        ]);
    }
    (table, approvers.len())
}

/// The approvers in the log, and people who have a stream open.
fn approvers_with_clients(status: &StatusReport) -> Vec<ApproverActivity> {
    let mut approvers = status.approvers.clone();
    for client in status.clients.iter().flatten() {
        let is_new = approvers.iter().all(|approver| approver.principal != client.principal);
        if is_new && client.streams > 0 && client.principal.as_str().starts_with("user:") {
            let principal = client.principal.clone();
            approvers.push(ApproverActivity { principal, sessions: 0, last_decision_at: None });
        }
    }
    approvers
}

fn integration_table(
    status: &StatusReport,
    integrations: &[LocalIntegration],
    now: Timestamp,
) -> (TextTable, usize) {
    let mut table = TextTable::new(&[("INTEGRATION", ColumnFit::Truncated), ("STATE", ColumnFit::Wrapped)]);
    let mut rows: Vec<[TableCell; 2]> = Vec::new();
    for local in integrations {
        let path = escape_text(&local.path.display().to_string());
        let state = match &local.trouble {
            Some(trouble) => TableCell::styled(TextStyle::Red, format!("{}; {path}", escape_text(trouble))),
            None => format!("installed in {path}").into(),
        };
        rows.push([format!("{} {}", local.kind, escape_text(&local.name)).into(), state]);
    }
    for webhook in &status.webhooks {
        let state = match (webhook.parked, webhook.failing) {
            (0, 0) => {
                TableCell::styled(TextStyle::Green, format!("delivers to {}", escape_text(&webhook.host)))
            }
            (parked, failing) => {
                let text =
                    format!("{failing} are tried again, {parked} are parked: countersign webhook list");
                TableCell::styled(TextStyle::Yellow, text)
            }
        };
        rows.push([format!("webhook {}", escape_text(&webhook.name)).into(), state]);
    }
    for client in status.clients.iter().flatten() {
        if let Some(name) = client.client.as_deref().filter(|name| is_integration(name)) {
            let who = escape_text(client.principal.as_str());
            let state = format!("{who}, last request {}", format_age(client.last_request_at, now));
            rows.push([short_name(name).into(), state.into()]);
        }
    }
    let count = rows.len();
    for row in rows.into_iter().take(MAX_ROWS) {
        table.add_row(row);
    }
    (table, count)
}

/// Returns true if a program is neither a browser nor a command that a person types.
fn is_integration(client: &str) -> bool {
    const COMMANDS: [&str; 6] =
        ["(mcp)", "(hook ", "(acp)", "(codex-app-server)", "(permission-prompt)", "(run)"];
    match client.strip_prefix("countersign/") {
        Some(own) => COMMANDS.iter().any(|command| own.contains(command)),
        None => client != "browser",
    }
}

fn describe_pending(context: &CommandContext, status: &StatusReport, screen: &ScreenFormat) -> Vec<String> {
    let (pending, how) = (&status.pending, context.command_prefix());
    if pending.count == 0 {
        return vec!["No call is pending.".to_owned()];
    }
    let oldest = pending.oldest_at.map(|at| format!(", the oldest {}", format_age(at, context.now())));
    let count = count_words(pending.count.unsigned_abs(), "call");
    let verb = if pending.count == 1 { "is" } else { "are" };
    let head = format!("{count} {verb} pending{}:", oldest.unwrap_or_default());
    let mut lines = vec![screen.paint(TextStyle::Yellow, &head)];
    for thread in pending.threads.iter().take(MAX_ROWS) {
        lines.push(format!("  {:>4}  in {}", thread.count, escape_text(thread.thread_id.as_str())));
    }
    if pending.threads.len() > MAX_ROWS || !pending.complete {
        lines.push("        and others".to_owned());
    }
    lines.push(format!("Decide with: {how} watch"));
    lines
}

/// The programs of a caller; `None` if no server has told them.
fn clients_of<'a>(status: &'a StatusReport, principal: &Principal) -> Option<Vec<&'a ConnectedClient>> {
    let clients = status.clients.as_ref()?;
    Some(clients.iter().filter(|client| client.principal == *principal).collect())
}

/// The program name; of Countersign itself only the command, because the version is that of the service.
fn short_name(client: &str) -> String {
    let own = concat!("countersign/", env!("CARGO_PKG_VERSION"), " (");
    let command = client.strip_prefix(own).and_then(|rest| rest.strip_suffix(')'));
    escape_text(command.unwrap_or(client))
}

fn program_names(clients: Option<&[&ConnectedClient]>) -> String {
    let Some(clients) = clients else { return "?".to_owned() };
    let names: Vec<_> =
        clients.iter().filter_map(|client| client.client.as_deref()).map(short_name).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(", ") }
}
