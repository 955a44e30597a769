//! Access rules. People create tokens, and the service makes a session when a person signs in. If a log has no tokens,
//! the service itself creates the first ones.

use super::{
    AdmissionContext, LogRegistry, approver_keys, chat_accounts, delegations, push_devices, wrong_group,
};
use crate::{
    Refused,
    access::{SOLO_MARK, TokenDirectory, TokenHolder, TokenRecord, TokenRejection, VisibleThreads},
    decide::check_is_person,
};
use countersign_events::{
    Body, Event, Principal, ProviderAccount, Role, Sha256, Timestamp, TokenCreated, TokenKind, TokenRevoked,
    TokenUsed,
    id::{check_actor_name, check_name},
    principal::PrincipalKind,
};
use countersign_proofs::passkey::is_web_origin;
use std::time::Duration;

/// The maximum lifetime of a link.
pub const LONGEST_LINK: Duration = Duration::from_hours(24);

/// The maximum number of recorded addresses per token. A token that travels must not fill the log.
pub const MAX_ADDRESSES: usize = 256;

/// The maximum number of groups, and of thread globs, per token.
const MAX_LIST: usize = 64;

const ID_IS_TAKEN: &str = "another token has this id";

/// The maximum length of an address or reason, in bytes.
const MAX_TEXT_BYTES: usize = 1_024;

impl LogRegistry for TokenDirectory {
    fn admit(&self, fact: Body, context: &AdmissionContext<'_>) -> Result<Option<Body>, Refused> {
        let is_new = match &fact {
            Body::TokenCreated(created) => {
                check_created(created, self, context)?;
                true
            }
            Body::TokenUsed(used) => check_used(used, context.by, self)?,
            Body::TokenRevoked(revoked) => check_revoked(revoked, context.by, self)?,
            Body::ApproverKeyAdded(added) => approver_keys::check_added(added, self, context)?,
            Body::ApproverKeyRemoved(removed) => approver_keys::check_removed(removed, self, context)?,
            Body::PushDeviceSet(set) => push_devices::check_set(set, self, context)?,
            Body::PushDeviceRemoved(removed) => push_devices::check_removed(removed, self, context)?,
            Body::ChatAccountLinked(linked) => chat_accounts::check_linked(linked, self, context)?,
            Body::ChatAccountUnlinked(unlinked) => chat_accounts::check_unlinked(unlinked, self, context)?,
            Body::DelegationSet(set) => delegations::check_set(set, self, context)?,
            Body::DelegationEnded(ended) => delegations::check_ended(ended, self, context)?,
            _ => return Err(wrong_group()),
        };
        Ok(is_new.then_some(fact))
    }

    fn check_together(&self, facts: &[Body]) -> Result<(), Refused> {
        let created: Vec<_> = facts
            .iter()
            .filter_map(|fact| match fact {
                Body::TokenCreated(created) => Some(created),
                _ => None,
            })
            .collect();
        for (index, token) in created.iter().enumerate() {
            check_differs(token, &created[..index])?;
            if token.kind == TokenKind::Session && created.len() > 1 {
                return Err(Refused::invalid("kind", "a session is created alone"));
            }
        }
        Ok(())
    }

    fn evolve(&mut self, event: &Event, body: &Body) {
        Self::evolve(self, event, body);
    }
}

impl TokenDirectory {
    /// The end times of this person's currently accepted sessions.
    pub(super) fn open_sessions(&self, name: &str, now: Timestamp) -> impl Iterator<Item = TokenRevoked> {
        let is_open = move |token: &&TokenRecord| {
            token.created.kind == TokenKind::Session
                && token.created.name == name
                && self.check(token, now).is_ok()
        };
        self.records().filter(is_open).map(|token| {
            let reason = Some("signed out everywhere".to_owned());
            TokenRevoked { id: token.created.id.clone(), reason }
        })
    }
}

fn check_created(
    token: &TokenCreated,
    tokens: &TokenDirectory,
    context: &AdmissionContext<'_>,
) -> Result<(), Refused> {
    check_token(token, context.now)?;
    check_new_name(token, tokens)?;
    if tokens.find(&token.id).is_some() {
        return Err(Refused::invalid("id", ID_IS_TAKEN));
    }
    if token.kind == TokenKind::Session {
        return check_session(token, context.by, tokens, context.now);
    }
    let continues = |seq| tokens.continues_first_tokens(seq, context.now);
    let is_first = tokens.is_empty() || context.recorded_seq.is_some_and(continues);
    if is_first && context.by.kind() == PrincipalKind::System { Ok(()) } else { check_is_person(context.by) }
}

/// Checks a token against the others of its command.
fn check_differs(token: &TokenCreated, others: &[&TokenCreated]) -> Result<(), Refused> {
    if others.iter().any(|other| other.id == token.id) {
        return Err(Refused::invalid("id", ID_IS_TAKEN));
    }
    let actor = TokenHolder::principal_of(token);
    for other in others.iter().map(|other| TokenHolder::principal_of(other)) {
        if other != actor && other.is_same_actor(&actor) {
            return Err(Refused::OtherSpelling { given: actor, known: other });
        }
    }
    Ok(())
}

/// Refuses a new holder's name if it is a list, or another spelling of a name in the log. A session that is made from
/// another credential has that credential's name.
fn check_new_name(token: &TokenCreated, tokens: &TokenDirectory) -> Result<(), Refused> {
    if token.parent.is_some() {
        return Ok(());
    }
    let known = token.account.as_ref().and_then(|account| tokens.accounts().name_of(account));
    if known == Some(token.name.as_str()) {
        return Ok(());
    }
    check_actor_name(&token.name).map_err(|why| Refused::invalid("name", &why.to_string()))?;
    Refused::check_spelling(&TokenHolder::principal_of(token), tokens)
}

fn check_token(token: &TokenCreated, now: Timestamp) -> Result<(), Refused> {
    check_name(&token.name).map_err(|why| Refused::invalid("name", &why.to_string()))?;
    if token.name.ends_with(SOLO_MARK) {
        return Err(Refused::invalid("name", "names that end with (solo) mark callers without a credential"));
    }
    if token.id.is_empty() || token.id.len() > MAX_TEXT_BYTES {
        return Err(Refused::invalid("id", "it is empty or too long"));
    }
    VisibleThreads::parse(&token.threads).map_err(|why| Refused::invalid("threads", &why.to_string()))?;
    if token.threads.len() > MAX_LIST || token.groups.len() > MAX_LIST {
        return Err(Refused::invalid("threads", &format!("a token has up to {MAX_LIST} globs and groups")));
    }
    for group in token.groups.iter().chain(&token.level) {
        check_name(group).map_err(|why| Refused::invalid("groups", &format!("{group:?}: {why}")))?;
    }
    check_role(token)?;
    if token.expires_at.is_some_and(|end| end <= now) {
        return Err(Refused::invalid("expiresAt", "it is in the past"));
    }
    if token.kind == TokenKind::Link {
        let latest = now.after(LONGEST_LINK);
        if token.expires_at.is_none_or(|end| end > latest) {
            return Err(Refused::invalid("expiresAt", "a link expires within a day"));
        }
    }
    let is_session = token.kind == TokenKind::Session;
    if !is_session && (token.parent.is_some() || token.ends_at.is_some()) {
        return Err(Refused::invalid("parent", "only a session is made from another token"));
    }
    if !is_session && token.account.is_some() {
        return Err(Refused::invalid("account", "only a session has the account of an identity provider"));
    }
    if !is_session && token.sign_in.is_some() {
        return Err(Refused::invalid("signIn", "only a session has one"));
    }
    if token.web_origin.as_deref().is_some_and(|origin| !is_session || !is_web_origin(origin)) {
        return Err(Refused::invalid(
            "webOrigin",
            "only a session has one, in the form http://countersign.localhost:7878",
        ));
    }
    Ok(())
}

/// The fields that a role may have.
fn check_role(token: &TokenCreated) -> Result<(), Refused> {
    let is_approver = token.role == Role::Approver;
    if !is_approver && (token.level.is_some() || !token.groups.is_empty()) {
        return Err(Refused::invalid("level", "only an approver has a level and groups"));
    }
    match token.role {
        Role::Other => Err(Refused::invalid("role", "it is unknown")),
        Role::Agent if token.kind != TokenKind::Token => {
            Err(Refused::invalid("role", "an agent does not sign in with a browser; create a token"))
        }
        // Policies and tokens apply to all threads.
        Role::Admin if !token.threads.is_empty() => Err(Refused::invalid(
            "threads",
            "an admin administers the whole log, so the token cannot be limited to threads",
        )),
        _ => Ok(()),
    }
}

/// Checks a session. It inherits its rights from the link, token or session that it is made from, and a link makes only
/// one. A session from an identity-provider sign-in has the rights that the service derived from the provider's claims.
fn check_session(
    session: &TokenCreated,
    by: &Principal,
    tokens: &TokenDirectory,
    now: Timestamp,
) -> Result<(), Refused> {
    if by.kind() != PrincipalKind::System {
        return Err(Refused::invalid("kind", "only the service makes sessions, when a person signs in"));
    }
    let (Some(expires_at), Some(ends_at)) = (session.expires_at, session.ends_at) else {
        return Err(Refused::invalid("expiresAt", "a session needs expiresAt and endsAt"));
    };
    if let (None, Some(account)) = (&session.parent, &session.account) {
        check_account(account, &session.name, tokens)?;
        check_sign_in(session.sign_in.as_ref(), tokens)?;
        return check_session_times((expires_at, ends_at), []);
    }
    let named = session.parent.as_deref().unwrap_or_default();
    let passkey = tokens.approver_keys().find(named);
    let parent = match passkey {
        Some(_) => tokens.find_token_of_passkey(named),
        None => tokens.find(named).map(AsRef::as_ref),
    };
    let Some(parent) = parent else { return Err(Refused::UnknownToken) };
    let from = &parent.created;
    let is_link = from.kind == TokenKind::Link;
    match tokens.check(parent, now) {
        // A link can be used for minutes, and a passkey that was registered in its session for longer.
        Err(TokenRejection::Expired) if passkey.is_some() && is_link => {}
        checked => checked.map_err(Refused::TokenRejected)?,
    }
    // An expired link may also have been revoked.
    if parent.revoked.is_some() || passkey.is_some_and(|key| key.removed.is_some()) {
        return Err(Refused::TokenRejected(TokenRejection::Revoked));
    }
    if passkey.is_none() && is_link && parent.has_sessions {
        return Err(Refused::LinkUsed);
    }
    let is_same_holder = (&session.name, session.role, &session.level, &session.groups, &session.threads)
        == (&from.name, from.role, &from.level, &from.groups, &from.threads);
    if !is_same_holder || session.account != from.account {
        return Err(Refused::invalid("role", "a session has the rights of what it is made from"));
    }
    if passkey.is_some() {
        check_sign_in(session.sign_in.as_ref(), tokens)?;
    } else if session.sign_in != from.sign_in {
        return Err(Refused::invalid("signIn", "a session that continues another one keeps its sign-in"));
    }
    if from.kind == TokenKind::Session && session.web_origin != from.web_origin {
        return Err(Refused::invalid(
            "webOrigin",
            "a session that continues another one stays at its origin",
        ));
    }
    let latest = [from.ends_at, from.expires_at.filter(|_| from.kind == TokenKind::Token)];
    check_session_times((expires_at, ends_at), latest)
}

/// Checks that a session ends, and not after what it is made from.
fn check_session_times<const N: usize>(
    (expires_at, ends_at): (Timestamp, Timestamp),
    latest: [Option<Timestamp>; N],
) -> Result<(), Refused> {
    if expires_at > ends_at || latest.into_iter().flatten().any(|latest| ends_at > latest) {
        return Err(Refused::invalid("endsAt", "a session ends with what it is made from"));
    }
    Ok(())
}

/// Checks that a sign-in has not made a session before, in any process.
fn check_sign_in(sign_in: Option<&Sha256>, tokens: &TokenDirectory) -> Result<(), Refused> {
    let sign_in = sign_in.ok_or_else(|| Refused::invalid("signIn", "the session of a sign-in needs it"))?;
    if tokens.has_signed_in(sign_in) { Err(Refused::SignInUsed) } else { Ok(()) }
}

/// Checks an account that signs in at an identity provider, and its name.
fn check_account(account: &ProviderAccount, name: &str, tokens: &TokenDirectory) -> Result<(), Refused> {
    for (field, text) in [("issuer", &account.issuer), ("subject", &account.subject)] {
        if text.is_empty() || text.len() > MAX_TEXT_BYTES {
            return Err(Refused::invalid(field, "it is empty or too long"));
        }
    }
    if tokens.accounts().is_taken(account, name) {
        return Err(Refused::NameTaken(Principal::user(name)));
    }
    if tokens.accounts().name_of(account).is_some_and(|first| first != name) {
        return Err(Refused::invalid("name", "an account keeps the name of its first sign-in"));
    }
    Ok(())
}

/// Returns true if the use is the first from its address.
fn check_used(used: &TokenUsed, by: &Principal, tokens: &TokenDirectory) -> Result<bool, Refused> {
    let token = tokens.find(&used.id).ok_or(Refused::UnknownToken)?;
    if !is_holder(token, by) {
        return Err(Refused::UnknownToken);
    }
    if used.address.is_empty() || used.address.len() > MAX_TEXT_BYTES {
        return Err(Refused::invalid("address", "it is empty or too long"));
    }
    Ok(!token.addresses.contains(&used.address) && token.addresses.len() < MAX_ADDRESSES)
}

/// Returns true if the token is not revoked yet.
fn check_revoked(revoked: &TokenRevoked, by: &Principal, tokens: &TokenDirectory) -> Result<bool, Refused> {
    let token = tokens.find(&revoked.id).ok_or(Refused::UnknownToken)?;
    if !is_holder(token, by) {
        check_is_person(by)?;
    }
    if revoked.reason.as_ref().is_some_and(|reason| reason.len() > MAX_TEXT_BYTES) {
        return Err(Refused::invalid("reason", &format!("it is longer than {MAX_TEXT_BYTES} bytes")));
    }
    Ok(token.revoked.is_none())
}

fn is_holder(token: &TokenRecord, by: &Principal) -> bool {
    token.holder.principal(crate::access::Right::Read) == *by
}
