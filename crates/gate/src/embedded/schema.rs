//! Checks edited arguments against the tool's `inputSchema`.

use countersign_events::Json;
use countersign_schema::find_violations;

/// The longest schema, in bytes.
const MAX_SCHEMA_BYTES: usize = 256 * 1024;
/// The most reasons that a refusal names.
const MAX_REASONS: usize = 3;

/// The reason why `schema` rejects `arguments`, if it does. The schema comes from an agent. The check limits its steps
/// and its memory, and the caller also sets a time limit.
pub(super) fn find_schema_error(schema: &Json, arguments: &Json) -> Option<String> {
    let unusable = |why: String| Some(format!("the tool's inputSchema cannot be used to check them: {why}"));
    if schema.as_str().len() > MAX_SCHEMA_BYTES {
        return unusable(format!("it has more than {MAX_SCHEMA_BYTES} bytes"));
    }
    let read = |json: &Json| json.read::<serde_json::Value>();
    let (Ok(schema), Ok(instance)) = (read(schema), read(arguments)) else {
        return Some("they cannot be read as JSON".to_owned());
    };
    match find_violations(&schema, &instance, MAX_REASONS) {
        Err(why) => unusable(why.to_string()),
        Ok(violations) if violations.is_empty() => None,
        Ok(violations) => {
            let reasons: Vec<_> = violations.iter().map(ToString::to_string).collect();
            Some(format!("the tool does not take them: {}", reasons.join("; ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("valid")
    }

    fn pattern_error(pattern: &str, text: &str) -> Option<String> {
        let schema = json(&format!(r#"{{"properties":{{"text":{{"pattern":"{pattern}"}}}}}}"#));
        find_schema_error(&schema, &json(&format!(r#"{{"text":"{text}"}}"#)))
    }

    #[test]
    fn schema_error_names_value_and_place() {
        let schema = json(r#"{"properties":{"path":{"type":"string"}},"required":["path"]}"#);
        assert_eq!(
            find_schema_error(&schema, &json(r#"{"path":7}"#)).as_deref(),
            Some(r#"the tool does not take them: 7 is not of type "string" at "/path""#)
        );
        assert_eq!(find_schema_error(&schema, &json(r#"{"path":"x"}"#)), None);
    }

    #[test]
    fn schema_pattern_is_decided_in_bounded_time() {
        // A backtracking engine tries every way to split the letters for the first pattern. The others have
        // look-around, which needs such an engine.
        let long = format!("{}b", "a".repeat(100));
        for (pattern, fits, wrong) in
            [("^(a+)+$", "aaa", &*long), ("^(?!rm).*$", "ls", "rm x"), ("^(?=(a+)+$)a*$", "aaa", &long)]
        {
            assert!(pattern_error(pattern, wrong).is_some(), "{pattern}");
            assert_eq!(pattern_error(pattern, fits), None, "{pattern}");
        }
    }

    /// A schema that refers to itself or to another resource must not end the process that checks an edit against it.
    #[test]
    fn schema_with_endless_or_foreign_reference_returns() {
        let arguments = json(&format!("{{\"n\":\"{}b\"}}", "a".repeat(40)));
        for schema in [
            r##"{"$ref":"#"}"##,
            r##"{"allOf":[{"$ref":"#"}]}"##,
            r##"{"properties":{"n":{"$ref":"#/properties/n"}}}"##,
            r##"{"not":{"not":{"$ref":"#"}}}"##,
            r#"{"$ref":"http://127.0.0.1:1/x"}"#,
            r#"{"$ref":"file:///etc/passwd"}"#,
            r#"{"properties":{"n":{"pattern":"^(a+)+\\1$"}}}"#,
        ] {
            let _ = find_schema_error(&json(schema), &arguments);
        }
    }

    fn error_of(schema: &str, arguments: &str) -> String {
        find_schema_error(&json(schema), &json(arguments)).unwrap_or_else(|| "no error".to_owned())
    }

    /// The definitions `d0` to `d<depth>`, each of which refers to the next one as `format` says.
    fn chain(depth: usize, format: &str) -> String {
        let definitions: Vec<_> = (0..depth)
            .map(|n| {
                let next = format!("{{\"$ref\":\"#/$defs/d{}\"}}", n + 1);
                format!("\"d{n}\":{}", format.replace('@', &next))
            })
            .collect();
        format!("{{\"$defs\":{{{},\"d{depth}\":{{}}}},\"$ref\":\"#/$defs/d0\"}}", definitions.join(","))
    }

    #[test]
    fn schema_beyond_its_budget_is_not_used() {
        let deep = format!("{}1{}", r#"{"a":"#.repeat(60), "}".repeat(60));
        let many = format!(
            "[{}]",
            (0..2_000).map(|n| format!("{{\"pattern\":\"a{n}\"}}")).collect::<Vec<_>>().join(",")
        );
        let wide = format!("[{}1]", "1,".repeat(20_000));
        for (schema, arguments, why) in [
            (chain(60, r#"{"allOf":[@,@]}"#), "1", "more than 1000000 steps"),
            (chain(60, r#"{"properties":{"a":{"allOf":[@,@]}}}"#), &*deep, "more than 1000000 steps"),
            (chain(5_000, r#"{"not":@}"#), "1", "too often or without end"),
            (r##"{"allOf":[{"$ref":"#"}]}"##.to_owned(), "1", "too often or without end"),
            (r##"{"$ref":"#/$defs/none"}"##.to_owned(), "1", "another resource"),
            (r#"{"$ref":"http://127.0.0.1:1/x"}"#.to_owned(), "1", "another resource"),
            (r##"{"$dynamicRef":"#x"}"##.to_owned(), "1", "depend on the call"),
            (format!(r#"{{"anyOf":{many}}}"#), "\"x\"", "more than 100 patterns"),
            (
                format!(r#"{{"items":{{"allOf":[{}]}}}}"#, vec!["{}"; 100].join(",")),
                &*wide,
                "more than 1000000 steps",
            ),
            (format!(r#"{{"description":"{}"}}"#, "x".repeat(300_000)), "1", "bytes"),
            (r#"{"pattern":"((a{100}){100}){100}"}"#.to_owned(), "\"a\"", "cannot be used"),
        ] {
            let error = error_of(&schema, arguments);
            assert!(error.contains(why), "{schema:.80}: {error}");
        }
    }

    #[test]
    fn recursive_schema_checks_a_tree() {
        let tree = r##"{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}}}"##;
        let leaf = |name: &str| format!(r#"{{"name":{name},"children":[]}}"#);
        let of = |leaf: &str| {
            (0..20).fold(leaf.to_owned(), |inner, _| {
                format!(r#"{{"name":"n","children":[{inner},{inner_leaf}]}}"#, inner_leaf = r#"{"name":"l"}"#)
            })
        };
        assert_eq!(error_of(tree, &of(&leaf("\"x\""))), "no error");
        assert!(error_of(tree, &of(&leaf("7"))).contains("is not of type"), "the innermost name is a number");
    }
}
