//! Tokens: the credentials of callers.

use countersign_events::{Principal, Role, Timestamp, TokenKind};
use serde::{Deserialize, Serialize};

/// A new token, or a link that signs a person in once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "name": "deploy-bot", "role": "agent", "threads": ["ci/*"], "expiresInSeconds": 7_776_000
}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TokenRequest {
    /// The holder's name: `deploy-bot` becomes `agent:deploy-bot` or `user:deploy-bot`, by the role.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 256))]
    pub name: String,
    /// What the holder may do.
    pub role: Role,
    /// `token`, or `link` for a link that signs a person in once. A link expires within a day.
    #[serde(default = "default_kind")]
    #[cfg_attr(feature = "openapi", schema(default = "token"))]
    pub kind: TokenKind,
    /// The approver level, besides the one that the policy gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The approver groups, besides those in the policy; without `@`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Globs over thread ids. The holder sees only threads that one of them matches. Empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// The time in seconds after which it is not accepted. Absent for a token without an end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 315_360_000))]
    pub expires_in_seconds: Option<u64>,
}

const fn default_kind() -> TokenKind {
    TokenKind::Token
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
        "id": "0123456789ab", "seq": 2, "kind": "token", "principal": "agent:deploy-bot", "role": "agent",
        "threads": ["ci/*"], "state": "active", "createdAt": "2026-01-31T12:00:00.000Z", "createdBy": "user:ada",
        "expiresAt": "2026-05-01T12:00:00.000Z", "addresses": ["127.0.0.1"]
    }))))]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// The public part, which names it.
    pub id: String,
    /// The `seq` of the event that created it.
    pub seq: i64,
    /// Its kind.
    pub kind: TokenKind,
    /// The principal that its holder is in the log.
    pub principal: Principal,
    /// What the holder may do.
    pub role: Role,
    /// The approver level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The approver groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The globs over thread ids; empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// Whether it is accepted, and if not, why.
    pub state: TokenState,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who created it.
    pub created_by: Principal,
    /// The time from which it is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The token, link or session that a session was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The recorded addresses from which it was used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub addresses: Vec<String>,
    /// Who revoked it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_by: Option<Principal>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// The revocation's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether a token is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!("active"))))]
#[serde(rename_all = "snake_case")]
pub enum TokenState {
    /// It is accepted.
    Active,
    /// It has expired.
    Expired,
    /// It, or the token that it was made from, was revoked.
    Revoked,
    /// It is a link that has signed a person in.
    Used,
    /// A state that only a newer version knows.
    #[serde(other)]
    Other,
}

/// A token that was just created. Its secret is shown this once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"secret": "csgn_0123456789ab_…", "token": {
        "id": "0123456789ab", "seq": 2, "kind": "token", "principal": "agent:deploy-bot", "role": "agent",
        "threads": ["ci/*"], "state": "active", "createdAt": "2026-01-31T12:00:00.000Z", "createdBy": "user:ada",
        "expiresAt": "2026-05-01T12:00:00.000Z", "addresses": ["127.0.0.1"]
    }}))))]
#[serde(rename_all = "camelCase")]
pub struct NewToken {
    /// The whole token, for its holder alone.
    pub secret: String,
    /// The token without its secret.
    pub token: Token,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("token", &self.token).finish_non_exhaustive()
    }
}

/// A page of tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"tokens": [{
        "id": "0123456789ab", "seq": 2, "kind": "token", "principal": "agent:deploy-bot", "role": "agent",
        "threads": ["ci/*"], "state": "active", "createdAt": "2026-01-31T12:00:00.000Z", "createdBy": "user:ada",
        "expiresAt": "2026-05-01T12:00:00.000Z", "addresses": ["127.0.0.1"]
    }], "next": null}))))]
#[serde(rename_all = "camelCase")]
pub struct TokenPage {
    /// The tokens, the oldest first.
    pub tokens: Vec<Token>,
    /// The next page's cursor; absent on the last one.
    pub next: Option<i64>,
}

/// The revocation of a token.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"reason": "the machine was lost"}))))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RevokeTokenRequest {
    /// The reason, which the log keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 256))]
    pub reason: Option<String>,
}

/// The caller of a request, as its credential describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({"roles": ["approver"], "person": "user:ada", "level": "admin", "solo": false, "token": "0123456789ab"}))))]
#[serde(rename_all = "camelCase")]
pub struct CallerView {
    /// The roles. Only a caller of a server in solo mode has several.
    pub roles: Vec<Role>,
    /// The principal as which the caller executes calls, if it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Principal>,
    /// The principal as which the caller reads, decides and administers, if it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<Principal>,
    /// The level that the credential gives an approver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The level up to which the person may decide: the policy's or the credential's, whichever is higher. Only in the answer of
    /// `GET /v1/me`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decides_at: Option<String>,
    /// The groups that the credential gives an approver.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// The globs over thread ids; empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// Whether the server runs in solo mode and the caller sent no credential: one caller may then both propose and
    /// decide.
    pub solo: bool,
    /// The token or session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The time from which the credential is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}
