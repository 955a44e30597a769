//! Tools and their definitions in API types.

use countersign_api as api;
use countersign_approvals::{
    call::RecordedFact,
    tool_directory::{ToolDirectory, ToolRecord},
};
use countersign_events::{
    Json, SeenDefinition, Sha256, ToolName, json::ArgumentChange, look_alike::likeness,
};

/// The most look-alikes of one tool in a view.
const MAX_LOOK_ALIKES: usize = 20;

/// The most bytes of definition changes in a call.
const MAX_CHANGES_IN_CALL: usize = 16 * 1024;

/// The tools whose names people may take for this one, the most alike first.
pub(crate) fn look_alikes(name: &ToolName, tools: &ToolDirectory) -> Vec<api::LookAlike> {
    let alike = tools.iter().filter_map(|(other, _)| {
        let likeness = likeness(name.as_str(), other.as_str())?;
        Some(api::LookAlike { name: other.clone(), likeness })
    });
    let mut found: Vec<_> = alike.collect();
    found.sort_by_key(|alike| alike.likeness);
    found.truncate(MAX_LOOK_ALIKES);
    found
}

/// The API type of a tool; `None` without a definition.
pub(crate) fn view_tool(
    name: &ToolName,
    record: &ToolRecord,
    tools: &ToolDirectory,
) -> Option<api::KnownTool> {
    let changed = record.unaccepted();
    Some(api::KnownTool {
        name: name.clone(),
        seq: record.definitions.first()?.seq,
        changed: changed.is_some(),
        definitions: record.definitions.len(),
        accepted_hash: record.pinned.last_accepted()?,
        changed_hash: changed.map(|changed| changed.what.definition_hash),
        changed_at: changed.map(|changed| changed.at),
        look_alikes: look_alikes(name, tools),
    })
}

/// The API type of a tool with its definitions.
pub(crate) fn view_tool_details(
    name: &ToolName,
    record: &ToolRecord,
    tools: &ToolDirectory,
) -> Option<api::ToolDetails> {
    Some(api::ToolDetails {
        tool: view_tool(name, record, tools)?,
        definitions: record.definitions.iter().map(|seen| view_definition(seen, record)).collect(),
    })
}

fn view_definition(seen: &RecordedFact<SeenDefinition>, record: &ToolRecord) -> api::RecordedDefinition {
    let hash = seen.what.definition_hash;
    let by_person = record.acceptance(hash).map(|accepted| api::DefinitionAcceptance {
        seq: accepted.seq,
        principal: accepted.by.clone(),
        at: accepted.at,
        comment: accepted.what.comment.clone(),
    });
    let is_first = record.definitions.first().is_some_and(|first| first.seq == seen.seq);
    let by_itself = is_first.then(|| api::DefinitionAcceptance {
        seq: seen.seq,
        principal: seen.by.clone(),
        at: seen.at,
        comment: None,
    });
    // What a person compares is the definition that is accepted now, until this one is.
    let compared_at = by_person.as_ref().map_or(i64::MAX, |accepted| accepted.seq);
    let before = record.accepted_before(compared_at).filter(|_| !is_first);
    api::RecordedDefinition {
        seq: seen.seq,
        principal: seen.by.clone(),
        at: seen.at,
        definition_hash: hash,
        definition: seen.what.definition.clone(),
        annotations: seen.what.annotations.clone(),
        redacted: seen.what.redacted,
        changes: before.map(|before| differences(&before.what, &seen.what)).unwrap_or_default(),
        accepted: by_itself.or(by_person),
    }
}

/// Adds to a pending call what people need to know about its tool: how its definition changed, and the names that look like
/// its own.
pub(crate) fn inform_about_tool(call: &mut api::Call, tools: &ToolDirectory) {
    call.look_alikes = look_alikes(&call.name, tools);
    let changed = call.request.as_mut().and_then(|request| request.changed_definition.as_mut());
    let (Some(changed), Some(record)) = (changed, tools.get(&call.name)) else { return };
    changed.accepted = record.pinned.is_accepted(changed.definition_hash);
    let seen = |hash: Sha256| record.definition(hash).map(|seen| &seen.what);
    if let (Some(before), Some(after)) = (seen(changed.accepted_hash), seen(changed.definition_hash)) {
        let found = differences(before, after);
        if bytes_of(&found) <= MAX_CHANGES_IN_CALL {
            changed.changes = found;
        }
    }
}

/// The differences between two definitions; none if the log does not have one of them.
fn differences(before: &SeenDefinition, after: &SeenDefinition) -> Vec<ArgumentChange> {
    match (comparable(before), comparable(after)) {
        (Some(before), Some(after)) => countersign_events::json::diff(&before, &after),
        _ => Vec::new(),
    }
}

fn comparable(seen: &SeenDefinition) -> Option<Json> {
    let definition = seen.definition.as_ref()?;
    let description = definition.description.as_deref().map(Json::string);
    let members = [
        ("description", description.as_ref()),
        ("inputSchema", definition.input_schema.as_ref()),
        ("annotations", seen.annotations.as_ref()),
    ];
    let members =
        members.into_iter().filter_map(|(key, value)| Some(format!("\"{key}\":{}", value?.as_str())));
    Json::parse(&format!("{{{}}}", members.collect::<Vec<_>>().join(","))).ok()
}

fn bytes_of(changes: &[ArgumentChange]) -> usize {
    let bytes = |json: &Option<Json>| json.as_ref().map_or(0, |json| json.as_str().len());
    changes.iter().map(|change| change.path.len() + bytes(&change.from) + bytes(&change.to)).sum()
}
