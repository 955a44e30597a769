//! What each type of event says, with types. A reader passes over fields it does not know, so that a log
//! that a newer version wrote can be read by this one.

use super::{
    EventType, NewerEvent,
    access::access_events,
    advisor::advisor_events,
    call::{call_events, with_placeholders},
    definition::definition_events,
    policy::policy_events,
    thread::thread_events,
    webhook::webhook_events,
};
use crate::{CallId, DamagedEvent, Json, Timestamp};

/// The call that a body is about, if rows of its type name one.
macro_rules! call_of {
    ($body:ident) => {{
        let _ = $body;
        None
    }};
    ($body:ident $($member:ident).+) => {
        Some(&$body.$($member).+)
    };
}

macro_rules! define_bodies {
    ([] $($group:ident { $(
        $(#[$doc:meta])+ $name:ident($data:ident) = $text:literal {
            $(call: $($call:ident).+,)? $(once_per: $once:tt,)? $(content: $content:tt,)?
        },
    )+ })+) => {
        /// Event bodies, by event type.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Body {
            $($(#[doc = concat!("See [`EventType::", stringify!($name), "`].")] $name(super::$data),)+)+
            /// Part of a conversation, as it was sent.
            Message(EventType, Json),
            /// Something that only a newer version knows.
            Newer(NewerEvent),
        }

        impl Body {
            /// Its type.
            #[must_use]
            pub const fn event_type(&self) -> EventType {
                match self {
                    $($(Self::$name(_) => EventType::$name,)+)+
                    Self::Message(kind, _) => *kind,
                    Self::Newer(newer) => EventType::Newer(newer.kind),
                }
            }

            /// The call that the event is about, if it is about one.
            #[must_use]
            pub const fn call_id(&self) -> Option<&CallId> {
                match self {
                    $($(Self::$name(body) => call_of!(body $($($call).+)?),)+)+
                    Self::Newer(newer) => newer.call.as_ref(),
                    Self::Message(..) => None,
                }
            }

            /// The text of its `data`.
            pub fn data(&self) -> Result<Json, serde_json::Error> {
                match self {
                    $($(Self::$name(data) => Json::encode(data),)+)+
                    Self::Message(_, data) => Ok(data.clone()),
                    Self::Newer(newer) => Ok(newer.data.clone()),
                }
            }

            /// Reads the event `data` at `seq`.
            pub fn read(seq: i64, kind: EventType, data: &Json) -> Result<Self, DamagedEvent> {
                let damaged = |e: serde_json::Error| DamagedEvent { seq, what: format!("its data is not a valid {kind}: {e}") };
                let data = &*with_placeholders(kind, data);
                match kind {
                    $($(EventType::$name => data.read().map(Self::$name).map_err(damaged),)+)+
                    EventType::Newer(newer) => NewerEvent::read(newer, data).map(Self::Newer).map_err(damaged),
                    _ => Ok(Self::Message(kind, data.clone())),
                }

            }
        }
    };
}

impl Body {
    /// When something becomes due because of this event: what [`ApprovalRequest::next_due`](crate::ApprovalRequest::next_due) says,
    /// or the end of a grant.
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        match self {
            Self::ApprovalRequest(request) => request.next_due(),
            Self::ApprovalResponse(response) => response.expires_at,
            Self::GrantProlonged(prolonged) => prolonged.expires_at,
            _ => None,
        }
    }
}

// Messages are read as JSON: their form is that of another program.
call_events! { [
    policy_events, thread_events, access_events, webhook_events, definition_events, advisor_events, define_bodies
] }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Decision, ErasedTexts, Source, ToolCall, ToolName};

    #[test]
    fn reads_what_a_newer_version_wrote() {
        let data = Json::parse(
            r#"{"toolCallId":"c","decision":"allow_pattern","source":"oracle","argumentsHash":"0000000000000000000000000000000000000000000000000000000000000000","mood":"good"}"#,
        )
        .expect("valid");
        let Ok(Body::ApprovalResponse(response)) = Body::read(7, EventType::ApprovalResponse, &data) else {
            panic!("it reads");
        };
        assert_eq!((response.decision, response.source), (Decision::Other, Source::Other));
        assert!(!response.decision.allows(), "an unknown word allows nothing");
    }

    #[test]
    fn newer_event_names_its_call() {
        let kind = EventType::of_event("TOOL_APPROVAL_DELEGATED").expect("a name");
        for (data, call, is_harmless) in [
            (r#"{"toolCallId":"c","to":"user:ada"}"#, Some("c"), false),
            (r#"{"toolCallId":"c","harmless":true}"#, Some("c"), true),
            (r#"{"toolCallId":"c","harmless":"true"}"#, Some("c"), false),
            (r#"{"toolCallId":7}"#, None, false),
            ("{}", None, false),
        ] {
            let data = Json::parse(data).expect("valid");
            let Ok(Body::Newer(newer)) = Body::read(7, kind, &data) else { panic!("it is carried") };
            assert_eq!((newer.call.as_ref().map(CallId::as_str), newer.is_harmless), (call, is_harmless));
            assert_eq!(Body::Newer(newer).data().expect("as it was"), data);
        }
    }

    #[test]
    fn unreadable_row_is_reported_as_damaged() {
        let data = Json::parse(r#"{"toolCallId":"c"}"#).expect("valid");
        let damaged = Body::read(7, EventType::ToolResult, &data).expect_err("no status");
        assert_eq!(
            damaged.to_string(),
            "event 7 is damaged: its data is not a valid TOOL_RESULT: missing field `status` at line 1 column 18"
        );
    }

    #[test]
    fn keeps_arguments_to_the_byte() {
        let text = "{ \"n\": 1.00, \"big\": 9007199254740993 }";
        let arguments = Json::parse(text).expect("valid");
        let call = ToolCall {
            id: CallId::new("c").expect("valid"),
            name: ToolName::new("bash").expect("valid"),
            arguments_hash: arguments.admit().expect("valid"),
            arguments,
            annotations: None,
            impact: None,
            description: None,
            place: None,
            definition: None,
            definition_hash: None,
            replaces: None,
            redacted: Vec::new(),
            effects: Vec::new(),
            erased: ErasedTexts::new(),
        };
        let data = Body::ToolCall(call.clone()).data().expect("serialises");
        assert!(data.as_str().contains(text));
        assert_eq!(Body::read(1, EventType::ToolCall, &data), Ok(Body::ToolCall(call)));
    }
}
