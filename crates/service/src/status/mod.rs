//! `countersign status`: who is connected, and what is pending.

mod connection;
mod integration;
mod present;

use connection::read_status;
use countersign_console::{CommandContext, CommandExit, print_json, print_line};
pub use integration::LocalIntegration;
use present::{StatusView, describe_status};
use serde_json::json;

/// Options of `status`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "It asks the service of the log if one runs on this machine, and otherwise reads the log. The log does not know \
its readers: only a server knows open browsers, watching terminals and waiting programs, and only of its own callers. A program \
is known by the name that it gives itself.\n\n\
JSON: {\"source\": {\"server\": null without one, \"database\": null with --server, \"process\": null if unknown, \"trouble\"}, \
\"status\": as GET /v1/status responds, \"integrations\": [{\"kind\": hook or mcp, \"name\", \"path\", \"trouble\"}] of this machine}"
)]
pub struct StatusArgs {}

/// Runs `countersign status`. No server knows the integrations of this machine.
pub async fn print_status(
    context: &CommandContext,
    _: &StatusArgs,
    integrations: &[LocalIntegration],
) -> anyhow::Result<CommandExit> {
    let (source, status) = read_status(context).await?;
    if context.json {
        print_json(&json!({"source": source, "status": status.report, "integrations": integrations}))?;
        return Ok(CommandExit::DONE);
    }
    for line in describe_status(
        context,
        &StatusView {
            source: &source,
            status: &status.report,
            yesterday: status.yesterday.as_ref(),
            integrations,
        },
    ) {
        print_line(&line);
    }
    Ok(CommandExit::DONE)
}
