//! `countersign allow` and `countersign deny`

use super::print_call;
use crate::{
    args::{Allow, Args, Deny, Which},
    exit::{self, Exit},
    find,
    output::{self, visible},
    target,
};
use countersign_gate::{CallId, Gate, Principal, ThreadId, api, event::Decision};
use serde::Serialize;

/// What came of one call of several. It is never taken apart on its way to text: arguments are printed as
/// they were proposed, every digit of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Came {
    thread_id: ThreadId,
    id: CallId,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<api::Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Wrong>,
}

#[derive(Serialize)]
struct Wrong {
    code: String,
    detail: String,
}

#[derive(Serialize)]
struct AllThatCame {
    results: Vec<Came>,
}

pub(crate) async fn allow(args: &Args, allow: &Allow) -> anyhow::Result<Exit> {
    let decision = if allow.session { Decision::AllowSession } else { Decision::AllowOnce };
    let gate = target::deciding(args, Principal::user, false).await?;
    let calls = find_all(&gate, &allow.which.ids, allow.which.thread.as_ref()).await?;
    decide(args, &gate, calls, decision, allow.comment.as_ref()).await
}

pub(crate) async fn deny(args: &Args, deny: &Deny) -> anyhow::Result<Exit> {
    let gate = target::deciding(args, Principal::user, false).await?;
    if !deny.all_pending {
        let calls = find_all(&gate, &deny.ids, deny.thread.as_ref()).await?;
        return decide(args, &gate, calls, Decision::Deny, deny.comment.as_ref()).await;
    }
    let thread = deny.thread.as_deref().map(countersign_gate::name).transpose()?;
    let calls = find::all_pending(&gate, thread.as_ref()).await?;
    if calls.is_empty() && !args.json {
        output::say("Nothing waits for a decision.");
        return Ok(Exit::DONE);
    }
    decide_several(args, &gate, calls, Decision::Deny, deny.comment.as_ref()).await
}

/// All of them are found before any is decided: a slip in the last id decides nothing.
async fn find_all(gate: &Gate, ids: &[String], thread: Option<&String>) -> anyhow::Result<Vec<api::Call>> {
    let mut calls: Vec<api::Call> = Vec::new();
    for id in ids {
        let call = find::find(gate, &Which { id: id.clone(), thread: thread.cloned() }).await?;
        if !calls.iter().any(|known| (&known.thread_id, &known.id) == (&call.thread_id, &call.id)) {
            calls.push(call);
        }
    }
    Ok(calls)
}

async fn decide(
    args: &Args,
    gate: &Gate,
    mut calls: Vec<api::Call>,
    decision: Decision,
    comment: Option<&String>,
) -> anyhow::Result<Exit> {
    if calls.len() > 1 {
        return decide_several(args, gate, calls, decision, comment).await;
    }
    let Some(call) = calls.pop() else { return Ok(Exit::DONE) };
    let wish = api::Decide { decision, comment: comment.cloned() };
    let decided = gate.decide(&call.thread_id, &call.id, &wish).await?;
    if args.json {
        return print_call(args, &decided);
    }
    output::say(&told(gate, &call, &decided, decision));
    Ok(Exit::DONE)
}

/// Decides on just those calls that were found, and no other that came in the meantime.
async fn decide_several(
    args: &Args,
    gate: &Gate,
    calls: Vec<api::Call>,
    decision: Decision,
    comment: Option<&String>,
) -> anyhow::Result<Exit> {
    let (mut exit, mut results) = (Exit::DONE, Vec::new());
    for some in calls.chunks(api::MAX_DECISIONS) {
        let one = |call: &api::Call| api::DecideOne {
            thread_id: call.thread_id.clone(),
            id: call.id.clone(),
            decision,
            comment: comment.cloned(),
        };
        let answers = gate.decide_all(&api::DecideAll { decisions: some.iter().map(one).collect() }).await?;
        for (call, answer) in some.iter().zip(answers) {
            let mut came = Came { thread_id: answer.thread_id, id: answer.id, call: None, problem: None };
            match answer.outcome {
                Ok(decided) if args.json => came.call = Some(decided),
                Ok(decided) => output::say(&told(gate, call, &decided, decision)),
                Err(error) => {
                    exit = if exit == Exit::DONE { exit::of(&error) } else { exit };
                    let (code, detail) = (error.code().to_owned(), error.to_string());
                    if !args.json {
                        let (id, detail) = (visible(came.id.as_str()), output::visible_lines(&detail));
                        output::complain(&format!("countersign: {id}: {detail}"));
                    }
                    came.problem = Some(Wrong { code, detail });
                }
            }
            results.push(came);
        }
    }
    if args.json {
        output::say(&output::json_line(&AllThatCame { results })?);
    }
    Ok(exit)
}

/// What came of it. Whoever repeats a decision is told whose it was.
fn told(gate: &Gate, call: &api::Call, decided: &api::Call, decision: Decision) -> String {
    let (id, tool) = (visible(call.id.as_str()), visible(call.name.as_str()));
    let thread = visible(call.thread_id.as_str());
    let before = call.response.is_some();
    let others = decided.response.as_ref().filter(|first| before || first.principal != *gate.principal());
    if let Some(first) = others {
        let (what, who) = (first.decision.as_str(), visible(first.principal.as_str()));
        return format!("Nothing changed: {id} was decided before, {what} by {who} at {}.", first.at);
    }
    match decision {
        Decision::AllowSession => format!("Allowed {id}, and {tool} from now on in thread {thread}."),
        Decision::Deny => format!("Denied {id}."),
        _ => format!("Allowed {id}, this once."),
    }
}
