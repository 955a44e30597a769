//! `countersign pending`

use crate::{
    args::{Args, Pending},
    exit::Exit,
    facts, find,
    impact::Impact,
    output::{self, ago, visible},
    target,
};
use countersign_api as api;
use countersign_gate::Clock;

pub(crate) async fn pending(args: &Args, pending: &Pending) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let calls = find::pending_of(&gate, &pending.filters.filter()?).await?;
    if args.json {
        output::say(&serde_json::to_string(&api::PendingPage { pending: calls, next: None })?);
        return Ok(Exit::DONE);
    }
    if calls.is_empty() {
        output::say("Nothing waits for a decision.");
        return Ok(Exit::DONE);
    }
    for call in &calls {
        output::say(&entry(call));
    }
    let (count, how) = (calls.len(), target::how_to_call(args));
    output::say(&format!("{count} waiting. Decide with: {how} allow ID, or {how} deny ID --comment WHY"));
    Ok(Exit::DONE)
}

/// Everything that somebody needs to decide: nothing is cut short.
fn entry(call: &api::Call) -> String {
    let now = Clock::System.now();
    let (id, tool) = (visible(call.id.as_str()), visible(call.name.as_str()));
    let (thread, who) = (visible(call.thread_id.as_str()), visible(call.proposal.principal.as_str()));
    let mut text = format!("{id}  {tool}  by {who} in {thread}, {}\n", ago(call.proposal.at, now));
    if let Some(description) = &call.description {
        text.extend(["    for: ", &visible(description), "\n"]);
    }
    for line in output::arguments(&call.arguments) {
        text.extend(["    ", &line, "\n"]);
    }
    let danger = Impact::of(call).danger().map(|text| ("risk", text));
    let masked = facts::masked(call).map(|text| ("masked", text));
    // Why it is asked stands in `show`, and so does what is the same for most calls.
    let asked = facts::asked(call).into_iter().filter(|(label, _)| !matches!(*label, "asked" | "alike"));
    for (label, line) in danger.into_iter().chain(masked).chain(asked) {
        text.extend(["    ", label, ": ", &line, "\n"]);
    }
    text
}
