//! The policy of the log: read it, put another in force, and follow changes of other processes.

use super::EmbeddedService;
use crate::{GateFailure, active_policy::ActivePolicy};
use countersign_api as api;
use countersign_approvals::{
    ApprovalCommand, CommandEnvelope, CommandEvidence, CommandTarget, Refused, call::RecordedFact,
    decide::SetPolicyCommand,
};
use countersign_events::{Principal, ThreadId, event::PolicySet};
use countersign_policy::{Policy, PolicyText};
use countersign_store::{Store, StoreError};
use std::sync::Arc;

/// The longest source of a policy, in bytes.
const MAX_SOURCE_BYTES: usize = 4_096;

/// Reads the policy in force. Puts `first` in force if the log has no policy yet.
pub(super) async fn open_policy(store: &Store, first: Policy) -> Result<ActivePolicy, GateFailure> {
    let first = Arc::new(first);
    loop {
        if let Some(active) = ActivePolicy::read(store).await? {
            return Ok(active);
        }
        let source = if first.hash() == Policy::shipped().hash() {
            "shipped"
        } else {
            "the program that created the log"
        };
        let command =
            SetPolicyCommand { policy: Arc::clone(&first), source: source.to_owned(), replaces: None };
        match store.execute(set_policy(store, Principal::system("countersign"), command)).await {
            // Another process was first.
            Ok(_) | Err(StoreError::Refused(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn set_policy(store: &Store, by: Principal, command: SetPolicyCommand) -> CommandEnvelope {
    CommandEnvelope {
        target: CommandTarget::Log,
        by,
        now: store.clock().now(),
        policy: Arc::clone(&command.policy),
        command: ApprovalCommand::SetPolicy(command),
        evidence: CommandEvidence::NotNeeded,
    }
}

impl EmbeddedService {
    /// The policy in force, as the log has it.
    pub(crate) async fn policy_in_force(&self) -> Result<api::PolicyInForce, GateFailure> {
        let recorded = self.store.policy_in_force().await?;
        // Opening the gate put a policy in force, and the log keeps it.
        recorded.map(view_policy).ok_or(GateFailure::Store(StoreError::ShuttingDown))
    }

    /// The events that put policies in force, the oldest first.
    pub(crate) async fn policy_history(&self, page: api::PageQuery) -> Result<api::EventPage, GateFailure> {
        let filter = api::LogFilter { thread_id: Some(ThreadId::whole_log()), ..api::LogFilter::default() };
        self.events(&filter, page).await
    }

    /// Puts a policy in force. Returns when this process judges by it.
    pub(crate) async fn apply_policy(
        &self,
        by: &Principal,
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
        self.policy_in_force().await
    }

    /// True if the command failed only because another policy came into force, which this process has read now. The
    /// command must be judged again.
    pub(super) async fn must_judge_again(&self, error: &GateFailure) -> Result<bool, GateFailure> {
        match error {
            GateFailure::Refused(Refused::PolicyChanged { .. }) => {
                Ok(self.policy.reload(&self.store).await?)
            }
            _ => Ok(false),
        }
    }
}

fn view_policy(recorded: RecordedFact<PolicySet>) -> api::PolicyInForce {
    let RecordedFact { seq, at, by, what: PolicySet { text, layers, hash, source } } = recorded;
    api::PolicyInForce { seq, at, principal: by, hash, source, text, layers }
}
