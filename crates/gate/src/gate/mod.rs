//! The gate over an open database, and the operations that only this gate offers.

mod advice_runs;
mod advisors;
mod analysis;
mod approval_gate;
mod archive;
mod chats;
mod credentials;
mod database;
mod managed_rules;
mod operations;
mod push;
mod sessions;
mod webhooks;

pub use advice_runs::{AdvisedCall, AdvisedPage};
pub use archive::{ArchiveCheck, ArchiveSummary};
pub use managed_rules::{add_managed_rule, remove_managed_rule};
pub use sessions::{AccountHolder, PasskeySignIn, SessionPages, SessionSpans};

use crate::{
    GateFailure, embedded::EmbeddedService, push_delivery::PushTransport, webhook_delivery::WebhookTransport,
};
use countersign_api::{
    GateError, LogCursor, MessagesReport, MessagesRequest, OpenRequestCount, retry::RetryingGate,
};
use countersign_approvals::{CommandCaller, access::VisibleThreads};
use countersign_events::{Principal, ThreadId};
use countersign_policy::Policy;
use countersign_store::{DatabaseUrl, StoreOptions};
use prometheus_client::registry::Registry;
use std::sync::Arc;

/// The gate over an open database, for one principal. Cheap to clone. Without
/// [`with_retries`](Self::with_retries), an operation fails at once when the database is unavailable.
#[derive(Clone)]
pub struct EmbeddedGate {
    service: Arc<EmbeddedService>,
    by: CommandCaller,
    /// The threads that the caller sees.
    threads: VisibleThreads,
    /// Seals and tests webhooks; `None` in a program that sends no messages.
    webhooks: Option<Arc<dyn WebhookTransport>>,
    /// Registers devices for notifications; `None` in a program that sends none.
    push: Option<Arc<dyn PushTransport>>,
}

impl EmbeddedGate {
    /// Opens the database at `address`. Creates it if it does not exist, with the shipped policy.
    ///
    /// `address` is a file path or a [`DatabaseUrl`]. Fails with [`GateFailure::Store`] if the database cannot be
    /// opened.
    pub async fn open(address: impl Into<DatabaseUrl>) -> Result<Self, GateFailure> {
        Self::open_with(address, StoreOptions::default(), Policy::shipped()).await
    }

    /// Opens the database at `address`. A log without a policy starts with the policy `first`; any other log keeps its
    /// own, which [`ApplyPolicy`](countersign_api::operations::ApplyPolicy) replaces. Fails with [`GateFailure::Store`] if the
    /// database cannot be opened.
    pub async fn open_with(
        address: impl Into<DatabaseUrl>,
        options: StoreOptions,
        first: Policy,
    ) -> Result<Self, GateFailure> {
        let service = EmbeddedService::open(address.into(), options, first).await?;
        let by = Principal::agent("local").into();
        let threads = VisibleThreads::default();
        Ok(Self { service: Arc::new(service), by, threads, webhooks: None, push: None })
    }

    /// Returns a gate to the same database for another principal.
    #[must_use]
    pub fn acting_as(&self, by: Principal) -> Self {
        Self { by: by.into(), ..self.clone() }
    }

    /// Returns a gate that repeats an operation while the database is unavailable, if it is safe to repeat.
    #[must_use]
    pub fn with_retries(&self) -> RetryingGate {
        RetryingGate::new(Arc::new(self.clone()))
    }

    /// The active policy, as this process has read it from the log. Fails with [`GateFailure::PolicyUnreadable`] if
    /// this version cannot read it.
    pub fn policy_in_force(&self) -> Result<Arc<Policy>, GateFailure> {
        self.service.policy.policy()
    }

    /// Adds a client's own copy of the conversation, which may lack what others said: what follows the last message that the log
    /// has goes to the end, and nothing is replaced.
    pub async fn add_copied_messages(
        &self,
        thread: &ThreadId,
        request: &MessagesRequest,
    ) -> Result<MessagesReport, GateError> {
        Ok(self.service.add_copied(&self.by, thread, request).await?)
    }

    /// Reports in [`ready`](countersign_api::ApprovalGate::ready) why this process's policy file is not active; `None`
    /// if it is.
    pub fn report_policy_trouble(&self, trouble: Option<String>) {
        if let Some(trouble) = &trouble {
            tracing::error!(trouble, "the policy file is not active; the policy before stays active");
        }
        self.service.policy.report_file_trouble(trouble);
    }

    /// Checks that the log has the event that a reader wants to continue after. Fails with `bad_cursor` if the log ends
    /// before it, or has an event with another hash at its position.
    pub async fn check_cursor(&self, cursor: &LogCursor) -> Result<(), GateFailure> {
        self.service.check_cursor(cursor).await
    }

    /// Counts the open requests, and reads the oldest request's time.
    pub async fn count_open_requests(&self) -> Result<OpenRequestCount, GateFailure> {
        self.service.open_now().await
    }

    /// Registers the metrics of this process: commits, queries and calls.
    pub fn register_metrics(&self, registry: &mut Registry) {
        self.service.register_metrics(registry);
    }
}
