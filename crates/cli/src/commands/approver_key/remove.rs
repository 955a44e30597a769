//! `countersign approver-key remove`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `approver-key remove`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the key, as in `approver-key list`")]
pub(crate) struct ApproverKeyRemoveArgs {
    /// The key id from `approver-key list`
    id: String,
    /// The reason, which the log keeps
    #[arg(long)]
    reason: Option<String>,
}

pub(super) async fn remove_key(
    context: &CommandContext,
    args: &ApproverKeyRemoveArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::RemoveKeyRequest { reason: args.reason.clone() };
    let removed = context
        .connect()
        .await?
        .send(operations::RemoveApproverKey { id: args.id.clone(), body: request })
        .await?;
    if context.json {
        print_json(&removed)?;
    } else {
        print_line(&format!(
            "Removed the key {} of {}. The proofs that it made before stay valid.",
            escape_text(&removed.id),
            escape_text(removed.approver.as_str())
        ));
    }
    Ok(CommandExit::DONE)
}
