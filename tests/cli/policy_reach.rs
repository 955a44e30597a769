//! `countersign policy reach`

use crate::desk::with_desk;
use countersign_api::ApprovalGate;

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
        let screen = desk.types("policy reach --policy policy.toml read notes.txt").await;
        assert_eq!(screen.code, 1);
        for part in [
            "policy.toml can allow it",
            "  by showing files\n    tac notes.txt\n",
            "ask  by default",
            "Not covered",
        ] {
            assert!(screen.stdout.contains(part), "{part}: {}", screen.stdout);
        }
        let screen = desk.types("policy reach --policy policy.toml read .env").await;
        assert_eq!(screen.code, 0);
        assert!(screen.stdout.contains("policy.toml allows no call that was tried"), "{}", screen.stdout);
        assert!(screen.stdout.contains("block  by secrets"), "{}", screen.stdout);
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
        for (line, part) in [
            ("policy reach look .env", "does not begin with \"look\""),
            ("policy reach read", "write `read FILE`"),
            ("policy reach --agent nobody read .env", "known are claude-code"),
            ("policy reach --profile coding --policy x.toml read .env", "not both"),
        ] {
            let screen = desk.types(line).await;
            assert_eq!(screen.code, 2, "{line}");
            assert!(screen.stderr.contains(part), "{line}: {}", screen.stderr);
        }
    })
    .await;
}

#[tokio::test]
async fn applied_policy_shows_what_becomes_reachable() {
    with_desk(async |desk| {
        desk.write_file("first.toml", "default = \"ask\"\n");
        desk.write_file("open.toml", "[patterns]\n\"Bash:cat **\" = \"allow\"\n");
        desk.gate().await.shut_down().await;
        assert_eq!(desk.types("policy apply first.toml --yes --as user:ada").await.code, 0);
        let screen = desk.types("policy apply open.toml --yes --as user:ada").await;
        assert!(screen.stdout.contains("Newly allowed in this folder"), "{}", screen.stdout);
        assert!(screen.stdout.contains("read .env  cat .env (by Bash:cat **)"), "{}", screen.stdout);
        let screen = desk.types("policy apply first.toml --yes --json --as user:ada").await;
        let told: serde_json::Value = serde_json::from_str(&screen.stdout).expect("JSON");
        assert_eq!(told["newlyReachable"], serde_json::json!([]), "{told}");
    })
    .await;
}
