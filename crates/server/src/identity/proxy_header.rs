//! The header in which a trusted proxy names the caller whom it has authenticated.

use crate::problem::ProblemResponse;
use axum::http::{HeaderMap, HeaderName};
use countersign_api::ErrorCode;
use countersign_approvals::access::{ApproverStanding, SOLO_MARK, TokenHolder, VisibleThreads};
use countersign_events::{Principal, Role, id::check_actor_name, principal::PrincipalKind};

/// The header in which a trusted proxy names the caller, and the roles of the people whom it names. The server reads it
/// only on connections from such a proxy.
#[derive(Debug, Clone)]
pub struct IdentityHeader {
    /// The header's name.
    pub name: HeaderName,
    /// The roles of people. A value that starts with `agent:` names an agent, which always has the role `agent`.
    pub roles: Vec<Role>,
}

impl IdentityHeader {
    /// Returns the caller whom the header names: `agent:NAME`, `user:NAME`, or a person's name. Non-ASCII characters
    /// are percent-encoded. `None` without the header.
    pub(super) fn read_holder(&self, headers: &HeaderMap) -> Result<Option<TokenHolder>, ProblemResponse> {
        let Some(value) = crate::extract::header(headers, self.name.as_str())? else { return Ok(None) };
        let bad = |why: String| {
            let name = self.name.as_str();
            ProblemResponse::new(ErrorCode::Unauthenticated, format!("{name}: {why}")).with_parameter(name)
        };
        if !is_encoded(value) {
            return Err(bad("two hexadecimal digits must follow each %; write % itself as %25".to_owned()));
        }
        let text = percent_encoding::percent_decode_str(value).decode_utf8();
        let text = text.map_err(|_| bad("it is not UTF-8".to_owned()))?;
        let text = if text.contains(':') { text.into_owned() } else { format!("user:{text}") };
        let principal: Principal = text.parse().map_err(|why| bad(format!("{why}")))?;
        let roles = match principal.kind() {
            PrincipalKind::User => self.roles.clone(),
            PrincipalKind::Agent => vec![Role::Agent],
            PrincipalKind::Policy | PrincipalKind::Advisor | PrincipalKind::System => {
                return Err(bad("must begin with user: or agent:".to_owned()));
            }
        };
        if text.ends_with(SOLO_MARK) {
            return Err(bad("names that end with (solo) mark callers without a credential".to_owned()));
        }
        check_actor_name(principal.actor_name()).map_err(|why| bad(why.to_string()))?;
        let name = principal.actor_name().to_owned();
        let threads = VisibleThreads::default();
        let threads = if roles == [Role::Agent] { threads.without_whole_log() } else { threads };
        Ok(Some(TokenHolder { token: None, name, roles, standing: ApproverStanding::default(), threads }))
    }
}

/// Returns true if two hexadecimal digits follow each `%`. Decoding would keep any other `%` as it is.
fn is_encoded(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
}
