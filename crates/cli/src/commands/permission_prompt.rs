//! `countersign permission-prompt`: answers the questions of Claude Code before it runs a tool.

use crate::call_place::{current_place, default_thread};
use countersign_console::{CommandContext, CommandExit};
use countersign_events::{Place, Sha256};
use countersign_mcp::PermissionPrompt;
use std::time::Duration;

/// The time between progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(10);

/// The agent that asks.
const AGENT: &str = "claude-code";

/// Options of `permission-prompt`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "An MCP server on stdin and stdout with the tool approve, for: claude -p --permission-prompt-tool \
mcp__countersign__approve. Claude Code asks it about calls that its own rules neither allow nor deny. The log does not get the \
result of such a call, because Claude Code does not report it."
)]
pub(crate) struct PermissionPromptArgs {
    /// The calls' thread; session grants apply within it [default: one for this folder; in the home folder and in /,
    /// one for each start]
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
}

pub(crate) async fn answer_permission_prompts(
    context: &CommandContext,
    args: &PermissionPromptArgs,
) -> anyhow::Result<CommandExit> {
    let place = current_place(context)?;
    let identity = Sha256::digest(place.to_string().as_bytes());
    let thread = args.thread.clone().unwrap_or_else(|| default_thread(AGENT, identity, &place));
    let thread = countersign_api::parse_thread_id(&thread)?;
    let gate = context.connect_to_propose_for(Some(AGENT)).await?;
    let place = Place { agent: Some(AGENT.to_owned()), ..place };
    let server = PermissionPrompt { gate, thread, place, progress_interval: PROGRESS_INTERVAL };
    server.serve(tokio::io::stdin(), tokio::io::stdout()).await;
    Ok(CommandExit::DONE)
}
