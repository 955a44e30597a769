//! Reading server frames: which of them answer a request that the gateway follows.

use crate::{client_frame::read_id, open_forms::ServerForm};
use countersign_api::ResultRequest;
use countersign_events::{Json, Sha256, Status};
use countersign_json_rpc::{JsonObject, range_of, splice};

/// A server frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerFrame {
    /// The answer to a request.
    Answer {
        /// The request's id, canonical.
        id: String,
    },
    /// A form for the client's user.
    Form(Box<ServerForm>),
    /// `notifications/cancelled` of one of the server's requests.
    Cancelled {
        /// The request's id, canonical.
        id: String,
    },
    /// `notifications/tools/list_changed`.
    ToolsChanged,
    /// Any other text. It is passed on, also if it is not JSON.
    Other,
}

/// Reads a server frame.
#[must_use]
pub fn read_server_frame(text: &str) -> ServerFrame {
    let Some(frame) = JsonObject::read(text) else { return ServerFrame::Other };
    if let Some(method) = frame.get("method") {
        let is_changed = method.contains("list_changed")
            && frame.get_as::<String>("method").as_deref() == Some("notifications/tools/list_changed");
        return if is_changed { ServerFrame::ToolsChanged } else { read_request(&frame) };
    }
    let id = frame.get("id").and_then(read_id);
    id.map_or(ServerFrame::Other, |(_, id)| ServerFrame::Answer { id })
}

/// A request of the server, or a notification about one.
fn read_request(frame: &JsonObject<'_>) -> ServerFrame {
    let params = frame.get("params").and_then(JsonObject::read);
    let (Some(params), Some(method)) = (params, frame.get_as::<String>("method")) else {
        return ServerFrame::Other;
    };
    match (method.as_str(), frame.get("id").and_then(read_id)) {
        ("elicitation/create", Some((id, id_key))) => {
            let mode: Option<String> = params.get_as("mode");
            let is_form = mode.is_none_or(|mode| mode == "form");
            let parts = ["message", "requestedSchema"].map(|name| (name, params.get(name)));
            let members = parts.into_iter().map(|(name, value)| Some(format!("\"{name}\":{}", value?)));
            let arguments = members.collect::<Option<Vec<_>>>().map(|all| format!("{{{}}}", all.join(",")));
            match arguments.and_then(|text| Json::parse(&text).ok()).filter(|_| is_form) {
                Some(arguments) => ServerFrame::Form(Box::new(ServerForm { id, id_key, arguments })),
                None => ServerFrame::Other,
            }
        }
        ("notifications/cancelled", None) => {
            let id = params.get("requestId").and_then(read_id);
            id.map_or(ServerFrame::Other, |(_, id)| ServerFrame::Cancelled { id })
        }
        _ => ServerFrame::Other,
    }
}

/// The answer to another request with the same result.
pub(crate) fn with_id(text: &str, id: &Json) -> String {
    let place = JsonObject::read(text).and_then(|frame| frame.get("id"));
    place.map_or_else(|| text.to_owned(), |place| splice(text, range_of(text, place), id.as_str()))
}

/// The answer with a note added to its result content, if the result has content.
pub(crate) fn with_note(text: &str, note: &str) -> String {
    let result = JsonObject::read(text).and_then(|frame| frame.get("result"));
    let content = result.and_then(JsonObject::read).and_then(|result| result.get("content"));
    let Some(content) = content.filter(|content| content.starts_with('[')) else { return text.to_owned() };
    let end = range_of(text, content).end - 1;
    let comma = if content[1..content.len() - 1].trim().is_empty() { "" } else { "," };
    let item = format!("{comma}{{\"type\":\"text\",\"text\":{}}}", Json::string(note).as_str());
    splice(text, end..end, &item)
}

/// The result that the log keeps of an answer: its `result` or `error`, byte for byte. The log gets size and hash of a result
/// that is larger than its limit, or not admissible JSON.
pub(crate) fn recorded_result(text: &str) -> ResultRequest {
    let frame = JsonObject::read(text);
    let member = |key| frame.as_ref().and_then(|frame| frame.get(key));
    let (part, failed) = match (member("error"), member("result")) {
        (Some(error), _) => (error, true),
        (None, Some(result)) => {
            let is_error = JsonObject::read(result).and_then(|result| result.get_as("isError"));
            (result, is_error.unwrap_or(false))
        }
        (None, None) => (text, true),
    };
    let status = if failed { Status::Error } else { Status::Success };
    let content = Json::parse(part).unwrap_or_else(|why| {
        let (bytes, hash) = (part.len(), Sha256::digest(part.as_bytes()));
        Json::string(&format!(
            "The result was passed on, but is not kept: {why} ({bytes} bytes, SHA-256 {hash})"
        ))
    });
    ResultRequest { status, content, executor: None, ran_arguments: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_by_their_id() {
        let answer = |id: &str| ServerFrame::Answer { id: id.to_owned() };
        assert_eq!(read_server_frame(r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#), answer("1"));
        assert_eq!(read_server_frame(r#"{"id":"\u0061","error":{}}"#), answer("\"a\""));
        assert_eq!(read_server_frame(r#"{"id":1,"method":"sampling/createMessage"}"#), ServerFrame::Other);
        assert_eq!(read_server_frame("Server started"), ServerFrame::Other);
        let changed = r#"{"method":"notifications/tools/list_changed"}"#;
        assert_eq!(read_server_frame(changed), ServerFrame::ToolsChanged);
    }

    #[test]
    fn forms_are_read_byte_for_byte() {
        let form = |mode: &str| {
            format!(
                r#"{{"id":3,"method":"elicitation/create","params":{{{mode}"message":"m","requestedSchema":{{"a":1.0}}}}}}"#
            )
        };
        for mode in ["", r#""mode":"form","#] {
            let ServerFrame::Form(form) = read_server_frame(&form(mode)) else { panic!("a form") };
            assert_eq!(form.arguments.as_str(), r#"{"message":"m","requestedSchema":{"a":1.0}}"#);
            assert_eq!((form.id.as_str(), form.id_key.as_str()), ("3", "3"));
        }
        assert_eq!(read_server_frame(&form(r#""mode":"url","#)), ServerFrame::Other);
        let cancelled = r#"{"method":"notifications/cancelled","params":{"requestId":3}}"#;
        assert_eq!(read_server_frame(cancelled), ServerFrame::Cancelled { id: "3".to_owned() });
    }

    #[test]
    fn note_is_added_to_the_content() {
        for (content, expected) in [
            ("[]", r#"[{"type":"text","text":"n"}]"#),
            (r#"[{"type":"x"} ]"#, r#"[{"type":"x"} ,{"type":"text","text":"n"}]"#),
        ] {
            let answer =
                |content: &str| format!("{{\"id\":1,\"result\":{{\"content\":{content},\"z\":1.0}}}}");
            assert_eq!(with_note(&answer(content), "n"), answer(expected));
        }
        assert_eq!(with_note(r#"{"id":1,"error":{}}"#, "n"), r#"{"id":1,"error":{}}"#);
    }

    #[test]
    fn result_is_recorded_as_it_was() {
        let recorded = recorded_result(r#"{"id":1,"result":{"content":[],"n":1.10}}"#);
        assert_eq!(
            (recorded.status, recorded.content.as_str()),
            (Status::Success, r#"{"content":[],"n":1.10}"#)
        );
        assert_eq!(recorded_result(r#"{"id":1,"result":{"isError":true}}"#).status, Status::Error);
        assert_eq!(recorded_result(r#"{"id":1,"error":{"code":1}}"#).content.as_str(), r#"{"code":1}"#);
        let twice = recorded_result(r#"{"id":1,"result":{"a":1,"a":2}}"#);
        assert!(twice.content.as_str().contains("SHA-256"), "{twice:?}");
        assert_eq!(with_id(r#"{"id":1,"result":{}}"#, &Json::string("b")), r#"{"id":"b","result":{}}"#);
    }
}
