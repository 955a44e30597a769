//! The examples of the OpenAPI document: each satisfies its schema, and the answers are those of a server.

use crate::ASK;
use countersign_schema::find_violations;
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use reqwest::Method;
use serde_json::{Map, Value, json};
use std::{env, fs, path::Path, time::Duration};

/// Operations that follow each other on a new log, each with the example of its request. The document has the first
/// answer of each.
const STORIES: &[&[&str]] = &[
    &[
        "propose",
        "getCall",
        "heartbeat",
        "listPending",
        "listPendingOfThread",
        "previewScope",
        "previewEdit",
        "decide",
        "claim",
        "renewClaim",
        "finish",
        "listEvents",
        "listEventsOfThread",
        "listCalls",
        "listCallsOfThread",
        "listThreads",
        "getThread",
        "getStats",
        "flag",
        "erase",
    ],
    &["propose", "decide", "takeBack"],
    &["propose", "cancel"],
    &["propose", "decideAll"],
    &["propose", "stop"],
    &["propose", "stopThread"],
    &["propose", "closeThread"],
    &["addMessages", "listMessages", "setMode", "getMode", "setPolicies", "getPolicies"],
    &["defineTools", "listTools", "getTool"],
    &["getPolicy", "listPolicies", "listPolicyRules", "checkPolicy"],
    &["propose", "laceListPending", "opeyFollow", "laceDecide"],
];

fn document() -> Value {
    serde_json::from_str(&countersign_server::document(Some(countersign_compat::routes))).expect("JSON")
}

/// A value of the document, or the one that it refers to.
fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            let place = reference.strip_prefix('#').expect("a place in the document");
            resolved(document, document.pointer(place).expect("an existing place"))
        }
        None => value,
    }
}

/// The examples of a media type, or of its schema.
fn examples_of(document: &Value, content: &Value) -> Vec<Value> {
    let named = content["examples"].as_object().into_iter().flatten().map(|(_, example)| &example["value"]);
    let own: Vec<_> = content.get("example").into_iter().chain(named).cloned().collect();
    if !own.is_empty() {
        return own;
    }
    resolved(document, &content["schema"])["examples"].as_array().cloned().unwrap_or_default()
}

struct DescribedOperation<'a> {
    method: Method,
    path: &'a str,
    description: &'a Value,
}

/// Every operation of the document.
fn operations(document: &Value) -> Vec<DescribedOperation<'_>> {
    let paths = document["paths"].as_object().expect("paths");
    let of_path = |(path, item): (&'_ String, &'_ Value)| {
        let methods: Vec<_> = item.as_object().expect("operations").keys().cloned().collect();
        methods.into_iter().map(|method| (path.clone(), method)).collect::<Vec<_>>()
    };
    let named = paths.iter().flat_map(of_path);
    let describe = |(path, name): (String, String)| {
        let (path, item) = paths.get_key_value(&path).expect("the path");
        let method = Method::from_bytes(name.to_uppercase().as_bytes()).expect("a method");
        DescribedOperation { method, path, description: &item[name] }
    };
    named.map(describe).collect()
}

/// Checks each example against its schema, and notes the violations.
struct ExampleCheck<'a> {
    document: &'a Value,
    /// A schema beside the components, to which references lead.
    root: Value,
    checked: usize,
    violations: Vec<String>,
}

impl<'a> ExampleCheck<'a> {
    fn new(document: &'a Value) -> Self {
        let root = json!({ "components": document["components"] });
        Self { document, root, checked: 0, violations: Vec::new() }
    }

    fn check(&mut self, place: &str, schema: &Value, example: &Value) {
        self.root["allOf"] = json!([schema]);
        self.checked += 1;
        let found = find_violations(&self.root, example, 5).expect("a usable schema");
        self.violations.extend(found.iter().map(|violation| format!("{place}: {violation}")));
    }

    fn check_content(&mut self, place: &str, answer: &Value) {
        for (kind, content) in answer["content"].as_object().into_iter().flatten() {
            let examples = examples_of(self.document, content);
            let is_json = kind.ends_with("json");
            assert!(
                !is_json || !examples.is_empty() || place.starts_with("getDocument"),
                "{place} has no example"
            );
            for example in &examples {
                self.check(place, &content["schema"], example);
            }
        }
    }
}

#[test]
fn every_example_satisfies_its_schema() {
    let document = document();
    let mut check = ExampleCheck::new(&document);
    for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
        for example in schema["examples"].as_array().into_iter().flatten() {
            check.check(name, schema, example);
        }
    }
    for operation in operations(&document) {
        let id = operation.description["operationId"].as_str().expect("an id");
        for parameter in operation.description["parameters"].as_array().into_iter().flatten() {
            let schema = resolved(&document, &parameter["schema"]);
            for example in schema["examples"].as_array().into_iter().flatten() {
                check.check(&format!("{id}, {}", parameter["name"]), schema, example);
            }
        }
        check.check_content(&format!("{id}, request"), &operation.description["requestBody"]);
        for (status, answer) in operation.description["responses"].as_object().expect("responses") {
            check.check_content(&format!("{id}, {status}"), resolved(&document, answer));
        }
    }
    assert_eq!(check.violations, Vec::<String>::new());
    assert!(check.checked > 500, "{} examples were checked", check.checked);
}

/// The path with the examples of its parts.
fn fill_path(document: &Value, operation: &DescribedOperation<'_>) -> String {
    let parameters = operation.description["parameters"].as_array().expect("parameters");
    let parts = parameters.iter().filter(|parameter| parameter["in"] == "path");
    parts.fold(operation.path.to_owned(), |path, part| {
        let example = &resolved(document, &part["schema"])["examples"][0];
        let example = example.as_str().map_or_else(|| example.to_string(), str::to_owned);
        path.replace(&format!("{{{}}}", part["name"].as_str().expect("a name")), &example)
    })
}

/// Sends the example of an operation, as an agent or a person who may call it.
async fn send_example(world: &HttpWorld, document: &Value, id: &str) -> Value {
    let all = operations(document);
    let operation = all.iter().find(|operation| operation.description["operationId"] == id).expect(id);
    let roles = operation.description["x-access"]["roles"].as_array().expect("roles");
    let is_for_agents = roles.contains(&json!("agent")) && !roles.contains(&json!("auditor"));
    let caller = if is_for_agents { world.agent("builder") } else { world.person("ada") };
    let request = caller.request(operation.method.clone(), &fill_path(document, operation));
    let request = request.header("accept", "application/json");
    let body = &operation.description["requestBody"]["content"]["application/json"];
    let body = examples_of(document, body).into_iter().next();
    let request = match body {
        Some(body) => request.header("content-type", "application/json").body(body.to_string()),
        None => request,
    };
    let answer = HttpAnswer::to(request).await;
    assert!(answer.status < 300, "{id}: {answer}");
    answer.json()
}

async fn tell(story: &[&str], answers: &mut Map<String, Value>) {
    let document = document();
    over_http(ASK, async |world| {
        for id in story {
            let answer = send_example(world, &document, id).await;
            answers.entry(*id).or_insert(answer);
            world.clock().advance(Duration::from_secs(1));
        }
    })
    .await;
}

/// The file is a part of the document, so that a changed answer shows in the diff.
#[tokio::test]
async fn example_answers_are_those_of_a_server() {
    let mut answers = Map::new();
    for story in STORIES {
        tell(story, &mut answers).await;
    }
    let lines: Vec<_> = answers.iter().map(|(id, answer)| format!("{}: {answer}", json!(id))).collect();
    let now = format!("{{\n{}\n}}\n", lines.join(",\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/api/src/operations/examples.json");
    if env::var_os("UPDATE_OPENAPI").is_some() {
        fs::write(&path, &now).expect("the file can be written");
    }
    let file = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        now == file,
        "examples.json is outdated: run the test with UPDATE_OPENAPI=1, then that of openapi.json"
    );
}

/// The client of Opey reads other members than others do, and the document says which.
#[tokio::test]
async fn refusals_of_opey_are_as_described() {
    over_http(ASK, async |world| {
        let document = document();
        let mut check = ExampleCheck::new(&document);
        let ada = world.person("ada");
        let unknown = r#"{"tool_call_id":"call_9","approval":"approve"}"#;
        for (method, path, answer) in [
            ("post", "/approval/{thread}", ada.post("/approval/t", "{}").await),
            ("get", "/approval/{thread}", ada.get_with("/approval/t", "last-event-id", "x").await),
            ("post", "/stream", ada.post("/stream", r#"{"message":""}"#).await),
            ("post", "/approval/{thread}", ada.post("/approval/t", unknown).await),
        ] {
            let described = &document["paths"][path][method]["responses"][answer.status.to_string()];
            let schema = &resolved(&document, described)["content"]["application/problem+json"]["schema"];
            assert!(schema.is_object(), "{method} {path}: the document has no {}", answer.status);
            let problem: Value = serde_json::from_str(&answer.body).expect("JSON");
            assert_eq!(problem["detail"].is_array(), answer.status == 422, "{method} {path}: {problem}");
            check.check(path, schema, &problem);
        }
        assert_eq!(check.violations, Vec::<String>::new());
    })
    .await;
}
