//! `countersign policy use`, and `install --profile`.

use crate::desk::{TerminalDesk, with_desk, with_empty_desk};
use countersign_api::ApprovalGate;
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
