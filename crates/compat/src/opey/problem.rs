//! Errors in the form that Opey's client shows: it reads `error` or `message`, and for a 422 the first item of `detail`, as
//! `FastAPI` writes it (`RestChatService` in OpenBankProject/OBP-Portal).

use axum::{
    body::{Body, to_bytes},
    http::{StatusCode, header},
    response::Response,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, marker::PhantomData};
use utoipa::{
    IntoResponses,
    openapi::{
        Content, Object, ObjectBuilder, RefOr, Response as ResponseSchema,
        schema::{ArrayBuilder, Schema, Type},
    },
};

/// The content type of a problem.
const PROBLEM: &str = "application/problem+json";

/// Adds what the client shows to a problem. Other responses pass.
pub(crate) async fn add_shown_error(response: Response) -> Response {
    let kind = response.headers().get(header::CONTENT_TYPE).map(header::HeaderValue::as_bytes);
    if kind != Some(PROBLEM.as_bytes()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // The server has written this body itself, so it has no limit.
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let problem = serde_json::from_slice(&bytes).ok();
    let rewritten = problem.and_then(|problem| rewrite(problem, parts.status));
    let bytes = rewritten.map_or_else(|| bytes.to_vec(), |body| body.to_string().into_bytes());
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(bytes))
}

/// The problem with the members that the client shows; `None` if it is none.
fn rewrite(mut problem: Value, status: StatusCode) -> Option<Value> {
    let detail = problem.get("detail")?.as_str()?.to_owned();
    problem["error"] = json!(detail);
    problem["message"] = json!(detail);
    if status == StatusCode::UNPROCESSABLE_ENTITY {
        problem["detail"] = json!([{"msg": detail, "field": "body"}]);
    }
    Some(problem)
}

/// The refusals `R` in the form of this interface, for the OpenAPI document. They include every 422.
pub(crate) struct OpeyRefusals<R>(PhantomData<R>);

impl<R: IntoResponses> IntoResponses for OpeyRefusals<R> {
    fn responses() -> BTreeMap<String, RefOr<ResponseSchema>> {
        let mut responses = R::responses();
        for (status, response) in &mut responses {
            let RefOr::T(response) = response else { continue };
            let status = status.parse().unwrap_or_default();
            if let Some(RefOr::T(content)) = response.content.get_mut(PROBLEM) {
                describe(content, status);
            }
        }
        responses
    }
}

/// Describes the problems of one status as [`rewrite`] makes them.
fn describe(content: &mut Content, status: StatusCode) {
    for example in content.examples.values_mut() {
        let RefOr::T(example) = example else { continue };
        example.value = example.value.take().and_then(|problem| rewrite(problem, status));
    }
    if let Some(RefOr::T(Schema::AllOf(parts))) = &mut content.schema
        && status == StatusCode::UNPROCESSABLE_ENTITY
        && let Some(form) = parts.items.first_mut()
    {
        *form = Schema::Object(invalid_schema()).into();
    }
}

/// The schema of a 422.
fn invalid_schema() -> Object {
    let text =
        |description: &str| ObjectBuilder::new().schema_type(Type::String).description(Some(description));
    let mistake = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("msg", text("The mistake in this request, and the remedy."))
        .property("field", text("Always `body`."))
        .required("msg")
        .required("field");
    let detail = ArrayBuilder::new().items(mistake).description(Some("The mistake, as the only item."));
    let members = [
        ("title", "The HTTP status name."),
        ("error", "The mistake as text."),
        ("message", "The same text."),
    ];
    let form = ObjectBuilder::new().schema_type(Type::Object).property("detail", detail).required("detail");
    let form = form.property("requestId", text("The request id in the server log."));
    members
        .into_iter()
        .fold(form, |form, (name, what)| form.property(name, text(what)).required(name))
        .build()
}
