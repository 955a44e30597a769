//! Errors in the form that Opey's client shows: it reads `error` or `message`, and for a 422 the first item of `detail`, as
//! `FastAPI` writes it (`RestChatService` in OpenBankProject/OBP-Portal).

use axum::{
    body::{Body, to_bytes},
    http::{StatusCode, header},
    response::Response,
};
use serde_json::{Value, json};

/// Adds what the client shows to a problem. Other responses pass.
pub(crate) async fn add_shown_error(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).map(header::HeaderValue::as_bytes);
    if kind != Some(b"application/problem+json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // The server has written this body itself, so it has no limit.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let bytes =
        rewrite(&bytes, parts.status).map_or_else(|| bytes.to_vec(), |body| body.to_string().into_bytes());
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(bytes))
}

/// The problem with the members that the client shows; `None` if it is none.
fn rewrite(bytes: &[u8], status: StatusCode) -> Option<Value> {
    let mut problem: Value = serde_json::from_slice(bytes).ok()?;
    let detail = problem.get("detail")?.as_str()?.to_owned();
    problem["error"] = json!(detail);
    problem["message"] = json!(detail);
    if status == StatusCode::UNPROCESSABLE_ENTITY {
        problem["detail"] = json!([{"msg": detail, "field": "body"}]);
    }
    Some(problem)
}
