//! `Prefer: wait=30` (RFC 7240): the server holds the response until the call is decided, for at most 30 seconds.

use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use std::time::Duration;
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};

/// The longest wait, in seconds.
const MAX_WAIT: u64 = 300;

/// The time that the caller wants to wait; `None` if it does not wait.
pub(crate) struct WaitPreference(pub(crate) Option<Duration>);

impl<S: Sync> FromRequestParts<S> for WaitPreference {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let values = parts.headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        // The RFC requires that unknown preferences are ignored.
        let wait = values.flat_map(|value| value.split([',', ';'])).find_map(|preference| {
            let (name, value) = preference.split_once('=')?;
            let seconds = value.trim().trim_matches('"').parse::<u64>().ok()?;
            name.trim().eq_ignore_ascii_case("wait").then_some(seconds.min(MAX_WAIT))
        });
        Ok(Self(wait.map(Duration::from_secs)))
    }
}

impl IntoParams for WaitPreference {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let description = "`wait=SECONDS` (RFC 7240) holds the response until the call is decided, for at most that \
                           many seconds and at most 300. Other preferences are ignored.";
        vec![openapi::parameter("Prefer", ParameterIn::Header, description, openapi::text("wait=5"))]
    }
}
