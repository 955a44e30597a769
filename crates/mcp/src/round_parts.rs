//! What a client declares about questions to its user, and what it returns in a further round of a request.
//!
//! Sources: MCP 2025-11-25 (elicitation in URL mode) and 2026-07-28 (multi round-trip requests).

use countersign_json_rpc::{JsonObject, range_of, splice};

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

/// Returns true if these client capabilities include elicitation in form mode. Before 2025-11-25, it was the only one.
pub(crate) fn shows_forms(capabilities: Option<&str>) -> bool {
    let elicitation = capabilities.and_then(JsonObject::read).and_then(|all| all.get("elicitation"));
    let modes = elicitation.and_then(JsonObject::read);
    modes.is_some_and(|modes| modes.get("form").is_some() || modes.get("url").is_none())
}

/// The frame of `initialize` with the capability to show forms: people fill them in in the inbox. Unchanged if it has no capabilities
/// to add it to, or others of elicitation.
pub(crate) fn add_form_capability(text: &str) -> String {
    let params = JsonObject::read(text).and_then(|frame| frame.get("params"));
    let capabilities = params.and_then(JsonObject::read).and_then(|params| params.get("capabilities"));
    let Some(found) = capabilities.and_then(JsonObject::read) else { return text.to_owned() };
    if found.get("elicitation").is_some() {
        return text.to_owned();
    }
    let comma = if found.members().next().is_some() { "," } else { "" };
    let at = range_of(text, capabilities.unwrap_or_default()).start + 1;
    splice(text, at..at, &format!("\"elicitation\":{{}}{comma}"))
}

/// Returns true if these client capabilities include elicitation in URL mode (MCP 2025-11-25).
pub(crate) fn opens_urls(capabilities: Option<&str>) -> bool {
    let elicitation = capabilities.and_then(JsonObject::read).and_then(|all| all.get("elicitation"));
    let modes = elicitation.and_then(JsonObject::read);
    modes.and_then(|modes| modes.get("url")).is_some_and(|url| url.starts_with('{'))
}
