//! The log's policy: read it, activate another one, and follow changes by other processes.

use super::EmbeddedService;
use crate::{
    GateFailure,
    log_policy::{describe_first_source, set_policy},
};
use countersign_api as api;
use countersign_approvals::{
    CommandCaller, Refused, access::VisibleThreads, call::RecordedFact, registry::SetPolicyCommand,
};
use countersign_events::{EventType, PolicySet, Principal, Sha256, ThreadId};
use countersign_policy::{Policy, PolicyText};
use std::sync::Arc;

/// The longest source of a policy, in bytes.
const MAX_SOURCE_BYTES: usize = 4_096;

impl EmbeddedService {
    /// The active policy, as the log has it. A log without a policy can only be open for reading; then it is the policy
    /// that the next writing process activates.
    pub(crate) async fn policy_in_force(&self) -> Result<api::PolicyInForce, GateFailure> {
        if let Some(recorded) = self.store.policy_in_force().await? {
            return Ok(view_policy(recorded));
        }
        let first = self.policy.policy()?;
        let PolicyText { text, layers } = first.text().clone();
        Ok(api::PolicyInForce {
            seq: 0,
            at: self.store.clock().now(),
            principal: Principal::system("countersign"),
            hash: first.hash(),
            source: describe_first_source(&first).to_owned(),
            text,
            layers,
        })
    }

    /// The `POLICY_SET` events, the oldest first.
    pub(crate) async fn policy_history(&self, page: api::PageQuery) -> Result<api::EventPage, GateFailure> {
        let types = vec![EventType::PolicySet];
        let filter =
            api::LogFilter { thread_id: Some(ThreadId::whole_log()), types, ..api::LogFilter::default() };
        self.events(&filter, &VisibleThreads::default(), page).await
    }

    /// Activates a policy. Returns when this process judges by it, and has answered the calls that waited for people and that
    /// the policy allows or blocks.
    pub(crate) async fn apply_policy(
        &self,
        by: &CommandCaller,
        request: &api::PolicyRequest,
    ) -> Result<api::PolicyInForce, GateFailure> {
        if request.source.len() > MAX_SOURCE_BYTES {
            let why = format!("it has {} bytes; the limit is {MAX_SOURCE_BYTES}", request.source.len());
            return Err(GateFailure::invalid("source", &why));
        }
        let text = PolicyText { text: request.text.clone(), layers: request.layers.clone() };
        let read = tokio::task::spawn_blocking(move || Policy::read_text(text)).await;
        let policy = match read {
            Ok(Ok(policy)) => policy,
            Ok(Err(why)) => return Err(GateFailure::invalid("text", &why.to_string().trim_end())),
            Err(why) => return Err(GateFailure::invalid("text", &why)),
        };
        let command = SetPolicyCommand {
            policy: Arc::new(policy),
            source: request.source.clone(),
            replaces: Some(request.replaces),
        };
        self.execute(set_policy(&self.store, by.clone(), command)).await?;
        self.policy.reload(&self.store).await?;
        self.policy.report_file_trouble(None);
        self.follower.review_after_change().await;
        self.policy_in_force().await
    }

    /// Returns true if the command failed only because a policy other than `judged_by` became active, which this
    /// process has now read. The command must be judged again.
    pub(super) async fn must_judge_again(
        &self,
        error: &GateFailure,
        judged_by: Sha256,
    ) -> Result<bool, GateFailure> {
        if !matches!(error, GateFailure::Refused(Refused::PolicyChanged { .. })) {
            return Ok(false);
        }
        self.policy.reload(&self.store).await?;
        Ok(self.policy.policy()?.hash() != judged_by)
    }
}

fn view_policy(recorded: RecordedFact<PolicySet>) -> api::PolicyInForce {
    let RecordedFact { seq, at, by, what: PolicySet { text, layers, hash, source } } = recorded;
    api::PolicyInForce { seq, at, principal: by, hash, source, text, layers }
}
