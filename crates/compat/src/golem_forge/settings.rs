//! What the settings of Golem Forge have in common: flags, words, verdicts on tools, and settings that are not known.

use super::imported_policy::{ImportedPolicy, ImportedRule};
use serde_json::{Map, Value};

/// The tools of its file toolset, and what each does.
pub(super) const FILE_TOOLS: [(&str, &str); 6] = [
    ("read_file", "read"),
    ("list_files", "read"),
    ("file_exists", "read"),
    ("file_info", "read"),
    ("write_file", "write"),
    ("delete_file", "delete"),
];

/// The reason of Golem Forge if a blocked tool names none.
pub(super) const BLOCKED: &str = "Blocked by policy";

pub(super) type Fields = Map<String, Value>;

pub(super) fn fields_of<'a>(value: &'a Value, what: &str) -> Result<&'a Fields, String> {
    value.as_object().ok_or_else(|| format!("{what} must be a mapping"))
}

/// `ApprovalConfig`: a verdict for each tool.
pub(super) fn read_tools(tools: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    for (tool, settings) in tools {
        let settings = fields_of(settings, tool)?;
        let flag = |name: &str| read_flag(settings, tool, name);
        let (pre_approved, blocked) = (flag("preApproved")?, flag("blocked")?);
        note_unknown(settings, &["preApproved", "blocked", "blockReason"], tool, policy);
        if blocked == Some(true) && pre_approved == Some(true) {
            policy
                .notes
                .push(format!("{tool} is pre-approved and blocked; it is blocked, as in Golem Forge"));
        }
        let reason = settings.get("blockReason").and_then(Value::as_str).unwrap_or(BLOCKED);
        let (verdict, reason) = match (blocked, pre_approved) {
            (Some(true), _) => ("block", Some(reason.to_owned())),
            (_, Some(true)) => ("allow", None),
            _ => ("ask", None),
        };
        add_tool_rule(tool, verdict, reason, policy);
    }
    Ok(())
}

/// Adds the verdict on a tool, if a rule can name the tool.
pub(super) fn add_tool_rule(
    tool: &str,
    verdict: &'static str,
    reason: Option<String>,
    policy: &mut ImportedPolicy,
) {
    if tool.contains(['*', '?', '[', ']', '{', '}', '@', '\\']) {
        let note = format!("{tool:?} has characters that a rule reads as a pattern; write its rule yourself");
        policy.notes.push(note);
        return;
    }
    policy.add_rule(ImportedRule::of_tool(tool, verdict, reason));
}

/// The verdict that a word of Golem Forge means.
pub(super) fn read_decision(word: Option<&Value>, what: &str) -> Result<Option<&'static str>, String> {
    match word.map(|word| (word, word.as_str())) {
        None | Some((Value::Null, _)) => Ok(None),
        Some((_, Some("ask"))) => Ok(Some("ask")),
        Some((_, Some("preApproved"))) => Ok(Some("allow")),
        Some((_, Some("blocked"))) => Ok(Some("block")),
        Some((word, _)) => Err(format!("{what}: {word}; Golem Forge knows preApproved, ask and blocked")),
    }
}

pub(super) fn read_flag(fields: &Fields, what: &str, name: &str) -> Result<Option<bool>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(other) => Err(format!("{name} of {what} must be true or false, not {other}")),
    }
}

pub(super) fn note_unknown(fields: &Fields, known: &[&str], what: &str, policy: &mut ImportedPolicy) {
    let unknown = fields.keys().filter(|name| !known.contains(&name.as_str()));
    policy
        .notes
        .extend(unknown.map(|name| format!("{what} has the unknown setting {name:?}, which is left out")));
}
