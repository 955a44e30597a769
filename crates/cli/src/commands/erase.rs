//! `countersign erase`

use countersign_api::{self as api, ApprovalGate, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};
use std::path::PathBuf;

/// Options of `erase`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The arguments, the descriptions and comments, and the content of the result are replaced by their hashes, in \
the log. Who decided what and when stays, and the hash chain holds. It cannot be undone. Backups, copies \
and exports made before still have the content, and so may free parts of the database file until countersign compact.\n\n\
JSON: {\"call\": the call, as in the API}"
)]
pub(crate) struct EraseArgs {
    /// The call's thread
    thread: String,
    /// The call's id, complete
    call: String,
    /// The reason, for example the legal request's number; the log stores it, so do not repeat the erased content
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// The thread's archive file, if its content was archived: it is erased there
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
        None => {
            context
                .connect_to_decide()
                .await?
                .send(operations::EraseCall { thread: thread.clone(), id: id.clone(), body: request })
                .await?
        }
    };
    if context.json {
        print_json(&report)?;
        return Ok(CommandExit::DONE);
    }
    let id = escape_text(report.call.id.as_str());
    print_line(&format!("Erased the content of {id}. Its hashes and everything else stay in the log."));
    print_line(
        "Free parts of the database file may have remains until `countersign compact` (PostgreSQL: VACUUM FULL events, as the \
         table's owner). Earlier backups, copies and exports still have them.",
    );
    Ok(CommandExit::DONE)
}
