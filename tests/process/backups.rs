//! Backup and restore while other processes write, and `kill -9` in the middle of both.

use crate::new_world;
use countersign_api::{self as api, ApprovalGate, LogFilter};
use countersign_events::chain::Checkpoint;
use countersign_gate::EmbeddedGate;
use countersign_tests::{Database, Player, Process, ProcessWorld, in_time};
use serde_json::{Value, json};
use std::path::Path;

/// As many as may be pending in a thread: on a busy machine, all are proposed before the first is decided.
const CALLS: usize = 100;

/// A log's tip, which must verify.
async fn verified_tip(path: &Path) -> Checkpoint {
    let gate = EmbeddedGate::open(path).await.expect("the log opens");
    let report = gate.verify(|_| {}).await.expect("reads");
    assert!(report.holds(), "{report:?}");
    gate.shut_down().await;
    Checkpoint { seq: report.events, hash: report.tip }
}

/// Two processes that propose, two that decide and two that execute, in two threads.
async fn start_writers(world: &ProcessWorld) -> Vec<Player> {
    let mut players = Vec::new();
    for thread in ["one", "two"] {
        let calls = json!({"thread": thread, "count": CALLS, "runs": world.file("runs")});
        for part in ["proposer", "executor", "decider"] {
            let mut player = world.starts_player(&json!({ part: calls })).await;
            player.go().await;
            players.push(player);
        }
    }
    players
}

#[tokio::test]
async fn backups_under_load_are_complete_and_restorable() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let gate = world.gate().await;
        let mut writers = start_writers(&world).await;
        let mut tips = Vec::new();
        for number in 0.. {
            let before = gate.tip(None).await.expect("reads");
            let name = format!("copy-{number}.db");
            let (code, output) = world.runs(&["--json", "backup", &name]).await;
            let summary: Value = serde_json::from_str(&output).expect("JSON");
            assert_eq!((code, &summary["holds"]), (0, &json!(true)), "{output}");
            let tip = verified_tip(&world.file(&name)).await;
            assert!(tip.seq >= before, "the backup has every event from before it began");
            tips.push(tip);
            if tip.seq > i64::try_from(CALLS * 6).expect("small") || tips.len() > 12 {
                break;
            }
        }
        for mut writer in writers.drain(..) {
            while let Some(report) = writer.reports().await {
                assert_eq!(report.get("failed"), None, "{report}");
            }
        }
        let end = gate.tip(None).await.expect("reads");
        assert!(tips.iter().any(|tip| tip.seq < end), "a backup was made while processes wrote");
        for tip in &tips {
            let report = gate.verify_from(*tip, |_| {}).await.expect("reads");
            assert!(report.holds(), "each backup is the beginning of the log: {report:?}");
        }
        gate.shut_down().await;
        restore_goes_on(&world, tips[0], end).await;
    })
    .await;
}

/// The first backup replaces the log, and writers continue on it.
async fn restore_goes_on(world: &ProcessWorld, backup: Checkpoint, end: i64) {
    let (code, output) = world.runs(&["--json", "restore", "copy-0.db", "--replace"]).await;
    let summary: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((code, &summary["replaced"]["lost"]), (0, &json!(end - backup.seq)), "{output}");
    let gate = world.gate().await;
    assert_eq!(gate.tip(None).await.expect("reads"), backup.seq);
    let page = api::PageQuery { after: end, limit: 10 };
    let beyond = gate.events(&LogFilter::default(), page).await.expect_err("the cursor is beyond the end");
    assert_eq!(beyond.code(), "bad_cursor");
    let calls = json!({"thread": "three", "count": 4, "runs": world.file("runs")});
    let mut players = Vec::new();
    for part in ["proposer", "executor", "decider"] {
        let mut player = world.starts_player(&json!({ part: calls })).await;
        player.go().await;
        players.push(player);
    }
    for mut player in players {
        while let Some(report) = player.reports().await {
            assert_eq!(report.get("failed"), None, "{report}");
        }
    }
    assert!(gate.tip(None).await.expect("reads") >= backup.seq + 20, "the restored log goes on");
    gate.shut_down().await;
    world.whole_log().await;
}

/// Returns true if the folder has a file whose name contains the text.
fn has_file(world: &ProcessWorld, text: &str) -> bool {
    let files = std::fs::read_dir(world.folder()).expect("the folder").filter_map(Result::ok);
    files.into_iter().any(|file| file.file_name().to_string_lossy().contains(text))
}

/// Starts a command and kills it as soon as a file is there. Returns false if it ended before.
async fn kill_at_file(world: &ProcessWorld, words: &[&str], file: &str) -> bool {
    let mut command = Process::start(&mut world.countersign_over_log(words));
    let mut ended = false;
    while !has_file(world, file) && !ended {
        ended = command.has_ended();
    }
    command.kill().await;
    !ended
}

fn remove_partial_files(world: &ProcessWorld) {
    for file in std::fs::read_dir(world.folder()).expect("the folder").filter_map(Result::ok) {
        if file.file_name().to_string_lossy().contains(".partial") {
            std::fs::remove_file(file.path()).expect("removed");
        }
    }
}

#[tokio::test]
async fn killed_backup_and_restore_leave_whole_logs() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        for mut writer in start_writers(&world).await {
            while writer.reports().await.is_some() {}
        }
        let tip = verified_tip(&world.path()).await;
        assert!(kill_at_file(&world, &["backup", "killed.db"], ".partial").await);
        assert!(!world.file("killed.db").exists(), "a backup gets its name when it is complete");
        remove_partial_files(&world);
        assert_eq!(world.runs(&["backup", "copy.db"]).await.0, 0);
        world.starts_run(&["--id", "later", "--", "true"]).await.kill().await;
        let later = verified_tip(&world.path()).await;
        assert_ne!(later, tip);
        let restore = ["restore", "copy.db", "--replace"];
        for file in [".partial", ".replaced"] {
            kill_at_file(&world, &restore, file).await;
            let found = verified_tip(&world.path()).await;
            assert!(found == tip || found == later, "the log is the old one or the new one: {found}");
            if found == tip {
                break;
            }
            remove_partial_files(&world);
        }
        if verified_tip(&world.path()).await == later {
            assert_eq!(world.runs(&restore).await.0, 0, "to repeat it finishes the work");
        }
        assert_eq!(verified_tip(&world.path()).await, tip);
        assert_eq!(verified_tip(&world.file("log.db.replaced")).await, later, "the old log is kept");
    })
    .await;
}
