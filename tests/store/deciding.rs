//! Decisions in the database: votes, remembered decisions, takeovers and due requests. The rows are sealed like
//! those of a process, and only the guards judge them.

use countersign_events::{CallId, EventType, Timestamp};
use countersign_store::queries;
use countersign_tests::{Database, LS, Random, SqlConnection, World, append_sealed, on_each_database};
use std::time::Duration;

on_each_database! {
    quorum_counts_only_the_last_round,
    denial_quorum_needs_its_votes_and_allowances_none,
    vote_counts_once_in_a_round,
    unused_approval_answers_for_one_call_at_once,
    remembered_denial_answers_until_it_is_revoked,
    grant_answers_only_for_its_own_tool,
    claim_changes_its_executor_once,
    request_is_due_for_its_next_step,
    due_index_equals_the_events,
    thread_is_loaded_with_its_remembered_decisions,
}

/// A writer of sealed rows in thread `t`.
struct Scribe<'a> {
    world: &'a World,
    connection: SqlConnection,
}

impl<'a> Scribe<'a> {
    async fn of(world: &'a World) -> Self {
        Self { world, connection: world.sql_connection().await }
    }

    async fn writes(&mut self, kind: EventType, principal: &str, data: &str) -> Result<i64, String> {
        append_sealed(self.world.store(), &mut self.connection, "t", (kind, principal, data)).await
    }

    /// A pending call of `bash`, with more fields of its request.
    async fn is_asked(&mut self, id: &str, more: &str) {
        let call = format!(
            r#"{{"id":"{id}","name":"bash","arguments":{{"command":"ls"}},"argumentsHash":"{{HASH}}"}}"#
        );
        self.writes(EventType::ToolCall, "agent:bot", &call).await.expect("proposed");
        let request = format!(
            r#"{{"toolCallId":"{id}","reason":"x","options":["allow_once","deny"]{more},"policy":"{{HASH}}"}}"#
        );
        self.writes(EventType::ApprovalRequest, "agent:bot", &request).await.expect("asked");
    }

    async fn votes(&mut self, who: &str, id: &str, decision: &str, round: u32) -> Result<i64, String> {
        let vote = format!(r#"{{"toolCallId":"{id}","decision":"{decision}","round":{round}}}"#);
        self.writes(EventType::ApprovalVote, &format!("user:{who}"), &vote).await
    }

    async fn responds(&mut self, id: &str, decision: &str, more: &str) -> Result<i64, String> {
        let response = format!(
            r#"{{"toolCallId":"{id}","decision":"{decision}","source":"approver"{more},"argumentsHash":"{{HASH}}"}}"#
        );
        self.writes(EventType::ApprovalResponse, "user:ada", &response).await
    }

    /// The decision at `grant` answers for that call.
    async fn answers(&mut self, id: &str, decision: &str, grant: i64, more: &str) -> Result<i64, String> {
        let response = format!(
            r#"{{"toolCallId":"{id}","decision":"{decision}","source":"grant","grant":{grant}{more},"argumentsHash":"{{HASH}}"}}"#
        );
        self.writes(EventType::ApprovalResponse, "user:ada", &response).await
    }

    async fn about(&mut self, kind: EventType, principal: &str, id: &str, more: &str) -> Result<i64, String> {
        self.writes(kind, principal, &format!(r#"{{"toolCallId":"{id}"{more}}}"#)).await
    }
}

fn refused(outcome: Result<i64, String>, why: &str) {
    let complaint = outcome.expect_err(why);
    assert!(complaint.contains(why), "{why}: {complaint}");
}

const MORE_VOTES: &str = "this decision takes the votes of more people";

async fn quorum_counts_only_the_last_round(world: &mut World) {
    let mut scribe = Scribe::of(world).await;
    scribe.is_asked("call_1", r#","quorum":2"#).await;
    refused(scribe.responds("call_1", "allow_once", "").await, MORE_VOTES);
    scribe.votes("ada", "call_1", "allow_once", 0).await.expect("one");
    refused(scribe.responds("call_1", "allow_once", "").await, MORE_VOTES);
    scribe.votes("bo", "call_1", "deny", 0).await.expect("another, which is none for it");
    refused(scribe.responds("call_1", "allow_once", "").await, MORE_VOTES);
    scribe.votes("cy", "call_1", "allow_session", 1).await.expect("a new round");
    scribe.votes("di", "call_1", "allow_once", 0).await.expect("late, in the old one");
    refused(scribe.responds("call_1", "allow_once", "").await, MORE_VOTES);
    scribe.votes("ada", "call_1", "allow_once", 1).await.expect("once more, in the new one");
    scribe.responds("call_1", "allow_once", "").await.expect("two of the last round");
}

async fn denial_quorum_needs_its_votes_and_allowances_none(world: &mut World) {
    let mut scribe = Scribe::of(world).await;
    scribe.is_asked("call_1", r#","denials":2"#).await;
    refused(scribe.responds("call_1", "deny", "").await, MORE_VOTES);
    scribe.votes("ada", "call_1", "deny", 0).await.expect("one");
    refused(scribe.responds("call_1", "deny", "").await, MORE_VOTES);
    scribe.votes("bo", "call_1", "deny", 0).await.expect("two");
    scribe.responds("call_1", "deny", "").await.expect("enough");
    scribe.is_asked("call_2", r#","denials":2"#).await;
    scribe.responds("call_2", "allow_once", "").await.expect("one may allow it");
    scribe.is_asked("call_3", r#","quorum":2"#).await;
    refused(scribe.responds("call_3", "deny", "").await, MORE_VOTES);
    scribe.votes("ada", "call_3", "deny", 0).await.expect("one");
    scribe.responds("call_3", "deny", "").await.expect("one may deny it, by a vote");
}

async fn vote_counts_once_in_a_round(world: &mut World) {
    let mut scribe = Scribe::of(world).await;
    scribe.is_asked("call_1", r#","quorum":2"#).await;
    scribe.votes("ada", "call_1", "allow_once", 0).await.expect("once");
    refused(scribe.votes("ada", "call_1", "deny", 0).await, "has an event of this type already");
    let unnumbered = r#","decision":"deny""#;
    let again = scribe.about(EventType::ApprovalVote, "user:ada", "call_1", unnumbered).await;
    refused(again, "has an event of this type already");
    let given = format!(r#","decision":"deny","round":1,"argumentsHash":"{LS}""#);
    scribe.about(EventType::ApprovalVote, "user:ada", "call_1", &given).await.expect("another round");
    scribe.votes("bo", "call_1", "deny", 1).await.expect("somebody else");
}

const MOVES: &str = r#","match":"once""#;

async fn unused_approval_answers_for_one_call_at_once(world: &mut World) {
    const USED: &str = "that approval is used, or of another call";
    let bot = world.agent("bot");
    let mut scribe = Scribe::of(world).await;
    for id in ["call_1", "call_2", "call_3", "call_4"] {
        bot.proposes(id).await.expect("asked");
    }
    let approval = scribe.responds("call_1", "allow_once", "").await.expect("allowed");
    refused(scribe.answers("call_2", "allow_once", approval, MOVES).await, USED);
    bot.cancels("call_1").await.expect("withdrawn");
    let unmoved = scribe.answers("call_2", "allow_once", approval, "").await;
    refused(unmoved, "nobody decided that beforehand in this thread");
    let widened = scribe.answers("call_2", "allow_session", approval, MOVES).await;
    refused(widened, "nobody decided that beforehand in this thread");
    scribe.answers("call_2", "allow_once", approval, MOVES).await.expect("it moves");
    refused(scribe.answers("call_3", "allow_once", approval, MOVES).await, USED);
    bot.cancels("call_2").await.expect("withdrawn");
    scribe.answers("call_3", "allow_once", approval, MOVES).await.expect("it moves on");
    bot.claims("call_3").await.expect("claimed");
    bot.finishes("call_3").await.expect("finished");
    refused(scribe.answers("call_4", "allow_once", approval, MOVES).await, USED);

    bot.proposes("call_5").await.expect("asked");
    let used = scribe.responds("call_5", "allow_once", "").await.expect("allowed");
    bot.claims("call_5").await.expect("claimed");
    bot.finishes("call_5").await.expect("finished");
    refused(scribe.answers("call_4", "allow_once", used, MOVES).await, USED);
    other_arguments_are_another_call(world, scribe).await;
}

async fn other_arguments_are_another_call(world: &World, mut scribe: Scribe<'_>) {
    let bot = world.agent("bot");
    bot.proposes("call_6").await.expect("asked");
    let edited = format!(
        r#"{{"toolCallId":"call_6","decision":"allow_once","source":"approver","arguments":{{}},"argumentsHash":"{}"}}"#,
        "0".repeat(64)
    );
    let edited = scribe.writes(EventType::ApprovalResponse, "user:ada", &edited).await.expect("allowed");
    bot.cancels("call_6").await.expect("withdrawn");
    let moved = scribe.answers("call_4", "allow_once", edited, MOVES).await;
    refused(moved, "that approval is used, or of another call");
}

async fn remembered_denial_answers_until_it_is_revoked(world: &mut World) {
    let bot = world.agent("bot");
    let mut scribe = Scribe::of(world).await;
    for id in ["call_1", "call_2", "call_3", "call_4"] {
        bot.proposes(id).await.expect("asked");
    }
    let denial = scribe.responds("call_1", "deny", r#","match":"tool""#).await.expect("denied");
    let allowed = scribe.answers("call_2", "allow_once", denial, "").await;
    refused(allowed, "nobody decided that beforehand in this thread");
    let answer = scribe.answers("call_2", "deny", denial, "").await.expect("it answers");
    let borrowed = scribe.answers("call_3", "deny", answer, "").await;
    refused(borrowed, "nobody decided that beforehand in this thread");
    let revoked = format!(r#"{{"grant":{denial}}}"#);
    scribe.writes(EventType::GrantRevoked, "user:ada", &revoked).await.expect("revoked");
    refused(scribe.answers("call_3", "deny", denial, "").await, "the grant is revoked already");
    let plain = scribe.responds("call_4", "deny", "").await.expect("denied");
    let revoked = format!(r#"{{"grant":{plain}}}"#);
    let outcome = scribe.writes(EventType::GrantRevoked, "user:ada", &revoked).await;
    refused(outcome, "that seq gave no grant in this thread");
    scribe.answers("call_3", "deny", plain, "").await.expect("for a while it answers all the same");
}

async fn grant_answers_only_for_its_own_tool(world: &mut World) {
    let bot = world.agent("bot");
    let mut scribe = Scribe::of(world).await;
    bot.proposes("call_1").await.expect("asked");
    let grant = scribe.responds("call_1", "allow_session", "").await.expect("granted");
    let fetch = r#"{"id":"call_2","name":"fetch","arguments":{"command":"ls"},"argumentsHash":"{HASH}"}"#;
    scribe.writes(EventType::ToolCall, "agent:bot", fetch).await.expect("proposed");
    let answer = scribe.answers("call_2", "allow_once", grant, "").await;
    refused(answer, "nobody decided that beforehand in this thread");
    let bash = fetch.replace("fetch", "bash").replace("call_2", "call_3");
    scribe.writes(EventType::ToolCall, "agent:bot", &bash).await.expect("proposed");
    scribe.answers("call_3", "allow_once", grant, "").await.expect("it answers");
}

async fn claim_changes_its_executor_once(world: &mut World) {
    const LAST: &str = "that is not the last claim of this call";
    let bot = world.agent("bot");
    bot.proposes("call_1").await.expect("asked");
    world.person("ada").allows("call_1").await.expect("allowed");
    let first = bot.claims("call_1").await.expect("claimed").events[0].seq;
    let mut scribe = Scribe::of(world).await;
    let claim = |seq: i64| format!(r#","claim":{seq}"#);
    let taken = |seq: i64| format!(r#","claim":{seq},"executor":"w2","argumentsHash":"{LS}""#);
    let (released, taken_over) = (EventType::ExecutionReleased, EventType::ExecutionTakenOver);

    refused(scribe.about(released, "user:ada", "call_1", &claim(first - 1)).await, LAST);
    scribe.about(released, "user:ada", "call_1", &claim(first)).await.expect("let go");
    let again = scribe.about(released, "user:bo", "call_1", &claim(first)).await;
    refused(again, "has an event of this type already");
    let second = scribe.about(taken_over, "agent:w2", "call_1", &taken(first)).await.expect("taken over");
    let again = scribe.about(taken_over, "agent:w3", "call_1", &taken(first)).await;
    refused(again, "has an event of this type already");
    let started = format!(r#","executor":"w3","argumentsHash":"{LS}""#);
    let again = scribe.about(EventType::ExecutionStarted, "agent:w3", "call_1", &started).await;
    refused(again, "has an event of this type already");
    scribe.about(released, "user:ada", "call_1", &claim(second)).await.expect("that one too");
    scribe.about(taken_over, "agent:w3", "call_1", &taken(second)).await.expect("taken over again");
    let ended = r#","status":"success","content":"ok""#;
    let third = scribe.about(EventType::ToolResult, "agent:w3", "call_1", ended).await.expect("ended") - 1;
    let late = scribe.about(released, "user:ada", "call_1", &claim(third)).await;
    refused(late, "the call has ended already");
    let late = scribe.about(taken_over, "agent:w4", "call_1", &taken(third)).await;
    refused(late, "the call has ended already");
}

/// The next due time, in minutes from the beginning, from the index as kept and as rebuilt.
async fn due_in(world: &World, beginning: Timestamp) -> Option<u64> {
    assert!(world.verify().await.index_holds);
    let kept = world.store().next_due().await.expect("reads");
    world.store().rebuild_index().await.expect("made anew");
    assert_eq!(world.store().next_due().await, Ok(kept));
    kept.map(|moment| moment.since(beginning).as_secs() / 60)
}

async fn request_is_due_for_its_next_step(world: &mut World) {
    let beginning = world.now();
    let at = |minutes: u64| beginning.after(Duration::from_mins(minutes));
    let mut scribe = Scribe::of(world).await;
    for order in [["remind", "escalate"], ["escalate", "remind"]] {
        let id = format!("{}_first", order[0]);
        let (first, second) = (at(1), at(2));
        let more = format!(
            r#","{}At":"{first}","{}At":"{second}","escalateTo":"admin","expiresAt":"{}""#,
            order[0],
            order[1],
            at(5)
        );
        scribe.is_asked(&id, &more).await;
        assert_eq!(due_in(world, beginning).await, Some(1));
        let due = world.store().due(first, 10).await.expect("reads");
        let id = CallId::new(&id).expect("valid");
        assert_eq!(due.iter().map(|(_, id)| id).collect::<Vec<_>>(), [&id]);
        for (step, next) in order.iter().zip([2, 5]) {
            let (kind, more) = match *step {
                "remind" => (EventType::ApprovalReminder, ""),
                _ => (EventType::ApprovalEscalated, r#","level":"admin""#),
            };
            scribe.about(kind, "system:expiry", id.as_str(), more).await.expect("it happens");
            let again = scribe.about(kind, "system:expiry", id.as_str(), more).await;
            refused(again, "has an event of this type already");
            assert_eq!(due_in(world, beginning).await, Some(next), "{id} after {step}");
        }
        scribe.responds(id.as_str(), "allow_once", "").await.expect("allowed");
        assert_eq!(due_in(world, beginning).await, None);
    }
}

/// A random history of requests with reminders, escalations and answers. Half of the steps are refused; the
/// others make the history.
async fn due_index_equals_the_events(world: &mut World) {
    let mut chance = Random::seeded(11);
    let mut scribe = Scribe::of(world).await;
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
                scribe.is_asked(&format!("call_{asked}"), &more).await;
                asked += 1;
                continue;
            }
            2..4 => scribe.about(EventType::ApprovalReminder, "system:expiry", &id, "").await,
            4..6 => {
                let level = r#","level":"admin""#;
                scribe.about(EventType::ApprovalEscalated, "system:expiry", &id, level).await
            }
            6 => scribe.responds(&id, "allow_once", "").await,
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
    assert!(asked > 20 && written > 20, "the history was one: {asked} asked, {written} more");
}

/// The calls that the writer's query loads for a thread, with the decisions since `since`.
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
    let given = ["'[]'", r#"'["t"]'"#, "'[]'", "FALSE", &since, &everywhere, &alike];
    let filled =
        (1..).zip(given).fold(load.to_owned(), |sql, (n, value)| sql.replace(&format!("${n}"), value));
    let rows = match world.database() {
        Database::Sqlite => format!("{rows} WHERE value ->> 3 = 'TOOL_CALL' ORDER BY value ->> 1"),
        Database::Postgres => format!("{rows} WHERE value ->> 3 = 'TOOL_CALL' ORDER BY (value ->> 1)::int"),
    };
    let sql = format!("WITH loaded (rows) AS ({filled}) SELECT value ->> 6 FROM loaded, {rows}");
    let calls = connection.query_texts(&sql).await.expect("it answers");
    let id = |call: &String| serde_json::from_str::<serde_json::Value>(call).expect("JSON")["id"].clone();
    calls.iter().map(|call| id(call).as_str().expect("text").to_owned()).collect()
}

async fn thread_is_loaded_with_its_remembered_decisions(world: &mut World) {
    let (bot, ada) = (world.agent("bot"), world.person("ada"));
    let mut scribe = Scribe::of(world).await;
    for id in ["granted", "denied", "refused", "old", "new", "waiting"] {
        bot.proposes(id).await.expect("asked");
    }
    bot.in_thread("t2").proposes("elsewhere").await.expect("asked");
    ada.allows_for_the_session("granted").await.expect("granted");
    scribe.responds("denied", "deny", r#","match":"exact""#).await.expect("denied");
    scribe.responds("refused", "deny", "").await.expect("denied");
    let old = scribe.responds("old", "allow_once", "").await.expect("allowed");
    bot.cancels("old").await.expect("withdrawn");
    world.clock().advance(Duration::from_mins(10));
    scribe.answers("new", "allow_once", old, MOVES).await.expect("it moves");
    let (now, mut connection) = (world.now(), world.sql_connection().await);
    let before = Timestamp::from_millis(now.as_millis() - 600_000);
    assert_eq!(loaded(world, &mut connection, now, false).await, ["granted", "denied", "new"]);
    assert_eq!(
        loaded(world, &mut connection, before, false).await,
        ["granted", "denied", "refused", "old", "new"],
        "whatever was decided since"
    );
    assert_eq!(
        loaded(world, &mut connection, now, true).await,
        ["granted", "denied", "new", "waiting", "elsewhere"],
        "and all that wait"
    );
    connection.close().await;
}
