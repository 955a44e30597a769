//! The life of calls, told as it goes: one line in the log of the process and a count for each step that
//! was taken here. What the arguments are is not told.

use countersign_approvals::{Call, RecordedEvent, call::RecordedFact};
use countersign_events::{
    Event, EventType, ThreadId,
    event::{ApprovalResponse, Body, Source, ToolResult},
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
use tracing::info;

type CallLabels<const N: usize> = [(&'static str, &'static str); N];

/// The instruments. Cloning them clones handles.
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
    results: Family<CallLabels<1>, Counter>,
}

impl Default for CallMetrics {
    fn default() -> Self {
        Self {
            proposed: Counter::default(),
            requested: Counter::default(),
            reminders: Counter::default(),
            escalations: Counter::default(),
            decisions: Family::default(),
            // From a tenth of a second, which only programs manage, to nine hours.
            response: Histogram::new(exponential_buckets(0.1, 2.0, 19)),
            abandoned: Family::default(),
            claims: Counter::default(),
            results: Family::default(),
        }
    }
}

impl CallMetrics {
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
            results,
        } = self.clone();
        registry.register("calls_proposed", "Calls proposed", proposed);
        registry.register("requests", "Calls that people were asked about", requested);
        registry.register("reminders", "Requests of which people were told once more", reminders);
        registry.register("escalations", "Requests that went to a higher level", escalations);
        registry.register("decisions", "Decisions, by what was decided and what decided it", decisions);
        registry.register("response_seconds", "From the request to a person's decision", response);
        registry.register("requests_abandoned", "Requests that nobody answered", abandoned);
        registry.register("claims", "Calls started", claims);
        registry.register("results", "Calls ended, by how", results);
    }

    /// Tells what an order brought about.
    pub(crate) fn record(&self, done: &CommandOutcome) {
        for event in &done.events {
            match (&done.call, event.kind.is_about_a_call()) {
                // Where an approval moves, an event is about the call that it moves from.
                (Some(call), true) if is_about(event, call) => self.step(event, call),
                _ => self.aside(event),
            }
        }
    }

    /// A step of a call's life.
    fn step(&self, event: &Event, call: &Call) {
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
            EventType::ToolResult => {
                if let Some(result) = call.result() {
                    self.finished(&result.what, Some(call), event);
                }
            }
            _ => {}
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
        let nobody = matches!(source, Source::Expiry | Source::Cancellation);
        // A call that was cancelled without being named here is one of a thread that was closed, and waited.
        if nobody && (waited.is_some() || call.is_none()) {
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
        let ran = call.and_then(Call::claim).map(|claim| event.timestamp.since(claim.at));
        info!(
            thread = event.thread_id.as_str(),
            call = result.tool_call_id.as_str(),
            tool = call.map(|call| call.proposal.what.name.as_str()),
            status = result.status.as_str(),
            ran_ms = ran.map(|ran| u64::try_from(ran.as_millis()).unwrap_or(u64::MAX)),
            seq = event.seq,
            "finished"
        );
    }

    /// Events of a thread, and of its calls because of it.
    fn aside(&self, event: &RecordedEvent) {
        let (thread, by, seq) = (event.thread_id.as_str(), event.principal.as_str(), event.seq);
        match &*event.body {
            Body::ApprovalResponse(response) => {
                self.resolved(&RecordedFact::from_event(event, response.clone()), None, &event.thread_id);
            }
            Body::ToolResult(result) => self.finished(result, None, event),
            Body::GrantRevoked(revoked) => info!(thread, grant = revoked.grant, by, seq, "grant revoked"),
            Body::ThreadModeSet(set) => info!(thread, mode = set.mode.as_str(), by, seq, "mode set"),
            Body::ToolPolicySet(set) => {
                info!(thread, tool = set.tool.as_str(), policy = set.policy.as_str(), by, seq, "policy set");
            }
            Body::ThreadClosed(_) => info!(thread, by, seq, "thread closed"),
            _ => {}
        }
    }
}

fn is_about(event: &Event, call: &Call) -> bool {
    event.kind != EventType::ToolResult || call.result().is_some_and(|result| result.seq == event.seq)
}
