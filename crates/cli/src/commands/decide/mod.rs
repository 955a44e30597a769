//! `countersign allow` and `countersign deny`

pub(crate) mod args;
mod arguments;
mod confirm;

use crate::{
    find::{CallSelector, find_call, read_pending_of_thread},
    proof_signing::{identify_log, prove_decision},
    scope::ScopeArgs,
};
use args::{AllowArgs, DecideOptions, DenyArgs};
use arguments::read_arguments;
use confirm::{CallDecision, confirm_change, confirm_scopes};
use countersign_api as api;
use countersign_api::SharedGate;
use countersign_console::{
    CliError, CommandContext, CommandExit, ConfirmTerms, ValueDetail, answer_question, confirm_calls,
    count_words, describe_outcome, edit_arguments, escape_lines, escape_text, gate_exit, print_call,
    print_error, print_json, print_line, warn_of_absence,
};
use countersign_events::{CallId, Decision, GrantAgents, ThreadId};
use serde::Serialize;
use std::path::Path;

/// The result for one call of several. The call is serialized directly, so its arguments keep every digit.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DecisionResult {
    thread_id: ThreadId,
    id: CallId,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<api::Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<DecisionProblem>,
}

#[derive(Serialize)]
struct DecisionProblem {
    code: String,
    detail: String,
}

#[derive(Serialize)]
struct DecisionResults {
    results: Vec<DecisionResult>,
}

pub(crate) async fn allow_calls(context: &CommandContext, args: &AllowArgs) -> anyhow::Result<CommandExit> {
    args.scope.check(&args.which.ids)?;
    let ids = args.scope.calls_among(&args.which.ids)?;
    let remembered = args.scope.is_given();
    if args.any_agent && !remembered {
        return Err(CliError::usage("--any-agent needs a scope, such as --session exact").into());
    }
    check_and_waiting(&args.decide, remembered)?;
    let decision = if remembered { Decision::AllowSession } else { Decision::AllowOnce };
    let mut decide = api::DecisionRequest {
        comment: args.comment.clone(),
        agents: args.any_agent.then_some(GrantAgents::Any),
        and_waiting: args.decide.and_waiting,
        ..api::DecisionRequest::plain(decision)
    };
    decide.level.clone_from(&args.decide.level);
    decide.on_behalf_of.clone_from(&args.decide.on_behalf_of);
    args.limits.add_to(&mut decide, remembered)?;
    decide.arguments = args.arguments.as_deref().map(read_arguments).transpose()?;
    let gate = context.connect_to_decide().await?;
    let calls = find_calls(&gate, &ids, args.which.thread.as_ref()).await?;
    if calls.len() > 1 && (args.edit || decide.arguments.is_some() || !args.answers.is_empty()) {
        return Err(CliError::usage("--edit, --arguments and --answer take one call at a time").into());
    }
    if let (false, [call]) = (args.answers.is_empty(), calls.as_slice()) {
        let answered = answer_question(call, &args.answers);
        decide.arguments = Some(answered.map_err(|why| CliError::usage(format!("--answer: {why}")))?);
    }
    if let (true, [call]) = (args.edit, calls.as_slice()) {
        let changed = edit_arguments(&call.arguments).await?;
        let unchanged = || CliError::usage("the arguments are unchanged, so nothing was decided");
        decide.arguments = Some(changed.ok_or_else(unchanged)?);
    }
    let decisions = with_scopes(calls, &decide, &args.scope)?;
    decide_calls(context, &gate, decisions, &args.decide, args.sign_with.as_deref()).await
}

pub(crate) async fn deny_calls(context: &CommandContext, args: &DenyArgs) -> anyhow::Result<CommandExit> {
    args.scope.check(&args.ids)?;
    check_and_waiting(&args.decide, args.scope.is_given())?;
    let mut decide = api::DecisionRequest {
        comment: args.comment.clone(),
        and_waiting: args.decide.and_waiting,
        ..api::DecisionRequest::plain(Decision::Deny)
    };
    decide.level.clone_from(&args.decide.level);
    decide.on_behalf_of.clone_from(&args.decide.on_behalf_of);
    args.limits.add_to(&mut decide, args.scope.is_given())?;
    let gate = context.connect_to_decide().await?;
    if !args.all_pending {
        let ids = args.scope.calls_among(&args.ids)?;
        let calls = find_calls(&gate, &ids, args.thread.as_ref()).await?;
        let decisions = with_scopes(calls, &decide, &args.scope)?;
        return decide_calls(context, &gate, decisions, &args.decide, None).await;
    }
    let thread = args.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let calls = read_pending_of_thread(&gate, thread.as_ref()).await?;
    if calls.is_empty() && !context.json {
        print_line("No call is pending.");
        return Ok(CommandExit::DONE);
    }
    let question = format!("Deny {}?", count_words(calls.len() as u64, "pending call"));
    let lists = [("These calls are pending:", calls.as_slice())];
    if !calls.is_empty()
        && !confirm_calls(&question, &lists, ConfirmTerms { yes: args.decide.yes, json: context.json })?
    {
        return Ok(CommandExit::FAILED);
    }
    decide_several(context, &gate, with_scopes(calls, &decide, &args.scope)?).await
}

/// The decision on each call, with its scope.
fn with_scopes(
    calls: Vec<api::Call>,
    decide: &api::DecisionRequest,
    scope: &ScopeArgs,
) -> anyhow::Result<Vec<CallDecision>> {
    let with_scope = |call: api::Call| {
        let scope = scope.to_json(&call)?;
        Ok((call, api::DecisionRequest { scope, ..decide.clone() }))
    };
    calls.into_iter().map(with_scope).collect()
}

/// Only a remembered decision answers other calls.
fn check_and_waiting(options: &DecideOptions, remembered: bool) -> Result<(), CliError> {
    if options.and_waiting && !remembered {
        return Err(CliError::usage("--and-waiting needs a scope, such as --session exact"));
    }
    Ok(())
}

/// Finds all calls before any is decided, so that a typing error in the last id decides nothing.
async fn find_calls(
    gate: &SharedGate,
    ids: &[String],
    thread: Option<&String>,
) -> anyhow::Result<Vec<api::Call>> {
    let mut calls: Vec<api::Call> = Vec::new();
    for id in ids {
        let call = find_call(gate, &CallSelector { id: id.clone(), thread: thread.cloned() }).await?;
        if !calls.iter().any(|known| (&known.thread_id, &known.id) == (&call.thread_id, &call.id)) {
            calls.push(call);
        }
    }
    Ok(calls)
}

async fn decide_calls(
    context: &CommandContext,
    gate: &SharedGate,
    mut decisions: Vec<CallDecision>,
    options: &DecideOptions,
    key_file: Option<&Path>,
) -> anyhow::Result<CommandExit> {
    let confirmed = match decisions.as_slice() {
        [(call, api::DecisionRequest { arguments: Some(changed), .. })] => {
            confirm_change(context, options, call, changed)?
        }
        _ => confirm_scopes(context, options, gate, &decisions).await?,
    };
    if !confirmed {
        return Ok(CommandExit::FAILED);
    }
    if let Some(key_file) = key_file {
        let log = identify_log(gate).await?;
        let prove = |(call, decide): CallDecision| {
            let proved = prove_decision(key_file, log, gate.principal(), &call, decide)?;
            Ok((call, proved))
        };
        decisions = decisions.into_iter().map(prove).collect::<anyhow::Result<_>>()?;
    }
    if decisions.len() > 1 {
        return decide_several(context, gate, decisions).await;
    }
    let Some((call, decide)) = decisions.pop() else { return Ok(CommandExit::DONE) };
    let decided = gate.decide(&call.thread_id, &call.id, &bind_to_arguments(&call, &decide)).await?;
    if context.json {
        print_call(true, &decided, context.now(), ValueDetail::Full)?;
        return Ok(CommandExit::DONE);
    }
    print_outcome(context, gate, &call, &decided);
    Ok(CommandExit::DONE)
}

/// Prints a decision, the calls that waited and were decided by it, too, and a warning if the agent is gone.
fn print_outcome(context: &CommandContext, gate: &SharedGate, before: &api::Call, decided: &api::Call) {
    print_line(&describe_outcome(gate.principal(), before, decided));
    if let Some(warning) = warn_of_absence(decided, context.now()) {
        print_line(&warning);
    }
    let also: Vec<_> = decided.also_decided.iter().map(|id| escape_text(id.as_str())).collect();
    let allows = decided.response.as_ref().is_some_and(|response| response.decision.allows());
    if !also.is_empty() {
        let (verb, calls) =
            (if allows { "allowed" } else { "denied" }, count_words(also.len() as u64, "call"));
        print_line(&format!("Also {verb} {calls} that waited: {}.", also.join(", ")));
    }
}

/// Binds the decision to the arguments that were found. The gate refuses it if they have changed since.
fn bind_to_arguments(call: &api::Call, decide: &api::DecisionRequest) -> api::DecisionRequest {
    let arguments_hash = call.is_pending().then_some(call.arguments_hash);
    api::DecisionRequest { arguments_hash, ..decide.clone() }
}

/// Decides exactly these calls, and none that arrived meanwhile.
async fn decide_several(
    context: &CommandContext,
    gate: &SharedGate,
    decisions: Vec<CallDecision>,
) -> anyhow::Result<CommandExit> {
    let (mut exit, mut results) = (CommandExit::DONE, Vec::new());
    for chunk in decisions.chunks(api::MAX_DECISIONS) {
        let one = |(call, decide): &CallDecision| {
            let decide = bind_to_arguments(call, decide);
            api::BulkDecisionItem::new(call.thread_id.clone(), call.id.clone(), decide)
        };
        let answers =
            gate.decide_all(&api::BulkDecisionRequest { decisions: chunk.iter().map(one).collect() }).await?;
        for ((call, _), answer) in chunk.iter().zip(answers) {
            let mut result =
                DecisionResult { thread_id: answer.thread_id, id: answer.id, call: None, problem: None };
            match answer.outcome {
                Ok(decided) if context.json => result.call = Some(decided),
                Ok(decided) => print_outcome(context, gate, call, &decided),
                Err(error) => {
                    exit = if exit == CommandExit::DONE { gate_exit(&error) } else { exit };
                    let (code, detail) = (error.code().to_owned(), error.to_string());
                    if !context.json {
                        let (id, detail) = (escape_text(result.id.as_str()), escape_lines(&detail));
                        print_error(&format!("countersign: {id}: {detail}"));
                    }
                    result.problem = Some(DecisionProblem { code, detail });
                }
            }
            results.push(result);
        }
    }
    if context.json {
        print_json(&DecisionResults { results })?;
    }
    Ok(exit)
}
