//! `countersign show`, and selecting a call by an id prefix.

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn call_is_shown_with_its_history() {
    with_desk(async |desk| {
        let mut run = desk
            .start("run --as agent:builder --id call_1 --description 'count to two' --expires 1h -- seq 2");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("show call_1").await, @"
        call_1  bash  pending
          thread     terminal
          arguments  command: seq 2
                     cwd: [here]
          sha256     [sha256]
          purpose    count to two
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time], then the call is denied
          scope      command `seq 2 **` in folder [here]
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
        desk.types("allow call_1 --as user:ada --comment 'go ahead'").await;
        run.wait_for_exit().await;
        assert_snapshot!(desk.types("show call_1").await, @"
        call_1  bash  finished
          thread     terminal
          arguments  command: seq 2
                     cwd: [here]
          sha256     [sha256]
          purpose    count to two
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time]
          decided    allow_once by user:ada at [time] (approver)
          comment    go ahead
          started    by [executor] at [time]
          outcome    The tool succeeded.
          ended      success at [time]
          result     exitCode: 0
                     output: 1
                             2
                     outputBytes: 4
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn denied_call_names_its_decider() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        desk.types("deny call_1 --as user:ada --comment 'not today'").await;
        assert_snapshot!(desk.types("show call_1").await, @r#"
        call_1  bash  denied by user:ada
          thread     t1
          arguments  command: ls
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time]
          decided    deny by user:ada at [time] (approver)
          comment    not today
          outcome    It did not run: ada denied it.
          ended      denied at [time]
          result     "Denied by user:ada: not today (do not retry this call unchanged)"
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn unknown_call_is_not_found() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("show call_2").await, @r#"
        ! countersign: no recent call has an id that begins with "call_2"; add --thread to find older calls
        ! hint: `countersign pending` lists pending calls, `countersign calls` lists all calls
        exit 4
        "#);
        assert_snapshot!(desk.types("show call_1 --thread t2").await, @r#"
        ! countersign: no recent call has an id that begins with "call_1"; add --thread to find older calls
        ! hint: `countersign pending` lists pending calls, `countersign calls` lists all calls
        exit 4
        "#);
        assert_snapshot!(desk.types("show call_2 --thread t1").await, @r#"
        ! countersign: no recent call has an id that begins with "call_2"; add --thread to find older calls
        ! hint: `countersign pending` lists pending calls, `countersign calls` lists all calls
        exit 4
        "#);
        // A script with an unset variable passes an empty id.
        assert_snapshot!(desk.types("show ''").await, @"
        ! countersign: the id must not be empty
        exit 2
        ");
        assert_snapshot!(desk.types("show call_1 --thread ..").await, @r#"
        ! countersign: thread: it is "." or "..", which cannot be used in a URL
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn unique_id_prefix_is_enough() {
    with_desk(async |desk| {
        for (thread, id) in
            [("t1", "call_10"), ("t1", "call_11"), ("t2", "call_1"), ("t3", "odd"), ("t4", "odd")]
        {
            desk.propose(thread, id, "bash", "{}").await;
        }
        assert_snapshot!(desk.types("show call_").await, @r#"
        ! countersign: 3 pending calls begin with "call_"; choose one of:
        !   call_10 --thread t1
        !   call_11 --thread t1
        !   call_1 --thread t2
        ! hint: type more of the id, or add --thread
        exit 4
        "#);
        assert_snapshot!(desk.types("show odd").await, @r#"
        ! countersign: 2 pending calls begin with "odd"; choose one of:
        !   odd --thread t3
        !   odd --thread t4
        ! hint: type more of the id, or add --thread
        exit 4
        "#);
        assert_eq!(desk.types("show call_11").await.code, 0);
        let one = desk.types("show call_1").await.stdout;
        assert!(one.starts_with("call_1  bash"), "an exact id wins over a prefix: {one}");
        let odd = desk.types("show od --thread t4").await.stdout;
        assert!(odd.contains("thread     t4"), "{odd}");
    })
    .await;
}

/// The prefix matches two calls. It selects the pending one.
#[tokio::test]
async fn prefix_prefers_the_pending_call() {
    with_desk(async |desk| {
        desk.propose("t1", "call_a1", "bash", "{}").await;
        desk.types("deny call_a1 --as user:ada").await;
        // The calls differ, because the remembered denial of the first would answer a repeated call.
        desk.propose("t1", "call_a2", "bash", r#"{"n":2}"#).await;
        assert!(desk.types("show call_a").await.stdout.starts_with("call_a2"));
        desk.types("deny call_a2 --as user:ada").await;
        assert_snapshot!(desk.types("show call_a").await, @r#"
        ! countersign: 2 calls begin with "call_a"; choose one of:
        !   call_a1 --thread t1
        !   call_a2 --thread t1
        ! hint: type more of the id, or add --thread
        exit 4
        "#);
    })
    .await;
}
