//! The facts about calls, and the answers from them.

use super::*;
use crate::question::tests::call_with;
use serde_json::{Value, json};

const IN_SHOP: &str = "/srv/shop";

/// A pending call of the shop's agent, with the `seq` 1000 of its proposal.
fn pending(tool: &str, arguments: &Value) -> api::Call {
    call_at(1_000, tool, arguments, &json!({}))
}

/// A call that a person decided before the pending one was asked.
fn decided(seq: i64, tool: &str, arguments: &Value, decision: &str) -> api::Call {
    let response = json!({
        "seq": seq + 2, "decision": decision, "source": "approver", "principal": "user:ada",
        "at": "2026-01-31T12:00:00.000Z", "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"
    });
    call_at(seq, tool, arguments, &json!({"response": response}))
}

fn call_at(seq: i64, tool: &str, arguments: &Value, more: &Value) -> api::Call {
    let hash =
        countersign_events::Json::encode(arguments).expect("JSON").canonical_hash().expect("canonical");
    let mut members = json!({
        "name": tool, "argumentsHash": hash.to_string(), "place": {"folder": IN_SHOP, "project": IN_SHOP},
        "proposal": {"seq": seq, "principal": "agent:builder", "at": "2026-01-31T12:00:00.000Z"},
        "request": {"seq": seq + 1, "requestedAt": "2026-01-31T12:00:00.000Z", "options": ["allow_once", "deny"],
            "reason": "no rule matches this call", "basis": "default",
            "policy": "4232587ebe1c18f5d1285650e3ce9a5472e66930e0310081281799e810022a51"}
    });
    for (key, value) in more.as_object().expect("an object") {
        members[key.as_str()] = value.clone();
    }
    call_with(arguments, &members)
}

fn bash(command: &str) -> Value {
    json!({"command": command})
}

/// The answer about `call` after people decided about `earlier` calls of the same tool.
fn advice(call: &api::Call, earlier: &[api::Call]) -> (AdviceVerdict, String) {
    let answer = judge_facts(&find_facts(&Policy::shipped(), call, earlier));
    (answer.advice, answer.reason.unwrap_or_default())
}

fn allowed(count: i64, tool: &str, arguments: &Value) -> Vec<api::Call> {
    (0..count).map(|n| decided(10 * n + 1, tool, arguments, "allow_once")).collect()
}

#[test]
fn same_call_is_allowed_after_three_approvals() {
    let call = pending("bash", &bash("make deploy"));
    let (first, why) = advice(&call, &allowed(2, "bash", &bash("make deploy")));
    assert_eq!((first, why.as_str()), (AdviceVerdict::Ask, "people allowed 2 similar calls, of 10"));
    let facts = find_facts(&Policy::shipped(), &call, &allowed(3, "bash", &bash("make deploy")));
    assert_eq!((facts.same, facts.similar, facts.refused, facts.reach), (3, 3, 0, CallReach::Project));
    let answer = judge_facts(&facts);
    assert_eq!(answer.advice, AdviceVerdict::Allow);
    assert_eq!(answer.confidence.map(|confidence| confidence.value().to_string()).as_deref(), Some("0.8"));
}

#[test]
fn similar_commands_need_ten_approvals() {
    let call = pending("bash", &bash("git log -9"));
    let similar = |count: i64| -> Vec<_> {
        (0..count)
            .map(|n| decided(10 * n + 1, "bash", &bash(&format!("git log -{n}")), "allow_once"))
            .collect()
    };
    assert_eq!(advice(&call, &similar(9)).0, AdviceVerdict::Ask);
    let ten: Vec<_> =
        similar(9).into_iter().chain([decided(500, "bash", &bash("git log src"), "allow_once")]).collect();
    assert_eq!(advice(&call, &ten).0, AdviceVerdict::Allow);
}

#[test]
fn refusal_leaves_similar_calls_to_people() {
    let call = pending("bash", &bash("make deploy"));
    let mut earlier = allowed(9, "bash", &bash("make deploy"));
    earlier.push(decided(500, "bash", &bash("make deploy"), "deny"));
    let (found, why) = advice(&call, &earlier);
    assert_eq!((found, why.as_str()), (AdviceVerdict::Ask, "people refused 1 of 10 similar calls"));
}

#[test]
fn later_decisions_and_other_places_do_not_count() {
    let call = pending("bash", &bash("make deploy"));
    let mut earlier = allowed(2, "bash", &bash("make deploy"));
    let mut late = decided(900, "bash", &bash("make deploy"), "allow_once");
    late.response.as_mut().expect("decided").seq = 1_002;
    let mut elsewhere = decided(800, "bash", &bash("make deploy"), "allow_once");
    elsewhere.place.as_mut().expect("a place").project = Some("/srv/other".to_owned());
    let mut granted = decided(700, "bash", &bash("make deploy"), "allow_session");
    granted.response.as_mut().expect("decided").source = Source::Grant;
    earlier.extend([late, elsewhere, granted]);
    assert_eq!(find_facts(&Policy::shipped(), &call, &earlier).same, 2);
}

#[test]
fn marked_calls_are_left_to_people() {
    let earlier = allowed(20, "bash", &bash("make deploy"));
    let call = pending("bash", &bash("make deploy"));
    assert_eq!(advice(&call, &earlier).0, AdviceVerdict::Allow);
    let changes: [fn(&mut api::Call); 5] = [
        |call| call.redacted.push("/command".to_owned()),
        |call| call.hidden_characters.push("/command".to_owned()),
        |call| call.impact = Some(countersign_events::Json::parse("{}").expect("JSON")),
        |call| call.request.as_mut().expect("asked").basis = Some(Basis::Tool),
        |call| call.request.as_mut().expect("asked").rule = Some("deploys are asked".to_owned()),
    ];
    for change in changes {
        let mut marked = call.clone();
        change(&mut marked);
        assert_eq!(advice(&marked, &earlier).0, AdviceVerdict::Ask, "{marked:?}");
    }
    let outside = pending("bash", &bash("make -C /srv/other"));
    let earlier = allowed(20, "bash", &bash("make -C /srv/other"));
    assert_eq!(
        advice(&outside, &earlier),
        (AdviceVerdict::Ask, "it may reach something outside of its project".to_owned())
    );
}

#[test]
fn advised_rule_does_not_count_as_asking() {
    let mut call = pending("bash", &bash("make deploy"));
    let request = call.request.as_mut().expect("asked");
    (request.rule, request.advisor) = (Some("routine".to_owned()), Some("facts".to_owned()));
    assert_eq!(advice(&call, &allowed(3, "bash", &bash("make deploy"))).0, AdviceVerdict::Allow);
}
