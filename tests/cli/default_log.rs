//! The default log: one per user, unless the current folder has one.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk, with_empty_desk};
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;

/// The default log for a user whose home folder is the desk folder.
const USER_LOG: &str = ".local/share/countersign/countersign.db";

/// Runs a shell script; a failure of its last command is in the text.
async fn in_shell(desk: &TerminalDesk, script: &str) -> String {
    let script = script.replace("countersign ", &format!("{COUNTERSIGN} "));
    desk.without_paths(&desk.run_program("sh", &["-c", &format!("{{ {script}; }} 2>&1; echo exit $?")]).await)
}

#[tokio::test]
async fn commands_in_two_folders_share_one_log() {
    with_empty_desk(async |desk| {
        let mut run = desk.start("run --id call_1 -- true");
        run.wait_for_stderr("call_1 is pending in ").await;
        let pending = in_shell(desk, "mkdir elsewhere; cd elsewhere; countersign pending").await;
        assert!(pending.starts_with("call_1  bash  by "), "the call waits unseen: {pending}");
        assert!(in_shell(desk, "cd elsewhere; countersign allow call_1").await.ends_with("exit 0\n"));
        assert_eq!(run.wait_for_exit().await.code, 0);
        assert_eq!(desk.run_program("ls", &["elsewhere"]).await, "", "no second log is created");
    })
    .await;
}

#[tokio::test]
async fn new_log_is_private_and_announced_once() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("run --id call_1 --expires 1s -- true").await.stderr.lines().next().unwrap_or_default(), @"note: new log: [here]/.local/share/countersign/countersign.db");
        let again = desk.types("run --id call_2 --expires 1s -- true").await;
        assert!(!again.stderr.contains("new log"), "{again}");
        let mode = |path| std::fs::metadata(desk.path(path)).expect("it exists").permissions().mode() & 0o777;
        assert_eq!((mode(".local/share/countersign"), mode(USER_LOG)), (0o700, 0o600));
        let json = desk.types("--database new.db --json run --expires 1s -- true").await.stderr;
        assert!(json.starts_with(r#"{"notice":"new log: [here]/new.db"}"#), "{json}");
        assert!(desk.types("--database none.db pending").await.code == 5 && !desk.path("none.db").exists());
    })
    .await;
}

#[tokio::test]
async fn log_of_the_folder_precedes_the_users() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert!(desk.types("pending").await.stdout.starts_with("call_1"));
        assert!(!desk.path(".local").exists());
        desk.set_variable("COUNTERSIGN_DATABASE", "other.db");
        assert_eq!(desk.types("pending").await.code, 5, "a setting overrides both");
    })
    .await;
}

#[tokio::test]
async fn data_folder_of_the_environment_is_used() {
    with_empty_desk(async |desk| {
        let data = desk.path("data").display().to_string();
        desk.set_variable("XDG_DATA_HOME", &data);
        assert_eq!(
            desk.types("migrate").await.stdout,
            "[here]/data/countersign/countersign.db: created a new log.\n"
        );
        assert!(!desk.path(".local").exists());
    })
    .await;
}

#[tokio::test]
async fn environment_without_home_is_refused() {
    with_empty_desk(async |desk| {
        assert_snapshot!(in_shell(desk, "unset HOME; countersign pending").await, @"
        countersign: there is no folder for the log: neither HOME nor XDG_DATA_HOME is an absolute path; set one of them, or name the log with --database or COUNTERSIGN_DATABASE
        exit 2
        ");
        assert_snapshot!(in_shell(desk, "HOME=. XDG_DATA_HOME=data countersign --json run -- true").await, @r#"
        {"code":"no_data_folder","detail":"there is no folder for the log: neither HOME nor XDG_DATA_HOME is an absolute path; set one of them, or name the log with --database or COUNTERSIGN_DATABASE"}
        exit 2
        "#);
        assert_snapshot!(in_shell(desk, "HOME=/proc countersign run -- true").await, @"
        countersign: the folder /proc/.local/share/countersign for the log cannot be created: No such file or directory (os error 2); correct XDG_DATA_HOME or HOME, or name another log with --database
        exit 5
        ");
        assert_eq!(desk.run_program("ls", &["-A"]).await, "");
    })
    .await;
}

#[tokio::test]
async fn location_of_the_log_is_printed() {
    with_empty_desk(async |desk| {
        assert_eq!(desk.types("migrate").await.code, 0);
        let log = desk.path(USER_LOG).display().to_string();
        let log = desk.without_paths(&log);
        assert_eq!(desk.types("pending").await.stdout, format!("No call is pending in {log}.\n"));
        let doctor = desk.types("doctor").await.stdout;
        assert!(doctor.contains(&format!("file         {log}, ")), "{doctor}");
        let mut server = desk.start("serve --listen 127.0.0.1:0");
        let shown = server.wait_for_stdout("database").await;
        assert!(desk.without_paths(&shown).contains(&format!("database   {log} (")), "{shown}");
    })
    .await;
}
