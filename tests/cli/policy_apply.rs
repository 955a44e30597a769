//! `countersign policy apply`, `show`, `history` and `revert`

use crate::{
    desk::{TerminalDesk, with_desk},
    tmux::TmuxTerminal,
};
use countersign_api::ApprovalGate;
use countersign_tests::over_http;
use insta::assert_snapshot;

const STRICT: &str = "default = \"ask\"\n\n[[rule]]\nname = \"no force pushes\"\ntool = \"bash\"\ncommand = \"git push*--force*\"\nverdict = \"block\"\nreason = \"history is shared\"\n";

/// Writes two policies, of which `first.toml` is active.
async fn write_policies(desk: &TerminalDesk) {
    desk.write_file("first.toml", "default = \"ask\"\n");
    desk.write_file("strict.toml", STRICT);
    desk.gate().await.shut_down().await;
    assert_eq!(desk.types("policy apply first.toml --yes --as user:ada").await.code, 0);
}

#[tokio::test]
async fn apply_shows_difference_and_last_week() {
    with_desk(async |desk| {
        write_policies(desk).await;
        desk.propose("t1", "call_1", "bash", r#"{"command":"git push --force"}"#).await;
        desk.propose("t1", "call_2", "bash", r#"{"command":"ls"}"#).await;
        assert_eq!(desk.types("allow call_1 --as user:ada").await.code, 0);
        assert_snapshot!(desk.types("policy apply strict.toml --yes --as user:ada").await, @r#"
        --- active: the main file
        +++ new: the main file
        @@ -1 +1,8 @@
         default = "ask"
        +
        +[[rule]]
        +name = "no force pushes"
        +tool = "bash"
        +command = "git push*--force*"
        +verdict = "block"
        +reason = "history is shared"

        The calls of the last week, judged by it: 1 prompt saved (0 allowed, 1 blocked), 0 added; 1 of 2 calls have another outcome.
        To list them: countersign policy replay --since 7d --policy strict.toml
        Active since [time] (event 8): 1 rule, SHA-256 [sha256]. It replaces event 2.
        exit 0
        "#);
        assert_eq!(
            desk.types("run --thread t2 -- git push --force").await.code,
            77,
            "all processes judge by it"
        );
    })
    .await;
}

#[tokio::test]
async fn apply_without_terminal_needs_yes() {
    with_desk(async |desk| {
        write_policies(desk).await;
        assert_snapshot!(desk.types("policy apply strict.toml --as user:ada").await, @r#"
        --- active: the main file
        +++ new: the main file
        @@ -1 +1,8 @@
         default = "ask"
        +
        +[[rule]]
        +name = "no force pushes"
        +tool = "bash"
        +command = "git push*--force*"
        +verdict = "block"
        +reason = "history is shared"

        No calls were proposed in the last week.
        ! countersign: nothing was changed: without a terminal, or with --json, confirm with --yes
        exit 2
        "#);
        assert_snapshot!(desk.types("policy apply strict.toml --json --as user:ada").await, @r#"
        ! {"code":"usage","detail":"nothing was changed: without a terminal, or with --json, confirm with --yes"}
        exit 2
        "#);
        assert!(desk.types("policy show").await.stdout.contains("first.toml"));
    })
    .await;
}

#[tokio::test]
async fn agent_may_not_apply_a_policy() {
    with_desk(async |desk| {
        write_policies(desk).await;
        assert_snapshot!(desk.types("policy apply strict.toml --yes --as agent:builder").await, @"
        ! countersign: agent:builder may not change the policy; only people may
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert_snapshot!(desk.types("policy revert --yes --as agent:builder").await, @"
        ! countersign: agent:builder may not change the policy; only people may
        ! hint: decide as a person: --as user:NAME
        exit 3
        ");
        assert!(desk.types("policy show").await.stdout.contains("first.toml"));
    })
    .await;
}

#[tokio::test]
async fn broken_file_changes_nothing() {
    with_desk(async |desk| {
        write_policies(desk).await;
        desk.write_file("broken.toml", "defualt = \"allow\"\n");
        assert_snapshot!(desk.types("policy apply broken.toml --yes --as user:ada").await, @"
        ! countersign: broken.toml: the policy is invalid at line 1, column 1: a policy has no key `defualt`; did you mean `default`?
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        std::fs::create_dir(desk.path("policy.d")).expect("a folder");
        desk.write_file("policy.d/10-a.toml", "default = 1\n");
        assert_snapshot!(desk.types("policy apply strict.toml --yes --as user:ada").await, @"
        ! countersign: policy.d/10-a.toml: the policy is invalid at line 1, column 11: a verdict must be a string, not a number
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert!(desk.types("policy show").await.stdout.contains("first.toml"));
    })
    .await;
}

#[tokio::test]
async fn policy_in_force_is_not_recorded_twice() {
    with_desk(async |desk| {
        write_policies(desk).await;
        let before = desk.types("policy show --seq 2 --hash").await.stdout;
        assert_snapshot!(desk.types("policy apply first.toml --as user:ben").await, @"
        Already active since [time] (event 2, by user:ada); nothing was changed.
        exit 0
        ");
        let shown: serde_json::Value =
            serde_json::from_str(&desk.types("policy apply first.toml --json --as user:ben").await.stdout)
                .expect("JSON");
        assert_eq!((&shown["changed"], &shown["policy"]["seq"]), (&false.into(), &2.into()), "{shown}");
        assert_eq!(desk.types("policy show --hash").await.stdout, before);
    })
    .await;
}

#[tokio::test]
async fn policy_changed_meanwhile_is_refused() {
    with_desk(async |desk| {
        write_policies(desk).await;
        desk.write_file("other.toml", "default = \"block\"\n");
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign policy apply strict.toml --as user:ada").await;
        terminal.wait_for_text("Apply this policy? [y/N]").await;
        assert_eq!(desk.types("policy apply other.toml --yes --as user:ben").await.code, 0);
        terminal.types("y").await;
        terminal.wait_for_line("hint: `countersign policy show`").await;
        assert!(desk.types("policy show").await.stdout.contains("other.toml"));
    })
    .await;
}

#[tokio::test]
async fn declined_question_changes_nothing() {
    with_desk(async |desk| {
        write_policies(desk).await;
        let terminal = TmuxTerminal::open(desk).await;
        terminal.types("clear; countersign policy apply strict.toml --as user:ada").await;
        terminal.wait_for_text("Apply this policy? [y/N]").await;
        terminal.types("n").await;
        terminal.wait_for_line("Nothing was changed.").await;
        assert!(desk.types("policy show").await.stdout.contains("first.toml"));
    })
    .await;
}

#[tokio::test]
async fn layers_are_applied_shown_and_compared() {
    with_desk(async |desk| {
        write_policies(desk).await;
        std::fs::create_dir(desk.path("policy.d")).expect("a folder");
        desk.write_file("policy.d/10-a.toml", "[patterns]\nmail = \"block\"\n");
        assert_snapshot!(desk.types("policy apply first.toml --yes --as user:ada").await, @r#"
        --- active: no policy.d/10-a.toml
        +++ new: policy.d/10-a.toml
        @@ -0,0 +1,2 @@
        +[patterns]
        +mail = "block"

        No calls were proposed in the last week.
        Active since [time] (event 3): 1 rule, SHA-256 [sha256]. It replaces event 2.
        exit 0
        "#);
        assert_snapshot!(desk.types("policy show").await, @r#"
        # Event 3, [time]: user:ada applied this policy, from [here]/first.toml
        # SHA-256 [sha256]

        default = "ask"


        # policy.d/10-a.toml

        [patterns]
        mail = "block"
        exit 0
        "#);
        std::fs::remove_file(desk.path("policy.d/10-a.toml")).expect("removed");
        assert!(
            desk.types("policy apply first.toml --as user:ada")
                .await
                .stdout
                .contains("+++ new: no policy.d/10-a.toml")
        );
        assert_eq!(
            desk.types("policy check --tool mail").await.code,
            77,
            "without a file, the active policy judges"
        );
    })
    .await;
}

#[tokio::test]
async fn history_lists_each_policy_with_its_author() {
    with_desk(async |desk| {
        write_policies(desk).await;
        assert_eq!(desk.types("policy apply strict.toml --yes --as user:ben").await.code, 0);
        assert_snapshot!(desk.types("policy history -n 2").await, @"
        SEQ  WHEN                      BY        RULES  SHA-256       SOURCE
          2  [time]  user:ada      0  41d36fb98b26  [here]/first.toml
          3  [time]  user:ben      1  d7ffc9209059  [here]/strict.toml (active)
        1 older: -n shows more of them.
        exit 0
        ");
        assert_snapshot!(desk.types("policy history -n 1").await, @"
        SEQ  WHEN                      BY        RULES  SHA-256       SOURCE
          3  [time]  user:ben      1  d7ffc9209059  [here]/strict.toml (active)
        2 older: -n shows more of them.
        exit 0
        ");
        let listed: serde_json::Value =
            serde_json::from_str(&desk.types("policy history --json").await.stdout).expect("JSON");
        assert_eq!(listed["policies"].as_array().map(Vec::len), Some(3), "{listed}");
        assert_eq!(
            (&listed["policies"][2]["rules"], &listed["policies"][2]["principal"]),
            (&1.into(), &"user:ben".into())
        );
        assert_snapshot!(desk.types("policy show --seq 3").await, @r#"
        # Event 3, [time]: user:ben applied this policy, from [here]/strict.toml
        # SHA-256 [sha256]

        default = "ask"

        [[rule]]
        name = "no force pushes"
        tool = "bash"
        command = "git push*--force*"
        verdict = "block"
        reason = "history is shared"
        exit 0
        "#);
        assert_snapshot!(desk.types("policy show --seq 99").await, @"
        ! countersign: event 99 set no policy: `countersign policy history` lists those that did
        exit 4
        ");
    })
    .await;
}

#[tokio::test]
async fn revert_returns_to_an_earlier_policy() {
    with_desk(async |desk| {
        write_policies(desk).await;
        let first = desk.types("policy show --hash").await.stdout;
        assert_eq!(desk.types("policy apply strict.toml --yes --as user:ada").await.code, 0);
        let strict = desk.types("policy show --hash").await.stdout;
        assert_snapshot!(desk.types("policy revert --yes --as user:ben").await, @r#"
        --- active: the main file
        +++ new: the main file
        @@ -1,8 +1 @@
         default = "ask"
        -
        -[[rule]]
        -name = "no force pushes"
        -tool = "bash"
        -command = "git push*--force*"
        -verdict = "block"
        -reason = "history is shared"

        Warning: the active policy blocks calls by these rules, and the new one does not have them: "no force pushes". `countersign policy add FILE` adds rules and keeps these.

        No calls were proposed in the last week.
        Active since [time] (event 4): 0 rules, SHA-256 [sha256]. It replaces event 3.
        exit 0
        "#);
        assert_eq!(desk.types("policy show --hash").await.stdout, first);
        assert_eq!(desk.types("policy revert --yes --as user:ben").await.code, 0);
        assert_eq!(desk.types("policy show --hash").await.stdout, strict, "a second revert undoes the first");
        assert_eq!(desk.types("policy revert 1 --yes --as user:ben").await.code, 0);
        assert!(desk.types("policy show").await.stdout.contains("from event 1: shipped"));
        assert_snapshot!(desk.types("policy revert 99 --yes --as user:ben").await, @"
        ! countersign: event 99 set no policy: `countersign policy history` lists those that did
        exit 4
        ");
    })
    .await;
}

#[tokio::test]
async fn only_policy_cannot_be_reverted() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("policy revert --yes --as user:ada").await, @"
        ! countersign: the log has had no other policy, so there is none to return to
        exit 4
        ");
    })
    .await;
}

#[tokio::test]
async fn policy_commands_work_over_a_server() {
    with_desk(async |desk| {
        over_http("default = \"ask\"", async |world| {
            let server = format!("--server http://{}", world.service.address);
            let file = format!("--database {}", world.path().display());
            desk.write_file("strict.toml", STRICT);
            let apply = format!("policy apply strict.toml --yes {server}");
            assert_eq!(desk.types(&apply).await.code, 0);
            for asked in [
                "policy show",
                "policy show --hash",
                "policy show --seq 1",
                "policy history",
                "policy show --seq 99",
            ] {
                let [over_server, over_file] = [
                    desk.types(&format!("{asked} --json {server}")).await,
                    desk.types(&format!("{asked} --json {file}")).await,
                ];
                assert_eq!(over_server.to_string(), over_file.to_string(), "{asked}");
            }
            let again = format!("policy apply strict.toml {server}");
            assert!(desk.types(&again).await.stdout.starts_with("Already active"));
            let refused = desk.types(&format!("policy revert --yes --as user:ada {server}")).await;
            assert!(refused.stderr.contains("a server takes it from the token"), "{refused}");
            assert_eq!(desk.types(&format!("policy revert --yes {server}")).await.code, 0);
        })
        .await;
    })
    .await;
}
