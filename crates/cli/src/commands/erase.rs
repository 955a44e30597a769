//! `countersign erase`

use crate::{context::CommandContext, exit::CommandExit};
use countersign_api::{self as api, ApprovalGate};
use countersign_tui::present::{
    print::{print_json, print_line},
    text::escape_text,
};
use std::path::PathBuf;

/// Options of `erase`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The arguments, the descriptions and comments, and the content of the result are replaced by their hashes, in \
the log. Who decided what and when stays, and the hash chain holds. It cannot be undone. Backups, copies \
and exports made before still have the texts, and so may free parts of the database file until countersign compact.\n\n\
JSON: {\"call\": the call, as in the API}"
)]
pub(crate) struct EraseArgs {
    /// The thread of the call
    thread: String,
    /// The id of the call, complete
    call: String,
    /// The reason, for example the number of the legal request; the log stores it, so do not repeat the texts
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The archive file of the thread, if its texts were archived: they are erased there
    #[arg(long, value_name = "FILE")]
    archive: Option<PathBuf>,
}

pub(crate) async fn erase_call(context: &CommandContext, args: &EraseArgs) -> anyhow::Result<CommandExit> {
    let (thread, id) = (api::parse_thread_id(&args.thread)?, api::parse_call_id(&args.call)?);
    let request = api::EraseRequest { reason: args.reason.clone() };
    let report = match &args.archive {
        Some(file) => {
            let gate = context.open_database_to_decide().await?;
            let report = gate.erase_from_archive(&thread, &id, &request, file).await;
            gate.shut_down().await;
            report?
        }
        None => context.connect_to_decide().await?.erase(&thread, &id, &request).await?,
    };
    if context.json {
        print_json(&report)?;
        return Ok(CommandExit::DONE);
    }
    let id = escape_text(report.call.id.as_str());
    print_line(&format!("Erased the texts of {id}. Their hashes and everything else stay in the log."));
    print_line(
        "Free parts of the database file may have remains until `countersign compact` (PostgreSQL: VACUUM FULL events, as the \
         table's owner). Earlier backups, copies and exports still have them.",
    );
    Ok(CommandExit::DONE)
}
