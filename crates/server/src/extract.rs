//! What an endpoint takes from a request: who asks, for which call, with what body. Whatever is wrong
//! is said as a problem, with its place.

use crate::problem::Problem;
use axum::{
    extract::{FromRequest, FromRequestParts, Path, Request},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE, request::Parts},
};
use countersign_gate::{CallId, Principal, ThreadId, api, json::MAX_BYTES, principal::Kind};
use futures_util::StreamExt;
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};
use std::time::Duration;

/// The longest body taken: the longest JSON there may be in it, and room for the rest.
const MAX_BODY: usize = MAX_BYTES + 256 * 1024;

/// How much of a body that is too long is read before the connection is closed on it.
const MAX_PASSED_OVER: usize = 16 * MAX_BODY;

/// The longest that a request is held.
const MAX_WAIT: u64 = 300;

fn unprocessable(detail: impl Into<String>) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid", detail)
}

/// A JSON body.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        require_json(request.headers())?;
        read(&take_whole(request.into_body()).await?).map(Self)
    }
}

/// Takes the body up to its limit. One that is somewhat longer is read to its end all the same: if the
/// connection were closed before, the caller would see that and not the answer.
async fn take_whole(body: axum::body::Body) -> Result<Vec<u8>, Problem> {
    let (mut chunks, mut taken, mut total) = (body.into_data_stream(), Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|why| {
            Problem::new(StatusCode::BAD_REQUEST, "bad_json", format!("the body was cut off: {why}"))
        })?;
        total += chunk.len();
        if total <= MAX_BODY {
            taken.extend_from_slice(&chunk);
        } else if total > MAX_PASSED_OVER {
            break;
        }
    }
    if total > MAX_BODY {
        let detail = format!("the body has more than {MAX_BODY} bytes, and that is the most");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", detail));
    }
    Ok(taken)
}

/// A page can send a form or plain text anywhere without asking; JSON it cannot.
fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(CONTENT_TYPE).map(|value| value.to_str().unwrap_or("?"));
    let essence = given.and_then(|given| given.split(';').next()).unwrap_or("").trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let says = given.map_or_else(|| "is missing".to_owned(), |given| format!("says {given:?}"));
    let detail = format!("the body must be application/json, and the header content-type {says}");
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", detail))
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let text = if bytes.is_empty() { b"{}" } else { bytes };
    // An array would be read as the fields without their names, and so mean what it does not say.
    if text.trim_ascii_start().first() != Some(&b'{') && serde_json::from_slice::<IgnoredAny>(text).is_ok() {
        return Err(unprocessable("the body is JSON, but no object"));
    }
    serde_json::from_slice(text).map_err(|why| {
        if why.is_data() {
            unprocessable(why.to_string())
        } else {
            Problem::new(StatusCode::BAD_REQUEST, "bad_json", format!("the body is not JSON: {why}"))
        }
    })
}

/// Who asks. Nobody is authenticated yet: it is whoever the header says, and if it says nothing, an
/// agent on the executor's endpoints and a person on the approver's.
pub(crate) struct Caller(Option<Principal>);

impl Caller {
    pub(crate) fn agent(self) -> Principal {
        self.0.unwrap_or_else(|| Principal::agent("local"))
    }

    pub(crate) fn person(self) -> Principal {
        self.0.unwrap_or_else(|| Principal::user("local"))
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(given) = parts.headers.get(api::PRINCIPAL_HEADER) else { return Ok(Self(None)) };
        let name = percent_encoding::percent_decode(given.as_bytes()).decode_utf8();
        let name = name.map_err(|_| unprocessable("countersign-principal is not UTF-8"))?;
        let principal: Principal =
            name.parse().map_err(|why| unprocessable(format!("countersign-principal: {why}")))?;
        match principal.kind() {
            Kind::User | Kind::Agent => Ok(Self(Some(principal))),
            Kind::Policy | Kind::System => {
                Err(unprocessable("countersign-principal: nobody can speak for the policy or the system"))
            }
        }
    }
}

/// The thread in the path.
pub(crate) struct OfThread(pub(crate) ThreadId);

impl<S: Send + Sync> FromRequestParts<S> for OfThread {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        #[derive(Deserialize)]
        struct Named {
            thread: String,
        }
        let named = Path::<Named>::from_request_parts(parts, state).await;
        let Path(named) = named.map_err(|why| unprocessable(why.body_text()))?;
        Ok(Self(countersign_gate::name(&named.thread)?))
    }
}

/// The call in the path.
pub(crate) struct OfCall(pub(crate) ThreadId, pub(crate) CallId);

impl<S: Send + Sync> FromRequestParts<S> for OfCall {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        #[derive(Deserialize)]
        struct Named {
            thread: String,
            id: String,
        }
        let named = Path::<Named>::from_request_parts(parts, state).await;
        let Path(named) = named.map_err(|why| unprocessable(why.body_text()))?;
        Ok(Self(countersign_gate::name(&named.thread)?, countersign_gate::call_id(&named.id)?))
    }
}

/// `?after=…&limit=…`
pub(crate) struct PageOf(pub(crate) api::PageOf);

impl<S: Sync> FromRequestParts<S> for PageOf {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut page = api::PageOf::default();
        for pair in parts.uri.query().unwrap_or("").split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            match key {
                "after" => page.after = cursor(value)?,
                "limit" => page.limit = limit(value)?,
                _ => {
                    return Err(unprocessable(format!(
                        "there is no parameter {key:?}; there are after and limit"
                    )));
                }
            }
        }
        Ok(Self(page))
    }
}

pub(crate) fn cursor(text: &str) -> Result<i64, Problem> {
    text.parse().ok().filter(|after| *after >= 0).ok_or_else(|| {
        let detail =
            format!("{text:?} is no cursor; use the `next` of the page before, or the seq of an event");
        Problem::new(StatusCode::BAD_REQUEST, "bad_cursor", detail)
    })
}

fn limit(text: &str) -> Result<usize, Problem> {
    let most = api::MAX_PAGE;
    text.parse()
        .ok()
        .filter(|limit| (1..=most).contains(limit))
        .ok_or_else(|| unprocessable(format!("limit is a number from 1 to {most}, and this is {text:?}")))
}

/// `Prefer: wait=30` (RFC 7240): hold the answer until the call is decided, for that long at most.
pub(crate) struct Prefer(pub(crate) Option<Duration>);

impl<S: Sync> FromRequestParts<S> for Prefer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let given = parts.headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
        // A preference that is not understood is passed over, as the RFC wants it.
        let wait = given.flat_map(|value| value.split([',', ';'])).find_map(|one| {
            let (name, value) = one.split_once('=')?;
            let seconds = value.trim().trim_matches('"').parse::<u64>().ok()?;
            name.trim().eq_ignore_ascii_case("wait").then_some(seconds.min(MAX_WAIT))
        });
        Ok(Self(wait.map(Duration::from_secs)))
    }
}
