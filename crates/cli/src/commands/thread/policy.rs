//! `countersign thread policy`

use super::unknown::explain_unknown_thread;
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{
    CliError, ColumnFit, CommandContext, CommandExit, TextTable, escape_text, format_age, print_json,
    print_line,
};
use countersign_events::{ToolName, ToolPolicy};
use countersign_store::Clock;
use std::collections::BTreeMap;

/// Options of `thread policy`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"threadId\", \"tools\": [{\"tool\", \"policy\", \"principal\", \"at\", \"seq\"}]}, by the tools' names")]
pub(crate) struct ThreadPolicyArgs {
    /// The thread
    thread: String,
    /// The policy for a tool: allow, require-approval, deny, or default to remove it
    #[arg(value_name = "TOOL=POLICY", value_parser = parse_tool_policy)]
    set: Vec<(ToolName, ToolPolicy)>,
    /// Set it also if the thread has no events yet
    #[arg(long, requires = "set")]
    new_thread: bool,
}

impl ThreadPolicyArgs {
    /// Whether the command changes nothing.
    pub(crate) const fn only_shows(&self) -> bool {
        self.set.is_empty()
    }
}

fn parse_tool_policy(text: &str) -> Result<(ToolName, ToolPolicy), String> {
    // A tool name may contain `=`, a policy does not.
    let (tool, policy) = text.rsplit_once('=').ok_or("expected TOOL=POLICY, such as bash=deny")?;
    let tool = ToolName::new(tool).map_err(|why| why.to_string())?;
    let known = || ToolPolicy::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ");
    Ok((tool, policy.parse().map_err(|_| format!("unknown policy {policy:?}; use one of {}", known()))?))
}

pub(crate) async fn show_or_set_policy(
    context: &CommandContext,
    args: &ThreadPolicyArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let mut tools = BTreeMap::new();
    for (tool, policy) in &args.set {
        if tools.insert(tool.clone(), *policy).is_some() {
            return Err(
                CliError::usage(format!("the tool {} is given twice", escape_text(tool.as_str()))).into()
            );
        }
    }
    let found = if tools.is_empty() {
        gate.send(operations::ShowToolPolicies { thread: thread.clone() }).await?
    } else {
        let set = api::ToolPoliciesRequest { tools, new_thread: args.new_thread };
        gate.send(operations::SetToolPolicies { thread: thread.clone(), body: set })
            .await
            .map_err(explain_unknown_thread)?
    };
    if context.json {
        print_json(&found)?;
    } else if found.tools.is_empty() {
        print_line(&format!("Thread {} has no policy of its own.", escape_text(&args.thread)));
    } else {
        print_line(&as_table(&found).format(&context.screen()));
    }
    Ok(CommandExit::DONE)
}

fn as_table(found: &api::ThreadPolicies) -> TextTable {
    let now = Clock::System.now();
    let mut table = TextTable::new(&[
        ("TOOL", ColumnFit::Wrapped),
        ("POLICY", ColumnFit::Whole),
        ("SET BY", ColumnFit::Wrapped),
        ("WHEN", ColumnFit::Whole),
    ]);
    for own in &found.tools {
        table.add_row([
            escape_text(own.tool.as_str()).into(),
            own.policy.as_str().into(),
            escape_text(own.principal.as_str()).into(),
            format_age(own.at, now).into(),
        ]);
    }
    table
}
