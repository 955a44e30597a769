//! `countersign stop` and `countersign release`

use crate::{desk::with_desk, scopes_and_quorum::set_policy, tmux::TmuxTerminal};
use countersign_api::{self as api, ApprovalGate, CallGate};
use insta::assert_snapshot;

#[tokio::test]
async fn stop_denies_all_pending_calls() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("stop --as user:ada").await, @"
        No call is pending, and no allowed call waits to start.
        exit 0
        ");
        for (thread, id, tool) in [("t1", "call_1", "bash"), ("t1", "call_2", "mail"), ("t2", "call_3", "mail"), ("t2", "call_4", "bash")] {
            desk.propose(thread, id, tool, "{}").await;
        }
        assert_snapshot!(desk.types("stop --yes --as agent:builder").await, @"
        ! countersign: agent:builder is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert_snapshot!(desk.types("stop --yes --as user:ada --thread t1 --tool mail --comment 'no mail today'").await, @"
        Denied 1 call.
          call_2 in thread t1
        exit 0
        ");
        assert_snapshot!(desk.types("stop --yes --as user:ada --thread t2 --json").await, @r#"
        {"denied":[{"threadId":"t2","id":"call_3"},{"threadId":"t2","id":"call_4"}],"cancelled":[],"left":[]}
        exit 0
        "#);
        assert_snapshot!(desk.types("stop --as user:ada").await, @"
        ! countersign: Deny 1 pending call? Add --yes, which is required without a terminal and with --json
        exit 2
        ");
        assert_snapshot!(desk.types("stop --yes --as user:ada").await, @"
        Denied 1 call.
          call_1 in thread t1
        exit 0
        ");
        assert!(desk.types("show call_2").await.stdout.contains("no mail today"));
    })
    .await;
}

#[tokio::test]
async fn stop_lists_calls_it_cannot_deny() {
    with_desk(async |desk| {
        set_policy(desk).await;
        let mut deploy = desk.start("run --thread t1 --tool deploy --id call_1 -- echo hi");
        deploy.wait_for_stderr("is pending").await;
        let mut drop = desk.start("run --thread t1 --tool drop --id call_2 -- echo hi");
        drop.wait_for_stderr("is pending").await;
        let mut bash = desk.start("run --thread t1 --id call_3 -- touch ran");
        bash.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("stop --yes --as user:ben").await, @"
        Denied 1 call.
          call_3 in thread t1
        2 calls still pending:
          call_1 in thread t1: 0 of 2 to allow, 1 of 2 to deny
          call_2 in thread t1: it needs level admin
        exit 3
        ");
        assert_eq!(bash.wait_for_exit().await.code, 77);
        assert!(!desk.path("ran").exists());
        // The vote by `ada` completes the first call's quorum, and she may deny the second.
        assert_snapshot!(desk.types("stop --yes --as user:ada").await, @"
        Denied 2 calls.
          call_1 in thread t1
          call_2 in thread t1
        exit 0
        ");
        assert_eq!((deploy.wait_for_exit().await.code, drop.wait_for_exit().await.code), (77, 77));
    })
    .await;
}

#[tokio::test]
async fn terminal_lists_calls_before_a_stop() {
    with_desk(async |desk| {
        for number in 1..=12 {
            desk.propose("t1", &format!("call_{number}"), "bash", "{}").await;
        }
        desk.types("allow call_12 --as user:ben").await;
        let terminal = TmuxTerminal::open(desk).await;
        for command in ["stop", "deny --all-pending"] {
            terminal.types(&format!("clear; countersign {command} --as user:ada")).await;
            terminal.wait_for_line("  call_10 in thread t1: bash, by agent:builder").await;
            terminal.wait_for_line("  and 1 more").await;
            let question = match command {
                "stop" => "Deny 11 pending calls and cancel 1 allowed call that did not start? [y/N]",
                _ => "Deny 11 pending calls? [y/N]",
            };
            terminal.wait_for_line(question).await;
            terminal.types("n").await;
            terminal.wait_for_line("Nothing was decided.").await;
        }
        terminal.types("clear; countersign stop --as user:ada --yes").await;
        terminal.wait_for_line("Denied 11 calls.").await;
    })
    .await;
}

#[tokio::test]
async fn take_back_ends_an_unused_approval() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        assert_snapshot!(desk.types("take-back call_1 --as user:ada").await, @"
        ! countersign: the call is pending, and only an approval by a person that no executor has used can be taken back
        exit 3
        ");
        desk.types("allow call_1 --session tool --as user:ada").await;
        assert_snapshot!(desk.types("take-back call_1 --as user:ada --comment 'wrong folder'").await, @"
        Took the approval of call_1 back: it does not run.
        exit 0
        ");
        assert_snapshot!(desk.types("show call_1").await, @r#"
        call_1  bash  cancelled
          thread     t1
          arguments  command: ls
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time]
          decided    allow_session by user:ada at [time] (approver)
          remembered for the whole tool, until [time]
          taken back by user:ada at [time] (wrong folder)
          outcome    It did not run: ada took the approval back.
          ended      cancelled at [time]
          result     "Cancelled by user:ada: wrong folder"
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        "#);
        let log = desk.types("log --thread t1").await.stdout;
        assert!(log.contains("user:ada takes the approval of call_1 back (wrong folder)"), "{log}");
        assert_snapshot!(desk.types("grant list t1").await, @"
        Thread t1 has no active grants; --all lists those that have ended.
        exit 0
        ");
        let verified = desk.types("verify").await.stdout;
        assert!(verified.contains("the hash chain is intact"), "{verified}");
    })
    .await;
}

#[tokio::test]
async fn release_requires_a_lost_executor() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"ls"}"#).await;
        assert_snapshot!(desk.types("release call_1 --as user:ada").await, @"
        ! countersign: the call is pending, and only a call whose outcome is unknown can be released
        exit 3
        ");
        desk.types("allow call_1 --as user:ada").await;
        let gate = desk.gate().await;
        let (thread, id) = (
            countersign_api::parse_thread_id("t1").expect("valid"),
            countersign_api::parse_call_id("call_1").expect("valid"),
        );
        let call = gate.call(&thread, &id).await.expect("the call exists");
        let claim =
            api::ClaimRequest { lease_seconds: Some(0), ..api::ClaimRequest::for_call(&call, "worker-1") };
        gate.claim(&thread, &id, &claim).await.expect("claimed");
        assert_snapshot!(desk.types("release call_1 --as agent:other").await, @"
        ! countersign: agent:other is not a person, and only people decide
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert_snapshot!(desk.types("release call_1 --as user:ada --comment 'nothing was sent'").await, @"
        Released call_1: another executor may take it over from worker-1.
        exit 0
        ");
        let claim = api::ClaimRequest::for_call(&call, "worker-2");
        gate.claim(&thread, &id, &claim).await.expect("taken over");
        gate.shut_down().await;
        assert_snapshot!(desk.types("show call_1").await, @"
        call_1  bash  running
          thread     t1
          arguments  command: ls
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          expires    [time]
          decided    allow_once by user:ada at [time] (approver)
          lost       started by worker-1 at [time]
          released   for another executor by user:ada at [time] (nothing was sent)
          started    by worker-2 at [time]
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
        let log = desk.types("log --thread t1").await.stdout;
        assert!(log.contains("user:ada releases call_1 for another executor (nothing was sent)"), "{log}");
        assert!(log.contains("takes over call_1 as worker-2"), "{log}");
    })
    .await;
}
