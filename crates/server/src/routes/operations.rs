//! Routes for table operations, and their part of the OpenAPI document.

use super::log_tag::{log_tag, tagged_responses};
use crate::{
    AppState,
    extract::{IfNoneMatch, OperationGate, ReceivedOperation, query_parameter},
    openapi,
    problem::ProblemResponse,
};
use axum::{
    Json,
    handler::Handler,
    http::StatusCode,
    response::{IntoResponse, Response},
    routing::{MethodFilter, MethodRouter, on},
};
use countersign_api::{
    ErrorCode, SendOperation,
    operations::{AnyOperation, HttpMethod, Operation, OperationQuery, OperationVisitor},
};
use countersign_events::ThreadId;
use std::collections::BTreeMap;
use utoipa::{
    IntoParams, PartialSchema, ToSchema,
    openapi::{
        ContentBuilder, Paths, Ref, RefOr, Required, Response as ResponseSchema, ResponseBuilder,
        path::{self, OperationBuilder, ParameterIn},
        request_body::RequestBodyBuilder,
    },
};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};

/// The tag for a thread without events.
const EMPTY: &str = "W/\"0\"";

/// Adds the routes of operations to a router.
pub(super) struct OperationRoutes {
    router: OpenApiRouter<AppState>,
    /// The ids of operations with their own handlers.
    own: Vec<&'static str>,
}

impl OperationRoutes {
    pub(super) const fn new(router: OpenApiRouter<AppState>) -> Self {
        Self { router, own: Vec::new() }
    }

    /// Adds a route for an operation that needs more than its gate. `extend` completes the operation's description.
    pub(super) fn with_own<O: Operation, T: 'static>(
        mut self,
        handler: impl Handler<T, AppState>,
        extend: impl FnOnce(&mut path::Operation),
    ) -> Self {
        let mut operation = describe::<O>();
        extend(&mut operation);
        self.own.push(O::ROW.id);
        self.router = self.router.routes(route::<O>(on(filter(O::ROW.method), handler), operation));
        self
    }

    /// Adds the routes of all other operations.
    pub(super) fn with_all_others(mut self) -> OpenApiRouter<AppState> {
        AnyOperation::visit_all(&mut self);
        self.router
    }
}

impl OperationVisitor for OperationRoutes {
    fn visit<O: Operation>(&mut self) {
        if self.own.contains(&O::ROW.id) {
            return;
        }
        let derived = route::<O>(on(filter(O::ROW.method), perform::<O>), describe::<O>());
        self.router = std::mem::take(&mut self.router).routes(derived);
    }
}

/// Performs an operation. An answer that depends only on the log has the log's end as its tag.
async fn perform<O: Operation>(
    gate: OperationGate<O>,
    cached: IfNoneMatch,
    ReceivedOperation(operation): ReceivedOperation<O>,
) -> Result<Response, ProblemResponse> {
    let row = operation.row();
    if !row.has_log_tag {
        return Ok((status::<O>(), Json(gate.send(operation).await?)).into_response());
    }
    let thread = operation.path_values().into_iter().find(|(part, _)| *part == "thread");
    let thread = thread.and_then(|(_, thread)| ThreadId::new(&thread).ok());
    let tag = log_tag(&gate, thread.as_ref()).await?;
    // A thread without events may not exist, so a matching tag must not hide the 404.
    let may_be_missing = tag == EMPTY && row.refusals.contains(&ErrorCode::UnknownThread);
    let cached = if may_be_missing { IfNoneMatch::empty() } else { cached };
    cached.respond_unless_cached(&tag, gate.send(operation)).await
}

fn status<O: Operation>() -> StatusCode {
    StatusCode::from_u16(O::ROW.status).unwrap_or(StatusCode::OK)
}

const fn filter(method: HttpMethod) -> MethodFilter {
    match method {
        HttpMethod::Get => MethodFilter::GET,
        HttpMethod::Post => MethodFilter::POST,
        HttpMethod::Put => MethodFilter::PUT,
        HttpMethod::Delete => MethodFilter::DELETE,
    }
}

const fn document_method(method: HttpMethod) -> path::HttpMethod {
    match method {
        HttpMethod::Get => path::HttpMethod::Get,
        HttpMethod::Post => path::HttpMethod::Post,
        HttpMethod::Put => path::HttpMethod::Put,
        HttpMethod::Delete => path::HttpMethod::Delete,
    }
}

/// Returns the route with its part of the document, and the schemas that this part names.
fn route<O: Operation>(
    handler: MethodRouter<AppState>,
    operation: path::Operation,
) -> UtoipaMethodRouter<AppState> {
    let mut schemas = Vec::new();
    if O::ROW.method.has_body() {
        schemas.push((O::Body::name().into_owned(), O::Body::schema()));
        O::Body::schemas(&mut schemas);
    }
    schemas.push((O::Answer::name().into_owned(), O::Answer::schema()));
    O::Answer::schemas(&mut schemas);
    let mut paths = Paths::new();
    paths.add_path_operation(O::ROW.path, vec![document_method(O::ROW.method)], operation);
    (schemas, paths, handler)
}

/// Describes the operation as its row does.
fn describe<O: Operation>() -> path::Operation {
    let row = O::ROW;
    let mut lines = row.description.iter().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let summary = lines.next().unwrap_or_default();
    let details: Vec<_> = lines.skip(1).collect();
    let mut operation = OperationBuilder::new()
        .tag(row.tag)
        .summary(Some(summary))
        .description(Some(details.join("\n")).filter(|details| !details.is_empty()))
        .operation_id(Some(row.id))
        .extensions(Some(openapi::access_extension(OperationGate::<O>::describe_access())));
    for ((name, description), schema) in O::PATH_PARTS.iter().zip(O::path_schemas()) {
        operation = operation.parameter(openapi::parameter(name, ParameterIn::Path, description, schema));
    }
    for name in O::Query::NAMES {
        operation = operation.parameter(query_parameter(name));
    }
    if row.has_log_tag {
        operation =
            IfNoneMatch::into_params(|| None).into_iter().fold(operation, OperationBuilder::parameter);
    }
    if row.method.has_body() {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(O::Body::name()))).build();
        let body = RequestBodyBuilder::new().content("application/json", content);
        operation = operation.request_body(Some(body.required(Some(Required::True)).build()));
    }
    let responses = responses::<O>().into_iter().chain(openapi::responses(row.refusals));
    responses.fold(operation, |operation, (status, response)| operation.response(status, response)).build()
}

fn responses<O: Operation>() -> BTreeMap<String, RefOr<ResponseSchema>> {
    let row = O::ROW;
    if row.has_log_tag {
        return tagged_responses(row.answer, &O::Answer::name());
    }
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(O::Answer::name()))).build();
    let answer = ResponseBuilder::new().description(row.answer).content("application/json", body).build();
    BTreeMap::from([(row.status.to_string(), answer.into())])
}
