//! Trying again where that is safe: waiting, claiming and finishing survive a restart of the server, or of
//! the database behind it.

use crate::{Error, Filter, Gate, StoreError, Way, api, local::Local};
use countersign_events::{CallId, Event, ThreadId};
use countersign_store::Clock;
use futures_util::{Stream, StreamExt};
use std::{future::Future, sync::Arc, time::Duration};

/// For how long a claim and a result are brought again and again: the executor has them in hand.
const PATIENCE: Duration = Duration::from_mins(2);

/// For how long a proposal is: a database is back by then, or somebody has to see to it.
const SOME_PATIENCE: Duration = Duration::from_secs(30);

/// For how long a decision or a cancellation is: a person sits before it.
const LITTLE_PATIENCE: Duration = Duration::from_secs(5);

/// The longest pause that a server can ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

impl Gate {
    /// The same gate, bearing with a log that is away for a while: what can be said again safely is. A gate
    /// over a server is like that anyway; one over a database says at once what is in the way, unless it is
    /// asked to be patient.
    #[must_use]
    pub fn patiently(&self) -> Self {
        Self { patient: true, ..self.clone() }
    }

    pub(crate) const fn is_patient(&self) -> bool {
        self.patient
    }

    /// Tries once, or for `patience` if this gate has any; for ever if that is none.
    async fn patient<T, F>(&self, patience: Option<Duration>, mut ask: impl FnMut() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        if self.patient { keep_trying(patience, ask).await } else { ask().await }
    }

    /// The same for what begins something: a server that was never there is not waited for.
    async fn patient_once_there<T, F>(
        &self,
        patience: Duration,
        mut ask: impl FnMut() -> F,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let first = ask().await;
        match &first {
            Err(Error::Unreachable { .. }) => first,
            Err(error) if self.patient && may_pass(error) => keep_trying(Some(patience), ask).await,
            _ => first,
        }
    }

    /// Puts a call before the policy. Doing so again tells where it stands.
    pub async fn propose(&self, thread: &ThreadId, call: &api::Propose) -> Result<api::Call, Error> {
        let ask = move || async move { either!(self, way => way.propose(&self.by, thread, call).await) };
        self.patient_once_there(SOME_PATIENCE, ask).await
    }

    /// Waits until the call is decided, or for `span` at most, and tells where it stands then.
    pub async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        span: Option<Duration>,
    ) -> Result<api::Call, Error> {
        if !self.patient {
            return either!(self, way => way.wait(thread, id, span).await);
        }
        let end = span.map(|span| Clock::System.now().after(span));
        let ask = move || async move {
            let left = end.map(|end| end.since(Clock::System.now()));
            either!(self, way => way.wait(thread, id, left).await)
        };
        keep_trying(span, ask).await
    }

    /// Decides. The same decision again is a success; another one is refused, and told who won.
    pub async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        decide: &api::Decide,
    ) -> Result<api::Call, Error> {
        let ask = move || async move { either!(self, way => way.decide(&self.by, thread, id, decide).await) };
        self.patient_once_there(LITTLE_PATIENCE, ask).await
    }

    /// Starts the call: once it succeeds, run what `arguments` of the answer say, and nothing else. A claim
    /// whose answer was lost may have been made: the log tells, by the executor's name.
    pub async fn claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        claim: &api::Claim,
    ) -> Result<api::Call, Error> {
        let ask = move || async move { either!(self, way => way.claim(&self.by, thread, id, claim).await) };
        let first = ask().await;
        if !(self.patient && first.as_ref().is_err_and(may_pass)) {
            return first;
        }
        match self.patient(Some(PATIENCE), ask).await {
            Err(refused) if refused.code() == "already_claimed" => {
                let ours = refused.execution().is_some_and(|found| found.executor == claim.executor);
                if !ours {
                    return Err(refused);
                }
                self.patient(Some(PATIENCE), || self.call(thread, id)).await
            }
            other => other,
        }
    }

    /// Says what came of it.
    pub async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        finish: &api::Finish,
    ) -> Result<api::Call, Error> {
        let ask = move || async move { either!(self, way => way.finish(&self.by, thread, id, finish).await) };
        self.patient(Some(PATIENCE), ask).await
    }

    /// Withdraws it, while nobody runs it.
    pub async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        cancel: &api::Cancel,
    ) -> Result<api::Call, Error> {
        let ask = move || async move { either!(self, way => way.cancel(&self.by, thread, id, cancel).await) };
        self.patient(Some(LITTLE_PATIENCE), ask).await
    }

    /// Lets another executor take over a call whose outcome is unknown. Only people may, who answer for it that
    /// it may run twice.
    pub async fn release(
        &self,
        thread: &ThreadId,
        id: &CallId,
        release: &api::Release,
    ) -> Result<api::Call, Error> {
        let ask =
            move || async move { either!(self, way => way.release(&self.by, thread, id, release).await) };
        self.patient(Some(LITTLE_PATIENCE), ask).await
    }

    /// How far a decision on that call would reach if it were remembered that wide: what it would have answered of
    /// the thread's last thousand calls.
    pub async fn reach(
        &self,
        thread: &ThreadId,
        id: &CallId,
        width: &api::Width,
    ) -> Result<api::Reach, Error> {
        let ask = move || async move { either!(self, way => way.reach(thread, id, width).await) };
        self.patient(Some(LITTLE_PATIENCE), ask).await
    }

    /// Denies all that waits for people, in that thread or everywhere, in one transaction. Only people may; what
    /// is for others to deny is left and told.
    pub async fn stop(&self, thread: Option<&ThreadId>, stop: &api::Stop) -> Result<api::Stopped, Error> {
        let ask = move || async move { either!(self, way => way.stop(&self.by, thread, stop).await) };
        self.patient(Some(LITTLE_PATIENCE), ask).await
    }
}

/// Whether it may be otherwise soon. A store that this process has closed stays closed.
fn may_pass(error: &Error) -> bool {
    error.is_transient() && !matches!(error, Error::Store(StoreError::Closed))
}

/// Tries for as long as the log is away, at growing distances, and no sooner than it asks to be asked; for
/// `patience` if there is one.
pub(crate) async fn keep_trying<T, F>(
    patience: Option<Duration>,
    mut ask: impl FnMut() -> F,
) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let clock = Clock::System;
    let end = patience.map(|patience| clock.now().after(patience));
    let mut pause = Duration::from_millis(50);
    loop {
        match ask().await {
            Err(error) if may_pass(&error) && end.is_none_or(|end| clock.now() < end) => {
                tracing::debug!(%error, "the log is away; trying again");
                clock.sleep(pause.max(asked_for(&error))).await;
                pause = (pause * 2).min(Duration::from_secs(2));
            }
            done => return done,
        }
    }
}

/// Follows a log of one's own, and takes it up where it broke off while it is away.
pub(crate) fn follow_on(
    local: Arc<Local>,
    filter: Filter,
    after: i64,
) -> impl Stream<Item = Result<Arc<Event>, Error>> + Send {
    async_stream::stream! {
        let (clock, mut cursor, mut since) = (Clock::System, after, None);
        loop {
            let (begun, mut events) = (clock.now(), Arc::clone(&local).follow(filter.clone(), cursor));
            let error = loop {
                match events.next().await {
                    Some(Ok(event)) => {
                        (cursor, since) = (event.seq, None);
                        yield Ok(event);
                    }
                    Some(Err(error)) => break error,
                    None => return,
                }
            };
            let now = clock.now();
            // One that went well for so long was no attempt, and what breaks it off is news.
            if now.since(begun) > PATIENCE {
                since = None;
            }
            if !may_pass(&error) || now.since(*since.get_or_insert(now)) > PATIENCE {
                yield Err(error);
                return;
            }
            tracing::debug!(%error, "the log is away; following on when it is back");
            clock.sleep(Duration::from_secs(1)).await;
        }
    }
}

/// The pause that a server asks for. Behind a proxy the next one may be there at once, so the word of one
/// that leaves counts for nothing.
fn asked_for(error: &Error) -> Duration {
    match error {
        Error::Remote(problem) if problem.code != "shutting_down" => {
            Duration::from_secs(problem.retry_after.unwrap_or(0)).min(LONGEST_PAUSE)
        }
        _ => Duration::ZERO,
    }
}
