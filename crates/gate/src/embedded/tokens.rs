//! The log's tokens: create, list, revoke, and recognise them.

use super::EmbeddedService;
use crate::{GateFailure, view::view_token};
use countersign_api as api;
use countersign_approvals::{
    CommandCaller, LogCommand, Refused,
    access::{Right, TokenRecord, TokenSecret},
};
use countersign_events::{Body, Timestamp, TokenCreated, TokenKind, TokenRevoked, TokenUsed};
use std::{
    sync::{Arc, PoisonError},
    time::Duration,
};

/// The default lifetime of a link.
const LINK_SPAN: Duration = Duration::from_mins(15);

/// The longest token lifetime: ten years.
const LONGEST_SPAN: u64 = 315_360_000;

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
    pub(crate) async fn execute_on_tokens(
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
pub(crate) fn random_secret() -> Result<TokenSecret, GateFailure> {
    Ok(TokenSecret::from_random(&random_bytes()?))
}

pub(crate) fn random_bytes<const N: usize>() -> Result<[u8; N], GateFailure> {
    let mut bytes = [0; N];
    api::fill_random(&mut bytes)
        .map_err(|why| GateFailure::invalid("token", &format!("the system has no randomness: {why}")))?;
    Ok(bytes)
}
