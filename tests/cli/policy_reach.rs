//! `countersign policy reach`

use crate::desk::with_desk;
use insta::assert_snapshot;

const POLICY: &str = r#"
[[rule]]
name = "showing files"
tool = "Bash"
command = "tac **"
verdict = "allow"

[[protect]]
name = "secrets"
package = "secrets"
verdict = "block"
"#;

#[tokio::test]
async fn question_is_answered_with_calls() {
    with_desk(async |desk| {
        desk.write_file("policy.toml", POLICY);
        assert_snapshot!(desk.types("policy reach --policy policy.toml read notes.txt").await);
        assert_snapshot!(desk.types("policy reach --policy policy.toml read .env").await);
        let screen = desk.types("policy reach --policy policy.toml --json read notes.txt").await;
        let told: serde_json::Value = serde_json::from_str(&screen.stdout).expect("JSON");
        assert_eq!((screen.code, &told["reachable"], &told["isComplete"]), (1, &true.into(), &true.into()));
        let first = &told["witnesses"][0];
        assert_eq!(first["call"]["arguments"]["command"], "tac notes.txt", "{told}");
        assert_eq!((&first["rules"][0], &first["does"]), (&"showing files".into(), &true.into()), "{told}");
    })
    .await;
}

#[tokio::test]
async fn bad_questions_say_what_to_write() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("policy reach look .env").await);
        assert_snapshot!(desk.types("policy reach read").await);
        assert_snapshot!(desk.types("policy reach --agent nobody read .env").await);
        assert_snapshot!(desk.types("policy reach --profile coding --policy x.toml read .env").await);
    })
    .await;
}

#[tokio::test]
async fn applied_policy_shows_what_becomes_reachable() {
    with_desk(async |desk| {
        desk.write_file("first.toml", "default = \"ask\"\n");
        desk.write_file("open.toml", "[patterns]\n\"Bash:cat **\" = \"allow\"\n");
        assert_eq!(desk.types("policy apply first.toml --yes --as user:ada").await.code, 0);
        let screen = desk.types("policy apply open.toml --yes --as user:ada").await;
        assert!(screen.stdout.contains("Newly allowed in this folder"), "{screen}");
        assert!(screen.stdout.contains("read .env  cat .env (by Bash:cat **)"), "{screen}");
        let screen = desk.types("policy apply first.toml --yes --json --as user:ada").await;
        let told: serde_json::Value = serde_json::from_str(&screen.stdout).expect("JSON");
        assert_eq!(told["newlyReachable"], serde_json::json!([]), "{told}");
    })
    .await;
}
