//! The extractor of the calling principal.

use super::header;
use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use countersign_api::{self as api, ErrorCode};
use countersign_gate::{Principal, principal::PrincipalKind};
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};

/// A kind and a name in ASCII and Latin letters, percent-encoded, without blanks around it. The server accepts more.
const PATTERN: &str = concat!(
    r"^(user|agent):(?!%20)([!-$&-~]|%[2-6][0-9A-Fa-f]|%7[0-9A-Ea-e]",
    r"|%[Cc]3%(?!97|[Bb]7)[89ABab][0-9A-Fa-f]|%[Cc][45]%[89ABab][0-9A-Fa-f])+(?<!%20)$"
);

/// The principal of a request. The server does not authenticate it: the header names it. Without the header, the
/// endpoint chooses between the agent and the person `local`.
pub(crate) struct RequestPrincipal(Option<Principal>);

impl RequestPrincipal {
    pub(crate) fn agent(self) -> Principal {
        self.0.unwrap_or_else(|| Principal::agent("local"))
    }

    pub(crate) fn person(self) -> Principal {
        self.0.unwrap_or_else(|| Principal::user("local"))
    }
}

impl<S: Sync> FromRequestParts<S> for RequestPrincipal {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let name = api::PRINCIPAL_HEADER;
        let Some(value) = header(&parts.headers, name)? else { return Ok(Self(None)) };
        let bad = |why: String| {
            ProblemResponse::new(ErrorCode::Invalid, format!("{name}: {why}")).with_parameter(name)
        };
        if !is_encoded(value) {
            return Err(bad("two hexadecimal digits must follow each %; write % itself as %25".to_owned()));
        }
        let text = percent_encoding::percent_decode_str(value).decode_utf8();
        let text = text.map_err(|_| bad("it is not UTF-8".to_owned()))?;
        let principal: Principal = text.parse().map_err(|why| bad(format!("{why}")))?;
        match principal.kind() {
            PrincipalKind::User | PrincipalKind::Agent => Ok(Self(Some(principal))),
            PrincipalKind::Policy | PrincipalKind::System => {
                Err(bad("must begin with user: or agent:".to_owned()))
            }
        }
    }
}

/// Returns true if two hexadecimal digits follow each `%`. Decoding would keep any other `%` as it is.
fn is_encoded(text: &str) -> bool {
    text.split('%').skip(1).all(|rest| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2)
}

impl IntoParams for RequestPrincipal {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "The caller: `user:NAME` or `agent:NAME`, up to 512 bytes, percent-encoded where the name \
                           has other characters than ASCII. The server does not verify it. Without the header, the \
                           caller is `agent:local` when it proposes, claims, finishes or cancels a call or closes a \
                           thread, and `user:local` otherwise.";
        let schema = openapi::text("user:ada").pattern(Some(PATTERN));
        vec![openapi::parameter("Countersign-Principal", ParameterIn::Header, description, schema)]
    }
}
