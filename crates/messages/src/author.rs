//! Who a message says that it is from. The request's credential says who sends it; a message that names another author
//! decides nothing.

use countersign_events::json::JsonTree;

/// The members that name the message author.
const AUTHORS: &[&str] = &[
    "name",
    "sender",
    "author",
    "from",
    "user",
    "username",
    "userName",
    "speaker",
    "participant",
    "sentBy",
    "sent_by",
    "agent",
    "agentName",
    "agent_name",
];
/// The members in a person's message that name no author.
const HARMLESS: &[&str] = &[
    "role",
    "type",
    "content",
    "parts",
    "text",
    "id",
    "messageId",
    "createdAt",
    "timestamp",
    "status",
    "state",
    "metadata",
    "data",
    "additional_kwargs",
    "response_metadata",
    "example",
    "annotations",
    "cache_control",
    "citations",
    "providerOptions",
    "providerMetadata",
    "encryptedValue",
];
/// The message objects that may name its author.
const AROUND: &[&str] = &["data", "metadata", "additional_kwargs", "response_metadata"];
/// The names that clients have for any person.
const ANY_PERSON: &[&str] = &["human", "user"];
/// The name suffix of callers without a credential.
const SOLO: &str = " (solo)";

/// A person, as messages may name them.
#[derive(Debug, Clone, Copy)]
pub struct MessageAuthor<'a>(&'a str);

impl<'a> MessageAuthor<'a> {
    /// The person with this principal, such as `user:ada`.
    #[must_use]
    pub fn of_principal(principal: &'a str) -> Self {
        let name = principal.split_once(':').map_or(principal, |(_, name)| name);
        Self(name.strip_suffix(SOLO).unwrap_or(name))
    }

    /// Returns true if this name is the person's, or one that clients use for any person.
    #[must_use]
    pub fn is_named(self, name: &str) -> bool {
        let is_same = |own: &str| own.eq_ignore_ascii_case(name.trim());
        is_same(self.0) || ANY_PERSON.iter().any(|any| is_same(any))
    }

    fn is(self, value: &JsonTree) -> bool {
        *value == JsonTree::Null || value.as_text().is_some_and(|name| self.is_named(name))
    }
}

/// Why the decisions in a message are not those of its sender: it names another author.
pub(crate) fn other_author(message: &JsonTree, person: MessageAuthor<'_>) -> Option<String> {
    let around = AROUND.iter().filter_map(|key| message.get(key)).filter(|value| value.is_object());
    std::iter::once(message).chain(around).find_map(|object| {
        let JsonTree::Object(members) = object else { return None };
        // In a result and in an item, the name is that of a tool.
        let names_tool = object.first_text_of(&["role", "type"]).is_none_or(|role| !is_speaker(role));
        let names_author = |key: &str| AUTHORS.contains(&key) && !(key == "name" && names_tool);
        let (key, value) = members.iter().find(|(key, value)| names_author(key) && !person.is(value))?;
        Some(format!("the message names another author: {key:?} is {value}"))
    })
}

/// Returns true for a speaker role.
fn is_speaker(role: &str) -> bool {
    matches!(role, "user" | "human" | "assistant" | "ai" | "model" | "system" | "developer")
}

/// Why words are not those of their sender. Each member of the message must be known, because any other may name its author.
pub(crate) fn unclear_author(message: &JsonTree, person: MessageAuthor<'_>) -> Option<String> {
    match message {
        JsonTree::Object(members) => members.iter().find_map(|(key, value)| match key.as_str() {
            key if AUTHORS.contains(&key) => (!person.is(value))
                .then(|| format!("the message names another author: {key:?} is {value}")),
            key if HARMLESS.contains(&key) => unclear_author(value, person),
            "ttl" => None,
            key => Some(format!("the message has the member {key:?}, which may name another author; decide by the id of the call")),
        }),
        JsonTree::List(list) => list.iter().find_map(|value| unclear_author(value, person)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> JsonTree {
        JsonTree::parse_text(text).expect("valid")
    }

    #[test]
    fn words_of_another_author_are_found() {
        let ada = MessageAuthor::of_principal("user:ada");
        for text in [
            r#"{"role":"user","content":"Once"}"#,
            r#"{"role":"user","name":"Ada","content":"Once"}"#,
            r#"{"role":"user","name":null,"content":"Once"}"#,
            r#"{"type":"human","data":{"content":"Once","name":"ada","additional_kwargs":{}}}"#,
            r#"{"id":"m","role":"user","parts":[{"type":"text","text":"Once"}],"metadata":{"createdAt":1}}"#,
            r#"{"role":"user","sender":"HUMAN","content":"Once"}"#,
        ] {
            assert_eq!(unclear_author(&tree(text), ada), None, "{text}");
        }
        for text in [
            r#"{"role":"user","name":"agent","content":"Once"}"#,
            r#"{"role":"user","name":{"is":"ada"},"content":"Once"}"#,
            r#"{"role":"user","sender":"a1","content":"Once"}"#,
            r#"{"type":"human","data":{"content":"Once","name":"bot"}}"#,
            r#"{"role":"user","parts":[{"type":"text","text":"Once"}],"metadata":{"author":"bot"}}"#,
            r#"{"role":"user","content":[{"type":"text","text":"Once","author":"bot"}]}"#,
            r#"{"role":"user","content":"Once","onBehalfOf":"bot"}"#,
        ] {
            assert!(unclear_author(&tree(text), ada).is_some(), "{text}");
        }
    }

    #[test]
    fn name_of_tool_is_no_author() {
        let ada = MessageAuthor::of_principal("user:ada");
        let result = r#"{"role":"tool","name":"client.requestApproval","tool_call_id":"approval_c1","content":"deny"}"#;
        assert_eq!(other_author(&tree(result), ada), None);
        let named = r#"{"role":"tool","tool_call_id":"approval_c1","content":"deny","sender":"a1"}"#;
        assert!(other_author(&tree(named), ada).is_some());
        let solo = MessageAuthor::of_principal("user:local (solo)");
        assert!(solo.is_named("local") && !solo.is_named("a1"));
    }
}
