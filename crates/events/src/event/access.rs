//! Access: tokens, which are the credentials of server callers, the keys with which people prove their decisions, and the
//! devices that get their notifications. The log keeps token hashes, never tokens.

use super::{ProofKind, QuietHours, Role, TokenKind};
use crate::{Principal, Sha256, Timestamp};
use serde::{Deserialize, Serialize};

macro_rules! access_events {
    ([$next:ident $(, $rest:ident)*] $($rows:tt)*) => {
        $next! { [$($rest),*] $($rows)* Access {
            /// A server credential exists from here on. It belongs to the log as a whole.
            TokenCreated(TokenCreated) = "TOKEN_CREATED" { once_per: ["id"], },
            /// A token was used for the first time from an address.
            TokenUsed(TokenUsed) = "TOKEN_USED" { once_per: ["id", "address"], },
            /// A token is not accepted from here on.
            TokenRevoked(TokenRevoked) = "TOKEN_REVOKED" { once_per: ["id"], },
            /// A key proves a person's decisions from here on.
            ApproverKeyAdded(ApproverKeyAdded) = "APPROVER_KEY_ADDED" { once_per: ["id"], },
            /// A key proves nothing from here on.
            ApproverKeyRemoved(ApproverKeyRemoved) = "APPROVER_KEY_REMOVED" { once_per: ["id"], },
            /// A device gets a person's notifications from here on, under these settings.
            PushDeviceSet(PushDeviceSet) = "PUSH_DEVICE_SET" {},
            /// A device gets no notifications from here on.
            PushDeviceRemoved(PushDeviceRemoved) = "PUSH_DEVICE_REMOVED" {},
            /// A chat account stands for a person from here on.
            ChatAccountLinked(ChatAccountLinked) = "CHAT_ACCOUNT_LINKED" {},
            /// A chat account stands for nobody from here on.
            ChatAccountUnlinked(ChatAccountUnlinked) = "CHAT_ACCOUNT_UNLINKED" {},
            /// A person hands their queue to another one until a moment.
            DelegationSet(DelegationSet) = "DELEGATION_SET" {},
            /// A delegation ends before its time.
            DelegationEnded(DelegationEnded) = "DELEGATION_ENDED" {},
        } }
    };
}
pub(super) use access_events;

/// `TOKEN_CREATED`: a server credential exists from here on. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenCreated {
    /// The token's public part, which names it.
    pub id: String,
    /// Whether it is a token, a link that signs in once, or a browser session.
    pub kind: TokenKind,
    /// The name of its holder. The role says if the holder is an agent or a person.
    pub name: String,
    /// What its holder may do.
    pub role: Role,
    /// The holder's level as an approver, besides the one that the policy gives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The holder's groups as an approver, besides the policy's groups.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Globs over thread ids. The holder sees only threads that one of them matches. Empty for all threads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<String>,
    /// The token's SHA-256.
    pub hash: Sha256,
    /// The time from which it is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The latest `expiresAt` of the sessions that continue this one. Only sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<Timestamp>,
    /// The id of the token, link or session that it was made from, or of the passkey that started it. It ends together
    /// with that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The account with which its person signed in at an identity provider. Only sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ProviderAccount>,
    /// The SHA-256 of what made its sign-in unique: the `state` of OpenID Connect, or a passkey challenge. Only
    /// sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign_in: Option<Sha256>,
    /// The page origin where its person signed in. The server has checked that it is one of its own origins. Only
    /// sessions have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_origin: Option<String>,
}

/// A user account at an identity provider (OpenID Connect).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderAccount {
    /// The provider's address: `iss` of its ID tokens.
    pub issuer: String,
    /// The provider's name of the account, which never changes: `sub` of its ID tokens.
    pub subject: String,
}

/// `TOKEN_USED`: a token was used for the first time from this address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsed {
    /// The token's id.
    pub id: String,
    /// The caller's address: an IP address, or `unix` for a socket file.
    pub address: String,
}

/// `TOKEN_REVOKED`: a token, and everything that was made from it, is not accepted from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenRevoked {
    /// The token's id.
    pub id: String,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `APPROVER_KEY_ADDED`: signatures by this key prove this person's decisions from here on. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApproverKeyAdded {
    /// The id: the first 16 hexadecimal digits of the key's SHA-256.
    pub id: String,
    /// Whether it is an SSH key or a passkey.
    pub kind: ProofKind,
    /// The person whose key it is.
    pub approver: Principal,
    /// The name that the person gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The public key: a `.pub` file line, or `passkey SITE CREDENTIAL KEY`.
    pub public_key: String,
    /// For a passkey, the id of the token under which it was registered. Signing in with the passkey gives this token's
    /// rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The page origin where the passkey was registered. The server has checked that it is one of its own origins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub web_origin: Option<String>,
    /// The proof by an earlier key of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<DecisionProof>,
}

/// `APPROVER_KEY_REMOVED`: signatures by this key prove nothing from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApproverKeyRemoved {
    /// The key's id.
    pub id: String,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `PUSH_DEVICE_SET`: a device gets notifications for the event's principal from here on. A later event about the same device
/// replaces it. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushDeviceSet {
    /// The id: the first 16 hexadecimal digits of a SHA-256 over the push address and the device's keys. The database permits
    /// a log-wide event of a type once for each `id`, so the member has another name.
    #[serde(rename = "device")]
    pub id: String,
    /// The name that the person gave the device.
    pub name: String,
    /// The scheme, host and port of the push service. The rest of the address is a secret.
    pub host: String,
    /// The push address and the device's keys, sealed with a key that the log does not have.
    pub sealed: String,
    /// The id of the session or token under which the device was registered, and with which it ends. Absent on a server in solo
    /// mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The hours in which the device gets only escalated requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<QuietHours>,
}

/// `PUSH_DEVICE_REMOVED`: a device gets no notifications from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PushDeviceRemoved {
    /// The device's id.
    #[serde(rename = "device")]
    pub id: String,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `CHAT_ACCOUNT_LINKED`: an account of a chat stands for the event's principal from here on, as long as the credential under
/// which it was linked is accepted. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatAccountLinked {
    /// The `seq` of the event that added the chat's webhook. Another chat that knows an account of the same id is not meant.
    pub webhook: i64,
    /// The account, as the chat names it permanently, with its workspace if it has one.
    pub account: String,
    /// The account name for people, as the chat showed it.
    pub name: String,
    /// The id of the token or session with which the link ends. Absent in solo mode, and if `signed_in_as` says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The account at an identity provider whose sessions give the rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_as: Option<ProviderAccount>,
}

/// `CHAT_ACCOUNT_UNLINKED`: an account of a chat stands for nobody from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatAccountUnlinked {
    /// The `seq` of the event that added the chat's webhook.
    pub webhook: i64,
    /// The account.
    pub account: String,
}

/// `DELEGATION_SET`: the event's principal hands their queue to another person until a moment. The event is log-wide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegationSet {
    /// The person who may decide in the principal's place.
    pub to: Principal,
    /// The moment from which that person may not any more.
    pub until: Timestamp,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// `DELEGATION_ENDED`: one of the two people ends a delegation before its time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DelegationEnded {
    /// The `seq` of the event that set it.
    pub delegation: i64,
    /// The reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// The proof that a person made a decision: a signature by a key of that person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(examples(json!({
    "kind": "ssh", "key": "0123456789abcdef",
    "signature": "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH…\n-----END SSH SIGNATURE-----\n"
}))))]
#[serde(rename_all = "camelCase")]
pub struct DecisionProof {
    /// The key kind.
    pub kind: ProofKind,
    /// The key's id.
    pub key: String,
    /// The output of `ssh-keygen -Y sign`, or a passkey signature in base64url.
    pub signature: String,
    /// The passkey's authenticator data in base64url.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authenticator_data: Option<String>,
    /// The passkey's client data in base64url: the JSON that the browser signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_data: Option<String>,
}
