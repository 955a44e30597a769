//! Messages for Google's Gemini API: `role` and `parts`; each part has text, a call or the response to a call. Source:
//! the API type `Content`. The API has the system instruction outside of the contents; here it is a message with the
//! role `system`.

use super::{adapter::FormatAdapter, chat::other_content};
use crate::{
    BadMessage,
    call_names::NameRules,
    client_tool::{call_content, request_arguments, result_content},
    image::{ImageSource, NeutralImage},
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    request_id,
    request_names::REQUEST_APPROVAL,
    written::{OPENING, WrittenMessages},
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct GoogleAdapter;

const FORMAT: MessageFormat = MessageFormat::Google;

impl FormatAdapter for GoogleAdapter {
    fn read(&self, message: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let kind = match message.text_of("role") {
            Some("system") => EventType::SystemPrompt,
            // Without a role, a person speaks.
            Some("user") => EventType::UserMessage,
            None if message.get("role").is_none() => EventType::UserMessage,
            Some("model" | "function") => EventType::AgentMessage,
            _ => {
                let known = "user, model, function and system";
                return Err(SpeakerMember { format: "google", member: "role", known }.refuse(message));
            }
        };
        let bad = BadMessage::BadMember { member: "parts", expected: "a list of parts" };
        let list = message.get("parts").and_then(JsonTree::as_list).ok_or_else(|| bad.clone())?;
        if !list.iter().all(JsonTree::is_object) {
            return Err(bad);
        }
        let parts: Vec<_> =
            list.iter().map(|part| NeutralPart::sent(read_part(part), part.clone())).collect();
        // The agent program reports responses, also where they have the user role.
        Ok(NeutralMessage::reported(kind, parts))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        if out.takes_whole(message, FORMAT) {
            return;
        }
        let parts: Vec<_> = message.parts.iter().filter_map(|part| write_part(part, out)).collect();
        let role = message.speaker("model");
        if out.is_for_model() {
            out.append_parts(role, "parts", parts);
        } else if !parts.is_empty() {
            out.push(JsonTree::object([("role", role.into()), ("parts", parts.into())]));
        }
    }

    fn name_rules(&self) -> Option<NameRules> {
        Some(NameRules { most_in_name: 64, marks_in_name: ".", begins_with_any: false, most_in_id: None })
    }

    /// The API refuses contents that begin with a turn of the model.
    fn complete_input(&self, out: &mut WrittenMessages) {
        let opens = out.messages.first().is_some_and(|first| first.text_of("role") == Some("model"));
        if opens {
            let part = JsonTree::object([("text", OPENING.into())]);
            let opening = JsonTree::object([("role", "user".into()), ("parts", vec![part].into())]);
            out.messages.insert(0, opening);
        }
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            let asked = JsonTree::object([
                ("id", request_id(call.id.as_str()).into()),
                ("name", REQUEST_APPROVAL.into()),
                ("args", request_arguments(call)),
            ]);
            let part = JsonTree::object([("functionCall", asked)]);
            out.push(JsonTree::object([("role", "model".into()), ("parts", vec![part].into())]));
        }
    }
}

fn member<'a>(part: &'a JsonTree, snake: &str, camel: &str) -> Option<&'a JsonTree> {
    part.get(camel).or_else(|| part.get(snake)).filter(|value| value.is_object())
}

/// The call id, or the function name, which identifies the call if there is no id.
fn id_of(call: &JsonTree) -> (String, bool) {
    match call.text_of("id") {
        Some(id) => (id.to_owned(), false),
        None => (call.text_of("name").unwrap_or_default().to_owned(), true),
    }
}

fn read_part(part: &JsonTree) -> PartContent {
    if let Some(call) = member(part, "function_call", "functionCall") {
        let (id, has_implied_id) = id_of(call);
        let name = call.text_of("name").unwrap_or_default().to_owned();
        let arguments = CallArguments::Tree(call.get("args").cloned().unwrap_or(JsonTree::empty_object()));
        return call_content(NeutralCall { has_implied_id, ..NeutralCall::new(&id, &name, arguments) });
    }
    if let Some(response) = member(part, "function_response", "functionResponse") {
        let (id, has_implied_id) = id_of(response);
        let content = response.get("response").cloned().unwrap_or(JsonTree::Null);
        let is_error = content.get("error").is_some();
        let content = unwrap_response(content);
        let mut result = NeutralResult::new(&id, response.text_of("name"), content);
        // A response has its images beside it.
        result.images = response.list_of("parts").iter().filter_map(NeutralImage::read).collect();
        return result_content(NeutralResult { has_implied_id, is_error, ..result });
    }
    match part.text_of("text") {
        Some(text) if part.bool_of("thought") != Some(true) => PartContent::Text(text.to_owned()),
        Some(_) => PartContent::Other("thought".to_owned()),
        None => {
            let first = if let JsonTree::Object(members) = part { members.first() } else { None };
            other_content(part, first.map_or("part", |(name, _)| name))
        }
    }
}

/// The function output: under `output` or `error`, or else the whole response.
fn unwrap_response(response: JsonTree) -> JsonTree {
    match &response {
        JsonTree::Object(members) => match members.as_slice() {
            [(name, value)] if name == "output" || name == "error" => value.clone(),
            _ => response,
        },
        _ => response,
    }
}

fn write_part(part: &NeutralPart, out: &mut WrittenMessages) -> Option<JsonTree> {
    let left_out = match (&part.content, part.original_in(FORMAT)) {
        (PartContent::Result(result), Some(original)) if result.note.is_none() => {
            return Some(original.clone());
        }
        (PartContent::Result(result), original) => return Some(write_response(result, original)),
        (PartContent::Text(text), _) if text.is_empty() && out.is_for_model() => return None,
        (_, Some(original)) => return Some(original.clone()),
        (PartContent::Text(text), None) => return Some(JsonTree::object([("text", text.as_str().into())])),
        (PartContent::Call(call), None) => {
            let id = (!call.has_implied_id).then_some(call.id.as_str());
            let called = JsonTree::empty_object()
                .with_optional("id", id)
                .with("name", call.name.as_str())
                .with("args", call.arguments.to_object());
            return Some(JsonTree::object([("functionCall", called)]));
        }
        (PartContent::Image(image), None) => return Some(write_image(image)),
        (PartContent::Other(what), None) => what.as_str(),
        (PartContent::Request { .. }, None) => "approval request",
        (PartContent::Answer(_), None) => "approval decision",
    };
    out.leave_out(left_out);
    None
}

fn write_image(image: &NeutralImage) -> JsonTree {
    let media_type = JsonTree::object([("mimeType", image.media_type().into())]);
    match image.source() {
        ImageSource::Data(data) => JsonTree::object([("inlineData", media_type.with("data", data.as_str()))]),
        ImageSource::Url(url) => JsonTree::object([("fileData", media_type.with("fileUri", url.as_str()))]),
    }
}

fn write_response(result: &NeutralResult, original: Option<&JsonTree>) -> JsonTree {
    let content = if result.content.is_object() {
        result.to_value()
    } else {
        let name = if result.is_error { "error" } else { "output" };
        let response = JsonTree::object([(name, result.content.clone())]);
        response.with_optional("note", result.note.as_deref())
    };
    let sent = original.and_then(|part| member(part, "function_response", "functionResponse")).cloned();
    let name = result.name.as_deref().unwrap_or(&result.id);
    let response = sent.unwrap_or_else(|| {
        let id = (!result.has_implied_id).then_some(result.id.as_str());
        let images: Vec<_> = result.images.iter().map(write_image).collect();
        let response = JsonTree::empty_object().with_optional("id", id).with("name", name);
        if images.is_empty() { response } else { response.with("parts", images) }
    });
    JsonTree::object([("functionResponse", response.with("response", content))])
}
