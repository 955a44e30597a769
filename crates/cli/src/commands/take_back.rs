//! `countersign take-back`

use crate::find::{CallSelector, find_call};
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `take-back`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The decision stays in the log, and the call ends as cancelled. A grant that the decision gave is revoked with it. \
Once an executor has claimed the call, nothing is left to take back.\n\n\
JSON: the call, as in the API"
)]
pub(crate) struct TakeBackArgs {
    #[command(flatten)]
    which: CallSelector,
    /// The reason; the log stores it and the agent reads it
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

pub(crate) async fn take_back_approval(
    context: &CommandContext,
    args: &TakeBackArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_decide().await?;
    let call = find_call(&gate, &args.which).await?;
    let body = api::TakeBackRequest { comment: args.comment.clone() };
    let operation =
        operations::TakeBackApproval { thread: call.thread_id.clone(), id: call.id.clone(), body };
    let taken = gate.send(operation).await?;
    if context.json {
        print_json(&taken)?;
    } else {
        let id = escape_text(taken.id.as_str());
        print_line(&format!("Took the approval of {id} back: it does not run."));
    }
    Ok(CommandExit::DONE)
}
