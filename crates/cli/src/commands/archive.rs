//! `countersign archive`

use crate::filters::parse_moment;
use countersign_api::ApprovalGate;
use countersign_approvals::{access::VisibleThreads, archivable::ThreadExtent};
use countersign_console::{
    CliError, ColumnFit, CommandContext, CommandExit, TextTable, escape_text, print_line,
};
use countersign_events::{CallId, ThreadId, Timestamp};
use countersign_gate::{ArchiveSummary, EmbeddedGate, GateFailure};
use countersign_policy::Policy;
use countersign_store::{ArchiveContents, ArchivePlan, StoreOptions};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Options of `archive`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The file gets all events of the threads, each with what its hash covers. It is complete and on disk before a text leaves
the log. Everything but the texts stays in the log: who decided what and when, and the hash chain. An interrupted command
is continued by running it again with the same file. `countersign verify --archive FILE` checks a file.

JSON: {\"file\": null if there was nothing to archive, \"threads\": the number of threads in the file, \"events\", \"digest\", \
\"archived\": the number of threads that this command archived, \"continued\", \"running\": [{\"threadId\", \"callId\"}]}; with --dry-run {\"threads\": [{\"threadId\", \"events\", \"lastEventAt\"}], \
\"running\"}")]
pub(crate) struct ArchiveArgs {
    /// Only threads whose last event is older: a time such as 2026-01-31T12:00:00Z, or an age such as 90d
    #[arg(long, value_name = "WHEN", value_parser = parse_moment)]
    before: Timestamp,
    /// Only threads that this glob matches, such as 'ci/*'; repeatable
    #[arg(long, value_name = "GLOB")]
    thread: Vec<String>,
    /// List the threads, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// The new file
    #[arg(value_name = "FILE", required_unless_present = "dry_run")]
    to: Option<PathBuf>,
}

impl ArchiveArgs {
    /// Whether the command changes nothing.
    pub(crate) const fn only_lists(&self) -> bool {
        self.dry_run
    }
}

pub(crate) async fn archive_threads(
    context: &CommandContext,
    args: &ArchiveArgs,
) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        let why = "archive works on a database: use --database instead of --server";
        return Err(CliError::usage(why).into());
    }
    let threads = VisibleThreads::parse(&args.thread)
        .map_err(|why| CliError::usage(format!("--thread {}: {why}", args.thread.join(", "))))?;
    let changes = args.to.as_deref().filter(|_| !args.dry_run);
    match changes {
        Some(to) => archive_to_file(context, args.before, &threads, to).await?,
        None => show_plan(context, args.before, &threads).await?,
    }
    Ok(CommandExit::DONE)
}

async fn archive_to_file(
    context: &CommandContext,
    before: Timestamp,
    threads: &VisibleThreads,
    to: &Path,
) -> anyhow::Result<()> {
    let to = std::path::absolute(to)?;
    let gate = context.open_database_to_decide().await?;
    let (total, mut progress) = (gate.tip(None).await?, context.progress("events"));
    let summary = gate.archive(before, threads, &to, |done| progress.update(done, total)).await;
    progress.clear();
    gate.shut_down().await;
    let (mut summary, file) = (summary?, to.display().to_string());
    match summary.interrupted.take() {
        None => print_summary(context, &summary, &file),
        Some(cause) => return Err(explain_interruption(cause, &summary, &file)),
    }
    Ok(())
}

/// The error for a move that ended early.
fn explain_interruption(cause: GateFailure, summary: &ArchiveSummary, file: &str) -> anyhow::Error {
    let threads = summary.contents.as_ref().map_or(0, |contents| contents.threads.len());
    let message = format!(
        "{} of {threads} threads have moved to {}: keep the file, and run the same command again, which continues. It stopped \
         at the next ones: {cause}",
        summary.archived,
        escape_text(file)
    );
    anyhow::Error::from(cause).context(message)
}

async fn show_plan(
    context: &CommandContext,
    before: Timestamp,
    threads: &VisibleThreads,
) -> anyhow::Result<()> {
    let address = context.settings.database()?;
    let gate = EmbeddedGate::open_with(address, StoreOptions::for_reading(), Policy::shipped()).await?;
    let (total, mut progress) = (gate.tip(None).await?, context.progress("events"));
    let plan = gate.plan_archive(before, threads, |done| progress.update(done, total)).await;
    progress.clear();
    gate.shut_down().await;
    print_plan(context, &plan?);
    Ok(())
}

fn print_plan(context: &CommandContext, plan: &ArchivePlan) {
    let selected = &plan.selection;
    if context.json {
        let thread = |(id, extent): (&ThreadId, &ThreadExtent)| json!({ "threadId": id, "events": extent.events, "lastEventAt": extent.last_at });
        let threads: Vec<_> = selected.threads.iter().map(thread).collect();
        print_line(&json!({ "threads": threads, "running": running_json(&selected.running) }).to_string());
        return;
    }
    if !selected.threads.is_empty() {
        let columns = [
            ("THREAD", ColumnFit::Truncated),
            ("EVENTS", ColumnFit::Number),
            ("LAST EVENT", ColumnFit::Whole),
        ];
        let mut table = TextTable::new(&columns);
        for (id, extent) in &selected.threads {
            let cells = [escape_text(id.as_str()), extent.events.to_string(), extent.last_at.to_string()];
            table.add_row(cells.map(Into::into));
        }
        print_line(&table.format(&context.screen()));
    }
    let events: u64 = selected.threads.values().map(|extent| extent.events).sum();
    print_line(&format!("{} threads with {events} events would be archived.", selected.threads.len()));
    print_running(&selected.running);
}

fn print_summary(context: &CommandContext, summary: &ArchiveSummary, file: &str) {
    let ArchiveSummary { contents, archived, continued, running, .. } = summary;
    if context.json {
        let count = |count: fn(&ArchiveContents) -> Value| contents.as_ref().map_or(Value::Null, count);
        let json = json!({
            "file": contents.as_ref().map(|_| file),
            "threads": contents.as_ref().map_or(0, |contents| contents.threads.len()),
            "events": contents.as_ref().map_or(0, |contents| contents.events),
            "digest": count(|contents| json!(contents.digest)),
            "archived": archived,
            "continued": continued,
            "running": running_json(running),
        });
        print_line(&json.to_string());
        return;
    }
    let Some(contents) = contents else {
        print_line("No closed thread is old enough. No file was made.");
        return print_running(running);
    };
    let (threads, events, file) = (contents.threads.len(), contents.events, escape_text(file));
    if *continued {
        print_line(&format!(
            "{file} was there, so the command continued: the log had the content of {archived} of its {threads} threads."
        ));
    }
    print_line(&format!(
        "The content of {threads} threads ({events} events) is in {file}. Keep it: the log has only their hashes."
    ));
    print_line(&format!("digest {}", contents.digest));
    print_line(
        "To give the space back to the system, run `countersign compact` (PostgreSQL: VACUUM FULL events, as the table's \
         owner).",
    );
    print_running(running);
}

fn print_running(running: &BTreeMap<ThreadId, CallId>) {
    for (thread, call) in running {
        let (thread, call) = (escape_text(thread.as_str()), escape_text(call.as_str()));
        print_line(&format!("Thread {thread} stays: its call {call} has no result yet."));
    }
}

fn running_json(running: &BTreeMap<ThreadId, CallId>) -> Value {
    running.iter().map(|(thread, call)| json!({ "threadId": thread, "callId": call })).collect()
}
