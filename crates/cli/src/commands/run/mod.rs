//! `countersign run`: proposes a command, waits for the decision, claims the call, runs the command with the terminal
//! attached, and records the result.

mod execute;
mod program;
mod pty;
mod signals;
mod tail;
mod wait_line;

use countersign_api::{self as api, ErrorCode, GateError, SharedGate, held_claim::HeldClaim, random_id};
use countersign_console::{
    CliError, CommandContext, CommandExit, TerminationSignals, escape_lines, escape_text, print_error,
    print_json, print_line,
};
use countersign_events::{CallState, Json, Source, Status, ToolName};
use execute::{CommandResult, run_command};
use program::check_program;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use wait_line::WaitLine;

/// The time for which a server that is away is tried again.
const AWAY: Duration = Duration::from_secs(30);

/// The call's arguments. Approvers see both, and both decide what runs.
#[derive(Debug, Serialize, Deserialize)]
struct ShellArguments {
    /// The command, quoted for a shell.
    command: String,
    /// The folder it runs in.
    cwd: String,
}

/// Options of `run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The words after -- are the program and its arguments, and no shell reads them. For a pipeline, a builtin or several \
commands, run a shell: countersign run -- sh -c 'make && make install'. A program that does not exist is \
reported before approvers are asked.\n\n\
JSON: the call with its result; the output of the command goes to stderr"
)]
pub(crate) struct RunArgs {
    /// The call's thread; session grants apply within it
    #[arg(long, default_value = "terminal", value_name = "THREAD")]
    thread: String,
    /// The tool name of the call
    #[arg(long, default_value = "bash")]
    tool: String,
    /// The call's id; the same id resumes a run that was interrupted before it started, or takes over a call that was
    /// released
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    /// The purpose, shown to approvers
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// How long to wait for a decision, such as 90s, 15m, 2h
    #[arg(long, value_name = "DURATION", value_parser = parse_seconds)]
    expires: Option<u32>,
    /// The lease, at most 1d, renewed while the command runs: if this process is lost, the outcome counts as unknown
    /// after this time
    #[arg(long, value_name = "DURATION", value_parser = parse_seconds, default_value = "15m")]
    lease: u32,
    /// The command and its arguments, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    words: Vec<std::ffi::OsString>,
}

pub(crate) fn parse_seconds(text: &str) -> Result<u32, String> {
    let seconds = countersign_policy::parse_span(text).map(|span| span.as_secs());
    seconds
        .and_then(|seconds| u32::try_from(seconds).ok())
        .ok_or_else(|| "expected a whole number and a unit, such as 90s, 15m, 2h or 1d".to_owned())
}

/// Reads a time in seconds, which may be none.
pub(crate) fn parse_delay(text: &str) -> Result<u32, String> {
    if text == "0s" { Ok(0) } else { parse_seconds(text) }
}

pub(crate) async fn run_call(context: &CommandContext, args: &RunArgs) -> anyhow::Result<CommandExit> {
    let place = api::Place { host: context.host_name(), ..api::Place::default() };
    let proposal = proposal(args, place)?;
    // Approvers are not asked about a command that cannot start.
    check_program(&args.words)?;
    // Handle signals before the call exists, so that each of them ends it in the log.
    let mut signals = TerminationSignals::listen()?;
    let gate = context.connect_to_propose().await?;
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let Some(mut call) = propose(&gate, &thread, &proposal, &mut signals).await? else {
        return Ok(CommandExit::INTERRUPTED);
    };
    if call.is_pending() {
        match wait(context, &gate, &call, &mut signals).await? {
            Some(decided) => call = decided,
            None => return Ok(CommandExit::INTERRUPTED),
        }
    }
    match call.state {
        // The gate refuses to claim a call with an unknown outcome, unless it was released or may run twice.
        CallState::Allowed | CallState::Unknown => {
            start(context, args, &gate, &call, &proposal.arguments, &mut signals).await
        }
        CallState::Denied | CallState::Cancelled | CallState::Other => Ok(report_denial(context, &call)?),
        _ => Err(does_not_run_again(&call).into()),
    }
}

/// Proposes the call. A server that is away may be restarting, so the person is told, and it is tried for some time. Returns
/// `None` if a signal ends that.
async fn propose(
    gate: &SharedGate,
    thread: &api::ThreadId,
    proposal: &api::ProposeRequest,
    signals: &mut TerminationSignals,
) -> Result<Option<api::Call>, GateError> {
    let error = match gate.propose(thread, proposal).await {
        Err(error) if error.code == ErrorCode::Unreachable => error,
        proposed => return proposed.map(Some),
    };
    print_error(&format!("countersign: {error}; trying again for {} s", AWAY.as_secs()));
    tokio::select! {
        proposed = api::retry::retry(Some(AWAY), || gate.propose(thread, proposal)) => proposed.map(Some),
        _ = signals.receive() => {
            // The last attempt may have arrived. If the server is still away, it has not.
            let _ = cancel(gate, thread, &proposal.id).await;
            Ok(None)
        }
    }
}

async fn cancel(gate: &SharedGate, thread: &api::ThreadId, id: &api::CallId) -> Result<api::Call, GateError> {
    let reason = Some("interrupted at the terminal".to_owned());
    gate.cancel(thread, id, &api::CancelRequest { reason }).await
}

/// The error for a call that another run has started.
fn does_not_run_again(call: &api::Call) -> CliError {
    let (id, state) = (&call.id, call.state);
    let message = if state == CallState::Unknown {
        format!(
            "the outcome of {id} is unknown: its executor was lost and may have run it; check its effects, and then \
             `countersign release {id}` lets it run again"
        )
    } else {
        format!("{id} is already {state} and does not run again; `countersign show {id}` shows it")
    };
    CliError { exit: CommandExit::REFUSED, code: "already_claimed", message }
}

/// The command's proposal. Its place is the current folder on the machine that `place` names.
fn proposal(args: &RunArgs, place: api::Place) -> anyhow::Result<api::ProposeRequest> {
    let not_unicode = || {
        CliError::usage("the command and its folder must be valid Unicode, so that approvers can read them")
    };
    let words: Option<Vec<_>> = args.words.iter().map(|word| word.to_str()).collect();
    let command = shlex::try_join(words.ok_or_else(not_unicode)?)
        .map_err(|why| CliError::usage(format!("the command cannot be quoted: {why}")))?;
    let folder = std::env::current_dir()?;
    let cwd = folder.to_str().ok_or_else(not_unicode)?.to_owned();
    let id = args.id.clone().unwrap_or_else(|| random_id("call_"));
    let place = Some(api::Place { folder: Some(cwd.clone()), ..place });
    let arguments = Json::encode(&ShellArguments { command, cwd })?;
    Ok(api::ProposeRequest {
        id: countersign_api::parse_call_id(&id)?,
        name: ToolName::new(&args.tool).map_err(|why| CliError::usage(format!("--tool: {why}")))?,
        arguments,
        annotations: None,
        impact: None,
        description: args.description.clone(),
        place,
        definition: None,
        expires_in_seconds: args.expires,
        replaces: None,
        withdraw_when_gone: false,
    })
}

/// Waits for the decision. Ctrl-C, SIGTERM and a closed terminal cancel the call.
async fn wait(
    context: &CommandContext,
    gate: &SharedGate,
    call: &api::Call,
    signals: &mut TerminationSignals,
) -> anyhow::Result<Option<api::Call>> {
    let mut progress = WaitLine::start(context, call)?;
    let (thread, id) = (&call.thread_id, &call.id);
    let decided = tokio::select! {
        decided = gate.wait(thread, id, None) => Some(decided),
        () = progress.update() => None,
        _ = signals.receive() => None,
    };
    progress.end();
    if let Some(decided) = decided {
        return Ok(Some(decided?));
    }
    match cancel(gate, thread, id).await {
        Ok(_) => print_error(&format!("countersign: cancelled {}", escape_text(id.as_str()))),
        Err(error) => {
            let why = escape_lines(&error.to_string());
            print_error(&format!("countersign: the call did not run, but it could not be cancelled: {why}"));
        }
    }
    Ok(None)
}

/// Prints the reason why the call does not run.
fn report_denial(context: &CommandContext, call: &api::Call) -> anyhow::Result<CommandExit> {
    if context.json {
        print_json(call)?;
    } else {
        print_error(&format!("countersign: {}", escape_text(&call.ended_text())));
    }
    let source = call.response.as_ref().map(|response| response.source);
    Ok(match (call.state, source) {
        (CallState::Cancelled, _) => CommandExit::CANCELLED,
        (_, Some(Source::Expiry)) => CommandExit::EXPIRED,
        _ => CommandExit::DENIED,
    })
}

/// Claims the call, runs the claimed command, and records the result. `own` are the arguments as proposed here.
async fn start(
    context: &CommandContext,
    args: &RunArgs,
    gate: &SharedGate,
    call: &api::Call,
    own: &Json,
    signals: &mut TerminationSignals,
) -> anyhow::Result<CommandExit> {
    let executor = random_id(&format!("run-{}-", std::process::id()));
    let lease_seconds = Some(args.lease);
    let claim = api::ClaimRequest { lease_seconds, ..api::ClaimRequest::for_own_call(call, &executor, own) };
    let held = match HeldClaim::claim(gate.clone(), &call.thread_id, &call.id, &claim).await {
        Ok(held) => held,
        Err(error) if is_still_lost(call, &error) => return Err(does_not_run_again(call).into()),
        Err(error) => return Err(error.into()),
    };
    if let Some(note) = held.call().response.as_ref().and_then(|response| response.note.as_ref()) {
        print_error(&format!("countersign: {}", escape_lines(note)));
    }
    let what = if claim.arguments.is_some() { own } else { &held.call().arguments };
    let ended = run_arguments(what, context.json, signals).await;
    record(context, held, &ended).await
}

/// Returns true if the claim was refused because the call was lost and may not be taken over.
fn is_still_lost(call: &api::Call, error: &GateError) -> bool {
    let first = call.execution.as_ref().map(|execution| execution.seq);
    let current = error.facts.execution.as_ref().map(|execution| execution.seq);
    call.state == CallState::Unknown && error.code == ErrorCode::AlreadyClaimed && first == current
}

/// Runs the command in the arguments to its end.
async fn run_arguments(arguments: &Json, to_stderr: bool, signals: &mut TerminationSignals) -> CommandResult {
    let unusable = |why: &str| {
        let error = format!("the approved arguments are not a command{why}");
        CommandResult::failed(CommandExit::NOT_EXECUTABLE, &error)
    };
    match arguments.read::<ShellArguments>() {
        Ok(shell) => match shlex::split(&shell.command) {
            Some(words) if !words.is_empty() => run_command(&words, &shell.cwd, to_stderr, signals).await,
            _ => unusable(""),
        },
        Err(why) => unusable(&format!(": {why}")),
    }
}

async fn record(
    context: &CommandContext,
    held: HeldClaim,
    ended: &CommandResult,
) -> anyhow::Result<CommandExit> {
    if let Some(error) = &ended.error {
        print_error(&format!("countersign: {}", escape_lines(error)));
    }
    let status = if ended.exit == CommandExit::DONE { Status::Success } else { Status::Error };
    let result =
        api::ResultRequest { status, content: Json::encode(ended)?, executor: None, ran_arguments: None };
    match held.finish(&result).await {
        Ok(call) if context.json => print_line(&serde_json::to_string(&call)?),
        Ok(_) => {}
        Err(error) => print_error(&format!(
            "countersign: the command ended with {}, but its result could not be recorded: {}",
            ended.exit.0,
            escape_lines(&error.to_string())
        )),
    }
    Ok(ended.exit)
}
