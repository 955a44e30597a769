//! The names of the tools of clients, and the ids of requests.

/// The begin of the names of the tools of clients. Models cannot call these.
pub(crate) const CLIENT_PREFIX: &str = "client.";
/// The tool that asks a person.
pub(crate) const REQUEST_APPROVAL: &str = "client.requestApproval";
/// The begin of a request's id. The id of the call follows.
pub(crate) const REQUEST_PREFIX: &str = "approval_";

/// The id of the request for this call.
pub(crate) fn request_id(call: &str) -> String {
    format!("{REQUEST_PREFIX}{call}")
}

/// True if the tool belongs to the client.
pub(crate) fn is_client_tool(name: &str) -> bool {
    name.starts_with(CLIENT_PREFIX)
}

/// Returns true for a request's id.
pub(crate) fn is_request_id(id: &str) -> bool {
    id.starts_with(REQUEST_PREFIX)
}
