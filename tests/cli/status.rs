//! `countersign status`

use crate::desk::{with_desk, with_empty_desk};
use insta::assert_snapshot;

#[tokio::test]
async fn status_without_a_log_says_how_to_begin() {
    with_empty_desk(async |desk| {
        let missing = desk.types("status").await;
        assert_eq!((missing.code, missing.stdout.as_str()), (5, ""), "{missing}");
        assert_eq!(desk.types("status --server http://127.0.0.1:1").await.code, 5);
        assert!(!desk.path(".local").exists(), "nothing is created");
    })
    .await;
}

#[tokio::test]
async fn log_without_service_shows_its_calls() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"id"}"#).await;
        desk.propose("t2", "call_3", "bash", r#"{"command":"ls"}"#).await;
        assert_eq!(desk.types("allow call_3 --as user:ada").await.code, 0);
        assert_snapshot!(desk.types("status").await, @"
        service  none runs for this log; start it with: countersign up
        log      [here]/countersign.db

        AGENT          PROGRAM  LAST SEEN  PENDING  WAITS  RUNNING
        agent:builder  ?        [ago]  2      ?        0

        executors: none

        APPROVER  PROGRAM  CONNECTED  SIGNED IN  LAST DECISION
        user:ada  ?        ?          no         [ago]

        integrations: none

        2 calls are pending, the oldest [ago]:
             2  in t1
        Decide with: countersign watch
        exit 0
        ");
        let printed = desk.types("status --json").await.stdout;
        let status: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
        assert_eq!(status["status"]["pending"]["count"], 2);
        assert!(status["status"]["clients"].is_null(), "a log does not know its readers: {printed}");
        assert!(status["source"]["server"].is_null() && status["source"]["process"].is_null());
    })
    .await;
}

#[tokio::test]
async fn server_knows_watchers_and_waiting_agents() {
    with_desk(async |desk| {
        let mut server = desk.start("serve --listen 127.0.0.1:0 --solo");
        let shown = server.wait_for_stdout("Ctrl-C stops the server").await;
        let url = shown.lines().find_map(|line| line.trim().strip_prefix("listening  ")).expect("an address");
        let url = url.to_owned();
        let mut watch = desk.start_open(&format!("watch --plain --server {url}"));
        let run = desk.start(&format!("run --server {url} --id call_1 -- true"));
        desk.wait_for_pending("call_1").await;
        // The stream of `watch` and the wait of `run` open a moment after the call is pending.
        let has_open = |status: &serde_json::Value, client: &str, kind: &str| {
            let clients = status["status"]["clients"].as_array().cloned().unwrap_or_default();
            clients.iter().any(|one| one["client"] == client && one[kind] == 1)
        };
        loop {
            let printed = desk.types("status --json").await.stdout;
            let status: serde_json::Value = serde_json::from_str(&printed).expect("JSON");
            if has_open(&status, "countersign/0.1.0 (watch)", "streams")
                && has_open(&status, "countersign/0.1.0 (run)", "waits")
            {
                break;
            }
        }
        let status = desk.types("status").await.stdout;
        assert!(status.contains("1 stream") && status.contains("1 call is pending"), "{status}");
        assert_eq!(desk.types(&format!("allow call_1 --server {url}")).await.code, 0);
        assert_eq!(run.wait_for_exit().await.code, 0);
        watch.send("q").await;
        drop(watch);
        server.send_signal("INT").await;
        assert_eq!(server.wait_for_exit().await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn hostile_paths_and_names_are_escaped() {
    with_desk(async |desk| {
        let thread = format!("t {} <b>", "\u{1f600}".repeat(50));
        desk.propose(&thread, "call_1", "bash", "{}").await;
        assert_eq!(desk.types("install claude-code --user --yes").await.code, 0);
        let home = desk.path("h\u{1b}[31m\u{202e}");
        std::fs::create_dir(&home).expect("the folder is writable");
        std::fs::rename(desk.path(".claude"), home.join(".claude")).expect("moved");
        desk.set_variable("HOME", &home.display().to_string());
        let status = desk.types("status").await;
        assert!(!status.stdout.contains(['\u{1b}', '\u{202e}']), "{status}");
        assert!(status.stdout.contains("hook claude-code") && status.stdout.contains(&thread), "{status}");
    })
    .await;
}

#[tokio::test]
async fn installed_hook_is_listed_with_its_trouble() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_eq!(desk.types("install claude-code --user --yes").await.code, 0);
        let shown = desk.types("status").await.stdout;
        assert!(shown.contains("hook claude-code  installed in [here]/.claude/settings.json"), "{shown}");
        let settings = std::fs::read_to_string(desk.path(".claude/settings.json")).expect("written");
        desk.write_file(".claude/settings.json", &settings.replacen('{', "{\"disableAllHooks\": true,", 1));
        let shown = desk.types("status").await.stdout;
        assert!(shown.contains("turns hooks off"), "{shown}");
        desk.write_file(".mcp.json", "not JSON");
        assert_eq!(desk.types("status").await.code, 0, "a file of another program does not matter");
    })
    .await;
}
