//! The toolsets of a worker: files, custom tools and commands.

use super::{
    imported_policy::ImportedPolicy,
    settings::{
        BLOCKED, FILE_TOOLS, Fields, add_tool_rule, fields_of, note_unknown, read_decision, read_tools,
    },
    shell::read_shell,
};
use serde_json::Value;

/// `toolsets`: the tools of a worker, and the approvals in their settings.
pub(super) fn read_toolsets(toolsets: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    let none = Fields::new();
    for (name, settings) in toolsets {
        let settings =
            if settings.is_null() { &none } else { fields_of(settings, &format!("toolset {name}"))? };
        match name.as_str() {
            "filesystem" => read_filesystem(settings, policy)?,
            "custom" => read_custom(settings, policy)?,
            "shell" => read_shell(settings, policy)?,
            _ => {
                let left: Vec<_> = settings.keys().map(String::as_str).collect();
                let left = if left.is_empty() { String::new() } else { format!(" ({})", left.join(", ")) };
                let tools = "its tools are asked, unless they say that they need no approval";
                policy
                    .notes
                    .push(format!("the settings of toolset {name}{left} are not carried over; {tools}"));
            }
        }
    }
    Ok(())
}

/// The file tools: reading needs no approval. Zones judge them by their paths.
fn read_filesystem(settings: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    note_unknown(settings, &["approvalConfig"], "toolset filesystem", policy);
    let none = Fields::new();
    let own = settings.get("approvalConfig").filter(|own| !own.is_null());
    let own = own.map_or(Ok(&none), |own| fields_of(own, "approvalConfig"))?;
    read_tools(own, policy)?;
    if !policy.zones.is_empty() {
        return Ok(());
    }
    for (tool, operation) in FILE_TOOLS.iter().filter(|(tool, _)| !own.contains_key(*tool)) {
        add_tool_rule(tool, if *operation == "read" { "allow" } else { "ask" }, None, policy);
    }
    Ok(())
}

/// The tools of a module. One that is asked gets no rule, because its own `needsApproval` comes first.
fn read_custom(settings: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    note_unknown(settings, &["module", "tools", "approval"], "toolset custom", policy);
    let none = Fields::new();
    let part = |value: Option<&Value>| value.filter(|value| !value.is_null()).cloned();
    let approval = part(settings.get("approval")).unwrap_or_else(|| Value::Object(none.clone()));
    let approval = fields_of(&approval, "the approval of toolset custom")?;
    note_unknown(approval, &["default", "tools"], "the approval of toolset custom", policy);
    let default = read_decision(approval.get("default"), "the approval of toolset custom has default")?;
    let by_tool = part(approval.get("tools")).unwrap_or_else(|| Value::Object(none.clone()));
    let by_tool = fields_of(&by_tool, "the tools of toolset custom")?;
    let exposed = settings.get("tools").and_then(Value::as_array).into_iter().flatten();
    let exposed = exposed.filter_map(Value::as_str).filter(|tool| !by_tool.contains_key(*tool));
    for tool in by_tool.keys().map(String::as_str).chain(exposed) {
        let own = read_decision(by_tool.get(tool), &format!("the approval of toolset custom has {tool}"))?;
        match own.or(default) {
            Some("allow") => add_tool_rule(tool, "allow", None, policy),
            Some("block") => add_tool_rule(tool, "block", Some(BLOCKED.to_owned()), policy),
            _ => {}
        }
    }
    Ok(())
}
