//! The policies that the log records.

use crate::pages::read_pages;
use countersign_api::{self as api, SendOperation, SharedGate, operations};
use countersign_console::{CliError, CommandExit, escape_text};
use countersign_events::{Event, PolicyLayer, PolicySet, Principal, Sha256, Timestamp};
use countersign_policy::{Policy, PolicyText};
use serde::Serialize;

/// The number of events on one page. Each may contain a policy of the maximum size.
const PAGE: usize = 10;

/// Said of a log without a `POLICY_SET` event.
pub(super) const NOT_RECORDED: &str = "The log has no policy, and it cannot be written.";

/// A policy that the log records, and the facts about the event that make it active.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::commands) struct RecordedPolicy {
    pub(in crate::commands) seq: i64,
    pub(super) at: Timestamp,
    pub(super) principal: Principal,
    pub(super) hash: Sha256,
    pub(super) source: String,
    pub(super) text: String,
    pub(super) layers: Vec<PolicyLayer>,
}

impl RecordedPolicy {
    fn from_event(event: &Event) -> anyhow::Result<Self> {
        let unreadable = |why: String| CliError {
            exit: CommandExit::FAILED,
            code: "damaged",
            message: format!("event {} cannot be read: {why}", event.seq),
        };
        let set: PolicySet = event.data.read().map_err(|why| unreadable(why.to_string()))?;
        Ok(Self {
            seq: event.seq,
            at: event.timestamp,
            principal: event.principal.clone(),
            hash: set.hash,
            source: set.source,
            text: set.text,
            layers: set.layers,
        })
    }

    /// Returns true if the log records it. For a log without one, the policy is the one that the log would start with.
    pub(super) fn is_recorded(&self) -> bool {
        self.seq > 0
    }

    pub(super) fn texts(&self) -> PolicyText {
        PolicyText { text: self.text.clone(), layers: self.layers.clone() }
    }

    /// Reads the policy, which an earlier version may have written.
    pub(super) fn parse(&self) -> anyhow::Result<Policy> {
        let wrong = |why: countersign_policy::BadPolicy| CliError {
            exit: CommandExit::FAILED,
            code: "policy_unreadable",
            message: format!(
                "this version cannot read the policy of event {}: {}",
                self.seq,
                why.to_string().trim_end()
            ),
        };
        Ok(Policy::read_text(self.texts()).map_err(wrong)?)
    }
}

impl From<api::PolicyInForce> for RecordedPolicy {
    fn from(policy: api::PolicyInForce) -> Self {
        let api::PolicyInForce { seq, at, principal, hash, source, text, layers } = policy;
        Self { seq, at, principal, hash, source, text, layers }
    }
}

/// Reads the active policy.
pub(super) async fn read_policy_in_force(gate: &SharedGate) -> anyhow::Result<RecordedPolicy> {
    Ok(gate.send(operations::ShowPolicy {}).await?.into())
}

/// Passes each policy of the log to `take`, the oldest first.
pub(super) async fn for_each_policy(
    gate: &SharedGate,
    mut take: impl FnMut(RecordedPolicy),
) -> anyhow::Result<()> {
    read_pages(0, async |page| {
        let query = api::PageQuery { limit: PAGE, ..page };
        let found = gate.send(operations::ListPolicies { query }).await?;
        for event in &found.events {
            take(RecordedPolicy::from_event(event)?);
        }
        Ok(found.next)
    })
    .await
}

/// Reads the policy that became active with this event.
pub(in crate::commands) async fn read_policy_of(
    gate: &SharedGate,
    seq: i64,
) -> anyhow::Result<RecordedPolicy> {
    let page = api::PageQuery { after: seq.saturating_sub(1).max(0), limit: 1 };
    let found = match gate.send(operations::ListPolicies { query: page }).await {
        Ok(found) => found.events,
        // The log ends before this event.
        Err(error) if error.code == api::ErrorCode::BadCursor => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    if let Some(event) = found.iter().find(|event| event.seq == seq) {
        RecordedPolicy::from_event(event)
    } else {
        let message = format!("event {seq} set no policy: `countersign policy history` lists those that did");
        Err(CliError { exit: CommandExit::NO_SUCH_CALL, code: "unknown_policy", message }.into())
    }
}

/// The events of the policies that judged the call, and their sources: the policy that asked people, and the
/// answer's policy if it is another.
pub(crate) async fn find_judging_policies(
    gate: &SharedGate,
    call: &api::Call,
) -> anyhow::Result<Vec<(i64, String)>> {
    let asked = call.request.as_ref().map(|request| (request.seq, request.policy));
    let decided = call.response.as_ref().and_then(|response| Some((response.seq, response.policy?)));
    let rows: Vec<_> = asked.into_iter().chain(decided).collect();
    let mut found: Vec<Option<(i64, String)>> = vec![None; rows.len()];
    for_each_policy(gate, |policy| {
        for ((seq, hash), found) in rows.iter().zip(&mut found) {
            if policy.seq < *seq && policy.hash == *hash {
                *found = Some((policy.seq, escape_text(&policy.source)));
            }
        }
    })
    .await?;
    let mut policies: Vec<_> = found.into_iter().flatten().collect();
    policies.dedup();
    Ok(policies)
}
