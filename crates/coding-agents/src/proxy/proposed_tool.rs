//! The call that a question becomes.

use super::frame::encode;
use countersign_api::{GateError, Place, ProposeRequest};
use serde_json::Value;

/// What a question asks for.
pub(crate) struct ProposedTool<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Value,
    pub(crate) description: Option<String>,
    /// The folder in which the tool runs, if the agent says so.
    pub(crate) folder: Option<String>,
}

/// The call proposal for a question.
pub(crate) fn new_request(id: &str, tool: ProposedTool<'_>) -> Result<ProposeRequest, GateError> {
    let ProposedTool { name, arguments, description, folder } = tool;
    Ok(ProposeRequest {
        id: countersign_api::parse_call_id(id)?,
        description,
        place: folder.filter(|folder| !folder.is_empty()).map(Place::folder),
        ..ProposeRequest::new("call", name, encode(&arguments).as_str())?
    })
}

/// Adds an object's fields that are not in `known`. They may change what runs, so they belong to the call: people see
/// them, and a rule that does not name them does not allow it.
pub(crate) fn add_other_fields(arguments: &mut Value, object: &Value, known: &[&str]) {
    for (name, value) in object.as_object().into_iter().flatten() {
        if !known.contains(&name.as_str()) && !value.is_null() {
            arguments[name] = value.clone();
        }
    }
}
