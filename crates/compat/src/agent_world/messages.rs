//! The body with which a person's client sends messages to a world.

use super::results::{NamedAgent, ReadResult, read_result};
use countersign_api::{GateError, Json, MessagesRequest};
use countersign_events::{MessageFormat, json::JsonTree};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A message to a world, or a whole conversation with decisions in it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(examples(json!({"message": "@a1, list the files", "sender": "HUMAN"})))]
#[serde(deny_unknown_fields)]
pub(crate) struct WorldMessageRequest {
    /// What the person says, or a result with the marker `__type`. If it is the last thing that a person says in `messages`, or
    /// in the world where `messages` holds only results, it was sent before.
    #[serde(default)]
    pub(crate) message: String,
    /// The name that the client has for the sender. The log records the caller instead, whose name is proven. If it is not the
    /// caller's name, `HUMAN` or `user`, the messages decide nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sender: Option<String>,
    /// The conversation so far, in the form of OpenAI's Chat Completions. The results of calls whose ids begin with
    /// `approval_` are decisions. What the log does not have goes to the end; nothing is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Object>>, required = false)]
    pub(crate) messages: Option<Vec<Json>>,
    /// False asks for one answer instead of a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stream: Option<bool>,
}

impl std::fmt::Debug for WorldMessageRequest {
    /// Leaves out the messages, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.messages.as_ref().map(Vec::len);
        f.debug_struct("WorldMessageRequest").field("count", &count).finish_non_exhaustive()
    }
}

/// What a client sends, in the form of OpenAI.
pub(crate) struct WorldMessages {
    sender: Option<String>,
    /// What the client says that the person said, beside results alone. It may have been sent before.
    pub(crate) repeated: Option<String>,
    pub(crate) messages: Vec<Json>,
    /// Whether the messages are the client's copy of the conversation. Otherwise each stands alone.
    pub(crate) is_copy: bool,
    /// The agents that the client names for calls.
    pub(crate) named: Vec<NamedAgent>,
}

impl WorldMessageRequest {
    /// Reads the messages. Results that are written as text become results.
    ///
    /// # Errors
    /// If there are none, or if a result cannot be read.
    pub(crate) fn read(self) -> Result<WorldMessages, GateError> {
        let mut read = WorldMessages::new(self.sender);
        for message in self.messages.into_iter().flatten() {
            let message = match user_text(&message) {
                Some(text) => read.take_text(&text)?.unwrap_or(message),
                None => message,
            };
            read.messages.push(message);
        }
        let is_result = |message: &Json| {
            JsonTree::parse(message).is_some_and(|message| message.text_of("role") == Some("tool"))
        };
        read.is_copy = !read.messages.iter().all(is_result);
        let said = Some(self.message).filter(|said| !said.trim().is_empty());
        let last_said = read.messages.iter().rev().find_map(user_text);
        match said {
            None if read.messages.is_empty() => {
                return Err(GateError::invalid("message", &"is empty, and there are no `messages`"));
            }
            None => {}
            Some(said) => match read.take_text(&said)? {
                Some(result) => read.messages.push(result),
                None if !read.is_copy && !read.messages.is_empty() => read.repeated = Some(said),
                None if last_said.as_ref() == Some(&said) => {}
                None => read.messages.push(user_message(&said)?),
            },
        }
        Ok(read)
    }
}

impl WorldMessages {
    fn new(sender: Option<String>) -> Self {
        Self { sender, repeated: None, messages: Vec::new(), is_copy: false, named: Vec::new() }
    }

    /// The one message that a result is.
    pub(crate) fn of_result(result: ReadResult) -> Self {
        let mut read = Self::new(None);
        read.named.extend(result.named);
        read.messages.push(result.message);
        read
    }

    /// The result that a text is, as a message.
    fn take_text(&mut self, text: &str) -> Result<Option<Json>, GateError> {
        let Some(result) = read_result(text)? else { return Ok(None) };
        self.named.extend(result.named);
        Ok(Some(result.message))
    }

    fn request(&self) -> MessagesRequest {
        MessagesRequest {
            format: MessageFormat::OpenAi,
            message: None,
            messages: None,
            from: 0,
            sender: self.sender.clone(),
        }
    }

    /// The whole copy, as one request.
    pub(crate) fn copy(&self) -> MessagesRequest {
        MessagesRequest { messages: Some(self.messages.clone()), ..self.request() }
    }

    /// Each message, as a request of its own. What the person said is left out if it is `last_said`.
    ///
    /// # Errors
    /// If what the person said is no JSON string.
    pub(crate) fn alone(&self, last_said: Option<&str>) -> Result<Vec<MessagesRequest>, GateError> {
        let repeated = self.repeated.as_deref().filter(|said| Some(*said) != last_said);
        let repeated = repeated.map(user_message).transpose()?;
        let messages = repeated.iter().chain(&self.messages);
        Ok(messages
            .map(|message| MessagesRequest { message: Some(message.clone()), ..self.request() })
            .collect())
    }
}

/// A message of OpenAI's Chat Completions, as far as it tells what a person says.
#[derive(Serialize, Deserialize)]
struct UserMessage {
    role: String,
    content: String,
}

fn user_message(content: &str) -> Result<Json, GateError> {
    let message = UserMessage { role: "user".to_owned(), content: content.to_owned() };
    Json::encode(&message).map_err(|why| GateError::invalid("message", &why))
}

/// A person message's text; `None` for other messages.
fn user_text(message: &Json) -> Option<String> {
    message.read::<UserMessage>().ok().filter(|message| message.role == "user").map(|message| message.content)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USER: &str = r#"{"role":"user","content":"delete"}"#;
    const DECISION: &str = r#"{"role":"tool","tool_call_id":"approval_1","content":"deny"}"#;

    fn read(body: &str) -> Result<WorldMessages, String> {
        let request: WorldMessageRequest = serde_json::from_str(body).expect("a request");
        request.read().map_err(|error| error.to_string())
    }

    /// The number of messages that go to the conversation, and whether they are a copy of it.
    fn count(body: &str) -> (usize, bool) {
        let read = read(body).expect("messages");
        (read.messages.len(), read.is_copy)
    }

    #[test]
    fn message_of_a_resubmission_is_sent_once() {
        assert_eq!(count(r#"{"message":"delete"}"#), (1, false));
        assert_eq!(count(&format!(r#"{{"message":"delete","messages":[{USER},{DECISION}]}}"#)), (2, true));
        assert_eq!(count(&format!(r#"{{"message":"stop","messages":[{USER},{DECISION}]}}"#)), (3, true));
        assert_eq!(count(&format!(r#"{{"messages":[{USER}],"stream":false}}"#)), (1, true));
        assert!(read(r#"{"message":" "}"#).is_err(), "says nothing");
    }

    #[test]
    fn results_alone_are_no_conversation() {
        let sent = read(&format!(r#"{{"message":"delete","messages":[{DECISION}]}}"#)).expect("messages");
        assert_eq!((sent.messages.len(), sent.is_copy), (1, false));
        let requests = |last_said| sent.alone(last_said).expect("requests").len();
        assert_eq!((requests(Some("delete")), requests(Some("list")), requests(None)), (1, 2, 2));
    }

    #[test]
    fn written_result_is_never_what_a_person_says() {
        let result = r#"{\"__type\":\"tool_result\",\"tool_call_id\":\"approval_1\",\"content\":\"deny\"}"#;
        for body in [
            format!(r#"{{"message":"{result}"}}"#),
            format!(r#"{{"message":"@a1, {result}"}}"#),
            format!(r#"{{"messages":[{{"role":"user","content":"{result}"}}]}}"#),
        ] {
            let sent = read(&body).expect("messages");
            let message = JsonTree::parse(&sent.messages[0]).expect("JSON");
            assert_eq!(message.text_of("role"), Some("tool"), "{body}");
        }
        for broken in [r#"{\"__type\":\"tool_result\"}"#, r#"{\"__type\":\"tool_result\",\"x\":"#] {
            assert!(read(&format!(r#"{{"message":"{broken}"}}"#)).is_err(), "{broken}");
        }
    }
}
