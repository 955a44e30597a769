//! Tokens: the credentials of the callers of a server. The log keeps the hash of a token, never the token.

use super::{Role, TokenKind};
use crate::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};

/// `TOKEN_CREATED`: a credential of a server exists from here on. It belongs to the log as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenCreated {
    /// The public part of the token, which names it.
    pub id: String,
    /// Whether it is a token, a link that signs in once, or a browser's session.
    pub kind: TokenKind,
    /// The name of its holder. The role says if the holder is an agent or a person.
    pub name: String,
    /// What its holder may do.
    pub role: Role,
    /// The holder's level as an approver, besides the one that the policy gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The holder's groups as an approver, besides those of the policy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Globs over thread ids. The holder sees only threads that one of them matches. Empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// The SHA-256 of the whole token.
    pub hash: Sha256,
    /// The time from which it is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The latest `expiresAt` of the sessions that continue this one. Only sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<Timestamp>,
    /// The id of the token, link or session that it was made from, or of the passkey that began it. It ends with that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The account with which its person signed in at an identity provider. Only sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ProviderAccount>,
    /// The SHA-256 of what made its sign-in unique: the `state` of OpenID Connect, or the challenge of a passkey. Only
    /// sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<Sha256>,
    /// The origin of the page on which its person signed in. The server has checked that it is one of its own. Only sessions
    /// have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_origin: Option<String>,
}

/// The account of a person at an identity provider (OpenID Connect).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderAccount {
    /// The address of the provider: `iss` of its ID tokens.
    pub issuer: String,
    /// The provider's name of the account, which never changes: `sub` of its ID tokens.
    pub subject: String,
}

/// `TOKEN_USED`: a token was used for the first time from this address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsed {
    /// The id of the token.
    pub id: String,
    /// The address of the caller: an IP address, or `unix` for a socket file.
    pub address: String,
}

/// `TOKEN_REVOKED`: a token, and everything that was made from it, is not accepted from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenRevoked {
    /// The id of the token.
    pub id: String,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}
