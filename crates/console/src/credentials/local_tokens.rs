//! The tokens for this machine's user: one for agents, and one for the person, with a link for a browser.

use crate::settings::effective::login_name;
use countersign_api::TokenRequest;
use countersign_approvals::access::{Right, TokenSecret};
use countersign_events::{Principal, Role, SecretValue, TokenKind};
use countersign_gate::EmbeddedGate;

/// The time within which a link signs in, in seconds.
const LINK_SECONDS: u64 = 3_600;

/// The person's name, without a kind.
#[must_use]
pub fn local_person() -> String {
    Principal::user(&login_name()).as_str().trim_start_matches("user:").to_owned()
}

/// The token for this user's agents.
#[must_use]
pub fn request_agent_token() -> TokenRequest {
    request("local".to_owned(), Role::Agent, TokenKind::Token)
}

/// The token with which commands of this user read and decide.
#[must_use]
pub fn request_person_token() -> TokenRequest {
    request(local_person(), Role::Approver, TokenKind::Token)
}

/// A link that signs the person in once.
#[must_use]
pub fn request_sign_in_link() -> TokenRequest {
    let link = request(local_person(), Role::Approver, TokenKind::Link);
    TokenRequest { expires_in_seconds: Some(LINK_SECONDS), ..link }
}

const fn request(name: String, role: Role, kind: TokenKind) -> TokenRequest {
    TokenRequest {
        name,
        role,
        kind,
        level: None,
        groups: Vec::new(),
        threads: Vec::new(),
        expires_in_seconds: None,
    }
}

/// The token, if the log accepts it for this purpose.
pub async fn accepted_token(
    gate: &EmbeddedGate,
    token: Option<SecretValue<String>>,
    right: Right,
) -> anyhow::Result<Option<SecretValue<String>>> {
    let Some(token) = token else { return Ok(None) };
    let Ok(secret) = TokenSecret::parse(token.expose()) else { return Ok(None) };
    let accepted = gate.authenticate(&secret, TokenKind::Token).await?;
    Ok(accepted.is_ok_and(|record| record.holder.may(right)).then_some(token))
}
