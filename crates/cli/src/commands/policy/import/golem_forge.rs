//! The configuration of Golem Forge: `ApprovalConfig` by tool, zones with an approval for each operation, and the sandbox with
//! mounts of its later versions; alone, in a worker file, or in `golem-forge.config.yaml`.

use super::{
    imported_policy::{ImportedPolicy, ImportedRule, ImportedZone},
    yaml::read_yaml,
};
use serde_json::{Map, Value};

/// The tools of its file toolset, and what each does.
const FILE_TOOLS: [(&str, &str); 6] = [
    ("read_file", "read"),
    ("list_files", "read"),
    ("file_exists", "read"),
    ("file_info", "read"),
    ("write_file", "write"),
    ("delete_file", "delete"),
];

/// The reason of Golem Forge if a blocked tool names none.
const BLOCKED: &str = "Blocked by policy";

type Fields = Map<String, Value>;

/// Reads a configuration. Fails if it has none, or a value that Golem Forge does not have.
pub(super) fn read_configuration(text: &str) -> Result<ImportedPolicy, String> {
    let document = read_yaml(front_matter(text).unwrap_or(text))?;
    let fields = document.as_object().ok_or("has no settings: it is not a mapping")?;
    let mut policy = ImportedPolicy::default();
    let known = ["sandbox", "approvalConfig", "zoneApprovalConfig"];
    if known.iter().any(|name| fields.contains_key(*name)) {
        if let Some(sandbox) = fields.get("sandbox") {
            read_sandbox(fields_of(sandbox, "sandbox")?, &mut policy)?;
        }
        if let Some(tools) = fields.get("approvalConfig") {
            read_tools(fields_of(tools, "approvalConfig")?, &mut policy)?;
        }
        if let Some(zones) = fields.get("zoneApprovalConfig") {
            read_zone_approvals(fields_of(zones, "zoneApprovalConfig")?, &mut policy)?;
        }
    } else if is_map_of(fields, &["preApproved", "blocked", "blockReason"]) {
        read_tools(fields, &mut policy)?;
    } else if is_map_of(fields, &["write", "delete"]) {
        read_zone_approvals(fields, &mut policy)?;
    } else if fields.contains_key("toolsets") {
        policy.notes.push("the worker has no settings of approval; its tools are asked".to_owned());
    } else {
        return Err(format!(
            "has no settings of approval: none of {}, and no configuration of tools or zones",
            known.join(", ")
        ));
    }
    if !policy.zones.is_empty() {
        policy.operations = FILE_TOOLS.to_vec();
    }
    Ok(policy)
}

/// The YAML at the beginning of a worker file, between two lines `---`.
fn front_matter(text: &str) -> Option<&str> {
    let text = text.trim_start_matches('\u{feff}');
    let rest = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"))?;
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some(&rest[..at]);
        }
        at += line.len();
    }
    None
}

/// True if each value is a mapping that has one of these names, and there is one.
fn is_map_of(fields: &Fields, names: &[&str]) -> bool {
    let has_one = |value: &Value| names.iter().any(|name| value.get(name).is_some());
    !fields.is_empty() && fields.values().all(has_one)
}

fn fields_of<'a>(value: &'a Value, what: &str) -> Result<&'a Fields, String> {
    value.as_object().ok_or_else(|| format!("{what} must be a mapping"))
}

/// `ApprovalConfig`: a verdict for each tool.
fn read_tools(tools: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    for (tool, settings) in tools {
        let settings = fields_of(settings, tool)?;
        let flag = |name: &str| read_flag(settings, tool, name);
        let (pre_approved, blocked) = (flag("preApproved")?, flag("blocked")?);
        note_unknown(settings, &["preApproved", "blocked", "blockReason"], tool, policy);
        if tool.contains(['*', '?', '[', ']', '{', '}', '@']) {
            policy.notes.push(format!(
                "{tool:?} has characters that a rule reads as a pattern; write its rule yourself"
            ));
            continue;
        }
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
        policy.rules.push(ImportedRule { tool: tool.clone(), verdict, reason });
    }
    Ok(())
}

/// A map from the names of zones to their approvals. A zone is the folder of its name.
fn read_zone_approvals(zones: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    for (name, approval) in zones {
        let zone = read_zone(name, format!("/{name}"), (false, Some(approval)), policy)?;
        policy.zones.push(zone);
    }
    Ok(())
}

/// `sandbox`: zones; or one root with mounts and one approval.
fn read_sandbox(sandbox: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    let known = ["zones", "approval", "restrict", "readonly", "mounts", "root", "mode"];
    note_unknown(sandbox, &known, "sandbox", policy);
    if let Some(zones) = sandbox.get("zones") {
        for zone in zones.as_array().ok_or("sandbox.zones must be a list")? {
            let fields = fields_of(zone, "a zone")?;
            let name = fields.get("name").and_then(Value::as_str).ok_or("a zone has no name")?;
            note_unknown(fields, &["name", "mode", "approval"], &format!("zone {name}"), policy);
            let is_read_only = read_mode(fields, name)?;
            let zone = read_zone(name, format!("/{name}"), (is_read_only, fields.get("approval")), policy)?;
            policy.zones.push(zone);
        }
        return Ok(());
    }
    let root = sandbox.get("restrict").and_then(Value::as_str).unwrap_or("/").to_owned();
    let is_read_only = read_flag(sandbox, "sandbox", "readonly")? == Some(true);
    let zone = read_zone("sandbox", root, (is_read_only, sandbox.get("approval")), policy)?;
    policy.zones.push(zone);
    for mount in sandbox.get("mounts").and_then(Value::as_array).into_iter().flatten() {
        let fields = fields_of(mount, "a mount")?;
        let target = fields.get("target").and_then(Value::as_str).ok_or("a mount has no target")?;
        if read_flag(fields, target, "readonly")? == Some(true) {
            let zone = read_zone(target.trim_start_matches('/'), target.to_owned(), (true, None), policy)?;
            policy.zones.push(zone);
        }
    }
    Ok(())
}

/// A zone. `mode: ro` is what the sandbox can do, and `approval` is what people must allow; both only restrict.
fn read_zone(
    name: &str,
    root: String,
    (is_read_only, approval): (bool, Option<&Value>),
    policy: &mut ImportedPolicy,
) -> Result<ImportedZone, String> {
    let none = Fields::new();
    let what = format!("the approval of zone {name}");
    let approval = approval.filter(|approval| !approval.is_null());
    let approval = approval.map_or(Ok(&none), |approval| fields_of(approval, &what))?;
    note_unknown(approval, &["write", "delete"], &what, policy);
    let verdict = |operation: &str| match approval.get(operation).map(|word| (word, word.as_str())) {
        _ if is_read_only => Ok("block"),
        None | Some((Value::Null, _) | (_, Some("ask"))) => Ok("ask"),
        Some((_, Some("preApproved"))) => Ok("allow"),
        Some((_, Some("blocked"))) => Ok("block"),
        Some((word, _)) => {
            Err(format!("{what} has {operation}: {word}; Golem Forge knows preApproved, ask and blocked"))
        }
    };
    let (write, delete) = (verdict("write")?, verdict("delete")?);
    let reason = match (is_read_only, [write, delete].contains(&"block")) {
        (true, _) => Some(format!("the zone {name} is read-only")),
        (false, true) => Some(format!("blocked in the zone {name}")),
        (false, false) => None,
    };
    Ok(ImportedZone { name: name.to_owned(), root, write, delete, reason })
}

fn read_mode(zone: &Fields, name: &str) -> Result<bool, String> {
    match zone.get("mode").and_then(Value::as_str) {
        None | Some("rw") => Ok(false),
        Some("ro") => Ok(true),
        Some(mode) => Err(format!("zone {name} has the mode {mode:?}; Golem Forge knows ro and rw")),
    }
}

fn read_flag(fields: &Fields, what: &str, name: &str) -> Result<Option<bool>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(other) => Err(format!("{name} of {what} must be true or false, not {other}")),
    }
}

fn note_unknown(fields: &Fields, known: &[&str], what: &str, policy: &mut ImportedPolicy) {
    let unknown = fields.keys().filter(|name| !known.contains(&name.as_str()));
    policy
        .notes
        .extend(unknown.map(|name| format!("{what} has the unknown setting {name:?}, which is left out")));
}
