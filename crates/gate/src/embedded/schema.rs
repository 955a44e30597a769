//! The check of edited arguments against the tool's `inputSchema`.

use countersign_events::Json;
use jsonschema::{PatternOptions, Validator};

/// The reason why `schema` rejects `arguments`, if it does. The schema comes from an agent and can be slow, so the
/// caller sets a time limit.
pub(super) fn find_schema_error(schema: &Json, arguments: &Json) -> Option<String> {
    let read = |json: &Json| json.read::<serde_json::Value>();
    let (Ok(schema), Ok(instance)) = (read(schema), read(arguments)) else {
        return Some("they cannot be read as JSON".to_owned());
    };
    let validator = match build_validator(&schema) {
        Ok(validator) => validator,
        Err(why) => return Some(format!("the tool's inputSchema cannot be used to check them: {why}")),
    };
    let errors: Vec<_> = validator
        .iter_errors(&instance)
        .take(3)
        .map(|e| match e.instance_path().as_str() {
            "" => e.to_string(),
            at => format!("{e} at {at:?}"),
        })
        .collect();
    (!errors.is_empty()).then(|| format!("the tool does not take them: {}", errors.join("; ")))
}

/// Patterns match in linear time. Those with look-around need the backtracking engine, which gets a low limit.
fn build_validator(schema: &serde_json::Value) -> Result<Validator, String> {
    let linear = jsonschema::options().with_pattern_options(PatternOptions::regex()).build(schema);
    let limited = PatternOptions::fancy_regex().backtrack_limit(10_000);
    linear
        .or_else(|_| jsonschema::options().with_pattern_options(limited).build(schema))
        .map_err(|why| why.to_string())
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
}
