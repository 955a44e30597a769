//! `GET /openapi.json`, and the documentation page at `/docs`.

use crate::ASK;
use countersign_tests::{HttpAnswer, over_http};
use reqwest::Method;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::Path,
};

/// The OpenAPI document of a server with all interfaces.
pub(super) fn document() -> String {
    countersign_server::document(Some(countersign_compat::routes))
}

/// The document is a file in the repository, so that an API change shows in the diff.
#[test]
fn openapi_document_equals_the_one_in_the_repository() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    let now = format!("{}\n", document());
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(&path, &now).expect("docs/ can be written");
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        now == golden,
        "docs/openapi.json is outdated: run the test with UPDATE_OPENAPI=1 and review the diff"
    );
}

#[tokio::test]
async fn openapi_document_is_served_with_its_tag() {
    over_http(ASK, async |world| {
        let first = world.anonymous().get("/openapi.json").await;
        assert_eq!((first.status, first.header("content-type")), (200, "application/json"));
        assert_eq!(first.body, document());
        let again = world.anonymous().get_with("/openapi.json", "if-none-match", first.header("etag")).await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));
    })
    .await;
}

/// Returns every operation of the document, with its path and its method.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&String, &'_ Value)| {
        let methods: Vec<_> = item.as_object().expect("an item").keys().cloned().collect();
        methods.into_iter().map(|method| (path.clone(), method)).collect::<Vec<_>>()
    };
    let named = paths.iter().flat_map(of_path);
    named.map(|(path, method)| (path.clone(), method.clone(), &paths[&path][&method])).collect()
}

/// Returns a response, or the shared response that it refers to.
fn resolved<'a>(document: &'a Value, response: &'a Value) -> &'a Value {
    let Some(reference) = response["$ref"].as_str() else { return response };
    let name = reference.strip_prefix("#/components/responses/").expect("a shared response");
    let shared = &document["components"]["responses"][name];
    assert!(shared.is_object(), "{reference} exists");
    shared
}

#[test]
fn every_operation_has_a_summary_and_its_answers() {
    let document: Value = serde_json::from_str(&document()).expect("JSON");
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    for (path, method, operation) in operations(&document) {
        let operation_name = format!("{method} {path}");
        assert!(operation["summary"].is_string(), "{operation_name} has a summary");
        assert!(
            ids.insert(operation["operationId"].to_string()),
            "{operation_name} has a unique operationId"
        );
        let responses = operation["responses"].as_object().expect("responses");
        assert!(
            responses.keys().any(|status| status.starts_with('2')),
            "{operation_name} has a response for success"
        );
        for (status, response) in responses {
            let (operation_name, response) =
                (format!("{operation_name}: {status}"), resolved(&document, response));
            assert!(
                response["headers"]["x-request-id"].is_object(),
                "{operation_name} has the header x-request-id"
            );
            let Some(problem) = response["content"].get("application/problem+json") else {
                assert!(status.starts_with(['2', '3']), "{operation_name} is an error without a problem");
                continue;
            };
            let codes = problem["schema"]["allOf"][1]["properties"]["code"]["enum"].as_array();
            let codes = codes.expect("codes");
            for (code, example) in problem["examples"].as_object().expect("an example of each code") {
                assert_eq!(example["value"]["code"], *code, "{operation_name}: {code} has its own example");
                assert!(codes.iter().any(|known| known == code), "{operation_name}: the schema has {code}");
            }
        }
    }
}

/// The document lists no refusal that never occurs, because a client would handle it in vain.
#[test]
fn every_listed_refusal_can_occur() {
    let document: Value = serde_json::from_str(&document()).expect("JSON");
    for (operation, code) in [
        // Closing a thread decides its pending calls, so a decision after that is refused as already decided.
        ("decide", "thread_closed"),
        ("decidePending", "thread_closed"),
    ] {
        let all = operations(&document);
        let found = all.iter().find(|(_, _, entry)| entry["operationId"] == operation).expect(operation);
        for response in found.2["responses"].as_object().expect("responses").values() {
            let response = resolved(&document, response).to_string();
            assert!(!response.contains(code), "{operation} names {code}");
        }
    }
}

#[test]
fn every_schema_has_an_example_and_valid_references() {
    let text = document();
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        assert!(schema.get("examples").is_some() || schema.get("oneOf").is_some(), "{name} has no example");
    }
    for reference in text.split("\"#/components/schemas/").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(schemas.contains_key(reference), "there is no schema {reference}");
    }
}

/// Adds to `found` all schemas that `schema` refers to, directly or through other schemas.
fn collect_schemas<'a>(document: &'a Value, schema: &'a Value, found: &mut BTreeMap<&'a str, &'a Value>) {
    match schema {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = name.and_then(|name| name.strip_prefix("#/components/schemas/")) {
                let named = &document["components"]["schemas"][name];
                if found.insert(name, named).is_none() {
                    collect_schemas(document, named, found);
                }
            }
            members.values().for_each(|inner| collect_schemas(document, inner, found));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect_schemas(document, inner, found)),
        _ => {}
    }
}

/// The server refuses an unknown member at any depth of a request, and the document specifies this. If two types had
/// the same name, they would share a schema that describes only one of them.
#[test]
fn document_and_server_are_equally_strict_about_requests() {
    let document: Value = serde_json::from_str(&document()).expect("JSON");
    let mut request_schemas = BTreeMap::new();
    for (_, _, operation) in operations(&document) {
        collect_schemas(&document, &operation["requestBody"], &mut request_schemas);
    }
    assert!(
        request_schemas.contains_key("ProposeRequest") && request_schemas.contains_key("ProposedDefinition"),
        "{:?}",
        request_schemas.keys()
    );
    for (name, schema) in request_schemas.into_iter().filter(|(_, schema)| schema["properties"].is_object()) {
        assert_eq!(schema["additionalProperties"], false, "{name} allows unknown members");
    }
}

/// Every route of the document exists.
#[tokio::test]
async fn every_operation_of_the_document_is_served() {
    over_http(ASK, async |world| {
        let document: Value = serde_json::from_str(&document()).expect("JSON");
        for (path, method, _) in operations(&document) {
            let path = path.replace("{thread}", "t").replace("{id}", "call_1").replace("{seq}", "1");
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            // Without this header, some of them answer with a stream, which does not end.
            let request = world.person("ada").request(method.clone(), &path);
            let answer = HttpAnswer::to(request.header("accept", "application/json")).await;
            let known = answer.status < 400
                || !["\"unknown_route\"", "\"wrong_method\""].contains(&answer.member("code").as_str());
            assert!(known, "{method} {path}: {answer}");
        }
    })
    .await;
}

/// The scripts and styles that a file names.
fn linked_files(text: &str) -> Vec<String> {
    let names = text.split(['"', '\'']).filter(|part| !part.contains([' ', '\n']));
    names.filter(|name| matches!(name.rsplit_once('.'), Some((_, "js" | "css")))).map(str::to_owned).collect()
}

/// The program contains all files of the page, so that the page works without a network.
#[tokio::test]
async fn documentation_page_loads_nothing_from_elsewhere() {
    over_http(ASK, async |world| {
        let page = world.anonymous().get("/docs/").await;
        assert_eq!((page.status, page.header("content-type")), (200, "text/html"));
        let mut files: Vec<_> = linked_files(&page.body);
        let mut checked = BTreeSet::new();
        while let Some(file) = files.pop() {
            assert!(!file.contains("//"), "{file} is on another host");
            let path =
                if file.starts_with('/') { file } else { format!("/docs/{}", file.trim_start_matches("./")) };
            if !checked.insert(path.clone()) {
                continue;
            }
            let answer = world.anonymous().get(&path).await;
            assert_eq!(answer.status, 200, "{path}");
            // The modules of the page import others.
            if path.starts_with("/docs/") {
                files.extend(linked_files(&answer.body));
            }
        }
        assert!(checked.contains("/docs/schema.js") && checked.contains("/assets/tokens.css"), "{checked:?}");
        assert_eq!(world.anonymous().get("/docs/nothing.js").await.text("code"), "unknown_route");
        let script = world.anonymous().get("/docs/page.js").await;
        assert!(script.body.contains("/openapi.json"), "{}", script.body);
        assert_eq!(script.header("content-type"), "text/javascript");
    })
    .await;
}
