//! A run that is denied, cancelled or interrupted: what it says, how it exits, what the log shows.

use crate::harness::{Place, in_time};
use rustix::process::Signal;
use serde_json::Value;

#[tokio::test]
async fn a_denied_run_exits_77_and_says_who_denied_it_and_why() {
    in_time(async {
        let place = Place::new();
        let run = place.waiting_run(&["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"]).await;
        let deny = ["--as", "user:ada", "deny", "deploy", "--comment", "not on a Friday"];
        assert_eq!(place.ends(&deny).await, (0, "Denied deploy.\n".to_owned()));
        let ended = run.ended().await;
        assert_eq!((ended.code, place.lines("ran")), (77, 0));
        assert!(ended.stderr.contains("Denied by user:ada: not on a Friday"), "{}", ended.stderr);
        let (code, said) = place.ends(&["--as", "user:bob", "allow", "deploy"]).await;
        assert_eq!(code, 3, "a denial is final: {said}");
    })
    .await;
}

#[tokio::test]
async fn an_interrupted_run_cancels_its_call_and_exits_130() {
    in_time(async {
        for signal in [Signal::INT, Signal::TERM] {
            let place = Place::new();
            let run =
                place.waiting_run(&["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"]).await;
            run.signal(signal);
            let ended = run.ended().await;
            assert_eq!((ended.code, place.lines("ran")), (130, 0), "{}", ended.stderr);
            assert!(ended.stderr.contains("cancelled deploy"), "{}", ended.stderr);
            let events = place.sound_log().await;
            let said: Vec<_> = events.iter().map(|event| event.kind.as_str()).collect();
            assert_eq!(said, ["TOOL_CALL", "TOOL_APPROVAL_REQUEST", "TOOL_APPROVAL_RESPONSE", "TOOL_RESULT"]);
            let data = |place: usize| events[place].data.read::<Value>().expect("an object");
            assert_eq!(data(2)["source"], "cancellation");
            assert_eq!(data(3)["status"], "cancelled");
            assert_eq!(place.ends(&["pending"]).await.1, "No call is pending.\n");
        }
    })
    .await;
}

#[tokio::test]
async fn a_call_cancelled_by_somebody_ends_the_run_with_79() {
    in_time(async {
        let place = Place::new();
        let server = place.serve().await;
        let run = place.waiting_run(&["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"]).await;
        let (status, body) =
            server.post("/v1/threads/terminal/tool-calls/deploy/cancel", r#"{"reason": "no need"}"#).await;
        assert_eq!(status, 200, "{body}");
        let ended = run.ended().await;
        assert_eq!((ended.code, place.lines("ran")), (79, 0));
        assert!(ended.stderr.contains("no need"), "{}", ended.stderr);
    })
    .await;
}
