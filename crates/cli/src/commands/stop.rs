//! `countersign stop`

use super::decide::ask;
use crate::target::Gate;
use crate::{
    args::Args,
    exit::{Exit, Said},
    facts, find,
    output::{self, visible},
    target,
};
use countersign_api::{self as api, LogFilter};
use countersign_gate::{Principal, ToolName};

/// What is to be stopped.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "All of it is denied in one transaction, or nothing is. What others have to deny, or more than one, goes \
on waiting and is listed; the exit code is 3 then.\n\n\
JSON: {\"denied\": [{\"threadId\", \"id\"}], \"left\": [{\"threadId\", \"id\"}]}"
)]
pub(crate) struct Stop {
    /// Only in this thread
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Why: the agents are told
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
    /// Do not ask first on a terminal; elsewhere nobody is asked
    #[arg(long)]
    yes: bool,
}

/// Of so many calls that are left it is looked up why.
const LOOKED_UP: usize = 20;

pub(crate) async fn stop(args: &Args, wish: &Stop) -> anyhow::Result<Exit> {
    let thread = wish.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let tool = wish.tool.as_deref().map(ToolName::new).transpose();
    let tool = tool.map_err(|why| Said::usage(format!("--tool: {why}")))?;
    let gate = target::deciding(args, Principal::user, false).await?;
    let filter = LogFilter { thread_id: thread.clone(), tool: tool.clone(), ..LogFilter::default() };
    let waiting = find::pending_of(&gate, &filter).await?.len();
    let question =
        format!("Deny {} that wait{} for a decision?", calls(waiting), if waiting == 1 { "s" } else { "" });
    if waiting > 0 && !ask::is_agreed(args, wish.yes, &question)? {
        return Ok(Exit::FAILED);
    }
    let stop = api::StopRequest { tool, comment: wish.comment.clone() };
    let stopped = gate.stop(thread.as_ref(), &stop).await?;
    if args.json {
        output::say(&serde_json::to_string(&stopped)?);
    } else {
        tell(&gate, &stopped).await?;
    }
    Ok(if stopped.left.is_empty() { Exit::DONE } else { Exit::REFUSED })
}

fn calls(count: usize) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

fn name(call: &api::CallKey) -> String {
    format!("{} in thread {}", visible(call.id.as_str()), visible(call.thread_id.as_str()))
}

async fn tell(gate: &Gate, stopped: &api::StopReport) -> anyhow::Result<()> {
    if stopped.denied.is_empty() && stopped.left.is_empty() {
        output::say("Nothing waits for a decision.");
        return Ok(());
    }
    output::say(&format!("Denied {}.", calls(stopped.denied.len())));
    for call in &stopped.denied {
        output::say(&format!("  {}", name(call)));
    }
    if stopped.left.is_empty() {
        return Ok(());
    }
    output::say(&format!("{} still waiting:", calls(stopped.left.len())));
    for (index, call) in stopped.left.iter().enumerate() {
        let why = if index < LOOKED_UP {
            format!(": {}", why(&gate.call(&call.thread_id, &call.id).await?, gate.principal()))
        } else {
            String::new()
        };
        output::say(&format!("  {}{why}", name(call)));
    }
    Ok(())
}

/// Why one person's word is not enough to deny it.
fn why(call: &api::Call, me: &Principal) -> String {
    let Some(request) = call.request.as_ref().filter(|_| call.is_pending()) else {
        return format!("it is {} by now", call.state);
    };
    if call.proposal.principal == *me {
        return format!("{} proposed it", visible(me.as_str()));
    }
    if request.denials > 1 {
        return facts::progress(request);
    }
    let lists: Vec<_> = request.approvers.iter().map(|list| list.join(", ")).collect();
    match (&request.level, lists.is_empty()) {
        (_, false) => format!("it is for {} to decide", visible(&lists.join(" and "))),
        (Some(level), true) => format!("it takes level {}", visible(level)),
        (None, true) => "it came meanwhile".to_owned(),
    }
}
