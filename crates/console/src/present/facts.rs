//! An approval request's facts: a label and an escaped text for each.

use super::text::{compact_json, escape_text};
use countersign_api as api;
use countersign_approvals::GrantScope;
use countersign_events::{
    Basis, CallId, CallState, Decision, DecisionProof, Json, OnExpiry, ProofKind, ProofRequirement,
    ShadowVerdict, SuggestedScope, json::ArgumentChange, look_alike::Likeness,
};

/// A label and a line of text. Lines with the same label follow each other.
pub(crate) type CallFact = (&'static str, String);

/// The request in facts: why people are asked, who may decide, the votes, and the deadlines. Facts about the future
/// are listed only while the call is pending.
#[must_use]
pub fn request_facts(call: &api::Call) -> Vec<CallFact> {
    let Some(request) = &call.request else { return Vec::new() };
    let mut facts = vec![("asked", format!("{}{}", reason_text(request), describe_basis(request.basis)))];
    facts.extend(call.effects.iter().map(|effect| ("does", escape_text(effect))));
    facts.extend(definition_facts(call, request));
    facts.extend(requirement_text(request).map(|text| ("needs", text)));
    facts.extend(request.approvers.iter().map(|list| ("approvers", alternatives(list))));
    facts.extend(request.proof.map(|proof| ("proof", describe_requirement(call, proof))));
    if !request.votes.is_empty() {
        facts.push(("votes", describe_votes(request)));
        facts.extend(request.votes.iter().map(|vote| ("votes", vote_text(vote))));
    }
    facts.extend(call.advice.iter().map(|advice| ("advice", advice_text(advice))));
    facts.extend(deadline_facts(request, call.is_pending()));
    if call.is_pending() {
        let similar = request.similar_operations_count.filter(|count| *count > 0);
        facts.extend(similar.map(|count| ("similar", similar_text(count))));
        facts.extend(request.same_call.as_ref().map(|same| ("same call", same_call_text(same))));
        facts.extend(scope_lines(request).into_iter().map(|text| ("scope", text)));
    }
    facts.extend(shadow_facts(&request.shadow));
    facts
}

/// How the tool definition changed, and which names look like the tool name.
fn definition_facts(call: &api::Call, request: &api::ApprovalRequest) -> Vec<CallFact> {
    let mut lines = Vec::new();
    if let Some(changed) = &request.changed_definition {
        let since = if changed.accepted { ", and a person has accepted it since" } else { "" };
        lines.push(("definition", format!("CHANGED since it was accepted{since}")));
        let changes = change_lines(&changed.changes).into_iter();
        lines.extend(changes.map(|line| ("definition", line)));
        if !changed.accepted {
            let name = escape_text(call.name.as_str());
            lines.push(("definition", format!("read and accept it with: countersign tool show {name}")));
        }
    }
    lines.extend(call.look_alikes.iter().map(|alike| ("looks like", describe_likeness(alike))));
    lines
}

/// A tool whose name people may take for another one.
#[must_use]
pub fn describe_likeness(alike: &api::LookAlike) -> String {
    let why = match alike.likeness {
        Likeness::SameLook => "differs only in case, separators or similar letters",
        Likeness::OneEdit => "differs in one letter",
        Likeness::SameTool => "same name on another server",
        Likeness::Other => "alike",
    };
    format!("{} ({why})", escape_text(alike.name.as_str()))
}

/// The places of hidden characters, for a call that has some.
#[must_use]
pub(crate) fn describe_hidden(call: &api::Call) -> Option<String> {
    describe_places("hidden characters, which are shown as \\u{…}", &call.hidden_characters)
}

/// The places of words that mix alphabets, for a call that has some.
#[must_use]
pub fn describe_mixed_scripts(call: &api::Call) -> Option<String> {
    describe_places("letters of several alphabets in one word", &call.mixed_scripts)
}

/// The places of strings in which blanks push a part out of sight, for a call that has some.
#[must_use]
pub fn describe_padding(call: &api::Call) -> Option<String> {
    describe_places("many blanks or empty lines, with more after them", &call.padded)
}

fn describe_places(what: &str, places: &[String]) -> Option<String> {
    let names: Vec<_> = places.iter().map(|place| escape_text(place)).collect();
    (!names.is_empty()).then(|| format!("{what}, in {}", names.join(", ")))
}

fn reason_text(request: &api::ApprovalRequest) -> String {
    let rule = request.rule.as_ref().map_or(String::new(), |rule| format!("{}: ", escape_text(rule)));
    format!("{rule}{}", escape_text(&request.reason))
}

/// What gave the verdict in the policy, if it was not a rule.
#[must_use]
pub(crate) const fn describe_basis(basis: Option<Basis>) -> &'static str {
    match basis {
        Some(Basis::Zone) => ", by a zone",
        Some(Basis::Tool) => ", by the tool's own metadata",
        _ => "",
    }
}

/// The number of approvers and the level, if one approver of any level is not enough.
fn requirement_text(request: &api::ApprovalRequest) -> Option<String> {
    let several = request.quorum > 1 || request.denials > 1;
    let mut text = several.then(|| format!("{} to allow, {} to deny", request.quorum, request.denials));
    let level = request.level.as_ref().map(|level| format!("level {}", escape_text(level)));
    if let Some(level) = level {
        let above: Vec<_> = request.available_levels.iter().skip(1).map(|level| escape_text(level)).collect();
        let above = if above.is_empty() { String::new() } else { format!(" or {}", above.join(" or ")) };
        text = Some(text.map_or_else(String::new, |text| format!("{text}, ")) + &level + &above);
    }
    let preset = request
        .default_level
        .as_ref()
        .filter(|preset| request.available_levels.first().is_some_and(|least| least != *preset));
    match (text, preset) {
        (text, None) => text,
        (None, Some(preset)) => Some(format!("level {} by default", escape_text(preset))),
        (Some(text), Some(preset)) => Some(format!("{text}, {} by default", escape_text(preset))),
    }
}

/// The proof that an approval needs, and how to give it while the call is pending.
fn describe_requirement(call: &api::Call, proof: ProofRequirement) -> String {
    let how = match proof {
        _ if !call.is_pending() => "",
        ProofRequirement::Ssh => "; allow it with `countersign allow --sign-with KEYFILE`",
        ProofRequirement::Passkey => "; allow it on its page in a browser, /calls/THREAD/ID of the server",
        ProofRequirement::Any | ProofRequirement::Other => {
            "; allow it with `countersign allow --sign-with KEYFILE` or on its page in a browser, /calls/THREAD/ID of the server"
        }
    };
    format!("an approval needs {}{how}", proof.describe())
}

/// The proof for a decision or a vote.
#[must_use]
pub(crate) fn describe_proof(proof: &DecisionProof) -> String {
    let kind = match proof.kind {
        ProofKind::Ssh => "SSH key",
        ProofKind::Passkey => "passkey",
        ProofKind::Other => "key",
    };
    format!("signed with the {kind} {}", escape_text(&proof.key))
}

fn alternatives(list: &[String]) -> String {
    let names: Vec<_> = list.iter().map(|name| escape_text(name)).collect();
    if names.len() == 1 { names.join("") } else { format!("one of {}", names.join(", ")) }
}

/// The number of votes so far and the number that is needed.
#[must_use]
pub fn describe_votes(request: &api::ApprovalRequest) -> String {
    let count = |allows: bool| {
        request.votes.iter().filter(|vote| vote.counts && vote.decision.allows() == allows).count()
    };
    let (allow, deny) = (count(true), count(false));
    let denials = if deny > 0 || request.denials > 1 {
        format!(", {deny} of {} to deny", request.denials)
    } else {
        String::new()
    };
    format!("{allow} of {} to allow{denials}", request.quorum)
}

fn vote_text(vote: &api::ApprovalVote) -> String {
    let who = escape_text(&vote.principal.describe_decider(vote.on_behalf_of.as_ref()));
    let mut text = format!("{who} {} at {}", vote.decision.as_str(), vote.at);
    if let Some(scope) = &vote.scope {
        text.extend([", ", &describe_scope(scope)]);
    }
    if let Some(level) = &vote.level {
        text.extend([", at level ", &escape_text(level)]);
    }
    if vote.arguments.is_some() {
        text.push_str(", with changed arguments");
    }
    if let Some(proof) = &vote.proof {
        text.extend([", ", &describe_proof(proof)]);
    }
    if !vote.counts {
        text.push_str(", void because the arguments changed later");
    }
    if let Some(comment) = &vote.comment {
        text.extend([" (", &escape_text(comment), ")"]);
    }
    text
}

/// An advisor's advice. The call content may have influenced it.
#[must_use]
pub(crate) fn advice_text(advice: &api::CallAdvice) -> String {
    let name = escape_text(&advice.advisor);
    let mut text = match advice.failure {
        Some(failure) => format!("{name} gave no answer ({})", failure.as_str()),
        None => format!("{name} says {}", advice.advice.as_str()),
    };
    if let Some(confidence) = &advice.confidence {
        text.extend([", confidence ", &confidence.to_string()]);
    }
    if !advice.labels.is_empty() {
        let labels: Vec<_> = advice.labels.iter().map(|label| escape_text(label)).collect();
        text.extend([" [", &labels.join(", "), "]"]);
    }
    if let Some(reason) = &advice.reason {
        text.extend([": ", &escape_text(reason)]);
    }
    text
}

/// The reminder, the escalation and the expiry: when they are due, or when they happened.
fn deadline_facts(request: &api::ApprovalRequest, pending: bool) -> Vec<CallFact> {
    let mut facts = Vec::new();
    match (&request.reminded, request.remind_at) {
        (Some(sent), _) => facts.push(("reminder", format!("sent at {}", sent.at))),
        (None, Some(at)) if pending => facts.push(("reminder", format!("at {at}"))),
        _ => {}
    }
    let level = request.escalate_to.as_ref().map_or_else(String::new, |level| escape_text(level));
    match (&request.escalated, request.escalate_at) {
        (Some(raised), _) => facts.push(("escalation", format!("to level {level} at {}", raised.at))),
        (None, Some(at)) if pending => facts.push(("escalation", format!("to level {level} at {at}"))),
        _ => {}
    }
    if let Some(end) = request.expires_at {
        let then =
            if pending { format!(", then {}", describe_expiry(request.on_expiry)) } else { String::new() };
        facts.push(("expires", format!("{end}{then}")));
    }
    facts
}

/// What happens to a call that no one decides in time.
#[must_use]
pub(crate) const fn describe_expiry(outcome: Option<OnExpiry>) -> &'static str {
    match outcome {
        None | Some(OnExpiry::Deny) => "the call is denied",
        Some(OnExpiry::Allow) => "the call is allowed",
        Some(OnExpiry::Other) => "the call expires",
    }
}

/// The same call, proposed earlier. An approver may not want it to run twice.
fn same_call_text(same: &api::SameCall) -> String {
    let id = escape_text(same.id.as_str());
    let Some(started_at) = same.started_at else {
        return format!("{id} was allowed at {} and has not started", same.allowed_at);
    };
    let now = match same.state {
        Some(CallState::Running) | None => "runs",
        Some(CallState::Unknown) => "was lost, so nobody knows if it ran",
        Some(_) => "has ended since",
    };
    format!("{id} was started at {started_at} and {now}")
}

fn similar_text(count: usize) -> String {
    let calls = if count == 1 { "call" } else { "calls" };
    format!("{count} other {calls} of this tool in this thread")
}

/// The patterns that the request suggests. The scopes `exact` and `tool` are offered for every call.
fn scope_lines(request: &api::ApprovalRequest) -> Vec<String> {
    let is_pattern = |offered: &&SuggestedScope| !matches!(offered.scope.as_str(), "\"exact\"" | "\"tool\"");
    request.scopes.iter().filter(is_pattern).map(|offered| escape_text(&offered.says)).collect()
}

/// A scope, the number of earlier calls of the thread that a decision with it would have answered, and the number of
/// calls that wait for the same decision. It leaves out numbers that say nothing.
#[must_use]
pub fn describe_scope_preview(preview: &api::ScopePreview, decision: Decision) -> String {
    let api::EarlierCalls { compared, masked, .. } = preview.earlier;
    let scope = escape_text(&preview.description);
    let waiting = match waiting_calls(preview, decision).len() {
        0 => String::new(),
        1 => "; 1 more call waits".to_owned(),
        number => format!("; {number} more calls wait"),
    };
    if compared == 0 {
        return format!("{scope}{waiting}");
    }
    let (answered, verb) = if decision.allows() {
        (preview.earlier.allows, "allowed")
    } else {
        (preview.earlier.denies, "denied")
    };
    let calls = if compared == 1 { "call" } else { "calls" };
    let unknown = if masked == 0 { String::new() } else { format!(" ({masked} masked, unknown)") };
    format!("{scope}: would have {verb} {answered} of {compared} earlier {calls}{unknown}{waiting}")
}

/// The calls that wait and that this decision decides too, if it says so.
#[must_use]
pub fn waiting_calls(preview: &api::ScopePreview, decision: Decision) -> &[CallId] {
    if decision.allows() { &preview.waiting.allows } else { &preview.waiting.denies }
}

/// A remembered decision's scope, in words.
#[must_use]
pub(crate) fn describe_scope(scope: &Json) -> String {
    match scope.read::<String>().as_deref() {
        Ok("exact") => "for this exact call".to_owned(),
        Ok("tool") => "for the whole tool".to_owned(),
        Ok("once") => "moved here from an unused approval of the same call".to_owned(),
        _ => {
            let pattern = GrantScope::read(scope)
                .map_or_else(|_| compact_json(scope), |scope| escape_text(&scope.to_string()));
            format!("for {pattern}")
        }
    }
}

/// The scope in which a decision is remembered, if it is remembered.
#[must_use]
pub(crate) fn describe_remembered(decision: Decision, scope: Option<&Json>) -> Option<String> {
    match scope {
        Some(scope) => Some(describe_scope(scope)),
        None => (decision == Decision::AllowSession).then(|| "for the whole tool".to_owned()),
    }
}

/// The shadow rules that would have given another verdict.
pub(crate) fn shadow_facts(shadow: &[ShadowVerdict]) -> impl Iterator<Item = CallFact> {
    shadow.iter().map(|one| {
        let verdict = serde_json::to_string(&one.verdict).unwrap_or_default();
        ("shadow", format!("{} would {} the call", escape_text(&one.rule), verdict.trim_matches('"')))
    })
}

/// Where a call runs, without a folder that one of its arguments shows, a project that is the folder, and an agent that is the
/// proposer.
#[must_use]
pub fn place_facts(call: &api::Call) -> Vec<CallFact> {
    let arguments = call.arguments.members().unwrap_or_default();
    let is_argument = |text: &str| {
        arguments.iter().any(|(_, value)| value.read::<String>().is_ok_and(|argument| argument == text))
    };
    let fields = call.place.iter().flat_map(api::Place::fields);
    let is_folder =
        |text: &str| call.place.as_ref().is_some_and(|place| place.folder.as_deref() == Some(text));
    let is_proposer = |text: &str| call.proposal.principal == countersign_events::Principal::agent(text);
    let shown = fields.filter(|(name, text)| match *name {
        "folder" => !is_argument(text),
        "agent" => !is_proposer(text),
        "project" => !is_folder(text),
        _ => true,
    });
    shown.map(|(name, text)| (name, escape_text(text))).collect()
}

/// The masked places of a call, if there are any.
#[must_use]
pub fn describe_masked(call: &api::Call) -> Option<String> {
    let places: Vec<_> = call.redacted.iter().map(|place| escape_text(place)).collect();
    let is = if places.len() == 1 { "is" } else { "are" };
    (!places.is_empty())
        .then(|| format!("{} {is} hidden here; the call runs with the real value", places.join(", ")))
}

/// Changes in lines: `-` is the old value, `+` the new one.
#[must_use]
pub fn change_lines(changes: &[ArgumentChange]) -> Vec<String> {
    let line = |sign: &str, change: &ArgumentChange, json: &Option<Json>| {
        let place =
            if change.path.is_empty() { String::new() } else { format!("{} ", escape_text(&change.path)) };
        json.as_ref().map(|json| format!("{sign} {place}{}", compact_json(json)))
    };
    changes
        .iter()
        .flat_map(|change| [line("-", change, &change.from), line("+", change, &change.to)])
        .flatten()
        .collect()
}
