//! `countersign policy add`, and what a policy file takes away.

use crate::desk::{TerminalDesk, with_desk, with_empty_desk};
use countersign_api::ApprovalGate;
use countersign_policy::Policy;
use insta::assert_snapshot;
use serde_json::Value;

const LOOKING: &str =
    "[[rule]]\nname = \"looking around\"\ntool = \"bash\"\ncommand = \"ls **\"\nverdict = \"allow\"\n";

async fn active_policy(desk: &TerminalDesk) -> Value {
    let shown = desk.types("policy show --json").await;
    serde_json::from_str(&shown.stdout).expect("JSON")
}

#[tokio::test]
async fn added_rules_keep_the_built_in_ones() {
    with_empty_desk(async |desk| {
        desk.write_file("policy.toml", LOOKING);
        let added = desk.types("policy add policy.toml --yes --as user:ada").await;
        assert_eq!(added.code, 0, "{added}");
        assert!(!added.stdout.contains("Warning"), "{added}");
        let active = active_policy(desk).await;
        assert_eq!(active["text"], Policy::SHIPPED);
        assert_eq!(active["layers"], serde_json::json!([{"name": "policy.d/policy.toml", "text": LOOKING}]));
        assert_eq!(desk.types("run -- ls").await.code, 0, "the added rule allows");
        assert_eq!(
            desk.types("policy check -- countersign allow x").await.code,
            77,
            "the built-in rule blocks"
        );
        // The same name replaces the layer.
        desk.write_file("policy.toml", "default = \"ask\"\n");
        assert_eq!(desk.types("policy add policy.toml --yes --as user:ada").await.code, 0);
        let layers = active_policy(desk).await["layers"].clone();
        assert_eq!(layers.as_array().map(Vec::len), Some(1), "{layers}");
    })
    .await;
}

#[tokio::test]
async fn unusable_additions_change_nothing() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        let before = active_policy(desk).await;
        desk.write_file("broken.toml", "defualt = \"allow\"\n");
        desk.write_file("memory.toml", "remember = \"10m\"\n");
        desk.write_file("two words.toml", LOOKING);
        assert_snapshot!(desk.types("policy add broken.toml --yes --as user:ada").await, @"
        ! countersign: policy.d/broken.toml: the policy is invalid at line 1, column 1: a policy has no key `defualt`; did you mean `default`?
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_snapshot!(desk.types("policy add memory.toml --yes --as user:ada").await, @"
        ! countersign: policy.d/memory.toml: the policy is invalid at line 1, column 1: `remember` has another value in the main file, line 16; define it in one of the two files
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_snapshot!(desk.types("policy add 'two words.toml' --yes --as user:ada").await, @r#"
        ! countersign: the policy cannot be read: the name "policy.d/two words.toml" is not possible for a layer; use letters, digits, `-`, `_` and `.`, as in "policy.d/10-team.toml"; choose a name with --name
        exit 2
        "#);
        assert_snapshot!(desk.types("policy add broken.toml --name managed --yes --as user:ada").await, @r#"
        ! countersign: policy.d/managed.toml is the layer of accepted rules; choose another name with --name
        exit 2
        "#);
        assert_snapshot!(desk.types("policy add - --yes --as user:ada").await, @r#"
        ! countersign: stdin needs --name
        exit 2
        "#);
        assert_snapshot!(desk.types("policy add memory.toml --policy memory.toml --yes --as user:ada").await, @r#"
        ! countersign: the policy comes from memory.toml, which takes the place of what is added to the log; put the file into policy.d/ instead
        exit 2
        "#);
        assert_eq!(active_policy(desk).await, before);
    })
    .await;
}

/// Starts a server with the policy file, and returns what its introduction says of the policy.
async fn introduction(desk: &TerminalDesk) -> String {
    let mut server = desk.start("serve --listen 127.0.0.1:0 --policy policy.toml");
    server.wait_for_stdout("Ctrl-C stops the server").await;
    server.send_signal("INT").await;
    let printed = server.wait_for_exit().await.to_string();
    let lines = printed.lines().skip_while(|line| !line.contains("  policy "));
    lines.take_while(|line| !line.contains("  callers ")).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn lost_block_rules_are_named() {
    with_empty_desk(async |desk| {
        desk.write_file("policy.toml", LOOKING);
        let (first, second) = (introduction(desk).await, introduction(desk).await);
        assert_snapshot!(first, @r#"
          policy     [here]/policy.toml (1 rule; active since [time], by user:root)
                     It removes these rules, which block calls: "agents do not call the routes that decide", "agents do not decide", "agents do not open the log", "agents do not query the log".
                     To have both, start without --policy, and run: countersign policy revert 1, then countersign policy add FILE
        "#);
        assert_snapshot!(second, @r#"
          policy     [here]/policy.toml (1 rule; active since [time], by user:root)
                     It does not have these rules of the built-in policy, which block calls: "agents do not call the routes that decide", "agents do not decide", "agents do not open the log", "agents do not query the log".
        "#);
        assert_eq!(desk.types("policy revert 1 --yes --as user:ada").await.code, 0);
        let applied = desk.types("policy apply policy.toml --yes --as user:ada").await;
        let warned = applied.to_string();
        let warned = warned.lines().find(|line| line.starts_with("Warning: the active")).map(str::to_owned);
        assert_snapshot!(warned.unwrap_or_default(), @r#"Warning: the active policy blocks calls by these rules, and the new one does not have them: "agents do not call the routes that decide", "agents do not decide", "agents do not open the log", "agents do not query the log". `countersign policy add FILE` adds rules and keeps these."#);
    })
    .await;
}
