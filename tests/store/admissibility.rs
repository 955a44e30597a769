//! `verify` names each row that violates the rules although the database accepts it.

use crate::guards::{numbered, write_history, write_special_calls};
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain};
use countersign_store::{EventFilter, Store, StoreOptions};
use countersign_tests::{LS, SqlConnection, in_world, open_file, statement};
use std::path::Path;

const ROWS: &str = include_str!("../fixtures/forbidden/rows.tsv");

/// Returns the file's rows: the expected fault, and the thread, type, principal and data.
fn rows() -> Vec<(String, [String; 4])> {
    let (_, rows) = ROWS.split_once("\n\n").expect("a head");
    let lines: Vec<_> = rows.lines().collect();
    let row = |case: &[&str]| {
        let fields: Vec<_> = case[1].split('\t').map(filled).collect();
        (case[0].trim_start_matches("# ").to_owned(), fields.try_into().expect("four fields"))
    };
    lines.chunks(2).map(row).collect()
}

fn filled(text: &str) -> String {
    text.replace("{HASH}", LS)
        .replace("{OTHER}", &"0".repeat(64))
        .replace("{LONG}", &"x".repeat(600))
        .replace("{LETTERS}", &"z".repeat(64))
        .replace("{ESCAPE}", "\u{1b}")
        .replace("{BREAK}", "\n")
        .replace("{HIDDEN}", "\u{200b}")
        .replace("{FOREIGN}", "\u{43e}")
}

/// Returns the statement that inserts the row with a valid hash.
fn forged(
    after: &[Event],
    [thread, kind, principal, data]: &[String; 4],
    now: countersign_events::Timestamp,
) -> String {
    let last = after.last().expect("a log");
    let (seq, link) = (last.seq + 1, last.hash.expect("sealed"));
    let event = |thread_id, kind, principal| Event {
        seq,
        thread_id,
        kind,
        timestamp: now,
        principal,
        data: Json::stored(data.clone()).expect("JSON"),
        hash: None,
    };
    if let (Ok(thread_id), Ok(kind), Ok(principal)) =
        (ThreadId::of_event(thread), EventType::of_event(kind), principal.parse::<Principal>())
    {
        let event = event(thread_id, kind, principal);
        let hash = Some(chain::link(link, &event));
        return statement(&Event { hash, ..event });
    }
    // An invalid name cannot be hashed. `verify` names the row before it checks its hash, so any hash will do.
    let names = (
        ThreadId::new("the thread").expect("valid"),
        EventType::Compaction,
        Principal::user("the-principal"),
    );
    let text = statement(&Event { hash: Some(Sha256::ZERO), ..event(names.0, names.1, names.2) });
    text.replace("the thread", thread).replace("COMPACTION", kind).replace("user:the-principal", principal)
}

/// Writes the row into a copy of the log and verifies the copy. Returns the fault that `verify` reports for the row, or that it counts
/// one more row than `unjudged` which it does not judge.
async fn verify_with(copy: &Path, sql: &str, seq: i64, unjudged: u64) -> Result<Option<String>, String> {
    let mut connection = SqlConnection::Sqlite(open_file(copy).await);
    connection.run(sql).await?;
    connection.close().await;
    let store =
        Store::open(copy.to_path_buf(), StoreOptions { create: false, ..StoreOptions::default() }).await;
    let store = store.map_err(|e| e.to_string())?;
    let report = store.verify(|_| {}).await;
    store.close().await;
    Ok(match report {
        Ok(report) if report.unjudged.concerned == unjudged + 1 => {
            Some("not judged, because a later version may know this word".to_owned())
        }
        Ok(report) => report.inadmissible.into_iter().find(|row| row.seq == seq).map(|row| row.reason),
        Err(error) => Some(error.to_string()).filter(|why| why.contains(&format!("event {seq} "))),
    })
}

#[test]
fn verify_names_each_forbidden_row() {
    in_world(async |world| {
        world.expects_inadmissible_rows();
        write_history(&world.agent("bot"), &world.person("ada")).await;
        write_special_calls(world.store(), world.sql_connection().await).await;
        let log = world.store().events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
        let seq = log.last().expect("a log").seq + 1;
        let unjudged = world.store().verify(|_| {}).await.expect("reads").unjudged.concerned;
        let (mut reported, mut unreported) = (Vec::new(), Vec::new());
        for (index, (fault, row)) in rows().into_iter().enumerate() {
            let row = row.map(|field| numbered(&field, &log));
            let copy = world.folder().join(format!("copy_{index}.db"));
            world.run_sql(&format!("VACUUM INTO '{}'", copy.display())).await.expect("copies");
            let sql = forged(&log, &row, world.now());
            match verify_with(&copy, &sql, seq, unjudged).await {
                Ok(Some(why)) => reported.push(format!("{fault}: {why}")),
                Ok(None) => unreported.push(format!("{fault}: not named")),
                Err(why) => unreported.push(format!("{fault}: the database says {why}")),
            }
            std::fs::remove_file(&copy).expect("removes");
        }
        assert!(unreported.is_empty(), "{unreported:#?} but {reported:#?}");
        insta::assert_snapshot!(reported.join("\n"));
    });
}

/// Only the unique index keeps the id of a call from being used again after the call has ended, when the check no longer
/// knows it.
#[test]
fn repeated_id_of_an_ended_call_is_named() {
    in_world(async |world| {
        world.expects_inadmissible_rows();
        write_history(&world.agent("bot"), &world.person("ada")).await;
        let log = world.store().events(&EventFilter::default(), 0, usize::MAX).await.expect("reads").items;
        let ended = log.iter().find(|event| event.kind == EventType::ToolResult).expect("a result");
        let members = ended.data.members().expect("an object");
        let (_, id) = members.into_iter().find(|(name, _)| name == "toolCallId").expect("names its call");
        let of_call = |event: &&Event| {
            event.kind == EventType::ToolCall
                && event.data.as_str().contains(&format!("\"id\":{}", id.as_str()))
        };
        let first = log.iter().find(of_call).expect("its call");
        let [thread, kind] = [first.thread_id.as_str(), first.kind.as_str()].map(str::to_owned);
        let row = [thread, kind, first.principal.to_string(), first.data.as_str().to_owned()];
        world.run_sql("DROP INDEX calls_by_id").await.expect("drops");
        world.run_sql(&forged(&log, &row, world.now())).await.expect("inserts");
        let report = world.store().verify(|_| {}).await.expect("reads");
        let named =
            report.inadmissible.iter().find(|row| row.reason.contains("has a call with this id already"));
        assert_eq!(named.map(|row| row.seq), log.last().map(|last| last.seq + 1), "{report:?}");
        assert!(!report.holds());
    });
}
