//! The extractors of an endpoint: the caller, the ids in the path, the query and the body. Each extractor reports a
//! mistake as a problem with its place, and describes its parameters for the OpenAPI document.

mod accept;
mod authorized;
mod body;
mod conditional;
mod last_event_id;
mod passkey_site;
mod path;
mod prefer;
mod query;
mod source;

pub(crate) use accept::PrefersJson;
pub(crate) use authorized::{
    AdminGate, AuthorizedGate, CloseGate, ConverseGate, DecideAllGate, DecideGate, ExecuteGate,
    ManageKeysGate, ReadAllByPolicyGate, ReadAllGate, ReadGate, ReadPolicyGate, RequestCaller, RequiredRight,
};
pub(crate) use body::JsonBody;
pub(crate) use conditional::{IfNoneMatch, not_modified, short_hash, tag_of_call, with_tag};
pub(crate) use last_event_id::LastEventId;
pub(crate) use passkey_site::PasskeySite;
pub(crate) use path::{
    AdvisorPath, ApproverKeyPath, CallPath, GrantPath, ThreadPath, TokenPath, ToolPath, WebhookPath,
};
pub(crate) use prefer::WaitPreference;
pub(crate) use query::{
    CallQuery, EventQuery, GrantQuery, ListQuery, MessageQuery, NoQuery, PendingQuery, QueryParameters,
    StatisticsQuery, SuggestionQuery, ThreadCallQuery, ThreadEventQuery, ThreadPendingQuery, TokenQuery,
    parse_cursor,
};
pub(crate) use source::RequestSource;

use crate::problem::ProblemResponse;
use axum::http::HeaderMap;
use countersign_api::ErrorCode;

/// Returns the value of a header, or `None` if it is missing. Fails if it is repeated or not ASCII.
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
