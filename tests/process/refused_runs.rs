//! A denied, cancelled or interrupted `countersign run`: its output, its exit code and the log.

use crate::new_world;
use countersign_tests::{Database, in_time};
use rustix::process::Signal;
use serde_json::Value;

#[tokio::test]
async fn denied_run_exits_77_and_says_why() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let run = world.starts_run(&["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"]).await;
        let deny = ["--as", "user:ada", "deny", "deploy", "--comment", "not on a Friday"];
        assert_eq!(world.runs(&deny).await, (0, "Denied deploy.\n".to_owned()));
        let ended = run.ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (77, 0));
        assert!(ended.stderr.contains("Denied by user:ada: not on a Friday"), "{}", ended.stderr);
        let (code, output) = world.runs(&["--as", "user:bob", "allow", "deploy"]).await;
        assert_eq!(code, 3, "a denial is final: {output}");
    })
    .await;
}

#[tokio::test]
async fn interrupted_run_cancels_its_call_and_exits_130() {
    in_time(async {
        for signal in [Signal::INT, Signal::TERM] {
            let world = new_world(Database::Sqlite).await;
            let run = world.starts_run(&["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"]).await;
            run.signal(signal);
            let ended = run.ended().await;
            assert_eq!((ended.code, world.line_count("ran")), (130, 0), "{}", ended.stderr);
            assert!(ended.stderr.contains("cancelled deploy"), "{}", ended.stderr);
            let events = world.verified_log().await;
            let types: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
            assert_eq!(
                types,
                ["TOOL_CALL", "TOOL_APPROVAL_REQUEST", "TOOL_APPROVAL_RESPONSE", "TOOL_RESULT"]
            );
            let data = |place: usize| events[place].data.read::<Value>().expect("an object");
            assert_eq!(data(2)["source"], "cancellation");
            assert_eq!(data(3)["status"], "cancelled");
            assert!(world.runs(&["pending"]).await.1.starts_with("No call is pending in "));
        }
    })
    .await;
}

#[tokio::test]
async fn run_cancelled_by_another_exits_79() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let run = world.starts_run(&["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"]).await;
        let (status, body) = server
            .post("/v1/threads/terminal/tool-calls/deploy/cancel", r#"{"reason": "no need"}"#)
            .await
            .into_parts();
        assert_eq!(status, 200, "{body}");
        let ended = run.ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (79, 0));
        assert!(ended.stderr.contains("no need"), "{}", ended.stderr);
    })
    .await;
}
