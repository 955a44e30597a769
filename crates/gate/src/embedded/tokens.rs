//! The log's tokens: create, list, revoke, and recognise them.

use super::EmbeddedService;
use crate::{GateFailure, view::view_token};
use countersign_api as api;
use countersign_approvals::{
    CommandCaller, LogCommand, Refused,
    access::{PageKey, Right, TokenHolder, TokenRecord, TokenRejection, TokenSecret},
};
use countersign_events::{
    Body, Principal, ProviderAccount, Role, Sha256, Timestamp, TokenCreated, TokenKind, TokenRevoked,
    TokenUsed,
};
use countersign_proofs::passkey::{PasskeyPublicKey, SignInSecret};
use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

/// The default lifetime of a link.
const LINK_SPAN: Duration = Duration::from_mins(15);

/// The longest token lifetime: ten years.
const LONGEST_SPAN: u64 = 315_360_000;

/// A person who was authenticated with a passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeySignIn {
    /// The key's id.
    pub key: String,
    /// The challenge's SHA-256, which starts one session.
    pub sign_in: Sha256,
}

/// A person who signed in at an identity provider, with the rights that the provider's claims give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountHolder {
    /// The account.
    pub account: ProviderAccount,
    /// The SHA-256 of the sign-in's `state`, which makes one session.
    pub sign_in: Sha256,
    /// The name, without a kind. An account that has signed in before keeps the name of its first sign-in.
    pub name: String,
    /// The role.
    pub role: Role,
    /// The approver level.
    pub level: Option<String>,
    /// The approver groups.
    pub groups: Vec<String>,
}

/// The pages to which a session belongs.
#[derive(Debug, Clone)]
pub struct SessionPages {
    /// The second part of the session's secret.
    pub key: PageKey,
    /// Their origin, if the server knows it. A session that continues another one keeps the origin of that one.
    pub web_origin: Option<String>,
}

/// How long a session lasts.
#[derive(Debug, Clone, Copy)]
pub struct SessionSpans {
    /// It ends after this time without a continuation.
    pub idle: Duration,
    /// It ends after this time in any case.
    pub longest: Duration,
}

impl SessionPages {
    /// Makes a new session's key. Fails if the system has no randomness.
    pub fn new(web_origin: Option<String>) -> Result<Self, GateFailure> {
        Ok(Self { key: PageKey::from_random(&random_bytes()?), web_origin })
    }
}

impl EmbeddedService {
    /// Lists tokens, the oldest first.
    pub(crate) fn tokens(&self, query: api::SelectionQuery) -> api::TokenPage {
        let api::SelectionQuery { all, page } = query;
        let now = self.store.clock().now();
        let limit = page.limit.min(api::MAX_PAGE);
        self.tokens.with(|directory| {
            let is_listed = |token: &api::Token| {
                all || token.state == api::TokenState::Active && token.kind != TokenKind::Session
            };
            let mut tokens: Vec<_> = directory
                .records()
                .filter(|record| record.seq > page.after)
                .map(|record| view_token(record, directory, now))
                .filter(is_listed)
                .collect();
            tokens.sort_by_key(|token| token.seq);
            let more = tokens.len() > limit;
            tokens.truncate(limit);
            let next = tokens.last().map(|token| token.seq).filter(|_| more);
            api::TokenPage { tokens, next }
        })
    }

    /// Creates tokens, all or none. Returns when this process accepts them.
    pub(crate) async fn create_tokens(
        &self,
        by: &CommandCaller,
        requests: &[api::TokenRequest],
    ) -> Result<Vec<api::NewToken>, GateFailure> {
        let (secrets, created) = self.new_tokens(requests)?;
        self.execute_on_tokens(by, LogCommand::Record(created.into_iter().map(Body::TokenCreated).collect()))
            .await?;
        secrets.iter().map(|secret| Ok(self.view_new_token(secret).ok_or(Refused::UnknownToken)?)).collect()
    }

    /// Creates the first tokens of the log, all or none. Returns `None` if the log has tokens.
    pub(crate) async fn create_first_tokens(
        &self,
        by: &CommandCaller,
        requests: &[api::TokenRequest],
    ) -> Result<Option<Vec<api::NewToken>>, GateFailure> {
        let (secrets, created) = self.new_tokens(requests)?;
        self.execute_on_tokens(by, LogCommand::CreateFirstTokens(created)).await?;
        Ok(secrets.iter().map(|secret| self.view_new_token(secret)).collect())
    }

    /// New secrets, and the events of their tokens.
    fn new_tokens(
        &self,
        requests: &[api::TokenRequest],
    ) -> Result<(Vec<TokenSecret>, Vec<TokenCreated>), GateFailure> {
        let now = self.store.clock().now();
        let secrets: Vec<_> = requests.iter().map(|_| random_secret()).collect::<Result<_, _>>()?;
        let created = requests.iter().zip(&secrets).map(|(request, secret)| new_token(request, secret, now));
        let created = created.collect::<Result<_, _>>()?;
        Ok((secrets, created))
    }

    fn view_new_token(&self, secret: &TokenSecret) -> Option<api::NewToken> {
        let token = self.view_token(secret.id())?;
        Some(api::NewToken { secret: secret.expose().to_owned(), token })
    }

    /// Starts a browser session from a link, a token or an earlier session.
    pub(crate) async fn start_session(
        &self,
        parent: &TokenRecord,
        pages: &SessionPages,
        SessionSpans { idle, longest }: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        let secret = random_secret()?.bound_to(&pages.key);
        let (now, from) = (self.store.clock().now(), &parent.created);
        let continues = from.kind == TokenKind::Session;
        let of_token = from.expires_at.filter(|_| from.kind == TokenKind::Token);
        let latest = from.ends_at.unwrap_or_else(|| now.after(longest));
        let ends_at = of_token.map_or(latest, |end| end.min(latest));
        let created = TokenCreated {
            id: secret.id().to_owned(),
            kind: TokenKind::Session,
            hash: secret.hash(),
            expires_at: Some(now.after(idle).min(ends_at)),
            ends_at: Some(ends_at),
            parent: Some(from.id.clone()),
            web_origin: if continues { from.web_origin.clone() } else { pages.web_origin.clone() },
            ..from.clone()
        };
        self.record_session(&created).await?;
        Ok((secret, created))
    }

    /// Starts a session for a person who signed in at an identity provider. An account that has signed in before keeps
    /// its name.
    pub(crate) async fn start_account_session(
        &self,
        person: &AccountHolder,
        pages: &SessionPages,
        SessionSpans { idle, longest }: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        // Another process may have given the account its name a moment ago.
        self.tokens.reload(&self.store).await?;
        let (secret, now) = (random_secret()?.bound_to(&pages.key), self.store.clock().now());
        let known =
            self.tokens.with(|directory| directory.accounts().name_of(&person.account).map(str::to_owned));
        let created = TokenCreated {
            id: secret.id().to_owned(),
            kind: TokenKind::Session,
            name: known.unwrap_or_else(|| person.name.clone()),
            role: person.role,
            level: person.level.clone(),
            groups: person.groups.clone(),
            threads: Vec::new(),
            hash: secret.hash(),
            expires_at: Some(now.after(idle.min(longest))),
            ends_at: Some(now.after(longest)),
            parent: None,
            account: Some(person.account.clone()),
            sign_in: Some(person.sign_in),
            web_origin: pages.web_origin.clone(),
        };
        self.record_session(&created).await?;
        Ok((secret, created))
    }

    async fn record_session(&self, created: &TokenCreated) -> Result<(), GateFailure> {
        let by = Principal::system("sign-in").into();
        self.execute_on_tokens(&by, LogCommand::Record(vec![Body::TokenCreated(created.clone())])).await
    }

    /// The passkeys with this credential id (base64url) that sign a person in, and their ids. An old log may have several.
    pub(crate) async fn find_passkeys(
        &self,
        credential_id: &str,
    ) -> Result<Vec<(String, PasskeyPublicKey)>, GateFailure> {
        // Another process may have registered or removed it a moment ago.
        self.tokens.reload(&self.store).await?;
        Ok(self.tokens.with(|directory| {
            let keys = directory.approver_keys().records();
            let found = keys.filter_map(|record| {
                let passkey = record.public_key.as_ref()?.passkey()?;
                let signs_in = record.removed.is_none() && record.added.token.is_some();
                (signs_in && passkey.credential_id() == credential_id)
                    .then(|| (record.added.id.clone(), passkey.clone()))
            });
            found.collect()
        }))
    }

    /// The secret by which processes recognise sign-in challenges.
    pub(crate) async fn sign_in_secret(&self) -> Result<SignInSecret, GateFailure> {
        Ok(SignInSecret::new(&self.store.sign_in_secret().await?))
    }

    /// Starts a session for a person who was authenticated with this passkey. It has the rights of the token under
    /// which the person registered the passkey.
    pub(crate) async fn start_passkey_session(
        &self,
        PasskeySignIn { key, sign_in }: &PasskeySignIn,
        pages: &SessionPages,
        SessionSpans { idle, longest }: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated, Arc<TokenHolder>), GateFailure> {
        let origin = self.tokens.with(|directory| directory.find_token_of_passkey(key).cloned());
        let origin = origin.ok_or(Refused::UnknownToken)?;
        let secret = random_secret()?.bound_to(&pages.key);
        let (now, from) = (self.store.clock().now(), &origin.created);
        let end = from.expires_at.filter(|_| from.kind == TokenKind::Token);
        let ends_at = end.map_or(now.after(longest), |end| end.min(now.after(longest)));
        let created = TokenCreated {
            id: secret.id().to_owned(),
            kind: TokenKind::Session,
            hash: secret.hash(),
            expires_at: Some(now.after(idle).min(ends_at)),
            ends_at: Some(ends_at),
            parent: Some(key.clone()),
            sign_in: Some(*sign_in),
            web_origin: pages.web_origin.clone(),
            ..from.clone()
        };
        self.record_session(&created).await?;
        Ok((secret, created, origin.holder))
    }

    /// The id of the token or link from which this session and its predecessors come.
    pub(crate) fn find_origin(&self, record: &TokenRecord) -> Option<String> {
        self.tokens.with(|directory| directory.find_origin(record))
    }

    /// Revokes a token and everything that was made from it. Returns when this process does not accept them.
    pub(crate) async fn revoke_token(
        &self,
        by: &CommandCaller,
        id: &str,
        request: &api::RevokeTokenRequest,
    ) -> Result<api::Token, GateFailure> {
        let revoked = TokenRevoked { id: id.to_owned(), reason: request.reason.clone() };
        self.execute_on_tokens(by, LogCommand::Record(vec![Body::TokenRevoked(revoked)])).await?;
        self.view_token(id).ok_or_else(|| Refused::UnknownToken.into())
    }

    /// Ends all sessions of the caller.
    pub(crate) async fn end_sessions(&self, by: &CommandCaller) -> Result<(), GateFailure> {
        let name = by.principal.as_str().split_once(':').map_or("", |(_, name)| name).to_owned();
        self.execute_on_tokens(by, LogCommand::EndSessions(name)).await
    }

    /// Returns the token with this secret if it is accepted now. `kind` is the purpose that it is used for.
    pub(crate) async fn authenticate(
        &self,
        secret: &TokenSecret,
        kind: TokenKind,
    ) -> Result<Result<Arc<TokenRecord>, TokenRejection>, GateFailure> {
        let now = self.store.clock().now();
        Ok(self.tokens.authenticate(&self.store, secret, kind, now).await?)
    }

    /// Returns true if the token is accepted now. A caller without a token has none that could end.
    pub(crate) fn is_accepted(&self, token: Option<&str>) -> bool {
        let now = self.store.clock().now();
        let Some(id) = token else { return true };
        self.tokens
            .with(|directory| directory.find(id).is_some_and(|record| directory.check(record, now).is_ok()))
    }

    /// Records that a token is used from an address, if it is the first time. It returns before that is written, because no
    /// reader waits for a writer, and a log that cannot be written refuses no reader: the failure is only logged.
    pub(crate) fn record_token_use(self: &Arc<Self>, record: &TokenRecord, address: &str) {
        let id = &record.created.id;
        let is_known = || {
            self.tokens
                .with(|directory| directory.find(id).is_some_and(|record| record.addresses.contains(address)))
        };
        if is_known() || self.store.is_read_only() {
            return;
        }
        let key = (id.clone(), address.to_owned());
        let is_first =
            self.tokens.recording.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone());
        if !is_first {
            return;
        }
        let by = record.holder.caller(Right::Read);
        let service = Arc::clone(self);
        tokio::spawn(async move {
            let used = TokenUsed { id: key.0.clone(), address: key.1.clone() };
            if let Err(error) =
                service.execute_on_tokens(&by, LogCommand::Record(vec![Body::TokenUsed(used)])).await
            {
                tracing::warn!(%error, token = key.0, "the first use of a token from an address was not recorded");
            }
            service.tokens.recording.lock().unwrap_or_else(PoisonError::into_inner).remove(&key);
        });
    }

    fn view_token(&self, id: &str) -> Option<api::Token> {
        let now = self.store.clock().now();
        self.tokens.with(|directory| Some(view_token(directory.find(id)?, directory, now)))
    }

    /// Executes a command about access. Returns when this process knows the outcome.
    pub(super) async fn execute_on_tokens(
        &self,
        by: &CommandCaller,
        command: LogCommand,
    ) -> Result<(), GateFailure> {
        self.execute_on_log(by, command).await?;
        Ok(self.tokens.reload(&self.store).await?)
    }
}

/// A new token's event.
fn new_token(
    request: &api::TokenRequest,
    secret: &TokenSecret,
    now: Timestamp,
) -> Result<TokenCreated, GateFailure> {
    if request.kind == TokenKind::Session {
        return Err(GateFailure::invalid("kind", &"the server makes sessions when a person signs in"));
    }
    let span = match request.expires_in_seconds {
        Some(seconds) if seconds == 0 || seconds > LONGEST_SPAN => {
            return Err(GateFailure::invalid("expiresInSeconds", &"use a number from 1 to 315360000"));
        }
        Some(seconds) => Some(Duration::from_secs(seconds)),
        None => (request.kind == TokenKind::Link).then_some(LINK_SPAN),
    };
    Ok(TokenCreated {
        id: secret.id().to_owned(),
        kind: request.kind,
        name: request.name.clone(),
        role: request.role,
        level: request.level.clone(),
        groups: request.groups.clone(),
        threads: request.threads.clone(),
        hash: secret.hash(),
        expires_at: span.map(|span| now.after(span)),
        ends_at: None,
        parent: None,
        account: None,
        sign_in: None,
        web_origin: None,
    })
}

/// A secret from the system's randomness. Fails if the system has none.
fn random_secret() -> Result<TokenSecret, GateFailure> {
    Ok(TokenSecret::from_random(&random_bytes()?))
}

fn random_bytes<const N: usize>() -> Result<[u8; N], GateFailure> {
    let mut bytes = [0; N];
    api::fill_random(&mut bytes)
        .map_err(|why| GateFailure::invalid("token", &format!("the system has no randomness: {why}")))?;
    Ok(bytes)
}
