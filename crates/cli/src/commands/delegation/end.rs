//! `countersign delegation end`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `delegation end`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the delegation, as in `delegation list`")]
pub(crate) struct DelegationEndArgs {
    /// The number from `delegation list`
    #[arg(value_name = "DELEGATION")]
    delegation: i64,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

pub(super) async fn end_delegation(
    context: &CommandContext,
    args: &DelegationEndArgs,
) -> anyhow::Result<CommandExit> {
    let body = api::EndDelegationRequest { comment: args.comment.clone() };
    let gate = context.connect_to_decide().await?;
    let ended = gate.send(operations::EndDelegation { seq: args.delegation, body }).await?;
    if context.json {
        print_json(&ended)?;
        return Ok(CommandExit::DONE);
    }
    let (to, from) = (escape_text(ended.to.as_str()), escape_text(ended.from.as_str()));
    print_line(&format!("Ended delegation {}: {to} no longer decides on behalf of {from}.", ended.seq));
    Ok(CommandExit::DONE)
}
