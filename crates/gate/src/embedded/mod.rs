//! The gate over an open store: the path of one call. `execute` executes commands, `decisions` decides, `lists` reads
//! lists, `threads` has the thread settings, and `ready` has the readiness check.

mod advisor_drift;
mod advisors;
mod answer;
mod approver_keys;
mod archive;
mod chat_accounts;
mod conversation_view;
mod decisions;
mod delegations;
mod edit;
mod erase;
mod execute;
mod grant_origins;
mod judge;
mod lists;
mod message_decisions;
mod message_history;
mod message_words;
mod messages;
mod policy;
mod presence;
mod push_devices;
mod ready;
mod schema;
mod scope;
mod status;
mod stop;
mod threads;
mod tokens;
mod tools;
mod webhooks;

pub use approver_keys::KeyRegistration;
pub(crate) use tokens::{random_bytes, random_secret};

use crate::{
    GateFailure,
    active_policy::ActivePolicy,
    active_tokens::ActiveTokens,
    advisor_metrics::AdvisorMetrics,
    call_metrics::CallMetrics,
    due_task_runner::{DueSignal, DueTaskRunner},
    effect_words::EffectWords,
    known_directory::{KnownAdvisors, KnownTools, KnownWebhooks},
    log_policy::open_policy,
    policy_follower::PolicyFollower,
    policy_judge::PolicyJudge,
    presence_keeper::PresenceKeeper,
    view_call,
    withdrawal_runner::WithdrawalRunner,
};
use countersign_api as api;
use countersign_approvals::{
    Call, CallCommand, CommandCaller, CommandEvidence, NeededEvidence, Refused,
    decide::{
        ClaimCommand, DefinitionIdentity, FinishCommand, HashedArguments, ProposeCommand, RenewCommand,
    },
};
use countersign_events::{CallId, Json, Sha256, ThreadId};
use countersign_policy::Policy;
use countersign_store::{DatabaseUrl, Store, StoreOptions};
use futures_util::future::BoxFuture;
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};
use tokio::sync::Semaphore;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) struct EmbeddedService {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
    pub(crate) advisor_metrics: AdvisorMetrics,
    pub(crate) judge: PolicyJudge,
    follower: PolicyFollower,
    /// One analysis of the log runs at a time, because each takes a processor and memory.
    pub(crate) analyses: Semaphore,
    presence: PresenceKeeper,
    pub(crate) tokens: Arc<ActiveTokens>,
    due_signal: Arc<DueSignal>,
    /// The log's identity, once it has an event.
    log_id: OnceLock<Sha256>,
    /// The page origins of this process's server; unset in a process without pages.
    pub(crate) web_origins: OnceLock<Vec<String>>,
    pub(crate) webhooks: Arc<KnownWebhooks>,
    known_advisors: KnownAdvisors,
    known_tools: KnownTools,
    effect_words: EffectWords,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Drop for EmbeddedService {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl EmbeddedService {
    /// Opens the log. A log without a policy starts with `first`. The future hides its type, because crates that await
    /// it would otherwise compile the gate's tasks again.
    #[inline(never)]
    pub(crate) fn open(
        address: DatabaseUrl,
        options: StoreOptions,
        first: Policy,
    ) -> BoxFuture<'static, Result<Self, GateFailure>> {
        Box::pin(Self::open_store(address, options, first))
    }

    async fn open_store(
        address: DatabaseUrl,
        options: StoreOptions,
        first: Policy,
    ) -> Result<Self, GateFailure> {
        let store = Store::open(address, options).await?;
        let policy = Arc::new(open_policy(&store, first).await?);
        let due_signal = Arc::new(DueSignal::new());
        let (stop, tasks, metrics) = (CancellationToken::new(), TaskTracker::new(), CallMetrics::default());
        let judge = PolicyJudge::new(store.clock().clone());
        let runner = DueTaskRunner {
            store: store.clone(),
            judge: judge.clone(),
            policy: Arc::clone(&policy),
            metrics: metrics.clone(),
            due_signal: Arc::clone(&due_signal),
        };
        let follower = PolicyFollower {
            store: store.clone(),
            policy: Arc::clone(&policy),
            metrics: metrics.clone(),
            judge: judge.clone(),
        };
        let presence = PresenceKeeper::new(store.clock().clone());
        let (tokens, token_events) = ActiveTokens::read(&store).await?;
        let tokens = Arc::new(tokens);
        tasks.spawn(Arc::clone(&tokens).follow(store.clone(), token_events, stop.clone()));
        // All write. A process that can only read shows what the log contains.
        if !store.is_read_only() {
            tasks.spawn(runner.run(stop.clone()));
            tasks.spawn(follower.clone().run(stop.clone()));
            tasks.spawn(presence.clone().run(store.clone(), stop.clone()));
            let withdrawals = WithdrawalRunner {
                store: store.clone(),
                policy: Arc::clone(&policy),
                metrics: metrics.clone(),
                presence: presence.clone(),
            };
            tasks.spawn(withdrawals.run(stop.clone()));
        }
        Ok(Self {
            store,
            policy,
            metrics,
            advisor_metrics: AdvisorMetrics::default(),
            judge,
            follower,
            analyses: Semaphore::new(1),
            presence,
            tokens,
            due_signal,
            log_id: OnceLock::new(),
            web_origins: OnceLock::new(),
            webhooks: Arc::default(),
            known_advisors: KnownAdvisors::default(),
            known_tools: KnownTools::default(),
            effect_words: EffectWords::default(),
            stop,
            tasks,
        })
    }

    pub(crate) async fn shut_down(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close().await;
    }

    fn view(&self, call: &Call) -> api::Call {
        view_call(call, self.store.clock().now())
    }

    pub(crate) async fn propose(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        call: &api::ProposeRequest,
    ) -> Result<api::Call, GateFailure> {
        let propose = parse_proposal(call)?;
        let proposed_at = self.store.clock().now();
        let propose = &propose;
        let execute = |policy| async move {
            let evidence = self.judge_proposal(&policy, &by.principal, thread, propose).await;
            let command = CallCommand::Propose(propose.clone());
            self.execute_on_call(by, thread, &call.id, command, policy, evidence).await
        };
        let proposed = self.execute_judged(execute).await?;
        self.note_repeated_proposal(by, &proposed, proposed_at);
        Ok(proposed)
    }

    /// Waits for the decision. It subscribes before it reads the call, so that it misses no event between the two. A wait of
    /// the proposer shows approvers that it is there.
    pub(crate) async fn wait(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        span: Option<Duration>,
    ) -> Result<api::Call, GateFailure> {
        let clock = self.store.clock();
        let end = span.map(|span| clock.now().after(span));
        let mut waiter = self.store.watch_call(thread, id);
        let mut open_wait = None;
        loop {
            {
                // A separate block, so that the many clients that wait below do not keep the call.
                let call = self.view(&self.look_up(thread, id).await?);
                if open_wait.is_none() && Self::is_proposer(by, &call.proposal.principal) {
                    open_wait = Some(self.presence.begin_wait(thread, id));
                }
                if let Some(wait) = &mut open_wait {
                    wait.decided = !call.is_pending();
                }
                if !call.is_pending() || end.is_some_and(|end| end <= clock.now()) {
                    return Ok(Box::pin(self.with_grant_origin(call)).await);
                }
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
        by: &CommandCaller,
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
        let command = &command;
        let execute = |policy, needed: Option<NeededEvidence>| async move {
            let evidence = match needed {
                Some(_) => Box::pin(self.judge_claim(&policy, thread, id, command)).await?,
                None => CommandEvidence::NotNeeded,
            };
            let claim = CallCommand::Claim(command.clone());
            Box::pin(self.execute_on_call(by, thread, id, claim, policy, evidence)).await
        };
        let call = self.execute_with_evidence(None, execute).await?;
        // The log has masked arguments, and the executor runs the arguments that it supplied.
        Ok(match &command.arguments {
            Some(supplied) => api::Call { arguments: supplied.json().clone(), redacted: Vec::new(), ..call },
            None => call,
        })
    }

    pub(crate) async fn renew_claim(
        &self,
        by: &CommandCaller,
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
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::ResultRequest,
    ) -> Result<api::Call, GateFailure> {
        finish.content.admit().map_err(|why| Refused::bad_json("content", &why))?;
        let command = CallCommand::Finish(FinishCommand {
            status: finish.status,
            content: finish.content.clone(),
            executor: finish.executor.clone(),
            ran: finish.ran_arguments.clone().map(HashedArguments::reported).transpose()?,
        });
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn cancel(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::CancelRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::Cancel { reason: cancel.reason.clone() };
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn release(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        release: &api::ReleaseRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::Release { comment: release.comment.clone() };
        self.execute_without_evidence(by, thread, id, command).await
    }

    pub(crate) async fn take_back(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
        take_back: &api::TakeBackRequest,
    ) -> Result<api::Call, GateFailure> {
        let command = CallCommand::TakeBack { comment: take_back.comment.clone() };
        self.execute_without_evidence(by, thread, id, command).await
    }

    /// Notes that the proposer, the only one who knows the call, still waits for it.
    pub(crate) async fn heartbeat(
        &self,
        by: &CommandCaller,
        thread: &ThreadId,
        id: &CallId,
    ) -> Result<api::Call, GateFailure> {
        let found = self.look_up(thread, id).await?;
        if !Self::is_proposer(by, &found.proposal.by) {
            return Err(Refused::NotTheProposer { proposer: found.proposal.by }.into());
        }
        if found.is_pending() {
            self.presence.note_sign_of_life(thread, id);
        }
        self.call(thread, id).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, GateFailure> {
        // Before the table is read: once the table has it, this process forgets it.
        let seen_here = self.presence.last_seen(thread, id);
        let found = self.store.call_in_context(thread, id).await?;
        self.informed_alone(found.ok_or_else(|| unknown_call(thread, id))?, seen_here).await
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
    if let Some(place) = &call.place {
        place.check().map_err(|why| GateFailure::invalid("place", &why))?;
    }
    let impact = call.impact.as_ref().map(Json::encode).transpose();
    Ok(ProposeCommand {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: HashedArguments::new(call.arguments.clone())?,
        annotations: call.annotations.clone(),
        impact: impact.map_err(|why| GateFailure::invalid("impact", &why))?,
        description: call.description.clone(),
        place: call.place.clone().map(Box::new),
        definition: call.definition.clone().map(Into::into),
        identity: DefinitionIdentity::Computed,
        expires_in: call.expires_in_seconds.map(span_of_seconds),
        replaces: call.replaces.clone(),
        withdraw_when_gone: call.withdraw_when_gone,
    })
}

fn span_of_seconds(seconds: u32) -> Duration {
    Duration::from_secs(u64::from(seconds))
}

fn unknown_call(thread: &ThreadId, id: &CallId) -> GateFailure {
    GateFailure::Refused(Refused::UnknownCall { thread_id: thread.clone(), id: id.clone() })
}
