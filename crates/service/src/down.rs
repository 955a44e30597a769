//! `countersign down`: stops the service that `up` started.

use crate::process::{RunningService, ServiceFiles, ServiceRecord, ServiceStarter, lock_start};
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_json, print_line};
use serde_json::json;
use std::time::Duration;

/// The time within which a service ends: it lets requests finish for five seconds, and then writes what is left.
const END_LIMIT: Duration = Duration::from_secs(30);

/// Options of `down`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The service lets requests finish, and every acknowledged event is on disk when it ends. Pending calls stay in the \
log, and wait for the next service. It stops only the service that `up` started for this log.\n\n\
JSON: {\"stopped\": false if none ran, \"address\", \"pid\": null if none ran, \"database\"}"
)]
pub struct DownArgs {}

/// Runs `countersign down`.
pub async fn stop_service(context: &CommandContext, _: &DownArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage("down works on a database: use --database instead of --server").into());
    }
    let files = ServiceFiles::for_log(&context.settings.database()?)?;
    let Some(running) = RunningService::find(&files)? else { return report(context, &files, None) };
    let lock = lock_start(&files).await?;
    // It may have ended, or begun, while another command had the lock.
    let found = RunningService::find(&files)?.unwrap_or(running);
    let record = require_own(&found)?;
    if !found.terminate(&files)? {
        return report(context, &files, None);
    }
    let waited = files.clone();
    let ended = tokio::task::spawn_blocking(move || RunningService::wait_until_ended(&waited));
    match tokio::time::timeout(END_LIMIT, ended).await {
        Ok(ended) => ended??,
        Err(_) => return Err(still_running(&found)),
    }
    drop(lock);
    report(context, &files, Some(&record))
}

/// The record of a service that `up` started. Another one is ended by its starter.
fn require_own(found: &RunningService) -> anyhow::Result<ServiceRecord> {
    let pid = found.pid;
    let (starter, remedy) = match &found.record {
        Some(record) if record.started_by == ServiceStarter::Up => return Ok(record.clone()),
        Some(record) if record.started_by == ServiceStarter::Systemd => {
            (record.started_by.describe(), "stop its unit with systemctl")
        }
        Some(record) => (record.started_by.describe(), "end it with Ctrl-C in its terminal"),
        None => ("a process that has not described itself", "try again when it has started"),
    };
    let message =
        format!("the service (process {pid}) was started by {starter}, not by `countersign up`; {remedy}");
    Err(CliError { exit: CommandExit::REFUSED, code: "not_started_by_up", message }.into())
}

fn still_running(found: &RunningService) -> anyhow::Error {
    let message = format!(
        "the service (process {}) was asked to end, and still runs after {} seconds; `countersign down` again ends it at once",
        found.pid,
        END_LIMIT.as_secs()
    );
    CliError { exit: CommandExit::FAILED, code: "still_running", message }.into()
}

fn report(
    context: &CommandContext,
    files: &ServiceFiles,
    stopped: Option<&ServiceRecord>,
) -> anyhow::Result<CommandExit> {
    if context.json {
        print_json(&json!({
            "stopped": stopped.is_some(),
            "address": stopped.map(ServiceRecord::address),
            "pid": stopped.map(|record| record.pid),
            "database": files.log,
        }))?;
        return Ok(CommandExit::DONE);
    }
    let log = escape_text(&files.log);
    print_line(&match stopped {
        Some(record) => format!(
            "Stopped the service at {} (process {}). The log keeps pending calls: {log}",
            escape_text(record.address()),
            record.pid
        ),
        None => format!("No service runs for {log}."),
    });
    Ok(CommandExit::DONE)
}
