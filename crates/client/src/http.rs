//! The gate over a server, through HTTP.

use crate::connection::ServerConnection;
use async_trait::async_trait;
use countersign_api::{
    AnyAnswer, AnyOperation, ApprovalGate, BulkDecisionRequest, Call, CallGate, CallOperation, CallPage,
    CallerView, ConversationReader, ConversationView, DecisionAnswer, EventPage, EventStream, GateError,
    LogFilter, MessagePage, PageQuery, PendingPage, ReadinessReport, retry::RetryingGate,
};
use countersign_events::{CallId, CallStateFilter, MessageFormat, Principal, ThreadId};
use futures_util::StreamExt;
use std::{path::Path, sync::Arc, time::Duration};

/// The gate over a server, for the holder of one token. Cheap to clone. Without [`with_retries`](Self::with_retries), an
/// operation fails at once if the server does not answer.
#[derive(Clone)]
pub struct HttpGate {
    connection: Arc<ServerConnection>,
    by: Principal,
}

impl HttpGate {
    /// Creates a gate over the server at `url`: `http://host:port`, `https://host`, or `unix:` and a socket path. Sends
    /// nothing yet. The gate has no token: only a server in solo mode accepts it without one. The server certificate
    /// must come from an authority that the system trusts. Fails with `bad_url` if the address is invalid.
    pub fn connect(url: &str) -> Result<Self, GateError> {
        Self::connect_trusting(url, None)
    }

    /// Creates a gate like [`connect`](Self::connect). Instead of the system's authorities, it trusts only those in the
    /// file `authorities` (PEM), if there is one.
    pub fn connect_trusting(url: &str, authorities: Option<&Path>) -> Result<Self, GateError> {
        let connection = Arc::new(ServerConnection::new(url, authorities)?);
        Ok(Self { connection, by: Principal::agent("local") })
    }

    /// Returns the same gate with a token, which every request carries. Fails if the text cannot be a token.
    pub fn with_token(&self, token: &str) -> Result<Self, GateError> {
        Ok(Self { connection: Arc::new(self.connection.with_token(token)?), ..self.clone() })
    }

    /// Returns the same gate with a further header in every request, as a proxy before the server may need it. Fails if
    /// its name or value is none of a header.
    pub fn with_header(&self, name: &str, value: &str) -> Result<Self, GateError> {
        Ok(Self { connection: Arc::new(self.connection.with_header(name, value)?), ..self.clone() })
    }

    /// Asks the server who the caller is, by its credential.
    pub async fn caller(&self) -> Result<CallerView, GateError> {
        self.connection.caller().await
    }

    /// Returns the same gate, which names this principal as its caller. The server alone decides by the credential who
    /// the caller is; programs only show this name.
    #[must_use]
    pub fn known_as(&self, by: Principal) -> Self {
        Self { by, ..self.clone() }
    }

    /// Returns the same gate with retries: it repeats operations while the server is unavailable, where this is safe.
    #[must_use]
    pub fn with_retries(&self) -> RetryingGate {
        RetryingGate::new(Arc::new(self.clone()))
    }
}

#[async_trait]
impl CallGate for HttpGate {
    fn principal(&self) -> &Principal {
        &self.by
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
        self.connection.wait(thread, id, timeout).await
    }

    async fn calls(
        &self,
        filter: &LogFilter,
        state: Option<CallStateFilter>,
        page: PageQuery,
    ) -> Result<CallPage, GateError> {
        self.connection.calls(filter, state, page).await
    }
}

#[async_trait]
impl ApprovalGate for HttpGate {
    async fn perform(&self, operation: &AnyOperation) -> Result<AnyAnswer, GateError> {
        self.connection.send_operation(operation.as_wire()).await
    }

    async fn decide_all(&self, request: &BulkDecisionRequest) -> Result<Vec<DecisionAnswer>, GateError> {
        request.check()?;
        self.connection.decide_all(request).await
    }

    async fn pending(&self, filter: &LogFilter, page: PageQuery) -> Result<PendingPage, GateError> {
        self.connection.pending(filter, page).await
    }

    async fn events(&self, filter: &LogFilter, page: PageQuery) -> Result<EventPage, GateError> {
        self.connection.events(filter, page).await
    }

    fn follow(&self, filter: LogFilter, after: i64) -> EventStream {
        Arc::clone(&self.connection).follow(filter, after).boxed()
    }

    async fn tip(&self, thread: Option<&ThreadId>) -> Result<i64, GateError> {
        self.connection.tip(thread).await
    }

    async fn messages(&self, thread: &ThreadId, page: PageQuery) -> Result<MessagePage, GateError> {
        self.connection.messages(thread, page).await
    }

    async fn conversation_view(
        &self,
        thread: &ThreadId,
        reader: ConversationReader,
        format: Option<MessageFormat>,
    ) -> Result<ConversationView, GateError> {
        self.connection.conversation_view(thread, reader, format).await
    }

    async fn ready(&self) -> Result<ReadinessReport, GateError> {
        self.connection.ready().await
    }

    /// Does nothing: idle connections close with the last copy of this gate.
    async fn shut_down(&self) {}
}
