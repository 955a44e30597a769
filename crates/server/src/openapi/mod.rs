//! The OpenAPI 3.1 document of the API. It is generated from the routes, so that it always matches them, and completed
//! with the parts that all operations share.

mod builders;
mod refusals;

use builders::ACCESS;
pub(crate) use builders::{access_extension, header, parameter, text};
pub use refusals::responses;
pub(crate) use refusals::{OperationRefusals, refusals};

use crate::{public_paths::needs_caller, request_id};
use countersign_api as api;
use countersign_events::{Role, Sha256};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use utoipa::{
    OpenApi,
    openapi::{
        Ref, RefOr,
        path::{Operation, ParameterIn, PathItem},
        security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    },
};

/// The document parts that describe the whole API.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Countersign",
        description = "The approval service between AI agents and their tools. Requests and responses are JSON \
                       under `/v1`; errors are problem details (RFC 9457) with a stable `code`; lists are paged by \
                       cursor; times are RFC 3339 in UTC. A request body with an unknown field is rejected; a \
                       response may gain fields in later versions.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    // Schemas that no response of a route names directly: of tagged and streamed responses, and of errors.
    components(schemas(
        crate::routes::message_answer::MessageAnswer, api::MessagePage, api::ConversationView,
        api::CallPage, api::EventPage, api::PendingPage, api::Problem,
    )),
    servers((url = "/", description = "this server")),
    tags(
        (name = "executor", description = "Operations of agents and executors: propose, wait, claim, finish."),
        (name = "approver", description = "Operations of people: list the pending calls and decide them."),
        (name = "log", description = "The log as pages, streams and statistics."),
        (name = "thread", description = "The settings of a thread: grants, mode and tool policies; and its end."),
        (name = "policy", description = "The policy of the log: the active one, and its history."),
        (name = "access", description = "Tokens, keys of approvers, the caller of a request, and the sessions of browsers."),
        (name = "tools", description = "Tools: their definitions, the changes of these, and which of them people accepted."),
        (name = "advisors", description = "Programs that the policy asks about calls."),
        (name = "webhooks", description = "Targets to which the server sends messages about calls."),
        (name = "service", description = "Health and metrics of the service, and this document."),
    )
)]
pub(crate) struct ApiDocument;

/// The document's text, as the server sends it.
pub(crate) struct DocumentText {
    pub(crate) text: String,
    /// The document's tag: the first bytes of its hash.
    pub(crate) tag: String,
}

impl DocumentText {
    pub(crate) fn new(document: &utoipa::openapi::OpenApi) -> Self {
        // Serialising cannot fail: the document contains only strings, numbers and booleans.
        let text = document.to_pretty_json().unwrap_or_default();
        let hash = Sha256::digest(text.as_bytes()).to_string();
        Self { tag: format!("W/\"{}\"", hash.get(..16).unwrap_or(&hash)), text }
    }
}

/// Adds the parts that every operation has: the request id and the common refusals. Moves the refusals into components,
/// which operations share.
pub(crate) fn complete(document: &mut utoipa::openapi::OpenApi) {
    let mut shared = BTreeMap::new();
    let mut answers = api::operations::example_answers();
    for (path, item) in &mut document.paths.paths {
        for operation in operations(item) {
            let id = operation.operation_id.clone().unwrap_or_default();
            if needs_caller(path) && !SIGN_IN.contains(&id.as_str()) {
                operation.security = Some(vec![requirement(TOKEN_SCHEME), requirement(SESSION_SCHEME)]);
                let extensions = operation.extensions.get_or_insert_default();
                extensions.entry(ACCESS.to_owned()).or_insert_with(describe_any_caller);
            }
            if let Some(answer) = answers.remove(&id) {
                add_answer_example(operation, &answer);
            }
            let description = "An id for the server's log: 1 to 128 visible ASCII characters. The server generates \
                               one if the header is missing or invalid.";
            let id = parameter("X-Request-Id", ParameterIn::Header, description, text("req-7f3a"));
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
    add_security_schemes(document);
    let mut common = refusals::common_refusal();
    add_request_id(&mut common);
    shared.insert(refusals::COMMON_REFUSAL.to_owned(), common.into());
    document.components.get_or_insert_default().responses.extend(shared);
}

/// The names of the two authentication schemes.
const TOKEN_SCHEME: &str = "token";
const SESSION_SCHEME: &str = "session";

/// The ids of the operations whose requests carry their credential in the body.
const SIGN_IN: [&str; 3] = ["signIn", "signInWithPasskey", "beginPasskeySignIn"];

fn requirement(scheme: &str) -> SecurityRequirement {
    SecurityRequirement::new(scheme, [] as [&str; 0])
}

/// Says that every caller with a credential may call an operation.
fn describe_any_caller() -> Value {
    let roles: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
    json!({ "roles": roles, "allThreads": false })
}

/// Adds an example to the JSON answers of success.
fn add_answer_example(operation: &mut Operation, example: &Value) {
    let responses = &mut operation.responses.responses;
    for (_, response) in responses.iter_mut().filter(|(status, _)| status.starts_with('2')) {
        let RefOr::T(response) = response else { continue };
        if let Some(RefOr::T(content)) = response.content.get_mut("application/json") {
            content.example = Some(example.clone());
        }
    }
}

fn add_security_schemes(document: &mut utoipa::openapi::OpenApi) {
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("csgn_…")
        .description(Some("A token from `countersign token create`."))
        .build();
    let cookie =
        ApiKeyValue::with_description("countersign_session", "The session of a browser that signed in.");
    let components = document.components.get_or_insert_default();
    components.add_security_scheme(TOKEN_SCHEME, SecurityScheme::Http(token));
    components.add_security_scheme(SESSION_SCHEME, SecurityScheme::ApiKey(ApiKey::Cookie(cookie)));
}

fn add_request_id(response: &mut utoipa::openapi::Response) {
    let id = header("The id of the request in the server's log.", text("req-7f3a"));
    response.headers.insert(request_id::REQUEST_ID.as_str().to_owned(), id.into());
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.put, &mut item.post, &mut item.delete].into_iter().flatten()
}
