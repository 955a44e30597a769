//! Stories about scopes, levels and edited arguments.

use super::{call, call_key};
use crate::{
    inbox::{
        guard::DECISION_DELAY,
        message::{InboxAction, InboxEvent},
    },
    tests::InboxTester,
};
use countersign_api as api;
use countersign_events::{Decision, GrantLimits, Json};
use serde_json::{Value, json};

/// A call with three scopes.
fn call_with_scopes(seq: i64, more: &Value) -> api::Call {
    let offer = |scope: Value, says: &str| json!({"scope": scope, "says": says});
    let mut request = json!({
        "seq": seq + 1,
        "requestedAt": "2026-09-21T14:13:20.000Z",
        "options": ["allow_once", "allow_session", "deny"],
        "reason": "no rule matches this call",
        "quorum": 1,
        "denials": 1,
        "availableLevels": ["user", "admin"],
        "scopes": [
            offer(json!("exact"), "this exact call"),
            offer(json!({"command": "git push *"}), "command `git push *`"),
            offer(json!("tool"), "the whole tool"),
        ],
        "policy": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        request[name] = value.clone();
    }
    call(seq, "bash", &json!({"command": "git push origin"}), &json!({"request": request}))
}

fn parse_json(text: &str) -> Json {
    Json::parse(text).expect("valid")
}

fn preview(scope: &Value, says: &str, allows: u32, denies: u32, masked: u32, of: u32) -> api::ScopePreview {
    let earlier = json!({"compared": of, "allows": allows, "denies": denies, "masked": masked, "calls": []});
    let waiting = json!({"allows": [], "denies": []});
    let preview = json!({"scope": scope, "description": says, "earlier": earlier, "waiting": waiting});
    serde_json::from_value(preview).expect("a preview")
}

#[test]
fn each_scope_shows_its_effect_on_past_calls() {
    let one = call_with_scopes(10, &json!({}));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one)).with_window(120, 24);
    assert_eq!(ben.press_keys("s"), []);
    assert!(ben.screen().contains("p command `git push *`"), "{}", ben.screen());
    let previews = vec![
        preview(&json!("exact"), "this exact call", 7, 7, 0, 7),
        preview(&json!({"command": "git push *"}), "command `git push *`", 2, 3, 4, 12),
        preview(&json!("tool"), "the whole tool", 0, 0, 0, 0),
    ];
    ben.receive(InboxEvent::Previewed(call_key(&one), previews));
    let screen = ben.screen();
    let exact = "x this exact call: would have allowed 7 of 7 earlier calls\n";
    assert!(screen.contains(exact), "{screen}");
    let pattern = "p command `git push *`: would have allowed 2 of 12 earlier calls (4 masked, unknown)";
    assert!(screen.contains(pattern), "{screen}");
    assert!(screen.contains("t the whole tool\n"), "0 of 0 says nothing: {screen}");
    assert_eq!(ben.press_keys("402o"), []);
    let sent = ben.press_and_send("p");
    assert_eq!(sent.decision, Decision::AllowSession);
    assert_eq!(sent.scope, Some(parse_json(r#"{"command":"git push *"}"#)));
}

/// A habit must not grant the whole tool on a call that offers fewer scopes.
#[test]
fn scope_letters_are_the_same_for_every_call() {
    let plain = call(20, "bash", &json!({"command": "rm -rf $(cat list)"}), &json!({}));
    let mut ben = InboxTester::with_calls(&[plain]).with_window(80, 24);
    assert_eq!(ben.press_keys("sp"), []);
    assert!(ben.screen().contains("p is not available: no pattern describes this call"), "{}", ben.screen());
    assert_eq!(ben.press_keys("123"), []);
    assert_eq!(ben.press_and_send("x").scope, Some(Json::string("exact")));
}

#[test]
fn whole_tool_asks_again_without_a_pattern() {
    let plain = call(20, "bash", &json!({"command": "rm -rf $(cat list)"}), &json!({}));
    let mut ben = InboxTester::with_calls(&[plain]).with_window(80, 24);
    assert_eq!(ben.press_keys("sttttx"), []);
    let screen = ben.screen();
    assert!(screen.contains("Allow every later call of bash in thread conversation-7?"), "{screen}");
    assert!(screen.contains("No pattern describes this call"), "{screen}");
    assert_eq!(ben.press_and_send("y").scope, Some(Json::string("tool")));
}

#[test]
fn whole_tool_asks_again_at_high_risk() {
    for risk in ["high", "critical"] {
        let mut risky = call_with_scopes(10, &json!({}));
        risky.impact = Some(parse_json(&json!({"riskLevel": risk}).to_string()));
        let mut ben = InboxTester::with_calls(&[risky]).with_window(80, 24);
        assert_eq!(ben.press_keys("st"), []);
        assert!(ben.screen().contains(&format!("The risk of this call is {risk}")), "{}", ben.screen());
        assert_eq!(ben.press_keys("n"), []);
        assert_eq!(ben.status_text(), "Nothing was decided.");
    }
    let mut ben = InboxTester::with_calls(&[call_with_scopes(10, &json!({}))]);
    assert_eq!(ben.press_and_send("st").scope, Some(Json::string("tool")));
}

#[test]
fn one_of_several_patterns_is_chosen_by_kind() {
    let offer = |scope: Value, says: &str| json!({"scope": scope, "says": says});
    let scopes = json!([
        offer(json!({"url": "https://example.com/**"}), "URL `https://example.com/**`"),
        offer(json!({"path": "/srv/**"}), "path `/srv/**`"),
    ]);
    let mut ben = InboxTester::with_calls(&[call_with_scopes(10, &json!({"scopes": scopes}))]);
    assert_eq!(ben.press_keys("sp"), []);
    assert!(ben.screen().contains("f path `/srv/**`"), "{}", ben.screen());
    assert_eq!(ben.press_keys("cxt"), []);
    assert_eq!(ben.press_and_send("f").scope, Some(parse_json(r#"{"path":"/srv/**"}"#)));
}

/// Opens an inbox with three equal calls, and chooses the pattern. Two calls wait besides the shown one.
fn ask_about_waiting_calls(key: &str) -> InboxTester {
    let calls: Vec<_> = [10, 20, 30].into_iter().map(|seq| call_with_scopes(seq, &json!({}))).collect();
    let mut ben = InboxTester::with_calls(&calls).with_window(100, 30);
    ben.press_keys(key);
    let mut covered = preview(&json!({"command": "git push *"}), "command `git push *`", 2, 3, 0, 12);
    let ids = |ids: &[&str]| serde_json::from_value(json!(ids)).expect("ids");
    covered.waiting = api::WaitingCalls { allows: ids(&["call_20", "call_30"]), denies: ids(&["call_20"]) };
    ben.receive(InboxEvent::Previewed(call_key(&calls[0]), vec![covered]));
    ben
}

#[test]
fn waiting_calls_are_offered_with_the_session() {
    let mut ben = ask_about_waiting_calls("s");
    assert!(ben.screen().contains("earlier calls; 2 more calls wait"), "{}", ben.screen());
    assert_eq!(ben.press_keys("p"), []);
    let screen = ben.screen();
    assert!(screen.contains("2 more calls wait with this scope. Also allow them now?"), "{screen}");
    assert!(screen.contains("call_20 bash git push origin"), "{screen}");
    assert!(screen.contains("w also the 2 that wait   l later calls only   n cancel"), "{screen}");
    assert_eq!(ben.press_keys("ptxyo"), []);
    let sent = ben.press_and_send("w");
    assert_eq!(
        (sent.and_waiting, sent.scope.clone()),
        (true, Some(parse_json(r#"{"command":"git push *"}"#)))
    );
    let mut answer = ben.inbox.calls[0].call.clone();
    answer.also_decided = serde_json::from_value(json!(["call_20", "call_30"])).expect("ids");
    ben.confirm_with(sent, answer);
    assert!(ben.status_text().ends_with("2 calls that waited were decided too."), "{}", ben.status_text());
    assert_eq!(ben.inbox.allowed, 3);
}

#[test]
fn session_lasts_an_hour_by_default() {
    let limits = |seconds, uses| GrantLimits { seconds, uses };
    let inbox = || InboxTester::with_calls(&[call_with_scopes(10, &json!({}))]).with_window(100, 30);
    assert_eq!(inbox().press_and_send("sx").limits, limits(Some(3_600), None));
    let mut ben = inbox();
    assert_eq!(ben.press_keys("s"), []);
    assert!(ben.screen().contains("h for 1 hour"), "{}", ben.screen());
    for says in
        ["for 8 hours", "for the next 3 calls within 1 hour", "while the thread is open", "for 30 minutes"]
    {
        assert_eq!(ben.press_keys("h"), []);
        assert!(ben.screen().contains(says), "{}", ben.screen());
    }
    assert_eq!(ben.press_and_send("x").limits, limits(Some(1_800), None));
    let denied = inbox().press_and_send("Dhx⏎");
    assert_eq!(
        (denied.decision, denied.limits),
        (Decision::Deny, limits(None, None)),
        "a denial has no limits"
    );
    let mut ben = ask_about_waiting_calls("s");
    ben.press_keys("hh");
    assert_eq!(ben.press_and_send("pw").limits, limits(Some(3_600), Some(3)));
}

#[test]
fn waiting_calls_stay_if_not_chosen() {
    let mut ben = ask_about_waiting_calls("s");
    assert!(!ben.press_and_send("pl").and_waiting);
    let mut ben = ask_about_waiting_calls("s");
    assert_eq!(ben.press_keys("pn"), []);
    assert_eq!(ben.status_text(), "Nothing was decided.");
    // A scope that covers no waiting call is not asked about.
    let mut ben = ask_about_waiting_calls("s");
    assert!(!ben.press_and_send("x").and_waiting);
}

#[test]
fn remembered_denial_offers_the_waiting_calls() {
    let mut ben = ask_about_waiting_calls("D");
    assert_eq!(ben.press_keys("p"), []);
    assert!(
        ben.screen().contains("1 more call waits with this scope. Also deny it now?"),
        "{}",
        ben.screen()
    );
    let sent = ben.press_and_send("wno pushes⏎");
    assert_eq!((sent.decision, sent.and_waiting), (Decision::Deny, true));
}

#[test]
fn scope_waits_for_its_preview() {
    let one = call_with_scopes(10, &json!({}));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one)).with_window(80, 24);
    ben.press_keys("s");
    ben.inbox.notes_of(&call_key(&one)).previews = None;
    assert_eq!(ben.press_keys("x"), []);
    assert!(ben.screen().contains("The earlier calls are being counted."), "{}", ben.screen());
}

#[test]
fn remembered_denial_shows_its_effect_first() {
    let one = call_with_scopes(10, &json!({}));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one)).with_window(100, 24);
    ben.press_keys("D");
    let previews = vec![preview(&json!({"command": "git push *"}), "command `git push *`", 2, 3, 0, 12)];
    ben.receive(InboxEvent::Previewed(call_key(&one), previews));
    assert_eq!(ben.press_keys("p"), []);
    let screen = ben.screen().split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        "Later calls of bash in thread conversation-7 are denied too",
        "command `git push *`: would have denied 3 of 12 earlier calls",
        "countersign grant list conversation-7",
    ] {
        assert!(screen.contains(text), "{text}: {screen}");
    }
    let sent = ben.press_and_send("no pushes⏎");
    assert_eq!(sent.scope, Some(parse_json(r#"{"command":"git push *"}"#)));
}

#[test]
fn denial_has_the_chosen_scope() {
    let mut ben = InboxTester::with_calls(&[call_with_scopes(10, &json!({}))]);
    assert_eq!(ben.press_keys("Dxno pushes"), []);
    assert!(ben.screen().contains("Deny bash and later calls, because: no pushes"));
    let sent = ben.press_and_send("⏎");
    assert_eq!((sent.decision, sent.scope), (Decision::Deny, Some(Json::string("exact"))));
    assert_eq!(sent.comment.as_deref(), Some("no pushes"));
}

/// Text that an approver types before choosing a scope must not decide anything, and above all not allow.
#[test]
fn reason_typed_too_early_is_ignored() {
    let mut ben = InboxTester::with_calls(&[call_with_scopes(10, &json!({}))]).with_window(80, 24);
    assert_eq!(ben.press_keys("Dno, so no"), []);
    assert!(ben.screen().contains("x exact   p pattern   t whole tool   Esc cancel"), "{}", ben.screen());
    assert_eq!(ben.press_keys("⎋"), []);
    assert_eq!(ben.status_text(), "Nothing was decided.");
    // An allowance takes no reason, so n cancels it.
    assert_eq!(ben.press_keys("sn"), []);
    assert_eq!(ben.status_text(), "Nothing was decided.");
}

/// The smallest window keeps room for the call, whatever else is shown.
#[test]
fn smallest_window_shows_the_call() {
    let more = json!({"expiresAt": "2026-09-21T14:14:10.000Z"});
    let mut ben = InboxTester::with_calls(&[call_with_scopes(10, &more), call_with_scopes(20, &json!({}))])
        .with_window(24, 9);
    let screen = ben.screen();
    assert!(screen.contains("Arguments") && screen.contains("? help"), "{screen}");
    ben.press_keys("G");
    assert!(ben.screen().contains("sha256") || ben.screen().contains("49db"), "{}", ben.screen());
    assert_eq!(ben.press_and_send("o").decision, Decision::AllowOnce);
}

#[test]
fn level_is_chosen_and_cleared() {
    let mut ben = InboxTester::with_calls(&[call_with_scopes(10, &json!({}))]);
    ben.press_keys("aa");
    assert!(ben.screen().contains("Level: admin"));
    ben.press_keys("a");
    assert!(!ben.screen().contains("At level"));
    assert_eq!(ben.press_and_send("aao").level.as_deref(), Some("admin"));
}

#[test]
fn edited_arguments_are_shown_and_sent() {
    let one = call_with_scopes(10, &json!({}));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one)).with_window(80, 24);
    assert_eq!(ben.press_keys("e"), [InboxAction::Edit(call_key(&one), one.arguments.clone())]);
    let edited = parse_json(r#"{"command":"git push origin main"}"#);
    ben.receive(InboxEvent::Edited(call_key(&one), Ok(Some(edited.clone()))));
    let screen = ben.screen();
    assert!(screen.contains("- /command \"git push origin\""), "{screen}");
    assert!(screen.contains("+ /command \"git push origin main\""), "{screen}");
    ben.advance_clock(DECISION_DELAY);
    assert_eq!(ben.press_keys("s"), []);
    assert_eq!(ben.status_text(), "Edited arguments apply only to this call: o allows it once.");
    // `about` identifies the proposed arguments, not the edited ones.
    let sent = ben.press_and_send("o");
    assert_eq!((sent.arguments, sent.about), (Some(edited), one.arguments_hash));
}

#[test]
fn failed_or_empty_edit_changes_nothing() {
    let one = call_with_scopes(10, &json!({}));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one));
    ben.receive(InboxEvent::Edited(call_key(&one), Err("it is not JSON".to_owned())));
    assert_eq!(ben.status_text(), "it is not JSON");
    let other = parse_json(r#"{"command":"ls"}"#);
    ben.receive(InboxEvent::Edited(call_key(&one), Ok(Some(other))));
    let same = parse_json(r#"{ "command" : "git push origin" }"#);
    ben.receive(InboxEvent::Edited(call_key(&one), Ok(Some(same))));
    ben.advance_clock(DECISION_DELAY);
    assert_eq!(ben.press_and_send("o").arguments, None);
}

/// Another approver has started a new round with other arguments.
#[test]
fn arguments_edited_by_another_must_be_reread() {
    let one = call_with_scopes(10, &json!({"quorum": 2}));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one));
    ben.press_keys("s");
    let mut other = one.clone();
    other.arguments = parse_json(r#"{"command":"git push --force"}"#);
    other.arguments_hash = other.arguments.admit().expect("valid");
    assert_eq!(ben.receive(InboxEvent::Changed(Box::new(other.clone()), false)), []);
    assert_eq!(ben.press_keys("o"), []);
    assert!(ben.status_text().starts_with("Ignored: the key came too early."), "{}", ben.status_text());
    ben.advance_clock(DECISION_DELAY);
    assert_eq!(ben.press_and_send("o").about, other.arguments_hash);
}

#[test]
fn insufficient_vote_reports_the_missing_votes() {
    let one = call_with_scopes(10, &json!({"quorum": 2}));
    let mut ben = InboxTester::with_calls(&[one.clone(), call_with_scopes(20, &json!({}))]);
    let sent = ben.press_and_send("o");
    let mut voted = one;
    let request = voted.request.as_mut().expect("the call has a request");
    let vote = json!({
        "seq": 30, "principal": "user:ben", "at": "2026-09-21T14:13:25.000Z",
        "decision": "allow_once", "counts": true,
    });
    request.votes = vec![serde_json::from_value(vote).expect("a vote")];
    ben.receive(InboxEvent::Answered(sent, Ok(Box::new(voted.clone()))));
    let told = "Voted on call_10: 1 of 2 to allow. 1 more person must agree before it runs.";
    assert_eq!((ben.status_text(), ben.shown_call()), (told, Some("call_20")));
    assert_eq!(ben.inbox.count(), 2);
    ben.press_keys("p");
    let again = ben.press_and_send("o");
    ben.receive(InboxEvent::Answered(again, Ok(Box::new(voted.clone()))));
    assert_eq!(ben.status_text(), "Nothing changed: you already voted on call_10. 1 of 2 to allow.");
    ben.press_keys("p");
    let screen = ben.screen();
    assert!(screen.contains("user:ben allow_once at 2026-09-21T14:13:25.000Z"), "{screen}");
    // A reminder rings the terminal bell.
    assert_eq!(ben.receive(InboxEvent::Changed(Box::new(voted), true)), [InboxAction::Ring]);
}
