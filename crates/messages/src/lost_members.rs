//! The members of messages that are lost in another format: what its own format says beside text, calls, results and
//! images, such as `cache_control`.

use crate::{
    image::NeutralImage,
    is_client_tool,
    neutral::{NeutralMessage, NeutralPart, PartContent, content_text},
    written::WrittenMessages,
};
use countersign_events::{EventType, MessageFormat, json::JsonTree};

/// The members that are carried, or that only say how the others are written.
const CARRIED: &[&str] = &[
    "type",
    "role",
    "id",
    "content",
    "parts",
    "text",
    "refusal",
    "input",
    "args",
    "arguments",
    "output",
    "result",
    "isError",
    "is_error",
    "errorText",
    "status",
    "state",
    "response",
    "approval",
    "providerExecuted",
    "tool_calls",
    "toolCalls",
    "toolCallId",
    "tool_call_id",
    "tool_use_id",
    "call_id",
    "callId",
    "toolName",
    "run_id",
    "mediaType",
    "media_type",
    "mimeType",
    "mime_type",
    "image",
    "source",
    "source_type",
    "url",
    "base64",
    "fileUri",
    "value",
];
/// The members whose objects are read like those around them.
const CONTAINERS: &[&str] = &[
    "function",
    "custom",
    "function_call",
    "functionCall",
    "functionResponse",
    "function_response",
    "image_url",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "spec",
    "data",
];

/// Lists the members that another format does not have.
pub(crate) fn list_lost_members(message: &NeutralMessage, to: MessageFormat, out: &mut WrittenMessages) {
    if message.is_in(to) || message.kind == EventType::LocalSystemMessage {
        return;
    }
    let whole = message.original.as_ref().map(|(_, whole)| whole);
    let mut is_whole = false;
    for part in &message.parts {
        let Some(original) = &part.original else { continue };
        is_whole |= Some(original) == whole;
        if is_carried(part) {
            let names_tool = matches!(part.content, PartContent::Call(_) | PartContent::Result(_));
            list_members(original, "", names_tool, out);
            let is_result = matches!(part.content, PartContent::Result(_));
            for inner in original.list_of("content").iter().filter(|_| is_result || Some(original) == whole) {
                list_members(inner, "", false, out);
            }
        }
    }
    if let Some(whole) = whole.filter(|_| !is_whole) {
        list_members(whole, "", false, out);
    }
}

/// Returns true for a part that is converted. Others are listed as a whole, or are not for the reader.
fn is_carried(part: &NeutralPart) -> bool {
    match &part.content {
        PartContent::Text(_) | PartContent::Result(_) | PartContent::Image(_) => true,
        PartContent::Call(call) => !is_client_tool(&call.name),
        PartContent::Request { .. } | PartContent::Answer(_) | PartContent::Other(_) => false,
    }
}

fn list_members(object: &JsonTree, around: &str, names_tool: bool, out: &mut WrittenMessages) {
    let JsonTree::Object(members) = object else { return };
    for (key, value) in members {
        let is_empty = match value {
            JsonTree::Null => true,
            JsonTree::List(list) => list.is_empty(),
            JsonTree::Object(inner) => inner.is_empty(),
            JsonTree::Text(text) => text.is_empty(),
            _ => false,
        };
        let is_container = CONTAINERS.contains(&key.as_str());
        if is_container && value.is_object() {
            list_members(value, &format!("{around}{key}."), names_tool || key != "data", out);
        } else if !is_empty && !is_container && !is_told(object, key, value, names_tool) {
            out.leave_out(&format!("{around}{key}"));
        }
    }
}

/// Whether another format has what this member says.
fn is_told(object: &JsonTree, key: &str, value: &JsonTree, names_tool: bool) -> bool {
    match key {
        // The name of a tool is carried, and that of a person is not.
        "name" | "fn" | "kwargs" => names_tool,
        "error" => object.get("content").map(content_text).as_deref() == value.as_text(),
        // Those of a response are images or other files.
        "parts" if names_tool => {
            value.as_list().is_some_and(|parts| parts.iter().all(|part| NeutralImage::read(part).is_some()))
        }
        key => CARRIED.contains(&key),
    }
}
