//! Images and the members that only one format has: they are carried, or they are listed.

use super::{views::conversation, *};

/// The beginning of a PNG in base64.
const PNG: &str = "iVBORw0KGgo=";

/// A conversation with an image of a person and, where the format can, one in a result. All images are the same.
struct ImageCase {
    format: MessageFormat,
    has_result_image: bool,
    messages: Value,
}

fn case(format: MessageFormat, has_result_image: bool, messages: Value) -> ImageCase {
    ImageCase { format, has_result_image, messages }
}

fn with_images() -> Vec<ImageCase> {
    [of_model_apis(), of_frameworks()].into_iter().flatten().collect()
}

fn data_url() -> String {
    format!("data:image/png;base64,{PNG}")
}

fn function() -> Value {
    json!({"name": "shoot", "arguments": "{}"})
}

fn of_model_apis() -> Vec<ImageCase> {
    let url = data_url();
    let source = json!({"type": "base64", "media_type": "image/png", "data": PNG});
    let blob = json!({"inlineData": {"mimeType": "image/png", "data": PNG}});
    vec![
        case(
            MessageFormat::OpenAi,
            false,
            json!([
                {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": url}}]},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function()}]},
                {"role": "tool", "tool_call_id": "c1", "content": "done"}
            ]),
        ),
        case(
            MessageFormat::Anthropic,
            true,
            json!([
                {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image", "source": source}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "shoot", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "done"}, {"type": "image", "source": source}]}]}
            ]),
        ),
        case(
            MessageFormat::Google,
            true,
            json!([
                {"role": "user", "parts": [{"text": "Look."}, blob]},
                {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "shoot", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "shoot", "response": {"output": "done"}, "parts": [blob]}}]}
            ]),
        ),
        case(
            MessageFormat::OpenAiResponses,
            true,
            json!([
                {"role": "user", "content": [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image_url": url}]},
                {"type": "function_call", "call_id": "c1", "name": "shoot", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "done"},
                    {"type": "input_image", "image_url": url}]}
            ]),
        ),
    ]
}

fn of_frameworks() -> Vec<ImageCase> {
    let url = data_url();
    let image = json!({"type": "image", "source_type": "base64", "mime_type": "image/png", "data": PNG});
    vec![
        case(
            MessageFormat::OpenAiAgents,
            true,
            json!([
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Look."}, {"type": "input_image", "image": url}]},
                {"type": "function_call", "callId": "c1", "name": "shoot", "status": "completed", "arguments": "{}"},
                {"type": "function_call_result", "callId": "c1", "name": "shoot", "status": "completed",
                    "output": [{"type": "input_text", "text": "done"}, {"type": "input_image", "image": url}]}
            ]),
        ),
        case(
            MessageFormat::AiSdk,
            true,
            json!([
                {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image", "image": PNG, "mediaType": "image/png"}]},
                {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "shoot", "input": {}}]},
                {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "shoot", "output": {"type": "content",
                    "value": [{"type": "text", "text": "done"}, {"type": "media", "data": PNG, "mediaType": "image/png"}]}}]}
            ]),
        ),
        case(
            MessageFormat::AiSdkUi,
            false,
            json!([
                {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Look."}, {"type": "file", "mediaType": "image/png", "url": url}]},
                {"id": "m2", "role": "assistant", "parts": [
                    {"type": "tool-shoot", "toolCallId": "c1", "state": "output-available", "input": {}, "output": "done"}]}
            ]),
        ),
        case(
            MessageFormat::LangChain,
            true,
            json!([
                {"type": "human", "content": [{"type": "text", "text": "Look."}, image]},
                {"type": "ai", "content": "", "tool_calls": [{"id": "c1", "name": "shoot", "args": {}, "type": "tool_call"}]},
                {"type": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "done"}, image]}
            ]),
        ),
        case(
            MessageFormat::AgUi,
            false,
            json!([
                {"id": "m1", "role": "user", "content": [{"type": "text", "text": "Look."},
                    {"type": "image", "source": {"type": "data", "value": PNG, "mimeType": "image/png"}}]},
                {"id": "m2", "role": "assistant", "toolCalls": [{"id": "c1", "type": "function", "function": function()}]},
                {"id": "m3", "role": "tool", "toolCallId": "c1", "content": "done"}
            ]),
        ),
    ]
}

#[test]
fn images_are_carried_or_listed() {
    let none = LoggedCalls::new();
    for from in with_images() {
        for to in with_images() {
            let read = conversation(from.format, &from.messages);
            for written in [read.clone().for_model(to.format, &none), read.for_client(to.format, &none, &[])]
            {
                check_images(&from, &to, &written);
            }
        }
    }
}

fn check_images(from: &ImageCase, to: &ImageCase, written: &WrittenConversation) {
    let names = (from.format.as_str(), to.format.as_str());
    let texts: Vec<_> = written.messages.iter().map(Json::as_str).collect();
    let all = texts.join("\n");
    let wanted = 1 + usize::from(from.has_result_image && to.has_result_image);
    assert_eq!(all.matches(PNG).count(), wanted, "{names:?}: {all}");
    assert!(all.contains("done"), "{names:?}: {all}");
    let listed: Vec<_> = written.left_out.iter().map(|part| part.what.as_str()).collect();
    let lost = usize::from(from.has_result_image && !to.has_result_image);
    assert_eq!(listed, vec![r#"image of the result of "c1""#; lost], "{names:?}");
    let again: Value = texts.iter().map(|text| serde_json::from_str::<Value>(text).expect("JSON")).collect();
    let again = conversation(to.format, &again).for_model(from.format, &LoggedCalls::new());
    assert!(again.messages.iter().any(|message| message.as_str().contains(PNG)), "{names:?} and back");
}

#[test]
fn what_only_one_format_has_is_listed() {
    let pdf = json!([{"inlineData": {"mimeType": "application/pdf", "data": "JVBERi0="}}]);
    let response = json!({"functionResponse": {"id": "c1", "name": "read", "response": {}, "parts": pdf}});
    let image = json!({"url": "https://example.com/a.png", "detail": "low"});
    let text = |key: &str| json!({"type": "text", "text": "Go.", key: {"type": "ephemeral"}});
    for (from, message, listed) in [
        (
            MessageFormat::Anthropic,
            json!({"role": "user", "content": [text("cache_control")]}),
            "cache_control",
        ),
        (MessageFormat::OpenAi, json!({"role": "user", "name": "ada", "content": "Go."}), "name"),
        (
            MessageFormat::OpenAi,
            json!({"role": "user", "content": [{"type": "image_url", "image_url": image}]}),
            "image_url.detail",
        ),
        (
            MessageFormat::AiSdk,
            json!({"role": "user", "content": [text("providerOptions")]}),
            "providerOptions",
        ),
        (
            MessageFormat::Google,
            json!({"role": "model", "parts": [{"text": "Go.", "thoughtSignature": "c2ln"}]}),
            "thoughtSignature",
        ),
        (MessageFormat::Google, json!({"role": "user", "parts": [response]}), "functionResponse.parts"),
        (
            MessageFormat::AgUi,
            json!({"id": "t", "role": "tool", "toolCallId": "c1", "content": "", "error": "no such file"}),
            "error",
        ),
    ] {
        let (read, none) = (conversation(from, &json!([message])), LoggedCalls::new());
        let to = MessageFormat::OpenAiResponses;
        for written in [read.clone().for_model(to, &none), read.clone().for_client(to, &none, &[])] {
            let what: Vec<_> = written.left_out.iter().map(|part| part.what.as_str()).collect();
            assert!(what.contains(&listed), "{listed}: {what:?}");
        }
        assert_eq!(read.for_client(from, &none, &[]).left_out, [], "its own format has everything");
    }
}
