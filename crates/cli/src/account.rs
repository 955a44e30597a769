//! A call, whole: what it is, what was asked and decided, and what became of it.

use crate::{
    facts::{self, Fact},
    impact::Impact,
    output::{ago, arguments, visible},
};
use countersign_api as api;
use countersign_gate::{State, Timestamp};

/// The call in lines under labels; a label stands once.
pub(crate) fn call(call: &api::Call, now: Timestamp) -> String {
    let mut text = format!("{}  {}  {}", visible(call.id.as_str()), visible(call.name.as_str()), state(call));
    let mut before = "";
    for (label, line) in facts(call, now) {
        let shown = if label == before { "" } else { label };
        text.push_str(format!("\n  {shown:<10} {line}").trim_end_matches([' ']));
        before = label;
    }
    text
}

fn facts(call: &api::Call, now: Timestamp) -> Vec<Fact> {
    let mut facts = vec![("thread", visible(call.thread_id.as_str()))];
    facts.extend(arguments(&call.arguments).into_iter().map(|line| ("arguments", line)));
    facts.extend(facts::masked(call).map(|text| ("masked", text)));
    facts.push(("sha256", call.arguments_hash.to_string()));
    facts.extend(wishes(call));
    let proposal = &call.proposal;
    let who = visible(proposal.principal.as_str());
    facts.push(("proposed", format!("by {who} at {} ({})", proposal.at, ago(proposal.at, now))));
    facts.extend(facts::asked(call));
    if let Some(response) = &call.response {
        facts.extend(decided(call, response));
    }
    facts.extend(ran(call));
    facts
}

/// What the agent says of it.
fn wishes(call: &api::Call) -> Vec<Fact> {
    let lines = |label: &'static str, text: &str| -> Vec<Fact> {
        text.split('\n').map(|line| (label, visible(line))).collect()
    };
    let impact = Impact::of(call);
    let mut facts: Vec<Fact> = impact.danger().map(|text| ("risk", text)).into_iter().collect();
    for (label, text) in call.description.iter().map(|text| ("for", text)) {
        facts.extend(lines(label, text));
    }
    for (label, text) in &impact.facts {
        facts.extend(lines(label, text));
    }
    facts
}

fn decided(call: &api::Call, response: &api::ApprovalResponse) -> Vec<Fact> {
    let rule = response.rule.as_ref().map_or(String::new(), |rule| format!(", rule {}", visible(rule)));
    let grant = response.grant.map_or(String::new(), |grant| format!(" {grant}"));
    let who = visible(response.principal.as_str());
    let (decision, source) = (response.decision.as_str(), response.source.as_str());
    let basis = facts::basis(response.basis);
    let mut facts =
        vec![("decided", format!("{decision} by {who} at {} ({source}{grant}{rule}{basis})", response.at))];
    facts.extend(response.level.as_ref().map(|level| ("level", visible(level))));
    let remembered = facts::remembered(response.decision, response.matches.as_ref());
    facts.extend(remembered.map(|text| ("remembered", text)));
    facts.extend(response.comment.as_ref().map(|comment| ("comment", visible(comment))));
    facts.extend(facts::changes(&response.changes).into_iter().map(|line| ("changed", line)));
    facts.extend(response.note.as_ref().map(|note| ("note", visible(note))));
    let lapses = response.lapses_at.filter(|_| call.state == State::Allowed);
    facts.extend(lapses.map(|at| ("lapses", format!("at {at}, if nobody has used it"))));
    // Where people were asked, the question says so already.
    facts.extend(facts::shadows(&response.shadow));
    facts
}

/// Who ran it, who was lost over it, and how it ended.
fn ran(call: &api::Call) -> Vec<Fact> {
    let run = |run: &api::CallExecution| format!("by {} at {}", visible(&run.executor), run.started_at);
    let mut facts: Vec<Fact> =
        call.lost.iter().map(|lost| ("lost", format!("started {}", run(lost)))).collect();
    if let Some(released) = &call.released {
        let comment = released.comment.as_ref().map_or(String::new(), |text| format!(" ({})", visible(text)));
        let who = visible(released.principal.as_str());
        facts.push(("released", format!("for another executor by {who} at {}{comment}", released.at)));
    }
    facts.extend(call.execution.as_ref().map(|execution| ("started", run(execution))));
    if let Some(result) = &call.result {
        facts.push(("ended", format!("{} at {}", result.status.as_str(), result.at)));
        facts.extend(arguments(&result.content).into_iter().map(|line| ("result", line)));
    }
    facts
}

/// Where a call stands, and by whom.
fn state(call: &api::Call) -> String {
    match (call.state, &call.response) {
        (State::Denied, Some(response)) => format!("denied by {}", visible(response.principal.as_str())),
        (State::Unknown, _) => {
            "unknown: its executor was lost, and whether it ran nobody here knows".to_owned()
        }
        (state, _) => state.to_string(),
    }
}
