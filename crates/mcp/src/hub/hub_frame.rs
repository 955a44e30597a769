//! Frames that pass the hub: their parts, and the few changes that bring the names and ids of several servers together.

use crate::client_frame::read_id;
use countersign_events::Json;
use countersign_json_rpc::{FRAME_KEYS, JsonObject, range_of, splice_all};

/// The members of parameters by which the hub chooses a server.
const ROUTE_KEYS: &[&str] =
    &["name", "uri", "ref", "taskId", "requestId", "progressToken", "_meta", "notifications"];

/// A frame with the parts that decide about its way.
pub struct HubFrame<'a> {
    text: &'a str,
    object: JsonObject<'a>,
    params: Option<JsonObject<'a>>,
    pub(crate) method: Option<String>,
    /// The id as it is written and in its canonical form.
    pub(crate) id: Option<(Json, String)>,
}

/// The reason why a frame does not pass the hub.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadHubFrame {
    /// The text is not a JSON object.
    #[error("it is not a JSON object")]
    Syntax,
    /// Two members could be read as one.
    #[error("it repeats the member {0:?}, or spells it with other letters")]
    Ambiguous(String),
    /// The id is neither a string nor a number.
    #[error("its id is not a string or a number")]
    Id,
}

impl<'a> HubFrame<'a> {
    /// Reads one frame, which is not a batch. What two parsers could read in two ways is refused: one server could otherwise
    /// answer for another one.
    pub fn read(text: &'a str) -> Result<Self, BadHubFrame> {
        let object = JsonObject::read(text).ok_or(BadHubFrame::Syntax)?;
        object.check_keys(FRAME_KEYS).map_err(|key| BadHubFrame::Ambiguous(key.0))?;
        let params = object.get("params").and_then(JsonObject::read);
        if let Some(params) = &params {
            params.check_keys(ROUTE_KEYS).map_err(|key| BadHubFrame::Ambiguous(key.0))?;
        }
        let method = object.get("method").map(serde_json::from_str).transpose();
        let method: Option<String> = method.map_err(|_| BadHubFrame::Syntax)?;
        let id = object.get("id").and_then(read_id);
        if id.is_none() && object.get("id").is_some_and(|id| id != "null") {
            return Err(BadHubFrame::Id);
        }
        Ok(Self { text, object, params, method, id })
    }

    /// The id as it is written.
    #[must_use]
    pub fn id_text(&self) -> Option<&str> {
        self.id.as_ref().map(|(id, _)| id.as_str())
    }

    /// A frame member's text.
    pub(crate) fn member(&self, key: &str) -> Option<&'a str> {
        self.object.get(key)
    }

    /// The source of a parameter.
    pub(crate) fn param(&self, key: &str) -> Option<&'a str> {
        self.params.as_ref().and_then(|params| params.get(key))
    }

    /// A string parameter.
    pub(crate) fn text_param(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.param(key)?).ok()
    }

    /// The `_meta` of the parameters.
    pub(crate) fn meta(&self) -> Option<JsonObject<'a>> {
        self.param("_meta").and_then(JsonObject::read)
    }

    /// The protocol version that a request names itself, from 2026-07-28 on.
    pub(crate) fn own_version(&self) -> Option<String> {
        self.meta()?.get_as("io.modelcontextprotocol/protocolVersion")
    }

    /// The canonical token for progress of a request.
    pub(crate) fn progress_key(&self) -> Option<String> {
        self.meta()?.get("progressToken").and_then(read_id).map(|(_, key)| key)
    }

    /// The frame with another text instead of `part`, which is a slice of it.
    pub(crate) fn with(&self, part: &str, new: &str) -> String {
        splice_all(self.text, vec![(range_of(self.text, part), new.to_owned())])
    }

    /// The frame with another id.
    #[must_use]
    pub fn with_id(&self, id: &str) -> String {
        self.object.get("id").map_or_else(|| self.text.to_owned(), |part| self.with(part, id))
    }

    /// A server request for the client: its id and its progress token get the server name.
    #[must_use]
    pub fn qualified(&self, server: &str) -> String {
        let meta = self.meta();
        let token = meta.as_ref().and_then(|meta| meta.get("progressToken"));
        let edits = self.object.get("id").into_iter().chain(token);
        let edits = edits.map(|part| (range_of(self.text, part), qualify_id(server, part))).collect();
        splice_all(self.text, edits)
    }

    /// The request with further members in the `_meta` of its parameters.
    #[must_use]
    pub fn with_meta(&self, members: &str) -> String {
        let place = |part: &str| range_of(self.text, part).start + 1;
        let insert = |at: usize, text: String| splice_all(self.text, vec![(at..at, text)]);
        let comma = |part: &str| if part[1..part.len() - 1].trim().is_empty() { "" } else { "," };
        match (self.param("_meta"), self.object.get("params")) {
            (Some(meta), _) if meta.starts_with('{') => {
                insert(place(meta), format!("{members}{}", comma(meta)))
            }
            (None, Some(params)) if params.starts_with('{') => {
                insert(place(params), format!("\"_meta\":{{{members}}}{}", comma(params)))
            }
            (None, None) => {
                let brace = self.text.find('{').map_or(0, |at| at + 1);
                insert(brace, format!("\"params\":{{\"_meta\":{{{members}}}}},"))
            }
            _ => self.text.to_owned(),
        }
    }
}

/// A server's id as the client sees it: the server name, and the id as it was written.
pub(crate) fn qualify_id(server: &str, id: &str) -> String {
    Json::string(&format!("{server}:{id}")).as_str().to_owned()
}

/// Splits an id that [`qualify_id`] made into the server name and the server's id.
#[must_use]
pub fn restore_id(id: &str) -> Option<(String, String)> {
    let text: String = serde_json::from_str(id).ok()?;
    let (server, id) = text.split_once(':')?;
    read_id(id)?;
    Some((server.to_owned(), id.to_owned()))
}

/// The elements of a batch; the text itself if it is not one.
pub(crate) fn split_batch(text: &str) -> Vec<&str> {
    if !text.trim_start().starts_with('[') {
        return vec![text];
    }
    let elements: Vec<&serde_json::value::RawValue> = serde_json::from_str(text).unwrap_or_default();
    elements.into_iter().map(serde_json::value::RawValue::get).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_servers_come_back_as_they_were() {
        for id in ["1", "1.0", "\"a:b\"", "-7", r#""\u0061""#] {
            let qualified = qualify_id("files", id);
            assert_eq!(restore_id(&qualified), Some(("files".to_owned(), id.to_owned())), "{qualified}");
        }
        for foreign in ["1", "\"files\"", "\"files:\"", "\"files:{}\"", "null"] {
            assert_eq!(restore_id(foreign), None, "{foreign}");
        }
    }

    #[test]
    fn request_of_a_server_gets_its_name() {
        let text = r#"{ "id": 1, "method":"sampling/createMessage","params":{"n":1.10,"_meta":{"progressToken":"p"}}}"#;
        let qualified = HubFrame::read(text).expect("valid").qualified("files");
        assert_eq!(
            qualified,
            r#"{ "id": "files:1", "method":"sampling/createMessage","params":{"n":1.10,"_meta":{"progressToken":"files:\"p\""}}}"#
        );
    }

    #[test]
    fn meta_is_added_wherever_it_is() {
        for (text, expected) in [
            (r#"{"id":1}"#, r#"{"params":{"_meta":{"a":1}},"id":1}"#),
            (r#"{"params":{}}"#, r#"{"params":{"_meta":{"a":1}}}"#),
            (r#"{"params":{"x":1}}"#, r#"{"params":{"_meta":{"a":1},"x":1}}"#),
            (r#"{"params":{"_meta":{}}}"#, r#"{"params":{"_meta":{"a":1}}}"#),
            (r#"{"params":{"_meta":{"b":2}}}"#, r#"{"params":{"_meta":{"a":1,"b":2}}}"#),
            (r#"{"params":[]}"#, r#"{"params":[]}"#),
        ] {
            assert_eq!(HubFrame::read(text).expect(text).with_meta(r#""a":1"#), expected);
        }
    }

    #[test]
    fn answers_with_two_ids_are_refused() {
        for text in [r#"{"id":1,"id":2,"result":{}}"#, r#"{"id":1,"ID":2,"result":{}}"#] {
            assert_eq!(HubFrame::read(text).err(), Some(BadHubFrame::Ambiguous("id".to_owned())), "{text}");
        }
        assert_eq!(HubFrame::read(r#"{"id":{},"result":{}}"#).err(), Some(BadHubFrame::Id));
    }
}
