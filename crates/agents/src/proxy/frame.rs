//! A JSON-RPC message, as far as a proxy reads it.

use countersign_api::Json;
use serde::{Deserialize, Serialize};

/// The parts of a message. Codex leaves `jsonrpc` out.
#[derive(Debug, Clone, Deserialize)]
pub struct JsonRpcFrame {
    pub(crate) id: Option<Json>,
    pub(crate) method: Option<String>,
    pub(crate) params: Option<Json>,
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

impl JsonRpcFrame {
    /// Reads a line. Fails if it is not one JSON object, or repeats a key that is read here.
    pub(crate) fn read(line: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(line)
    }

    /// True if the message is a request, which expects a response.
    pub(crate) fn is_request(&self) -> bool {
        self.method.is_some() && self.id.is_some()
    }

    /// The parameters as a value.
    pub(crate) fn params_value(&self) -> serde_json::Value {
        self.params.as_ref().and_then(|params| params.read().ok()).unwrap_or_default()
    }

    /// The line of an error response to this request, with the code of invalid parameters.
    pub(crate) fn error_response(&self, message: &str) -> Result<Vec<u8>, serde_json::Error> {
        let id = self.id.as_ref().map(Json::read::<serde_json::Value>).transpose()?;
        let error = serde_json::json!({"code": -32602, "message": message});
        let mut line = serde_json::to_vec(&serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error}))?;
        line.push(b'\n');
        Ok(line)
    }

    /// The line of a response to this request.
    pub(crate) fn response(&self, result: &Json) -> Result<Vec<u8>, serde_json::Error> {
        let null = Json::null();
        let id = self.id.as_ref().unwrap_or(&null);
        let mut line = serde_json::to_vec(&JsonRpcResponse { jsonrpc: self.jsonrpc.as_ref(), id, result })?;
        line.push(b'\n');
        Ok(line)
    }
}

/// Encodes a value, which consists of texts and numbers only.
pub(crate) fn encode(value: &serde_json::Value) -> Json {
    Json::encode(value).unwrap_or_else(|_| Json::null())
}
