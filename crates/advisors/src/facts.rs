//! The advisor that is part of the program. It knows only facts: where a call reaches, why people are asked, and how people
//! decided about similar calls of the same agent in the same place.

use crate::{AdviceAnswer, AdviceFault};
use countersign_api::{self as api, CallGate, LogFilter, PageQuery};
use countersign_events::{AdviceFailure, AdviceVerdict, Basis, Confidence, Source};
use countersign_policy::{CallReach, CallReading, JudgedCall, Policy, RuleEffect, ScopePattern};

/// The earlier calls that are read: the last ones of the agent and the tool, of those in the last 20,000 events.
const MAX_EARLIER: usize = 200;

/// The approvals after which the advisor allows a call: of the same call, or of similar ones that Git can bring back.
const ENOUGH: u32 = 3;

/// The approvals of similar calls that may do more than change files.
const MANY: u32 = 10;

/// What the advisor knows about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownFacts {
    /// A rule or the tool asks on purpose, or the call is marked as one to look at.
    pub(crate) is_protected: bool,
    /// The files that the call reaches.
    pub(crate) reach: CallReach,
    /// How often people allowed the same call.
    pub(crate) same: u32,
    /// How often people allowed similar calls, including the same one. Two calls are similar if the pattern that approvers
    /// are offered for one matches the other.
    pub(crate) similar: u32,
    /// How often people denied or changed similar calls.
    pub(crate) refused: u32,
}

/// Reads the facts about a call: a bounded part of the log before it.
pub(crate) async fn read_facts(
    policy: &Policy,
    gate: &dyn CallGate,
    call: &api::Call,
) -> Result<KnownFacts, AdviceFault> {
    let filter = LogFilter {
        tool: Some(call.name.clone()),
        principal: Some(call.proposal.principal.clone()),
        ..LogFilter::default()
    };
    let page = PageQuery { after: call.proposal.seq, limit: MAX_EARLIER };
    let unreadable = |why| AdviceFault::new(AdviceFailure::Unreachable, format!("the log: {why}"));
    let earlier = gate.calls(&filter, None, page).await.map_err(unreadable)?.calls;
    Ok(find_facts(policy, call, &earlier))
}

/// Finds the facts about a call. `earlier` are calls of its tool by its agent. Decisions after the request are left out, so
/// that a question can be repeated later.
pub(crate) fn find_facts(policy: &Policy, call: &api::Call, earlier: &[api::Call]) -> KnownFacts {
    let subject = subject_of(call);
    let reading = CallReading::new(policy, &subject);
    let patterns = ScopePattern::suggest(&reading);
    let asked_at = call.request.as_ref().map_or(i64::MAX, |request| request.seq);
    let mut facts = KnownFacts {
        is_protected: is_protected(call),
        reach: policy.find_reach(&subject),
        same: 0,
        similar: 0,
        refused: 0,
    };
    let is_before = |before: &&api::Call| before.proposal.seq < call.proposal.seq;
    for before in earlier.iter().filter(is_before).filter(|before| is_same_place(before, call)) {
        let Some(response) = before.response.as_ref().filter(|response| response.seq < asked_at) else {
            continue;
        };
        if response.source != Source::Approver || before.erased.is_some() || before.archived.is_some() {
            continue;
        }
        let is_same = before.arguments_hash == call.arguments_hash;
        let subject = subject_of(before);
        let matches =
            |pattern: &ScopePattern| pattern.matches(&CallReading::new(policy, &subject), RuleEffect::Widen);
        if !is_same && !patterns.iter().any(matches) {
            continue;
        }
        let is_allowed = response.decision.allows() && response.changes.is_empty();
        facts.same += u32::from(is_same && is_allowed);
        facts.similar += u32::from(is_allowed);
        facts.refused += u32::from(!is_allowed);
    }
    facts
}

/// Answers from the facts alone. It never denies.
pub(crate) fn judge_facts(facts: &KnownFacts) -> AdviceAnswer {
    let KnownFacts { is_protected, reach, same, similar, refused } = *facts;
    let needed = match reach {
        CallReach::ProjectFiles => ENOUGH,
        CallReach::NoFiles | CallReach::Project | CallReach::Elsewhere => MANY,
    };
    let ask = |reason: String| answer(AdviceVerdict::Ask, reason, facts);
    if is_protected {
        ask("people are asked on purpose".to_owned())
    } else if refused > 0 {
        ask(format!("people refused {refused} of {} similar calls", similar.saturating_add(refused)))
    } else if reach == CallReach::Elsewhere {
        ask("it may reach something outside of its project".to_owned())
    } else if same < ENOUGH && similar < needed {
        ask(format!("people allowed {similar} similar calls, of {needed}"))
    } else {
        let reason = format!("people allowed {similar} similar calls in this place, and refused none");
        AdviceAnswer { confidence: confidence_in(similar), ..answer(AdviceVerdict::Allow, reason, facts) }
    }
}

fn answer(advice: AdviceVerdict, reason: String, facts: &KnownFacts) -> AdviceAnswer {
    let reach = match facts.reach {
        CallReach::NoFiles => "no files",
        CallReach::ProjectFiles => "reversible by git",
        CallReach::Project => "in project",
        CallReach::Elsewhere => "outside",
    };
    let labels = vec![reach.to_owned()];
    AdviceAnswer { advice, reason: Some(reason), confidence: None, labels, tokens: None }
}

/// The chance that the next similar call is allowed, too, by Laplace's rule of succession.
fn confidence_in(allowed: u32) -> Option<Confidence> {
    let hundredths = 100 * (u64::from(allowed) + 1) / (u64::from(allowed) + 2);
    format!("0.{hundredths:02}").parse().ok()
}

/// Returns true if people are asked on purpose, or should look at the call: a rule or the tool asks, the agent claims an
/// impact, a value is masked, a text looks like another one, or the definition changed.
fn is_protected(call: &api::Call) -> bool {
    let Some(request) = &call.request else { return true };
    let is_by_rule = request.rule.is_some() && request.advisor.is_none();
    let is_misleading =
        !(call.hidden_characters.is_empty() && call.mixed_scripts.is_empty() && call.look_alikes.is_empty());
    is_by_rule
        || is_misleading
        || request.basis == Some(Basis::Tool)
        || request.changed_definition.is_some()
        || call.impact.is_some()
        || !call.redacted.is_empty()
}

/// Returns true if both calls are of the same project, or else of the same place.
fn is_same_place(one: &api::Call, other: &api::Call) -> bool {
    let project = |call: &api::Call| {
        let place = call.place.as_ref()?;
        Some((place.project.clone()?, place.host.clone(), place.server.clone()))
    };
    match (project(one), project(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.place == other.place,
        _ => false,
    }
}

/// The call as a policy judges it.
pub(crate) fn subject_of(call: &api::Call) -> JudgedCall<'_> {
    JudgedCall {
        thread: &call.thread_id,
        principal: &call.proposal.principal,
        tool: &call.name,
        place: call.place.as_ref(),
        arguments: &call.arguments,
        redacted: &call.redacted,
        annotations: call.annotations.as_ref(),
        impact: call.impact.as_ref(),
        definition: call.definition.as_ref(),
    }
}

#[cfg(test)]
mod tests;
