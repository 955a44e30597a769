//! `countersign backup`

use super::verify::tip_of;
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_line};
use countersign_store::{BackupSummary, DatabaseUrl};
use serde_json::json;
use std::path::PathBuf;

/// Options of `backup`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Processes may write meanwhile. The copy is one complete file, which is verified before it gets its name. It never
replaces a file.

JSON: {\"from\", \"to\", \"events\", \"tip\", \"checkpoint\": the tip as SEQ:HASH, \"holds\", \"broken\": null or the reason, \"inadmissible\": [{\"seq\", \
\"reason\"}], \"inadmissibleCount\", \"indexHolds\"}")]
pub(crate) struct BackupArgs {
    /// The new file
    #[arg(value_name = "FILE")]
    to: PathBuf,
}

pub(crate) async fn back_up_log(context: &CommandContext, args: &BackupArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage("backup works on a file: use --database instead of --server").into());
    }
    let from = match context.settings.database()? {
        DatabaseUrl::File(path) => path,
        DatabaseUrl::Postgres(_) => return Err(not_a_file(args)),
    };
    let mut progress = context.progress("events verified");
    // The number of events is not known before the copy exists.
    let summary = countersign_store::backup(&from, &args.to, |done| progress.update(done, done)).await;
    progress.clear();
    let summary = summary?;
    if context.json {
        print_line(&as_json(&summary).to_string());
    } else {
        print_line(&as_text(&summary));
    }
    Ok(if summary.report.holds() { CommandExit::DONE } else { CommandExit::FAILED })
}

fn not_a_file(args: &BackupArgs) -> anyhow::Error {
    let to = args.to.display();
    let message = format!(
        "backup copies an SQLite file, and this log is on PostgreSQL; use pg_dump, or copy the log into a file with `countersign copy --from ADDRESS --to {to}`"
    );
    CliError::usage(message).into()
}

fn as_json(summary: &BackupSummary) -> serde_json::Value {
    let BackupSummary { from, to, report } = summary;
    json!({
        "from": from.to_string(),
        "to": to.to_string(),
        "events": report.events,
        "tip": report.tip,
        "checkpoint": report.broken.is_none().then(|| tip_of(report).to_string()),
        "holds": report.holds(),
        "broken": report.broken.as_ref().map(ToString::to_string),
        "inadmissible": super::verify::list_inadmissible(report),
        "inadmissibleCount": report.inadmissible_count,
        "indexHolds": report.index_holds,
    })
}

fn as_text(summary: &BackupSummary) -> String {
    let BackupSummary { from, to, report } = summary;
    let (from, to) = (escape_text(&from.to_string()), escape_text(&to.to_string()));
    let mut lines = vec![format!("Backed up {} events of {from} to {to}.", report.events)];
    if report.holds() {
        lines.push("The hash chain is intact. Keep this tip in another place:".to_owned());
        lines.push(format!("tip {}", tip_of(report)));
    } else {
        lines.extend(report.broken.as_ref().map(ToString::to_string));
        lines.push(
            "The log has the problems that `countersign verify` lists, and so has the copy.".to_owned(),
        );
    }
    lines.join("\n")
}
