//! The credentials of a log: who calls, and with which rights.

use super::EmbeddedGate;
use crate::{GateFailure, embedded::AccountHolder};
use countersign_api::{ApproverKey, ApproverKeyRequest, NewToken, TokenRequest};
use countersign_approvals::access::{
    Right, TokenDirectory, TokenHolder, TokenRecord, TokenRejection, TokenSecret,
};
use countersign_events::{
    Principal, Sha256,
    event::{TokenCreated, TokenKind},
};
use countersign_proofs::passkey::{PasskeyPublicKey, SignInSecret};
use std::{sync::Arc, time::Duration};
use tokio::sync::watch;

impl EmbeddedGate {
    /// Returns a gate to the same database for the holder of a credential, who uses this right. It lists only what the
    /// holder sees. The caller of this function must have checked that the holder has the right.
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
        self.service.authenticate(secret, kind).await
    }

    /// True if the token with this id is accepted now; also if `token` is `None`, for a caller without a token.
    #[must_use]
    pub fn is_token_accepted(&self, token: Option<&str>) -> bool {
        self.service.is_accepted(token)
    }

    /// Records that a token is used from an address, if it is the first time.
    pub async fn record_token_use(&self, record: &TokenRecord, address: &str) {
        self.service.record_token_use(record, address).await;
    }

    /// A receiver that changes whenever tokens change.
    #[must_use]
    pub fn watch_tokens(&self) -> watch::Receiver<i64> {
        self.service.tokens.watch()
    }

    /// True if the log has no tokens.
    #[must_use]
    pub fn has_no_tokens(&self) -> bool {
        self.service.tokens.with(TokenDirectory::is_empty)
    }

    /// Creates several tokens, all or none.
    pub async fn create_tokens(&self, requests: &[TokenRequest]) -> Result<Vec<NewToken>, GateFailure> {
        self.service.create_tokens(&self.by, requests).await
    }

    /// Starts the session of a browser, which was authenticated with `parent`: a link, a token, or the session that it
    /// continues. The session ends after `idle` without a continuation, and after `longest` in any case.
    pub async fn start_session(
        &self,
        parent: &TokenRecord,
        (idle, longest): (Duration, Duration),
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        self.service.start_session(parent, (idle, longest)).await
    }

    /// The passkey with this credential id (base64url), and its id, if it signs a person in.
    pub async fn find_passkey(
        &self,
        credential_id: &str,
    ) -> Result<Option<(String, PasskeyPublicKey)>, GateFailure> {
        self.service.find_passkey(credential_id).await
    }

    /// Starts the session of a browser, whose person was authenticated with this passkey, as
    /// [`start_session`](Self::start_session) does. `sign_in` is the SHA-256 of the challenge, which starts one session.
    /// Returns its holder, too.
    pub async fn start_passkey_session(
        &self,
        key: &str,
        sign_in: Sha256,
        spans: (Duration, Duration),
    ) -> Result<(TokenSecret, TokenCreated, Arc<TokenHolder>), GateFailure> {
        self.service.start_passkey_session(key, sign_in, spans).await
    }

    /// The secret by which all processes of the log recognise the challenges of sign-ins.
    pub async fn sign_in_secret(&self) -> Result<SignInSecret, GateFailure> {
        self.service.sign_in_secret().await
    }

    /// The id of the token or link at the beginning of the line of sessions of this one; `None` if there is none.
    #[must_use]
    pub fn find_origin(&self, record: &TokenRecord) -> Option<String> {
        self.service.find_origin(record)
    }

    /// Adds a key of an approver. `as_admin` is true if the caller acts as an administrator, and `token` the one whose
    /// rights the passkey gives when it signs in.
    pub async fn add_approver_key_as(
        &self,
        request: &ApproverKeyRequest,
        as_admin: bool,
        token: Option<String>,
    ) -> Result<ApproverKey, GateFailure> {
        self.service.add_approver_key(&self.by, request, (as_admin, token)).await
    }

    /// The person whose key this is; `None` if there is no such key.
    #[must_use]
    pub fn owner_of_key(&self, id: &str) -> Option<Principal> {
        self.service.owner_of_key(id)
    }

    /// Starts the session of a browser of a person who signed in at an identity provider. It ends after `idle` without a
    /// continuation, and after `longest` in any case. A sign-in starts one session.
    pub async fn start_account_session(
        &self,
        person: &AccountHolder,
        (idle, longest): (Duration, Duration),
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        self.service.start_account_session(person, (idle, longest)).await
    }

    /// Ends all sessions of the principal of this gate.
    pub async fn end_sessions(&self) -> Result<(), GateFailure> {
        self.service.end_sessions(&self.by).await
    }
}
