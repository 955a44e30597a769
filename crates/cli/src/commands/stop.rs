//! `countersign stop`

use crate::find::read_pending;
use countersign_api::{self as api, LogFilter, SendOperation, SharedGate, operations};
use countersign_console::{
    CliError, CommandContext, CommandExit, ConfirmTerms, confirm_calls, count_words, describe_votes,
    escape_text, print_json, print_line,
};
use countersign_events::{CallState, Principal, ToolName};

/// Options of `stop`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "All calls are denied in one transaction. Calls that need another approver or more denials stay pending \
and are listed; the exit code is then 3.\n\n\
JSON: {\"denied\": [{\"threadId\", \"id\"}], \"left\": [{\"threadId\", \"id\"}]}"
)]
pub(crate) struct StopArgs {
    /// Only in this thread
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// The reason; the agents receive it
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
    /// Do not list the calls and ask for confirmation; required without a terminal and with --json
    #[arg(long)]
    yes: bool,
}

/// For at most this many calls, the reason why they stay pending is read.
const MAX_REASONS: usize = 20;

pub(crate) async fn stop_calls(context: &CommandContext, args: &StopArgs) -> anyhow::Result<CommandExit> {
    let thread = args.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let tool = args.tool.as_deref().map(ToolName::new).transpose();
    let tool = tool.map_err(|why| CliError::usage(format!("--tool: {why}")))?;
    let gate = context.connect_to_decide().await?;
    let filter = LogFilter { thread_id: thread.clone(), tool: tool.clone(), ..LogFilter::default() };
    if !args.yes && !confirm_stop(context, &gate, &filter).await? {
        return Ok(CommandExit::FAILED);
    }
    let body = api::StopRequest { tool, calls: None, comment: args.comment.clone() };
    let stopped = match thread {
        Some(thread) => gate.send(operations::StopThread { thread, body }).await?,
        None => gate.send(operations::StopAllThreads { body }).await?,
    };
    if context.json {
        print_json(&stopped)?;
    } else {
        tell(&gate, &stopped).await?;
    }
    Ok(if stopped.left.is_empty() { CommandExit::DONE } else { CommandExit::REFUSED })
}

/// Lists the calls that the stop would deny and cancel, and asks for confirmation. A stop of nothing needs none.
async fn confirm_stop(
    context: &CommandContext,
    gate: &SharedGate,
    filter: &LogFilter,
) -> anyhow::Result<bool> {
    let pending = read_pending(gate, filter).await?;
    let page = api::PageQuery { limit: api::MAX_PAGE, ..api::PageQuery::default() };
    let allowed = gate.calls(filter, Some(CallState::Allowed.into()), page).await?.calls;
    let count = |calls: &[api::Call], what: &str| count_words(calls.len() as u64, what);
    let denied = count(&pending, "pending call");
    let cancelled = count(&allowed, "allowed call");
    let question = match (pending.is_empty(), allowed.is_empty()) {
        (true, true) => return Ok(true),
        (false, true) => format!("Deny {denied}?"),
        (true, false) => format!("Cancel {cancelled} that did not start?"),
        (false, false) => format!("Deny {denied} and cancel {cancelled} that did not start?"),
    };
    let lists = [("These calls are pending:", &*pending), ("These calls are allowed:", &*allowed)];
    confirm_calls(&question, &lists, ConfirmTerms { yes: false, json: context.json })
}

fn name(call: &api::CallKey) -> String {
    format!("{} in thread {}", escape_text(call.id.as_str()), escape_text(call.thread_id.as_str()))
}

async fn tell(gate: &SharedGate, stopped: &api::StopReport) -> anyhow::Result<()> {
    let lists = [("Denied", &stopped.denied), ("Cancelled", &stopped.cancelled)];
    if lists.iter().all(|(_, calls)| calls.is_empty()) && stopped.left.is_empty() {
        print_line("No call is pending, and no allowed call waits to start.");
        return Ok(());
    }
    for (what, calls) in lists.iter().filter(|(_, calls)| !calls.is_empty()) {
        print_line(&format!("{what} {}.", count_words(calls.len() as u64, "call")));
        for call in *calls {
            print_line(&format!("  {}", name(call)));
        }
    }
    if stopped.left.is_empty() {
        return Ok(());
    }
    print_line(&format!("{} still pending:", count_words(stopped.left.len() as u64, "call")));
    for (index, call) in stopped.left.iter().enumerate() {
        let why = if index < MAX_REASONS {
            format!(": {}", why(&gate.call(&call.thread_id, &call.id).await?, gate.principal()))
        } else {
            String::new()
        };
        print_line(&format!("  {}{why}", name(call)));
    }
    Ok(())
}

/// The reason why one denial does not decide the call.
fn why(call: &api::Call, me: &Principal) -> String {
    let Some(request) = call.request.as_ref().filter(|_| call.is_pending()) else {
        return format!("it is now {}", call.state);
    };
    if call.proposal.principal == *me {
        return format!("{} proposed it", escape_text(me.as_str()));
    }
    if request.denials > 1 {
        return describe_votes(request);
    }
    let lists: Vec<_> = request.approvers.iter().map(|list| list.join(", ")).collect();
    match (&request.level, lists.is_empty()) {
        (_, false) => format!("only {} may decide", escape_text(&lists.join(" and "))),
        (Some(level), true) => format!("it needs level {}", escape_text(level)),
        (None, true) => "it arrived meanwhile".to_owned(),
    }
}
