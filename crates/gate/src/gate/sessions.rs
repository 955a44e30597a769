//! Browser sessions: their beginnings, and what they come from.

use super::EmbeddedGate;
use crate::{
    GateFailure,
    embedded::{random_bytes, random_secret},
};
use countersign_approvals::{
    LogCommand, Refused,
    access::{PageKey, TokenHolder, TokenRecord, TokenSecret},
};
use countersign_events::{Body, Principal, ProviderAccount, Role, Sha256, TokenCreated, TokenKind};
use countersign_proofs::passkey::{PasskeyPublicKey, SignInSecret};
use std::{sync::Arc, time::Duration};

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

impl EmbeddedGate {
    /// Starts a browser session, authenticated with `parent`: a link, a token, or the session that it continues.
    pub async fn start_session(
        &self,
        parent: &TokenRecord,
        pages: &SessionPages,
        SessionSpans { idle, longest }: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        let secret = random_secret()?.bound_to(&pages.key);
        let (now, from) = (self.service.store.clock().now(), &parent.created);
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

    /// Starts a browser session for a person who signed in at an identity provider. A sign-in starts one session.
    pub async fn start_account_session(
        &self,
        person: &AccountHolder,
        pages: &SessionPages,
        SessionSpans { idle, longest }: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated), GateFailure> {
        // Another process may have given the account its name a moment ago.
        self.service.tokens.reload(&self.service.store).await?;
        let (secret, now) = (random_secret()?.bound_to(&pages.key), self.service.store.clock().now());
        let known = self
            .service
            .tokens
            .with(|directory| directory.accounts().name_of(&person.account).map(str::to_owned));
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

    /// Starts a browser session for a person who was authenticated with a passkey, as
    /// [`start_session`](Self::start_session) does. Returns its holder, too.
    pub async fn start_passkey_session(
        &self,
        PasskeySignIn { key, sign_in }: &PasskeySignIn,
        pages: &SessionPages,
        SessionSpans { idle, longest }: SessionSpans,
    ) -> Result<(TokenSecret, TokenCreated, Arc<TokenHolder>), GateFailure> {
        let origin = self.service.tokens.with(|directory| directory.find_token_of_passkey(key).cloned());
        let origin = origin.ok_or(Refused::UnknownToken)?;
        let secret = random_secret()?.bound_to(&pages.key);
        let (now, from) = (self.service.store.clock().now(), &origin.created);
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

    async fn record_session(&self, created: &TokenCreated) -> Result<(), GateFailure> {
        let by = Principal::system("sign-in").into();
        self.service
            .execute_on_tokens(&by, LogCommand::Record(vec![Body::TokenCreated(created.clone())]))
            .await
    }

    /// The passkeys with this credential id (base64url) that sign a person in, and their ids. An old log may have several.
    pub async fn find_passkeys(
        &self,
        credential_id: &str,
    ) -> Result<Vec<(String, PasskeyPublicKey)>, GateFailure> {
        // Another process may have registered or removed it a moment ago.
        self.service.tokens.reload(&self.service.store).await?;
        Ok(self.service.tokens.with(|directory| {
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

    /// The secret by which all processes of the log recognise sign-in challenges.
    pub async fn sign_in_secret(&self) -> Result<SignInSecret, GateFailure> {
        Ok(SignInSecret::new(self.service.store.sign_in_secret().await?))
    }

    /// The id of the token or link from which this session and its predecessors come; `None` if there is none.
    #[must_use]
    pub fn find_origin(&self, record: &TokenRecord) -> Option<String> {
        self.service.tokens.with(|directory| directory.find_origin(record))
    }

    /// Ends all sessions of this gate's principal.
    pub async fn end_sessions(&self) -> Result<(), GateFailure> {
        let name = self.by.principal.as_str().split_once(':').map_or("", |(_, name)| name).to_owned();
        self.service.execute_on_tokens(&self.by, LogCommand::EndSessions(name)).await
    }
}
