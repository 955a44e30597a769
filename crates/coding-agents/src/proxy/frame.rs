//! A JSON-RPC message, as far as a proxy reads it.

use countersign_api::{GateError, Json};
use countersign_json_rpc::{FRAME_KEYS, JsonObject};
use serde::{Deserialize, Serialize};

/// The message parts. Codex leaves `jsonrpc` out.
#[derive(Debug, Clone, Deserialize)]
pub struct JsonRpcFrame {
    pub(crate) id: Option<Json>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<Json>,
    pub(crate) result: Option<Json>,
    jsonrpc: Option<Json>,
}

/// A response.
#[derive(Serialize)]
struct JsonRpcResponse<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    jsonrpc: Option<&'a Json>,
    id: &'a Json,
    result: &'a Json,
}

/// The code of JSON-RPC for parameters that cannot be used.
pub(crate) const INVALID_PARAMS: i32 = -32602;

/// The code for a request that was not allowed: the first of those that JSON-RPC leaves to servers.
pub(crate) const NOT_ALLOWED: i32 = -32000;

impl JsonRpcFrame {
    /// Reads a line. Fails if it is not one JSON object, or repeats a key that decides its meaning, or has such a key in other
    /// letters: some parsers ignore the case of keys, and would see a question here that this passes over.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let object = JsonObject::read(str::from_utf8(line).ok()?)?;
        object.check_keys(FRAME_KEYS).ok()?;
        serde_json::from_slice(line).ok()
    }

    /// Returns true if the message is a request, which expects a response.
    pub(crate) fn is_request(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }

    /// The parameters as a value.
    pub(crate) fn params_value(&self) -> serde_json::Value {
        self.params.as_ref().and_then(|params| params.read().ok()).unwrap_or_default()
    }

    /// The question parameters. Fails if another program could read them in another way.
    pub(crate) fn question_params(&self) -> Result<serde_json::Value, GateError> {
        let checked = self.params.as_ref().map_or(Ok(()), |params| params.admit_arguments().map(drop));
        checked.map_err(|why| GateError::invalid("params", &why))?;
        Ok(self.params_value())
    }

    /// An error response's line to this request.
    pub(crate) fn error_response(&self, code: i32, message: &str) -> Result<Vec<u8>, serde_json::Error> {
        let id = self.id.as_ref().map(Json::read::<serde_json::Value>).transpose()?;
        let error = serde_json::json!({"code": code, "message": message});
        let mut line = serde_json::to_vec(&serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
        line.push(b'\n');
        Ok(line)
    }

    /// The response line for this request.
    pub(crate) fn response(&self, result: &Json) -> Result<Vec<u8>, serde_json::Error> {
        let null = Json::null();
        let id = self.id.as_ref().unwrap_or(&null);
        let mut line = serde_json::to_vec(&JsonRpcResponse { jsonrpc: self.jsonrpc.as_ref(), id, result })?;
        line.push(b'\n');
        Ok(line)
    }
}

/// Encodes a value, which consists of strings and numbers only.
pub(crate) fn encode(value: &serde_json::Value) -> Json {
    Json::encode(value).unwrap_or_else(|_| Json::null())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_keys_are_refused() {
        for line in [
            r#"{"id":1,"method":"a","Method":"session/request_permission"}"#,
            r#"{"id":1,"METHOD":"session/request_permission"}"#,
            r#"{"id":1,"method":"a","method":"b"}"#,
            r#"{"id":1,"param\u017f":{}}"#,
            "[]",
        ] {
            assert!(JsonRpcFrame::read(line.as_bytes()).is_none(), "{line}");
        }
        let frame = JsonRpcFrame::read(br#"{"id":1,"method":"a","Other":1}"#).expect("clear");
        assert!(frame.is_request());
    }
}
