//! `countersign run`: the executor of a terminal. It proposes a real command, waits, claims, runs it
//! with the terminal attached, and records what came of it.

mod execute;
mod progress;
mod pty;
mod tail;

use crate::target::Gate;
use crate::{
    args::{Args, Run},
    exit::{Exit, Said},
    output::{self, visible},
    target,
};
use countersign_api::{self as api, random_id};
use countersign_gate::{
    CallId, Json, State, ThreadId, ToolName,
    event::{Source, Status},
};
use execute::Ended;
use progress::Progress;
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

/// What a command's call says: both are shown to whoever decides, and both are what runs.
#[derive(Debug, Serialize, Deserialize)]
struct Shell {
    /// The command, quoted as a shell would read it.
    command: String,
    /// The folder it runs in.
    cwd: String,
}

pub(crate) async fn run(args: &Args, wish: &Run) -> anyhow::Result<Exit> {
    let gate = target::proposing(args).await?;
    let thread = countersign_api::parse_thread_id(&wish.thread)?;
    let proposal = proposal(wish)?;
    let id = proposal.id.clone();
    let mut call = gate.propose(&thread, &proposal).await?;
    if call.is_pending() {
        match wait(args, &gate, &call).await? {
            Some(decided) => call = decided,
            None => return Ok(Exit::INTERRUPTED),
        }
    }
    match call.state {
        State::Allowed => start(args, wish, &gate, &call, &proposal.arguments).await,
        State::Denied | State::Cancelled => Ok(turned_down(args, &call)?),
        _ => {
            let state = call.state;
            let message = format!(
                "{id} is {state} already and is not run a second time; `countersign show {id}` tells more"
            );
            Err(Said { exit: Exit::REFUSED, code: "already_claimed", message }.into())
        }
    }
}

fn proposal(wish: &Run) -> anyhow::Result<api::ProposeRequest> {
    let not_unicode =
        || Said::usage("the command and its folder must be Unicode, or nobody could be shown them");
    let words: Option<Vec<_>> = wish.words.iter().map(|word| word.to_str()).collect();
    let command = shlex::try_join(words.ok_or_else(not_unicode)?)
        .map_err(|why| Said::usage(format!("the command cannot be quoted: {why}")))?;
    let folder = std::env::current_dir()?;
    let cwd = folder.to_str().ok_or_else(not_unicode)?.to_owned();
    let id = wish.id.clone().unwrap_or_else(|| random_id("call_"));
    let arguments = Json::of(&Shell { command, cwd })?;
    Ok(api::ProposeRequest {
        id: countersign_api::parse_call_id(&id)?,
        name: ToolName::new(&wish.tool).map_err(|why| Said::usage(format!("--tool: {why}")))?,
        arguments,
        annotations: None,
        impact: None,
        description: wish.description.clone(),
        definition: None,
        expires_in_seconds: wish.expires,
    })
}

/// Waits for the decision; Ctrl-C and SIGTERM withdraw the call instead.
async fn wait(args: &Args, gate: &Gate, call: &api::Call) -> anyhow::Result<Option<api::Call>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut progress = Progress::start(args, call);
    let (thread, id) = (&call.thread_id, &call.id);
    let decided = tokio::select! {
        decided = gate.wait(thread, id, None) => Some(decided),
        () = progress.run() => None,
        _ = interrupt.recv() => None,
        _ = terminate.recv() => None,
    };
    progress.end();
    if let Some(decided) = decided {
        return Ok(Some(decided?));
    }
    let reason = Some("interrupted at the terminal".to_owned());
    match gate.cancel(thread, id, &api::CancelRequest { reason }).await {
        Ok(_) => output::complain(&format!("countersign: cancelled {}", visible(id.as_str()))),
        Err(error) => {
            let why = output::visible_lines(&error.to_string());
            output::complain(&format!("countersign: not run, and not cancelled either: {why}"));
        }
    }
    Ok(None)
}

/// Says why it does not run.
fn turned_down(args: &Args, call: &api::Call) -> anyhow::Result<Exit> {
    let told = call.result.as_ref().and_then(|result| result.content.read::<String>().ok());
    let text = told.unwrap_or_else(|| format!("{} is {}", call.id, call.state));
    if args.json {
        output::say(&serde_json::to_string(call)?);
    } else {
        output::complain(&format!("countersign: {}", visible(&text)));
    }
    let source = call.response.as_ref().map(|response| response.source);
    Ok(match (call.state, source) {
        (State::Cancelled, _) => Exit::CANCELLED,
        (_, Some(Source::Expiry)) => Exit::EXPIRED,
        _ => Exit::DENIED,
    })
}

/// Claims the call, runs what the claim hands back, and records what came of it. `own` is what was proposed here.
async fn start(args: &Args, wish: &Run, gate: &Gate, call: &api::Call, own: &Json) -> anyhow::Result<Exit> {
    let (thread, executor) = (&call.thread_id, random_id(&format!("run-{}-", std::process::id())));
    // Behind the masks of the log only whoever proposed the call can look.
    let masked = !call.redacted.is_empty();
    let claim = api::ClaimRequest {
        lease_seconds: Some(wish.lease),
        arguments: masked.then(|| own.clone()),
        ..api::ClaimRequest::for_call(call, &executor)
    };
    let claimed = gate.claim(thread, &call.id, &claim).await?;
    if let Some(note) = claimed.response.as_ref().and_then(|response| response.note.as_ref()) {
        output::complain(&format!("countersign: {}", output::visible_lines(note)));
    }
    let what = if masked { own } else { &claimed.arguments };
    let ended = match what.read::<Shell>() {
        Ok(shell) => match shlex::split(&shell.command) {
            Some(words) if !words.is_empty() => execute::execute(&words, &shell.cwd, args.json).await,
            _ => Ended::failed(Exit::NOT_EXECUTABLE, "what was approved is no command"),
        },
        Err(why) => Ended::failed(Exit::NOT_EXECUTABLE, &format!("what was approved is no command: {why}")),
    };
    record(args, gate, thread, &call.id, executor, &ended).await
}

async fn record(
    args: &Args,
    gate: &Gate,
    thread: &ThreadId,
    id: &CallId,
    executor: String,
    ended: &Ended,
) -> anyhow::Result<Exit> {
    if let Some(error) = &ended.error {
        output::complain(&format!("countersign: {}", output::visible_lines(error)));
    }
    let status = if ended.exit == Exit::DONE { Status::Success } else { Status::Error };
    let finish = api::ResultRequest { status, content: Json::of(ended)?, executor: Some(executor) };
    match gate.finish(thread, id, &finish).await {
        Ok(call) if args.json => output::say(&serde_json::to_string(&call)?),
        Ok(_) => {}
        Err(error) => output::complain(&format!(
            "countersign: the command ran and ended with {}, but that could not be recorded: {}",
            ended.exit.0,
            output::visible_lines(&error.to_string())
        )),
    }
    Ok(ended.exit)
}
