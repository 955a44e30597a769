//! A remembered decision that also decides the calls that wait, and remembered denials.

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn allowance_releases_calls_that_wait() {
    with_desk(async |desk| {
        for (id, command) in [("call_1", "git status"), ("call_2", "git status -s"), ("call_3", "ls")] {
            desk.propose("t1", id, "bash", &format!(r#"{{"command":"{command}"}}"#)).await;
        }
        assert_snapshot!(desk.types("allow call_1 --and-waiting --as user:ada").await, @"
        ! countersign: --and-waiting needs a scope, such as --session exact
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 --session pattern --and-waiting --as user:ada").await, @"
        command `git status **`; 1 more call waits
        It also allows the calls that wait: call_2
        Allowed call_1, and later calls of bash in thread t1, for command `git status **`, until [time].
        Also allowed 1 call that waited: call_2.
        exit 0
        ");
        assert!(desk.types("pending").await.stdout.starts_with("call_3"));
        assert!(desk.types("show call_2").await.stdout.contains("policy:grant"));
        assert_eq!(desk.types("verify").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn remembered_denial_is_shown_listed_and_revoked() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"rm -r a"}"#).await;
        desk.types("allow call_1 --as user:ada").await;
        for id in ["call_2", "call_3"] {
            desk.propose("t1", id, "bash", r#"{"command":"rm -r b"}"#).await;
        }
        assert_snapshot!(desk.types("deny call_2 --session tool --and-waiting --as user:ada").await, @"
        the whole tool: would have denied 1 of 1 earlier call; 1 more call waits
        It also denies the calls that wait: call_3
        Denied call_2, and later calls of bash in thread t1.
        Also denied 1 call that waited: call_3.
        exit 0
        ");
        assert_snapshot!(desk.types("grant list t1").await, @"
        GRANT  TOOL  ANSWER  SCOPE           GIVEN BY  WHEN    ON CALL
            9  bash  deny    the whole tool  user:ada  [ago]  call_2
        exit 0
        ");
        assert_snapshot!(desk.types("grant revoke t1 9 --as user:ada").await, @"
        Revoked denial 9 of thread t1. Grants still active: 0.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn setting_of_an_unknown_thread_is_refused() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        for line in ["thread mode t9 auto_deny --as user:ada", "thread policy t9 bash=deny --as user:ada"] {
            let refused = desk.types(line).await;
            assert_eq!(refused.code, 4, "{refused}");
            assert!(refused.stderr.contains("there is no thread t9"), "{refused}");
            assert!(refused.stderr.contains("--new-thread"), "{refused}");
        }
        assert_eq!(desk.types("thread mode t9 auto_deny --new-thread --as user:ada").await.code, 0);
        assert_eq!(desk.types("thread policy t9 bash=deny --as user:ada").await.code, 0);
    })
    .await;
}
