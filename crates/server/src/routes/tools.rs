//! `GET` and `POST /v1/tools`, `GET /v1/tools/{tool}`, and `POST /v1/tools/{tool}/accept`

use super::RouteAnswer;
use crate::{
    extract::{DecideAllGate, ExecuteGate, JsonBody, ListQuery, NoQuery, ReadPolicyGate, ToolPath},
    openapi::refusals,
};
use axum::Json;
use countersign_api::{self as api, ApprovalGate};

refusals!(ToolRefusals: UnknownTool);
refusals!(AcceptRefusals: UnknownTool, UnknownDefinition, NotAnApprover);

/// Lists the tools whose definitions the log knows, in the order in which it came to know them.
///
/// The first definition of a tool is accepted as it is. A changed one voids grants for its calls until a person accepts it.
#[utoipa::path(
    get,
    path = "/v1/tools",
    operation_id = "listTools",
    tag = "tools",
    params(ListQuery),
    responses((status = 200, description = "The tools.", body = api::ToolPage))
)]
pub(super) async fn list(gate: ReadPolicyGate, query: ListQuery) -> RouteAnswer<api::ToolPage> {
    Ok(Json(gate.tools(query.page).await?))
}

/// Records the definitions of tools that an agent met, as far as the log does not have them.
///
/// A gateway sends the tools that its server lists. A proposal with a definition records it, too. To repeat it writes
/// nothing.
#[utoipa::path(
    post,
    path = "/v1/tools",
    operation_id = "defineTools",
    tag = "tools",
    request_body(content = api::DefineToolsRequest),
    responses((status = 200, description = "What the log did not have.", body = api::DefineToolsReport))
)]
pub(super) async fn define(
    gate: ExecuteGate,
    _: NoQuery,
    JsonBody(request): JsonBody<api::DefineToolsRequest>,
) -> RouteAnswer<api::DefineToolsReport> {
    Ok(Json(gate.define_tools(&request).await?))
}

/// Returns a tool with its definitions, and how each differs from the one that was accepted before it.
#[utoipa::path(
    get,
    path = "/v1/tools/{tool}",
    operation_id = "getTool",
    tag = "tools",
    params(ToolPath),
    responses((status = 200, description = "The tool.", body = api::ToolDetails), ToolRefusals)
)]
pub(super) async fn show(
    gate: ReadPolicyGate,
    ToolPath(tool): ToolPath,
    _: NoQuery,
) -> RouteAnswer<api::ToolDetails> {
    Ok(Json(gate.tool(&tool).await?))
}

/// Accepts a definition of a tool: grants and modes answer calls that come with it from now on.
///
/// The request names the hash of the definition that the person looked at, so a later change is not accepted with it. An
/// accepted definition stays accepted. Grants answer only the definition that they were given for.
#[utoipa::path(
    post,
    path = "/v1/tools/{tool}/accept",
    operation_id = "acceptDefinition",
    tag = "tools",
    params(ToolPath),
    request_body(content = api::AcceptDefinitionRequest),
    responses((status = 200, description = "The tool.", body = api::ToolDetails), AcceptRefusals)
)]
pub(super) async fn accept(
    gate: DecideAllGate,
    ToolPath(tool): ToolPath,
    _: NoQuery,
    JsonBody(request): JsonBody<api::AcceptDefinitionRequest>,
) -> RouteAnswer<api::ToolDetails> {
    Ok(Json(gate.accept_definition(&tool, &request).await?))
}
