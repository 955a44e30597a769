//! What an operation may be refused with, as the document says it: by status, with every code and an
//! example of each.

use super::{header, text};
use crate::codes::{self, Code};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use utoipa::openapi::{
    Content, ContentBuilder, ObjectBuilder, Ref, RefOr, Response, ResponseBuilder,
    example::ExampleBuilder,
    schema::{AllOfBuilder, Type},
};

/// How a refusal travels.
const PROBLEM: &str = "application/problem+json";

/// Declares the codes that the operation of a file may answer with, beside those of any request, so that
/// its document can name them: groups of `codes` first, then its own.
macro_rules! refusals {
    ($name:ident: $($group:ident)* $(, $code:literal)*) => {
        /// What may come of it instead.
        pub(super) struct $name;

        impl utoipa::IntoResponses for $name {
            fn responses()
            -> std::collections::BTreeMap<String, utoipa::openapi::RefOr<utoipa::openapi::Response>> {
                $crate::openapi::responses(&[
                    $crate::codes::ALWAYS, $($crate::codes::$group,)* &[$($code),*],
                ])
            }
        }
    };
}

pub(crate) use refusals;

/// An answer for each status of those codes.
pub(crate) fn responses(groups: &[&[&str]]) -> BTreeMap<String, RefOr<Response>> {
    let mut by_status: BTreeMap<u16, Vec<&Code>> = BTreeMap::new();
    for code in groups.iter().copied().flatten().filter_map(|name| codes::find(name)) {
        let codes = by_status.entry(code.status).or_default();
        if !codes.iter().any(|other| other.name == code.name) {
            codes.push(code);
        }
    }
    by_status.iter().map(|(status, codes)| (status.to_string(), response(*status, codes).into())).collect()
}

/// What a refusal is called among the components: its status and its codes, which are all that it depends on.
pub(super) fn name(status: &str, response: &Response) -> Option<String> {
    let RefOr::T(problem) = response.content.get(PROBLEM)? else { return None };
    let codes: Vec<_> = problem.examples.keys().map(String::as_str).collect();
    Some(format!("{status}.{}", codes.join(".")))
}

fn response(status: u16, codes: &[&Code]) -> Response {
    let names: Vec<_> = codes.iter().map(|code| code.name).collect();
    let mut response = ResponseBuilder::new()
        .description(names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        .content(PROBLEM, content(status, codes));
    if status == 503 {
        let what = "After how many seconds it may be worth another try.";
        response = response.header("retry-after", header(what, text("1")));
    }
    response.build()
}

fn content(status: u16, codes: &[&Code]) -> Content {
    let names: Vec<_> = codes.iter().map(|code| code.name).collect();
    let own = ObjectBuilder::new()
        .schema_type(Type::Object)
        .property("status", ObjectBuilder::new().schema_type(Type::Integer).enum_values(Some([status])))
        .property("code", ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)));
    let schema = AllOfBuilder::new().item(Ref::from_schema_name("Problem")).item(own);
    let examples = codes.iter().map(|code| {
        let example = ExampleBuilder::new().value(Some(example(code)));
        (code.name, RefOr::T(example.build()))
    });
    ContentBuilder::new().schema(Some(schema)).examples_from_iter(examples).build()
}

fn example(code: &Code) -> Value {
    let status = axum::http::StatusCode::from_u16(code.status).ok();
    json!({
        "title": status.and_then(|status| status.canonical_reason()),
        "status": code.status,
        "code": code.name,
        "detail": code.means,
        "requestId": "req-7f3a",
    })
}
