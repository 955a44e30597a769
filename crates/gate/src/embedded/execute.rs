//! Executes commands: judges them by the active policy, and hands them to the writer.

use super::{EmbeddedService, unknown_call};
use crate::{GateFailure, finish_on_drop::FinishOnDrop};
use countersign_api as api;
use countersign_approvals::{
    ApprovalCommand, CallCommand, CommandCaller, CommandEnvelope, CommandEvidence, CommandTarget, LogCommand,
    NeededEvidence, RecordedEvent, Refused, ThreadCommand,
};
use countersign_events::{Body, CallId, Sha256, ThreadId};
use countersign_policy::Policy;
use countersign_store::{CommandOutcome, StoreError};
use std::{future::Future, sync::Arc};
use tracing::Instrument;

/// The most times that the evidence of a command is worked out again because others meanwhile changed the log.
const MOST_ATTEMPTS: usize = 100;

impl EmbeddedService {
    /// Judges and executes a command by the active policy. `execute` runs again if another policy became active before
    /// the command was written.
    pub(super) async fn execute_judged<T, F>(
        &self,
        execute: impl Fn(Arc<Policy>) -> F,
    ) -> Result<T, GateFailure>
    where
        F: Future<Output = Result<T, GateFailure>>,
    {
        self.execute_with_evidence(None, |policy, _| execute(policy)).await
    }

    /// As [`Self::execute_judged`], for a command that may turn out to need evidence. Most commands do not, and then the
    /// call is not read before the command is queued. `execute` runs again with the evidence that the rules need.
    pub(super) async fn execute_with_evidence<T, F>(
        &self,
        mut needed: Option<NeededEvidence>,
        execute: impl Fn(Arc<Policy>, Option<NeededEvidence>) -> F,
    ) -> Result<T, GateFailure>
    where
        F: Future<Output = Result<T, GateFailure>>,
    {
        let mut attempts = 0;
        loop {
            let policy = self.policy.policy()?;
            let hash = policy.hash();
            match execute(policy, needed).await {
                Err(GateFailure::Store(StoreError::NeedsEvidence(missing))) if attempts < MOST_ATTEMPTS => {
                    (needed, attempts) = (Some(missing), attempts + 1);
                }
                Err(error) if self.must_judge_again(&error, hash).await? => {}
                outcome => return outcome,
            }
        }
    }

    /// Executes a command. Its events are logged and counted even if the caller drops the future.
    pub(super) async fn execute(&self, envelope: CommandEnvelope) -> Result<CommandOutcome, GateFailure> {
        self.tokens.with(|tokens| Refused::check_spelling(&envelope.by.principal, tokens))?;
        let (store, metrics, due_signal) =
            (self.store.clone(), self.metrics.clone(), Arc::clone(&self.due_signal));
        let executed = async move {
            let outcome = store.execute(envelope).await?;
            metrics.record(&outcome);
            if let Some(due) = outcome.events.iter().filter_map(|event| event.body.next_due()).min() {
                due_signal.announce(due);
            }
            Ok::<_, StoreError>(outcome)
        };
        Ok(FinishOnDrop::new(executed.in_current_span(), self.tasks.clone()).await?)
    }

    /// Executes a command on a thread, or on all threads.
    pub(crate) async fn execute_on_threads(
        &self,
        by: &CommandCaller,
        target: CommandTarget,
        command: ThreadCommand,
    ) -> Result<CommandOutcome, GateFailure> {
        let (target, command) = (&target, &command);
        let execute = |policy| self.execute(self.envelope(by, target.clone(), command.clone(), policy));
        self.execute_judged(execute).await
    }

    /// Executes a command on a call. The policy must be the one that the evidence was computed with.
    pub(super) async fn execute_on_call(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        policy: Arc<Policy>,
        evidence: CommandEvidence,
    ) -> Result<api::Call, GateFailure> {
        let (call, _) = self.execute_and_report(by, thread, id, command, policy, evidence).await?;
        Ok(call)
    }

    /// Records a log-wide fact.
    pub(crate) async fn record_fact(&self, by: &CommandCaller, fact: Body) -> Result<(), GateFailure> {
        self.execute_on_log(by, LogCommand::Record(vec![fact])).await
    }

    /// Executes a log-wide command.
    pub(super) async fn execute_on_log(
        &self,
        by: &CommandCaller,
        command: LogCommand,
    ) -> Result<(), GateFailure> {
        if command.depends_on_policy() {
            let execute =
                |policy| self.execute(self.envelope(by, CommandTarget::Log, command.clone(), policy));
            return self.execute_judged(execute).await.map(|_| ());
        }
        let log = if command.may_be_proved() { self.log_id().await? } else { Sha256::ZERO };
        let envelope = self.envelope(by, CommandTarget::Log, command, self.policy.policy_for_views());
        self.execute(CommandEnvelope { log, ..envelope }).await.map(|_| ())
    }

    /// The envelope of a command without evidence and proof.
    pub(super) fn envelope(
        &self,
        by: &CommandCaller,
        target: CommandTarget,
        command: impl Into<ApprovalCommand>,
        policy: Arc<Policy>,
    ) -> CommandEnvelope {
        CommandEnvelope {
            target,
            command: command.into(),
            by: by.clone(),
            now: self.store.clock().now(),
            policy,
            evidence: CommandEvidence::NotNeeded,
            log: Sha256::ZERO,
        }
    }

    /// Executes a command on a call, and also returns the events that it wrote.
    pub(super) async fn execute_and_report(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        policy: Arc<Policy>,
        evidence: CommandEvidence,
    ) -> Result<(api::Call, Vec<RecordedEvent>), GateFailure> {
        let may_be_proved = matches!(command, CallCommand::Respond(_));
        let log = if may_be_proved { self.log_id().await? } else { Sha256::ZERO };
        let target = CommandTarget::Call(thread.clone(), id.clone());
        let envelope = CommandEnvelope { evidence, log, ..self.envelope(by, target, command, policy) };
        // Boxed, so that the futures of all callers do not hold the whole envelope.
        let outcome = Box::pin(self.execute(envelope)).await?;
        let call = outcome.call.ok_or_else(|| unknown_call(thread, id))?;
        Ok((Box::pin(self.with_grant_origin(self.view(&call))).await, outcome.events))
    }

    /// Executes a command on a call that needs no evidence.
    pub(super) async fn execute_without_evidence(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
    ) -> Result<api::Call, GateFailure> {
        let command = &command;
        let execute = |policy| {
            self.execute_on_call(by, thread, id, command.clone(), policy, CommandEvidence::NotNeeded)
        };
        self.execute_judged(execute).await
    }
}
