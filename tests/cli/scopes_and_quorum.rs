//! Decisions with a scope, at a level, and by several approvers.

use crate::desk::{TerminalDesk, with_desk};
use countersign_api::{self as api, ApprovalGate, CallGate};
use insta::assert_snapshot;

/// Sets a policy with approvers of two levels, a tool that needs two approvers, and a tool that needs an admin.
pub(crate) async fn set_policy(desk: &TerminalDesk) {
    desk.apply_policy(
        r#"
[approvers]
"user:ada" = { level = "admin" }

[[rule]]
name = "two look at deploys"
tool = "deploy"
verdict = "ask"
quorum = 2
denials = 2
expires = "1h"
remindAfter = "10m"
escalateAfter = "30m"
escalateTo = "admin"

[[rule]]
name = "admins drop tables"
tool = "drop"
verdict = "ask"
level = "admin"
"#,
    )
    .await;
}

#[tokio::test]
async fn contradictory_options_are_refused() {
    with_desk(async |desk| {
        for line in [
            "allow call_1 --exact --tool",
            "allow call_1 --session exact --exact",
            "allow call_1 --edit --arguments {}",
            "allow call_1 --edit --session tool",
            "allow call_1 --arguments {} --tool",
            "deny call_1 --command 'ls *' --url 'https://*'",
        ] {
            assert_eq!(desk.types(line).await.code, 2, "{line}");
        }
        assert_snapshot!(desk.types("allow call_1 --scope '{'").await, @"
        ! countersign: --scope: it is neither exact, pattern or tool, nor JSON: it is not JSON: EOF while parsing an object at line 1 column 1
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn grant_has_the_chosen_scope() {
    with_desk(async |desk| {
        desk.propose_here("t1", "call_1", "bash", r#"{"command":"echo one"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"git push"}"#).await;
        assert_snapshot!(desk.types("show call_2").await, @"
        call_2  bash  pending
          thread     t1
          arguments  command: git push
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
          does       moves the branch that is checked out
          expires    [time], then the call is denied
          similar    1 other call of this tool in this thread
          scope      command `git push **`
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        ");
        assert_snapshot!(desk.types("allow call_1 --any-agent --as user:ada --command 'echo **'").await, @"
        command `echo **` in folder [here]
        Allowed call_1, and later calls of bash in thread t1, for command `echo **`, until [time].
        exit 0
        ");
        assert_snapshot!(desk.types("deny call_2 --as user:ada --exact --comment 'not on Fridays'").await, @"
        this exact call: would have denied 0 of 1 earlier call
        Denied call_2, and later calls of bash in thread t1, for this exact call.
        exit 0
        ");
        assert_snapshot!(desk.types("run --thread t1 -- echo two three").await, @"
        two three
        exit 0
        ");
        let gate = desk.gate().await;
        let thread = countersign_api::parse_thread_id("t1").expect("valid");
        let again = api::ProposeRequest::new("call_3", "bash", r#"{"command":"git push"}"#).expect("valid");
        assert!(!gate.propose(&thread, &again).await.expect("proposed").is_pending());
        gate.shut_down().await;
        let shown = desk.types("show call_3").await.stdout;
        assert!(shown.contains("Denied without asking again, because user:ada denied it"), "{shown}");
        assert_snapshot!(desk.types("grant list t1").await, @"
        GRANT  TOOL  ANSWER  SCOPE                                                                        GIVEN BY  WHEN    ON CALL
            6  bash  allow   command `echo **` in folder [here], until [time]  user:ada  [ago]  call_1
            7  bash  deny    this exact call                                                              user:ada  [ago]  call_2
        exit 0
        ");
        assert_snapshot!(desk.types("grant revoke t1 6").await, @"
        Revoked grant 6 of thread t1. Grants still active: 1.
        exit 0
        ");
        assert_snapshot!(desk.types("log --thread t1").await, @"
            2  [moment]  t1  agent:builder proposes bash as call_1: echo one
            3  [moment]  t1  people are asked about call_1 (no rule matches this call), until [time]
            4  [moment]  t1  agent:builder proposes bash as call_2: git push
            5  [moment]  t1  people are asked about call_2 (no rule matches this call), until [time]
            6  [moment]  t1  user:ada allows call_1 for the session, for command `echo **` and every agent, until [time]
            7  [moment]  t1  user:ada denies call_2 and later calls for this exact call (not on Fridays)
            8  [moment]  t1  call_2 did not run: denied
            9  [moment]  t1  agent:root proposes bash as [call 1]: echo two three
           10  [moment]  t1  policy:grant allows [call 1] by grant 6 of user:ada for command `echo **`
           11  [moment]  t1  agent:root runs [call 1] as [executor]
           12  [moment]  t1  [call 1] succeeded: two three
           13  [moment]  t1  agent:builder proposes bash as call_3: git push
           14  [moment]  t1  policy:grant denies call_3 by grant 7 of user:ada for this exact call (user:ada denied it at [time]: not on Fridays)
           15  [moment]  t1  call_3 did not run: denied
           16  [moment]  t1  user:root revokes grant 6
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn scope_that_does_not_fit_is_refused() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", r#"{"command":"git status"}"#).await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada --command 'make *'").await, @"
        command `make *`
        ! countersign: scope: the pattern does not match the call that it is decided on
        exit 2
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --scope '\"most\"'").await, @r#"
        ! countersign: scope: a scope is "exact", "tool" or a pattern such as {"command": "git status **"}
        exit 2
        "#);
        assert!(desk.types("show call_1").await.stdout.starts_with("call_1  bash  pending"));
    })
    .await;
}

#[tokio::test]
async fn quorum_votes_report_their_progress() {
    with_desk(async |desk| {
        set_policy(desk).await;
        let mut run = desk.start("run --thread t1 --tool deploy --id call_1 -- echo hi");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ada --comment 'fine by me'").await, @"
        Voted on call_1: 1 of 2 to allow, 0 of 2 to deny. 1 more person must agree before it runs.
        exit 0
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ada").await, @"
        Nothing changed: user:ada already voted on call_1. 1 of 2 to allow, 0 of 2 to deny.
        exit 0
        ");
        assert_snapshot!(desk.types("deny call_1 --as user:ada").await, @"
        ! countersign: voted already: allow_once by user:ada at [time]
        ! hint: each approver votes once; `countersign show ID` lists the votes
        exit 3
        ");
        assert_snapshot!(desk.types("show call_1").await, @"
        call_1  deploy  pending
          thread     t1
          arguments  command: echo hi
                     cwd: [here]
          sha256     [sha256]
          proposed   by agent:root at [time] ([ago])
          asked      two look at deploys: the rule says so
          needs      2 to allow, 2 to deny
          votes      1 of 2 to allow, 0 of 2 to deny
                     user:ada allow_once at [time] (fine by me)
          reminder   at [time]
          escalation to level admin at [time]
          expires    [time], then the call is denied
          scope      command `echo hi **` in folder [here]
          policy     event 2, from a test: countersign policy show --seq 2
        exit 0
        ");
        let pending = desk.types("pending").await.stdout;
        assert!(pending.contains("votes: user:ada allow_once at "), "{pending}");
        assert_snapshot!(desk.types("allow call_1 --as user:ben").await, @"
        Allowed call_1 once.
        exit 0
        ");
        assert_eq!(run.wait_for_exit().await.stdout, "hi\n");
        assert_snapshot!(desk.types("log --thread t1").await, @"
            3  [moment]  t1  agent:root proposes deploy as call_1: echo hi
            4  [moment]  t1  2 people are asked about call_1 (two look at deploys: the rule says so), until [time]
            5  [moment]  t1  user:ada votes on call_1: allow_once (fine by me)
            6  [moment]  t1  user:ben votes on call_1: allow_once
            7  [moment]  t1  user:ben allows call_1
            8  [moment]  t1  agent:root runs call_1 as [executor]
            9  [moment]  t1  call_1 succeeded: hi
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn level_not_held_is_refused() {
    with_desk(async |desk| {
        set_policy(desk).await;
        let mut run = desk.start("run --thread t1 --tool drop --id call_1 -- echo hi");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("allow call_1 --as user:ben").await, @"
        ! countersign: user:ben cannot decide this: it takes level admin, and theirs is user
        ! hint: `countersign show ID` lists who may decide, and at which level
        exit 3
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --level user").await, @"
        ! countersign: user:ada cannot decide this: the request asks for level admin
        ! hint: `countersign show ID` lists who may decide, and at which level
        exit 3
        ");
        assert_snapshot!(desk.types("allow call_1 --as user:ada --level king").await, @r#"
        ! countersign: level: there is no level "king"; there is user, admin, super_admin
        exit 2
        "#);
        assert_snapshot!(desk.types("allow call_1 --as user:ada --level admin").await, @"
        Allowed call_1 once.
        exit 0
        ");
        assert_eq!(run.wait_for_exit().await.code, 0);
        let shown = desk.types("show call_1").await.stdout;
        assert!(shown.contains("  level      admin\n"), "{shown}");
    })
    .await;
}

/// `docs/concepts.md` names `allow --session` as the words of `allow_session`.
#[tokio::test]
async fn session_without_a_word_is_for_this_call() {
    with_desk(async |desk| {
        for (id, line) in [
            ("call_1", "allow call_1 --session --as user:ada"),
            ("call_2", "allow --session call_2 --as user:ada"),
            ("call_3", "allow --session tool call_3 --as user:ada"),
        ] {
            desk.propose(id, id, "mail", r#"{"to":"team"}"#).await;
            let allowed = desk.types(line).await;
            assert_eq!(allowed.code, 0, "{line}: {allowed}");
            let shown: serde_json::Value =
                serde_json::from_str(&desk.types(&format!("show {id} --json")).await.stdout).expect("JSON");
            let scope = if id == "call_3" { "tool" } else { "exact" };
            assert_eq!(shown["response"]["decision"], "allow_session", "{line}");
            assert_eq!(shown["response"]["scope"], scope, "{line}");
        }
        desk.propose("t", "call_4", "mail", "{}").await;
        for wrong in [
            "allow call_4 --session patern",
            "allow --session tool",
            "deny --session",
            "deny call_4 --session all",
        ] {
            let refused = desk.types(&format!("{wrong} --as user:ada")).await;
            assert_eq!(refused.code, 2, "{wrong}: {refused}");
        }
        assert!(desk.types("pending").await.stdout.contains("call_4"), "nothing was decided");
    })
    .await;
}
