//! `countersign delegation set`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};
use countersign_events::{Principal, Timestamp};

/// Options of `delegation set`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"seq\": its number, \"from\", \"to\", \"at\", \"until\", \"comment\"}")]
pub(crate) struct DelegationSetArgs {
    /// The person who may decide in your place, such as user:ben
    #[arg(value_name = "PERSON")]
    to: Principal,
    /// The moment at which it ends, such as 2026-01-31T12:00:00Z, at most 90 days from now
    #[arg(long, value_name = "MOMENT", required_unless_present = "span", conflicts_with = "span")]
    until: Option<Timestamp>,
    /// The time after which it ends, such as 8h or 7d
    #[arg(long = "for", value_name = "TIME", value_parser = crate::commands::run::parse_seconds)]
    span: Option<u32>,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

pub(super) async fn set_delegation(
    context: &CommandContext,
    args: &DelegationSetArgs,
) -> anyhow::Result<CommandExit> {
    let body = api::DelegationRequest {
        to: args.to.clone(),
        until: args.until,
        expires_in_seconds: args.span,
        comment: args.comment.clone(),
    };
    let gate = context.connect_to_decide().await?;
    let set = gate.send(operations::SetDelegation { body }).await?;
    if context.json {
        print_json(&set)?;
        return Ok(CommandExit::DONE);
    }
    let (to, from) = (escape_text(set.to.as_str()), escape_text(set.from.as_str()));
    print_line(&format!("Delegation {}: {to} may decide on behalf of {from} until {}.", set.seq, set.until));
    Ok(CommandExit::DONE)
}
