//! The unique indexes refuse a repeated row of any program, as the description of its type says: each event type is inserted twice by
//! plain SQL, with a hash, so that no other check of the database looks at it.

use countersign_events::{EventGroup, EventType};
use countersign_tests::{LS, SqlConnection, World, on_each_database};
use serde_json::{Map, Value, json};

on_each_database! { each_type_repeats_only_as_its_meaning_permits }

/// A type row, as far as uniqueness depends on it.
#[derive(Clone)]
struct TypedRow {
    kind: EventType,
    thread: &'static str,
    principal: &'static str,
    data: Map<String, Value>,
}

impl TypedRow {
    fn with_kind(kind: EventType) -> Self {
        let mut data = members(kind);
        if kind == EventType::ToolCall {
            data["id"] = json!("call_1");
        } else if kind.is_about_a_call() {
            data["toolCallId"] = json!("call_1");
        }
        let Value::Object(data) = data else { unreachable!("an object") };
        Self { kind, thread: if kind.is_of_whole_log() { "" } else { "t" }, principal: "user:ada", data }
    }

    /// Returns this row and, for each part that may differ, the row with another value of it.
    fn variants(&self) -> Vec<(String, Self)> {
        let mut variants = vec![
            ("nothing".to_owned(), self.clone()),
            ("principal".to_owned(), Self { principal: "user:ben", ..self.clone() }),
        ];
        if !self.kind.is_of_whole_log() {
            variants.push(("thread".to_owned(), Self { thread: "u", ..self.clone() }));
        }
        for (name, value) in &self.data {
            let mut data = self.data.clone();
            let other = if value.is_number() { json!(99) } else { json!("another") };
            data.insert(name.clone(), other);
            variants.push((name.clone(), Self { data, ..self.clone() }));
        }
        variants
    }

    fn insertion(&self) -> String {
        let Self { kind, thread, principal, data } = self;
        let data = Value::from(data.clone());
        format!(
            "INSERT INTO events (thread_id, type, principal, data, hash)
            VALUES ('{thread}', '{kind}', '{principal}', '{data}', '{LS}')"
        )
    }
}

/// Returns the data members of a type, besides the call id.
fn members(kind: EventType) -> Value {
    match kind {
        EventType::ApprovalVote => json!({"round": 1, "decision": "deny"}),
        EventType::ApprovalAdvice => json!({"advisor": "judge", "advice": "allow"}),
        EventType::ExecutionStarted => json!({"executor": "w", "leaseExpiresAt": "2026-01-31T12:15:00.000Z"}),
        EventType::ExecutionRenewed => json!({"leaseExpiresAt": "2026-01-31T12:30:00.000Z"}),
        EventType::ExecutionReleased => json!({"claim": 4, "comment": "lost"}),
        EventType::ExecutionTakenOver => json!({"claim": 4, "leaseExpiresAt": "2026-01-31T12:45:00.000Z"}),
        EventType::GrantRevoked => json!({"grant": 3}),
        EventType::GrantEnded => json!({"grant": 3, "limit": "time"}),
        EventType::GrantUsed => json!({"grant": 3, "use": 1}),
        EventType::PushDeviceSet | EventType::PushDeviceRemoved => json!({"device": "d1", "reason": "lost"}),
        EventType::ChatAccountLinked | EventType::ChatAccountUnlinked => {
            json!({"webhook": 2, "account": "a"})
        }
        EventType::DelegationSet => json!({"to": "user:ben", "until": "2026-02-28T12:00:00.000Z"}),
        EventType::DelegationEnded => json!({"delegation": 2}),
        EventType::TokenUsed => json!({"id": "t1", "address": "unix"}),
        kind => match kind.group() {
            Some(EventGroup::Access) => json!({"id": "t1", "reason": "lost"}),
            Some(EventGroup::Definition) => json!({"tool": "bash", "definitionHash": LS}),
            Some(EventGroup::Webhook) => json!({"webhook": 2}),
            Some(EventGroup::Advisor) => json!({"advisor": "judge"}),
            Some(EventGroup::Conversation) => json!({"position": 0, "contentHash": LS}),
            Some(EventGroup::Call | EventGroup::Thread | EventGroup::Policy) | None => {
                json!({"comment": "x"})
            }
        },
    }
}

/// Returns true if a row may differ from another row with its type in this part alone.
fn may_repeat_with_another(part: &str, kind: EventType) -> bool {
    let unique = kind.unique_members();
    let part = if part == "thread" { "threadId" } else { part };
    unique.is_empty() || unique.contains(&part) || (part == "threadId" && kind.is_about_a_call())
}

/// Inserts two rows in a transaction that is rolled back. Returns the database's complaint, if it has any.
async fn insert_both(connection: &mut SqlConnection, first: &TypedRow, second: &TypedRow) -> Option<String> {
    connection.run("BEGIN").await.expect("begins");
    connection.run(&first.insertion()).await.expect("the first row is accepted");
    let complaint = connection.run(&second.insertion()).await.err();
    connection.run("ROLLBACK").await.expect("rolls back");
    complaint
}

async fn each_type_repeats_only_as_its_meaning_permits(world: &mut World) {
    let mut connection = world.sql_connection().await;
    for kind in EventType::ALL {
        let row = TypedRow::with_kind(*kind);
        for (part, repeated) in row.variants() {
            let complaint = insert_both(&mut connection, &row, &repeated).await;
            let repeats = may_repeat_with_another(&part, *kind);
            match complaint {
                None => assert!(repeats, "{kind} is accepted twice with another {part}"),
                Some(why) => {
                    assert!(!repeats, "{kind} with another {part}: {why}");
                    let indexes = ["calls_by_id", "events_by_call", "once_per_thread", "once_per_log"];
                    assert!(indexes.iter().any(|index| why.contains(index)), "{kind}: {why}");
                }
            }
        }
    }
    connection.close().await;
}
