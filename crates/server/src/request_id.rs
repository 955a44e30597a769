//! Request ids, for the log and for errors.

use axum::http::HeaderName;

/// The header with the request id. The log contains the same id.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    pub(crate) static ID: String;
}

/// Returns the request id of the current task; `None` outside a request.
pub(crate) fn request_id() -> Option<String> {
    ID.try_with(Clone::clone).ok()
}
