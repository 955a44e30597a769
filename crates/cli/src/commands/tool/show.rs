//! `countersign tool show`

use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    CommandContext, CommandExit, change_lines, compact_json, describe_likeness, escape_text, print_json,
    print_line,
};
use countersign_events::Json;

/// Options of `tool show`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"tool\": as in `tool list`, \"definitions\": [{\"seq\", \"principal\", \"at\", \"definitionHash\", \"definition\": {\"description\", \"inputSchema\"}, \"annotations\", \"redacted\", \"changes\": [{\"path\", \"from\", \"to\"}], \"accepted\": {\"seq\", \"principal\", \"at\", \"comment\"}}]}, the oldest first"
)]
pub(crate) struct ToolShowArgs {
    /// The tool's name
    name: String,
}

pub(super) async fn show_tool(context: &CommandContext, args: &ToolShowArgs) -> anyhow::Result<CommandExit> {
    let details = context
        .connect()
        .await?
        .send(operations::ShowTool { tool: api::parse_tool_name(&args.name)? })
        .await?;
    if context.json {
        print_json(&details)?;
    } else {
        print_line(&tool_lines(&details).join("\n"));
    }
    Ok(CommandExit::DONE)
}

fn tool_lines(details: &api::ToolDetails) -> Vec<String> {
    let tool = &details.tool;
    let name = escape_text(tool.name.as_str());
    let mut lines = vec![name.clone()];
    lines.extend(tool.look_alikes.iter().map(|alike| format!("  looks like {}", describe_likeness(alike))));
    for definition in &details.definitions {
        lines.push(String::new());
        lines.extend(definition_lines(definition));
    }
    if let Some(hash) = tool.changed_hash {
        let accept = format!("Accept it with: countersign tool accept {name} --hash {hash}");
        lines.extend([String::new(), accept]);
    }
    lines
}

fn definition_lines(definition: &api::RecordedDefinition) -> Vec<String> {
    let by = |verb: &str, principal: &api::Principal, at: api::Timestamp| {
        format!("  {verb} by {} at {at}", escape_text(principal.as_str()))
    };
    let mut lines = vec![
        format!("definition {}", definition.definition_hash),
        by("met", &definition.principal, definition.at),
    ];
    lines.push(match &definition.accepted {
        Some(accepted) if accepted.seq == definition.seq => "  accepted as the first one".to_owned(),
        Some(accepted) => {
            let why =
                accepted.comment.as_ref().map_or_else(String::new, |why| format!(": {}", escape_text(why)));
            by("accepted", &accepted.principal, accepted.at) + &why
        }
        None => "  NOT ACCEPTED".to_owned(),
    });
    if definition.redacted {
        lines.push("  some values are masked; the hash covers what was there".to_owned());
    }
    match &definition.definition {
        None => lines.push("  larger than the log keeps; only its hash is known".to_owned()),
        Some(_) if !definition.changes.is_empty() => {
            lines.extend(change_lines(&definition.changes).into_iter().map(|line| format!("  {line}")));
        }
        Some(known) => {
            let description = known.description.as_deref().map(Json::string);
            let schema = known.input_schema.clone();
            let parts = [
                ("description", description),
                ("inputSchema", schema),
                ("annotations", definition.annotations.clone()),
            ];
            let part =
                |(name, json): (&str, Option<Json>)| Some(format!("  {name}: {}", compact_json(&json?)));
            lines.extend(parts.into_iter().filter_map(part));
        }
    }
    lines
}
