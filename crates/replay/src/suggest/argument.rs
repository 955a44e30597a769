//! The arguments of allowed calls: which of them a rule may leave open.

use super::evidence::PolicyView;
use countersign_events::Json;
use countersign_policy::{PatternContext, Policy, RuleEffect, ScopePattern};
use std::collections::BTreeMap;

/// The members of an object, by their names; none if it is no object.
pub(super) fn members(json: &Json) -> Option<BTreeMap<String, Json>> {
    json.read().ok()
}

/// Longer strings are texts or programs, and those differ in ways that nobody reviews by their number.
const LONGEST: usize = 120;

/// Whether a rule may leave that argument open.
pub(super) fn may_be_open(policy: &Policy, looks: &PolicyView, key: &str, value: &Json) -> bool {
    let text = match value.as_str().as_bytes().first() {
        Some(b'{' | b'[') | None => return false,
        Some(b'"') => value.read::<String>().unwrap_or_default(),
        Some(_) => return true,
    };
    text.chars().count() <= LONGEST && !text.contains(char::is_control) && !is_operand(policy, looks, key)
}

/// Whether the tool takes a command, an address or a path under that key: then a probe there meets a pattern.
pub(super) fn is_operand(policy: &Policy, looks: &PolicyView, key: &str) -> bool {
    const PROBES: &[(&str, &str)] = &[("command", "ls"), ("url", "https://example.com/"), ("path", "/probe")];
    PROBES.iter().any(|(kind, probe)| {
        let json = |value: &serde_json::Value| Json::stored(value.to_string()).ok();
        let object =
            |key: &str| serde_json::Value::Object([(key.to_owned(), (*probe).into())].into_iter().collect());
        let (Some(arguments), Some(pattern)) = (json(&object(key)), json(&object(kind))) else { return true };
        ScopePattern::read(&pattern).is_ok_and(|pattern| {
            pattern.matches(&PatternContext::new(policy, &looks.with(&arguments)), RuleEffect::Widen)
        })
    })
}
