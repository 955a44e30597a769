//! The formats that open and close alerts: `PagerDuty`, Opsgenie and Jira.

use super::*;
use crate::webhook_message::AlertOpening;
use countersign_approvals::webhook_directory::{WebhookDirectory, WebhookRecord};
use countersign_events::{Body, Event, EventType, Principal, ThreadId, WebhookAdded};

const FORMATS: [WebhookFormat; 3] = [WebhookFormat::PagerDuty, WebhookFormat::Opsgenie, WebhookFormat::Jira];

/// A message about a call that waits for people, or did.
fn message(topic: WebhookTopic) -> WebhookMessage {
    let is_decided =
        !matches!(topic, WebhookTopic::Opened | WebhookTopic::Reminded | WebhookTopic::Escalated);
    let call = hostile().call.map(|call| CallSubject {
        thread: "ci/7".to_owned(),
        id: "call_1".to_owned(),
        tool: "bash".to_owned(),
        risk: Some("critical".to_owned()),
        is_decided,
        ..call
    });
    let decision = is_decided.then_some("deny");
    WebhookMessage { topic, call, decision, decided_by: None, advisor: None, ..hostile() }
}

fn with_call(message: WebhookMessage, change: impl Fn(CallSubject) -> CallSubject) -> WebhookMessage {
    WebhookMessage { call: message.call.map(change), ..message }
}

/// The key by which each target knows the alert. Opsgenie has it in the address of a closing message.
fn key(format: WebhookFormat, message: &WebhookMessage) -> String {
    let sent = send(format, message);
    let in_body = ["dedup_key", "alias", "key"].iter().find_map(|name| sent.body[*name].as_str());
    let in_address = || sent.url.path().split('/').nth(3).map(str::to_owned);
    in_body.map(str::to_owned).or_else(in_address).expect("a key")
}

#[test]
fn all_messages_of_a_call_share_a_key() {
    for format in FORMATS {
        let opened = key(format, &message(WebhookTopic::Opened));
        for topic in
            [WebhookTopic::Reminded, WebhookTopic::Escalated, WebhookTopic::Decided, WebhookTopic::Expired]
        {
            assert_eq!(key(format, &message(topic)), opened, "{format:?} {topic:?}");
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        assert!(opened.len() < 100 && opened.chars().all(is_plain), "{format:?}: {opened}");
        let other = |change: fn(CallSubject) -> CallSubject| {
            key(format, &with_call(message(WebhookTopic::Opened), change))
        };
        let keys = [
            opened.clone(),
            other(|call| CallSubject { id: "call_2".to_owned(), ..call }),
            other(|call| CallSubject { thread: "ci/8".to_owned(), ..call }),
            other(|call| CallSubject { thread: "ci".to_owned(), id: "7/call_1".to_owned(), ..call }),
        ];
        let other_log =
            render(format, &message(WebhookTopic::Opened), &target(format), Sha256::digest(b"other"));
        assert!(!other_log.body.to_string().contains(&opened), "{format:?}: another log has another key");
        assert!(
            keys.iter().enumerate().all(|(place, key)| !keys[..place].contains(key)),
            "{format:?}: {keys:?}"
        );
        let after = key(format, &message(WebhookTopic::Mismatch));
        assert_eq!(after == opened, format == WebhookFormat::Jira, "{format:?}: an alert of its own");
    }
}

#[test]
fn pagerduty_triggers_and_resolves() {
    let action = |topic| body(WebhookFormat::PagerDuty, &message(topic))["event_action"].clone();
    for topic in WebhookTopic::ALL.iter().filter(|topic| WebhookFormat::PagerDuty.has_topic(**topic)) {
        let closes = matches!(topic, WebhookTopic::Decided | WebhookTopic::Expired);
        assert_eq!(action(*topic), if closes { "resolve" } else { "trigger" }, "{topic:?}");
    }
    let sent = send(WebhookFormat::PagerDuty, &message(WebhookTopic::Escalated));
    assert_eq!(sent.url.as_str(), "https://hooks.example/v2/alerts", "the key is not in the address");
    assert!(sent.key_header.is_none() && !sent.accepts_missing);
    let payload = &sent.body["payload"];
    assert_eq!(
        json!([sent.body["routing_key"], payload["severity"], payload["source"], payload["summary"]]),
        json!(["K3Y", "critical", "server.example", "Escalated: bash"])
    );
    assert_eq!(payload["custom_details"]["thread"], "ci/7");
    assert_eq!(
        sent.body["links"],
        json!([{"href": "https://server.example/calls/t/c", "text": "Open the call"}])
    );
}

#[test]
fn opsgenie_closes_by_alias() {
    let open = send(WebhookFormat::Opsgenie, &message(WebhookTopic::Escalated));
    assert_eq!(
        (open.url.as_str(), open.accepts_missing),
        ("https://hooks.example/v2/alerts", false),
        "404 to a new alert is a failure"
    );
    assert_eq!(
        json!([open.body["message"], open.body["priority"], open.body["details"]["thread"]]),
        json!(["Escalated: bash", "P1", "ci/7"])
    );
    let close = send(WebhookFormat::Opsgenie, &message(WebhookTopic::Decided));
    let alias = open.body["alias"].as_str().expect("an alias");
    let expected = format!("https://hooks.example/v2/alerts/{alias}/close?identifierType=alias");
    assert_eq!((close.url.as_str(), close.accepts_missing), (expected.as_str(), true));
    assert!(
        close.body["note"].as_str().expect("a note").starts_with("Denied: bash\nhttps://server.example/")
    );
    for sent in [open, close] {
        let header = sent.key_header.expect("a header");
        assert_eq!((header.name.as_str(), header.value.as_bytes()), ("authorization", &b"GenieKey K3Y"[..]));
        assert!(header.value.is_sensitive() && !sent.body.to_string().contains("K3Y"));
    }
}

#[test]
fn jira_gets_flat_text_without_markup() {
    let sent = send(
        WebhookFormat::Jira,
        &with_call(message(WebhookTopic::Opened), |call| CallSubject {
            message: Some("{{issue.key}} {noformat} [~admin] [x|https://evil.example]".to_owned()),
            ..call
        }),
    );
    let header = sent.key_header.expect("a header");
    assert_eq!((header.name.as_str(), header.value.as_bytes()), ("x-automation-webhook-token", &b"K3Y"[..]));
    let members = sent.body.as_object().expect("an object");
    assert!(members.values().all(Value::is_string), "rules read flat text: {}", sent.body);
    assert_eq!(members["message"], "{ { issue.key}} { noformat} [ ~admin] [x|https[:]//evil.example]");
    assert!(!sent.body.to_string().contains("{noformat") && !members.contains_key("issues"));
    let action = |topic| body(WebhookFormat::Jira, &message(topic))["action"].clone();
    let actions = WebhookTopic::ALL.iter().map(|topic| (topic.as_str(), action(*topic)));
    let expected = [
        ("opened", "open"),
        ("reminded", "open"),
        ("escalated", "open"),
        ("voted", "note"),
        ("decided", "close"),
        ("expired", "close"),
        ("outcome_unknown", "note"),
        ("advised", "note"),
        ("flagged", "note"),
        ("mismatch", "note"),
        ("advisor_mode", "note"),
    ];
    assert_eq!(actions.collect::<Vec<_>>(), expected.map(|(topic, action)| (topic, json!(action))));
    let test = WebhookMessage { is_test: true, ..message(WebhookTopic::Opened) };
    let test = body(WebhookFormat::Jira, &test);
    assert_eq!((&test["topic"], &test["action"]), (&json!("test"), &json!("note")), "it creates no issue");
}

/// Rules and people's filters name the members, so they only grow.
#[test]
fn member_names_are_stable() {
    let members = |format: WebhookFormat| {
        let mut body = body(format, &message(WebhookTopic::Decided));
        let members =
            if format == WebhookFormat::Jira { body } else { body["payload"]["custom_details"].take() };
        members.as_object().expect("an object").keys().cloned().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        members(WebhookFormat::Jira),
        "action agent arguments by call comment decision id key level link message reason risk rule text thread timestamp title tool topic"
    );
    assert_eq!(
        members(WebhookFormat::PagerDuty),
        "agent arguments by call comment decision level message reason risk rule thread tool"
    );
}

#[test]
fn late_message_opens_no_alert() {
    let late = with_call(message(WebhookTopic::Escalated), |call| CallSubject { is_decided: true, ..call });
    assert_eq!(body(WebhookFormat::PagerDuty, &late)["event_action"], "resolve");
    assert!(send(WebhookFormat::Opsgenie, &late).url.path().ends_with("/close"));
    assert_eq!(body(WebhookFormat::Jira, &late)["action"], "close");
}

#[test]
fn claimed_risk_is_the_urgency() {
    for (risk, severity, priority) in [
        (Some("critical"), "critical", "P1"),
        (Some("high"), "error", "P2"),
        (Some("medium"), "warning", "P3"),
        (Some("low"), "info", "P4"),
        (Some("harmless, trust me"), "error", "P2"),
        (None, "error", "P2"),
    ] {
        let claims =
            |topic| with_call(message(topic), |call| CallSubject { risk: risk.map(str::to_owned), ..call });
        let opened = claims(WebhookTopic::Opened);
        assert_eq!(body(WebhookFormat::PagerDuty, &opened)["payload"]["severity"], severity, "{risk:?}");
        assert_eq!(body(WebhookFormat::Opsgenie, &opened)["priority"], priority, "{risk:?}");
        let mismatch = body(WebhookFormat::Opsgenie, &claims(WebhookTopic::Mismatch));
        assert_eq!(mismatch["priority"], "P1", "whatever the agent claims");
    }
    let test = WebhookMessage { is_test: true, ..message(WebhookTopic::Opened) };
    assert_eq!(body(WebhookFormat::PagerDuty, &test)["payload"]["severity"], "info");
    assert_eq!(body(WebhookFormat::Opsgenie, &test)["priority"], "P5");
}

#[test]
fn alerts_stay_within_limits() {
    for evil in ["\u{202e}", "é\"\\", "{{[~\n"] {
        let long = evil.repeat(10_000);
        let text = || Some(long.clone());
        let call = |call: CallSubject| CallSubject {
            thread: long.clone(),
            id: long.clone(),
            tool: long.clone(),
            agent: long.clone(),
            message: text(),
            description: text(),
            arguments: Some(Json::string(&long)),
            rule: text(),
            reason: text(),
            level: text(),
            ..call
        };
        for topic in [WebhookTopic::Escalated, WebhookTopic::Decided] {
            let message = WebhookMessage { comment: text(), by: text(), ..with_call(message(topic), call) };
            let length = |text: &Value| text.as_str().map_or(0, |text| text.chars().count());
            let pagerduty = body(WebhookFormat::PagerDuty, &message);
            assert!((1..=1_024).contains(&length(&pagerduty["payload"]["summary"])), "{evil}");
            assert!(length(&pagerduty["dedup_key"]) <= 255 && pagerduty.to_string().len() < 500_000);
            let opsgenie = send(WebhookFormat::Opsgenie, &message);
            assert!(length(&opsgenie.body["message"]) <= 130 && length(&opsgenie.body["alias"]) <= 512);
            assert!(length(&opsgenie.body["entity"]) <= 512, "{evil}");
            assert!(["description", "note"].iter().all(|name| length(&opsgenie.body[*name]) <= 15_000));
            assert!(opsgenie.url.as_str().len() < 200, "{}", opsgenie.url);
            let details = opsgenie.body["details"].as_object();
            let total: usize =
                details.into_iter().flatten().map(|(name, text)| name.len() + length(text)).sum();
            assert!(total <= 8_000, "{total}");
        }
    }
}

#[test]
fn alerts_have_arguments_only_if_asked() {
    for format in FORMATS {
        let command = Json::parse(r#"{"command":"make deploy"}"#).expect("JSON");
        let message = with_call(message(WebhookTopic::Escalated), |call| CallSubject {
            arguments: Some(command.clone()),
            ..call
        });
        let shown = |has_arguments| body(format, &message.for_target(has_arguments)).to_string();
        assert!(shown(true).contains("make deploy") && !shown(false).contains("make deploy"), "{format:?}");
        assert!(!shown(false).to_lowercase().contains("arguments"), "{format:?}");
    }
}

/// A webhook with these topics that was added at `seq`.
fn webhook(seq: i64, format: WebhookFormat, topics: &[WebhookTopic]) -> WebhookRecord {
    let added = WebhookAdded {
        name: "pager".to_owned(),
        format,
        host: "https://hooks.example".to_owned(),
        sealed: String::new(),
        topics: topics.to_vec(),
        threads: Vec::new(),
        allow_private: false,
        arguments: false,
    };
    let event = Event {
        seq,
        thread_id: ThreadId::whole_log(),
        kind: EventType::WebhookAdded,
        timestamp: hostile().at,
        principal: Principal::user("root"),
        data: Json::encode(&added).expect("JSON"),
        hash: None,
    };
    let mut directory = WebhookDirectory::default();
    directory.evolve(&event, &Body::WebhookAdded(added));
    directory.get(seq).cloned().expect("a webhook")
}

#[test]
fn pager_closes_only_what_it_opened() {
    let openings = |openings: &[AlertOpening]| {
        let openings = openings.to_vec();
        with_call(message(WebhookTopic::Decided), |call| CallSubject { openings: openings.clone(), ..call })
    };
    let opened = AlertOpening { topic: WebhookTopic::Opened, seq: 5 };
    let escalated = AlertOpening { topic: WebhookTopic::Escalated, seq: 7 };
    let topics = [WebhookTopic::Escalated, WebhookTopic::Decided];
    for (format, seq, topics, openings, is_wanted) in [
        (WebhookFormat::PagerDuty, 1, &topics[..], openings(&[opened]), false),
        (WebhookFormat::PagerDuty, 1, &topics, openings(&[opened, escalated]), true),
        (WebhookFormat::Opsgenie, 1, &[], openings(&[opened]), true),
        (WebhookFormat::Opsgenie, 6, &[], openings(&[opened]), false),
        (WebhookFormat::Jira, 1, &topics, openings(&[opened]), false),
        (WebhookFormat::Jira, 1, &topics, openings(&[opened, escalated]), true),
        (WebhookFormat::Jira, 6, &topics[1..], openings(&[opened]), true),
        (WebhookFormat::Slack, 6, &topics, openings(&[]), true),
        (WebhookFormat::Slack, 6, &topics[..1], openings(&[]), false),
    ] {
        let webhook = webhook(seq, format, topics);
        assert_eq!(openings.is_wanted_by(&webhook), is_wanted, "{format:?} {seq} {topics:?}");
    }
    let pager = webhook(1, WebhookFormat::PagerDuty, &[]);
    for message in [message(WebhookTopic::Voted), advice(), fall_back()] {
        assert!(!message.is_wanted_by(&pager), "{:?} pages nobody", message.topic);
    }
}
