//! Output that cannot be written: a full disk is an error, a closed pipe is not.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};

/// Runs a shell line in which `$c` is the command. Returns the exit code and stderr.
async fn shell(desk: &TerminalDesk, line: &str) -> String {
    let line =
        format!("c() {{ '{COUNTERSIGN}' \"$@\"; }}; {{ {line}; echo \"exit $?\" >&2; }} 2>&1 >/dev/null");
    desk.run_program("bash", &["-c", &line]).await
}

#[tokio::test]
async fn full_disk_is_an_error() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        for line in ["log", "log --json", "pending", "pending --json", "completions bash", "man", "--help", "-V"] {
            let output = shell(desk, &format!("c {line} > /dev/full")).await;
            assert_eq!(
                output,
                "countersign: the output could not be written completely: No space left on device (os error 28)\nexit 1\n",
                "{line}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn closed_pipe_is_not_reported() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        for line in ["log", "completions bash", "man"] {
            // The reader closes its end of the pipe before the command writes.
            let output =
                shell(desk, &format!("mkfifo gone; exec 3<>gone 4>gone 3<&-; c {line} >&4; rm gone")).await;
            assert_eq!(output, "exit 0\n", "{line}");
        }
    })
    .await;
}
