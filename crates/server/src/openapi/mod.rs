//! The document that describes the API (OpenAPI 3.1): made of the same routes that answer, so that the
//! two cannot part, and completed with what is true of all of them.

mod builders;
mod refusals;

pub(crate) use builders::{header, parameter, text};
pub(crate) use refusals::{refusals, responses};

use crate::request_id;
use countersign_api as api;
use countersign_gate::Sha256;
use std::collections::BTreeMap;
use utoipa::{
    OpenApi,
    openapi::{
        Ref, RefOr,
        path::{Operation, ParameterIn, PathItem},
    },
};

/// The parts of the document that describe the API as a whole.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "The approval service between AI agents and their tools. JSON under `/v1`; errors are \
                       problem details (RFC 9457) with a stable `code`; lists are paged by cursor; times are \
                       RFC 3339 in UTC. Request bodies refuse fields they do not know; answers may gain some.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    // Schemas of responses with several shapes, and parts of errors.
    components(schemas(
        api::CallPage, api::EventPage, api::GrantPage, api::ThreadMode, api::PendingPage, api::ThreadPolicies, api::Problem,
        api::ThreadSummary, api::ThreadPage,
    )),
    servers((url = "/", description = "this server")),
    tags(
        (name = "executor", description = "What agents and executors do: propose, wait, claim, finish."),
        (name = "approver", description = "What people do: see what waits, and decide."),
        (name = "log", description = "What happened, as pages, streams and numbers."),
        (name = "thread", description = "What holds for a thread: grants, mode, own policies, its end."),
        (name = "service", description = "Whether the service lives, and how it fares."),
    )
)]
pub(crate) struct ApiDocument;

/// The document as it is sent.
pub(crate) struct DocumentText {
    pub(crate) text: String,
    /// Its tag: the beginning of its hash.
    pub(crate) tag: String,
}

impl DocumentText {
    pub(crate) fn new(document: &utoipa::openapi::OpenApi) -> Self {
        // A document is made of texts and numbers alone, which cannot fail to be written.
        let text = document.to_pretty_json().unwrap_or_default();
        let hash = Sha256::digest(text.as_bytes()).to_string();
        Self { tag: format!("W/\"{}\"", hash.get(..16).unwrap_or(&hash)), text }
    }
}

/// Adds the parts that every operation has: the request id and the common refusals. Refusals that several operations
/// share are components too.
pub(crate) fn complete(document: &mut utoipa::openapi::OpenApi) {
    let mut shared = BTreeMap::new();
    for item in document.paths.paths.values_mut() {
        for operation in operations(item) {
            let what = "An id for the log, 1 to 128 visible ASCII characters; one is made up without it.";
            let id = parameter("X-Request-Id", ParameterIn::Header, what, text("req-7f3a"));
            operation.parameters.get_or_insert_default().push(id.into());
            let common = RefOr::Ref(Ref::from_response_name(refusals::COMMON_REFUSAL));
            operation.responses.responses.insert("default".to_owned(), common);
            for (status, answer) in &mut operation.responses.responses {
                let RefOr::T(response) = answer else { continue };
                add_request_id(response);
                if let Some(name) = refusals::shared_name(status, response) {
                    let named = RefOr::Ref(Ref::from_response_name(&name));
                    shared.insert(name, std::mem::replace(answer, named));
                }
            }
        }
    }
    let mut common = refusals::common_refusal();
    add_request_id(&mut common);
    shared.insert(refusals::COMMON_REFUSAL.to_owned(), common.into());
    document.components.get_or_insert_default().responses.extend(shared);
}

fn add_request_id(response: &mut utoipa::openapi::Response) {
    let id = header("The id of the request in the server's log.", text("req-7f3a"));
    response.headers.insert(request_id::REQUEST_ID.as_str().to_owned(), id.into());
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete].into_iter().flatten()
}
