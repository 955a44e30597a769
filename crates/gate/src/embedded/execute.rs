//! Executes commands: judges them by the policy in force, and hands them to the writer.

use super::{EmbeddedService, unknown_call};
use crate::{GateFailure, finish_on_drop::FinishOnDrop};
use countersign_api as api;
use countersign_approvals::{
    ApprovalCommand, Call, CallCommand, CommandCaller, CommandEnvelope, CommandEvidence, CommandTarget,
    RecordedEvent, Refused, ThreadCommand,
};
use countersign_events::{CallId, Sha256, ThreadId};
use countersign_policy::Policy;
use countersign_store::{CommandOutcome, StoreError};
use std::{future::Future, sync::Arc};
use tracing::Instrument;

impl EmbeddedService {
    /// Judges and executes a command by the policy in force. `execute` runs again if another policy came into force
    /// before the command was written.
    pub(super) async fn execute_judged<T, F>(
        &self,
        execute: impl Fn(Arc<Policy>) -> F,
    ) -> Result<T, GateFailure>
    where
        F: Future<Output = Result<T, GateFailure>>,
    {
        loop {
            let policy = self.policy.policy()?;
            let hash = policy.hash();
            match execute(policy).await {
                Err(error) if self.must_judge_again(&error, hash).await? => {}
                outcome => return outcome,
            }
        }
    }

    /// Executes a command. Its events are logged and counted even if the caller drops the future.
    pub(super) async fn execute(&self, envelope: CommandEnvelope) -> Result<CommandOutcome, GateFailure> {
        self.tokens.with(|tokens| Refused::check_spelling(&envelope.by.principal, tokens))?;
        let (store, metrics, opened) = (self.store.clone(), self.metrics.clone(), Arc::clone(&self.opened));
        let executed = async move {
            let outcome = store.execute(envelope).await?;
            metrics.record(&outcome);
            let request = outcome.call.as_ref().and_then(Call::request);
            let is_due_later = request.is_some_and(|request| request.what.next_due().is_some());
            if !outcome.events.is_empty() && is_due_later {
                opened.notify_one();
            }
            Ok::<_, StoreError>(outcome)
        };
        Ok(FinishOnDrop::new(executed.in_current_span(), self.tasks.clone()).await?)
    }

    /// Executes a command on a thread, or on all threads.
    pub(super) async fn execute_on_threads(
        &self,
        by: &CommandCaller,
        target: CommandTarget,
        command: ThreadCommand,
    ) -> Result<CommandOutcome, GateFailure> {
        let (target, command) = (&target, &command);
        let execute = |policy| {
            self.execute(CommandEnvelope {
                target: target.clone(),
                command: command.clone().into(),
                by: by.clone(),
                now: self.store.clock().now(),
                policy,
                evidence: CommandEvidence::NotNeeded,
                log: Sha256::ZERO,
            })
        };
        self.execute_judged(execute).await
    }

    /// Executes a command on a call. The policy must be the one that the evidence was computed with.
    pub(super) async fn execute_on_call(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        judged: (Arc<Policy>, CommandEvidence),
    ) -> Result<api::Call, GateFailure> {
        let (call, _) = self.execute_and_report(by, thread, id, command, judged).await?;
        Ok(call)
    }

    /// Executes a command on a call, and returns the events that it wrote, too.
    pub(super) async fn execute_and_report(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        (policy, evidence): (Arc<Policy>, CommandEvidence),
    ) -> Result<(api::Call, Vec<RecordedEvent>), GateFailure> {
        let may_be_proved = matches!(command, CallCommand::Respond(_));
        let log = if may_be_proved { self.log_id().await? } else { Sha256::ZERO };
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(thread.clone(), id.clone()),
            command: ApprovalCommand::Call(command),
            by: by.clone(),
            now: self.store.clock().now(),
            policy,
            evidence,
            log,
        };
        // Boxed, so that the futures of all callers do not hold the whole envelope.
        let outcome = Box::pin(self.execute(envelope)).await?;
        let call = outcome.call.ok_or_else(|| unknown_call(thread, id))?;
        Ok((Box::pin(self.with_grant_origin(self.view(&call))).await, outcome.events))
    }

    /// As [`Self::execute_and_report`], for a command that needs the evidence only if the policy has changed since the
    /// call was judged. `judge` works it out if the command is refused without it. Most commands are not, and then the
    /// call is not read before the command is queued.
    pub(super) async fn execute_or_judge<F>(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        (policy, evidence): (Arc<Policy>, CommandEvidence),
        judge: impl FnOnce() -> F,
    ) -> Result<(api::Call, Vec<RecordedEvent>), GateFailure>
    where
        F: Future<Output = Result<CommandEvidence, GateFailure>>,
    {
        let without = (Arc::clone(&policy), evidence);
        match Box::pin(self.execute_and_report(by, thread, id, command.clone(), without)).await {
            Err(GateFailure::Refused(Refused::MissingEvidence { .. })) => {
                let evidence = Box::pin(judge()).await?;
                Box::pin(self.execute_and_report(by, thread, id, command, (policy, evidence))).await
            }
            outcome => outcome,
        }
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
            self.execute_on_call(by, thread, id, command.clone(), (policy, CommandEvidence::NotNeeded))
        };
        self.execute_judged(execute).await
    }
}
