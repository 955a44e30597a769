//! `countersign policy use`, and `install --profile`.

use crate::desk::{TerminalDesk, with_desk, with_empty_desk};
use countersign_api::ApprovalGate;
use countersign_policy::Policy;
use insta::assert_snapshot;
use serde_json::Value;

/// The active policy, as `policy show --json` prints it.
async fn active_policy(desk: &TerminalDesk) -> Value {
    let shown = desk.types("policy show --json").await;
    serde_json::from_str(&shown.stdout).expect("JSON")
}

#[tokio::test]
async fn profile_replaces_the_shipped_policy() {
    with_empty_desk(async |desk| {
        for profile in ["coding", "observe", "careful"] {
            let used = desk.types(&format!("policy use {profile} --yes --as user:ada")).await;
            assert_eq!(used.code, 0, "{}", used.stderr);
            let active = active_policy(desk).await;
            assert_eq!(active["source"], format!("profile {profile}"));
            assert_eq!(active["layers"], serde_json::json!([]));
        }
        let again = desk.types("policy use careful --yes --as user:ada").await;
        assert!(again.stdout.contains("nothing was changed"), "{}", again.stdout);
        let shown: Value =
            serde_json::from_str(&desk.types("policy show --profile careful --json").await.stdout)
                .expect("JSON");
        assert_eq!(shown["text"], active_policy(desk).await["text"]);
    })
    .await;
}

#[tokio::test]
async fn own_policy_becomes_a_layer() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        let own = "[[rule]]\nname = \"no tests\"\ncommand = \"npm test **\"\nverdict = \"block\"\n";
        desk.write_file("own.toml", own);
        assert_eq!(desk.types("policy apply own.toml --yes --as user:ada").await.code, 0);
        assert_eq!(desk.types("policy use coding --yes --as user:ada").await.code, 0);
        let active = active_policy(desk).await;
        assert_eq!(active["layers"], serde_json::json!([{"name": "policy.d/own.toml", "text": own}]));
        // Another profile takes the place of the first, and the layer stays.
        assert_eq!(desk.types("policy use careful --yes --as user:ada").await.code, 0);
        let active = active_policy(desk).await;
        assert_eq!(active["layers"], serde_json::json!([{"name": "policy.d/own.toml", "text": own}]));
    })
    .await;
}

#[tokio::test]
async fn policy_that_contradicts_the_profile_stays() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        desk.write_file("own.toml", "remember = \"10m\"\n");
        assert_eq!(desk.types("policy apply own.toml --yes --as user:ada").await.code, 0);
        let refused = desk.types("policy use coding --yes --as user:ada").await;
        assert_eq!(refused.code, 3);
        assert!(
            refused.stderr.contains("does not fit to your own policy, which stays active"),
            "{}",
            refused.stderr
        );
        assert_eq!(active_policy(desk).await["text"], "remember = \"10m\"\n");
        assert_eq!(desk.types("policy use reckless --yes").await.code, 2);
    })
    .await;
}

/// The last lines of an installation, after the change of the file.
fn read_notes(installed: &str) -> String {
    let lines: Vec<_> = installed.lines().skip_while(|line| !line.contains(" is changed.")).collect();
    lines.join("\n")
}

#[tokio::test]
async fn install_activates_coding_in_a_new_log() {
    with_empty_desk(async |desk| {
        let installed = desk.types("install codex --yes --database log.db").await;
        assert_snapshot!(read_notes(&installed.stdout), @"
        [here]/.codex/config.toml is changed.
        The policy is now the profile coding: reading, editing, builds, tests and local Git in the project are free; all else is asked. To choose another: countersign --database log.db policy use careful, or --profile.
        Codex runs a new hook only after you trusted it: start codex, and review it with /hooks.
        Check the hooks with: countersign install --verify
        ");
        let shown = desk.types("policy show --json --database log.db").await;
        let active: Value = serde_json::from_str(&shown.stdout).expect("JSON");
        assert_eq!(active["source"], "profile coding");
        let second = desk.types("install cursor --yes --json --database log.db").await;
        let report: Value = serde_json::from_str(&second.stdout).expect("one object");
        assert_eq!(report["policy"]["profile"], Value::Null, "{second}");
        assert_eq!(desk.types("uninstall codex --yes").await.code, 0);
        assert_eq!(desk.types("policy show --json --database log.db").await.stdout, shown.stdout);
    })
    .await;
}

#[tokio::test]
async fn install_keeps_a_chosen_policy() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        desk.types("install codex --yes --profile none").await;
        assert_eq!(active_policy(desk).await["source"], "shipped", "none keeps it");
        desk.apply_policy("remember = \"10m\"\n").await;
        let own = desk.types("install cursor --yes").await;
        desk.types("policy use careful --yes --as user:ada").await;
        desk.apply_policy(Policy::SHIPPED).await;
        let shipped = desk.types("install gemini-cli --yes").await;
        assert_eq!(active_policy(desk).await["text"], Policy::SHIPPED, "a person chose it");
        desk.types("policy use careful --yes --as user:ada").await;
        let careful = desk.types("install claude-code --yes").await;
        assert_snapshot!([own, shipped, careful].map(|screen| read_notes(&screen.stdout)).join("\n"), @"
        [here]/.cursor/hooks.json is changed.
        Your own policy stays active (from a test). To add the profile coding, with your rules as a layer: countersign policy use coding
        Check the hooks with: countersign install --verify
        [here]/.gemini/settings.json is changed.
        Your own policy stays active (from a test). To add the profile coding, with your rules as a layer: countersign policy use coding
        Check the hooks with: countersign install --verify
        [here]/.claude/settings.json is changed.
        The profile careful stays active. To choose another: countersign policy use PROFILE, or --profile.
        Claude Code 2.1.295 or later blocks calls also if a hook fails in a way that Countersign cannot catch.
        Check the hooks with: countersign install --verify
        ");
    })
    .await;
}

#[tokio::test]
async fn install_succeeds_where_the_policy_cannot_be_set() {
    with_desk(async |desk| {
        let far = desk.types("install codex --yes --server http://127.0.0.1:1").await;
        let agent = desk.types("install cursor --yes --as agent:bot").await;
        assert_snapshot!([&far, &agent].map(|screen| read_notes(&screen.stdout)).join("\n"), @"
        [here]/.codex/config.toml is changed.
        The policy was not changed: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server. Whoever may set it can use the profile coding: countersign --server http://127.0.0.1:1 policy use coding
        Codex runs a new hook only after you trusted it: start codex, and review it with /hooks.
        Check the hooks with: countersign install --verify
        [here]/.cursor/hooks.json is changed.
        The policy was not changed: agent:bot may not change the policy; only people may. Whoever may set it can use the profile coding: countersign policy use coding
        Check the hooks with: countersign install --verify
        ");
        assert_eq!((far.code, agent.code), (0, 0));
        assert_eq!(active_policy(desk).await["source"], "shipped");
        assert_eq!(desk.types("install codex --yes --profile reckless").await.code, 2);
    })
    .await;
}
