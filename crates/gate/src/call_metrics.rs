//! Reports each step of a call that this process took: one line in the process log and one count in the metrics. It
//! never reports arguments.

use crate::written_events::note_written_events;
use countersign_approvals::{Call, RecordedEvent, call::RecordedFact};
use countersign_events::{
    AdviceFailure, ApprovalResponse, Body, Decision, Event, EventType, GrantEnded, GrantProlonged,
    GrantRevoked, GrantUsed, Source, Status, ThreadId, ToolResult,
};
use countersign_store::CommandOutcome;
use prometheus_client::{
    metrics::{
        counter::Counter,
        family::Family,
        histogram::{Histogram, exponential_buckets},
    },
    registry::Registry,
};
use tracing::{debug, info, warn};

type CallLabels<const N: usize> = [(&'static str, &'static str); N];

/// The metrics of calls. A clone shares the original's counters.
#[derive(Debug, Clone)]
pub(crate) struct CallMetrics {
    proposed: Counter,
    requested: Counter,
    reminders: Counter,
    escalations: Counter,
    decisions: Family<CallLabels<2>, Counter>,
    response: Histogram,
    abandoned: Family<CallLabels<1>, Counter>,
    claims: Counter,
    mismatches: Counter,
    results: Family<CallLabels<1>, Counter>,
    webhook_attempts: Family<CallLabels<1>, Counter>,
    webhook_parked: Counter,
}

impl Default for CallMetrics {
    fn default() -> Self {
        let metrics = Self {
            proposed: Counter::default(),
            requested: Counter::default(),
            reminders: Counter::default(),
            escalations: Counter::default(),
            decisions: Family::default(),
            // From 0.1 s, which only a program can reach, to 26,214 s (7.3 hours).
            response: Histogram::new(exponential_buckets(0.1, 2.0, 19)),
            abandoned: Family::default(),
            claims: Counter::default(),
            mismatches: Counter::default(),
            results: Family::default(),
            webhook_attempts: Family::default(),
            webhook_parked: Counter::default(),
        };
        metrics.start_at_zero();
        metrics
    }
}

impl CallMetrics {
    /// Creates every series now: a series that appears with its first event has a rate that misses that event.
    fn start_at_zero(&self) {
        for decision in Decision::ALL.iter().map(|decision| decision.as_str()) {
            for source in Source::ALL.iter().map(|source| source.as_str()) {
                drop(self.decisions.get_or_create(&[("decision", decision), ("source", source)]));
            }
        }
        for source in [Source::Expiry, Source::Cancellation] {
            drop(self.abandoned.get_or_create(&[("how", source.as_str())]));
        }
        for status in Status::ALL {
            drop(self.results.get_or_create(&[("status", status.as_str())]));
        }
        for outcome in ["delivered", "failed"] {
            drop(self.webhook_attempts.get_or_create(&[("outcome", outcome)]));
        }
    }

    pub(crate) fn register(&self, registry: &mut Registry) {
        let Self {
            proposed,
            requested,
            reminders,
            escalations,
            decisions,
            response,
            abandoned,
            claims,
            mismatches,
            results,
            webhook_attempts,
            webhook_parked,
        } = self.clone();
        registry.register("calls_proposed", "Calls proposed", proposed);
        registry.register("requests", "Requests to approvers", requested);
        registry.register("reminders", "Reminders of approvers", reminders);
        registry.register("escalations", "Requests escalated to a higher level", escalations);
        registry.register("decisions", "Decisions, by decision and source", decisions);
        registry.register("response_seconds", "Time from a request to the decision of an approver", response);
        registry.register("requests_abandoned", "Requests that expired or were cancelled", abandoned);
        registry.register("claims", "Claims by executors", claims);
        registry.register(
            "mismatches",
            "Calls that ran with other arguments than were approved, or without an approval",
            mismatches,
        );
        registry.register("results", "Results of calls, by status", results);
        registry.register("webhook_attempts", "Attempts to deliver messages of webhooks", webhook_attempts);
        registry.register("webhook_parked", "Messages of webhooks that were parked", webhook_parked);
    }

    /// Counts an attempt to deliver a webhook message.
    pub(crate) fn count_webhook_attempt(&self, delivered: bool) {
        let outcome = if delivered { "delivered" } else { "failed" };
        self.webhook_attempts.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Logs and counts a command's events.
    pub(crate) fn record(&self, outcome: &CommandOutcome) {
        if !outcome.events.is_empty() {
            note_written_events();
        }
        for event in &outcome.events {
            match (&outcome.call, event.kind.is_about_a_call()) {
                // If an approval moves to this call, the result of the previous call is among the events. A decision
                // may also decide waiting calls.
                (Some(call), true) if is_about(event, call) => self.record_call_event(event, call),
                _ => self.record_other_event(event),
            }
        }
    }

    /// Logs and counts an event about the command's call.
    fn record_call_event(&self, event: &Event, call: &Call) {
        let (thread, id, tool) =
            (call.thread_id.as_str(), call.id().as_str(), call.proposal.what.name.as_str());
        let (seq, by) = (event.seq, event.principal.as_str());
        match event.kind {
            EventType::ToolCall => {
                self.proposed.inc();
                info!(thread, call = id, tool, by, seq, "proposed");
            }
            EventType::ApprovalRequest => {
                self.requested.inc();
                let request = call.request();
                let rule = request.and_then(|request| request.what.rule.as_deref());
                let expires_at =
                    request.and_then(|request| request.what.expires_at).map(tracing::field::display);
                info!(thread, call = id, tool, rule, expires_at, seq, "requested");
            }
            EventType::ApprovalVote => info!(thread, call = id, tool, by, seq, "voted"),
            EventType::ApprovalReminder => {
                self.reminders.inc();
                info!(thread, call = id, tool, seq, "reminded");
            }
            EventType::ApprovalEscalated => {
                self.escalations.inc();
                info!(thread, call = id, tool, level = call.level(), seq, "escalated");
            }
            EventType::ApprovalAdvice => {
                if let Some(advice) = call.course.advice.last() {
                    let (verdict, mode) = (advice.what.advice.as_str(), advice.what.mode.as_str());
                    let failure = advice.what.failure.map(AdviceFailure::as_str);
                    info!(thread, call = id, tool, by, mode, advice = verdict, failure, seq, "advised");
                }
            }
            EventType::ApprovalTakenBack => info!(thread, call = id, tool, by, seq, "approval taken back"),
            EventType::CallFlagged => warn!(thread, call = id, tool, by, seq, "flagged"),
            EventType::ExecutionRenewed => debug!(thread, call = id, tool, by, seq, "renewed"),
            EventType::ExecutionReleased => info!(thread, call = id, tool, by, seq, "released"),
            EventType::ApprovalResponse => {
                if let Some(response) = call.response() {
                    self.resolved(response, Some(call), &call.thread_id);
                }
            }
            EventType::ExecutionStarted | EventType::ExecutionTakenOver => {
                self.claims.inc();
                let executor = call.claim().map(|claim| claim.what.executor.as_str());
                info!(thread, call = id, tool, executor, by, seq, "claimed");
            }
            EventType::ExecutionMismatch => {
                self.mismatches.inc();
                warn!(thread, call = id, tool, by, seq, "ran other arguments than were approved");
            }
            EventType::ToolResult => {
                if let Some(result) = call.result() {
                    self.finished(&result.what, Some(call), event);
                }
            }
            other => info!(thread, call = id, tool, by, seq, kind = other.as_str(), "recorded"),
        }
    }

    fn resolved(&self, response: &RecordedFact<ApprovalResponse>, call: Option<&Call>, thread: &ThreadId) {
        let ApprovalResponse { decision, source, tool_call_id, rule, .. } = &response.what;
        let labels = [("decision", decision.as_str()), ("source", source.as_str())];
        self.decisions.get_or_create(&labels).inc();
        let waited = call.and_then(Call::request).map(|request| response.at.since(request.at));
        if *source == Source::Approver
            && let Some(waited) = waited
        {
            self.response.observe(waited.as_secs_f64());
        }
        let is_unanswered = matches!(source, Source::Expiry | Source::Cancellation);
        // Without `call`, the cancellation comes from closing a thread, which cancels its pending calls.
        if is_unanswered && (waited.is_some() || call.is_none()) {
            self.abandoned.get_or_create(&[("how", source.as_str())]).inc();
        }
        info!(
            thread = thread.as_str(),
            call = tool_call_id.as_str(),
            tool = call.map(|call| call.proposal.what.name.as_str()),
            decision = decision.as_str(),
            source = source.as_str(),
            by = response.by.as_str(),
            rule = rule.as_deref(),
            response_ms = waited.map(|waited| u64::try_from(waited.as_millis()).unwrap_or(u64::MAX)),
            seq = response.seq,
            "resolved"
        );
    }

    fn finished(&self, result: &ToolResult, call: Option<&Call>, event: &Event) {
        self.results.get_or_create(&[("status", result.status.as_str())]).inc();
        let run_time = call.and_then(Call::claim).map(|claim| event.timestamp.since(claim.at));
        info!(
            thread = event.thread_id.as_str(),
            call = result.tool_call_id.as_str(),
            tool = call.map(|call| call.proposal.what.name.as_str()),
            status = result.status.as_str(),
            ran_ms = run_time.map(|run_time| u64::try_from(run_time.as_millis()).unwrap_or(u64::MAX)),
            seq = event.seq,
            "finished"
        );
    }

    /// Logs and counts a thread event, or an event about a call that the command did not name.
    fn record_other_event(&self, event: &RecordedEvent) {
        let (thread, by, seq) = (event.thread_id.as_str(), event.principal.as_str(), event.seq);
        match &*event.body {
            Body::ApprovalResponse(response) => {
                self.resolved(&RecordedFact::from_event(event, response.clone()), None, &event.thread_id);
            }
            Body::ToolResult(result) => self.finished(result, None, event),
            Body::GrantRevoked(GrantRevoked { grant })
            | Body::GrantUsed(GrantUsed { grant, .. })
            | Body::GrantEnded(GrantEnded { grant, .. })
            | Body::GrantProlonged(GrantProlonged { grant, .. }) => {
                info!(thread, grant, by, seq, event = event.kind.as_str(), "grant changed");
            }
            Body::ThreadModeSet(set) => info!(thread, mode = set.mode.as_str(), by, seq, "mode set"),
            Body::ToolPolicySet(set) => {
                info!(thread, tool = set.tool.as_str(), policy = set.policy.as_str(), by, seq, "policy set");
            }
            Body::ThreadClosed(_) => info!(thread, by, seq, "thread closed"),
            Body::ThreadArchived(archived) => info!(thread, file = archived.file, by, seq, "thread archived"),
            Body::WebhookAdded(added) => {
                info!(name = added.name, host = added.host, by, seq, "webhook added");
            }
            Body::WebhookRemoved(removed) => info!(webhook = removed.webhook, by, seq, "webhook removed"),
            Body::WebhookParked(parked) => {
                self.webhook_parked.inc();
                let (webhook, event, reason) = (parked.webhook, parked.event, parked.reason.as_str());
                warn!(webhook, event, reason, seq, "webhook message parked");
            }
            Body::WebhookRetried(retried) => {
                info!(webhook = retried.webhook, by, seq, "webhook messages retried");
            }
            Body::WebhookSecretSet(set) => info!(webhook = set.webhook, by, seq, "webhook secret set"),
            Body::DefinitionSeen(seen) => {
                info!(tool = seen.tool.as_str(), hash = %seen.definition_hash, by, seq, "tool defined");
            }
            Body::DefinitionChanged(seen) => {
                warn!(tool = seen.tool.as_str(), hash = %seen.definition_hash, by, seq, "definition of a tool changed");
            }
            Body::DefinitionAccepted(accepted) => {
                let (tool, hash) = (accepted.tool.as_str(), accepted.definition_hash);
                info!(tool, %hash, by, seq, "definition of a tool accepted");
            }
            Body::AdvisorReported(report) => {
                let (advisor, cases, false_allows) = (&*report.advisor, report.cases, report.false_allows);
                info!(advisor, cases, false_allows, by, seq, "advisor measured");
            }
            Body::AdvisorModeSet(set) => {
                let (advisor, mode, overrides) = (&*set.advisor, set.mode.as_str(), set.overrides);
                warn!(advisor, mode, overrides, by, seq, "mode of an advisor set");
            }
            Body::PolicySet(set) => info!(hash = %set.hash, source = set.source, by, seq, "policy active"),
            _ => log_access_event(event),
        }
    }
}

/// Logs an event about credentials and what people set up under them.
fn log_access_event(event: &RecordedEvent) {
    let (by, seq) = (event.principal.as_str(), event.seq);
    match &*event.body {
        Body::TokenCreated(token) => {
            let (id, name, role) = (token.id.as_str(), token.name.as_str(), token.role.as_str());
            info!(id, kind = token.kind.as_str(), name, role, by, seq, "token created");
        }
        Body::TokenUsed(used) => info!(id = used.id, address = used.address, by, seq, "token used"),
        Body::TokenRevoked(revoked) => info!(id = revoked.id, by, seq, "token revoked"),
        Body::ApproverKeyAdded(added) => {
            info!(id = added.id, approver = %added.approver, by, seq, "approver key added");
        }
        Body::ApproverKeyRemoved(removed) => info!(id = removed.id, by, seq, "approver key removed"),
        Body::PushDeviceSet(set) => {
            info!(id = set.id, host = set.host, by, seq, "device of notifications set");
        }
        Body::PushDeviceRemoved(removed) => {
            let reason = removed.reason.as_deref().unwrap_or_default();
            info!(id = removed.id, reason, by, seq, "device of notifications removed");
        }
        Body::ChatAccountLinked(linked) => {
            info!(webhook = linked.webhook, account = linked.account, by, seq, "chat account linked");
        }
        Body::ChatAccountUnlinked(unlinked) => {
            info!(webhook = unlinked.webhook, account = unlinked.account, by, seq, "chat account unlinked");
        }
        Body::DelegationSet(set) => info!(to = %set.to, until = %set.until, by, seq, "queue handed over"),
        Body::DelegationEnded(ended) => info!(delegation = ended.delegation, by, seq, "delegation ended"),
        _ => {}
    }
}

/// Returns true if the event is about `call`.
fn is_about(event: &RecordedEvent, call: &Call) -> bool {
    event.call_id() == Some(call.id())
}
