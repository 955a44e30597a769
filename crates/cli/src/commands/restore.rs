//! `countersign restore`

use super::verify::{checkpoint::read_checkpoint, tip_of};
use countersign_console::{CliError, CommandContext, CommandExit, escape_text, print_line};
use countersign_store::{DatabaseUrl, ReplacedLog, RestoreOptions, RestoreSummary};
use serde_json::json;
use std::path::PathBuf;

/// Options of `restore`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The backup is copied and the copy verified, and then it takes the place of the log in one step. No process may have the log
open. A log that is replaced is kept as FILE.replaced.

JSON: {\"from\", \"to\", \"events\", \"tip\": SEQ:HASH, \"behindCheckpoint\": the events between the end of the backup and the \
checkpoint, \"replaced\": null or {\"keptAs\", \"lost\": its events that the backup does not have, null if unknown}}")]
pub(crate) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "BACKUP")]
    from: PathBuf,
    /// Replace the log if there is one
    #[arg(long)]
    replace: bool,
    /// Refuse a backup that ends before this noted tip: SEQ:HASH, or a file whose last line ends with it
    #[arg(long, value_name = "CHECKPOINT")]
    checkpoint: Option<String>,
    /// Restore a backup although it ends before the checkpoint
    #[arg(long, requires = "checkpoint")]
    accept_loss: bool,
}

pub(crate) async fn restore_log(context: &CommandContext, args: &RestoreArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage("restore works on a file: use --database instead of --server").into());
    }
    let to = match context.settings.database_to_create()? {
        DatabaseUrl::File(path) => path,
        DatabaseUrl::Postgres(_) => {
            let why = "restore works on an SQLite file, and this log is on PostgreSQL; use pg_restore into an empty \
                       database, or `countersign copy --from BACKUP --to ADDRESS`";
            return Err(CliError::usage(why).into());
        }
    };
    let checkpoint =
        args.checkpoint.as_deref().map(|text| read_checkpoint("--checkpoint", text)).transpose()?;
    let options = RestoreOptions { replace: args.replace, checkpoint, accept_loss: args.accept_loss };
    let mut progress = context.progress("events verified");
    let summary =
        countersign_store::restore(&args.from, &to, options, |done| progress.update(done, done)).await;
    progress.clear();
    let summary = summary?;
    print_line(&if context.json { as_json(&summary).to_string() } else { as_text(&summary) });
    Ok(CommandExit::DONE)
}

fn as_json(summary: &RestoreSummary) -> serde_json::Value {
    let replaced = summary.replaced.as_ref();
    json!({
        "from": summary.from.to_string(),
        "to": summary.to.to_string(),
        "events": summary.report.events,
        "tip": tip_of(&summary.report).to_string(),
        "behindCheckpoint": summary.behind_checkpoint,
        "replaced": replaced.map(|log| json!({ "keptAs": log.kept_as, "lost": log.lost })),
    })
}

fn as_text(summary: &RestoreSummary) -> String {
    let (from, to) = (escape_text(&summary.from.to_string()), escape_text(&summary.to.to_string()));
    let mut lines = vec![
        format!("Restored {} events of {from} to {to}. The hash chain is intact.", summary.report.events),
        format!("tip {}", tip_of(&summary.report)),
    ];
    if summary.behind_checkpoint > 0 {
        lines.push(format!("The {} events up to the checkpoint are lost.", summary.behind_checkpoint));
    }
    if let Some(ReplacedLog { kept_as, lost }) = &summary.replaced {
        let kept = escape_text(&kept_as.display().to_string());
        lines.push(match lost {
            Some(0) => format!("The log that was there had no other events. It is kept as {kept}."),
            Some(lost) => format!("The log that was there had {lost} later events. It is kept as {kept}."),
            None => format!("The log that was there could not be compared. It is kept as {kept}."),
        });
    }
    lines.push(
        "Calls that were claimed after the backup may have run: look for them before executors start."
            .to_owned(),
    );
    lines.join("\n")
}
