//! Arguments that are only texts for people. A call with other words runs the same.

use crate::harmless::prose_keys;
use countersign_events::{Json, Sha256, ToolName};
use std::collections::BTreeMap;

/// The most bytes of arguments that are compared without their texts for people. Longer ones are compared as a whole, because
/// the writer compares them while others wait.
const MAX_BYTES: usize = 64 * 1024;

/// Returns true if the tool has arguments that are only texts for people.
#[must_use]
pub fn has_prose(tool: &ToolName) -> bool {
    prose_keys(tool.as_str()).is_some()
}

/// The hash of the canonical form of a call's arguments without those that are only texts for people. `None` if the tool has
/// none, and if the arguments are too long or not an object with unique names. `whole` is the hash of all arguments, if it is
/// known already: mostly none of them is such a text.
#[must_use]
pub fn hash_without_prose(tool: &ToolName, arguments: &Json, whole: Option<Sha256>) -> Option<Sha256> {
    let keys = prose_keys(tool.as_str())?;
    if arguments.as_str().len() > MAX_BYTES {
        return None;
    }
    let members = arguments.members()?;
    let is_prose = |name: &String, value: &Json| keys.contains(name) && value.as_str().starts_with('"');
    let unique: BTreeMap<&str, &Json> = members.iter().map(|(name, value)| (name.as_str(), value)).collect();
    if unique.len() != members.len() {
        return None;
    }
    if let Some(whole) = whole
        && !members.iter().any(|(name, value)| is_prose(name, value))
    {
        return Some(whole);
    }
    let kept = members.iter().filter(|(name, value)| !is_prose(name, value));
    let kept: BTreeMap<&str, &Json> = kept.map(|(name, value)| (name.as_str(), value)).collect();
    Json::encode(&kept).ok()?.canonical_hash().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(tool: &str, arguments: &str) -> Option<Sha256> {
        let json = Json::parse(arguments).expect("valid");
        let tool = ToolName::new(tool).expect("valid");
        let hash = hash_without_prose(&tool, &json, None);
        assert_eq!(hash_without_prose(&tool, &json, json.canonical_hash().ok()), hash, "{arguments}");
        hash
    }

    #[test]
    fn only_words_are_ignored() {
        let first = hash("Bash", r#"{"command":"ls","description":"list","timeout":5}"#);
        assert!(first.is_some());
        for same in [
            r#"{"command":"ls","description":"look around","timeout":5}"#,
            r#"{"timeout":5,"command":"ls","justification":"why not"}"#,
            r#"{"command":"ls","timeout":5}"#,
        ] {
            assert_eq!(hash("Bash", same), first, "{same}");
        }
        for other in [
            r#"{"command":"ls -a","description":"list","timeout":5}"#,
            r#"{"command":"ls","description":"list","timeout":6}"#,
            r#"{"command":"ls","description":"list"}"#,
            r#"{"command":"ls","description":["list"],"timeout":5}"#,
            r#"{"command":"ls","Description":"list","timeout":5}"#,
            r#"{"command":"ls","options":{"description":"list"},"timeout":5}"#,
        ] {
            assert_ne!(hash("Bash", other), first, "{other}");
        }
    }

    #[test]
    fn only_agent_tools_have_words() {
        let arguments = r#"{"path":"/a","description":"a text"}"#;
        for tool in ["Read", "run_shell_command", "Write", "acp:execute"] {
            assert!(hash(tool, arguments).is_some(), "{tool}");
        }
        for tool in ["create_issue", "mcp__shell__Bash", "shell__bash", "WebFetch"] {
            assert_eq!(hash(tool, arguments), None, "{tool}");
        }
    }

    #[test]
    fn long_arguments_are_compared_whole() {
        assert_eq!(hash("Bash", "[]"), None);
        assert_eq!(hash("Write", &format!(r#"{{"content":"{}"}}"#, "x".repeat(MAX_BYTES))), None);
    }
}
