//! The operations that every gate offers, over a database or over a server.

use crate::{
    AnyAnswer, AnyOperation, BulkDecisionRequest, Call, CallId, CallOperation, CallPage, CallStateFilter,
    CancelRequest, ClaimRequest, ConversationReader, ConversationView, DecisionAnswer, DecisionRequest,
    Event, EventPage, GateError, LogFilter, MessagePage, Operation, PageQuery, PendingPage, Principal,
    ProposeRequest, ReadinessReport, RenewRequest, ResultRequest, ThreadId, operations,
};
use async_trait::async_trait;
use countersign_events::MessageFormat;
use futures_util::Stream;
use std::{pin::Pin, sync::Arc, time::Duration};

/// Events in log order, until the stream fails or its gate is closed.
pub type EventStream = Pin<Box<dyn Stream<Item = Result<Arc<Event>, GateError>> + Send>>;

/// A gate that was chosen at run time. Cheap to clone.
pub type SharedGate = Arc<dyn ApprovalGate>;

/// The gate methods that agents and executors need. Cheap to clone.
pub type SharedCallGate = Arc<dyn CallGate>;

/// Call approval, as one agent or executor needs it, for one principal.
///
/// Every operation acts for [`principal`](Self::principal). Repeating an operation with the same request is safe:
/// the gate answers with the state after the first one. The exception is a claim: a second claim is refused.
#[async_trait]
pub trait CallGate: Send + Sync {
    /// Returns the principal that this gate acts for. Over a server, it is the one that the credential names, if the
    /// gate knows it.
    fn principal(&self) -> &Principal;

    /// Performs an operation on a call. The methods below are its typed forms.
    async fn perform_on_call(&self, operation: CallOperation) -> Result<AnyAnswer, GateError>;

    /// Proposes a call, which the policy then judges. Proposing it again returns its current state.
    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError> {
        let (thread, body) = (thread.clone(), request.clone());
        send(self, operations::ProposeCall { thread, body }).await
    }

    /// Waits until the call is decided, for at most `timeout`, and then returns its state. Without `timeout`, waits
    /// without a limit.
    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError>;

    /// Returns the current state of a call.
    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        send(self, operations::ShowCall { thread: thread.clone(), id: id.clone() }).await
    }

    /// Lists the calls, the newest proposal first; with `state`, only those that it selects.
    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError>;

    /// Decides on a call. Repeating the decision succeeds; a different decision is refused, and the error contains the
    /// first.
    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError> {
        let (thread, id, body) = (thread.clone(), id.clone(), request.clone());
        send(self, operations::DecideCall { thread, id, body }).await
    }

    /// Claims a call, to start it. After success, run the answer's `arguments` and nothing else.
    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError> {
        let (thread, id, body) = (thread.clone(), id.clone(), request.clone());
        send(self, operations::ClaimCall { thread, id, body }).await
    }

    /// Extends a claim's lease. A renewal writes nothing while most of the lease remains.
    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError> {
        let (thread, id, body) = (thread.clone(), id.clone(), request.clone());
        send(self, operations::RenewClaim { thread, id, body }).await
    }

    /// Reports a claimed call's result.
    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError> {
        let (thread, id, body) = (thread.clone(), id.clone(), request.clone());
        send(self, operations::FinishCall { thread, id, body }).await
    }

    /// Withdraws a call that no executor has claimed.
    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError> {
        let (thread, id, body) = (thread.clone(), id.clone(), request.clone());
        send(self, operations::CancelCall { thread, id, body }).await
    }
}

/// Performs an operation whose answer is the call.
async fn send<O: Operation<Answer = Call> + Into<CallOperation>>(
    gate: &(impl CallGate + ?Sized),
    operation: O,
) -> Result<Call, GateError> {
    gate.perform_on_call(operation.into()).await?.into_answer_to::<O>()
}

/// The approval service: call approval, every operation in the table, and what no request and response can express,
/// such as streams.
#[async_trait]
pub trait ApprovalGate: CallGate {
    /// Performs an operation from the table. [`send`](crate::SendOperation::send) is its typed form.
    async fn perform(&self, operation: &AnyOperation) -> Result<AnyAnswer, GateError>;

    /// Decides on several calls. Each decision has its own answer, in request order.
    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError>;

    /// Lists the pending calls, the oldest request first.
    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError>;

    /// Returns a log page, in order.
    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError>;

    /// Streams every event with a `seq` above `after`, once and in order: first the recorded events, then new ones as
    /// they are written.
    fn follow(&self, filter: LogFilter, after: i64) -> EventStream;

    /// Returns the last `seq` of the thread, or of the whole log; 0 without events.
    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError>;

    /// Lists a thread's conversation. A page's cursor is the position of its first message.
    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError>;

    /// Returns the whole conversation of a thread in one format, for a model or for a client. Without a format, the
    /// last message's format applies.
    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError>;

    /// Checks that the log accepts writes and that the feed keeps up with it.
    async fn ready(&self) -> Result<ReadinessReport, GateError>;

    /// Ends background tasks and closes connections. This also closes every copy of the gate.
    async fn shut_down(&self);
}
