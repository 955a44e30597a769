//! `countersign policy replay`

use crate::desk::{TerminalDesk, with_desk};
use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_store::StoreOptions;
use insta::assert_snapshot;

/// Writes a log with two allowed and finished calls, one denied call and one pending call.
async fn write_history(desk: &TerminalDesk) {
    for (id, command) in
        [("call_1", "git status"), ("call_2", "git status -s"), ("call_3", "git push --tags")]
    {
        desk.propose("t1", id, "bash", &format!("{{\"command\":\"{command}\"}}")).await;
        if id == "call_3" {
            desk.types("deny call_3 --as user:ada --comment 'history is shared'").await;
        } else {
            desk.types(&format!("allow {id} --as user:ada")).await;
        }
    }
    desk.propose("t2", "call_1", "mail", r#"{"to":"bob"}"#).await;
    desk.apply_policy("default = \"allow\"\n").await;
    desk.types("run -- true").await;
    desk.apply_policy(Policy::SHIPPED).await;
}

const OTHER: &str = "[patterns]\n\"bash:git{*, push **}\" = \"allow\"\n\"bash:true\" = \"block\"\n";

#[tokio::test]
async fn empty_log_has_nothing_to_compare() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("policy replay").await, @"
        No calls were proposed in this time.
        exit 0
        ");
        desk.write_file("policy.toml", "default = 7\n");
        assert_snapshot!(desk.types("policy replay --policy policy.toml").await, @"
        ! countersign: policy.toml: the policy is invalid at line 1, column 11: a verdict must be a string, not a number
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_snapshot!(desk.types("policy replay --since 1h --until 2h").await, @"
        ! countersign: --until must be later than --since
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn replay_of_the_same_policy_has_no_differences() {
    with_desk(async |desk| {
        let policy = "default = \"ask\"\n[patterns]\n\"mail\" = \"block\"\n\"free\" = \"allow\"\n";
        desk.write_file("policy.toml", policy);
        let policy = Policy::read(policy).expect("a policy");
        let gate =
            EmbeddedGate::open_with(desk.path("countersign.db"), StoreOptions::default(), policy).await;
        let gate = gate.expect("the log opens").acting_as(Principal::agent("builder"));
        let thread = countersign_api::parse_thread_id("t1").expect("a valid name");
        for (id, tool) in [("call_1", "bash"), ("call_2", "mail"), ("call_3", "free"), ("call_4", "bash")] {
            let call = api::ProposeRequest::new(id, tool, "{}").expect("a valid call");
            gate.propose(&thread, &call).await.expect("proposed");
            if id == "call_1" {
                desk.types("allow call_1 --session tool --as user:ada").await;
            }
        }
        gate.shut_down().await;
        assert_snapshot!(desk.types("policy replay --policy policy.toml").await, @"
        4 calls, judged by policy.toml:

                                THEN  NOW
        people asked               1    1
        allowed by the policy      1    1
        blocked by the policy      1    1
        answered by the thread     1    1

        No verdict changes.

        RULE     VERDICT  CALLS
        default  ask          2
        free     allow        1
        mail     block        1
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn differences_are_listed_call_by_call() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.write_file("policy.toml", OTHER);
        assert_snapshot!(desk.types("policy replay --policy policy.toml").await, @"
        5 calls, judged by policy.toml:

                                THEN  NOW
        people asked               4    1
        allowed by the policy      1    3
        blocked by the policy      0    1
        answered by the thread     0    0

        3 prompts saved (3 allowed, 0 blocked), 0 added; 4 of 5 calls have another outcome.

        Would now be allowed, but was denied, expired or changed: 1
        SEQ  THREAD  ID      TOOL  THEN                                   NOW                            ARGUMENTS
          8  t1      call_3  bash  denied by user:ada: history is shared  allow by bash:git{*, push **}  git push --tags

        Would now be blocked, but ran: 1
        SEQ  THREAD    ID                 TOOL  THEN                       NOW                 ARGUMENTS
         16  terminal  [call 1]  bash  allowed by policy:default  block by bash:true  true

        RULE                  VERDICT  CALLS
        bash:git{*, push **}  allow        3
        default               ask          1
        bash:true             block        1
        exit 0
        ");
        assert_snapshot!(desk.types("policy replay --policy policy.toml --thread t2").await, @"
        1 call, judged by policy.toml:

                                THEN  NOW
        people asked               1    1
        allowed by the policy      0    0
        blocked by the policy      0    0
        answered by the thread     0    0

        No verdict changes.

        RULE     VERDICT  CALLS
        default  ask          1
        exit 0
        ");
        let output = desk.types("policy replay --policy policy.toml --json").await.stdout;
        let json: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        assert_eq!(json["saved"], serde_json::json!({"allowed": 3, "blocked": 0}), "{json}");
        let denied = &json["allowedThoughDenied"];
        assert_eq!((&denied["count"], &denied["calls"][0]["id"]), (&1.into(), &"call_3".into()));
        assert_eq!(denied["calls"][0]["then"]["by"], "user:ada");
        assert_eq!(json["blockedThoughRun"]["count"], 1);
    })
    .await;
}

#[tokio::test]
async fn time_range_and_server_limit_the_replay() {
    with_desk(async |desk| {
        write_history(desk).await;
        desk.write_file("policy.toml", OTHER);
        let whole = desk.types("policy replay --policy policy.toml --json").await.stdout;
        assert_eq!(desk.types("policy replay --policy policy.toml --since 1h --json").await.stdout, whole);
        assert_snapshot!(desk.types("policy replay --policy policy.toml --until 1h").await, @"
        No calls were proposed in this time.
        exit 0
        ");
        let mut server = desk.start("serve --listen unix:socket");
        server.wait_for_stdout("listening").await;
        let line = "policy replay --policy policy.toml --server unix:socket --json";
        assert_eq!(desk.types(line).await.stdout, whole);
        server.send_signal("TERM").await;
        server.wait_for_exit().await;
    })
    .await;
}

/// A replay by the active policy now would show differences that mean nothing.
#[tokio::test]
async fn recorded_replay_uses_the_policies_of_the_time() {
    with_desk(async |desk| {
        write_history(desk).await;
        assert_snapshot!(desk.types("policy replay --recorded").await, @"
        5 calls, each judged by the policy that was active when it was proposed (2 policies).
        Every recorded verdict comes out again.
        exit 0
        ");
        let replayed = desk.types("policy replay --recorded --json").await.stdout;
        let replayed: serde_json::Value = serde_json::from_str(&replayed).expect("JSON");
        assert_eq!((&replayed["unchanged"], &replayed["differing"]["count"]), (&5.into(), &0.into()));
        desk.write_file("policy.toml", "default = \"block\"\n");
        let refused = desk.types("policy replay --recorded --policy policy.toml").await;
        assert_eq!(refused.code, 2, "{refused}");
    })
    .await;
}

/// A program wrote an answer that the policy did not give.
#[tokio::test]
async fn recorded_replay_lists_a_forged_verdict() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"allow\"\n").await;
        desk.types("run -- true").await;
        let forged = "DROP TRIGGER rows_are_never_changed; \
            UPDATE events SET data = replace(data, 'default = \\\"allow\\\"', 'default = \\\"ask\\\"') \
            WHERE type = 'POLICY_SET'";
        let said = desk.run_program("sqlite3", &["countersign.db", forged]).await;
        assert_eq!(said, "");
        let replayed = desk.types("policy replay --recorded").await;
        assert_snapshot!(replayed, @"
        1 call, each judged by the policy that was active when it was proposed (1 policy).

        With another verdict than the recorded one: 1
        SEQ  POLICY  THREAD    ID                 TOOL  THEN                       NOW             REASON NOW                 ARGUMENTS
          3       2  terminal  [call 1]  bash  allowed by policy:default  ask by default  no rule matches this call  true

        POLICY is the event of the policy: countersign policy show --seq N
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn show_names_the_policy_that_judged() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.apply_policy("default = \"block\"\n").await;
        desk.propose("t1", "call_2", "bash", "{}").await;
        let first = desk.types("show call_1").await.stdout;
        assert!(
            first.contains("policy     event 1, from shipped: countersign policy show --seq 1"),
            "{first}"
        );
        let second = desk.types("show call_2").await.stdout;
        assert!(second.contains("policy show --seq 4"), "{second}");
        let text = desk.types("policy show --seq 4").await.stdout;
        assert!(text.contains("default = \"block\""), "{text}");
    })
    .await;
}
