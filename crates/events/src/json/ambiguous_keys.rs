//! Keys of one object that some parsers read as one. A tool could then run another value than the one that was approved.

use super::{bad_json::AmbiguousKeys, tokens::JsonTokens};
use crate::fold_spelling;
use std::collections::HashMap;

/// Finds ambiguous keys in `text`, which must be valid JSON (RFC 8259). Text beyond the depth limit is not searched, because it
/// is never admitted.
pub(super) fn find(text: &str) -> Option<AmbiguousKeys> {
    let mut found = None;
    search_value(&mut JsonTokens::new(text), &mut found);
    found
}

fn search_value(tokens: &mut JsonTokens<'_>, found: &mut Option<AmbiguousKeys>) {
    match tokens.peek() {
        b'{' => drop(tokens.nested(|tokens| search_object(tokens, found))),
        b'[' => drop(tokens.nested(|tokens| {
            while found.is_none() && !tokens.eat(b']') {
                tokens.eat(b',');
                search_value(tokens, found);
            }
        })),
        _ => drop(tokens.next()),
    }
}

fn search_object(tokens: &mut JsonTokens<'_>, found: &mut Option<AmbiguousKeys>) {
    let mut seen: HashMap<String, String> = HashMap::new();
    while found.is_none() && !tokens.eat(b'}') {
        tokens.eat(b',');
        tokens.peek();
        // A key that is not Unicode is refused for that.
        let Ok(key) = tokens.string() else { return };
        tokens.eat(b':');
        if let Some(first) = seen.insert(fold_spelling(&key), key.clone().into_owned()) {
            *found = Some(AmbiguousKeys { first, second: key.into_owned() });
            return;
        }
        search_value(tokens, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{BadJson, Json};

    #[test]
    fn ambiguous_keys_are_found_at_any_depth() {
        for text in [
            r#"{"command":"ls","Command":"rm -rf /"}"#,
            r#"{"a":[{"b":{"path":"/ok","PATH":"/etc"}}]}"#,
            r#"{"script":1,"\u017fcript":2}"#,
            r#"{"a":{"x":1},"b":[1,{"k":2,"\u212a":3}]}"#,
        ] {
            assert!(find(text).is_some(), "{text}");
            let json = Json::parse(text).expect("admitted as a value");
            assert!(matches!(json.admit_arguments(), Err(BadJson::AmbiguousKeys(_))), "{text}");
        }
    }

    #[test]
    fn equal_keys_of_different_objects_are_plain() {
        for text in
            [r#"{"a":{"A":1},"b":{"a":2}}"#, r#"[{"x":1},{"X":2}]"#, "7", "\"a\"", "[]", r#"{"a":"A"}"#]
        {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
