//! The gate over an open store: the path of one call. Decisions are in `decisions`, lists in `lists`, the settings of a
//! thread in `threads`, readiness in `ready`.

mod answer;
mod decisions;
mod grant_origins;
mod judge;
mod lists;
mod policy;
mod presence;
mod ready;
mod schema;
mod schema_budget;
mod scope;
mod stop;
mod threads;

use crate::{
    GateFailure, active_policy::ActivePolicy, call_metrics::CallMetrics, due_task_runner::DueTaskRunner,
    log_policy::open_policy, policy_follower::PolicyFollower, policy_judge::PolicyJudge,
    presence_keeper::PresenceKeeper, view::view_call,
};
use countersign_api as api;
use countersign_approvals::{
    ApprovalCommand, Call, CallCommand, CommandEnvelope, CommandEvidence, CommandTarget, RecordedEvent,
    Refused, ThreadCommand,
    decide::{ClaimCommand, FinishCommand, HashedArguments, ProposeCommand, RenewCommand},
};
use countersign_events::{CallId, Json, Principal, ThreadId};
use countersign_policy::Policy;
use countersign_store::{CommandOutcome, DatabaseUrl, Store, StoreOptions};
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

pub(crate) struct EmbeddedService {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    judge: PolicyJudge,
    presence: PresenceKeeper,
    opened: Arc<Notify>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Drop for EmbeddedService {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl EmbeddedService {
    /// Opens the log. A log without a policy starts with `first`.
    pub(crate) async fn open(
        address: DatabaseUrl,
        options: StoreOptions,
        first: Policy,
    ) -> Result<Self, GateFailure> {
        let store = Store::open(address, options).await?;
        let policy = Arc::new(open_policy(&store, first).await?);
        let opened = Arc::new(Notify::new());
        let (stop, tasks, metrics) = (CancellationToken::new(), TaskTracker::new(), CallMetrics::default());
        let judge = PolicyJudge::new(store.clock().clone());
        let runner = DueTaskRunner {
            store: store.clone(),
            judge: judge.clone(),
            policy: Arc::clone(&policy),
            metrics: metrics.clone(),
            opened: Arc::clone(&opened),
        };
        let follower = PolicyFollower {
            store: store.clone(),
            policy: Arc::clone(&policy),
            metrics: metrics.clone(),
            judge: judge.clone(),
        };
        let presence = PresenceKeeper::new(store.clock().clone());
        // All write. A process that can only read shows what the log contains.
        if !store.is_read_only() {
            tasks.spawn(runner.run(stop.clone()));
            tasks.spawn(follower.run(stop.clone()));
            tasks.spawn(presence.clone().run(store.clone(), stop.clone()));
        }
        Ok(Self { store, policy, metrics, judge, presence, opened, stop, tasks })
    }

    pub(crate) async fn shut_down(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close().await;
    }

    /// Executes a command. Its events are logged and counted even if the caller drops the future.
    async fn execute(&self, envelope: CommandEnvelope) -> Result<CommandOutcome, GateFailure> {
        let (store, metrics, opened) = (self.store.clone(), self.metrics.clone(), Arc::clone(&self.opened));
        let executed = async move {
            let outcome = store.execute(envelope).await?;
            metrics.record(&outcome);
            let request = outcome.call.as_ref().and_then(Call::request);
            let is_due_later = request.is_some_and(|request| request.what.next_due().is_some());
            if !outcome.events.is_empty() && is_due_later {
                opened.notify_one();
            }
            Ok::<_, countersign_store::StoreError>(outcome)
        };
        let executed = self.tasks.spawn(executed.in_current_span());
        Ok(executed.await.unwrap_or(Err(countersign_store::StoreError::ShuttingDown))?)
    }

    /// Executes a command on a thread, or on all threads.
    async fn execute_on_threads(
        &self,
        by: &Principal,
        target: CommandTarget,
        command: ThreadCommand,
    ) -> Result<CommandOutcome, GateFailure> {
        loop {
            let policy = self.policy.policy()?;
            let hash = policy.hash();
            let envelope = CommandEnvelope {
                target: target.clone(),
                command: command.clone().into(),
                by: by.clone(),
                now: self.store.clock().now(),
                policy,
                evidence: CommandEvidence::NotNeeded,
            };
            match self.execute(envelope).await {
                Err(error) if self.must_judge_again(&error, hash).await? => {}
                outcome => return outcome,
            }
        }
    }

    /// Executes a command on a call. The policy must be the one that the evidence was computed with.
    async fn execute_on_call(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        judged: (Arc<Policy>, CommandEvidence),
    ) -> Result<api::Call, GateFailure> {
        let (call, _) = self.execute_and_report(by, thread, id, command, judged).await?;
        Ok(call)
    }

    /// Executes a command on a call, and returns the events that it wrote, too.
    async fn execute_and_report(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
        (policy, evidence): (Arc<Policy>, CommandEvidence),
    ) -> Result<(api::Call, Vec<RecordedEvent>), GateFailure> {
        let envelope = CommandEnvelope {
            target: CommandTarget::Call(thread.clone(), id.clone()),
            command: ApprovalCommand::Call(command),
            by: by.clone(),
            now: self.store.clock().now(),
            policy,
            evidence,
        };
        // Boxed, so that the futures of all callers do not hold the whole envelope.
        let outcome = Box::pin(self.execute(envelope)).await?;
        let call = outcome.call.ok_or_else(|| unknown_call(thread, id))?;
        Ok((Box::pin(self.with_grant_origin(self.view(&call))).await, outcome.events))
    }

    /// Executes a command on a call that needs no evidence.
    async fn execute_without_evidence(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        command: CallCommand,
    ) -> Result<api::Call, GateFailure> {
        loop {
            let policy = self.policy.policy()?;
            let hash = policy.hash();
            let judged = (policy, CommandEvidence::NotNeeded);
            match self.execute_on_call(by, thread, id, command.clone(), judged).await {
                Err(error) if self.must_judge_again(&error, hash).await? => {}
                outcome => return outcome,
            }
        }
    }

    fn view(&self, call: &Call) -> api::Call {
        view_call(call, self.store.clock().now())
    }

    pub(crate) async fn propose(
        &self,
        by: &Principal,
        thread: &ThreadId,
        call: &api::ProposeRequest,
    ) -> Result<api::Call, GateFailure> {
        let propose = parse_proposal(call)?;
        let proposed_at = self.store.clock().now();
        let proposed = loop {
            let policy = self.policy.policy()?;
            let hash = policy.hash();
            let evidence = self.judge_proposal(&policy, by, thread, &propose).await;
            let command = CallCommand::Propose(propose.clone());
            match self.execute_on_call(by, thread, &call.id, command, (policy, evidence)).await {
                Err(error) if self.must_judge_again(&error, hash).await? => {}
                outcome => break outcome?,
            }
        };
        self.note_repeated_proposal(by, &proposed, proposed_at);
        Ok(proposed)
    }

    /// Waits for the decision. It subscribes before it reads the call, so that it misses no event between the two.
    pub(crate) async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        span: Option<Duration>,
    ) -> Result<api::Call, GateFailure> {
        let clock = self.store.clock();
        let end = span.map(|span| clock.now().after(span));
        let mut waiter = self.store.watch_call(thread, id);
        let mut open_wait = None;
        loop {
            let call = self.view(&self.look_up(thread, id).await?);
            let wait = open_wait.get_or_insert_with(|| self.presence.begin_wait(thread, id));
            wait.decided = !call.is_pending();
            if !call.is_pending() || end.is_some_and(|end| end <= clock.now()) {
                return Ok(Box::pin(self.with_grant_origin(call)).await);
            }
            let timeout = async {
                match end {
                    Some(end) => clock.sleep_until(end).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = waiter.woken() => {}
                () = timeout => {}
                () = self.stop.cancelled() => return Err(countersign_store::StoreError::ShuttingDown.into()),
            }
        }
    }

    pub(crate) async fn claim(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::ClaimRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = ClaimCommand {
            executor: claim.executor.clone(),
            arguments_hash: claim.arguments_hash,
            lease: claim.lease_seconds.map(span_of_seconds),
            arguments: claim.arguments.clone().map(HashedArguments::new).transpose()?,
            definition_hash: claim.definition_hash,
        };
        let supplied = command.arguments.clone();
        let call = loop {
            let policy = self.policy.policy()?;
            let hash = policy.hash();
            let evidence = self.judge_claim(&policy, thread, id, &command).await?;
            let command = CallCommand::Claim(command.clone());
            match self.execute_on_call(by, thread, id, command, (policy, evidence)).await {
                Err(error) if self.must_judge_again(&error, hash).await? => {}
                outcome => break outcome?,
            }
        };
        // The log has masked arguments, and the executor runs the arguments that it supplied.
        Ok(match supplied {
            Some(supplied) => api::Call { arguments: supplied.json().clone(), redacted: Vec::new(), ..call },
            None => call,
        })
    }

    pub(crate) async fn renew_claim(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        renew: &api::RenewRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::Renew(RenewCommand {
            executor: renew.executor.clone(),
            lease: renew.lease_seconds.map(span_of_seconds),
        });
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn finish(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::ResultRequest,
    ) -> Result<api::Call, GateFailure> {
        finish.content.admit().map_err(|why| Refused::bad_json("content", &why))?;
        let command = CallCommand::Finish(FinishCommand {
            status: finish.status,
            content: finish.content.clone(),
            executor: finish.executor.clone(),
        });
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn cancel(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::CancelRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::Cancel { reason: cancel.reason.clone() };
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn release(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        release: &api::ReleaseRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::Release { comment: release.comment.clone() };
        self.execute_without_evidence(by, thread, id, command).await
    }

    /// Notes that the proposer of the call still waits for it.
    pub(crate) async fn heartbeat(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, GateFailure> {
        if self.look_up(thread, id).await?.is_pending() {
            self.presence.note_sign_of_life(thread, id);
        }
        self.call(thread, id).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, GateFailure> {
        let call = self.look_up(thread, id).await?;
        Ok(self.informed(vec![call]).await?.remove(0))
    }

    async fn look_up(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateFailure> {
        self.store.call(thread, id).await?.ok_or_else(|| unknown_call(thread, id))
    }
}

/// Validates a proposal.
fn parse_proposal(call: &api::ProposeRequest) -> Result<ProposeCommand, GateFailure> {
    if let Some(annotations) = &call.annotations {
        annotations.admit().map_err(|why| Refused::bad_json("annotations", &why))?;
    }
    if let Some(schema) = call.definition.as_ref().and_then(|definition| definition.input_schema.as_ref()) {
        schema.admit().map_err(|why| Refused::bad_json("definition", &why))?;
    }
    if call.expires_in_seconds == Some(0) {
        let why = "must be at least 1";
        return Err(GateFailure::invalid("expiresInSeconds", &why));
    }
    let impact = call.impact.as_ref().map(Json::encode).transpose();
    Ok(ProposeCommand {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: HashedArguments::new(call.arguments.clone())?,
        annotations: call.annotations.clone(),
        impact: impact.map_err(|why| GateFailure::invalid("impact", &why))?,
        description: call.description.clone(),
        definition: call.definition.clone().map(Into::into),
        expires_in: call.expires_in_seconds.map(span_of_seconds),
        replaces: call.replaces.clone(),
    })
}

fn span_of_seconds(seconds: u32) -> Duration {
    Duration::from_secs(u64::from(seconds))
}

fn unknown_call(thread: &ThreadId, id: &CallId) -> GateFailure {
    GateFailure::Refused(Refused::UnknownCall { thread_id: thread.clone(), id: id.clone() })
}
