//! The schemas of the words that every other shape is made of, for those who describe an API in which
//! they occur. They say what the types themselves check where they are read.

use crate::{
    CallId, CallState, Event, EventType, Json, Principal, Sha256, ThreadId, Timestamp, ToolName,
    event::{Basis, Decision, Mode, OnExpiry, RiskLevel, Source, Status, ToolPolicy, Verdict},
    id::MAX_NAME_BYTES,
};
use serde_json::json;
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, Ref, RefOr,
        schema::{KnownFormat, Schema, SchemaFormat, SchemaType, Type},
    },
};

/// What no name may hold: control characters, in the first 128 letters of Unicode and in the next.
const NAME: &str = r"^(?!\.{1,2}$)[^\u0000-\u001F\u007F-\u009F]+$";

/// A kind, and a name without control characters.
const PRINCIPAL: &str = r"^(user|agent|policy|system):[^\u0000-\u001F\u007F-\u009F]+$";

/// A text of that form.
fn text(description: &str, example: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description)).examples([example])
}

macro_rules! described {
    ($($name:ident => $schema:expr;)*) => {
        $(
            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    $schema.into()
                }
            }

            impl ToSchema for $name {}
        )*
    };
}

fn name(description: &str, example: &str) -> ObjectBuilder {
    text(description, example).min_length(Some(1)).max_length(Some(MAX_NAME_BYTES)).pattern(Some(NAME))
}

described! {
    ThreadId => name(
        "One conversation of one agent, named by whoever runs it: up to 512 bytes of UTF-8 without control \
         characters, and neither `.` nor `..`.",
        "conversation-7",
    );
    CallId => name(
        "A tool call's id, unique only within its thread: up to 512 bytes of UTF-8 without control \
         characters, and neither `.` nor `..`.",
        "call_1",
    );
    ToolName => name("The tool that a call wants to run: up to 512 bytes of UTF-8 without control characters.", "bash");
    Principal => text("Who caused an event: `kind:name`, up to 512 bytes of UTF-8.", "user:ada")
        .min_length(Some(6))
        .max_length(Some(MAX_NAME_BYTES))
        .pattern(Some(PRINCIPAL));
    Timestamp => text("A moment in UTC, to the millisecond (RFC 3339).", "2026-01-31T12:00:00.000Z")
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    Sha256 => text(
        "A SHA-256 in hexadecimal digits.",
        "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    )
    .pattern(Some("^[0-9a-fA-F]{64}$"));
    Json => ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .description(Some(
            "Any JSON, kept to the byte: no object with a key twice, at most 256 levels deep, at most 4 MiB.",
        ))
        .examples([json!({"command": "ls"})]);
}

macro_rules! words {
    ($($name:ident: $description:literal, $words:expr;)*) => {
        described! {
            $($name => ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some($description))
                .enum_values(Some($words))
                .examples($words.into_iter().take(1));)*
        }
    };
}

/// Every word of an enumeration.
macro_rules! all {
    ($name:ident) => {
        $name::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>()
    };
}

words! {
    Decision: "A decision on a call. In a log that a newer version wrote, a word it does not know reads as `other`.", all!(Decision);
    Basis: "What of the policy gave a verdict.", all!(Basis);
    Verdict: "What a policy says of a call.", vec!["allow", "ask", "block"];
    Source: "Where a decision came from.", all!(Source);
    Status: "How a call ended.", all!(Status);
    RiskLevel: "How bad it would be.", all!(RiskLevel);
    ToolPolicy: "A thread's own rule for a tool.", all!(ToolPolicy);
    Mode: "How a thread answers what is asked.", all!(Mode);
    OnExpiry: "What becomes of a request that nobody answers.", all!(OnExpiry);
    EventType: "What happened.", all!(EventType);
    CallState: "Where a call stands. `unknown`: its executor's lease lapsed without a result.", states();
}

fn states() -> Vec<String> {
    let all = [
        CallState::Pending,
        CallState::Allowed,
        CallState::Denied,
        CallState::Running,
        CallState::Finished,
        CallState::Unknown,
        CallState::Cancelled,
    ];
    all.iter().map(ToString::to_string).collect()
}

/// Written by hand because `data` is a text that is JSON, which no derivation can know.
impl PartialSchema for Event {
    fn schema() -> RefOr<Schema> {
        let seq = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some(1))
            .description(Some("Position in the log: 1, 2, 3, … without a gap, in commit order."));
        let data = ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("The facts. Fields that a newer version wrote are still in it."));
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("One row of the log, as every reader gets it."))
            .property("seq", seq)
            .property("threadId", Ref::from_schema_name("ThreadId"))
            .property("type", Ref::from_schema_name("EventType"))
            .property("timestamp", Ref::from_schema_name("Timestamp"))
            .property("principal", Ref::from_schema_name("Principal"))
            .property("data", data)
            .property("hash", Ref::from_schema_name("Sha256"))
            .required("seq")
            .required("threadId")
            .required("type")
            .required("timestamp")
            .required("principal")
            .required("data")
            .examples([json!({
                "seq": 3,
                "threadId": "t1",
                "type": "TOOL_APPROVAL_RESPONSE",
                "timestamp": "2026-01-31T12:00:00.000Z",
                "principal": "user:ada",
                "data": {
                    "toolCallId": "call_1",
                    "decision": "allow_once",
                    "source": "approver",
                    "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
                },
                "hash": "54f8d26a4555eb38560485ff203f463cdd61f77cca47e49aa3611f63b7572cc0",
            })])
            .into()
    }
}

impl ToSchema for Event {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.extend([
            (ThreadId::name().into(), ThreadId::schema()),
            (EventType::name().into(), EventType::schema()),
            (Timestamp::name().into(), Timestamp::schema()),
            (Principal::name().into(), Principal::schema()),
            (Sha256::name().into(), Sha256::schema()),
        ]);
    }
}
