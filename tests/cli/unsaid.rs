//! Output that nobody gets to read: a full disk is told, a reader that has gone is not.

use crate::desk::{COUNTERSIGN, TerminalDesk, at_a_desk};

/// What a shell says of a line in which `c` is the command: the exit code, and what was complained about.
async fn shell(desk: &TerminalDesk, line: &str) -> String {
    let line =
        format!("c() {{ '{COUNTERSIGN}' \"$@\"; }}; {{ {line}; echo \"exit $?\" >&2; }} 2>&1 >/dev/null");
    desk.runs("bash", &["-c", &line]).await
}

#[tokio::test]
async fn a_full_disk_is_no_success() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        for line in ["log", "log --json", "pending", "pending --json", "completions bash", "man", "--help", "-V"] {
            let said = shell(desk, &format!("c {line} > /dev/full")).await;
            assert_eq!(
                said,
                "countersign: the output could not be written completely: No space left on device (os error 28)\nexit 1\n",
                "{line}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_reader_that_has_gone_hears_no_complaint() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        for line in ["log", "completions bash", "man"] {
            // The other end of the pipe is closed before anything is written.
            let said =
                shell(desk, &format!("mkfifo gone; exec 3<>gone 4>gone 3<&-; c {line} >&4; rm gone")).await;
            assert_eq!(said, "exit 0\n", "{line}");
        }
    })
    .await;
}
