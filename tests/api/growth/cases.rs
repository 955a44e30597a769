//! Each rule, with a small document and one change.

use super::operations::compare_documents;
use serde_json::{Value, json};

/// One operation with a parameter, a body, an answer and an error.
fn small_document() -> Value {
    json!({
        "paths": {
            "/v1/things": {"post": {
                "parameters": [
                    {"name": "limit", "in": "query", "required": false,
                     "schema": {"type": "integer", "default": 100, "maximum": 1000, "minimum": 1}},
                    {"name": "after", "in": "query", "required": false, "schema": {"type": "string"}},
                ],
                "requestBody": {"required": true, "content": {"application/json": {
                    "schema": {"$ref": "#/components/schemas/ThingRequest"},
                }}},
                "responses": {
                    "200": {
                        "headers": {"etag": {}},
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
                    },
                    "409": {"content": {"application/problem+json": {"schema": {"allOf": [
                        {"$ref": "#/components/schemas/Problem"},
                        {"properties": {"code": {"enum": ["taken"]}}},
                    ]}}}},
                },
            }},
            "/api/of-another-system": {"get": {"responses": {}}},
        },
        "components": {"schemas": {
            "ThingRequest": {
                "type": "object",
                "required": ["name"],
                "additionalProperties": false,
                "properties": {
                    "name": {"type": "string", "maxLength": 512, "pattern": "^a"},
                    "color": {"$ref": "#/components/schemas/Color"},
                    "note": {"type": ["string", "null"]},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/ThingRequest"}},
                },
            },
            "Thing": {
                "type": "object",
                "required": ["id", "state"],
                "properties": {
                    "id": {"type": "integer", "format": "int64"},
                    "state": {"type": "string", "enum": ["open", "closed"]},
                    "color": {"oneOf": [{"$ref": "#/components/schemas/Color"}, {"type": "null"}]},
                    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}},
                },
            },
            "Color": {"type": "string", "enum": ["red", "blue"]},
            "Problem": {
                "type": "object",
                "required": ["code", "detail"],
                "properties": {"code": {"type": "string"}, "detail": {"type": "string"}},
            },
        }},
    })
}

const OPERATION: &str = "/paths/~1v1~1things/post";
const REQUEST: &str = "/components/schemas/ThingRequest";
const ANSWER: &str = "/components/schemas/Thing";

/// The rules that a change of the small document breaks, with their places and without what to do.
fn broken_by(change: impl FnOnce(&mut Value)) -> Vec<String> {
    let before = small_document();
    let mut now = small_document();
    change(&mut now);
    assert_ne!(before, now, "the case changes the document");
    let line = |text: String| text.split_once("; ").expect("what to do").0.to_owned();
    compare_documents(&before, &now)
        .iter()
        .map(|broken| format!("{:?}: {}", broken.rule, line(broken.to_string())))
        .collect()
}

fn broken_by_setting(place: &str, value: Value) -> Vec<String> {
    broken_by(|document| set(document, place, value))
}

/// Sets or adds a member, by a JSON pointer.
fn set(document: &mut Value, place: &str, value: Value) {
    let (parent, name) = place.rsplit_once('/').expect("a pointer");
    let parent = document.pointer_mut(parent).expect(place);
    match parent.as_array_mut() {
        Some(items) => items[name.parse::<usize>().expect("a position")] = value,
        None => parent[name.replace("~1", "/")] = value,
    }
}

fn broken_by_removing(place: &str) -> Vec<String> {
    broken_by(|document| {
        let (parent, name) = place.rsplit_once('/').expect("a pointer");
        let parent = document.pointer_mut(parent).expect(place);
        match parent.as_array_mut() {
            Some(items) => drop(items.remove(name.parse().expect("a position"))),
            None => drop(parent.as_object_mut().expect("an object").remove(&name.replace("~1", "/"))),
        }
    })
}

#[track_caller]
fn assert_broken(broken: &[String], expected: &str) {
    assert_eq!(broken, [expected]);
}

#[test]
fn same_document_breaks_nothing() {
    let broken = compare_documents(&small_document(), &small_document());
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn operations_parameters_and_answers_stay() {
    let without_path = broken_by_removing("/paths/~1v1~1things");
    assert_broken(&without_path[..1], "OperationStays: POST /v1/things: it is gone");
    let of_operation = |part: &str| broken_by_removing(&format!("{OPERATION}/{part}"));
    assert_broken(
        &of_operation("parameters/1"),
        "ParameterStays: the parameter `after` of POST /v1/things: it is gone",
    );
    assert_broken(
        &of_operation("responses/200"),
        "AnswerStays: the answer 200 of POST /v1/things: it is gone",
    );
    assert_broken(
        &of_operation("responses/200/headers/etag"),
        "AnswerStays: the answer 200 of POST /v1/things: its header `etag` is gone",
    );
    assert_broken(
        &of_operation("responses/200/content/application~1json"),
        "AnswerStays: the answer 200 of POST /v1/things: application/json is gone",
    );
}

#[test]
fn error_codes_stay_with_their_status() {
    let codes = format!(
        "{OPERATION}/responses/409/content/application~1problem+json/schema/allOf/1/properties/code/enum"
    );
    assert_broken(
        &broken_by_setting(&codes, json!(["another"])),
        "ErrorCodeStays: the error code `taken`: it is gone",
    );
    let moved = broken_by(|document| {
        let answers =
            document.pointer_mut(OPERATION).expect("it")["responses"].as_object_mut().expect("answers");
        let conflict = answers.remove("409").expect("the error");
        answers.insert("422".to_owned(), conflict);
    });
    assert_broken(&moved, "ErrorCodeStays: the error code `taken`: it no longer has the status 409");
    let more = broken_by_setting(&codes, json!(["taken", "another"]));
    assert!(more.is_empty(), "{more:?}");
}

#[test]
fn requests_need_no_more() {
    assert_broken(
        &broken_by_setting(&format!("{REQUEST}/required"), json!(["name", "note"])),
        "RequestNeedsNoMore: ThingRequest in requests: `note` became required",
    );
    assert_broken(
        &broken_by_setting(&format!("{OPERATION}/parameters/1/required"), json!(true)),
        "RequestNeedsNoMore: the parameter `after` of POST /v1/things: it became required",
    );
    let fresh = json!({"name": "since", "in": "query", "required": true, "schema": {"type": "string"}});
    assert_broken(
        &broken_by_setting(&format!("{OPERATION}/parameters/0"), fresh)[1..],
        "RequestNeedsNoMore: the parameter `since` of POST /v1/things: it became required",
    );
    let less = broken_by_setting(&format!("{REQUEST}/required"), json!([]));
    assert!(less.is_empty(), "{less:?}");
}

#[test]
fn requests_accept_what_they_accepted() {
    let member = |name: &str| format!("{REQUEST}/properties/{name}");
    assert_broken(
        &broken_by_removing(&member("note")),
        "RequestMemberStays: ThingRequest in requests: the member `note` vanished",
    );
    assert_broken(
        &broken_by_setting(&member("note/type"), json!("string")),
        "RequestTypeStays: `note` of ThingRequest in requests: `null` is no longer accepted",
    );
    assert_broken(
        &broken_by_setting(&member("note/format"), json!("date-time")),
        "RequestTypeStays: `note` of ThingRequest in requests: the format none became date-time",
    );
    assert_broken(
        &broken_by_setting(&member("note/enum"), json!(["short"])),
        "RequestWordStays: `note` of ThingRequest in requests: only certain words are accepted now",
    );
    assert_broken(
        &broken_by_setting(&format!("{OPERATION}/parameters/0/schema/default"), json!(50)),
        "DefaultStays: the parameter `limit` of POST /v1/things: the default 100 became 50",
    );
    for (name, larger) in
        [("note", json!({})), ("name/maxLength", json!(1024)), ("new", json!({"type": "string"}))]
    {
        let grown = broken_by_setting(&member(name), larger);
        assert!(grown.is_empty(), "{grown:?}");
    }
}

#[test]
fn limits_of_requests_do_not_shrink() {
    let name = |limit: &str| format!("{REQUEST}/properties/name/{limit}");
    let limited = |change: &str| format!("LimitDoesNotShrink: `name` of ThingRequest in requests: {change}");
    assert_broken(&broken_by_setting(&name("maxLength"), json!(100)), &limited("`maxLength` 512 became 100"));
    assert_broken(&broken_by_setting(&name("minLength"), json!(2)), &limited("`minLength` 2 is new"));
    assert_broken(
        &broken_by_setting(&name("pattern"), json!("^b")),
        &limited("the pattern is another one, which may refuse what was accepted"),
    );
    assert_broken(
        &broken_by_setting(&format!("{OPERATION}/parameters/0/schema/minimum"), json!(10)),
        "LimitDoesNotShrink: the parameter `limit` of POST /v1/things: `minimum` 1 became 10",
    );
    for larger in [broken_by_removing(&name("maxLength")), broken_by_removing(&name("pattern"))] {
        assert!(larger.is_empty(), "{larger:?}");
    }
}

#[test]
fn answers_keep_their_members_and_types() {
    let member = |name: &str| format!("{ANSWER}/properties/{name}");
    assert_broken(
        &broken_by_removing(&member("color")),
        "AnswerMemberStays: Thing in answers: the member `color` vanished",
    );
    assert_broken(
        &broken_by_setting(&format!("{ANSWER}/required"), json!(["id"])),
        "AnswerMemberStays: Thing in answers: `state` became optional",
    );
    assert_broken(
        &broken_by_setting(&member("id/type"), json!("string")),
        "AnswerTypeStays: `id` of Thing in answers: the value may now be `string`",
    );
    assert_broken(
        &broken_by_setting(&member("id/format"), json!("int32")),
        "AnswerTypeStays: `id` of Thing in answers: the format int64 became int32",
    );
    assert_broken(
        &broken_by_setting(&member("id/type"), json!(["integer", "null"])),
        "AnswerTypeStays: `id` of Thing in answers: the value may now be `null`",
    );
    assert_broken(
        &broken_by_removing("/components/schemas/Problem/properties/detail"),
        "AnswerMemberStays: Problem in answers: the member `detail` vanished",
    );
    // A member that is always there, and a new one, are more than before.
    let certain = broken_by_setting(&member("color"), json!({"$ref": "#/components/schemas/Color"}));
    let added = broken_by_setting(&member("size"), json!({"type": "integer"}));
    assert!(certain.is_empty() && added.is_empty(), "{certain:?} {added:?}");
}

/// The same enumeration is both written and read.
#[test]
fn enumerations_only_grow() {
    let words = "/components/schemas/Color/enum";
    assert_eq!(
        broken_by_setting(words, json!(["red", "green"])),
        [
            "RequestWordStays: Color in requests: the word \"blue\" vanished",
            "AnswerWordStays: Color in answers: the word \"blue\" vanished",
        ]
    );
    let grown = broken_by_setting(words, json!(["red", "blue", "green"]));
    assert!(grown.is_empty(), "{grown:?}");
    assert_broken(
        &broken_by_setting(&format!("{ANSWER}/properties/state/enum"), json!(["open"])),
        "AnswerWordStays: `state` of Thing in answers: the word \"closed\" vanished",
    );
}

#[test]
fn other_systems_interfaces_are_not_promised() {
    let broken = broken_by_removing("/paths/~1api~1of-another-system");
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
fn message_names_place_change_and_remedy() {
    let (before, mut now) = (small_document(), small_document());
    set(&mut now, &format!("{ANSWER}/properties/state/enum"), json!(["open"]));
    let broken = compare_documents(&before, &now);
    insta::assert_snapshot!(broken[0].to_string(), @r#"`state` of Thing in answers: the word "closed" vanished; a word of an answer's enumeration must not vanish: keep it in the type, also if it is rare now"#);
}
