//! Attacks on the log by the owner of its file, each by name: `countersign verify` and `docs/verify_log.py` find and locate
//! each. The owner removes the triggers before.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use countersign_events::{Event, EventType, Json, Principal, Sha256, ThreadId, chain};
use countersign_tests::{LS, messages, statement};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_log.py");

/// The number of events in the log.
const EVENTS: i64 = 12;

/// An attack and what finds it.
struct LogAttack {
    name: &'static str,
    statements: String,
    /// What `countersign verify` says, with the tip that was noted before the attack if `noted` is true.
    found: &'static str,
    noted: bool,
    /// What the script says; `None` if it cannot find the attack, because it does not know the rules.
    script: Option<&'static str>,
}

/// Writes a log with calls that were denied, allowed and run, and its copy `whole.db`. Returns its tip.
async fn write_history(desk: &TerminalDesk) -> String {
    desk.propose_here("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
    desk.types("allow call_1 --session tool --any-agent --as user:ada").await;
    desk.propose("t2", "call_2", "bash", r#"{"command":"ls"}"#).await;
    desk.types("run --thread t1 -- true").await;
    desk.propose("t2", "call_3", "bash", r#"{"command":"ls"}"#).await;
    desk.types("backup whole.db").await;
    let found = desk.run_program(COUNTERSIGN, &["verify", "--json"]).await;
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["events"], EVENTS);
    found["checkpoint"].as_str().expect("a checkpoint").to_owned()
}

/// The link at a log event.
async fn link_at(desk: &TerminalDesk, seq: i64) -> Sha256 {
    let query = format!("SELECT hash FROM events WHERE seq = {seq}");
    let hash = desk.run_program("sqlite3", &["whole.db", &query]).await;
    Sha256::from_hex(hash.trim()).expect("a hash")
}

/// A row with a valid hash at the log's end, in which an agent allows its own call.
async fn forged_approval(desk: &TerminalDesk) -> String {
    let data = format!(
        r#"{{"toolCallId":"call_3","decision":"allow_once","source":"approver","argumentsHash":"{LS}"}}"#
    );
    let mut event = Event {
        seq: EVENTS + 1,
        thread_id: ThreadId::new("t2").expect("valid"),
        kind: EventType::ApprovalResponse,
        // Before the request expires, so that only the author is wrong.
        timestamp: countersign_store::Clock::System.now(),
        principal: Principal::agent("eve"),
        data: Json::parse(&data).expect("JSON"),
        hash: None,
    };
    event.hash = Some(chain::link(link_at(desk, EVENTS).await, &event));
    statement(&event)
}

async fn attacks(desk: &TerminalDesk) -> Vec<LogAttack> {
    let room =
        "UPDATE events SET seq = seq + 1000 WHERE seq > 4; UPDATE events SET seq = seq - 999 WHERE seq > 4;";
    let attack = |name, statements: &str, found, script| {
        let (statements, noted) = (statements.to_owned(), false);
        LogAttack { name, statements, found, noted, script: Some(script) }
    };
    vec![
        LogAttack {
            noted: true,
            ..attack(
                "truncation",
                "DELETE FROM events WHERE seq > 9",
                "the log ends at event 9, before the checkpoint: it was replaced, or its end was removed",
                "event 10 is missing, but event 12 was noted: the end of the log was removed",
            )
        },
        attack(
            "a removed event",
            "DELETE FROM events WHERE seq = 4",
            "event 4 is missing: the next event in the log is 5",
            "event 4 is missing: the next event in the log is 5",
        ),
        attack(
            "insertion",
            &format!("{room} {}", messages(4, &mut link_at(desk, 4).await, 1)),
            "event 6: the stored hash is",
            "event 6: its hash is",
        ),
        attack(
            "reordering",
            "UPDATE events SET seq = 1000 WHERE seq = 5; UPDATE events SET seq = 5 WHERE seq = 6; \
             UPDATE events SET seq = 6 WHERE seq = 1000",
            "event 5: the stored hash is",
            "event 5: its hash is",
        ),
        attack(
            "a changed byte",
            "UPDATE events SET data = replace(data, 'ls', 'lt') WHERE seq = 5",
            "event 5: the stored hash is",
            "event 5: its hash is",
        ),
        attack(
            "a changed principal",
            "UPDATE events SET principal = 'user:eve' WHERE type = 'TOOL_APPROVAL_RESPONSE' AND seq = 4",
            "event 4: the stored hash is",
            "event 4: its hash is",
        ),
        LogAttack {
            script: None,
            ..attack(
                "a row that the rules would not have written",
                &forged_approval(desk).await,
                "event 13: agent:eve is not a person, and only people decide",
                "",
            )
        },
    ]
}

#[tokio::test]
async fn each_attack_is_found_and_located() {
    with_desk(async |desk| {
        let tip = write_history(desk).await;
        let triggers = "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger'";
        let drops = desk.run_program("sqlite3", &["whole.db", triggers]).await;
        for LogAttack { name, statements, found, noted, script } in attacks(desk).await {
            desk.run_program("cp", &["whole.db", "attacked.db"]).await;
            desk.run_program("sqlite3", &["attacked.db", &format!("{drops} {statements}")]).await;
            let from = if noted { format!(" --from {tip}") } else { String::new() };
            let verify = desk.types(&format!("verify --database attacked.db{from}")).await;
            assert!(verify.code == 1 && verify.stdout.contains(found), "{name}: {verify}");
            let tips: &[&str] = if noted { &[&tip] } else { &[] };
            let check = desk.try_program("python3", &[&[SCRIPT, "attacked.db"], tips].concat()).await;
            match script {
                Some(found) => assert!(check.code == 1 && check.stdout.contains(found), "{name}: {check}"),
                None => assert_eq!(check.code, 0, "{name}: the script does not know the rules: {check}"),
            }
        }
    })
    .await;
}

/// The file's owner can compute every hash again. Only a tip that was noted elsewhere shows it.
#[tokio::test]
async fn rewritten_log_is_found_by_a_noted_tip() {
    with_desk(async |desk| {
        let tip = write_history(desk).await;
        desk.write_file("countersign.db", "");
        for call in ["call_1", "call_2", "call_3", "call_4", "call_5", "call_6"] {
            desk.propose("t1", call, "bash", r#"{"command":"ls"}"#).await;
        }
        assert_eq!(desk.types("verify").await.code, 0, "the new log holds by itself");
        let verify = desk.types(&format!("verify --from {tip}")).await;
        assert!(verify.code == 1 && verify.stdout.contains("event 12 has the hash"), "{verify}");
        let check = desk.try_program("python3", &[SCRIPT, "countersign.db", &tip]).await;
        assert!(check.code == 1 && check.stdout.contains("event 12: its link is"), "{check}");
    })
    .await;
}
