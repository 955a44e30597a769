//! `countersign flag`

use crate::find::{CallSelector, find_call};
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `flag`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It changes nothing about the call. It counts against an advisor that allowed the call, or advised to: an advisor that people \
contradict too often decides no more. Each person flags a call once.\n\n\
JSON: the call, as in the API"
)]
pub(crate) struct FlagArgs {
    #[command(flatten)]
    which: CallSelector,
    /// The complaint; the log stores it
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

pub(crate) async fn flag_call(context: &CommandContext, args: &FlagArgs) -> anyhow::Result<CommandExit> {
    let gate = context.connect_to_decide().await?;
    let call = find_call(&gate, &args.which).await?;
    let request = api::FlagRequest { comment: args.comment.clone() };
    let flagged = gate
        .send(operations::FlagCall { thread: call.thread_id.clone(), id: call.id.clone(), body: request })
        .await?;
    if context.json {
        print_json(&flagged)?;
        return Ok(CommandExit::DONE);
    }
    let allowed_by = flagged
        .response
        .as_ref()
        .map_or(String::new(), |response| format!(", which {} allowed", escape_text(&response.decider())));
    print_line(&format!("Flagged {}{allowed_by}.", escape_text(flagged.id.as_str())));
    Ok(CommandExit::DONE)
}
