//! The commands on threads: the list, grants, the mode, the policy and closing.

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn missing_thread_or_grant_is_reported() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("thread list").await, @"
        There are no threads.
        exit 0
        ");
        assert_snapshot!(desk.types("thread show nobody").await, @"
        ! countersign: there is no thread nobody
        ! hint: `countersign thread list` lists the threads
        exit 4
        ");
        assert_snapshot!(desk.types("grant list nobody").await, @"
        Thread nobody has no active grants; --all lists those that have ended.
        exit 0
        ");
        assert_snapshot!(desk.types("grant revoke nobody 7").await, @"
        ! countersign: there is no grant 7 in this thread
        ! hint: `countersign grant list THREAD` lists the active grants
        exit 4
        ");
        assert_snapshot!(desk.types("thread mode t1 sometimes").await, @"
        ! error: invalid value 'sometimes' for '[MODE]'
        !   [possible values: interactive, approve_all, auto_deny, stopped]
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("thread mode t1 approve_all --as agent:builder").await, @"
        ! countersign: agent:builder is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert_snapshot!(desk.types("thread policy t1 bash").await, @"
        ! error: invalid value 'bash' for '[TOOL=POLICY]...': expected TOOL=POLICY, such as bash=deny
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        assert_snapshot!(desk.types("thread policy t1 bash=maybe").await, @r#"
        ! error: invalid value 'bash=maybe' for '[TOOL=POLICY]...': unknown policy "maybe"; use one of allow, require-approval, deny, default
        ! 
        ! For more information, try '--help'.
        exit 2
        "#);
        assert_snapshot!(desk.types("thread policy t1 bash=deny bash=allow").await, @"
        ! countersign: the tool bash is given twice
        exit 2
        ");
        assert_snapshot!(desk.types("thread close ..").await, @r#"
        ! countersign: thread: it is "." or "..", which cannot be used in a URL
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn threads_are_listed_by_latest_activity() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.propose("t2", "call_2", "bash", "{}").await;
        desk.types("thread mode t1 approve_all --as user:ada").await;
        assert_snapshot!(desk.types("thread list").await, @"
        THREAD  CALLS  PENDING  MODE         LAST ACTIVE  STARTED
        t1          1        1  approve_all  [ago]  [ago]
        t2          1        1  interactive  [ago]  [ago]
        exit 0
        ");
        desk.types("thread close t2 --as user:ada").await;
        assert_snapshot!(desk.types("thread list -n 1").await, @"
        THREAD  CALLS  PENDING  MODE    LAST ACTIVE  STARTED
        t2          1        0  closed  [ago]  [ago]
        ! There are more. Use -n 4 to list more of them.
        exit 0
        ");
        assert_snapshot!(desk.types("thread show t1 --json").await, @r#"
        {"threadId":"t1","firstEventAt":"[time]","lastEventAt":"[time]","lastSeq":6,"calls":1,"pending":1,"mode":"approve_all"}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn grant_applies_until_revoked() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.types("allow call_1 --session tool --as user:ada").await;
        assert_snapshot!(desk.types("grant list t1").await, @"
        GRANT  TOOL  ANSWER  SCOPE                                           GIVEN BY  WHEN    ON CALL
            4  bash  allow   the whole tool, until [time]  user:ada  [ago]  call_1
        exit 0
        ");
        assert_snapshot!(desk.types("grant list t1 --json").await, @r#"
        {"grants":[{"seq":4,"tool":"bash","principal":"user:ada","at":"[time]","toolCallId":"call_1","decision":"allow_session","scope":"tool","says":"the whole tool","agent":"agent:builder","until":"[time]"}],"next":null}
        exit 0
        "#);
        assert_snapshot!(desk.types("grant revoke t1 3 --as user:ben").await, @"
        ! countersign: there is no grant 3 in this thread
        ! hint: `countersign grant list THREAD` lists the active grants
        exit 4
        ");
        assert_snapshot!(desk.types("grant list t1").await, @"
        GRANT  TOOL  ANSWER  SCOPE                                           GIVEN BY  WHEN    ON CALL
            4  bash  allow   the whole tool, until [time]  user:ada  [ago]  call_1
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn grant_has_limits_and_gets_new_ones() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("allow call_1 --for 2h --as user:ada").await, @"
        ! countersign: --for and --uses need a scope, such as --session exact
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 --session tool --for 31d --as user:ada").await, @"
        ! error: invalid value '31d' for '--for <TIME>': expected `thread`, or a time up to 30 days, such as 90s, 30m, 2h or 1d
        ! 
        ! For more information, try '--help'.
        exit 2
        ");
        desk.types("allow call_1 --session tool --for thread --uses 2 --as user:ada").await;
        desk.propose("t1", "call_2", "bash", "{}").await;
        assert_snapshot!(desk.types("grant list t1").await, @"
        GRANT  TOOL  ANSWER  SCOPE                              GIVEN BY  WHEN    ON CALL
            4  bash  allow   the whole tool, 1 of 2 calls left  user:ada  [ago]  call_1
        exit 0
        ");
        assert_snapshot!(desk.types("grant prolong t1 4 --for 2h --uses 5 --as user:ben").await, @"
        Grant 4 of thread t1 now lasts until [time] or after 5 calls.
        exit 0
        ");
        assert_snapshot!(desk.types("grant prolong t1 4 --for 2h --uses 1 --as user:ben").await, @"
        ! countersign: uses: it has answered 1 calls, so give a larger number
        exit 2
        ");
        assert_snapshot!(desk.types("grant prolong t1 3 --for 2h --as user:ben").await, @"
        ! countersign: there is no grant 3 in this thread
        ! hint: `countersign grant list THREAD` lists the active grants
        exit 4
        ");
        desk.types("grant revoke t1 4 --as user:ben").await;
        assert_snapshot!(desk.types("grant prolong t1 4 --for 2h --as user:ben").await, @"
        ! countersign: grant 4 has ended; give another one on the next call
        exit 3
        ");
        assert_snapshot!(desk.types("grant list t1 --all").await, @"
        GRANT  TOOL  ANSWER  SCOPE                                                              GIVEN BY  WHEN    ON CALL  ENDED
            4  bash  allow   the whole tool, until [time], 4 of 5 calls left  user:ada  [ago]  call_1   revoked by user:ben at [time]
        exit 0
        ");
        assert_snapshot!(desk.types("log --type GRANT_USED --type GRANT_PROLONGED").await, @"
            7  [moment]  t1  grant 4 has answered 1 call
            8  [moment]  t1  user:ben gives grant 4 new limits: until [time] or after 5 calls
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn denial_of_one_call_can_be_lifted() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.types("deny call_1 --as user:ada").await;
        desk.propose("t1", "call_2", "bash", "{}").await;
        assert_snapshot!(desk.types("show call_2").await, @r#"
        call_2  bash  denied by policy:grant
          thread     t1
          arguments  {}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          decided    deny by policy:grant at [time] (grant 4)
          granted    by user:ada at [time]: deny on call_1, for one call
          comment    user:ada denied it at [time]
          outcome    It did not run: ada denied the same on the call call_1; a person can lift that denial, which is grant 4 of the thread.
          ended      denied at [time]
          result     "Denied without asking again, because user:ada denied it at [time] (do not retry this call unchanged)"
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        "#);
        assert_snapshot!(desk.types("grant list t1").await, @r"
        GRANT  TOOL  ANSWER  SCOPE                                            GIVEN BY  WHEN    ON CALL
            4  bash  deny    this exact call, until [time]  user:ada  [ago]  call_1
        exit 0
        ");
        assert_snapshot!(desk.types("grant revoke t1 4 --as user:ben").await, @r"
        Revoked denial 4 of thread t1. Grants still active: 0.
        exit 0
        ");
        desk.propose("t1", "call_3", "bash", "{}").await;
        assert!(desk.types("pending").await.to_string().contains("call_3"), "people are asked again");
    })
    .await;
}

#[tokio::test]
async fn thread_mode_is_shown_and_set() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("thread mode t1").await, @"
        Thread t1 is interactive: people decide calls that the policy asks about.
        exit 0
        ");
        assert_snapshot!(desk.types("thread mode t1 auto_deny --as user:ada").await, @"
        Thread t1 is auto_deny: calls that the policy asks about are denied (set by user:ada, [ago]).
        exit 0
        ");
        assert_snapshot!(desk.types("thread mode t1 --json").await, @r#"
        {"threadId":"t1","mode":"auto_deny","principal":"user:ada","at":"[time]","seq":4}
        exit 0
        "#);
        assert_eq!(desk.types("run --thread t1 -- touch ran").await.code, 77);
    })
    .await;
}

#[tokio::test]
async fn thread_policy_for_tools_is_shown_and_set() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("thread policy t1").await, @"
        Thread t1 has no policy of its own.
        exit 0
        ");
        assert_snapshot!(desk.types("thread policy t1 bash=allow odd=name=require-approval --as user:ada").await, @"
        TOOL      POLICY            SET BY    WHEN
        bash      allow             user:ada  [ago]
        odd=name  require-approval  user:ada  [ago]
        exit 0
        ");
        assert_snapshot!(desk.types("run --thread t1 -- echo hi").await, @"
        hi
        exit 0
        ");
        assert_snapshot!(desk.types("thread policy t1 bash=default --json --as user:ada").await, @r#"
        {"threadId":"t1","tools":[{"tool":"odd=name","policy":"require-approval","principal":"user:ada","at":"[time]","seq":5}]}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn closed_thread_stays_closed() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("thread close t1 --as user:ada").await, @"
        Closed thread t1. Cancelled call_1.
        exit 0
        ");
        assert_snapshot!(desk.types("thread close t1 --as user:ben").await, @"
        Nothing changed: thread t1 was already closed by user:ada at [time].
        exit 0
        ");
        assert_snapshot!(desk.types("run --thread t1 -- echo hi").await, @"
        ! countersign: the thread was closed at [time]
        ! hint: a thread cannot be reopened; use another thread
        exit 3
        ");
    })
    .await;
}
