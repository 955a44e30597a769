//! The configuration of Golem Forge: `ApprovalConfig` by tool, zones with an approval for each operation, the sandbox with
//! mounts of its later versions, and the toolsets of a worker; alone, in a worker file, or in `golem-forge.config.yaml`.
//!
//! The sources are its document on tool approval and the public repository zby/golem-forge (December 2025).

mod imported_policy;
mod settings;
mod shell;
mod toolsets;
mod yaml;

pub use imported_policy::{ImportedPolicy, ImportedRule, ImportedZone};
use serde_json::Value;
use settings::{FILE_TOOLS, Fields, fields_of, note_unknown, read_decision, read_flag, read_tools};
use toolsets::read_toolsets;
use yaml::read_yaml;

/// Reads a configuration. Fails if it has none, or a value that Golem Forge does not have.
pub fn read_configuration(text: &str) -> Result<ImportedPolicy, String> {
    let document = read_yaml(front_matter(text).unwrap_or(text))?;
    let fields = document.as_object().ok_or("has no settings: it is not a mapping")?;
    let mut policy = ImportedPolicy::default();
    let known =
        ["sandbox", "approvalConfig", "zoneApprovalConfig", "toolsets", "approval", "server_side_tools"];
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
        if let Some(toolsets) = fields.get("toolsets").filter(|toolsets| !toolsets.is_null()) {
            read_toolsets(fields_of(toolsets, "toolsets")?, &mut policy)?;
        }
        note_left_out(fields, &mut policy);
    } else if is_map_of(fields, &["preApproved", "blocked", "blockReason"]) {
        read_tools(fields, &mut policy)?;
    } else if is_map_of(fields, &["write", "delete"]) {
        read_zone_approvals(fields, &mut policy)?;
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

/// The YAML with which a worker file starts, between two lines `---`.
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

/// Returns true if each value is a mapping that has one of these names, and there is one.
fn is_map_of(fields: &Fields, names: &[&str]) -> bool {
    let has_one = |value: &Value| names.iter().any(|name| value.get(name).is_some());
    !fields.is_empty() && fields.values().all(has_one)
}

/// Lists the settings about approvals that no policy has.
fn note_left_out(fields: &Fields, policy: &mut ImportedPolicy) {
    if let Some(mode) = fields.get("approval").and_then(|approval| approval.get("mode")?.as_str()) {
        policy.notes.push(format!(
            "approval.mode {mode:?} is a mode of a thread; set it with countersign thread mode"
        ));
    }
    for tool in fields.get("server_side_tools").and_then(Value::as_array).into_iter().flatten() {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        policy
            .notes
            .push(format!("the server-side tool {name:?} runs at the model's provider, which asks nobody"));
    }
}

/// A map from the names of zones to their approvals. A zone is the folder of its name.
fn read_zone_approvals(zones: &Fields, policy: &mut ImportedPolicy) -> Result<(), String> {
    for (name, approval) in zones {
        let zone = read_zone(name, format!("/{name}"), false, Some(approval), policy)?;
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
            let zone = read_zone(name, format!("/{name}"), is_read_only, fields.get("approval"), policy)?;
            policy.zones.push(zone);
        }
        return Ok(());
    }
    let root = sandbox.get("restrict").and_then(Value::as_str).unwrap_or("/").to_owned();
    let is_read_only = read_flag(sandbox, "sandbox", "readonly")? == Some(true);
    let zone = read_zone("sandbox", root, is_read_only, sandbox.get("approval"), policy)?;
    policy.zones.push(zone);
    for mount in sandbox.get("mounts").and_then(Value::as_array).into_iter().flatten() {
        let fields = fields_of(mount, "a mount")?;
        let target = fields.get("target").and_then(Value::as_str).ok_or("a mount has no target")?;
        if read_flag(fields, target, "readonly")? == Some(true) {
            let zone = read_zone(target.trim_start_matches('/'), target.to_owned(), true, None, policy)?;
            policy.zones.push(zone);
        }
    }
    Ok(())
}

/// A zone. `mode: ro` is what the sandbox can do, and `approval` is what people must allow; both only restrict.
fn read_zone(
    name: &str,
    root: String,
    is_read_only: bool,
    approval: Option<&Value>,
    policy: &mut ImportedPolicy,
) -> Result<ImportedZone, String> {
    let none = Fields::new();
    let what = format!("the approval of zone {name}");
    let approval = approval.filter(|approval| !approval.is_null());
    let approval = approval.map_or(Ok(&none), |approval| fields_of(approval, &what))?;
    note_unknown(approval, &["write", "delete"], &what, policy);
    let verdict = |operation: &str| {
        let read = read_decision(approval.get(operation), &format!("{what} has {operation}"))?;
        Ok::<_, String>(if is_read_only { "block" } else { read.unwrap_or("ask") })
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
