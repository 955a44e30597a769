//! Tokens in API types.

use countersign_api as api;
use countersign_approvals::access::{Right, TokenDirectory, TokenHolder, TokenRecord, TokenRejection};
use countersign_events::{Role, Timestamp, TokenKind};

/// The API type of a token.
pub(crate) fn view_token(record: &TokenRecord, directory: &TokenDirectory, now: Timestamp) -> api::Token {
    let created = &record.created;
    let state = match directory.check(record, now) {
        Err(TokenRejection::Expired) => api::TokenState::Expired,
        Err(_) => api::TokenState::Revoked,
        Ok(()) if created.kind == TokenKind::Link && record.has_sessions => api::TokenState::Used,
        Ok(()) => api::TokenState::Active,
    };
    let revoked = record.revoked.clone();
    api::Token {
        id: created.id.clone(),
        seq: record.seq,
        kind: created.kind,
        principal: record.holder.principal(Right::Read),
        role: created.role,
        level: created.level.clone(),
        groups: created.groups.clone(),
        threads: created.threads.clone(),
        state,
        created_at: record.created_at,
        created_by: record.created_by.clone(),
        expires_at: created.expires_at,
        parent: created.parent.clone(),
        addresses: record.addresses.iter().cloned().collect(),
        revoked_by: revoked.as_ref().map(|(by, ..)| by.clone()),
        revoked_at: revoked.as_ref().map(|(_, at, _)| *at),
        reason: revoked.and_then(|(.., reason)| reason),
    }
}

/// The API type of a caller.
#[must_use]
pub fn view_caller(holder: &TokenHolder, expires_at: Option<Timestamp>) -> api::CallerView {
    let is_agent = holder.roles.contains(&Role::Agent);
    let is_person = holder.roles.iter().any(|role| *role != Role::Agent);
    api::CallerView {
        roles: holder.roles.clone(),
        agent: is_agent.then(|| holder.principal(Right::Execute)),
        person: is_person.then(|| holder.principal(Right::Decide)),
        level: holder.standing.level.clone(),
        decides_at: None,
        groups: holder.standing.groups.clone(),
        threads: holder.threads.texts(),
        solo: holder.is_solo(),
        token: holder.token.clone(),
        expires_at,
    }
}
