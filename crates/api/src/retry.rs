//! Repeats operations while the log is unavailable, where repeating is safe: a wait, a claim and a result survive a
//! server restart, or a restart of its database.

mod backoff;
mod follow;

use crate::{
    AnyAnswer, AnyOperation, ApprovalGate, BulkDecisionRequest, Call, CallGate, CallId, CallOperation,
    CallPage, CallStateFilter, ConversationReader, ConversationView, DecisionAnswer, ErrorCode, EventPage,
    EventStream, GateError, LogFilter, MessagePage, Operation, PageQuery, PendingPage, Principal,
    ReadinessReport, RetryClass, ThreadId, operations,
};
use async_trait::async_trait;
pub use backoff::retry;
use backoff::{may_pass, retry_while};
use countersign_events::MessageFormat;
use futures_util::StreamExt;
use std::{future::Future, sync::Arc, time::Duration};
use tokio::time::Instant;

/// The time for which a claim and a result are retried: the executor cannot continue without them.
const EXECUTION: Duration = Duration::from_mins(2);

/// The time for which a proposal is retried: a database that takes longer to recover needs help.
const PROPOSAL: Duration = Duration::from_secs(30);

/// The time for which a decision or a cancellation is retried: a person is waiting for the answer.
const INTERACTION: Duration = Duration::from_secs(5);

/// Any gate with retries. Reading operations are not retried: they report an unavailable log at once.
#[derive(Clone)]
pub struct RetryingGate {
    inner: Arc<dyn ApprovalGate>,
}

impl RetryingGate {
    /// Creates a gate that adds retries to `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn ApprovalGate>) -> Self {
        Self { inner }
    }

    /// Retries a claim. A claim whose answer was lost may have been recorded; a retry is then refused with this
    /// executor's own claim, which is a success.
    async fn retry_claim(&self, operation: &operations::ClaimCall) -> Result<Call, GateError> {
        let operations::ClaimCall { thread, id, body: request } = operation;
        let mut attempts = 0;
        let attempt = || {
            attempts += 1;
            self.inner.claim(thread, id, request)
        };
        match retry(Some(EXECUTION), attempt).await {
            Err(error) if attempts > 1 && error.code == ErrorCode::AlreadyClaimed => {
                let claimed_by = error.facts.execution.as_ref().map(|execution| &execution.executor);
                if claimed_by != Some(&request.executor) {
                    return Err(error);
                }
                retry(Some(EXECUTION), || self.inner.call(thread, id)).await
            }
            outcome => outcome,
        }
    }
}

/// Retries an operation, except if its first attempt does not reach the server: that error is reported at once.
async fn retry_once_reached<T, F>(budget: Duration, operation: impl FnMut() -> F) -> Result<T, GateError>
where
    F: Future<Output = Result<T, GateError>>,
{
    let mut is_first = true;
    let may_repeat = move |error: &GateError| {
        let is_first = std::mem::take(&mut is_first);
        may_pass(error) && !(is_first && is_away(error))
    };
    retry_while(Some(budget), may_repeat, operation).await
}

/// Returns true if the request did not arrive at any server. A lost answer is different: the request may have arrived.
fn is_away(error: &GateError) -> bool {
    error.code == ErrorCode::Unreachable && !error.facts.may_have_arrived
}

#[async_trait]
impl CallGate for RetryingGate {
    fn principal(&self) -> &Principal {
        self.inner.principal()
    }

    async fn perform_on_call(&self, operation: CallOperation) -> Result<AnyAnswer, GateError> {
        self.perform(&AnyOperation::Call(operation)).await
    }

    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError> {
        let end = timeout.map(|timeout| Instant::now() + timeout);
        let remaining = || end.map(|end| end.saturating_duration_since(Instant::now()));
        retry(timeout, || self.inner.wait(thread, id, remaining())).await
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        self.inner.calls(filter, state, page).await
    }
}

#[async_trait]
impl ApprovalGate for RetryingGate {
    /// Repeats the operation as its row says.
    async fn perform(&self, operation: &AnyOperation) -> Result<AnyAnswer, GateError> {
        // A claim has its own rule, however it is sent.
        if let AnyOperation::Call(CallOperation::ClaimCall(claim)) = operation {
            return Ok(claim.answer(self.retry_claim(claim).await?));
        }
        let attempt = || self.inner.perform(operation);
        match operation.as_wire().row().retry {
            RetryClass::Never => attempt().await,
            RetryClass::Interaction => retry(Some(INTERACTION), attempt).await,
            RetryClass::InteractionOnceReached => retry_once_reached(INTERACTION, attempt).await,
            RetryClass::ProposalOnceReached => retry_once_reached(PROPOSAL, attempt).await,
            RetryClass::Execution => retry(Some(EXECUTION), attempt).await,
        }
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        self.inner.decide_all(request).await
    }

    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError> {
        self.inner.pending(filter, page).await
    }

    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError> {
        self.inner.events(filter, page).await
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        follow::resume(Arc::clone(&self.inner), filter, after, EXECUTION).boxed()
    }

    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        self.inner.tip(thread).await
    }

    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError> {
        self.inner.messages(thread, page).await
    }

    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError> {
        self.inner.conversation_view(thread, reader, format).await
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        self.inner.ready().await
    }

    async fn shut_down(&self) {
        self.inner.shut_down().await;
    }
}
