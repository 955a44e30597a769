//! The database enforces the log structure against every program: each forbidden statement is tried over a plain
//! connection.

use countersign_events::{Event, EventType};
use countersign_store::{DatabaseUrl, EventFilter, Store};
use countersign_tests::{
    Database, LS, Persona, Proposal, SqlConnection, World, append_sealed, code, in_world_on, on_each_database,
};
use std::time::Duration;

on_each_database! {
    forbidden_statements_are_refused_and_change_nothing,
    decisions_without_a_fault_pass,
    forbidden_row_rolls_back_its_whole_transaction,
}

const BOTH: &str = include_str!("../fixtures/forbidden/both.sql");

/// Returns a file's statements: the fault, the alternative error messages, and the statement.
fn forbidden_statements(file: &str) -> Vec<(String, Vec<String>, String)> {
    let (_, file) = file.split_once("\n\n").expect("a head");
    let lines: Vec<_> = file.lines().collect();
    let cases = lines.chunks(2).map(|case| {
        let (what, why) = case[0].trim_start_matches("-- ").split_once(": ").expect("what: why");
        let statement = case[1]
            .replace("{HASH}", LS)
            .replace("{OTHER}", &"0".repeat(64))
            .replace("{LONG}", &"x".repeat(600))
            .replace("{LETTERS}", &"z".repeat(64))
            .replace("{ESCAPE}", "\u{1b}")
            .replace("{BREAK}", "\n");
        (what.to_owned(), why.split(" | ").map(str::to_owned).collect(), statement)
    });
    cases.collect()
}

/// Writes the calls that the forbidden statements refer to. Thread `t` has a call in every state; thread `over` is
/// closed.
pub(crate) async fn write_history(bot: &Persona, ada: &Persona) {
    for id in ["pending", "allowed", "denied", "running", "finished", "granted", "lapsing"] {
        let expires_in = (id == "lapsing").then_some(Duration::from_mins(1));
        bot.proposes_to(id, Proposal { expires_in, ..Proposal::default() }).await.expect("asked");
    }
    ada.denies("denied").await.expect("denied");
    for id in ["allowed", "running", "finished"] {
        ada.allows(id).await.expect("allowed");
    }
    for id in ["running", "finished"] {
        bot.claims(id).await.expect("claimed");
    }
    bot.finishes("finished").await.expect("finished");
    ada.proposes("of_ada").await.expect("asked");
    let first = ada.allows_for_the_session("granted").await.expect("granted").events[0].seq;
    ada.revokes(first).await.expect("revoked");
    bot.proposes("second_grant").await.expect("asked");
    ada.allows_for_the_session("second_grant").await.expect("granted");
    bot.in_thread("over").proposes("allowed").await.expect("asked");
    ada.in_thread("over").allows("allowed").await.expect("allowed");
    ada.in_thread("over").closes().await.expect("closed");
}

/// Writes calls that need several approvers, and one without a request. No command of a persona creates them.
pub(crate) async fn write_special_calls(store: &Store, mut connection: SqlConnection) {
    for (id, more) in [
        ("several", r#","quorum":2"#),
        ("vetoed", r#","denials":2"#),
        ("levelled", r#","level":"admin""#),
        ("chosen", r#","approvers":[["user:cy"]]"#),
        ("raised", ""),
        ("unasked", ""),
    ] {
        let call =
            format!(r#"{{"id":"{id}","name":"bash","arguments":{{"command":"ls"}},"argumentsHash":"{LS}"}}"#);
        let request = format!(
            r#"{{"toolCallId":"{id}","reason":"x","options":["allow_once","deny"]{more},"policy":"{LS}"}}"#
        );
        append_sealed(store, &mut connection, "t", (EventType::ToolCall, "agent:bot", &call))
            .await
            .expect("proposed");
        if id != "unasked" {
            let request = (EventType::ApprovalRequest, "agent:bot", &*request);
            append_sealed(store, &mut connection, "t", request).await.expect("asked");
        }
    }
    for (kind, who, data) in [
        (EventType::ApprovalVote, "user:ada", r#"{"toolCallId":"several","decision":"allow_once"}"#),
        (EventType::ApprovalReminder, "system:expiry", r#"{"toolCallId":"raised"}"#),
        (EventType::ApprovalEscalated, "system:expiry", r#"{"toolCallId":"raised","level":"admin"}"#),
        (
            EventType::ToolCall,
            "agent:bot",
            r#"{"id":"pending","name":"bash","arguments":{"command":"ls"},"argumentsHash":"{HASH}"}"#,
        ),
    ] {
        let thread = if kind == EventType::ToolCall { "t3" } else { "t" };
        append_sealed(store, &mut connection, thread, (kind, who, data)).await.expect("the row is valid");
    }
    connection.close().await;
}

const INDEX: &str =
    "SELECT seq || ' ' || thread_id || ' ' || tool_call_id || ' ' || coalesce(due_at, '-') || ' ' || proposer
    FROM open_requests ORDER BY seq";

async fn log_and_index(store: &Store, connection: &mut SqlConnection) -> (Vec<Event>, Vec<String>) {
    let log = store.events(&EventFilter::default(), 0, usize::MAX).await.expect("the log reads").items;
    (log, connection.query_texts(INDEX).await.expect("the index reads"))
}

/// Tries every statement of the files. Each must be refused, change nothing and block no other writer.
async fn assert_all_refused(
    store: &Store,
    mut connection: SqlConnection,
    witness: &Persona,
    files: [&str; 2],
) {
    let (mut next, mut before) = (0, log_and_index(store, &mut connection).await);
    for (what, whys, statement) in files.into_iter().flat_map(forbidden_statements) {
        let statement = numbered(&statement, &before.0);
        let complaint = connection.run(&statement).await.expect_err(&what);
        assert!(whys.iter().any(|why| complaint.contains(why)), "{what}: {complaint}");
        // SQLite needs the rollback. PostgreSQL may have ended the transaction, so the rollback may fail.
        let _ = connection.run("ROLLBACK").await;
        assert_eq!(log_and_index(store, &mut connection).await, before, "{what}");
        next += 1;
        let next_write = witness.proposes(&format!("call_{next}")).await;
        assert_eq!(code(&next_write), "done", "after {what}");
        before = log_and_index(store, &mut connection).await;
    }
    connection.close().await;
    let report = store.verify(|_| {}).await.expect("the log reads");
    assert_eq!(
        (report.broken, report.index_holds, report.unsealed),
        (None, true, 0),
        "no statement left a row"
    );
}

async fn forbidden_statements_are_refused_and_change_nothing(world: &mut World) {
    world.expects_inadmissible_rows();
    let bot = world.agent("bot");
    write_history(&bot, &world.person("ada")).await;
    write_special_calls(world.store(), world.sql_connection().await).await;
    let own = match world.database() {
        Database::Sqlite => include_str!("../fixtures/forbidden/sqlite.sql"),
        Database::Postgres => include_str!("../fixtures/forbidden/postgres.sql"),
    };
    assert_all_refused(world.store(), world.sql_connection().await, &bot.in_thread("witness"), [BOTH, own])
        .await;
}

/// Uses the roles of `packaging/postgres/roles.sql`, with a log in another schema than the world's own. The
/// application's role can do all its work and nothing else.
#[test]
fn application_role_can_only_do_its_work() {
    in_world_on(Database::Postgres, async |world| {
        let roles_script = include_str!("../../packaging/postgres/roles.sql");
        let url_of = |world: &mut World, role| world.server().url_as(role, "postgres");
        world.run_shell(roles_script).await.expect("roles are made");
        let owner = DatabaseUrl::parse(&url_of(world, "countersign_owner")).expect("the address is valid");
        Store::open(owner, world.options()).await.expect("the owner migrates").close().await;
        world.run_shell(roles_script).await.expect("rights are given");

        let url = url_of(world, "countersign_app");
        let address = DatabaseUrl::parse(&url).expect("the address is valid");
        let store = Store::open(address, world.options()).await.expect("the application opens the log");
        let bot = world.agent("bot").at(&store);
        write_history(&bot, &world.person("ada").at(&store)).await;
        write_special_calls(&store, SqlConnection::open(&url).await).await;
        store.probe().await.expect("the role may run the probe");
        let direct_insert = "INSERT INTO decisions VALUES ('t', 'lapsing', 'deny', 'user:bo', NULL)";
        assert!(
            SqlConnection::open(&url)
                .await
                .run(direct_insert)
                .await
                .expect_err("late")
                .contains("the time to decide is over")
        );
        let application = include_str!("../fixtures/forbidden/application.sql");
        assert_all_refused(
            &store,
            SqlConnection::open(&url).await,
            &bot.in_thread("witness"),
            [BOTH, application],
        )
        .await;
        assert!(world.log().await.is_empty(), "the log in the other schema is unchanged");
        store.close().await;
    });
}

/// Replaces a statement's placeholders with the `seq` of the events that they refer to.
pub(crate) fn numbered(statement: &str, log: &[Event]) -> String {
    let of = |kind: EventType, call: &str| {
        let data = |event: &Event| event.data.read::<serde_json::Value>().expect("JSON");
        let found = log.iter().find(|e| e.kind == kind && data(e)["toolCallId"] == call);
        found.expect("the log contains the event").seq
    };
    let revoked = of(EventType::ApprovalResponse, "granted");
    statement
        .replace("{GRANT}", &revoked.to_string())
        .replace("{ALLOWED}", &of(EventType::ApprovalResponse, "allowed").to_string())
        .replace("{CLAIM}", &of(EventType::ExecutionStarted, "running").to_string())
        .replace("{ENDED}", &of(EventType::ExecutionStarted, "finished").to_string())
}

/// Decisions without a fault are accepted. Otherwise refusing the forbidden decisions would not show that the
/// fault is the reason.
async fn decisions_without_a_fault_pass(world: &mut World) {
    write_history(&world.agent("bot"), &world.person("ada")).await;
    for (id, decision) in [("pending", "allow_session"), ("of_ada", "deny")] {
        let sql =
            format!("INSERT INTO decisions VALUES ('t', '{id}', '{decision}', 'user:bo', 'looked at it')");
        world.run_sql(&sql).await.unwrap_or_else(|why| panic!("{sql}: {why}"));
    }
    let report = world.verify().await;
    assert_eq!((report.holds(), report.unsealed), (true, 3), "{report:?}");
}

/// A guard rolls back the whole transaction, including the rows before the forbidden one.
async fn forbidden_row_rolls_back_its_whole_transaction(world: &mut World) {
    world.agent("bot").proposes("call_1").await.expect("asked");
    let mut connection = world.sql_connection().await;
    let script = "BEGIN;
        INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', NULL);
        DELETE FROM events;
        COMMIT";
    connection.run(script).await.expect_err("events are never deleted");
    let left = connection.run("COMMIT").await;
    match world.database() {
        Database::Sqlite => {
            let why = left.expect_err("there is no transaction left");
            assert!(why.contains("no transaction is active"), "{why}");
        }
        Database::Postgres => left.expect("a failed transaction is rolled back by its COMMIT"),
    }
    assert_eq!(world.log().await.len(), 2);
    let next_write = "INSERT INTO decisions VALUES ('t', 'call_1', 'allow_once', 'user:ada', NULL)";
    connection.run(next_write).await.expect("the next transaction succeeds");
    connection.close().await;
    assert_eq!(world.log().await.len(), 3);
}
