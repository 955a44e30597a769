//! `countersign tool accept`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, print_json, print_line};
use countersign_events::Sha256;

/// Options of `tool accept`.
#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the tool, as in `tool show`")]
pub(crate) struct ToolAcceptArgs {
    /// The tool's name
    name: String,
    /// The definition hash that you have read in `tool show`
    #[arg(long, value_parser = parse_hash)]
    hash: Sha256,
    /// The reason, which the log keeps
    #[arg(long)]
    comment: Option<String>,
}

fn parse_hash(text: &str) -> Result<Sha256, String> {
    Sha256::from_hex(text).ok_or_else(|| "write the 64 hexadecimal digits that `tool show` prints".to_owned())
}

pub(super) async fn accept_definition(
    context: &CommandContext,
    args: &ToolAcceptArgs,
) -> anyhow::Result<CommandExit> {
    let request = api::AcceptDefinitionRequest { definition_hash: args.hash, comment: args.comment.clone() };
    let details = context
        .connect()
        .await?
        .send(operations::AcceptDefinition { tool: api::parse_tool_name(&args.name)?, body: request })
        .await?;
    if context.json {
        print_json(&details)?;
        return Ok(CommandExit::DONE);
    }
    let name = escape_text(details.tool.name.as_str());
    print_line(&format!(
        "Accepted this definition of {name}. Grants answer the definition that they were given for."
    ));
    if let Some(other) = details.tool.changed_hash {
        print_line(&format!(
            "A later definition is not accepted: {other}. Read it with: countersign tool show {name}"
        ));
    }
    Ok(CommandExit::DONE)
}
