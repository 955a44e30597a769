//! `countersign allow` and `countersign deny`

use super::print_call;
use crate::{
    args::{Allow, Args, Deny, Which},
    exit::Exit,
    find,
    output::{self, visible},
    target,
};
use countersign_gate::{Principal, api, event::Decision};

pub(crate) async fn allow(args: &Args, allow: &Allow) -> anyhow::Result<Exit> {
    let decision = if allow.session { Decision::AllowSession } else { Decision::AllowOnce };
    decide(args, &allow.which, decision, allow.comment.clone()).await
}

pub(crate) async fn deny(args: &Args, deny: &Deny) -> anyhow::Result<Exit> {
    decide(args, &deny.which, Decision::Deny, deny.comment.clone()).await
}

async fn decide(
    args: &Args,
    which: &Which,
    decision: Decision,
    comment: Option<String>,
) -> anyhow::Result<Exit> {
    let gate = target::gate(args, Principal::user, false).await?;
    let call = find::find(&gate, which).await?;
    let before = call.response.is_some();
    let decided = gate.decide(&call.thread_id, &call.id, &api::Decide { decision, comment }).await?;
    if args.json {
        return print_call(args, &decided);
    }
    let (id, tool) = (visible(call.id.as_str()), visible(call.name.as_str()));
    let thread = visible(call.thread_id.as_str());
    let others = decided.response.as_ref().filter(|first| before || first.principal != *gate.principal());
    if let Some(first) = others {
        let (what, who) = (first.decision.as_str(), visible(first.principal.as_str()));
        output::say(&format!("Nothing changed: {id} was decided before, {what} by {who} at {}.", first.at));
        return Ok(Exit::DONE);
    }
    output::say(&match decision {
        Decision::AllowSession => format!("Allowed {id}, and {tool} from now on in thread {thread}."),
        Decision::Deny => format!("Denied {id}."),
        _ => format!("Allowed {id}, this once."),
    });
    Ok(Exit::DONE)
}
