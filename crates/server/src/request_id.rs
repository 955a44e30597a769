//! The id of a request.

use axum::http::HeaderName;

/// The header with the id of a request, which the log contains too.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    pub(crate) static ID: String;
}

/// The id of the request that is being answered.
pub(crate) fn request_id() -> Option<String> {
    ID.try_with(Clone::clone).ok()
}
