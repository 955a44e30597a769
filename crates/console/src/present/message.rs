//! A conversation message in a sentence.

use crate::{present::text::escape_text, wrap::truncate_text};
use countersign_events::{ConversationMessage, EventType, Json, MessageFormat};
use countersign_messages::{ReadMessage, read_message};

/// The most columns of message text.
const MOST_COLUMNS: usize = 120;

/// Describes a message event: who speaks, and how the text starts, or the calls that it is about.
pub(crate) fn describe_message(who: &str, kind: EventType, data: &Json) -> String {
    let speaker = match kind {
        EventType::UserMessage => "a person",
        EventType::AgentMessage => "the agent",
        EventType::LocalSystemMessage => "the program",
        EventType::Compaction => "a summary",
        _ => "the instructions",
    };
    match data.read::<ConversationMessage>() {
        Ok(message) if message.erased.is_empty() => {
            let what = describe_content(message.format, &message.content);
            format!("{who} adds message {}: {speaker} {what}", message.position)
        }
        Ok(message) => format!("{who} adds message {}: {speaker} (erased)", message.position),
        Err(_) => format!("{who} adds a message that this version cannot read"),
    }
}

fn describe_content(format: MessageFormat, content: &Json) -> String {
    let Ok(ReadMessage { text, proposes, reports, decides, .. }) = read_message(format, content) else {
        return "sent something that this version cannot read".to_owned();
    };
    let list = |ids: &[String]| escape_text(&ids.join(", "));
    match (proposes.as_slice(), reports.as_slice()) {
        (_, [_, ..]) => format!("reports {}", list(&reports)),
        _ if text.is_empty() && decides => "sends a decision".to_owned(),
        ([_, ..], _) if text.is_empty() => format!("proposes {}", list(&proposes)),
        _ => {
            format!("says \"{}\"", truncate_text(&escape_text(&text.trim().replace('\n', " ")), MOST_COLUMNS))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(kind: EventType, content: &str) -> String {
        let hash = "0".repeat(64);
        let data =
            format!(r#"{{"position":3,"format":"openai","contentHash":"{hash}","content":{content}}}"#);
        describe_message("agent:bot", kind, &Json::parse(&data).expect("valid"))
    }

    #[test]
    fn message_is_a_sentence() {
        assert_eq!(
            describe(EventType::UserMessage, r#"{"role":"user","content":"Deploy\nit.\u202e"}"#),
            "agent:bot adds message 3: a person says \"Deploy it.\\u{202e}\""
        );
        assert_eq!(
            describe(EventType::AgentMessage, r#"{"role":"assistant","tool_calls":[{"id":"call_1"}]}"#),
            "agent:bot adds message 3: the agent proposes call_1"
        );
        assert_eq!(
            describe(EventType::AgentMessage, r#"{"role":"tool","tool_call_id":"call_1","content":"done"}"#),
            "agent:bot adds message 3: the agent reports call_1"
        );
        assert_eq!(
            describe(
                EventType::AgentMessage,
                r#"{"role":"tool","tool_call_id":"approval_call_1","content":"approve_once"}"#
            ),
            "agent:bot adds message 3: the agent sends a decision"
        );
        let long = format!(r#"{{"role":"system","content":"{}"}}"#, "a".repeat(500));
        assert!(describe(EventType::SystemPrompt, &long).len() < 200);
    }

    #[test]
    fn erased_or_foreign_message_is_described() {
        let hash = "0".repeat(64);
        let erased = format!(
            r#"{{"position":0,"format":"plain","contentHash":"{hash}","erased":{{"content":"{hash}"}}}}"#
        );
        let describe = |text: &str| {
            describe_message("agent:bot", EventType::UserMessage, &Json::parse(text).expect("valid"))
        };
        assert_eq!(describe(&erased), "agent:bot adds message 0: a person (erased)");
        assert_eq!(describe(r#"{"text":"hi"}"#), "agent:bot adds a message that this version cannot read");
    }
}
