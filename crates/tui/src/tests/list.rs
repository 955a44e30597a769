//! The list of calls, its order, and the recent decisions.

use super::{InboxTester, call, call_key, decided_by_other, short_call};
use crate::inbox::{guard::DECISION_DELAY, message::InboxEvent, order::CallOrder};
use countersign_api as api;
use serde_json::{Value, json};

fn risky_call(seq: i64, risk: Option<&str>, seconds_left: Option<i64>) -> api::Call {
    let mut more = json!({});
    if let Some(risk) = risk {
        more["impact"] = json!({"riskLevel": risk});
    }
    let mut call = call(seq, "bash", &json!({"command": format!("make target-{seq}")}), &more);
    let request = call.request.as_mut().expect("the call has a request");
    request.expires_at = seconds_left
        .map(|seconds| countersign_events::Timestamp::from_millis(super::START_MILLIS + seconds * 1_000));
    call
}

fn listed(ben: &InboxTester) -> Vec<&str> {
    ben.inbox.listed().map(|waiting| waiting.call.id.as_str()).collect()
}

/// The first line of the screen that contains the text.
fn find_line(screen: &str, text: &str) -> String {
    screen.lines().find(|line| line.contains(text)).unwrap_or_else(|| panic!("{text}: {screen}")).to_owned()
}

#[test]
fn wide_list_shows_command_beside_tool() {
    let mut ben =
        InboxTester::with_calls(&[risky_call(10, Some("high"), Some(65)), short_call(20, "deploy")])
            .with_window(120, 24);
    let screen = ben.screen();
    let line = find_line(&screen, "▸ bash");
    assert!(line.contains("bash make target-10  HIGH"), "{screen}");
    assert!(screen.contains("5s ago · 1m 0s left · conversation-7"), "{screen}");
    assert!(screen.contains("deploy run 20"), "{screen}");
}

#[test]
fn narrow_window_keeps_a_short_list() {
    let calls: Vec<_> = (1..=40).map(|n| risky_call(n * 10, Some("critical"), Some(65))).collect();
    let mut ben = InboxTester::with_calls(&calls).with_window(80, 24);
    ben.press_keys("nnnn");
    let screen = ben.screen();
    let lines: Vec<_> =
        screen.lines().filter(|line| line.contains("CRITICAL  ") || line.contains("▸")).collect();
    assert!(find_line(&screen, "▸ bash make target-50  CRITICAL").ends_with("1m 0s left"), "{screen}");
    assert_eq!(lines.len(), 3, "{screen}");
    assert!(screen.contains("command  make target-50"), "the call itself stays: {screen}");
    // A small window is for the call alone.
    let mut ben = InboxTester::with_calls(&calls).with_window(80, 14);
    assert!(!ben.screen().contains('▸'), "{}", ben.screen());
}

#[test]
fn long_command_never_hides_the_risk() {
    let hostile = json!({"command": format!("ls\n{}\u{202e} rm -rf /", " ".repeat(500))});
    let mut risky = risky_call(10, Some("high"), None);
    risky.arguments = countersign_events::Json::parse(&hostile.to_string()).expect("valid");
    let long: Value = json!({"command": "x".repeat(5_000)});
    let mut longer = risky_call(20, Some("high"), None);
    longer.arguments = countersign_events::Json::parse(&long.to_string()).expect("valid");
    for columns in [80, 100, 200] {
        let mut ben = InboxTester::with_calls(&[risky.clone(), longer.clone()]).with_window(columns, 30);
        let screen = ben.screen();
        assert!(find_line(&screen, "▸ bash ls").contains("  HIGH"), "{screen}");
        assert!(find_line(&screen, "bash xxx").contains("…  HIGH"), "{screen}");
    }
}

#[test]
fn list_is_sorted_by_risk_and_time_left() {
    let calls = [
        risky_call(10, Some("low"), None),
        risky_call(20, None, Some(600)),
        risky_call(30, Some("critical"), Some(900)),
        risky_call(40, Some("medium"), Some(60)),
        risky_call(50, Some("high"), None),
        risky_call(60, Some("high"), Some(60)),
    ];
    let mut ben = InboxTester::with_calls(&calls).with_window(100, 30);
    ben.press_keys("nS");
    assert_eq!(listed(&ben), ["call_30", "call_50", "call_60", "call_40", "call_20", "call_10"]);
    assert_eq!(ben.shown_call(), Some("call_20"), "sorting keeps the shown call");
    assert!(ben.screen().contains("highest risk first"), "{}", ben.screen());
    ben.press_keys("S");
    assert_eq!(listed(&ben), ["call_40", "call_60", "call_20", "call_30", "call_10", "call_50"]);
    // A new call goes to its place.
    ben.receive(InboxEvent::Arrived(vec![risky_call(70, None, Some(30))]));
    assert_eq!(listed(&ben).first(), Some(&"call_70"));
    ben.press_keys("S");
    assert_eq!(listed(&ben).first(), Some(&"call_10"));
}

#[test]
fn order_words_are_read() {
    for order in CallOrder::ALL {
        assert_eq!(order.word().parse(), Ok(order));
    }
    assert_eq!("newest".parse::<CallOrder>(), Err("expected oldest, risk, time-left".to_owned()));
}

#[test]
fn recent_decisions_name_who_what_and_outcome() {
    let (one, two) = (short_call(10, "bash"), short_call(20, "deploy"));
    for (columns, lines) in [(120, 24), (80, 40)] {
        let calls = [one.clone(), two.clone(), short_call(30, "mail")];
        let mut ben = InboxTester::with_calls(&calls).with_window(columns, lines);
        let sent = ben.press_and_send("o");
        ben.confirm_sent(sent);
        // The event repeats the answer.
        ben.receive(decided_by_other(&one, "allowed by user:ben"));
        ben.receive(InboxEvent::Ended(call_key(&one), "success"));
        ben.press_keys("n");
        ben.receive(decided_by_other(&two, "denied by user:cleo"));
        let screen = ben.screen();
        assert!(screen.contains("allowed by user:ben, success: bash run 10"), "{screen}");
        assert!(screen.contains("denied by user:cleo: deploy run 20"), "{screen}");
        assert_eq!(screen.matches("bash run 10").count(), 1, "{screen}");
    }
}

/// A call that was decided during an outage has no names at first.
#[test]
fn verdict_that_arrives_late_is_corrected() {
    let one = short_call(10, "bash");
    let mut ben = InboxTester::with_calls(&[one.clone(), short_call(20, "mail")]).with_window(120, 24);
    ben.press_keys("n");
    ben.receive(InboxEvent::Loaded(vec![short_call(20, "mail")]));
    assert!(ben.screen().contains("decided meanwhile: bash run 10"), "{}", ben.screen());
    ben.receive(decided_by_other(&one, "denied by user:cleo"));
    assert!(ben.screen().contains("denied by user:cleo: bash run 10"), "{}", ben.screen());
}

/// An inbox that is open for weeks keeps only the last decisions, and shows them when it is empty.
#[test]
fn empty_inbox_shows_the_last_decisions() {
    let calls: Vec<_> = (1..=20).map(|n| short_call(n * 10, "bash")).collect();
    let mut ben = InboxTester::with_calls(&calls).with_window(80, 30);
    for _ in 0..20 {
        ben.advance_clock(DECISION_DELAY);
        let sent = ben.press_and_send("o");
        ben.confirm_sent(sent);
    }
    let screen = ben.screen();
    assert!(screen.contains("You allowed 20 and denied 0."), "{screen}");
    assert_eq!(screen.matches("allowed by user:ben: bash run").count(), 8, "{screen}");
    assert!(screen.contains("bash run 200"), "{screen}");
}
