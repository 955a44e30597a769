//! What a client declares about questions to its user, and what it returns in a further round of a request.
//!
//! Sources: MCP 2025-11-25 (elicitation in URL mode) and 2026-07-28 (multi round-trip requests).

use countersign_json_rpc::JsonObject;

/// The id prefix of the gateway's own requests to a client.
pub(crate) const OWN_REQUEST_PREFIX: &str = "countersign-elicitation-";
/// The key in `inputRequests` under which the gateway asks its own question.
pub(crate) const OWN_QUESTION: &str = "countersign";

/// What a client with protocol 2026-07-28 or later says in each request, beside the request itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundParts {
    /// Whether the client opens addresses for its user: elicitation in URL mode.
    pub opens_urls: bool,
    /// Whether the user declined or cancelled the gateway's question.
    pub is_declined: bool,
}

/// The first protocol version in which a server asks by an answer instead of a request. Versions are dates.
const ROUNDS_SINCE: &str = "2026-07-28";

/// Reads the request parts for several rounds; `None` before 2026-07-28.
pub(crate) fn read_rounds(meta: &JsonObject<'_>, params: &JsonObject<'_>) -> Option<RoundParts> {
    let version: String = meta.get_as("io.modelcontextprotocol/protocolVersion")?;
    if version.as_str() < ROUNDS_SINCE {
        return None;
    }
    let answers = params.get("inputResponses").and_then(JsonObject::read);
    let answer = answers.and_then(|answers| answers.get(OWN_QUESTION)).and_then(JsonObject::read);
    let action = answer.and_then(|answer| answer.get_as::<String>("action"));
    Some(RoundParts {
        opens_urls: opens_urls(meta.get("io.modelcontextprotocol/clientCapabilities")),
        is_declined: action.is_some_and(|action| action == "decline" || action == "cancel"),
    })
}

/// Returns true if these client capabilities include elicitation in URL mode (MCP 2025-11-25).
pub(crate) fn opens_urls(capabilities: Option<&str>) -> bool {
    let elicitation = capabilities.and_then(JsonObject::read).and_then(|all| all.get("elicitation"));
    let modes = elicitation.and_then(JsonObject::read);
    modes.and_then(|modes| modes.get("url")).is_some_and(|url| url.starts_with('{'))
}
