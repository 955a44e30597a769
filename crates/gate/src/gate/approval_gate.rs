//! Call approval and everything outside the operation table: each is passed to the service with the caller and what the
//! caller sees.

use super::EmbeddedGate;
use async_trait::async_trait;
use countersign_api::{
    AnyAnswer, AnyOperation, ApprovalGate, BulkDecisionRequest, Call, CallGate, CallPage, CancelRequest,
    ClaimRequest, ConversationReader, ConversationView, DecisionAnswer, DecisionRequest, EventPage,
    EventStream, GateError, LogFilter, MessagePage, PageQuery, PendingPage, ProposeRequest, ReadinessReport,
    RenewRequest, ResultRequest,
};
use countersign_events::{CallId, CallStateFilter, MessageFormat, Principal, ThreadId};
use std::{sync::Arc, time::Duration};

#[async_trait]
impl CallGate for EmbeddedGate {
    fn principal(&self) -> &Principal {
        &self.by.principal
    }

    async fn propose(&self, thread: &ThreadId, request: &ProposeRequest) -> Result<Call, GateError> {
        Ok(self.service.propose(&self.by, thread, request).await?)
    }

    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError> {
        Ok(self.service.wait(&self.by, thread, id, timeout).await?)
    }

    async fn call(&self, thread: &ThreadId, id: &CallId) -> Result<Call, GateError> {
        Ok(self.service.call(thread, id).await?)
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        Ok(self.service.calls(filter, &self.threads, state, page).await?)
    }

    async fn decide(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &DecisionRequest,
    ) -> Result<Call, GateError> {
        match self.service.decide(&self.by, thread, id, request).await {
            Ok(call) => Ok(call),
            Err(failure) => Err(self.service.with_origin_of_decision(thread, failure).await),
        }
    }

    async fn claim(&self, thread: &ThreadId, id: &CallId, request: &ClaimRequest) -> Result<Call, GateError> {
        Ok(self.service.claim(&self.by, thread, id, request).await?)
    }

    async fn renew_claim(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &RenewRequest,
    ) -> Result<Call, GateError> {
        Ok(self.service.renew_claim(&self.by, thread, id, request).await?)
    }

    async fn finish(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &ResultRequest,
    ) -> Result<Call, GateError> {
        Ok(self.service.finish(&self.by, thread, id, request).await?)
    }

    async fn cancel(
        &self,
        thread: &ThreadId,
        id: &CallId,
        request: &CancelRequest,
    ) -> Result<Call, GateError> {
        match self.service.cancel(&self.by, thread, id, request).await {
            Ok(call) => Ok(call),
            Err(failure) => Err(self.service.with_origin_of_decision(thread, failure).await),
        }
    }
}

#[async_trait]
impl ApprovalGate for EmbeddedGate {
    async fn perform(&self, operation: &AnyOperation) -> Result<AnyAnswer, GateError> {
        self.perform_operation(operation).await
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        request.check()?;
        Ok(self.service.decide_all(&self.by, &self.threads, request).await)
    }

    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError> {
        Ok(self.service.pending(filter, &self.threads, page).await?)
    }

    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError> {
        Ok(self.service.events(filter, &self.threads, page).await?)
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        Arc::clone(&self.service).follow(&filter, &self.threads, after)
    }

    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        Ok(self.service.tip(thread).await?)
    }

    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError> {
        Ok(self.service.messages(thread, page).await?)
    }

    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError> {
        Ok(self.service.conversation_view(thread, reader, format).await?)
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        Ok(self.service.ready().await?)
    }

    async fn shut_down(&self) {
        self.service.shut_down().await;
    }
}
