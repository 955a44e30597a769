//! `WaitPreference: wait=30` (RFC 7240): hold the answer until the call is decided, for that long at most.

use crate::{openapi, problem::ProblemResponse};
use axum::{extract::FromRequestParts, http::request::Parts};
use std::time::Duration;
use utoipa::{
    IntoParams,
    openapi::path::{Parameter, ParameterIn},
};

/// The longest that a request is held.
const MAX_WAIT: u64 = 300;

/// How long the caller would wait, if at all.
pub(crate) struct WaitPreference(pub(crate) Option<Duration>);

impl<S: Sync> FromRequestParts<S> for WaitPreference {
    type Rejection = ProblemResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ProblemResponse> {
        let given = parts.headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        // The RFC requires that unknown preferences are ignored.
        let wait = given.flat_map(|value| value.split([',', ';'])).find_map(|one| {
            let (name, value) = one.split_once('=')?;
            let seconds = value.trim().trim_matches('"').parse::<u64>().ok()?;
            name.trim().eq_ignore_ascii_case("wait").then_some(seconds.min(MAX_WAIT))
        });
        Ok(Self(wait.map(Duration::from_secs)))
    }
}

impl IntoParams for WaitPreference {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let what = "`wait=SECONDS` (RFC 7240) holds the answer until the call is decided, for that long at \
                    most, and never longer than 300 seconds. Other preferences are passed over.";
        vec![openapi::parameter("Prefer", ParameterIn::Header, what, openapi::text("wait=5"))]
    }
}
