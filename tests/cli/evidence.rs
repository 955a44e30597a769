//! `countersign show --evidence`, and its check by `docs/verify_export.py`.

use crate::desk::{TerminalDesk, with_desk};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/verify_export.py");

const POLICY: &str =
    "remember = \"5m\"\n[[rule]]\nname = \"signed\"\ntool = \"deploy\"\nverdict = \"ask\"\nproof = \"ssh\"\n";

/// A deployment that ada signs, another call between its events, and a call that her grant answers.
async fn write_history(desk: &TerminalDesk) {
    desk.apply_policy(POLICY).await;
    desk.has_key("ada", "ed25519", &[]).await;
    desk.propose("t1", "signed", "deploy", "{\"to\":\n \"production\", \"share\": 1.50}").await;
    desk.propose("t1", "other", "mail", "{}").await;
    assert_eq!(desk.types("allow signed --as user:ada --sign-with ada").await.code, 0);
    desk.propose("t1", "first", "mail", r#"{"to":"team"}"#).await;
    assert_eq!(desk.types("allow first --session tool --as user:ada").await.code, 0);
    desk.propose("t1", "second", "mail", r#"{"to":"press"}"#).await;
}

async fn evidence_of(desk: &TerminalDesk, id: &str) -> Value {
    let file = format!("{id}.json");
    let written = desk.types(&format!("show {id} --evidence {file}")).await;
    assert_eq!(written.code, 0, "{written}");
    let checked = desk.try_program("python3", &[SCRIPT, &file]).await;
    assert_eq!(checked.code, 0, "{checked}");
    serde_json::from_str(&std::fs::read_to_string(desk.path(&file)).expect("written")).expect("JSON")
}

fn types(evidence: &Value) -> Vec<&str> {
    let events = evidence["events"].as_array().expect("a list");
    events.iter().map(|event| event["type"].as_str().expect("a type")).collect()
}

#[tokio::test]
async fn evidence_has_policy_decision_proof_and_arguments() {
    with_desk(async |desk| {
        write_history(desk).await;
        let evidence = evidence_of(desk, "signed").await;
        let expected = [
            "POLICY_SET",
            "APPROVER_KEY_ADDED",
            "TOOL_CALL",
            "TOOL_APPROVAL_REQUEST",
            "TOOL_APPROVAL_RESPONSE",
        ];
        assert_eq!(types(&evidence), expected, "and none of another call");
        assert_eq!(evidence["policies"][0]["text"], POLICY);
        assert_eq!(evidence["call"]["response"]["principal"], "user:ada");
        assert!(
            evidence["events"][2]["text"].as_str().is_some_and(|text| text.contains("1.50")),
            "byte for byte"
        );
        assert!(evidence["events"][4]["data"]["proof"]["signature"].is_string());
        let text = evidence["text"].to_string();
        assert!(text.contains("production") && text.contains("user:ada"), "{text}");
        let mode = std::fs::metadata(desk.path("signed.json")).expect("written").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let again = desk.types("show signed --evidence signed.json").await;
        assert_eq!((again.code, again.stderr.contains("it exists; name a new file")), (1, true), "{again}");
    })
    .await;
}

#[tokio::test]
async fn evidence_follows_a_grant_to_its_origin() {
    with_desk(async |desk| {
        write_history(desk).await;
        let evidence = evidence_of(desk, "second").await;
        let calls: Vec<_> =
            evidence["events"].as_array().expect("a list").iter().map(|event| &event["data"]).collect();
        assert!(calls.iter().any(|data| data["id"] == "first"), "the call of the grant: {evidence}");
        assert!(
            calls.iter().any(|data| data["toolCallId"] == "first" && data["decision"] == "allow_session")
        );
        assert!(!evidence.to_string().contains("production"), "and no other call");
    })
    .await;
}

#[tokio::test]
async fn changed_evidence_does_not_hold() {
    with_desk(async |desk| {
        write_history(desk).await;
        let printed = desk.types("show signed --evidence -").await.stdout;
        for (from, to) in [("production", "staging"), ("\"user:ada\"", "\"user:eve\"")] {
            desk.write_file("changed.json", &printed.replace(from, to));
            let checked = desk.try_program("python3", &[SCRIPT, "changed.json"]).await;
            assert_eq!(
                (checked.code, checked.stdout.contains("it was changed")),
                (1, true),
                "{from}: {checked}"
            );
        }
    })
    .await;
}
