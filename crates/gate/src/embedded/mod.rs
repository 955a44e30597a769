//! The service over an open database: the operations on one call. Lists are in `lists`, settings of a thread in
//! `threads`, the readiness check in `ready`.

mod judge;
mod lists;
mod ready;
mod stop;
mod threads;

use crate::{
    Error, active_policy::ActivePolicy, call_metrics::CallMetrics, due_task_runner::DueTaskRunner,
    view::view_call,
};
use countersign_api as api;
use countersign_approvals::{
    Call, CallId, Command, Json, Order, Policy, Principal, Refused, ThreadId, Wish,
    decide::{Arguments, Claim, Finish, Propose, Respond},
    width::Width,
};
use countersign_store::{Address, Done, Options, Store};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::Instrument;

pub(crate) struct EmbeddedService {
    pub(crate) store: Store,
    pub(crate) policy: Arc<ActivePolicy>,
    pub(crate) metrics: CallMetrics,
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
    pub(crate) async fn open(address: Address, options: Options, policy: Policy) -> Result<Self, Error> {
        let store = Store::open(address, options).await?;
        let (policy, opened) = (Arc::new(ActivePolicy::new(policy)), Arc::new(Notify::new()));
        let (stop, tasks, metrics) = (CancellationToken::new(), TaskTracker::new(), CallMetrics::default());
        let runner = DueTaskRunner {
            store: store.clone(),
            policy: Arc::clone(&policy),
            metrics: metrics.clone(),
            opened: Arc::clone(&opened),
        };
        tasks.spawn(runner.run(stop.clone()));
        Ok(Self { store, policy, metrics, opened, stop, tasks })
    }

    pub(crate) async fn shut_down(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close().await;
    }

    async fn order(&self, by: &Principal, wish: Wish) -> Result<Done, Error> {
        self.order_by(self.policy.policy(), by, wish).await
    }

    async fn order_by(&self, policy: Arc<Policy>, by: &Principal, wish: Wish) -> Result<Done, Error> {
        let now = self.store.clock().now();
        let order = Order { wish, by: by.clone(), now, policy };
        // What was written is told even if whoever asked for it leaves meanwhile.
        let (store, metrics, opened) = (self.store.clone(), self.metrics.clone(), Arc::clone(&self.opened));
        let carried_out = async move {
            let done = store.carry_out(order).await?;
            metrics.record(&done);
            let request = done.call.as_ref().and_then(Call::request);
            if !done.events.is_empty() && request.is_some_and(|request| request.what.next_due().is_some()) {
                opened.notify_one();
            }
            Ok::<_, countersign_store::Error>(done)
        };
        let carried_out = self.tasks.spawn(carried_out.in_current_span());
        let done = carried_out.await.unwrap_or(Err(countersign_store::Error::ShuttingDown))?;
        Ok(done)
    }

    async fn about(
        &self,
        policy: Arc<Policy>,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        command: Command,
    ) -> Result<api::Call, Error> {
        // Boxed: whoever waits for this need not carry the whole order about.
        let done =
            Box::pin(self.order_by(policy, by, Wish::Call(thread.clone(), id.clone(), command))).await?;
        done.call.map(|call| self.view(&call)).ok_or_else(|| unknown(thread, id))
    }

    fn view(&self, call: &Call) -> api::Call {
        view_call(call, self.store.clock().now())
    }

    pub(crate) async fn propose(
        &self,
        by: &Principal,
        thread: &ThreadId,
        call: &api::ProposeRequest,
    ) -> Result<api::Call, Error> {
        let mut propose = wanted(call)?;
        let policy = self.policy.policy();
        propose.judged = Some(self.judge_proposal(&policy, by, thread, &propose).await);
        self.about(policy, by, thread, &call.id, Command::Propose(propose)).await
    }

    /// Subscribe, then look, then wait: nothing falls in between.
    pub(crate) async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        span: Option<Duration>,
    ) -> Result<api::Call, Error> {
        let clock = self.store.clock();
        let end = span.map(|span| clock.now().after(span));
        let mut waiter = self.store.watch_call(thread, id);
        loop {
            let call = self.view(&self.look_up(thread, id).await?);
            if !call.is_pending() || end.is_some_and(|end| end <= clock.now()) {
                return Ok(call);
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
                () = self.stop.cancelled() => return Err(countersign_store::Error::ShuttingDown.into()),
            }
        }
    }

    pub(crate) async fn decide(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::DecisionRequest,
    ) -> Result<api::Call, Error> {
        let policy = self.policy.policy();
        let mut respond = Respond {
            decision: decide.decision,
            comment: decide.comment.clone(),
            arguments: decide.arguments.clone().map(Arguments::new).transpose()?,
            about: decide.arguments_hash,
            width: decide.matches.as_ref().map(read_width).transpose()?,
            level: decide.level.clone(),
            reviewed: None,
        };
        if let Some(arguments) = &respond.arguments {
            respond.reviewed = Some(self.review(&policy, thread, id, arguments).await?);
        }
        self.about(policy, by, thread, id, Command::Respond(respond)).await
    }

    /// All at once, so that they share commits; each is answered for itself.
    pub(crate) async fn decide_all(
        &self,
        by: &Principal,
        all: &api::BulkDecisionRequest,
    ) -> Vec<api::DecisionAnswer> {
        let one = async |one: &api::BulkDecisionItem| api::DecisionAnswer {
            thread_id: one.thread_id.clone(),
            id: one.id.clone(),
            outcome: self.decide(by, &one.thread_id, &one.id, &one.request()).await.map_err(Into::into),
        };
        join_all(all.decisions.iter().map(one)).await
    }

    pub(crate) async fn claim(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::ClaimRequest,
    ) -> Result<api::Call, Error> {
        let mut claim = Claim {
            executor: claim.executor.clone(),
            arguments_hash: claim.arguments_hash,
            lease: claim.lease_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
            arguments: claim.arguments.clone().map(Arguments::new).transpose()?,
            definition_hash: claim.definition_hash,
            judged: None,
        };
        let policy = self.policy.policy();
        let first = self.about(Arc::clone(&policy), by, thread, id, Command::Claim(claim.clone())).await;
        let claimed = match first {
            Err(Error::Refused(Refused::JudgeFirst)) => {
                claim.judged = Some(self.judge_claim(&policy, thread, id, &claim).await?);
                self.about(policy, by, thread, id, Command::Claim(claim.clone())).await
            }
            first => first,
        };
        // Whoever brought what the log has masked gets it back, and runs just that.
        claimed.map(|call| match claim.arguments {
            Some(brought) => api::Call { arguments: brought.json().clone(), redacted: Vec::new(), ..call },
            None => call,
        })
    }

    pub(crate) async fn finish(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::ResultRequest,
    ) -> Result<api::Call, Error> {
        let finish = Finish {
            status: finish.status,
            content: finish.content.clone(),
            executor: finish.executor.clone(),
        };
        self.about(self.policy.policy(), by, thread, id, Command::Finish(finish)).await
    }

    pub(crate) async fn cancel(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::CancelRequest,
    ) -> Result<api::Call, Error> {
        let command = Command::Cancel { reason: cancel.reason.clone() };
        self.about(self.policy.policy(), by, thread, id, command).await
    }

    pub(crate) async fn release(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        release: &api::ReleaseRequest,
    ) -> Result<api::Call, Error> {
        let command = Command::Release { comment: release.comment.clone() };
        self.about(self.policy.policy(), by, thread, id, command).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, Error> {
        let call = self.look_up(thread, id).await?;
        Ok(self.informed(vec![call]).await?.remove(0))
    }

    async fn look_up(&self, thread: &ThreadId, id: &CallId) -> Result<Call, Error> {
        self.store.call(thread, id).await?.ok_or_else(|| unknown(thread, id))
    }
}

/// A proposal, once it has passed the door.
fn wanted(call: &api::ProposeRequest) -> Result<Propose, Error> {
    if let Some(annotations) = &call.annotations {
        annotations.admit().map_err(|why| Refused::bad_json("annotations", &why))?;
    }
    if let Some(schema) = call.definition.as_ref().and_then(|definition| definition.input_schema.as_ref()) {
        schema.admit().map_err(|why| Refused::bad_json("definition", &why))?;
    }
    if call.expires_in_seconds == Some(0) {
        let why = "must be at least 1";
        return Err(Error::invalid("expiresInSeconds", &why));
    }
    let impact = call.impact.as_ref().map(Json::of).transpose();
    Ok(Propose {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: Arguments::new(call.arguments.clone())?,
        annotations: call.annotations.clone(),
        impact: impact.map_err(|why| Error::invalid("impact", &why))?,
        description: call.description.clone(),
        definition: call.definition.clone().map(Into::into),
        expires_in: call.expires_in_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
        judged: None,
    })
}

/// How wide a decision is meant.
pub(super) fn read_width(json: &Json) -> Result<Width, Error> {
    json.admit().map_err(|why| Refused::bad_json("match", &why))?;
    Width::read(json).map_err(|why| Error::invalid("match", &why))
}

fn unknown(thread: &ThreadId, id: &CallId) -> Error {
    Error::Refused(Refused::UnknownCall { thread_id: thread.clone(), id: id.clone() })
}
