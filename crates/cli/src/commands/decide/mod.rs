//! `countersign allow` and `countersign deny`

pub(crate) mod ask;
pub(crate) mod options;
pub(crate) mod told;

use super::print_call;
use crate::target::Gate;
use crate::{
    args::{Args, Which},
    edit,
    exit::{self, Exit, Said},
    find,
    output::{self, visible},
    target,
};
use countersign_api as api;
use countersign_gate::{CallId, Principal, ThreadId, event::Decision};
use options::{Allow, Deny, How};
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
    let matches = allow.width.json()?;
    let wide = allow.session || matches.is_some();
    let decision = if wide { Decision::AllowSession } else { Decision::AllowOnce };
    let mut wish = api::DecisionRequest {
        comment: allow.comment.clone(),
        matches,
        ..api::DecisionRequest::plain(decision)
    };
    wish.level.clone_from(&allow.how.level);
    wish.arguments = allow.arguments.as_deref().map(edit::given).transpose()?;
    let gate = target::deciding(args, Principal::user, false).await?;
    let calls = find_all(&gate, &allow.which.ids, allow.which.thread.as_ref()).await?;
    if calls.len() > 1 && (allow.edit || wish.arguments.is_some()) {
        return Err(Said::usage("arguments are changed one call at a time").into());
    }
    if let (true, [call]) = (allow.edit, calls.as_slice()) {
        let changed = edit::in_editor(&call.arguments).await?;
        let unchanged = || Said::usage("nothing was changed, so nothing was decided");
        wish.arguments = Some(changed.ok_or_else(unchanged)?);
    }
    decide(args, &gate, calls, &wish, &allow.how).await
}

pub(crate) async fn deny(args: &Args, deny: &Deny) -> anyhow::Result<Exit> {
    let matches = deny.width.json()?;
    let mut wish = api::DecisionRequest {
        comment: deny.comment.clone(),
        matches,
        ..api::DecisionRequest::plain(Decision::Deny)
    };
    wish.level.clone_from(&deny.how.level);
    let gate = target::deciding(args, Principal::user, false).await?;
    if !deny.all_pending {
        let calls = find_all(&gate, &deny.ids, deny.thread.as_ref()).await?;
        return decide(args, &gate, calls, &wish, &deny.how).await;
    }
    let thread = deny.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let calls = find::all_pending(&gate, thread.as_ref()).await?;
    if calls.is_empty() && !args.json {
        output::say("Nothing waits for a decision.");
        return Ok(Exit::DONE);
    }
    decide_several(args, &gate, calls, &wish).await
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
    wish: &api::DecisionRequest,
    how: &How,
) -> anyhow::Result<Exit> {
    if calls.len() > 1 {
        return decide_several(args, gate, calls, wish).await;
    }
    let Some(call) = calls.pop() else { return Ok(Exit::DONE) };
    let agreed = match &wish.arguments {
        Some(changed) => ask::about_change(args, how, &call, changed)?,
        None => ask::about_width(args, how, gate, &call, wish).await?,
    };
    if !agreed {
        return Ok(Exit::FAILED);
    }
    let decided = gate.decide(&call.thread_id, &call.id, &of_what_was_found(&call, wish)).await?;
    if args.json {
        return print_call(args, &decided);
    }
    output::say(&told::told(gate, &call, &decided));
    Ok(Exit::DONE)
}

/// The wish, about the arguments that the call was found with: should others have taken their place meanwhile,
/// nothing is decided. What is decided already has nothing to mistake.
fn of_what_was_found(call: &api::Call, wish: &api::DecisionRequest) -> api::DecisionRequest {
    let arguments_hash = call.is_pending().then_some(call.arguments_hash);
    api::DecisionRequest { arguments_hash, ..wish.clone() }
}

/// Decides on just those calls that were found, and no other that came in the meantime.
async fn decide_several(
    args: &Args,
    gate: &Gate,
    calls: Vec<api::Call>,
    wish: &api::DecisionRequest,
) -> anyhow::Result<Exit> {
    let (mut exit, mut results) = (Exit::DONE, Vec::new());
    for some in calls.chunks(api::MAX_DECISIONS) {
        let one = |call: &api::Call| {
            let wish = of_what_was_found(call, wish);
            api::BulkDecisionItem::new(call.thread_id.clone(), call.id.clone(), wish)
        };
        let answers =
            gate.decide_all(&api::BulkDecisionRequest { decisions: some.iter().map(one).collect() }).await?;
        for (call, answer) in some.iter().zip(answers) {
            let mut came = Came { thread_id: answer.thread_id, id: answer.id, call: None, problem: None };
            match answer.outcome {
                Ok(decided) if args.json => came.call = Some(decided),
                Ok(decided) => output::say(&told::told(gate, call, &decided)),
                Err(error) => {
                    exit = if exit == Exit::DONE { exit::of_gate(&error) } else { exit };
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
