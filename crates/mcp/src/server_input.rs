//! The input that a server asks a client for while it runs a call (MCP 2026-07-28).

use countersign_events::Json;
use countersign_json_rpc::{JsonObject, range_of, splice};

/// An answer with which a server asks the client for input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InputRequest {
    /// The state that the server expects back.
    pub(crate) server_state: Option<String>,
}

/// Reads an answer that asks the client for input; `None` for any other answer.
pub(crate) fn read_input_request(answer: &str) -> Option<InputRequest> {
    let result = JsonObject::read(answer).and_then(|frame| frame.get("result")).and_then(JsonObject::read)?;
    let kind: String = result.get_as("resultType")?;
    (kind == "input_required").then(|| InputRequest { server_state: result.get_as("requestState") })
}

/// The answer with the gateway state instead of the server state.
pub(crate) fn replace_state(answer: &str, state: &str) -> String {
    let Some(result) = JsonObject::read(answer).and_then(|frame| frame.get("result")) else {
        return answer.to_owned();
    };
    let state = Json::string(state);
    if let Some(old) = JsonObject::read(result).and_then(|result| result.get("requestState")) {
        return splice(answer, range_of(answer, old), state.as_str());
    }
    let at = range_of(answer, result).start + 1;
    splice(answer, at..at, &format!("\"requestState\":{},", state.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_of_the_server_is_replaced() {
        let asked = r#"{"id":1,"result":{"resultType":"input_required", "requestState" : "s","n":1.0}}"#;
        let asks = |state: Option<&str>| Some(InputRequest { server_state: state.map(str::to_owned) });
        assert_eq!(read_input_request(asked), asks(Some("s")));
        let expected = r#"{"id":1,"result":{"resultType":"input_required", "requestState" : "own","n":1.0}}"#;
        assert_eq!(replace_state(asked, "own"), expected);
        let without = r#"{"id":1,"result":{"resultType":"input_required","inputRequests":{}}}"#;
        assert_eq!(read_input_request(without), asks(None));
        assert_eq!(read_input_request(&replace_state(without, "own")), asks(Some("own")));
        for other in [r#"{"id":1,"result":{"content":[]}}"#, r#"{"id":1,"error":{}}"#, "text"] {
            assert_eq!(read_input_request(other), None, "{other}");
        }
    }
}
