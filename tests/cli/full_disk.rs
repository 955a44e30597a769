//! A full disk while a log is archived, backed up, restored and erased: the error says so, nothing is lost, no partial file
//! is left, and the same command succeeds when there is room.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use countersign_tests::in_private_mounts;

/// A closed thread with long content, and a log backup.
async fn write_history(desk: &TerminalDesk) {
    let text = "x".repeat(60_000);
    for call in 0..6 {
        let id = format!("call_{call}");
        desk.propose("t1", &id, "mail", &format!(r#"{{"text":"{call}{text}"}}"#)).await;
        desk.types(&format!("deny {id} --as user:ada")).await;
    }
    desk.types("thread close t1 --as user:ada").await;
    assert_eq!(desk.types("backup copy.db").await.code, 0);
}

/// Runs a command on a small disk that has the log and its backup and is full but for some KiB; then makes room, and runs
/// it again. The log verifies after each. Returns what the script printed.
async fn on_full_disk(desk: &TerminalDesk, command: &str, room_kib: u32) -> Vec<String> {
    let script = format!(
        r#"mkdir "$0/disk"; mount -t tmpfs -o size=8m none "$0/disk"; cd "$0/disk"
        cp ../copy.db log.db; cp ../copy.db copy.db; chmod 600 log.db copy.db
        export HOME="$0/disk" COUNTERSIGN_LOG=off
        "$1" --database log.db verify >/dev/null
        dd if=/dev/zero of=room bs=1024 count={room_kib} status=none
        dd if=/dev/zero of=ballast bs=1024 status=none 2>/dev/null || true
        rm room
        "$1" --database log.db --json {command} 2>&1 >/dev/null && echo succeeded || true
        ls -A | grep -e partial -e replaced -e ndjson || true
        rm ballast
        "$1" --database log.db verify >/dev/null && echo verified
        "$1" --database log.db --json {command} >/dev/null && echo succeeded with room
        "$1" --database log.db verify >/dev/null && echo verified"#
    );
    let output = in_private_mounts(&script, &desk.path(""), COUNTERSIGN).await;
    output.text.lines().map(str::to_owned).collect()
}

/// Each command with the room that is not enough for it, and the file that its error names.
const COMMANDS: [(&str, u32, &str); 5] = [
    ("--as user:zoe archive --before 2100-01-01T00:00:00Z old.ndjson", 300, "old.ndjson"),
    ("backup new.db", 300, "new.db"),
    ("restore copy.db --replace", 300, "log.db"),
    ("--as user:zoe erase t1 call_1 --reason 'request 17'", 8, "log.db"),
    ("--as user:zoe compact", 300, "log.db"),
];

#[tokio::test]
async fn full_disk_loses_nothing_and_leaves_no_file() {
    for (command, room, file) in COMMANDS {
        with_desk(async |desk| {
            write_history(desk).await;
            let lines = on_full_disk(desk, command, room).await;
            let (error, rest) = lines.split_first().expect("the script printed something");
            let full = error.contains(r#""code":"database_unavailable""#) && error.contains("is full");
            assert!(full && error.contains(&format!("{file} is full")), "{command}: {lines:?}");
            assert_eq!(rest, ["verified", "succeeded with room", "verified"], "{command}");
        })
        .await;
    }
}
