//! `countersign thread-policy`

use crate::{
    args::Args,
    exit::{Exit, Said},
    output::{self, ago, visible},
    screen::Screen,
    table::{Fit, Table},
    target,
};
use countersign_api as api;
use countersign_gate::{Clock, ToolName, event::ToolPolicy};
use std::collections::BTreeMap;

/// Whose, and what of.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
JSON: {\"threadId\", \"tools\": [{\"tool\", \"policy\", \"principal\", \"at\", \"seq\"}]}, by the tools' names")]
pub(crate) struct ThreadPolicy {
    /// The thread
    thread: String,
    /// What holds for a tool from now on: allow, require-approval, deny, or default for what the policy says
    #[arg(value_name = "TOOL=POLICY", value_parser = own)]
    set: Vec<(ToolName, ToolPolicy)>,
}

fn own(text: &str) -> Result<(ToolName, ToolPolicy), String> {
    // A tool's name may hold any character, a policy's none of these.
    let (tool, policy) = text.rsplit_once('=').ok_or("it looks like bash=deny")?;
    let tool = ToolName::new(tool).map_err(|why| why.to_string())?;
    let known = || ToolPolicy::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>().join(", ");
    Ok((tool, policy.parse().map_err(|_| format!("there is no policy {policy:?}; there is {}", known()))?))
}

pub(crate) async fn thread_policy(args: &Args, wish: &ThreadPolicy) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let thread = countersign_api::parse_thread_id(&wish.thread)?;
    let mut tools = BTreeMap::new();
    for (tool, policy) in &wish.set {
        if tools.insert(tool.clone(), *policy).is_some() {
            return Err(Said::usage(format!("{} is named twice", visible(tool.as_str()))).into());
        }
    }
    let found = if tools.is_empty() {
        gate.policies(&thread).await?
    } else {
        gate.set_policies(&thread, &api::ToolPoliciesRequest { tools }).await?
    };
    if args.json {
        output::say(&serde_json::to_string(&found)?);
    } else if found.tools.is_empty() {
        output::say(&format!("Thread {} says nothing of its own: the policy holds.", visible(&wish.thread)));
    } else {
        output::say(&as_table(&found).lay_out(&Screen::of(args)));
    }
    Ok(Exit::DONE)
}

fn as_table(found: &api::ThreadPolicies) -> Table {
    let now = Clock::System.now();
    let mut table = Table::new(&[
        ("TOOL", Fit::Wrap),
        ("POLICY", Fit::Whole),
        ("SET BY", Fit::Wrap),
        ("WHEN", Fit::Whole),
    ]);
    for own in &found.tools {
        table.row([
            visible(own.tool.as_str()).into(),
            own.policy.as_str().into(),
            visible(own.principal.as_str()).into(),
            ago(own.at, now).into(),
        ]);
    }
    table
}
