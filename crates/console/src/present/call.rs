//! A call in full: its proposal, the request, the decision and the result.

use super::{
    facts::{
        CallFact, change_lines, describe_basis, describe_hidden, describe_masked, describe_mixed_scripts,
        describe_padding, describe_proof, describe_remembered, place_facts, request_facts, shadow_facts,
    },
    impact::ImpactSummary,
    limits::limits_after_scope,
    presence::describe_presence,
    print::{print_json, print_line},
    question::{is_said_by_form, question_lines},
    text::{argument_lines, escape_text, folded_argument_lines, format_age, split_lines},
};
use countersign_api as api;
use countersign_events::{AnswerSetting, CallState, Json, PolicyChange, Timestamp};

/// How much of a long argument or result is shown.
#[derive(Debug, Clone, Copy)]
pub enum ValueDetail<'a> {
    /// All of it.
    Full,
    /// Its beginning, its size and its end, with this way to read all of it.
    Folded(&'a str),
}

impl ValueDetail<'_> {
    /// The value in lines.
    #[must_use]
    pub fn lines(self, json: &Json) -> Vec<String> {
        match self {
            Self::Full => argument_lines(json),
            Self::Folded(remedy) => folded_argument_lines(json, remedy),
        }
    }
}

/// Prints a call, as JSON or as text.
pub fn print_call(
    json: bool,
    call: &api::Call,
    now: Timestamp,
    detail: ValueDetail<'_>,
) -> serde_json::Result<()> {
    if json {
        return print_json(call);
    }
    print_line(&describe_call(call, now, detail));
    Ok(())
}

/// The call in lines under labels. A label that repeats is printed once.
#[must_use]
pub fn describe_call(call: &api::Call, now: Timestamp, detail: ValueDetail<'_>) -> String {
    let mut text = format!(
        "{}  {}  {}",
        escape_text(call.id.as_str()),
        escape_text(call.name.as_str()),
        state_text(call)
    );
    let mut before = "";
    for (label, line) in call_facts(call, now, detail) {
        let shown = if label == before { "" } else { label };
        text.push_str(format!("\n  {shown:<10} {line}").trim_end_matches([' ']));
        before = label;
    }
    text
}

fn call_facts(call: &api::Call, now: Timestamp, detail: ValueDetail<'_>) -> Vec<CallFact> {
    let mut facts = vec![("thread", escape_text(call.thread_id.as_str()))];
    let asked = call.question.as_deref().into_iter().flat_map(question_lines);
    facts.extend(asked.map(|line| ("asks", line)));
    if !is_said_by_form(call) {
        facts.extend(detail.lines(&call.arguments).into_iter().map(|line| ("arguments", line)));
    }
    facts.extend(place_facts(call));
    facts.extend(describe_masked(call).map(|text| ("masked", text)));
    let misleading =
        describe_hidden(call).into_iter().chain(describe_mixed_scripts(call)).chain(describe_padding(call));
    facts.extend(misleading.map(|text| ("caution", text)));
    facts.push(("sha256", call.arguments_hash.to_string()));
    facts.extend(declared_facts(call));
    let proposal = &call.proposal;
    let who = escape_text(proposal.principal.as_str());
    facts.push(("proposed", format!("by {who} at {} ({})", proposal.at, format_age(proposal.at, now))));
    facts.extend(describe_presence(call, now).map(|text| ("agent", text)));
    facts.extend(request_facts(call));
    if let Some(response) = &call.response {
        facts.extend(response_facts(call, response));
    }
    facts.extend(execution_facts(call, detail));
    facts
}

/// The risk, the purpose and the impact that the agent declares.
fn declared_facts(call: &api::Call) -> Vec<CallFact> {
    let lines = |label: &'static str, text: &str| -> Vec<CallFact> {
        split_lines(text).map(|line| (label, escape_text(line))).collect()
    };
    let impact = ImpactSummary::from_call(call);
    let mut facts: Vec<CallFact> = impact.describe_risk().map(|text| ("risk", text)).into_iter().collect();
    if let Some(text) = &call.description {
        facts.extend(lines("purpose", text));
    }
    for (label, text) in &impact.facts {
        facts.extend(lines(label, text));
    }
    facts
}

fn response_facts(call: &api::Call, response: &api::ApprovalResponse) -> Vec<CallFact> {
    let rule = response.rule.as_ref().map_or(String::new(), |rule| format!(", rule {}", escape_text(rule)));
    let grant = response.grant.map_or(String::new(), |grant| format!(" {grant}"));
    let who = escape_text(&response.decider());
    let (decision, source) = (response.decision.as_str(), response.source.as_str());
    let basis = describe_basis(response.basis);
    let mut facts =
        vec![("decided", format!("{decision} by {who} at {} ({source}{grant}{rule}{basis})", response.at))];
    facts.extend(response.grant_origin.as_ref().map(|origin| ("granted", grant_origin_text(origin))));
    let last_seen = response.proposer_last_seen_at;
    facts.extend(last_seen.map(|at| ("gone", format!("the agent was last seen at {at}"))));
    facts.extend(response.policy_change.as_ref().map(|change| ("because", policy_change_text(change))));
    facts.extend(response.set_by.as_ref().map(|set| ("set by", answer_setting_text(set))));
    facts.extend(response.level.as_ref().map(|level| ("level", escape_text(level))));
    facts.extend(response.proof.as_ref().map(|proof| ("proof", describe_proof(proof))));
    let remembered = describe_remembered(response.decision, response.scope.as_ref());
    let limits = limits_after_scope(response.expires_at, response.uses);
    facts.extend(remembered.map(|text| ("remembered", text + &limits)));
    facts.extend(response.comment.as_ref().map(|comment| ("comment", escape_text(comment))));
    facts.extend(change_lines(&response.changes).into_iter().map(|line| ("changed", line)));
    facts.extend(response.note.as_ref().map(|note| ("note", escape_text(note))));
    let lapses = response.lapses_at.filter(|_| call.state == CallState::Allowed);
    facts.extend(lapses.map(|at| ("lapses", format!("at {at}, if the call is not claimed before"))));
    facts.extend(shadow_facts(&response.shadow));
    facts
}

/// The earlier decision that answered the call.
fn grant_origin_text(origin: &api::GrantOrigin) -> String {
    let api::GrantOrigin { principal, at, tool_call_id, decision, says, .. } = origin;
    let (who, id) = (escape_text(principal.as_str()), escape_text(tool_call_id.as_str()));
    format!("by {who} at {at}: {} on {id}, for {}", decision.as_str(), escape_text(says))
}

/// The policy change that answered a call which waited.
fn policy_change_text(change: &PolicyChange) -> String {
    format!("{} changed the policy in event {}", escape_text(change.principal.as_str()), change.seq)
}

/// The setting that answered the call.
fn answer_setting_text(set: &AnswerSetting) -> String {
    format!("{} in event {}", escape_text(set.principal.as_str()), set.seq)
}

/// The executors, the release and the result.
fn execution_facts(call: &api::Call, detail: ValueDetail<'_>) -> Vec<CallFact> {
    let run = |run: &api::CallExecution| format!("by {} at {}", escape_text(&run.executor), run.started_at);
    let mut facts: Vec<CallFact> =
        call.lost.iter().map(|lost| ("lost", format!("started {}", run(lost)))).collect();
    if let Some(taken) = &call.taken_back {
        let comment =
            taken.comment.as_ref().map_or(String::new(), |text| format!(" ({})", escape_text(text)));
        let who = escape_text(taken.principal.as_str());
        facts.push(("taken back", format!("by {who} at {}{comment}", taken.at)));
    }
    if let Some(released) = &call.released {
        let comment =
            released.comment.as_ref().map_or(String::new(), |text| format!(" ({})", escape_text(text)));
        let who = escape_text(released.principal.as_str());
        facts.push(("released", format!("for another executor by {who} at {}{comment}", released.at)));
    }
    if let Some((mismatch, what)) = call.mismatch.as_ref().zip(call.describe_mismatch()) {
        let who = escape_text(mismatch.principal.as_str());
        facts.push(("MISMATCH", format!("{what}, as {who} reports at {}:", mismatch.at)));
        facts.extend(detail.lines(&mismatch.arguments).into_iter().map(|line| ("ran", line)));
    }
    for flag in &call.flags {
        let comment = flag.comment.as_ref().map_or(String::new(), |text| format!(": {}", escape_text(text)));
        facts.push((
            "flagged",
            format!("by {} at {}{comment}", escape_text(flag.principal.as_str()), flag.at),
        ));
    }
    if let Some(erased) = &call.erased {
        let (who, why) = (escape_text(erased.principal.as_str()), escape_text(&erased.reason));
        facts.push(("erased", format!("all content, by {who} at {} ({why})", erased.at)));
    }
    if let Some(archived) = &call.archived {
        let (who, file) = (escape_text(archived.principal.as_str()), escape_text(&archived.file));
        facts.push(("archived", format!("all content is in {file}, by {who} at {}", archived.at)));
    }
    facts.extend(call.execution.as_ref().map(|execution| ("started", run(execution))));
    facts.extend(call.outcome.as_ref().map(|outcome| ("outcome", escape_text(outcome))));
    if let Some(result) = &call.result {
        facts.push(("ended", format!("{} at {}", result.status.as_str(), result.at)));
        facts.extend(detail.lines(&result.content).into_iter().map(|line| ("result", line)));
    }
    facts
}

fn state_text(call: &api::Call) -> String {
    match (call.state, &call.response) {
        (CallState::Denied, Some(response)) => {
            format!("denied by {}", escape_text(&response.decider()))
        }
        (CallState::Unknown, _) => {
            "unknown: its executor was lost, and the call may or may not have run".to_owned()
        }
        (state, _) => state.to_string(),
    }
}
