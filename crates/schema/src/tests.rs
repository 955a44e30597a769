//! Schemas, values that they accept, and values that they reject.

use crate::{UnusableSchema, find_violations};
use serde_json::{Value, json};

/// Checks that a schema accepts some values and rejects others.
fn assert_schema(schema: &Value, accepted: &[Value], rejected: &[Value]) {
    for (values, wanted) in [(accepted, true), (rejected, false)] {
        for value in values {
            let violations = find_violations(schema, value, 3);
            let is_accepted = violations.as_ref().map(Vec::is_empty);
            assert_eq!(is_accepted, Ok(wanted), "{schema} on {value}: {violations:?}");
        }
    }
}

fn reasons(schema: &Value, value: &Value) -> String {
    let violations = find_violations(schema, value, 3).expect("a usable schema");
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn types_and_constants_restrict_values() {
    assert_schema(
        &json!({"type": "integer"}),
        &[json!(1), json!(1.0), json!(-7)],
        &[json!(1.5), json!("1"), json!(null)],
    );
    assert_schema(&json!({"type": ["string", "null"]}), &[json!("a"), json!(null)], &[json!(1), json!({})]);
    assert_schema(
        &json!({"enum": [1, "a", {"b": [2]}]}),
        &[json!(1.0), json!({"b": [2.0]})],
        &[json!("b"), json!({"b": []})],
    );
    assert_schema(
        &json!({"const": {"a": 1, "b": 2}}),
        &[json!({"b": 2, "a": 1})],
        &[json!({"a": 1}), json!(null)],
    );
    assert_schema(&json!(true), &[json!(1)], &[]);
    assert_schema(&json!(false), &[], &[json!(1)]);
    assert_schema(&json!({}), &[json!(1), json!([null])], &[]);
}

#[test]
fn numbers_obey_bounds_and_divisors() {
    assert_schema(
        &json!({"minimum": 1, "maximum": 3}),
        &[json!(1), json!(3.0), json!("x")],
        &[json!(0.9), json!(4)],
    );
    assert_schema(&json!({"exclusiveMinimum": 1, "exclusiveMaximum": 3}), &[json!(2)], &[json!(1), json!(3)]);
    assert_schema(&json!({"minimum": 1, "exclusiveMinimum": true}), &[json!(1.1)], &[json!(1), json!(0)]);
    assert_schema(
        &json!({"maximum": 9_007_199_254_740_992_i64}),
        &[json!(9_007_199_254_740_992_i64)],
        &[json!(9_007_199_254_740_993_i64)],
    );
    assert_schema(&json!({"multipleOf": 0.1}), &[json!(0.3), json!(1), json!(-0.7)], &[json!(0.35)]);
    assert_schema(&json!({"multipleOf": 3}), &[json!(9), json!(9.0)], &[json!(10), json!(1.5)]);
}

#[test]
fn texts_obey_length_and_pattern() {
    assert_schema(
        &json!({"minLength": 2, "maxLength": 3}),
        &[json!("éé"), json!(7)],
        &[json!("é"), json!("abcd")],
    );
    assert_schema(&json!({"pattern": "b"}), &[json!("abc")], &[json!("ac")]);
    assert_schema(&json!({"pattern": r"^\d+$"}), &[json!("12")], &[json!("١٢"), json!("1a")]);
    assert_schema(
        &json!({"pattern": r"^[\w\-.]+\/[^\d]$"}),
        &[json!("a-b/c")],
        &[json!("é/c"), json!("a/1")],
    );
    assert_schema(&json!({"pattern": "^[[&]+$"}), &[json!("[&[")], &[json!("a")]);
    assert_schema(&json!({"pattern": "^(?!rm).*$"}), &[json!("ls")], &[json!("rm x")]);
}

#[test]
fn arrays_obey_the_schemas_of_their_elements() {
    assert_schema(&json!({"items": {"type": "string"}}), &[json!([]), json!(["a"])], &[json!(["a", 1])]);
    assert_schema(
        &json!({"prefixItems": [{"type": "string"}], "items": false}),
        &[json!(["a"]), json!([])],
        &[json!([1]), json!(["a", 1])],
    );
    assert_schema(
        &json!({"items": [{"type": "string"}], "additionalItems": {"type": "null"}}),
        &[json!(["a", null])],
        &[json!(["a", 1])],
    );
    assert_schema(&json!({"minItems": 1, "maxItems": 2}), &[json!([1])], &[json!([]), json!([1, 2, 3])]);
    assert_schema(
        &json!({"uniqueItems": true}),
        &[json!([1, "1", [1], {"a": 1}])],
        &[json!([1, 1.0]), json!([{"a": 1, "b": 2}, {"b": 2, "a": 1}])],
    );
    assert_schema(&json!({"contains": {"type": "null"}}), &[json!([1, null])], &[json!([1])]);
    assert_schema(
        &json!({"contains": {"type": "null"}, "minContains": 2, "maxContains": 3}),
        &[json!([null, null])],
        &[json!([null]), json!([null, null, null, null])],
    );
}

#[test]
fn objects_obey_the_schemas_of_their_members() {
    let schema = json!({"properties": {"a": {"type": "string"}}, "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": false});
    assert_schema(
        &schema,
        &[json!({"a": "s", "x-1": 1}), json!({})],
        &[json!({"a": 1}), json!({"x-1": "s"}), json!({"b": 1})],
    );
    assert_schema(
        &json!({"additionalProperties": {"type": "null"}}),
        &[json!({"a": null})],
        &[json!({"a": 1})],
    );
    assert_schema(
        &json!({"required": ["a", "b"]}),
        &[json!({"a": 1, "b": 2}), json!([])],
        &[json!({"a": 1})],
    );
    assert_schema(&json!({"propertyNames": {"maxLength": 2}}), &[json!({"ab": 1})], &[json!({"abc": 1})]);
    assert_schema(
        &json!({"minProperties": 1, "maxProperties": 1}),
        &[json!({"a": 1})],
        &[json!({}), json!({"a": 1, "b": 2})],
    );
    assert_schema(
        &json!({"dependentRequired": {"a": ["b"]}}),
        &[json!({"a": 1, "b": 1}), json!({"c": 1})],
        &[json!({"a": 1})],
    );
    assert_schema(
        &json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}),
        &[json!({"c": 1, "d": 1})],
        &[json!({"a": 1}), json!({"c": 1})],
    );
    assert_schema(
        &json!({"dependentSchemas": {"a": {"maxProperties": 1}}}),
        &[json!({"a": 1})],
        &[json!({"a": 1, "b": 1})],
    );
}

#[test]
fn combinations_apply_other_schemas() {
    assert_schema(&json!({"allOf": [{"minimum": 1}, {"maximum": 3}]}), &[json!(2)], &[json!(0), json!(4)]);
    assert_schema(
        &json!({"anyOf": [{"type": "string"}, {"minimum": 3}]}),
        &[json!("a"), json!(4)],
        &[json!(1)],
    );
    assert_schema(&json!({"oneOf": [{"minimum": 1}, {"minimum": 3}]}), &[json!(2)], &[json!(0), json!(4)]);
    assert_schema(&json!({"not": {"type": "string"}}), &[json!(1)], &[json!("a")]);
    let conditional = json!({"if": {"minimum": 10}, "then": {"multipleOf": 10}, "else": {"maximum": 5}});
    assert_schema(&conditional, &[json!(20), json!(5)], &[json!(15), json!(6)]);
    let referring =
        json!({"$defs": {"a/b": {"type": "string"}}, "items": {"$ref": "#/$defs/a~1b", "maxLength": 1}});
    assert_schema(&referring, &[json!(["a"])], &[json!([1]), json!(["ab"])]);
    let tree = json!({"required": ["name"], "properties": {"children": {"items": {"$ref": "#"}}}});
    assert_schema(
        &tree,
        &[json!({"name": 1, "children": [{"name": 2}]})],
        &[json!({"name": 1, "children": [{}]})],
    );
}

#[test]
fn unevaluated_parts_obey_their_schema() {
    let members = json!({
        "properties": {"a": {}},
        "allOf": [{"properties": {"b": {}}}],
        "anyOf": [{"properties": {"c": {"const": 1}}, "required": ["c"]}, true],
        "if": {"required": ["d"]}, "then": {"properties": {"d": {}, "e": {}}},
        "dependentSchemas": {"f": {"properties": {"f": {}}}},
        "unevaluatedProperties": false
    });
    assert_schema(
        &members,
        &[json!({"a": 1, "b": 1}), json!({"c": 1}), json!({"d": 1, "e": 1}), json!({"f": 1})],
        &[json!({"x": 1}), json!({"c": 2}), json!({"e": 1})],
    );
    let elements = json!({"allOf": [{"prefixItems": [{}]}], "contains": {"type": "null"}, "minContains": 0, "unevaluatedItems": {"type": "string"}});
    assert_schema(&elements, &[json!([1, "a", null])], &[json!([1, 2])]);
    let nested = json!({"$ref": "#/$defs/base", "$defs": {"base": {"unevaluatedProperties": true}}, "unevaluatedProperties": false});
    assert_schema(&nested, &[json!({"a": 1})], &[]);
}

#[test]
fn violations_name_place_and_reason() {
    let schema = json!({
        "type": "object", "required": ["name"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "a/b": {"items": {"minimum": 3}}, "mode": {"enum": ["x", 1]}}
    });
    assert_eq!(
        reasons(&schema, &json!({"a/b": [3, 2], "mode": "y"})),
        "\"name\" is a required property; 2 is less than the minimum of 3 at \"/a~1b/1\"; \
         \"y\" is not one of \"x\", 1 at \"/mode\""
    );
    assert_eq!(
        reasons(&schema, &json!({"name": "n", "u": 1, "v": 2})),
        "Additional properties are not allowed ('u', 'v' were unexpected)"
    );
    let many = json!({"items": {"type": "string"}});
    assert_eq!(find_violations(&many, &json!([1, 2, 3, 4, 5]), 3).expect("usable").len(), 3);
}

#[test]
fn unusable_schema_is_reported() {
    let invalid = |keyword, expected| UnusableSchema::InvalidKeyword { keyword, expected };
    for (schema, value, error) in [
        (json!({"$ref": "http://127.0.0.1:1/x"}), json!(1), UnusableSchema::UnknownReference),
        (json!({"$ref": "#/$defs/none"}), json!(1), UnusableSchema::UnknownReference),
        (json!({"$dynamicRef": "#x"}), json!(1), UnusableSchema::DynamicReference),
        (json!({"allOf": [{"$ref": "#"}]}), json!(1), UnusableSchema::TooDeep),
        (json!({"not": {"not": {"$ref": "#"}}}), json!(1), UnusableSchema::TooDeep),
        (json!({"pattern": "("}), json!("a"), UnusableSchema::UnusablePattern("(".to_owned())),
        (
            json!({"pattern": "((a{100}){100}){100}"}),
            json!("a"),
            UnusableSchema::UnusablePattern("((a{100}){100}){100}".to_owned()),
        ),
        (json!({"type": "thing"}), json!(1), invalid("type", "the name of a type, or a list of names")),
        (json!({"properties": 1}), json!({"a": 1}), invalid("properties", "an object")),
        (json!({"anyOf": {}}), json!(1), invalid("anyOf", "a list")),
        (json!({"minLength": "a"}), json!("a"), invalid("minLength", "a whole number")),
        (json!({"minimum": "a"}), json!(1), invalid("minimum", "a number")),
        (json!({"multipleOf": 0}), json!(1), invalid("multipleOf", "a number above 0")),
        (json!({"required": [1]}), json!({}), invalid("required", "a list of names")),
        (json!({"items": 1}), json!([1]), invalid("schema", "an object or a bool")),
    ] {
        assert_eq!(find_violations(&schema, &value, 3), Err(error), "{schema}");
    }
}

#[test]
fn costly_schema_is_stopped() {
    let patterns: Vec<_> = (0..200).map(|n| json!({"pattern": format!("a{n}")})).collect();
    assert_eq!(
        find_violations(&json!({"anyOf": patterns}), &json!("x"), 3),
        Err(UnusableSchema::TooManyPatterns(100))
    );
    // Each level applies the next one twice, also to find the unevaluated members.
    for format in [
        r#"{"allOf":[@,@]}"#,
        r#"{"anyOf":[{"not":@},@]}"#,
        r#"{"anyOf":[@,@],"unevaluatedProperties":false}"#,
    ] {
        let levels = (0..60).map(|n| {
            let next = format!("{{\"$ref\":\"#/$defs/d{}\"}}", n + 1);
            (format!("d{n}"), serde_json::from_str(&format.replace('@', &next)).expect("JSON"))
        });
        let mut levels: serde_json::Map<String, Value> = levels.collect();
        levels.insert("d60".to_owned(), json!({}));
        let schema = json!({"$defs": levels, "$ref": "#/$defs/d0"});
        let error = find_violations(&schema, &json!({"a": 1}), 3).expect_err(format);
        assert_eq!(error, UnusableSchema::TooManySteps(1_000_000), "{format}");
    }
    let backtracking = json!({"pattern": "^(?=(a+)+$)a*$"});
    let text = json!(format!("{}b", "a".repeat(100)));
    assert!(
        find_violations(&backtracking, &text, 3).is_ok_and(|found| found.len() == 1)
            || find_violations(&backtracking, &text, 3).is_err()
    );
}
