//! Call approval and everything outside the operation table: each is passed to the service with the caller and what the
//! caller sees.

use super::EmbeddedGate;
use async_trait::async_trait;
use countersign_api::{
    AnyAnswer, AnyOperation, ApprovalGate, BulkDecisionRequest, Call, CallGate, CallOperation, CallPage,
    ConversationReader, ConversationView, DecisionAnswer, EventPage, EventStream, GateError, LogFilter,
    MessagePage, PageQuery, PendingPage, ReadinessReport,
};
use countersign_events::{CallId, CallStateFilter, MessageFormat, Principal, ThreadId};
use std::{sync::Arc, time::Duration};

#[async_trait]
impl CallGate for EmbeddedGate {
    fn principal(&self) -> &Principal {
        &self.by.principal
    }

    async fn perform_on_call(&self, operation: CallOperation) -> Result<AnyAnswer, GateError> {
        self.perform_call_operation(&operation).await
    }

    async fn wait(
        &self,
        thread: &ThreadId,
        id: &CallId,
        timeout: Option<Duration>,
    ) -> Result<Call, GateError> {
        Ok(self.service.wait(&self.by, thread, id, timeout).await?)
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        Ok(self.service.calls(filter, &self.threads, state, page).await?)
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
