//! `countersign release`

use crate::find::{CallSelector, find_call};
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `release`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A call whose executor was lost may or may not have run. After the release it may run a second time, so check its \
effects first.\n\n\
JSON: the call, as in the API"
)]
pub(crate) struct ReleaseArgs {
    #[command(flatten)]
    which: CallSelector,
    /// The reason why the call may run; the log stores it
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

pub(crate) async fn release_call(
    context: &CommandContext,
    args: &ReleaseArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_decide().await?;
    let call = find_call(&gate, &args.which).await?;
    let release = api::ReleaseRequest { comment: args.comment.clone() };
    let released = gate
        .send(operations::ReleaseCall { thread: call.thread_id.clone(), id: call.id.clone(), body: release })
        .await?;
    if context.json {
        print_json(&released)?;
        return Ok(CommandExit::DONE);
    }
    let lost = call.execution.as_ref().map_or("no executor", |lost| lost.executor.as_str());
    let (id, lost) = (escape_text(released.id.as_str()), escape_text(lost));
    print_line(&format!("Released {id}: another executor may take it over from {lost}."));
    Ok(CommandExit::DONE)
}
