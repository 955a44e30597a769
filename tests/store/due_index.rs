//! The due times in the table of open requests, and the calls that the writer loads for a thread's grants. The tests
//! write rows with a valid hash by SQL, because no command writes these events in this order.

use countersign_events::{CallId, EventType, Timestamp};
use countersign_store::queries;
use countersign_tests::{Database, LS, Random, SqlConnection, World, append_sealed, on_each_database};
use std::time::Duration;

on_each_database! {
    request_is_due_for_its_next_step,
    due_index_equals_the_events,
    grants_are_loaded_with_their_thread,
}

/// Writes rows with a valid hash into thread `t`.
struct RowScribe<'a> {
    world: &'a World,
    connection: SqlConnection,
}

impl<'a> RowScribe<'a> {
    async fn open(world: &'a World) -> Self {
        Self { world, connection: world.sql_connection().await }
    }

    async fn write_event(&mut self, kind: EventType, principal: &str, data: &str) -> Result<i64, String> {
        append_sealed(self.world.store(), &mut self.connection, "t", (kind, principal, data)).await
    }

    /// Writes a pending call of `bash`. `more` contains more fields of its request.
    async fn write_pending_call(&mut self, id: &str, more: &str) {
        let call = format!(
            r#"{{"id":"{id}","name":"bash","arguments":{{"command":"ls"}},"argumentsHash":"{{HASH}}"}}"#
        );
        self.write_event(EventType::ToolCall, "agent:bot", &call).await.expect("proposed");
        let request = format!(
            r#"{{"toolCallId":"{id}","reason":"x","options":["allow_once","deny"]{more},"policy":"{{HASH}}"}}"#
        );
        self.write_event(EventType::ApprovalRequest, "agent:bot", &request).await.expect("asked");
    }

    async fn write_response(&mut self, id: &str, decision: &str, more: &str) -> Result<i64, String> {
        let response = format!(
            r#"{{"toolCallId":"{id}","decision":"{decision}","source":"approver"{more},"argumentsHash":"{{HASH}}"}}"#
        );
        self.write_event(EventType::ApprovalResponse, "user:ada", &response).await
    }

    /// Writes the response to a call by the grant with `seq` = `grant`.
    async fn write_response_by_grant(
        &mut self,
        id: &str,
        decision: &str,
        grant: i64,
        more: &str,
    ) -> Result<i64, String> {
        let response = format!(
            r#"{{"toolCallId":"{id}","decision":"{decision}","source":"grant","grant":{grant}{more},"argumentsHash":"{{HASH}}"}}"#
        );
        self.write_event(EventType::ApprovalResponse, "user:ada", &response).await
    }

    async fn write_call_event(
        &mut self,
        kind: EventType,
        principal: &str,
        id: &str,
        more: &str,
    ) -> Result<i64, String> {
        self.write_event(kind, principal, &format!(r#"{{"toolCallId":"{id}"{more}}}"#)).await
    }
}

const MOVES: &str = r#","scope":"once""#;

/// Returns the next due time in minutes after `beginning`. It must be the same in the maintained table and in a rebuilt
/// one.
async fn due_in(world: &World, beginning: Timestamp) -> Option<u64> {
    assert!(world.verify().await.index_holds);
    let kept = world.store().next_due().await.expect("reads");
    world.store().rebuild_index().await.expect("the table is rebuilt");
    assert_eq!(world.store().next_due().await, Ok(kept));
    kept.map(|moment| moment.since(beginning).as_secs() / 60)
}

async fn request_is_due_for_its_next_step(world: &mut World) {
    world.expects_inadmissible_rows();
    let beginning = world.now();
    let at = |minutes: u64| beginning.after(Duration::from_mins(minutes));
    let mut scribe = RowScribe::open(world).await;
    for order in [["remind", "escalate"], ["escalate", "remind"]] {
        let id = format!("{}_first", order[0]);
        let (first, second) = (at(1), at(2));
        let more = format!(
            r#","{}At":"{first}","{}At":"{second}","escalateTo":"admin","expiresAt":"{}""#,
            order[0],
            order[1],
            at(5)
        );
        scribe.write_pending_call(&id, &more).await;
        assert_eq!(due_in(world, beginning).await, Some(1));
        let due = world.store().due(first, 10).await.expect("reads");
        let id = CallId::new(&id).expect("valid");
        assert_eq!(due.iter().map(|(_, id)| id).collect::<Vec<_>>(), [&id]);
        for (step, next) in order.iter().zip([2, 5]) {
            let (kind, more) = match *step {
                "remind" => (EventType::ApprovalReminder, ""),
                _ => (EventType::ApprovalEscalated, r#","level":"admin""#),
            };
            scribe
                .write_call_event(kind, "system:expiry", id.as_str(), more)
                .await
                .expect("the event is accepted");
            let again = scribe.write_call_event(kind, "system:expiry", id.as_str(), more).await;
            again.expect_err("a repetition is refused");
            assert_eq!(due_in(world, beginning).await, Some(next), "{id} after {step}");
        }
        scribe.write_response(id.as_str(), "allow_once", "").await.expect("allowed");
        assert_eq!(due_in(world, beginning).await, None);
    }
}

/// Writes a random history of requests, reminders, escalations and decisions. The database refuses about half of the
/// steps, because their order is invalid.
async fn due_index_equals_the_events(world: &mut World) {
    world.expects_inadmissible_rows();
    let mut chance = Random::seeded(11);
    let mut scribe = RowScribe::open(world).await;
    let (mut asked, mut written) = (0, 0);
    for step in 0..160 {
        let id = format!("call_{}", chance.below(asked.max(1)));
        let outcome = match chance.below(8) {
            0 | 1 => {
                let mut at = |name: &str| {
                    let moment = world.now().after(Duration::from_secs(step % 7));
                    if chance.below(3) == 0 { String::new() } else { format!(r#","{name}At":"{moment}""#) }
                };
                let more = [at("remind"), at("escalate"), at("expires")].concat();
                scribe.write_pending_call(&format!("call_{asked}"), &more).await;
                asked += 1;
                continue;
            }
            2..4 => scribe.write_call_event(EventType::ApprovalReminder, "system:expiry", &id, "").await,
            4..6 => {
                let level = r#","level":"admin""#;
                scribe.write_call_event(EventType::ApprovalEscalated, "system:expiry", &id, level).await
            }
            6 => scribe.write_response(&id, "allow_once", "").await,
            _ => {
                world.clock().advance(Duration::from_secs(1));
                continue;
            }
        };
        written += i32::from(outcome.is_ok());
        if step % 4 == 0 {
            assert!(world.verify().await.index_holds, "after step {step}");
        }
    }
    assert!(world.verify().await.index_holds);
    assert!(asked > 20 && written > 20, "the history is too short: {asked} requests, {written} other events");
}

/// Returns the call ids that the writer's query loads for thread `t`, with remembered decisions since `since`.
async fn loaded(
    world: &World,
    connection: &mut SqlConnection,
    since: Timestamp,
    everywhere: bool,
) -> Vec<String> {
    let (load, rows) = match world.database() {
        Database::Sqlite => (queries::sqlite::LOAD, "json_each(loaded.rows) row"),
        Database::Postgres => (queries::postgres::LOAD, "json_array_elements(loaded.rows::json) row"),
    };
    let (since, everywhere) = (format!("'{since}'"), everywhere.to_string());
    let alike = format!(r#"'[["t", "{LS}"]]'"#);
    let parameters = [
        "'[]'",
        r#"'["t"]'"#,
        "'[]'",
        "FALSE",
        &since,
        &everywhere,
        &alike,
        "'[]'",
        "'[]'",
        "FALSE",
        "'[]'",
        "'[]'",
    ];
    let filled = (0..parameters.len())
        .zip(parameters)
        .rev()
        .fold(load.to_owned(), |sql, (n, value)| sql.replace(&format!("${}", n + 1), value));
    let rows = match world.database() {
        Database::Sqlite => format!("{rows} WHERE value ->> 3 = 'TOOL_CALL' ORDER BY value ->> 1"),
        Database::Postgres => format!("{rows} WHERE value ->> 3 = 'TOOL_CALL' ORDER BY (value ->> 1)::int"),
    };
    let sql = format!("WITH loaded (rows) AS ({filled}) SELECT value ->> 6 FROM loaded, {rows}");
    let calls = connection.query_texts(&sql).await.expect("the server answers");
    let id = |call: &String| serde_json::from_str::<serde_json::Value>(call).expect("JSON")["id"].clone();
    calls.iter().map(|call| id(call).as_str().expect("text").to_owned()).collect()
}

async fn grants_are_loaded_with_their_thread(world: &mut World) {
    world.expects_inadmissible_rows();
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let mut scribe = RowScribe::open(world).await;
    for id in ["granted", "denied", "refused", "old", "new", "waiting"] {
        bot.proposes(id).await.expect("asked");
    }
    bot.in_thread("t2").proposes("elsewhere").await.expect("asked");
    ada.allows_for_the_session("granted").await.expect("granted");
    scribe.write_response("denied", "deny", r#","scope":"exact""#).await.expect("denied");
    scribe.write_response("refused", "deny", "").await.expect("denied");
    let old = scribe.write_response("old", "allow_once", "").await.expect("allowed");
    bot.cancels("old").await.expect("withdrawn");
    world.clock().advance(Duration::from_mins(10));
    scribe.write_response_by_grant("new", "allow_once", old, MOVES).await.expect("the grant moves");
    let (now, mut connection) = (world.now(), world.sql_connection().await);
    let before = Timestamp::from_millis(now.as_millis() - 600_000);
    assert_eq!(loaded(world, &mut connection, now, false).await, ["granted", "denied", "new"]);
    assert_eq!(
        loaded(world, &mut connection, before, false).await,
        ["granted", "denied", "refused", "old", "new"],
        "the decisions since then"
    );
    assert_eq!(
        loaded(world, &mut connection, now, true).await,
        ["granted", "denied", "new", "waiting", "elsewhere"],
        "all pending calls"
    );
    connection.close().await;
}
