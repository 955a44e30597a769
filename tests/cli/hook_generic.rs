//! `countersign hook generic`: the messages of any program.

use crate::{
    desk::{TerminalDesk, with_desk},
    hook::{allow_all, decide, history},
};
use insta::assert_snapshot;

const ASK: &str = r#"{"thread":"caf707cf-4309-459e-b454-3f7cd7574464","id":"c1","tool":"deploy","arguments":{"to":"staging"},"folder":"/srv/shop","description":"a test"}"#;
const DONE: &str = r#"{"event":"after","thread":"caf707cf-4309-459e-b454-3f7cd7574464","id":"c1","tool":"deploy","arguments":{"to":"staging"},"result":"done"}"#;

async fn pipes(desk: &TerminalDesk, message: &str) -> String {
    let answer = desk.pipes("hook generic --wait 1s", message).await;
    assert_eq!(answer.code, 0, "{answer}");
    answer.stdout
}

#[tokio::test]
async fn generic_call_is_allowed_and_reported() {
    with_desk(async |desk| {
        allow_all(desk).await;
        assert_snapshot!(pipes(desk, ASK).await, @r#"{"verdict":"allow","arguments":{"to":"staging"},"reason":"allowed by policy:all"}"#);
        assert_snapshot!(pipes(desk, DONE).await, @"");
        assert_snapshot!(history(desk).await, @"
        3 TOOL_CALL
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_EXECUTION_STARTED generic:c1
        6 TOOL_RESULT success
        ");
        let shown = desk.types("show c1").await;
        assert!(shown.stdout.contains("/srv/shop") && shown.stdout.contains("a test"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn generic_call_waits_and_gets_the_edit() {
    with_desk(async |desk| {
        assert!(pipes(desk, ASK).await.starts_with(r#"{"verdict":"pending","reason":"No decision yet"#));
        decide(desk, "c1", Some(r#"{"to":"test"}"#)).await;
        assert_snapshot!(pipes(desk, ASK).await, @r#"{"verdict":"allow","arguments":{"to":"test"},"reason":"user:ada changed what was run: /to from \"staging\" to \"test\""}"#);
        // The program ran what it had proposed.
        pipes(desk, DONE).await;
        assert!(history(desk).await.contains("TOOL_EXECUTION_MISMATCH"), "{}", history(desk).await);
    })
    .await;
}

#[tokio::test]
async fn generic_denial_and_calls_that_did_not_run() {
    with_desk(async |desk| {
        desk.apply_policy("[[rule]]\nname = \"no\"\ntool = \"deploy\"\nverdict = \"block\"").await;
        assert_snapshot!(pipes(desk, ASK).await, @r#"{"verdict":"deny","reason":"Blocked by policy:no: the rule says so. This is a rule, which no approval lifts: do not retry it."}"#);
        allow_all(desk).await;
        for (id, report) in [
            ("c2", r#"{"event":"not_run","thread":"caf707cf-4309-459e-b454-3f7cd7574464","id":"c2","tool":"deploy","arguments":{"to":"staging"}}"#),
            ("c3", r#"{"event":"end","thread":"caf707cf-4309-459e-b454-3f7cd7574464"}"#),
        ] {
            pipes(desk, &ASK.replace("c1", id)).await;
            assert_eq!(pipes(desk, report).await, "");
            let shown = desk.types(&format!("--json show {id}")).await;
            assert!(shown.stdout.contains(r#""status":"cancelled""#), "{shown}");
        }
    })
    .await;
}

#[tokio::test]
async fn unusable_generic_message_blocks() {
    with_desk(async |desk| {
        for (message, why) in [
            ("", "EOF"),
            (r#"{"thread":"t","tool":"a"}"#, "tool and arguments"),
            (r#"{"tool":"a","arguments":{}}"#, "thread"),
            (r#"{"thread":"t","tool":"a","arguments":{},"argument":{}}"#, "unknown field"),
            (r#"{"thread":"t","tool":"a","arguments":{},"event":"later"}"#, "unknown variant"),
            (r#"{"thread":"t","tool":"a","arguments":{"a":1,"A":2}}"#, "same key"),
        ] {
            let answer = desk.pipes("hook generic", message).await;
            assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{message}: {answer}");
            assert!(answer.stderr.contains(why), "{message}: {answer}");
        }
    })
    .await;
}
