//! `countersign grant revoke`

use super::read::read_grants;
use countersign_api::{SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};

/// Options of `grant revoke`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"grants\": […], \"next\"}, the grants that remain active")]
pub(crate) struct GrantRevokeArgs {
    /// The thread
    thread: String,
    /// The grant number from `grant list`
    #[arg(value_name = "GRANT")]
    grant: i64,
}

pub(crate) async fn revoke_grant(
    context: &CommandContext,
    args: &GrantRevokeArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    // Revoking a grant twice succeeds, but the second time changes nothing.
    let before = read_grants(&gate, &thread, false).await?;
    let found = before.grants.iter().find(|grant| grant.seq == args.grant);
    let left = gate.send(operations::RevokeGrant { thread: thread.clone(), seq: args.grant }).await?;
    if context.json {
        print_json(&left)?;
        return Ok(CommandExit::DONE);
    }
    let (grant, thread, left) = (args.grant, escape_text(&args.thread), left.grants.len());
    print_line(&if let Some(found) = found {
        let kind = if found.decision.allows() { "grant" } else { "denial" };
        format!("Revoked {kind} {grant} of thread {thread}. Grants still active: {left}.")
    } else {
        format!(
            "Nothing changed: grant {grant} of thread {thread} was already revoked. Grants still active: {left}."
        )
    });
    Ok(CommandExit::DONE)
}
