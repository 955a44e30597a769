//! Rows that the rules would not have written are named with their reason.

use super::AdmissibilityCheck;
use countersign_events::{Event, EventType, Json, PolicySet, Principal, Sha256, ThreadId, Timestamp};
use countersign_policy::Policy;

const HASH: &str = "f6a8ee6d2ff5f5c26a5e6a0f4d8a59e35af5f3c20ff2be2ee4e6e7f8a0d4b6d1";

fn row(seq: i64, kind: EventType, principal: &str, data: &str) -> Event {
    Event {
        seq,
        thread_id: ThreadId::new("t").expect("valid"),
        kind,
        timestamp: Timestamp::from_millis(1_000),
        principal: principal.parse::<Principal>().expect("valid"),
        data: Json::parse(&data.replace("{HASH}", HASH)).expect("valid"),
        hash: Some(Sha256::ZERO),
    }
}

fn findings(rows: Vec<Event>) -> Vec<String> {
    let mut check = AdmissibilityCheck::default();
    let mut found: Vec<_> = rows.into_iter().flat_map(|event| check.check(event)).collect();
    found.extend(check.finish());
    found.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect()
}

#[test]
fn proposal_without_an_answer_is_named() {
    let arguments = Json::parse("{}").and_then(|json| json.admit()).expect("valid");
    let call = format!(r#"{{"id":"a","name":"bash","arguments":{{}},"argumentsHash":"{arguments}"}}"#);
    let found = findings(vec![row(1, EventType::ToolCall, "agent:bot", &call)]);
    assert_eq!(found, ["1: a TOOL_APPROVAL_RESPONSE must follow it"]);
}

#[test]
fn row_about_an_unknown_call_is_named() {
    let data = r#"{"toolCallId":"a","executor":"w","argumentsHash":"{HASH}"}"#;
    let found = findings(vec![row(1, EventType::ExecutionStarted, "agent:bot", data)]);
    assert_eq!(found, ["1: thread t has no call a"]);
}

/// A later version may say more in the events that this one knows. The chain covers such rows, and they allow nothing.
#[test]
fn rows_with_words_of_later_versions_are_unjudged() {
    let mode = |mode: &str| row(1, EventType::ThreadModeSet, "user:ada", &format!(r#"{{"mode":"{mode}"}}"#));
    let later = row(2, EventType::ThreadModeSet, "agent:bot", r#"{"mode":"interactive"}"#);
    let mut check = AdmissibilityCheck::default();
    let mut found =
        [mode("siesta"), later].into_iter().flat_map(|event| check.check(event)).collect::<Vec<_>>();
    found.extend(check.finish());
    assert_eq!(found, []);
    assert_eq!(check.unjudged_counts().concerned, 2, "the row, and what follows in its thread");
    assert_eq!(
        findings(vec![mode("other")]),
        ["1: mode: this mode does not exist"],
        "no version writes this"
    );
}

#[test]
fn message_is_admissible() {
    assert!(findings(vec![row(1, EventType::UserMessage, "user:ada", "{}")]).is_empty());
}

#[test]
fn row_without_a_hash_must_be_a_decision() {
    let message = Event { hash: None, ..row(1, EventType::UserMessage, "user:ada", "{}") };
    assert_eq!(findings(vec![message]), ["1: a row without a hash must be a decision"]);
}

#[test]
fn inadmissible_rows_about_advisors_are_named() {
    let log_row = |kind, principal: &str, data: &str| Event {
        thread_id: ThreadId::whole_log(),
        ..row(1, kind, principal, data)
    };
    let report = r#"{"advisor":"judge","configuration":"{HASH}","source":"replay","cases":CASES,"agreed":1,"falseAllows":0,"falseDenials":0,"asked":0,"upTo":1}"#;
    let mode =
        r#"{"advisor":"judge","configuration":"{HASH}","mode":"decide","overrides":true,"statement":"x"}"#;
    let found = findings(vec![
        log_row(EventType::AdvisorReported, "agent:bot", &report.replace("CASES", "1")),
        log_row(EventType::AdvisorReported, "user:ada", &report.replace("CASES", "2")),
        log_row(EventType::AdvisorModeSet, "user:ada", mode),
        log_row(EventType::AdvisorReported, "user:ada", &report.replace("CASES", "1")),
    ]);
    insta::assert_snapshot!(found.join("\n"), @r#"
    1: agent:bot is not a person, and only people decide
    1: cases: it must be the sum of agreed, falseAllows, falseDenials and asked, and failed is a part of asked
    1: the active policy has no advisor "judge" with these settings
    "#);
}

/// The log holds the policy, so a program that asks under weaker terms than the policy is noticed.
#[test]
fn proposal_under_weaker_terms_is_judged_otherwise() {
    let policy = Policy::read(
        "[[rule]]\nname = \"two\"\ntool = \"bash\"\nverdict = \"ask\"\nreason = \"why\"\nquorum = 2\n",
    )
    .expect("valid");
    let text = policy.text().clone();
    let set =
        PolicySet { text: text.text, layers: text.layers, hash: policy.hash(), source: "test".to_owned() };
    let log_row = Event {
        thread_id: ThreadId::whole_log(),
        data: Json::encode(&set).expect("serialises"),
        ..row(1, EventType::PolicySet, "system:countersign", "{}")
    };
    let arguments = Json::parse("{}").and_then(|json| json.admit()).expect("valid");
    let call = format!(r#"{{"id":"a","name":"bash","arguments":{{}},"argumentsHash":"{arguments}"}}"#);
    let request = |quorum: &str| {
        let head = r#"{"toolCallId":"a","rule":"two","reason":"why","options":["allow_once","allow_session","deny"],"basis":"rule""#;
        format!(r#"{head}{quorum},"policy":"{}"}}"#, policy.hash())
    };
    for (quorum, expected) in [(r#","quorum":2"#, ""), ("", "3: the rules write other values: quorum")] {
        let mut check = AdmissibilityCheck::default();
        let rows = [
            log_row.clone(),
            row(2, EventType::ToolCall, "agent:bot", &call),
            row(3, EventType::ApprovalRequest, "agent:bot", &request(quorum)),
        ];
        let mut found: Vec<_> = rows.into_iter().flat_map(|event| check.check(event)).collect();
        found.extend(check.finish());
        assert_eq!(found, [], "it may be the judgement of an earlier version");
        let judged = check.take_judged_otherwise();
        let judged: Vec<_> = judged.into_iter().map(|row| format!("{}: {}", row.seq, row.reason)).collect();
        assert_eq!(judged.join("\n"), expected);
    }
}
