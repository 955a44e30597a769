//! `countersign status`: who is connected, and what is pending.

mod connection;
mod integrations;
mod present;

use crate::{context::CommandContext, exit::CommandExit};
use connection::read_status;
use countersign_tui::present::print::{print_json, print_line};
use integrations::find_integrations;
use present::describe_status;
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
pub(crate) struct StatusArgs {}

pub(crate) async fn print_status(context: &CommandContext, _: &StatusArgs) -> anyhow::Result<CommandExit> {
    let (source, status) = read_status(context).await?;
    let integrations = find_integrations();
    if context.json {
        print_json(&json!({"source": source, "status": status, "integrations": integrations}))?;
        return Ok(CommandExit::DONE);
    }
    for line in describe_status(context, (&source, &status, &integrations)) {
        print_line(&line);
    }
    Ok(CommandExit::DONE)
}
