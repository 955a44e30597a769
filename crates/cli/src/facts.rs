//! What a call asks of people, in facts: a label and a text for each. What hides in a text is written out.

use crate::output::{one_line, visible};
use countersign_api as api;
use countersign_gate::{
    Json, Width,
    event::{Basis, Decision, OnExpiry, Shadow},
    json::Change,
};

/// A label, and a line under it. The lines of one label follow each other.
pub(crate) type Fact = (&'static str, String);

/// Why people are asked, who of them it takes, what they said, what becomes of it, and how far an answer would
/// reach. What is still to come is told only of a call that waits.
pub(crate) fn asked(call: &api::Call) -> Vec<Fact> {
    let Some(request) = &call.request else { return Vec::new() };
    let mut facts = vec![("asked", format!("{}{}", why(request), basis(request.basis)))];
    facts.extend(takes(request).map(|text| ("takes", text)));
    let lists = request.approvers.iter().map(|list| ("who", one_of(list)));
    facts.extend(lists);
    if !request.votes.is_empty() {
        facts.push(("votes", progress(request)));
        facts.extend(request.votes.iter().map(|vote| ("votes", self::vote(vote))));
    }
    facts.extend(duties(request, call.is_pending()));
    if call.is_pending() {
        let alike = request.similar_operations_count.filter(|count| *count > 0);
        facts.extend(alike.map(|count| ("alike", alike_in_words(count))));
        facts.extend(reaches(request).into_iter().map(|text| ("widths", text)));
    }
    facts.extend(shadows(&request.shadow));
    facts
}

fn why(request: &api::ApprovalRequest) -> String {
    let rule = request.rule.as_ref().map_or(String::new(), |rule| format!("{}: ", visible(rule)));
    format!("{rule}{}", visible(&request.reason))
}

/// What of the policy it was, where its rule does not say so.
pub(crate) const fn basis(basis: Option<Basis>) -> &'static str {
    match basis {
        Some(Basis::Zone) => ", by a zone",
        Some(Basis::Tool) => ", by what the tool says of itself",
        _ => "",
    }
}

/// The people and the level that it takes, if that is more than anybody.
fn takes(request: &api::ApprovalRequest) -> Option<String> {
    let several = request.quorum > 1 || request.denials > 1;
    let mut text = several.then(|| format!("{} to allow, {} to deny", request.quorum, request.denials));
    let level = request.level.as_ref().map(|level| format!("level {}", visible(level)));
    if let Some(level) = level {
        let above: Vec<_> = request.available_levels.iter().skip(1).map(|level| visible(level)).collect();
        let above = if above.is_empty() { above.join("") } else { format!(" or {}", above.join(" or ")) };
        text = Some(text.map_or_else(String::new, |text| format!("{text}, ")) + &level + &above);
    }
    let preset = request
        .default_level
        .as_ref()
        .filter(|preset| request.available_levels.first().is_some_and(|least| least != *preset));
    match (text, preset) {
        (text, None) => text,
        (None, Some(preset)) => Some(format!("level {} if none is said", visible(preset))),
        (Some(text), Some(preset)) => Some(format!("{text}, {} if none is said", visible(preset))),
    }
}

fn one_of(list: &[String]) -> String {
    let names: Vec<_> = list.iter().map(|name| visible(name)).collect();
    if names.len() == 1 { names.join("") } else { format!("one of {}", names.join(", ")) }
}

/// How many have spoken, of how many it takes.
pub(crate) fn progress(request: &api::ApprovalRequest) -> String {
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

fn vote(vote: &api::ApprovalVote) -> String {
    let mut text = format!("{} {} at {}", visible(vote.principal.as_str()), vote.decision.as_str(), vote.at);
    if let Some(width) = &vote.matches {
        text.extend([", ", &width_in_words(width)]);
    }
    if let Some(level) = &vote.level {
        text.extend([", as ", &visible(level)]);
    }
    if vote.arguments.is_some() {
        text.push_str(", with changed arguments");
    }
    if !vote.counts {
        text.push_str(", before the arguments were changed: it counts no more");
    }
    if let Some(comment) = &vote.comment {
        text.extend([" (", &visible(comment), ")"]);
    }
    text
}

/// What happens by itself, and what has.
fn duties(request: &api::ApprovalRequest, waits: bool) -> Vec<Fact> {
    let mut facts = Vec::new();
    match (&request.reminded, request.remind_at) {
        (Some(told), _) => facts.push(("reminder", format!("told once more at {}", told.at))),
        (None, Some(at)) if waits => facts.push(("reminder", format!("at {at}"))),
        _ => {}
    }
    let level = request.escalate_to.as_ref().map_or_else(String::new, |level| visible(level));
    match (&request.escalated, request.escalate_at) {
        (Some(went), _) => facts.push(("escalation", format!("it takes level {level} since {}", went.at))),
        (None, Some(at)) if waits => facts.push(("escalation", format!("it takes level {level} from {at}"))),
        _ => {}
    }
    if let Some(end) = request.expires_at {
        let then = if waits { format!(", then {}", on_expiry(request.on_expiry)) } else { String::new() };
        facts.push(("expires", format!("{end}{then}")));
    }
    facts
}

/// What becomes of a call that nobody decides on.
pub(crate) const fn on_expiry(then: Option<OnExpiry>) -> &'static str {
    match then {
        None | Some(OnExpiry::Deny) => "it is denied",
        Some(OnExpiry::Allow) => "it is allowed",
        Some(OnExpiry::Other) => "it lapses",
    }
}

fn alike_in_words(count: usize) -> String {
    let calls = if count == 1 { "call" } else { "calls" };
    format!("{count} other {calls} of this tool in this thread")
}

/// How far each width would reach. Two widths that everything has are no news where they reach nothing.
fn reaches(request: &api::ApprovalRequest) -> Vec<String> {
    let widths = &request.would_also_match;
    if widths.iter().all(|reach| reach.of == 0) {
        let pattern =
            |reach: &&api::ScopePreview| !matches!(reach.matches.as_str(), "\"exact\"" | "\"tool\"");
        return widths.iter().filter(pattern).map(reach).collect();
    }
    let news = widths.len() > 2 || widths.iter().any(|reach| reach.allows + reach.denies > 0);
    if news { widths.iter().map(reach).collect() } else { Vec::new() }
}

/// A width, and how many of the thread's calls it would have answered.
pub(crate) fn reach(reach: &api::ScopePreview) -> String {
    let api::ScopePreview { allows, denies, of, .. } = reach;
    let says = visible(&reach.says);
    if *of == 0 {
        return format!("{says}: no other calls yet");
    }
    let calls = if *of == 1 { "call" } else { "calls" };
    if allows == denies {
        return format!("{says}: {allows} of {of} other {calls}");
    }
    format!("{says}: allows {allows} and denies {denies} of {of} other {calls}")
}

/// A width that is remembered, in words.
pub(crate) fn width_in_words(width: &Json) -> String {
    match width.read::<String>().as_deref() {
        Ok("exact") => "for these exact arguments".to_owned(),
        Ok("tool") => "for the whole tool".to_owned(),
        Ok("once") => "an approval that nobody used for the same call moved here".to_owned(),
        _ => {
            let says =
                Width::read(width).map_or_else(|_| one_line(width), |width| visible(&width.to_string()));
            format!("for {says}")
        }
    }
}

/// How wide a decision is remembered, if it is.
pub(crate) fn remembered(decision: Decision, width: Option<&Json>) -> Option<String> {
    match width {
        Some(width) => Some(width_in_words(width)),
        None => (decision == Decision::AllowSession).then(|| "for the whole tool".to_owned()),
    }
}

/// Which rules that only watch would have said something else.
pub(crate) fn shadows(shadow: &[Shadow]) -> impl Iterator<Item = Fact> {
    shadow.iter().map(|one| {
        let verdict = serde_json::to_string(&one.verdict).unwrap_or_default();
        ("shadow", format!("{} would say {}", visible(&one.rule), verdict.trim_matches('"')))
    })
}

/// Where something is masked.
pub(crate) fn masked(call: &api::Call) -> Option<String> {
    let places: Vec<_> = call.redacted.iter().map(|place| visible(place)).collect();
    let is = if places.len() == 1 { "is" } else { "are" };
    (!places.is_empty())
        .then(|| format!("{} {is} hidden here; what runs has what is behind it", places.join(", ")))
}

/// What somebody changed, place by place: `-` what was there, `+` what takes its place.
pub(crate) fn changes(changes: &[Change]) -> Vec<String> {
    let line = |sign: &str, change: &Change, json: &Option<Json>| {
        let place =
            if change.path.is_empty() { String::new() } else { format!("{} ", visible(&change.path)) };
        json.as_ref().map(|json| format!("{sign} {place}{}", one_line(json)))
    };
    changes
        .iter()
        .flat_map(|change| [line("-", change, &change.from), line("+", change, &change.to)])
        .flatten()
        .collect()
}
