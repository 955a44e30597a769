//! Log credentials: who calls, and with which rights.

use super::EmbeddedGate;
use crate::{GateFailure, KeyRegistration};
use countersign_api::{
    ApproverKey, ApproverKeyRequest, Delegation, EndDelegationRequest, NewToken, TokenRequest,
};
use countersign_approvals::access::{
    Right, TokenDirectory, TokenHolder, TokenRecord, TokenRejection, TokenSecret,
};
use countersign_events::{Principal, TokenKind};
use std::sync::Arc;
use tokio::sync::watch;

impl EmbeddedGate {
    /// The level up to which this person may decide: the active policy's, or that of the credential if it is higher.
    #[must_use]
    pub fn level_of(&self, person: &Principal, holder: &TokenHolder) -> String {
        let policy = self.service.policy.policy_for_views();
        policy.approvers().highest_level(person, holder.standing.level.as_deref()).to_owned()
    }

    /// Returns a gate to the same database for a credential holder who uses this right. It lists only what the holder
    /// sees. The caller of this function must have checked that the holder has the right.
    #[must_use]
    pub fn acting_for(&self, holder: &TokenHolder, right: Right) -> Self {
        Self { by: holder.caller(right), threads: holder.threads.clone(), ..self.clone() }
    }

    /// Returns the token with this secret if it is accepted now. `kind` is the purpose that it is used for.
    pub async fn authenticate(
        &self,
        secret: &TokenSecret,
        kind: TokenKind,
    ) -> Result<Result<Arc<TokenRecord>, TokenRejection>, GateFailure> {
        let now = self.service.store.clock().now();
        Ok(self.service.tokens.authenticate(&self.service.store, secret, kind, now).await?)
    }

    /// Returns true if the token with this id is accepted now; also if `token` is `None`, for a caller without a token.
    #[must_use]
    pub fn is_token_accepted(&self, token: Option<&str>) -> bool {
        let now = self.service.store.clock().now();
        let Some(id) = token else { return true };
        self.service
            .tokens
            .with(|directory| directory.find(id).is_some_and(|record| directory.check(record, now).is_ok()))
    }

    /// Records that a token is used from an address, if it is the first time. It returns before that is written.
    pub fn record_token_use(&self, record: &TokenRecord, address: &str) {
        self.service.record_token_use(record, address);
    }

    /// A receiver that changes whenever tokens change.
    #[must_use]
    pub fn watch_tokens(&self) -> watch::Receiver<i64> {
        self.service.tokens.watch()
    }

    /// Returns true if the log has no tokens.
    #[must_use]
    pub fn has_no_tokens(&self) -> bool {
        self.service.tokens.with(TokenDirectory::is_empty)
    }

    /// Names the page origins of this process's server. From then on, the process accepts passkey proofs only from such
    /// a page. Only the first call has an effect.
    pub fn set_web_origins(&self, origins: Vec<String>) {
        self.service.web_origins.get_or_init(|| origins);
    }

    /// Creates several tokens, all or none.
    pub async fn create_tokens(&self, requests: &[TokenRequest]) -> Result<Vec<NewToken>, GateFailure> {
        self.service.create_tokens(&self.by, requests).await
    }

    /// Creates the first tokens of the log, all or none. Returns `None` if the log has tokens, such as those of another
    /// process that starts at the same time.
    pub async fn create_first_tokens(
        &self,
        requests: &[TokenRequest],
    ) -> Result<Option<Vec<NewToken>>, GateFailure> {
        self.service.create_first_tokens(&self.by, requests).await
    }

    /// Adds an approver key, with what the server knows about its registration.
    pub async fn add_approver_key_as(
        &self,
        request: &ApproverKeyRequest,
        registration: KeyRegistration,
    ) -> Result<ApproverKey, GateFailure> {
        self.service.add_approver_key(&self.by, request, registration).await
    }

    /// Ends a delegation before its time, and returns it as it was. Only an admin ends one between other people.
    pub async fn end_delegation(
        &self,
        seq: i64,
        request: &EndDelegationRequest,
        as_admin: bool,
    ) -> Result<Delegation, GateFailure> {
        self.service.end_delegation(&self.by, seq, request, as_admin).await
    }

    /// The person whose key this is; `None` if there is no such key.
    #[must_use]
    pub fn owner_of_key(&self, id: &str) -> Option<Principal> {
        self.service.owner_of_key(id)
    }
}
