//! The token directory of a log, built from its events.

use super::{
    AccountNames, ApproverKeyDirectory, ChatAccountDirectory, DelegationDirectory, KnownNames,
    PushDeviceDirectory, TokenHolder, TokenSecret,
};
use countersign_events::{
    Body, Event, EventGroup, Principal, Sha256, Timestamp, TokenCreated, TokenKind, TokenRevoked, TokenUsed,
    principal::PrincipalKind,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

/// The maximum length of a chain in which each session or link was made from the one before. It bounds the search for a
/// revoked ancestor.
const LONGEST_LINEAGE: usize = 10_000;

/// The time that a session stays in the directory after its latest end. Events of processes whose clocks differ less find
/// it.
const KEPT_AFTER_END: Duration = Duration::from_hours(1);

/// The tokens and approver keys in a log. Ended sessions are left out: people sign in again and again, and an ended
/// session has no further use.
#[derive(Debug, Clone, Default)]
pub struct TokenDirectory {
    /// Shared, because readers keep copies of the directory.
    tokens: BTreeMap<String, Arc<TokenRecord>>,
    /// The sessions by their latest end. One that continues another ends with it at the latest, so a session that is
    /// dropped is the ancestor of none that remains.
    session_ends: BTreeSet<(Timestamp, String)>,
    accounts: AccountNames,
    names: KnownNames,
    /// Whether the log has ever had a token.
    had_tokens: bool,
    /// The last of the first tokens that the service created together, as long as the log has no others.
    first_tokens: Option<FirstTokens>,
    approver_keys: ApproverKeyDirectory,
    push_devices: PushDeviceDirectory,
    chat_accounts: ChatAccountDirectory,
    delegations: DelegationDirectory,
}

/// The end of the first tokens.
#[derive(Debug, Clone, Copy)]
struct FirstTokens {
    last_seq: i64,
    at: Timestamp,
}

/// One token of a log.
#[derive(Debug, Clone)]
pub struct TokenRecord {
    /// The `seq` of the event that created it.
    pub seq: i64,
    /// What that event says.
    pub created: TokenCreated,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: Principal,
    /// The addresses that it was used from.
    pub addresses: BTreeSet<String>,
    /// The time of its first use from the last new address.
    pub last_new_address_at: Option<Timestamp>,
    /// Who revoked it, when, and why.
    pub revoked: Option<(Principal, Timestamp, Option<String>)>,
    /// Whether a session was made from it.
    pub has_sessions: bool,
    /// The holder, made once because every request needs it.
    pub holder: Arc<TokenHolder>,
}

/// The reason why a credential is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenRejection {
    /// No such token, or a wrong secret.
    #[error("the token is unknown")]
    Unknown,
    /// The token has expired.
    #[error("the token has expired")]
    Expired,
    /// The token, or the one that it was made from, was revoked.
    #[error("the token was revoked")]
    Revoked,
    /// The token was made for another purpose: links and sessions are not bearer tokens.
    #[error("the token cannot be used here")]
    WrongKind,
}

impl TokenDirectory {
    /// Applies an event, and drops the sessions that had ended by its time. Events about other things change nothing.
    pub fn evolve(&mut self, event: &Event, body: &Body) {
        if event.kind.group() == Some(EventGroup::Access) {
            self.drop_ended_sessions(event.timestamp);
            self.names.add(&event.principal);
        }
        self.approver_keys.evolve(event, body);
        self.push_devices.evolve(event, body);
        self.chat_accounts.evolve(event, body);
        self.delegations.evolve(event, body);
        match body {
            Body::TokenCreated(created) => self.add(event, created),
            Body::TokenUsed(TokenUsed { id, address }) => {
                if let Some(token) = self.tokens.get_mut(id).map(Arc::make_mut) {
                    token.addresses.insert(address.clone());
                    token.last_new_address_at = Some(event.timestamp);
                }
            }
            Body::TokenRevoked(TokenRevoked { id, reason }) => {
                if let Some(token) = self.tokens.get_mut(id).map(Arc::make_mut) {
                    token.revoked = Some((event.principal.clone(), event.timestamp, reason.clone()));
                }
            }
            Body::ApproverKeyAdded(added) => self.names.add(&added.approver),
            _ => {}
        }
    }

    /// All person and agent names in the log.
    #[must_use]
    pub const fn names(&self) -> &KnownNames {
        &self.names
    }

    fn drop_ended_sessions(&mut self, now: Timestamp) {
        while let Some((end, _)) = self.session_ends.first()
            && end.after(KEPT_AFTER_END) <= now
        {
            if let Some((_, id)) = self.session_ends.pop_first() {
                self.tokens.remove(&id);
            }
        }
    }

    /// The approvers' keys.
    #[must_use]
    pub const fn approver_keys(&self) -> &ApproverKeyDirectory {
        &self.approver_keys
    }

    /// The devices that get notifications.
    #[must_use]
    pub const fn push_devices(&self) -> &PushDeviceDirectory {
        &self.push_devices
    }

    /// The chat accounts that are linked to people.
    #[must_use]
    pub const fn chat_accounts(&self) -> &ChatAccountDirectory {
        &self.chat_accounts
    }

    /// The delegations in the log that have not ended.
    #[must_use]
    pub const fn delegations(&self) -> &DelegationDirectory {
        &self.delegations
    }

    fn add(&mut self, event: &Event, created: &TokenCreated) {
        let is_first = event.principal.kind() == PrincipalKind::System
            && created.kind != TokenKind::Session
            && (self.is_empty() || self.continues_first_tokens(event.seq, event.timestamp));
        self.first_tokens = is_first.then_some(FirstTokens { last_seq: event.seq, at: event.timestamp });
        self.had_tokens = true;
        self.names.add(&TokenHolder::principal_of(created));
        if let Some(account) = &created.account {
            self.accounts.bind(account, &created.name);
        }
        if let Some(parent) = created.parent.as_ref().and_then(|parent| self.tokens.get_mut(parent)) {
            Arc::make_mut(parent).has_sessions = true;
        }
        let record = TokenRecord {
            seq: event.seq,
            holder: Arc::new(TokenHolder::from_event(created)),
            created: created.clone(),
            created_at: event.timestamp,
            created_by: event.principal.clone(),
            addresses: BTreeSet::new(),
            last_new_address_at: None,
            revoked: None,
            has_sessions: false,
        };
        self.tokens.entry(created.id.clone()).or_insert_with(|| Arc::new(record));
        if let (TokenKind::Session, Some(end)) = (created.kind, created.ends_at) {
            self.session_ends.insert((end, created.id.clone()));
        }
    }

    /// The token with this id.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<&Arc<TokenRecord>> {
        self.tokens.get(id)
    }

    /// All tokens, in the order of their ids.
    pub fn records(&self) -> impl Iterator<Item = &TokenRecord> {
        self.tokens.values().map(AsRef::as_ref)
    }

    /// Returns true if the log has never had a token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.had_tokens
    }

    /// Returns true if an event at this position can belong to the command that created the first tokens: it directly
    /// follows them, at the same time, and the log has no other tokens.
    pub(crate) fn continues_first_tokens(&self, seq: i64, at: Timestamp) -> bool {
        self.first_tokens.is_some_and(|first| first.last_seq + 1 == seq && first.at == at)
    }

    /// The names of the people who signed in at an identity provider.
    #[must_use]
    pub fn accounts(&self) -> &AccountNames {
        &self.accounts
    }

    /// Returns true if a sign-in at an identity provider or with a passkey has made a session.
    pub(crate) fn has_signed_in(&self, sign_in: &Sha256) -> bool {
        self.records().any(|token| token.created.sign_in.as_ref() == Some(sign_in))
    }

    /// The token, link or session that a session was made from. For a session that a passkey began, it is the token under
    /// which the passkey was registered.
    fn find_parent(&self, record: &TokenRecord) -> Option<&TokenRecord> {
        let parent = record.created.parent.as_deref()?;
        self.find(parent).map(AsRef::as_ref).or_else(|| self.find_token_of_passkey(parent))
    }

    /// The token whose rights a passkey gives when it signs in.
    #[must_use]
    pub fn find_token_of_passkey(&self, key: &str) -> Option<&TokenRecord> {
        let token = self.approver_keys.find(key)?.added.token.as_deref()?;
        self.find(token).map(AsRef::as_ref)
    }

    /// The first session of the chain in which each session continues the one before; `None` for another token.
    pub(super) fn start_of_session(&self, record: &TokenRecord) -> Option<&TokenRecord> {
        let is_session = |record: &&TokenRecord| record.created.kind == TokenKind::Session;
        let record = self.find(&record.created.id).map(AsRef::as_ref).filter(is_session)?;
        let parent = |record: &&TokenRecord| self.find(record.created.parent.as_deref()?).map(AsRef::as_ref);
        std::iter::successors(Some(record), parent).take(LONGEST_LINEAGE).take_while(is_session).last()
    }

    fn is_of_removed_passkey(&self, record: &TokenRecord) -> bool {
        let key = record.created.parent.as_deref().and_then(|parent| self.approver_keys.find(parent));
        key.is_some_and(|key| key.removed.is_some())
    }

    /// The id of the token or link from which this chain of sessions started. `None` for a session that was not made
    /// from a token.
    #[must_use]
    pub fn find_origin(&self, record: &TokenRecord) -> Option<String> {
        let parent = |record: &&TokenRecord| self.find_parent(record);
        let origin = std::iter::successors(Some(record), parent).take(LONGEST_LINEAGE).last()?;
        (origin.created.kind != TokenKind::Session).then(|| origin.created.id.clone())
    }

    /// Returns the token with this secret if it is accepted now. `kind` is the purpose that it is used for.
    pub fn authenticate(
        &self,
        secret: &TokenSecret,
        kind: TokenKind,
        now: Timestamp,
    ) -> Result<&Arc<TokenRecord>, TokenRejection> {
        let record = self.find(secret.id()).ok_or(TokenRejection::Unknown)?;
        if !record.created.hash.equals_in_constant_time(&secret.hash()) {
            return Err(TokenRejection::Unknown);
        }
        // Other programs on the host receive the session cookie, so the cookie alone proves nothing.
        if record.created.kind != kind || secret.is_bound() != (kind == TokenKind::Session) {
            return Err(TokenRejection::WrongKind);
        }
        self.check(record, now)?;
        Ok(record)
    }

    /// Checks that a token is accepted now: it has not expired, and neither it nor one that it was made from is
    /// revoked. A session outlives the session that it continues if that one expires, but not if it is revoked.
    pub fn check(&self, record: &TokenRecord, now: Timestamp) -> Result<(), TokenRejection> {
        if record.created.expires_at.is_some_and(|end| end <= now) {
            return Err(TokenRejection::Expired);
        }
        let parent = |record: &&TokenRecord| self.find_parent(record);
        let mut lineage = std::iter::successors(Some(record), parent).take(LONGEST_LINEAGE);
        let has_ended =
            |ancestor: &TokenRecord| ancestor.revoked.is_some() || self.is_of_removed_passkey(ancestor);
        if lineage.any(has_ended) { Err(TokenRejection::Revoked) } else { Ok(()) }
    }
}
