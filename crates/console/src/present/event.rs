//! An event in a sentence.

use crate::{
    TextStyle, compact_json, escape_text,
    present::{
        facts::{describe_proof, describe_remembered, describe_scope},
        limits::{describe_limit, describe_limits, limits_after_scope},
        message::describe_message,
        text::argument_lines,
        words::count_words,
    },
};
use countersign_api::GrantOrigin;
use countersign_events::{
    AdvisorReported, ApprovalAdvice, ApprovalReminder, ApprovalRequest, ApprovalResponse, ApprovalTakenBack,
    ApprovalVote, Body, CallErased, Decision, DecisionProof, Event, EventGroup, GrantAgents, Json,
    NewerEvent, PolicySet, Principal, ProofKind, Source, Status, ThreadArchived, TokenCreated, ToolPolicy,
    ToolPolicySet,
};

/// Describes an event, with a style for its kind.
///
/// `origin` is the decision that answered the call, for a response by an earlier decision.
#[must_use]
pub fn describe_event(event: &Event, origin: Option<&GrantOrigin>) -> (TextStyle, String) {
    let Ok(body) = Body::read(event.seq, event.kind, &event.data) else {
        let who = escape_text(event.principal.as_str());
        return (TextStyle::Red, format!("{who}: {} that cannot be read", event.kind));
    };
    let who = escape_text(&event.principal.describe_decider(find_delegator(&body)));
    match &body {
        Body::ToolCall(call) => {
            let (tool, id) = (escape_text(call.name.as_str()), escape_text(call.id.as_str()));
            let arguments = summarize_arguments(&call.arguments);
            (TextStyle::Plain, format!("{who} proposes {tool} as {id}: {arguments}"))
        }
        Body::ApprovalRequest(request) => (TextStyle::Yellow, describe_request(request)),
        Body::ApprovalVote(vote) => (TextStyle::Plain, describe_vote(&who, vote)),
        Body::ApprovalReminder(reminder) => (TextStyle::Yellow, describe_reminder(reminder)),
        Body::ApprovalEscalated(escalated) => {
            let (id, level) = (escape_text(escalated.tool_call_id.as_str()), escape_text(&escalated.level));
            (TextStyle::Yellow, format!("{id} is still pending: escalated to level {level}"))
        }
        Body::ApprovalAdvice(advice) => (TextStyle::Dim, describe_advice(&who, advice)),
        Body::ApprovalResponse(response) => describe_response(&who, response, origin),
        Body::ApprovalTakenBack(taken) => (TextStyle::Yellow, describe_taken_back(&who, taken)),
        Body::ExecutionStarted(claim) => {
            let (id, executor) = (escape_text(claim.tool_call_id.as_str()), escape_text(&claim.executor));
            (TextStyle::Plain, format!("{who} runs {id} as {executor}"))
        }
        Body::ExecutionRenewed(renewed) => {
            let (id, executor) = (escape_text(renewed.tool_call_id.as_str()), escape_text(&renewed.executor));
            (TextStyle::Dim, format!("{executor} still runs {id}: lease until {}", renewed.lease_expires_at))
        }
        Body::ExecutionReleased(released) => {
            let (id, why) = (escape_text(released.tool_call_id.as_str()), comment(released.comment.as_ref()));
            (TextStyle::Cyan, format!("{who} releases {id} for another executor{why}"))
        }
        Body::ExecutionTakenOver(taken) => {
            let started = &taken.started;
            let (id, executor) = (escape_text(started.tool_call_id.as_str()), escape_text(&started.executor));
            (TextStyle::Plain, format!("{who} takes over {id} as {executor}"))
        }
        Body::ToolResult(result) => {
            describe_result(&escape_text(result.tool_call_id.as_str()), result.status, &result.content)
        }
        Body::ExecutionMismatch(mismatch) => {
            let id = escape_text(mismatch.tool_call_id.as_str());
            let ran = compact_json(&mismatch.arguments);
            (TextStyle::Red, format!("MISMATCH: {who} reports that {id} ran {ran}"))
        }
        Body::CallFlagged(flagged) => {
            let (id, why) = (escape_text(flagged.tool_call_id.as_str()), comment(flagged.comment.as_ref()));
            (TextStyle::Red, format!("{who} flags {id}: it should not have been allowed{why}"))
        }
        Body::CallErased(erased) => (TextStyle::Cyan, describe_erasure(&who, erased)),
        Body::ToolPolicySet(set) => (TextStyle::Cyan, describe_tool_policy(&who, set)),
        Body::GrantUsed(_) | Body::GrantEnded(_) | Body::GrantProlonged(_) | Body::GrantRevoked(_) => {
            describe_grant_event(&who, &body)
        }
        Body::ThreadModeSet(set) => {
            (TextStyle::Cyan, format!("{who} sets the mode to {}", set.mode.as_str()))
        }
        Body::ThreadClosed(_) => (TextStyle::Cyan, format!("{who} closes the thread")),
        Body::ThreadArchived(archived) => (TextStyle::Cyan, describe_archiving(&who, archived)),
        Body::Message(kind, data) => (TextStyle::Dim, describe_message(&who, *kind, data)),
        of_log => describe_log_event(&who, of_log),
    }
}

fn describe_tool_policy(who: &str, set: &ToolPolicySet) -> String {
    let tool = escape_text(set.tool.as_str());
    match set.policy {
        ToolPolicy::Default => format!("{who} removes the thread policy for {tool}"),
        policy => format!("{who} sets the thread policy for {tool} to {}", policy.as_str()),
    }
}

/// The person in whose place the event's principal voted or decided.
const fn find_delegator(body: &Body) -> Option<&Principal> {
    match body {
        Body::ApprovalVote(vote) => vote.on_behalf_of.as_ref(),
        Body::ApprovalResponse(response) => response.on_behalf_of.as_ref(),
        _ => None,
    }
}

/// What became of a grant.
fn describe_grant_event(who: &str, body: &Body) -> (TextStyle, String) {
    match body {
        Body::GrantUsed(used) => {
            let answered = count_words(used.number.into(), "call");
            (TextStyle::Dim, format!("grant {} has answered {answered}", used.grant))
        }
        Body::GrantEnded(ended) => {
            (TextStyle::Cyan, format!("grant {} has ended: {}", ended.grant, describe_limit(ended.limit)))
        }
        Body::GrantProlonged(prolonged) => {
            let limits = describe_limits(prolonged.expires_at, prolonged.uses);
            (TextStyle::Cyan, format!("{who} gives grant {} new limits: {limits}", prolonged.grant))
        }
        Body::GrantRevoked(revoked) => (TextStyle::Cyan, format!("{who} revokes grant {}", revoked.grant)),
        _ => (TextStyle::Plain, String::new()),
    }
}

/// An event that only a newer version knows.
fn describe_newer(who: &str, newer: &NewerEvent) -> String {
    let effect = if newer.is_harmless { "" } else { ", so this version decides nothing that it concerns" };
    format!(
        "{who} writes {}, which only a newer version knows{effect}: {}",
        newer.kind.as_str(),
        compact_json(&newer.data)
    )
}

/// An advisor answer.
fn describe_advice(who: &str, advice: &ApprovalAdvice) -> String {
    let (id, mode) = (escape_text(advice.tool_call_id.as_str()), advice.mode.as_str());
    let why = comment(advice.reason.as_ref());
    match advice.failure {
        Some(failure) => format!("{who} gives no answer about {id}: {}{why}", failure.as_str()),
        None => format!("{who} advises on {id}: {} (mode {mode}){why}", advice.advice.as_str()),
    }
}

fn describe_reminder(reminder: &ApprovalReminder) -> String {
    format!("{} is still pending: reminder", escape_text(reminder.tool_call_id.as_str()))
}

fn describe_taken_back(who: &str, taken: &ApprovalTakenBack) -> String {
    let (id, why) = (escape_text(taken.tool_call_id.as_str()), comment(taken.comment.as_ref()));
    format!("{who} takes the approval of {id} back{why}")
}

/// One vote of several.
fn describe_vote(who: &str, vote: &ApprovalVote) -> String {
    let id = escape_text(vote.tool_call_id.as_str());
    let edit = if vote.arguments.is_some() { ", with changed arguments" } else { "" };
    let scope = vote.scope.as_ref().map_or(String::new(), |scope| format!(", {}", describe_scope(scope)));
    let (said, why) = (vote.decision.as_str(), comment(vote.comment.as_ref()));
    let proof = proof_text(vote.proof.as_ref());
    format!("{who} votes on {id}: {said}{scope}{edit}{proof}{why}")
}

/// An event about the whole log, or of a type that only a newer version knows.
fn describe_log_event(who: &str, body: &Body) -> (TextStyle, String) {
    match body {
        Body::Newer(newer) => (TextStyle::Yellow, describe_newer(who, newer)),
        Body::PolicySet(set) => (TextStyle::Cyan, describe_policy(who, set)),
        other if other.event_type().group() == Some(EventGroup::Access) => describe_access_event(who, other),
        Body::DefinitionSeen(seen) => {
            (TextStyle::Cyan, format!("{who} meets the tool {}", escape_text(seen.tool.as_str())))
        }
        Body::DefinitionChanged(seen) => {
            let tool = escape_text(seen.tool.as_str());
            (TextStyle::Red, format!("{who} meets a changed definition of {tool}, {}", seen.definition_hash))
        }
        Body::DefinitionAccepted(accepted) => {
            let (tool, why) = (escape_text(accepted.tool.as_str()), comment(accepted.comment.as_ref()));
            (
                TextStyle::Cyan,
                format!("{who} accepts the definition {} of {tool}{why}", accepted.definition_hash),
            )
        }
        Body::AdvisorReported(report) => (TextStyle::Cyan, describe_report(who, report)),
        Body::AdvisorModeSet(set) => {
            let (name, mode) = (escape_text(&set.advisor), set.mode.as_str());
            let why = comment(set.statement.as_ref().or(set.reason.as_ref()));
            (TextStyle::Cyan, format!("{who} sets the mode of advisor {name} to {mode}{why}"))
        }
        other if other.event_type().group() == Some(EventGroup::Webhook) => {
            describe_webhook_event(who, other)
        }
        other => (TextStyle::Plain, format!("{who}: {}", other.event_type())),
    }
}

/// An event about credentials and what people set up under them.
fn describe_access_event(who: &str, body: &Body) -> (TextStyle, String) {
    match body {
        Body::TokenCreated(token) => (TextStyle::Cyan, describe_new_token(who, token)),
        Body::TokenUsed(used) => {
            let (id, address) = (escape_text(&used.id), escape_text(&used.address));
            (TextStyle::Dim, format!("{who} uses token {id} from {address} for the first time"))
        }
        Body::TokenRevoked(revoked) => {
            let (id, why) = (escape_text(&revoked.id), comment(revoked.reason.as_ref()));
            (TextStyle::Cyan, format!("{who} revokes token {id}{why}"))
        }
        Body::ApproverKeyAdded(added) => {
            let (id, approver) = (escape_text(&added.id), escape_text(added.approver.as_str()));
            let name =
                added.name.as_ref().map_or(String::new(), |name| format!(", named {}", escape_text(name)));
            let proof = proof_text(added.proof.as_ref());
            let kind = describe_key_kind(added.kind);
            (TextStyle::Cyan, format!("{who} adds the {kind} {id} of {approver}{name}{proof}"))
        }
        Body::ApproverKeyRemoved(removed) => {
            let (id, why) = (escape_text(&removed.id), comment(removed.reason.as_ref()));
            (TextStyle::Cyan, format!("{who} removes the key {id}{why}"))
        }
        Body::PushDeviceSet(set) => {
            let (name, host) = (escape_text(&set.name), escape_text(&set.host));
            (TextStyle::Cyan, format!("{who} gets notifications on {name} through {host}"))
        }
        Body::PushDeviceRemoved(removed) => {
            let (id, why) = (escape_text(&removed.id), comment(removed.reason.as_ref()));
            (TextStyle::Cyan, format!("{who} ends the notifications on device {id}{why}"))
        }
        Body::ChatAccountLinked(linked) => {
            let (name, account) = (escape_text(&linked.name), escape_text(&linked.account));
            (TextStyle::Cyan, format!("{who} decides as {name} ({account}) of the chat {}", linked.webhook))
        }
        Body::ChatAccountUnlinked(unlinked) => {
            let account = escape_text(&unlinked.account);
            (TextStyle::Cyan, format!("{who} unlinks {account} of the chat {}", unlinked.webhook))
        }
        Body::DelegationSet(set) => {
            let (to, until, why) = (escape_text(set.to.as_str()), set.until, comment(set.comment.as_ref()));
            (TextStyle::Cyan, format!("{who} hands their queue to {to} until {until}{why}"))
        }
        Body::DelegationEnded(ended) => {
            let (number, why) = (ended.delegation, comment(ended.comment.as_ref()));
            (TextStyle::Cyan, format!("{who} ends delegation {number}{why}"))
        }
        other => (TextStyle::Plain, format!("{who}: {}", other.event_type())),
    }
}

fn describe_report(who: &str, report: &AdvisorReported) -> String {
    let (name, source) = (escape_text(&report.advisor), report.source.as_str());
    let AdvisorReported { cases, agreed, false_allows, false_denials, asked, .. } = report;
    format!(
        "{who} measures advisor {name} ({source}): {agreed} of {cases} agreed, {false_allows} false allows, {false_denials} false denials, {asked} asked"
    )
}

/// An event about a webhook. The event that added it names it.
fn describe_webhook_event(who: &str, body: &Body) -> (TextStyle, String) {
    match body {
        Body::WebhookAdded(added) => {
            let (name, host) = (escape_text(&added.name), escape_text(&added.host));
            let format = added.format.as_str();
            (TextStyle::Cyan, format!("{who} adds webhook {name} ({format}) to {host}"))
        }
        Body::WebhookRemoved(removed) => {
            (TextStyle::Cyan, format!("{who} removes webhook {}", removed.webhook))
        }
        Body::WebhookDelivered(delivered) => {
            let (webhook, up_to) = (delivered.webhook, delivered.up_to);
            (TextStyle::Dim, format!("{who}: webhook {webhook} has delivered up to event {up_to}"))
        }
        Body::WebhookParked(parked) => {
            let (webhook, event, reason) = (parked.webhook, parked.event, escape_text(&parked.reason));
            (
                TextStyle::Cyan,
                format!("{who} parks the message of webhook {webhook} about event {event}: {reason}"),
            )
        }
        Body::WebhookRetried(retried) => {
            let count = retried.events.len();
            (TextStyle::Cyan, format!("{who} retries {count} messages of webhook {}", retried.webhook))
        }
        Body::WebhookSecretSet(set) => {
            let old = match set.old_secret_until {
                Some(until) => format!("the old one signs until {until}, too"),
                None => "no other one signs".to_owned(),
            };
            (TextStyle::Cyan, format!("{who} sets the signing secret of webhook {}; {old}", set.webhook))
        }
        other => (TextStyle::Plain, format!("{who}: {}", other.event_type())),
    }
}

/// A created token: its kind, its holder and what it is limited to.
fn describe_new_token(who: &str, token: &TokenCreated) -> String {
    let (id, name) = (escape_text(&token.id), escape_text(&token.name));
    let threads = if token.threads.is_empty() {
        String::new()
    } else {
        format!(", for threads {}", escape_text(&token.threads.join(", ")))
    };
    let (kind, role) = (token.kind.as_str(), token.role.as_str());
    format!("{who} creates {kind} {id} for {name}, role {role}{threads}")
}

/// The arguments on one line. A shell command is printed alone.
#[must_use]
pub fn summarize_arguments(json: &Json) -> String {
    let lines = argument_lines(json);
    let command = lines.iter().position(|line| line.starts_with("command: "));
    let Some(command) = command else { return compact_json(json) };
    // The further lines of a command start with spaces.
    let more = if lines.get(command + 1).is_some_and(|line| line.starts_with(' ')) { " …" } else { "" };
    format!("{}{more}", &lines[command]["command: ".len()..])
}

/// A command result, in the `run` format.
#[derive(Default, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ToolOutput {
    exit_code: Option<i64>,
    signal: Option<i64>,
    error: Option<String>,
    output: Option<String>,
}

/// A call result on one line.
fn summarize_result(content: &Json) -> String {
    if let Ok(text) = content.read::<String>() {
        return first_line(&text);
    }
    let came: ToolOutput = content.read().unwrap_or_default();
    let how = match (came.error, came.exit_code, came.signal) {
        (Some(error), ..) => escape_text(&error),
        (None, Some(code @ 1..), _) => format!("exit code {code}"),
        (None, None, Some(signal)) => format!("signal {signal}"),
        _ => String::new(),
    };
    let output = came.output.map(|output| first_line(&output)).unwrap_or_default();
    let both: Vec<_> = [how, output].into_iter().filter(|part| !part.is_empty()).collect();
    both.join(", ")
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = escape_text(lines.next().unwrap_or_default());
    if lines.next().is_some() { format!("{first} …") } else { first }
}

fn comment(text: Option<&String>) -> String {
    text.map_or(String::new(), |text| format!(" ({})", escape_text(text)))
}

fn describe_request(request: &ApprovalRequest) -> String {
    let id = escape_text(request.tool_call_id.as_str());
    let why = escape_text(&request.reason);
    let rule = request.rule.as_ref().map_or(String::new(), |rule| format!("{}: ", escape_text(rule)));
    let until = request.expires_at.map_or(String::new(), |end| format!(", until {end}"));
    let quorum = request.quorum.filter(|quorum| *quorum > 1);
    let people = quorum.map_or("people".to_owned(), |quorum| format!("{quorum} people"));
    let level =
        request.level.as_ref().map_or(String::new(), |level| format!(" of level {}", escape_text(level)));
    format!("{people}{level} are asked about {id} ({rule}{why}){until}")
}

fn describe_policy(who: &str, set: &PolicySet) -> String {
    let (source, hash) = (escape_text(&set.source), set.hash.to_string());
    format!("{who} applies a policy: {} ({source})", &hash[..12])
}

fn describe_archiving(who: &str, archived: &ThreadArchived) -> String {
    let (file, events) = (escape_text(&archived.file), archived.events);
    format!("{who} moves the content of {events} events of the thread to {file}")
}

fn describe_erasure(who: &str, erased: &CallErased) -> String {
    let (id, why) = (escape_text(erased.tool_call_id.as_str()), escape_text(&erased.reason));
    format!("{who} erases the content of {id}: {why}")
}

fn describe_response(
    who: &str,
    response: &ApprovalResponse,
    origin: Option<&GrantOrigin>,
) -> (TextStyle, String) {
    let id = escape_text(response.tool_call_id.as_str());
    let said = comment(response.comment.as_ref());
    let proof = proof_text(response.proof.as_ref());
    match (response.decision, response.source) {
        (Decision::AllowOnce | Decision::AllowSession, Source::Expiry) => {
            (TextStyle::Green, format!("{id} expires and is allowed"))
        }
        (_, Source::Expiry) => (TextStyle::Red, format!("{id} expires")),
        (_, Source::Cancellation) => (TextStyle::Yellow, format!("{who} cancels {id}{said}")),
        (Decision::AllowSession, Source::Approver) => {
            let scope = response.scope.as_ref().map_or("for the whole tool".to_owned(), describe_scope);
            let agents = if response.agents == Some(GrantAgents::Any) { " and every agent" } else { "" };
            let limits = limits_after_scope(response.expires_at, response.uses);
            (
                TextStyle::Green,
                format!("{who} allows {id} for the session, {scope}{agents}{limits}{proof}{said}"),
            )
        }
        (Decision::AllowOnce | Decision::AllowSession, source) => {
            let why = match (source, response.grant) {
                (Source::Grant, Some(grant)) => describe_grant(grant, origin),
                (Source::Mode, _) => " by the mode of the thread".to_owned(),
                _ => String::new(),
            };
            let edit = if response.changes.is_empty() { "" } else { " with changed arguments" };
            (TextStyle::Green, format!("{who} allows {id}{edit}{why}{proof}{said}"))
        }
        (Decision::Deny, source) => {
            let scope = describe_remembered(response.decision, response.scope.as_ref());
            let limits = limits_after_scope(response.expires_at, response.uses);
            let scope = scope.map_or(String::new(), |scope| format!(" and later calls {scope}{limits}"));
            let why = match (source, response.grant) {
                (Source::Grant, Some(grant)) => describe_grant(grant, origin),
                _ => String::new(),
            };
            (TextStyle::Red, format!("{who} denies {id}{scope}{why}{proof}{said}"))
        }
        (Decision::Other, _) => (
            TextStyle::Plain,
            format!("{who} makes a decision on {id} that this version does not know{said}"),
        ),
    }
}

/// The decision proof, after a comma.
fn proof_text(proof: Option<&DecisionProof>) -> String {
    proof.map_or(String::new(), |proof| format!(", {}", describe_proof(proof)))
}

/// The key kind in words.
const fn describe_key_kind(kind: ProofKind) -> &'static str {
    match kind {
        ProofKind::Ssh => "SSH key",
        ProofKind::Passkey => "passkey",
        ProofKind::Other => "key",
    }
}

/// The earlier decision that answered a call: its person and its scope.
fn describe_grant(grant: i64, origin: Option<&GrantOrigin>) -> String {
    let Some(origin) = origin else { return format!(" by grant {grant}") };
    let (who, scope) = (escape_text(origin.principal.as_str()), escape_text(&origin.says));
    format!(" by grant {grant} of {who} for {scope}")
}

fn describe_result(id: &str, status: Status, content: &Json) -> (TextStyle, String) {
    let came = summarize_result(content);
    let came = if came.is_empty() { came } else { format!(": {came}") };
    match status {
        Status::Success => (TextStyle::Plain, format!("{id} succeeded{came}")),
        Status::Error => (TextStyle::Red, format!("{id} failed{came}")),
        other => (TextStyle::Dim, format!("{id} did not run: {}", other.as_str())),
    }
}
