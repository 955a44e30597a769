//! `countersign copy`

use super::verify::tip_of;
use countersign_console::{
    CliError, CommandContext, CommandExit, parse_address, print_line, read_address_file,
};
use countersign_store::{CopyStep, CopySummary, DatabaseUrl};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Options of `copy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The target is created if it does not exist, and must be empty. No other process can open it until the copy is
complete. Run the same command again to continue an interrupted copy. On PostgreSQL the user must own the target.

JSON: {\"from\", \"to\", \"events\", \"copied\": the number copied by this command, \"tip\", \"checkpoint\": the tip as SEQ:HASH, \"holds\", \
\"broken\": null or the reason, \"wrongHashes\": [seq], \"indexHolds\", \"since\": the number of events that the source has gained \
meanwhile}")]
pub(crate) struct CopyArgs {
    /// The source: a path, sqlite://… or postgres://…
    #[arg(long, value_name = "ADDRESS", required_unless_present = "from_file")]
    from: Option<String>,
    /// A file that contains the source's address
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    from_file: Option<PathBuf>,
    /// The target
    #[arg(long, value_name = "ADDRESS", required_unless_present = "to_file")]
    to: Option<String>,
    /// A file that contains the target's address
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    to_file: Option<PathBuf>,
    /// Add the new events of the source to a complete copy
    #[arg(long = "continue")]
    go_on: bool,
}

pub(crate) async fn copy_log(context: &CommandContext, args: &CopyArgs) -> anyhow::Result<CommandExit> {
    if context.options.database.is_some()
        || context.options.database_file.is_some()
        || context.options.server.is_some()
    {
        let message = "copy uses --from and --to instead of --database or --server";
        return Err(CliError::usage(message).into());
    }
    let from = address(args.from.as_deref(), args.from_file.as_deref(), ["--from", "--from-file"])?;
    let to = address(args.to.as_deref(), args.to_file.as_deref(), ["--to", "--to-file"])?;
    let (mut copying, mut verifying) =
        (context.progress("events copied"), context.progress("events verified"));
    let copied = countersign_store::copy(from, to, args.go_on, |step| match step {
        CopyStep::Copied(done, of) => copying.update(done, of),
        CopyStep::Verified(done, of) => verifying.update(done, of),
    });
    let copied = copied.await;
    copying.clear();
    verifying.clear();
    let copied = copied?;
    if context.json {
        print_line(&as_json(&copied).to_string());
    } else {
        print_line(&as_text(&copied));
    }
    Ok(if copied.report.holds() { CommandExit::DONE } else { CommandExit::FAILED })
}

/// The address from the option, or from a file.
fn address(
    said: Option<&str>,
    file: Option<&Path>,
    [option, of_file]: [&str; 2],
) -> anyhow::Result<DatabaseUrl> {
    match file {
        Some(path) => {
            let origin = format!("{of_file}, {}", path.display());
            parse_address(read_address_file(path)?.expose(), &origin)
        }
        None => parse_address(said.unwrap_or_default(), option),
    }
}

fn as_json(copied: &CopySummary) -> serde_json::Value {
    let CopySummary { from, to, before, since, report } = copied;
    json!({
        "from": from.to_string(),
        "to": to.to_string(),
        "events": report.events,
        "copied": report.events - before,
        "tip": report.tip,
        "checkpoint": report.broken.is_none().then(|| tip_of(report).to_string()),
        "holds": report.holds(),
        "broken": report.broken.as_ref().map(ToString::to_string),
        "inadmissible": super::verify::list_inadmissible(report),
        "inadmissibleCount": report.inadmissible_count,
        "indexHolds": report.index_holds,
        "since": since,
    })
}

fn as_text(copied: &CopySummary) -> String {
    let CopySummary { from, to, before, since, report } = copied;
    let events = report.events;
    let mut lines = Vec::new();
    if *before > 0 {
        lines.push(format!("Continued after event {before}."));
    }
    if report.holds() {
        lines.push(format!("Copied {events} events from {from} to {to}. The hash chain is intact."));
        lines.push(format!("tip {}, the same in both", tip_of(report)));
    } else {
        lines.push(format!(
            "All events of {from} are in {to}, but the source is damaged, so no other process can open \
             the copy. Run: countersign verify --database {from}"
        ));
        lines.extend(report.broken.as_ref().map(ToString::to_string));
    }
    if *since > 0 {
        lines.push(format!(
            "The source has {since} new events. Stop all writers of {from}, then run this again with --continue."
        ));
    }
    lines.join("\n")
}
