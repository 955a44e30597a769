//! Tokens: create, use and revoke. People create tokens, and the service makes a session when a person signs in. The
//! service itself creates the first tokens of a log that has none.

use super::{
    NewEvent,
    approver_keys::{self, AddKeyCommand},
    eligible,
};
use crate::{
    Refused,
    access::{
        CommandCaller, ProofContext, SOLO_MARK, TokenDirectory, TokenHolder, TokenRecord, TokenRejection,
        VisibleThreads,
    },
};
use countersign_events::{
    Body, Principal, Sha256, Timestamp,
    event::{ApproverKeyRemoved, ProviderAccount, Role, TokenCreated, TokenKind, TokenRevoked, TokenUsed},
    id::{check_actor_name, check_name},
    principal::PrincipalKind,
};
use countersign_policy::Policy;
use countersign_proofs::passkey::is_web_origin;
use std::time::Duration;

/// The longest time that a link can be used.
pub const LONGEST_LINK: Duration = Duration::from_hours(24);

/// The most addresses of a token that are recorded. A token that travels must not fill the log.
pub const MAX_ADDRESSES: usize = 256;

/// The most groups and thread globs of a token.
const MAX_LIST: usize = 64;

/// The longest address or reason, in bytes.
const MAX_TEXT_BYTES: usize = 1_024;

/// A command about the tokens of the log or the keys of its approvers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenCommand {
    /// Create these tokens, all or none.
    Create(Vec<TokenCreated>),
    /// Create these tokens, all or none, if the log has none. Otherwise nothing changes: of two servers that start on a new
    /// log, one creates them.
    CreateFirst(Vec<TokenCreated>),
    /// Record the use of a token from an address.
    Use(TokenUsed),
    /// Revoke a token and everything that was made from it.
    Revoke(TokenRevoked),
    /// Revoke all sessions of the person with this name.
    EndSessions {
        /// The name, without a kind.
        name: String,
    },
    /// Add a key of an approver.
    AddKey(Box<AddKeyCommand>),
    /// Remove a key of an approver.
    RemoveKey(ApproverKeyRemoved),
}

/// Decides on a command about tokens or keys of approvers.
pub(crate) fn decide_on_tokens(
    command: &TokenCommand,
    caller: &CommandCaller,
    tokens: &TokenDirectory,
    (proofs, policy, now): (ProofContext<'_>, &Policy, Timestamp),
) -> Result<Vec<NewEvent>, Refused> {
    let by = &caller.principal;
    match command {
        TokenCommand::CreateFirst(_) if !tokens.is_empty() => Ok(Vec::new()),
        TokenCommand::Create(created) | TokenCommand::CreateFirst(created) => {
            create(created, by, tokens, now)
        }
        TokenCommand::Use(used) => record_use(used, by, tokens),
        TokenCommand::Revoke(revoked) => revoke(revoked, by, tokens),
        TokenCommand::EndSessions { name } => end_sessions(name, by, tokens, now),
        TokenCommand::AddKey(command) => approver_keys::add_key(command, by, tokens, (proofs, policy, now)),
        TokenCommand::RemoveKey(removed) => approver_keys::remove_key(removed, by, tokens),
    }
}

fn create(
    created: &[TokenCreated],
    by: &Principal,
    tokens: &TokenDirectory,
    now: Timestamp,
) -> Result<Vec<NewEvent>, Refused> {
    for (index, token) in created.iter().enumerate() {
        check_token(token, now)?;
        check_new_name(token, &created[..index], tokens)?;
        let is_taken = created[..index].iter().any(|earlier| earlier.id == token.id);
        if is_taken || tokens.find(&token.id).is_some() {
            return Err(invalid("id", "another token has this id"));
        }
        if token.kind == TokenKind::Session {
            if created.len() > 1 {
                return Err(invalid("kind", "a session is created alone"));
            }
            check_session(token, by, tokens, now)?;
        } else if !(by.kind() == PrincipalKind::System && tokens.is_empty()) {
            eligible::check_is_person(by)?;
        }
    }
    Ok(created.iter().map(|token| NewEvent::new(by, Body::TokenCreated(token.clone()))).collect())
}

/// Refuses the name of a new holder that is a list, or another spelling of one that the log or a token of the same command
/// has. A session that is made from another credential has its name.
fn check_new_name(
    token: &TokenCreated,
    others: &[TokenCreated],
    tokens: &TokenDirectory,
) -> Result<(), Refused> {
    if token.parent.is_some() {
        return Ok(());
    }
    let known = token.account.as_ref().and_then(|account| tokens.accounts().name_of(account));
    if known == Some(token.name.as_str()) {
        return Ok(());
    }
    check_actor_name(&token.name).map_err(|why| invalid("name", &why.to_string()))?;
    let actor = TokenHolder::principal_of(token);
    for other in others.iter().map(TokenHolder::principal_of) {
        if other != actor && other.is_same_actor(&actor) {
            return Err(Refused::OtherSpelling { given: actor, known: other });
        }
    }
    Refused::check_spelling(&actor, tokens)
}

fn check_token(token: &TokenCreated, now: Timestamp) -> Result<(), Refused> {
    check_name(&token.name).map_err(|why| invalid("name", &why.to_string()))?;
    if token.name.ends_with(SOLO_MARK) {
        return Err(invalid("name", "names that end with (solo) mark callers without a credential"));
    }
    if token.id.is_empty() || token.id.len() > MAX_TEXT_BYTES {
        return Err(invalid("id", "it is empty or too long"));
    }
    VisibleThreads::parse(&token.threads).map_err(|why| invalid("threads", &why.to_string()))?;
    if token.threads.len() > MAX_LIST || token.groups.len() > MAX_LIST {
        return Err(invalid("threads", &format!("a token has up to {MAX_LIST} globs and groups")));
    }
    for group in token.groups.iter().chain(&token.level) {
        check_name(group).map_err(|why| invalid("groups", &format!("{group:?}: {why}")))?;
    }
    check_role(token)?;
    if token.expires_at.is_some_and(|end| end <= now) {
        return Err(invalid("expiresAt", "it is in the past"));
    }
    if token.kind == TokenKind::Link {
        let latest = now.after(LONGEST_LINK);
        if token.expires_at.is_none_or(|end| end > latest) {
            return Err(invalid("expiresAt", "a link expires within a day"));
        }
    }
    let is_session = token.kind == TokenKind::Session;
    if !is_session && (token.parent.is_some() || token.ends_at.is_some()) {
        return Err(invalid("parent", "only a session is made from another token"));
    }
    if !is_session && token.account.is_some() {
        return Err(invalid("account", "only a session has the account of an identity provider"));
    }
    if !is_session && token.sign_in.is_some() {
        return Err(invalid("signIn", "only a session has one"));
    }
    if token.web_origin.as_deref().is_some_and(|origin| !is_session || !is_web_origin(origin)) {
        return Err(invalid(
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
        return Err(invalid("level", "only an approver has a level and groups"));
    }
    match token.role {
        Role::Other => Err(invalid("role", "it is unknown")),
        Role::Agent if token.kind != TokenKind::Token => {
            Err(invalid("role", "an agent does not sign in with a browser; create a token"))
        }
        // Policies and tokens apply to all threads.
        Role::Admin if !token.threads.is_empty() => Err(invalid(
            "threads",
            "an admin administers the whole log, so the token cannot be limited to threads",
        )),
        _ => Ok(()),
    }
}

/// Checks a session. It has the rights of the link, token or session that it is made from, and a link makes one. A session
/// of a person who signed in at an identity provider has the rights that the service derived from the provider's claims.
fn check_session(
    session: &TokenCreated,
    by: &Principal,
    tokens: &TokenDirectory,
    now: Timestamp,
) -> Result<(), Refused> {
    if by.kind() != PrincipalKind::System {
        return Err(invalid("kind", "only the service makes sessions, when a person signs in"));
    }
    let (Some(expires_at), Some(ends_at)) = (session.expires_at, session.ends_at) else {
        return Err(invalid("expiresAt", "a session needs expiresAt and endsAt"));
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
    // A link that has expired may have been revoked, too.
    if parent.revoked.is_some() || passkey.is_some_and(|key| key.removed.is_some()) {
        return Err(Refused::TokenRejected(TokenRejection::Revoked));
    }
    if passkey.is_none() && is_link && parent.has_sessions {
        return Err(Refused::LinkUsed);
    }
    let is_same_holder = (&session.name, session.role, &session.level, &session.groups, &session.threads)
        == (&from.name, from.role, &from.level, &from.groups, &from.threads);
    if !is_same_holder || session.account != from.account {
        return Err(invalid("role", "a session has the rights of what it is made from"));
    }
    if passkey.is_some() {
        check_sign_in(session.sign_in.as_ref(), tokens)?;
    } else if session.sign_in != from.sign_in {
        return Err(invalid("signIn", "a session that continues another one keeps its sign-in"));
    }
    if from.kind == TokenKind::Session && session.web_origin != from.web_origin {
        return Err(invalid("webOrigin", "a session that continues another one stays at its origin"));
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
        return Err(invalid("endsAt", "a session ends with what it is made from"));
    }
    Ok(())
}

/// Checks that a sign-in has not made a session before, in any process.
fn check_sign_in(sign_in: Option<&Sha256>, tokens: &TokenDirectory) -> Result<(), Refused> {
    let sign_in = sign_in.ok_or_else(|| invalid("signIn", "the session of a sign-in needs it"))?;
    if tokens.has_signed_in(sign_in) { Err(Refused::SignInUsed) } else { Ok(()) }
}

/// Checks the account of a person who signs in at an identity provider, and its name.
fn check_account(account: &ProviderAccount, name: &str, tokens: &TokenDirectory) -> Result<(), Refused> {
    for (field, text) in [("issuer", &account.issuer), ("subject", &account.subject)] {
        if text.is_empty() || text.len() > MAX_TEXT_BYTES {
            return Err(invalid(field, "it is empty or too long"));
        }
    }
    if tokens.accounts().is_taken(account, name) {
        return Err(Refused::NameTaken(Principal::user(name)));
    }
    if tokens.accounts().name_of(account).is_some_and(|first| first != name) {
        return Err(invalid("name", "an account keeps the name of its first sign-in"));
    }
    Ok(())
}

fn record_use(used: &TokenUsed, by: &Principal, tokens: &TokenDirectory) -> Result<Vec<NewEvent>, Refused> {
    let token = tokens.find(&used.id).ok_or(Refused::UnknownToken)?;
    if !is_holder(token, by) {
        return Err(Refused::UnknownToken);
    }
    if used.address.is_empty() || used.address.len() > MAX_TEXT_BYTES {
        return Err(invalid("address", "it is empty or too long"));
    }
    if token.addresses.contains(&used.address) || token.addresses.len() >= MAX_ADDRESSES {
        return Ok(Vec::new());
    }
    Ok(vec![NewEvent::new(by, Body::TokenUsed(used.clone()))])
}

fn revoke(revoked: &TokenRevoked, by: &Principal, tokens: &TokenDirectory) -> Result<Vec<NewEvent>, Refused> {
    let token = tokens.find(&revoked.id).ok_or(Refused::UnknownToken)?;
    if !is_holder(token, by) {
        eligible::check_is_person(by)?;
    }
    if revoked.reason.as_ref().is_some_and(|reason| reason.len() > MAX_TEXT_BYTES) {
        return Err(invalid("reason", &format!("it is longer than {MAX_TEXT_BYTES} bytes")));
    }
    if token.revoked.is_some() {
        return Ok(Vec::new());
    }
    Ok(vec![NewEvent::new(by, Body::TokenRevoked(revoked.clone()))])
}

fn end_sessions(
    name: &str,
    by: &Principal,
    tokens: &TokenDirectory,
    now: Timestamp,
) -> Result<Vec<NewEvent>, Refused> {
    eligible::check_is_person(by)?;
    let is_open = |token: &&TokenRecord| {
        token.created.kind == TokenKind::Session
            && token.created.name == name
            && tokens.check(token, now).is_ok()
    };
    let end = |token: &TokenRecord| {
        let reason = Some("signed out everywhere".to_owned());
        NewEvent::new(by, Body::TokenRevoked(TokenRevoked { id: token.created.id.clone(), reason }))
    };
    Ok(tokens.records().filter(is_open).map(end).collect())
}

fn is_holder(token: &TokenRecord, by: &Principal) -> bool {
    token.holder.principal(crate::access::Right::Read) == *by
}

fn invalid(field: &'static str, why: &str) -> Refused {
    Refused::Invalid { field, why: why.to_owned() }
}
