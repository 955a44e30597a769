//! Decides which arguments of allowed calls a rule may leave open.

use super::evidence::PolicyView;
use countersign_events::Json;
use countersign_policy::{CallReading, Policy, RuleEffect, ScopePattern};
use std::collections::BTreeMap;

/// Reads JSON object members. Returns `None` for any other value.
pub(super) fn read_members(json: &Json) -> Option<BTreeMap<String, Json>> {
    json.read().ok()
}

/// The longest string that a rule may leave open, in characters. Longer strings are prose or programs, and many
/// different values do not show that all such values are safe.
const MAX_OPEN_LENGTH: usize = 120;

/// Returns true if a rule may leave the argument open.
pub(super) fn may_be_open(policy: &Policy, call: &PolicyView, key: &str, value: &Json) -> bool {
    let text = match value.as_str().as_bytes().first() {
        Some(b'{' | b'[') | None => return false,
        Some(b'"') => value.read::<String>().unwrap_or_default(),
        Some(_) => return true,
    };
    text.chars().count() <= MAX_OPEN_LENGTH
        && !text.contains(char::is_control)
        && !is_operand(policy, call, key)
}

/// Returns true if the tool takes a command, a URL or a path under that key. It tests this with a probe value that an
/// operand pattern matches.
pub(super) fn is_operand(policy: &Policy, call: &PolicyView, key: &str) -> bool {
    const PROBES: &[(&str, &str)] = &[("command", "ls"), ("url", "https://example.com/"), ("path", "/probe")];
    PROBES.iter().any(|(kind, probe)| {
        let json = |value: &serde_json::Value| Json::stored(value.to_string()).ok();
        let object =
            |key: &str| serde_json::Value::Object([(key.to_owned(), (*probe).into())].into_iter().collect());
        let (Some(arguments), Some(pattern)) = (json(&object(key)), json(&object(kind))) else { return true };
        ScopePattern::read(&pattern).is_ok_and(|pattern| {
            pattern.matches(&CallReading::new(policy, &call.with_arguments(&arguments)), RuleEffect::Widen)
        })
    })
}
