//! Caller identities, as requests carry them.

use crate::{connected_clients::ClientActivity, problem::ProblemResponse};
use countersign_approvals::access::{TokenHolder, TokenRecord};
use countersign_events::Timestamp;
use std::sync::Arc;

/// The caller of a request, or the reason why there is none, as a request extension.
pub(crate) type IdentifiedRequest = Arc<Result<CallerIdentity, ProblemResponse>>;

/// A caller identity.
#[derive(Debug, Clone)]
pub(crate) struct CallerIdentity {
    pub(crate) holder: Arc<TokenHolder>,
    /// The token or session; `None` for a caller whom a proxy names, and in solo mode.
    pub(crate) record: Option<Arc<TokenRecord>>,
    /// The program that sent the request, once it is noted.
    pub(crate) client: Option<Arc<ClientActivity>>,
}

impl CallerIdentity {
    /// The token or session id.
    pub(crate) fn token(&self) -> Option<&str> {
        self.holder.token.as_deref()
    }

    /// The time from which the credential is not accepted.
    pub(crate) fn expires_at(&self) -> Option<Timestamp> {
        self.record.as_ref().and_then(|record| record.created.expires_at)
    }
}
