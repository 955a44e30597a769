//! The refusals in the OpenAPI document: each operation lists its own codes by status, and one component describes the
//! common ones.

use super::{header, text};
use crate::codes::{self, CodeEntry};
use countersign_api::{ErrorCode, Operation, UnavailableReason};
use serde_json::{Value, json};
use std::{collections::BTreeMap, marker::PhantomData};
use utoipa::{
    IntoResponses,
    openapi::{
        Content, ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder,
        example::ExampleBuilder,
        schema::{AllOfBuilder, Schema, Type},
    },
};

/// The content type of a refusal.
const PROBLEM: &str = "application/problem+json";

/// The name of the schema of a refusal.
const PROBLEM_SCHEMA: &str = "Problem";

/// Declares the codes that one operation can return, in addition to the common ones.
macro_rules! refusals {
    ($name:ident: $($code:ident),+) => {
        /// The refusals of this operation, in addition to the common ones.
        pub(super) struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses()
            -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                $crate::openapi::responses(&[$(countersign_api::ErrorCode::$code),+])
            }
        }
    };
}

pub(crate) use refusals;

/// A table operation's refusals, in addition to the common ones.
pub(crate) struct OperationRefusals<O>(PhantomData<O>);

impl<O: Operation> IntoResponses for OperationRefusals<O> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        responses(O::ROW.refusals)
    }
}

/// The component that describes the common refusals.
pub(super) const COMMON_REFUSAL: &str = "CommonRefusal";

/// Creates one response for each status of the codes.
#[must_use]
pub fn responses(codes: &[ErrorCode]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<&CodeEntry>> = BTreeMap::new();
    for entry in codes.iter().filter_map(|code| codes::find(*code)) {
        by_status.entry(entry.status).or_default().push(entry);
    }
    by_status.iter().map(|(status, entries)| (status.to_string(), response(entries).into())).collect()
}

/// Creates one response with all common refusals.
pub(super) fn common_refusal() -> Response {
    let entries: Vec<_> = codes::COMMON.iter().filter_map(|code| codes::find(*code)).collect();
    response(&entries)
}

/// Returns the component name of a refusal: its status and its codes. `None` if the response is not a refusal, or one in
/// the form of another system.
pub(super) fn shared_name(status: &str, response: &Response) -> Option<String> {
    let RefOr::T(problem) = response.content.get(PROBLEM)? else { return None };
    let Some(RefOr::T(Schema::AllOf(parts))) = &problem.schema else { return None };
    parts.items.first().filter(|part| **part == Ref::from_schema_name(PROBLEM_SCHEMA).into())?;
    let codes: Vec<_> = problem.examples.keys().map(String::as_str).collect();
    Some(format!("{status}.{}", codes.join(".")))
}

fn response(entries: &[&CodeEntry]) -> Response {
    let row = |entry: &&CodeEntry| format!("- `{}` ({}): {}", entry.code, entry.status, entry.meaning);
    let mut response = ResponseBuilder::new()
        .description(entries.iter().map(row).collect::<Vec<_>>().join("\n"))
        .content(PROBLEM, content(entries));
    if entries.iter().any(|entry| entry.status == 503) {
        let description = "With status 503: the pause in seconds before the next attempt.";
        response = response.header("retry-after", header(description, text("1")));
    }
    response.build()
}

fn content(entries: &[&CodeEntry]) -> Content {
    let mut statuses: Vec<_> = entries.iter().map(|entry| entry.status).collect();
    statuses.dedup();
    // A response for a status hides the default response, so its schema must accept the common codes of that status
    // too.
    let common = codes::COMMON.iter().filter_map(|code| codes::find(*code));
    let hidden = common.filter(|entry| statuses.contains(&entry.status));
    let mut names: Vec<_> = entries.iter().copied().chain(hidden).map(|entry| entry.code.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let own = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("status", ObjectBuilder::new().schema_type(Type::Integer).enum_values(Some(statuses)))
        .property("code", ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)));
    let schema = AllOfBuilder::new().item(Ref::from_schema_name(PROBLEM_SCHEMA)).item(own);
    let examples = entries.iter().map(|entry| {
        let example = ExampleBuilder::new().summary(entry.meaning).value(Some(example(entry)));
        (entry.code.as_str(), RefOr::T(example.build()))
    });
    ContentBuilder::new().schema(Some(schema)).examples_from_iter(examples).build()
}

fn example(entry: &CodeEntry) -> Value {
    let status = axum::http::StatusCode::from_u16(entry.status).ok();
    let reason = (entry.code == ErrorCode::DatabaseUnavailable).then_some(UnavailableReason::Full);
    let mut example = json!({
        "title": status.and_then(|status| status.canonical_reason()),
        "status": entry.status,
        "code": entry.code,
        "detail": entry.example,
        "requestId": "req-7f3a",
    });
    if let Some(reason) = reason {
        example["reason"] = json!(reason);
    }
    example
}
