//! Endpoint extractors: the caller, the ids in the path, the query and the body. Each extractor reports a mistake as a
//! problem with its location, and describes its parameters for the OpenAPI document.

mod accept;
mod authorized;
mod body;
mod conditional;
mod last_event_id;
mod operation;
mod passkey_site;
mod path;
mod prefer;
mod query;
mod source;

pub use accept::PrefersJson;
pub use authorized::{
    AuthorizedGate, ConverseGate, Conversing, DecideGate, Deciding, ExecuteGate, Executing, ReadGate,
    Reading, RequiredRight,
};
pub(crate) use authorized::{OperationGate, ReadAllByPolicyGate, ReadAllGate, RequestCaller};
pub use body::JsonBody;
pub(crate) use conditional::{IfNoneMatch, not_modified, short_hash, tag_of_call, with_tag};
pub use last_event_id::LastEventId;
pub(crate) use operation::ReceivedOperation;
pub(crate) use passkey_site::PasskeySite;
pub use path::{CallPath, ThreadPath};
pub(crate) use prefer::WaitPreference;
pub use query::{AcceptedParameters, NoParameters, NoQuery, QueryParameters};
pub(crate) use query::{
    CallQuery, EventQuery, MessageQuery, PendingQuery, SuggestionQuery, ThreadCallQuery, ThreadEventQuery,
    ThreadPendingQuery, parse_cursor, query_parameter,
};
pub(crate) use source::RequestSource;

use crate::problem::ProblemResponse;
use axum::http::HeaderMap;
use countersign_api::ErrorCode;

/// Returns a header's value, or `None` if the header is missing. Fails if it is repeated or not ASCII.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ProblemResponse> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    let bad =
        |why: &str| ProblemResponse::new(ErrorCode::Invalid, format!("{name}: {why}")).with_parameter(name);
    if values.next().is_some() {
        return Err(bad("is given twice"));
    }
    first.map(|value| value.to_str().map_err(|_| bad("is not ASCII"))).transpose()
}
