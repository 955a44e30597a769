//! The names of what can happen.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::{fmt, str::FromStr};

/// The longest name of a type, in bytes. The table has the same limit.
const LONGEST_NAME: usize = 64;

/// The name of an event type that a newer version has added: capitals, digits and `_`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct NewerType {
    /// Padded with zeros.
    bytes: [u8; LONGEST_NAME],
}

impl NewerType {
    fn new(name: &str) -> Option<Self> {
        let is_of_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        if !name.starts_with(|first: char| first.is_ascii_uppercase()) || !name.bytes().all(is_of_name) {
            return None;
        }
        let mut bytes = [0; LONGEST_NAME];
        bytes.get_mut(..name.len())?.copy_from_slice(name.as_bytes());
        Some(Self { bytes })
    }

    /// As the `type` column spells it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.bytes.iter().position(|byte| *byte == 0).unwrap_or(LONGEST_NAME);
        str::from_utf8(&self.bytes[..end]).unwrap_or_default()
    }
}

impl fmt::Debug for NewerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not a type of event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no event type {0:?}")]
pub struct UnknownType(pub String);

macro_rules! event_types {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum EventType {
            $($(#[$doc])* $name,)*
            /// Something that only a newer version knows. It is listed, streamed and verified, and allows nothing.
            Newer(NewerType),
        }

        impl EventType {
            /// All that this version knows.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// As the `type` column spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self { $(Self::$name => $text,)* Self::Newer(newer) => newer.as_str() }
            }
        }
    };
}

event_types! {
    /// An agent proposes a call.
    ToolCall = "TOOL_CALL",
    /// The policy asks people.
    ApprovalRequest = "TOOL_APPROVAL_REQUEST",
    /// One approver of several has spoken.
    ApprovalVote = "TOOL_APPROVAL_VOTE",
    /// The request is still open, and people are reminded.
    ApprovalReminder = "TOOL_APPROVAL_REMINDER",
    /// The request is still open, and now needs a higher level.
    ApprovalEscalated = "TOOL_APPROVAL_ESCALATED",
    /// An advisor answered, or failed to answer, a question about the call.
    ApprovalAdvice = "TOOL_APPROVAL_ADVICE",
    /// The decision, which is final.
    ApprovalResponse = "TOOL_APPROVAL_RESPONSE",
    /// An executor starts the call.
    ExecutionStarted = "TOOL_EXECUTION_STARTED",
    /// The executor still runs the call, and its lease ends later.
    ExecutionRenewed = "TOOL_EXECUTION_RENEWED",
    /// A person says that another executor may take a call over whose outcome is unknown.
    ExecutionReleased = "TOOL_EXECUTION_RELEASED",
    /// Another executor starts a call whose first executor was lost.
    ExecutionTakenOver = "TOOL_EXECUTION_TAKEN_OVER",
    /// Other arguments ran than were approved.
    ExecutionMismatch = "TOOL_EXECUTION_MISMATCH",
    /// How the call ended.
    ToolResult = "TOOL_RESULT",
    /// A person complains that the call was allowed.
    CallFlagged = "CALL_FLAGGED",
    /// The texts of the call were erased.
    CallErased = "CALL_ERASED",
    /// The policy in force from here on. It belongs to the log as a whole, not to a thread.
    PolicySet = "POLICY_SET",
    /// A thread's own rule for a tool.
    ToolPolicySet = "TOOL_POLICY_SET",
    /// A standing grant was taken back.
    GrantRevoked = "GRANT_REVOKED",
    /// A thread's way of answering what is asked.
    ThreadModeSet = "THREAD_MODE_SET",
    /// The thread is over.
    ThreadClosed = "THREAD_CLOSED",
    /// The texts of the closed thread were moved to an archive file.
    ThreadArchived = "THREAD_ARCHIVED",
    /// A credential of a server exists from here on. It belongs to the log as a whole.
    TokenCreated = "TOKEN_CREATED",
    /// A token was used for the first time from an address.
    TokenUsed = "TOKEN_USED",
    /// A token is not accepted from here on.
    TokenRevoked = "TOKEN_REVOKED",
    /// A key proves decisions of a person from here on.
    ApproverKeyAdded = "APPROVER_KEY_ADDED",
    /// A key proves nothing from here on.
    ApproverKeyRemoved = "APPROVER_KEY_REMOVED",
    /// Messages are sent to a target from here on. It belongs to the log as a whole.
    WebhookAdded = "WEBHOOK_ADDED",
    /// No message is sent to the target any more.
    WebhookRemoved = "WEBHOOK_REMOVED",
    /// The messages up to a position are delivered or parked.
    WebhookDelivered = "WEBHOOK_DELIVERED",
    /// A message could not be delivered.
    WebhookParked = "WEBHOOK_PARKED",
    /// A person asks for parked messages to be sent again.
    WebhookRetried = "WEBHOOK_RETRIED",
    /// A tool is known with this definition from here on. It belongs to the log as a whole.
    DefinitionSeen = "DEFINITION_SEEN",
    /// A tool has a definition that no person has accepted.
    DefinitionChanged = "DEFINITION_CHANGED",
    /// A person accepted a definition of a tool.
    DefinitionAccepted = "DEFINITION_ACCEPTED",
    /// An advisor was measured against the decisions of people. It belongs to the log as a whole.
    AdvisorReported = "ADVISOR_REPORTED",
    /// An advisor may decide from here on, or only advises.
    AdvisorModeSet = "ADVISOR_MODE_SET",
    /// A message of a person to the model.
    UserMessage = "USER_MESSAGE",
    /// A message of the model.
    AgentMessage = "AGENT_MESSAGE",
    /// The model's standing instructions.
    SystemPrompt = "SYSTEM_PROMPT",
    /// A person's own standing instructions.
    UserSystemPrompt = "USER_SYSTEM_PROMPT",
    /// A message of the program to the person, hidden from the model.
    LocalSystemMessage = "LOCAL_SYSTEM_MESSAGE",
    /// A summary that takes the place of what is before it.
    Compaction = "COMPACTION",
}

impl EventType {
    /// True if it speaks of one call.
    #[must_use]
    pub const fn is_about_a_call(self) -> bool {
        matches!(
            self,
            Self::ToolCall
                | Self::ApprovalRequest
                | Self::ApprovalVote
                | Self::ApprovalReminder
                | Self::ApprovalEscalated
                | Self::ApprovalAdvice
                | Self::ApprovalResponse
                | Self::ExecutionStarted
                | Self::ExecutionRenewed
                | Self::ExecutionReleased
                | Self::ExecutionTakenOver
                | Self::ExecutionMismatch
                | Self::ToolResult
                | Self::CallFlagged
                | Self::CallErased
        )
    }
}

impl EventType {
    /// True if the event belongs to the log as a whole, not to a thread.
    #[must_use]
    pub const fn is_of_whole_log(self) -> bool {
        matches!(self, Self::PolicySet)
            || self.is_about_tokens()
            || self.is_about_webhooks()
            || self.is_about_definitions()
            || self.is_about_advisors()
    }

    /// True if the event is about an advisor as such. Its advice is about a call.
    #[must_use]
    pub const fn is_about_advisors(self) -> bool {
        matches!(self, Self::AdvisorReported | Self::AdvisorModeSet)
    }

    /// True if the event is about the definition of a tool.
    #[must_use]
    pub const fn is_about_definitions(self) -> bool {
        matches!(self, Self::DefinitionSeen | Self::DefinitionChanged | Self::DefinitionAccepted)
    }

    /// True if the event is about a token or about a key of an approver.
    #[must_use]
    pub const fn is_about_tokens(self) -> bool {
        matches!(
            self,
            Self::TokenCreated
                | Self::TokenUsed
                | Self::TokenRevoked
                | Self::ApproverKeyAdded
                | Self::ApproverKeyRemoved
        )
    }

    /// True if the event is about a webhook.
    #[must_use]
    pub const fn is_about_webhooks(self) -> bool {
        matches!(
            self,
            Self::WebhookAdded
                | Self::WebhookRemoved
                | Self::WebhookDelivered
                | Self::WebhookParked
                | Self::WebhookRetried
        )
    }
}

impl EventType {
    /// True if the event is a message of a conversation.
    #[must_use]
    pub const fn is_message(self) -> bool {
        matches!(
            self,
            Self::UserMessage
                | Self::AgentMessage
                | Self::SystemPrompt
                | Self::UserSystemPrompt
                | Self::LocalSystemMessage
                | Self::Compaction
        )
    }
}

impl EventType {
    /// The type of an event in a log, which a newer version may have written.
    pub fn of_event(name: &str) -> Result<Self, UnknownType> {
        let newer = || NewerType::new(name).map(Self::Newer);
        name.parse().ok().or_else(newer).ok_or_else(|| UnknownType(name.to_owned()))
    }
}

/// Only the types that this version knows.
impl FromStr for EventType {
    type Err = UnknownType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.iter().find(|kind| kind.as_str() == text);
        found.copied().ok_or_else(|| UnknownType(text.to_owned()))
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for EventType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EventType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of_event(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_of_a_newer_version_keeps_its_name() {
        for name in ["TOOL_APPROVAL_DELEGATED", "X", &"A".repeat(LONGEST_NAME)] {
            let newer = EventType::of_event(name).expect("a name");
            assert_eq!(newer.as_str(), name);
            let json = serde_json::to_string(&newer).expect("serialises");
            assert_eq!(serde_json::from_str::<EventType>(&json).expect("reads"), newer);
            assert!(name.parse::<EventType>().is_err(), "a filter names a type that is known");
        }
        assert_eq!(EventType::of_event("TOOL_CALL"), Ok(EventType::ToolCall));
        for name in ["", "tool_call", "1A", "_A", "A-B", "A B", "Ä", "A\0", &"A".repeat(LONGEST_NAME + 1)] {
            assert_eq!(EventType::of_event(name), Err(UnknownType(name.to_owned())));
        }
    }
}
