//! The gate over a local file.

use crate::{Error, Events, api, expiry::Expiry};
use countersign_approvals::{
    Call, CallId, Command, Event, EventType, Json, Order, Policy, Principal, Refused, ThreadCommand,
    ThreadId, Wish,
    decide::{Arguments, Claim, Finish, Propose, Respond},
};
use countersign_store::{Done, Filter, Options, Store};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) struct Local {
    pub(crate) store: Store,
    policy: Arc<Policy>,
    opened: Arc<Notify>,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Drop for Local {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

impl Local {
    pub(crate) async fn open(path: &Path, options: Options, policy: Policy) -> Result<Self, Error> {
        let store = Store::open(path, options).await?;
        let (policy, opened) = (Arc::new(policy), Arc::new(Notify::new()));
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let duty = Expiry { store: store.clone(), policy: Arc::clone(&policy), opened: Arc::clone(&opened) };
        tasks.spawn(duty.run(stop.clone()));
        Ok(Self { store, policy, opened, stop, tasks })
    }

    pub(crate) async fn shut_down(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
        self.store.close().await;
    }

    async fn order(&self, by: &Principal, thread: &ThreadId, wish: Wish) -> Result<Done, Error> {
        let order = Order {
            thread_id: thread.clone(),
            wish,
            by: by.clone(),
            now: self.store.clock().now(),
            policy: Arc::clone(&self.policy),
        };
        Ok(self.store.carry_out(order).await?)
    }

    async fn about(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        command: Command,
    ) -> Result<api::Call, Error> {
        let done = self.order(by, thread, Wish::Call(id.clone(), command)).await?;
        done.call.map(|call| self.view(&call)).ok_or_else(|| unknown(thread, id))
    }

    fn view(&self, call: &Call) -> api::Call {
        api::Call::at(call, self.store.clock().now())
    }

    pub(crate) async fn propose(
        &self,
        by: &Principal,
        thread: &ThreadId,
        call: &api::Propose,
    ) -> Result<api::Call, Error> {
        if let Some(annotations) = &call.annotations {
            annotations.admit().map_err(|why| Refused::bad_json("annotations", &why))?;
        }
        let seconds = |seconds: u32| Duration::from_secs(u64::from(seconds));
        let propose = Propose {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: Arguments::new(call.arguments.clone())?,
            annotations: call.annotations.clone(),
            impact: call
                .impact
                .as_ref()
                .map(Json::of)
                .transpose()
                .map_err(|why| Error::invalid("impact", &why))?,
            description: call.description.clone(),
            expires_in: call.expires_in_seconds.map(seconds),
        };
        let call = self.about(by, thread, &call.id, Command::Propose(propose)).await?;
        if call.request.as_ref().is_some_and(|request| request.expires_at.is_some()) {
            self.opened.notify_one();
        }
        Ok(call)
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
            let call = self.call(thread, id).await?;
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
                () = self.stop.cancelled() => return Err(countersign_store::Error::Closed.into()),
            }
        }
    }

    pub(crate) async fn decide(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::Decide,
    ) -> Result<api::Call, Error> {
        let respond = Respond { decision: decide.decision, comment: decide.comment.clone() };
        self.about(by, thread, id, Command::Respond(respond)).await
    }

    pub(crate) async fn claim(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::Claim,
    ) -> Result<api::Call, Error> {
        let claim = Claim {
            executor: claim.executor.clone(),
            arguments_hash: claim.arguments_hash,
            lease: claim.lease_seconds.map(|seconds| Duration::from_secs(u64::from(seconds))),
        };
        self.about(by, thread, id, Command::Claim(claim)).await
    }

    pub(crate) async fn finish(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::Finish,
    ) -> Result<api::Call, Error> {
        let finish = Finish {
            status: finish.status,
            content: finish.content.clone(),
            executor: finish.executor.clone(),
        };
        self.about(by, thread, id, Command::Finish(finish)).await
    }

    pub(crate) async fn cancel(
        &self,
        by: &Principal,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::Cancel,
    ) -> Result<api::Call, Error> {
        self.about(by, thread, id, Command::Cancel { reason: cancel.reason.clone() }).await
    }

    pub(crate) async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<api::Call, Error> {
        let call = self.store.call(thread, id).await?.ok_or_else(|| unknown(thread, id))?;
        Ok(self.view(&call))
    }

    pub(crate) async fn pending(
        &self,
        thread: Option<&ThreadId>,
        page: api::PageOf,
    ) -> Result<api::Pending, Error> {
        let page = self.store.pending(thread, page.after, page.limit.min(api::MAX_PAGE)).await?;
        let pending = page.items.iter().map(|call| self.view(call)).collect();
        Ok(api::Pending { pending, next: page.next })
    }

    pub(crate) async fn events(
        &self,
        thread: Option<&ThreadId>,
        page: api::PageOf,
    ) -> Result<api::EventPage, Error> {
        let limit = page.limit.min(api::MAX_PAGE);
        let filter = Filter { thread_id: thread.cloned() };
        let mut events = self.store.events(&filter, page.after, limit + 1).await?;
        let more = events.len() > limit;
        events.truncate(limit);
        let next = events.last().map(|event| event.seq).filter(|_| more);
        Ok(api::EventPage { events: events.into_iter().map(Arc::new).collect(), next })
    }

    pub(crate) fn follow(self: Arc<Self>, filter: Filter, after: i64) -> Events {
        let mut follower = self.store.follow(filter, after);
        Box::pin(async_stream::stream! {
            loop {
                let next = tokio::select! {
                    next = follower.next() => next,
                    () = self.stop.cancelled() => return,
                };
                let failed = next.is_err();
                yield next.map_err(Error::from);
                if failed {
                    return;
                }
            }
        })
    }

    pub(crate) async fn grants(&self, thread: &ThreadId) -> Result<api::Grants, Error> {
        let found = self.store.thread(thread).await?;
        let grants = found.standing().map(|grant| api::Grant {
            seq: grant.seq,
            tool: grant.tool.clone(),
            principal: grant.by.clone(),
            at: grant.at,
            tool_call_id: grant.tool_call_id.clone(),
        });
        Ok(api::Grants { grants: grants.collect() })
    }

    pub(crate) async fn revoke(
        &self,
        by: &Principal,
        thread: &ThreadId,
        grant: i64,
    ) -> Result<api::Grants, Error> {
        self.order(by, thread, Wish::Thread(ThreadCommand::Revoke(grant))).await?;
        self.grants(thread).await
    }

    pub(crate) async fn close(&self, by: &Principal, thread: &ThreadId) -> Result<api::Closed, Error> {
        let done = self.order(by, thread, Wish::Thread(ThreadCommand::Close)).await?;
        let closed = self.store.thread(thread).await?.closed;
        // The order has just been carried out, so its event is there; the clock stands in if it is not.
        let (at, by) =
            closed.map_or_else(|| (self.store.clock().now(), by.clone()), |fact| (fact.at, fact.by));
        let cancelled = done.events.iter().filter_map(|event| cancelled(event)).collect();
        Ok(api::Closed { thread_id: thread.clone(), closed_at: at, principal: by, cancelled })
    }

    /// Sends an order that changes nothing all the way through the writer, which takes the write lock
    /// for it, and reads how long the log is.
    pub(crate) async fn ready(&self) -> Result<api::Ready, Error> {
        let (thread, id) = (crate::name("readyz")?, crate::call_id("readyz")?);
        match self.order(&Principal::system("readyz"), &thread, Wish::Call(id, Command::Expire)).await {
            Ok(_) | Err(Error::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(api::Ready {
            status: "ready".to_owned(),
            events: self.store.tip().await?,
            rules: self.policy.rules(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

fn unknown(thread: &ThreadId, id: &CallId) -> Error {
    Error::Refused(Refused::UnknownCall { thread_id: thread.clone(), id: id.clone() })
}

/// The call that this event ended, if it is such an event.
fn cancelled(event: &Event) -> Option<CallId> {
    #[derive(serde::Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Ended {
        tool_call_id: CallId,
    }
    let ended = (event.kind == EventType::ToolResult).then(|| event.data.read::<Ended>());
    ended?.ok().map(|ended| ended.tool_call_id)
}
