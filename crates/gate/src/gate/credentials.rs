//! Log credentials: who calls, and with which rights.

use super::EmbeddedGate;
use crate::{
    GateFailure,
    embedded::{AccountHolder, KeyRegistration, PasskeySignIn, SessionPages, SessionSpans},
};
use countersign_api::{ApproverKey, ApproverKeyRequest, NewToken, TokenRequest};
use countersign_approvals::access::{
    Right, TokenDirectory, TokenHolder, TokenRecord, TokenRejection, TokenSecret,
};
use countersign_events::{Principal, TokenCreated, TokenKind};
use countersign_proofs::passkey::{PasskeyPublicKey, SignInSecret};
use std::sync::Arc;
use tokio::sync::watch;

impl EmbeddedGate {
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
        self.service.authenticate(secret, kind).await
    }

    /// Returns true if the token with this id is accepted now; also if `token` is `None`, for a caller without a token.
    #[must_use]
    pub fn is_token_accepted(&self, token: Option<&str>) -> bool {
        self.service.is_accepted(token)
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

    /// Starts a browser session, authenticated with `parent`: a link, a token, or the session that it continues.
    pub async fn start_session(
        &self,
        parent: &TokenRecord,
        pages: &SessionPages,
        spans: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        self.service.start_session(parent, pages, spans).await
    }

    /// The passkeys with this credential id (base64url) that sign a person in, and their ids. An old log may have several.
    pub async fn find_passkeys(
        &self,
        credential_id: &str,
    ) -> Result<Vec<(String, PasskeyPublicKey)>, GateFailure> {
        self.service.find_passkeys(credential_id).await
    }

    /// Starts a browser session for a person who was authenticated with a passkey, as
    /// [`start_session`](Self::start_session) does. Returns its holder, too.
    pub async fn start_passkey_session(
        &self,
        sign_in: &PasskeySignIn,
        pages: &SessionPages,
        spans: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated, Arc<TokenHolder>), GateFailure> {
        self.service.start_passkey_session(sign_in, pages, spans).await
    }

    /// The secret by which all processes of the log recognise sign-in challenges.
    pub async fn sign_in_secret(&self) -> Result<SignInSecret, GateFailure> {
        self.service.sign_in_secret().await
    }

    /// The id of the token or link from which this session and its predecessors come; `None` if there is none.
    #[must_use]
    pub fn find_origin(&self, record: &TokenRecord) -> Option<String> {
        self.service.find_origin(record)
    }

    /// Adds an approver key, with what the server knows about its registration.
    pub async fn add_approver_key_as(
        &self,
        request: &ApproverKeyRequest,
        registration: KeyRegistration,
    ) -> Result<ApproverKey, GateFailure> {
        self.service.add_approver_key(&self.by, request, registration).await
    }

    /// The person whose key this is; `None` if there is no such key.
    #[must_use]
    pub fn owner_of_key(&self, id: &str) -> Option<Principal> {
        self.service.owner_of_key(id)
    }

    /// Starts a browser session for a person who signed in at an identity provider. A sign-in starts one session.
    pub async fn start_account_session(
        &self,
        person: &AccountHolder,
        pages: &SessionPages,
        spans: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        self.service.start_account_session(person, pages, spans).await
    }

    /// Ends all sessions of this gate's principal.
    pub async fn end_sessions(&self) -> Result<(), GateFailure> {
        self.service.end_sessions(&self.by).await
    }
}
