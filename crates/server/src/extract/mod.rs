//! What an endpoint takes from a request: who asks, for which call, with what body. Each says what is
//! wrong as a problem with its place, and describes itself for the API's document.

mod body;
mod caller;
mod conditional;
mod last_event_id;
mod path;
mod prefer;
mod query;

pub(crate) use body::JsonBody;
pub(crate) use caller::RequestPrincipal;
pub(crate) use conditional::{IfNoneMatch, not_modified, short_hash, tag_of_call, with_tag};
pub(crate) use last_event_id::LastEventId;
pub(crate) use path::{OfCall, OfGrant, OfThread};
pub(crate) use prefer::WaitPreference;
pub(crate) use query::{
    CallsOf, CallsOfThread, EventsOf, EventsOfThread, NoQuery, PageOf, PendingOf, PendingOfThread,
    QueryParameters, Span, parse_cursor,
};

use crate::problem::ProblemResponse;
use axum::http::HeaderMap;
use countersign_api::ErrorCode;

/// A header that may stand once and is ASCII, or nothing.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ProblemResponse> {
    let mut given = headers.get_all(name).iter();
    let first = given.next();
    let bad =
        |why: &str| ProblemResponse::new(ErrorCode::Invalid, format!("{name}: {why}")).with_parameter(name);
    if given.next().is_some() {
        return Err(bad("is given twice"));
    }
    first.map(|value| value.to_str().map_err(|_| bad("is not ASCII"))).transpose()
}
