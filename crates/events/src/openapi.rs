//! OpenAPI schemas of the basic types, for crates that describe an API with them. They state the limits that the
//! types check when they are deserialized.

use crate::{
    AdviceFailure, AdviceVerdict, AdvisorMode, AdvisorProtocol, Basis, CallId, CallState, CallStateFilter,
    Decision, DecisionChannel, EffectPattern, Event, EventType, GrantAgents, Json, MessageFormat, Mode,
    OnExpiry, Principal, ProofKind, ProofRequirement, ReportSource, RiskLevel, Role, Sha256, Source, Status,
    ThreadId, Timestamp, TokenKind, ToolName, ToolPolicy, Verdict, WebhookFormat, WebhookTopic,
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

/// The format name of a name: the rule of [`crate::check_name`], which no pattern can state, because it depends on the
/// scripts of Unicode.
const NAME_FORMAT: &str = "visible-name";

/// The format name of a principal: its name part follows [`NAME_FORMAT`].
const PRINCIPAL_FORMAT: &str = "principal";

/// The pattern that all names match: no control characters, no blanks around it, and neither `.` nor `..`.
const NAME: &str = r"^(?!\.{1,2}$)(?! )[^\u0000-\u001F\u007F-\u00A0]+(?<! )$";

/// The principal pattern: a kind, and a name as in [`NAME`].
const PRINCIPAL: &str = r"^(user|agent|policy|advisor|system):(?! )[^\u0000-\u001F\u007F-\u00A0]+(?<! )$";

/// The pattern of [`EffectPattern`]: no control characters and at most eight `*`.
const EFFECT_PATTERN: &str = r"^(?:[^*\u0000-\u001F\u007F-\u009F]*\*){0,8}[^*\u0000-\u001F\u007F-\u009F]*$";

/// A string schema with a description and an example.
fn string_schema(description: &str, example: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description)).examples([example])
}

macro_rules! impl_schema {
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

fn name_schema(description: &str, example: &str) -> ObjectBuilder {
    string_schema(description, example)
        .min_length(Some(1))
        .max_length(Some(MAX_NAME_BYTES))
        .pattern(Some(NAME))
        .format(Some(SchemaFormat::Custom(NAME_FORMAT.to_owned())))
}

impl_schema! {
    ThreadId => name_schema(
        "The id of one conversation of one agent, chosen by the program that runs the agent: up to 512 bytes of \
         UTF-8 in one script, without blanks around it or invisible characters, and neither `.` nor `..`.",
        "conversation-7",
    );
    CallId => name_schema(
        "The id of a tool call, unique only within its thread: up to 512 bytes of UTF-8 in one \
         script, without blanks around it or invisible characters, and neither `.` nor `..`.",
        "call_1",
    );
    ToolName => name_schema(
        "The name of the tool that a call asks to run: up to 512 bytes of UTF-8 in one script, without blanks around \
         it or invisible characters.",
        "bash",
    );
    Principal => string_schema(
        "The actor that caused an event: `kind:name`, up to 512 bytes of UTF-8. The name of a person or an agent is in \
         one script, without blanks around it or invisible characters.",
        "user:ada",
    )
        .min_length(Some(6))
        .max_length(Some(MAX_NAME_BYTES))
        .pattern(Some(PRINCIPAL))
        .format(Some(SchemaFormat::Custom(PRINCIPAL_FORMAT.to_owned())));
    Timestamp => string_schema("A moment in UTC, to the millisecond (RFC 3339).", "2026-01-31T12:00:00.000Z")
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)));
    Sha256 => string_schema(
        "A SHA-256 in hexadecimal digits.",
        "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    )
    .pattern(Some("^[0-9a-fA-F]{64}$"));
    EffectPattern => string_schema(
        "A pattern for what calls touch: `*` is any text and `?` any character, without regard to case.",
        ".env",
    )
        .min_length(Some(1))
        .max_length(Some(EffectPattern::MAX_CHARS))
        .pattern(Some(EFFECT_PATTERN));
    Json => ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .description(Some(
            "Any JSON value, stored byte for byte. Objects must not repeat a key; at most 256 levels deep and 4 MiB long.",
        ))
        .examples([json!({"command": "ls"})]);
}

macro_rules! impl_enum_schema {
    ($($name:ident: $description:literal, $words:expr;)*) => {
        impl_schema! {
            $($name => ObjectBuilder::new()
                .schema_type(Type::String)
                .description(Some($description))
                .enum_values(Some($words))
                .examples($words.into_iter().take(1));)*
        }
    };
}

/// The wire names of all variants of an enum.
macro_rules! wire_names {
    ($name:ident) => {
        $name::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>()
    };
}

impl_enum_schema! {
    Decision: "A decision on a call. A decision that this version does not know, from a log that a newer version wrote, is read as `other`.", wire_names!(Decision);
    Basis: "The part of the policy that gave a verdict.", wire_names!(Basis);
    DecisionChannel: "The surface on which a person decided, if it shows only a part of the call.", wire_names!(DecisionChannel);
    GrantAgents: "The agents whose later calls a grant answers.", wire_names!(GrantAgents);
    Verdict: "The policy's verdict on a call.", vec!["allow", "ask", "block"];
    Source: "The source of a decision.", wire_names!(Source);
    AdvisorProtocol: "The way in which an advisor is asked: Countersign's own JSON, the Open Policy Agent, Cedar policies, a chat endpoint as OpenAI defines it, or the facts that the log has about a call.", wire_names!(AdvisorProtocol);
    AdvisorMode: "The use of an advisor's advice: `shadow` records it only, `advise` shows it to approvers, `decide` may answer requests of rules that name the advisor.", wire_names!(AdvisorMode);
    AdviceVerdict: "The answer of an advisor. Only `allow` and `deny` can answer a request.", wire_names!(AdviceVerdict);
    AdviceFailure: "The reason why an advisor gave no valid answer. The advice is then `ask`.", wire_names!(AdviceFailure);
    ReportSource: "The data of a report: calls of the past about which the advisor was asked later, or advice recorded when the calls were pending.", wire_names!(ReportSource);
    Status: "The outcome of a call.", wire_names!(Status);
    RiskLevel: "The risk of a call.", wire_names!(RiskLevel);
    ToolPolicy: "A thread's own rule for a tool.", wire_names!(ToolPolicy);
    Role: "What the holder of a token may do: an `agent` proposes, waits, claims, finishes and cancels; an `approver` reads and decides; an `auditor` reads; an `admin` sets policies, modes and tokens.", wire_names!(Role);
    TokenKind: "The kind of a token: a `token` that its holder keeps, a `link` that signs a person in once, or the `session` of a browser.", wire_names!(TokenKind);
    ProofKind: "The kind of a proof, and of the key that makes it: `ssh` for a signature of `ssh-keygen -Y sign`, `passkey` for an assertion of WebAuthn.", wire_names!(ProofKind);
    ProofRequirement: "The proof that an approval needs: of `any` kind, or of this one.", wire_names!(ProofRequirement);
    WebhookFormat: "The form of the messages of a webhook: `standard` is signed JSON (standardwebhooks.com), `pagerduty` and `opsgenie` are alerts of pagers, `jira` is flat JSON for a rule of Jira, `slack-app`, `telegram`, `discord-app` and `mattermost` are chat apps, whose messages change with their calls, the others are for chats.", wire_names!(WebhookFormat);
    WebhookTopic: "What a message of a webhook is about.", wire_names!(WebhookTopic);
    MessageFormat: "The format of a message: that of an API, or `plain` for a role and a string.", wire_names!(MessageFormat);
    Mode: "How the gate answers the requests of a thread.", wire_names!(Mode);
    OnExpiry: "The outcome of a request that expires unanswered.", wire_names!(OnExpiry);
    EventType: "The type of an event. A newer version may have written events of other types, in capitals, digits and `_`.", wire_names!(EventType);
    CallState: "The state of a call. `unknown`: the executor's lease lapsed without a result.", state_names();
    CallStateFilter: "A state, or a part of one: `expired` (no person decided in time), `unanswered` (pending, expired, or cancelled before a decision), `blocked` (denied by the policy or the thread, without asking people), `lapsed` (the approval was not used in time), `succeeded` and `failed` (finished with this result).", wire_names!(CallStateFilter);
}

fn state_names() -> Vec<String> {
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

/// Written by hand because `data` is JSON, which the derive macro cannot know.
impl PartialSchema for Event {
    fn schema() -> RefOr<Schema> {
        let seq = ObjectBuilder::new()
            .schema_type(Type::Integer)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
            .minimum(Some(1))
            .description(Some("Position in the log: 1, 2, 3, … without a gap, in commit order."));
        let data = ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("The event body. It keeps the fields that a newer version wrote."));
        let thread_id = ObjectBuilder::new()
            .schema_type(Type::String)
            .max_length(Some(MAX_NAME_BYTES))
            .description(Some(
                "The thread of the event; empty for a `POLICY_SET`, which belongs to the log as a whole.",
            ));
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some("One row of the log, the same for every reader."))
            .property("seq", seq)
            .property("threadId", thread_id)
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
