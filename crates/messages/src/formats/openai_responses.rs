//! The items of OpenAI's Responses API: messages, `function_call`, `function_call_output`, and the approvals of MCP calls.
//! Source: the type `ResponseInputItem` of OpenAI's client libraries.

use super::{
    adapter::FormatAdapter,
    items::{ItemForm, output, read_said, write_items},
};
use crate::{
    BadMessage,
    answer::{AnswerTarget, AnswerVerdict, ApprovalAnswer, check_members},
    call_names::NameRules,
    client_tool::call_content,
    image::NeutralImage,
    message::SpeakerMember,
    neutral::{CallArguments, NeutralCall, NeutralMessage, NeutralPart, NeutralResult, PartContent},
    shown_call::ShownCall,
    written::WrittenMessages,
};
use countersign_api::Call;
use countersign_events::{EventType, MessageFormat, json::JsonTree};

pub(super) struct OpenAiResponsesAdapter;

/// The server that Countersign's own requests name.
const SERVER_LABEL: &str = "countersign";

const FORM: ItemForm = ItemForm {
    format: MessageFormat::OpenAiResponses,
    begin: |kind| {
        let role = match kind {
            EventType::UserMessage => "user",
            EventType::AgentMessage => "assistant",
            _ => "system",
        };
        JsonTree::object([("role", role.into())])
    },
    // The items of the API's own answers have ids and annotations. Others have a string.
    content: |_, texts| texts.join("\n\n").into(),
    call: |call| {
        JsonTree::object([
            ("type", "function_call".into()),
            ("call_id", call.id.as_str().into()),
            ("name", call.name.as_str().into()),
            ("arguments", call.arguments.to_text().into()),
        ])
    },
    image: write_image,
    result: |result, original| match original {
        Some(original) if result.note.is_none() => original.clone().with("call_id", result.id.as_str()),
        Some(original) => {
            original.clone().with("call_id", result.id.as_str()).with("output", write_output(result))
        }
        None => JsonTree::object([
            ("type", "function_call_output".into()),
            ("call_id", result.id.as_str().into()),
            ("output", write_output(result)),
        ]),
    },
};

fn write_image(image: &NeutralImage) -> JsonTree {
    JsonTree::object([
        ("type", "input_image".into()),
        ("image_url", image.to_url().into()),
        ("detail", "auto".into()),
    ])
}

fn write_output(result: &NeutralResult) -> JsonTree {
    output(result, |text| text.into(), write_image)
}

impl FormatAdapter for OpenAiResponsesAdapter {
    fn read(&self, item: &JsonTree) -> Result<NeutralMessage, BadMessage> {
        let text = |name: &str| item.text_of(name).unwrap_or_default().to_owned();
        let content = match item.text_of("type") {
            None | Some("message") => return read_said(read_kind(item)?, item),
            Some("function_call" | "custom_tool_call") => {
                let arguments = item.first_text_of(&["arguments", "input"]).unwrap_or_default();
                let arguments = CallArguments::Text(arguments.to_owned());
                call_content(NeutralCall::new(&text("call_id"), &text("name"), arguments))
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                let output = item.get("output").cloned().unwrap_or(JsonTree::Null);
                let is_error = item.text_of("status") == Some("incomplete");
                let result = NeutralResult::new(&text("call_id"), None, output);
                PartContent::Result(NeutralResult { is_error, ..result }.with_images())
            }
            // The call has the request's id: it runs on a server of OpenAI.
            Some("mcp_approval_request") => {
                let id = text("id");
                let call = id.strip_prefix(crate::request_names::REQUEST_PREFIX).unwrap_or(&id).to_owned();
                PartContent::Request { id, call: Some(call) }
            }
            Some("mcp_approval_response") => {
                let target = AnswerTarget::Request(text("approval_request_id"));
                let mut answer = ApprovalAnswer::new(target, read_response(item));
                answer.shown = ShownCall::beside_decision(item);
                let parts = vec![NeutralPart::sent(PartContent::Answer(answer), item.clone())];
                return Ok(NeutralMessage::new(EventType::UserMessage, parts));
            }
            Some(other) => PartContent::Other(other.to_owned()),
        };
        Ok(NeutralMessage::new(EventType::AgentMessage, vec![NeutralPart::sent(content, item.clone())]))
    }

    fn write(&self, message: &NeutralMessage, out: &mut WrittenMessages) {
        write_items(&FORM, message, out);
    }

    fn name_rules(&self) -> Option<NameRules> {
        Some(NameRules { most_in_name: 64, marks_in_name: "", begins_with_any: true, most_in_id: Some(64) })
    }

    fn write_requests(&self, pending: &[Call], out: &mut WrittenMessages) {
        for call in pending {
            out.push(JsonTree::object([
                ("type", "mcp_approval_request".into()),
                ("id", out.request_id(call.id.as_str()).into()),
                ("server_label", SERVER_LABEL.into()),
                ("name", call.name.as_str().into()),
                ("arguments", call.arguments.as_str().into()),
            ]));
        }
    }

    fn is_item_based(&self) -> bool {
        true
    }
}

fn read_response(item: &JsonTree) -> Result<AnswerVerdict, String> {
    check_members(item, &["type", "approval_request_id", "approve", "reason"])?;
    let approve = item.bool_of("approve").ok_or("the mcp_approval_response has no `approve`")?;
    Ok(AnswerVerdict::yes_or_no(approve, item.text_of("reason")))
}

fn read_kind(item: &JsonTree) -> Result<EventType, BadMessage> {
    Ok(match item.text_of("role") {
        Some("system" | "developer") => EventType::SystemPrompt,
        Some("user") => EventType::UserMessage,
        Some("assistant") => EventType::AgentMessage,
        _ => {
            let known = "system, developer, user and assistant";
            return Err(SpeakerMember { format: "openai-responses", member: "role", known }.refuse(item));
        }
    })
}
