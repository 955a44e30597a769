//! Client tool names, and request ids.

/// The name prefix of client tools. Models cannot call these.
pub(crate) const CLIENT_PREFIX: &str = "client.";
/// The tool that asks a person.
pub(crate) const REQUEST_APPROVAL: &str = "client.requestApproval";
/// The prefix of request ids. The call id follows.
pub(crate) const REQUEST_PREFIX: &str = "approval_";

/// The request id for this call.
#[must_use]
pub fn request_id(call: &str) -> String {
    format!("{REQUEST_PREFIX}{call}")
}

/// Returns true if the tool belongs to the client.
#[must_use]
pub fn is_client_tool(name: &str) -> bool {
    name.starts_with(CLIENT_PREFIX)
}

/// Returns true for a request id.
pub(crate) fn is_request_id(id: &str) -> bool {
    id.starts_with(REQUEST_PREFIX)
}
