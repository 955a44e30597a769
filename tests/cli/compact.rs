//! `countersign compact`

use crate::desk::with_desk;
use countersign_tests::postgres::Cluster;

#[tokio::test]
async fn file_shrinks_and_has_no_erased_text() {
    with_desk(async |desk| {
        let text = "s3cret".repeat(10_000);
        for call in 0..5 {
            let id = format!("call_{call}");
            desk.propose("t1", &id, "mail", &format!(r#"{{"text":"{call}{text}"}}"#)).await;
            desk.types(&format!("deny {id} --as user:ada")).await;
            desk.types(&format!("erase t1 {id} --as user:zoe --reason 'request 17'")).await;
        }
        let compacted = desk.types("compact --json --as user:zoe").await;
        assert_eq!(compacted.code, 0, "{compacted}");
        let report: serde_json::Value = serde_json::from_str(&compacted.stdout).expect("JSON");
        let bytes = |name: &str| report[name].as_u64().expect("a number");
        assert!(bytes("before") > 150_000 && bytes("after") < bytes("before"), "{report}");
        let file = std::fs::read(desk.path("countersign.db")).expect("reads");
        assert!(!file.windows(12).any(|part| part == b"s3crets3cret"));
        assert_eq!(desk.types("verify").await.code, 0);
        let compacted = desk.types("compact --as user:zoe").await;
        assert!(compacted.stdout.starts_with("The file has "), "{compacted}");
        assert!(compacted.stderr.contains("Other processes read meanwhile"), "{compacted}");
    })
    .await;
}

#[tokio::test]
async fn database_that_cannot_be_compacted_is_reported() {
    with_desk(async |desk| {
        let missing = desk.types("compact --database none.db").await;
        assert_eq!(missing.code, 5, "{missing}");
        let server = Cluster::started().await;
        let refused = desk.types(&format!("compact --database {}", server.url())).await;
        assert!(refused.code == 2 && refused.stderr.contains("VACUUM FULL events"), "{refused}");
    })
    .await;
}
