//! Stories about scopes, levels and edited arguments.

use super::{call, name};
use crate::{
    inbox::{
        message::{InboxAction, InboxEvent},
        state::DECISION_DELAY,
    },
    tests::InboxTester,
};
use countersign_api as api;
use countersign_gate::{Json, event::Decision};
use serde_json::{Value, json};

/// A call with three scopes.
fn wide(seq: i64, more: &Value) -> api::Call {
    let reach = |width: Value, says: &str, allows: u32, denies: u32| json!({"scope": width, "says": says, "allows": allows, "denies": denies, "calls": [], "of": 12});
    let mut request = json!({
        "seq": seq + 1,
        "requestedAt": "2026-09-21T14:13:20.000Z",
        "options": ["allow_once", "allow_session", "deny"],
        "reason": "no rule matches this call",
        "quorum": 1,
        "denials": 1,
        "availableLevels": ["user", "admin"],
        "scopes": [
            reach(json!("exact"), "these exact arguments", 1, 1),
            reach(json!({"command": "git push *"}), "command `git push *`", 2, 3),
            reach(json!("tool"), "the whole tool", 7, 7),
        ],
        "policy": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        request[name] = value.clone();
    }
    call(seq, "bash", &json!({"command": "git push origin"}), &json!({"request": request}))
}

fn json_of(text: &str) -> Json {
    Json::parse(text).expect("valid")
}

#[test]
fn each_width_says_how_far_it_would_have_reached() {
    let mut ben = InboxTester::before(&[wide(10, &json!({}))]).at_a_window_of(80, 24);
    assert_eq!(ben.presses("s"), []);
    let screen = ben.looks();
    assert!(screen.contains("1 these exact arguments: 1 of 12 other calls"), "{screen}");
    assert!(screen.contains("2 command `git push *`: allows 2 and denies 3 of 12 other calls"), "{screen}");
    assert_eq!(ben.presses("40x"), []);
    let sent = ben.sends("2");
    assert_eq!(sent.decision, Decision::AllowSession);
    assert_eq!(sent.scope, Some(json_of(r#"{"command":"git push *"}"#)));
}

#[test]
fn a_denial_is_remembered_as_wide_as_is_chosen() {
    let mut ben = InboxTester::before(&[wide(10, &json!({}))]);
    assert_eq!(ben.presses("D1no pushes"), []);
    assert!(ben.looks().contains("Deny bash and later calls, because: no pushes"));
    let sent = ben.sends("⏎");
    assert_eq!((sent.decision, sent.scope), (Decision::Deny, Some(Json::string("exact"))));
    assert_eq!(sent.comment.as_deref(), Some("no pushes"));
}

/// Whoever begins to write why before a width is chosen decides nothing by it, and above all allows nothing.
#[test]
fn a_reason_that_is_begun_too_early_is_no_key() {
    let mut ben = InboxTester::before(&[wide(10, &json!({}))]).at_a_window_of(80, 24);
    assert_eq!(ben.presses("Dno, so not"), []);
    assert!(ben.looks().contains("1–3 choose   then the reason   Esc cancel"), "{}", ben.looks());
    assert_eq!(ben.presses("⎋"), []);
    assert_eq!(ben.is_told(), "Nothing was decided.");
    // Nothing is written beside an allowance, so there n goes back.
    assert_eq!(ben.presses("sn"), []);
    assert_eq!(ben.is_told(), "Nothing was decided.");
}

/// In the smallest window the call has room, whatever else there is to say.
#[test]
fn the_smallest_window_shows_the_call() {
    let more = json!({"expiresAt": "2026-09-21T14:14:10.000Z"});
    let mut ben = InboxTester::before(&[wide(10, &more), wide(20, &json!({}))]).at_a_window_of(24, 9);
    let screen = ben.looks();
    assert!(screen.contains("Arguments") && screen.contains("? help"), "{screen}");
    ben.presses("G");
    assert!(ben.looks().contains("sha256") || ben.looks().contains("49db"), "{}", ben.looks());
    assert_eq!(ben.sends("o").decision, Decision::AllowOnce);
}

#[test]
fn a_level_is_chosen_and_taken_back() {
    let mut ben = InboxTester::before(&[wide(10, &json!({}))]);
    ben.presses("aa");
    assert!(ben.looks().contains("Level: admin"));
    ben.presses("a");
    assert!(!ben.looks().contains("At level"));
    assert_eq!(ben.sends("aao").level.as_deref(), Some("admin"));
}

#[test]
fn changed_arguments_are_shown_read_and_sent() {
    let one = wide(10, &json!({}));
    let mut ben = InboxTester::before(std::slice::from_ref(&one)).at_a_window_of(80, 24);
    assert_eq!(ben.presses("e"), [InboxAction::Edit(name(&one), one.arguments.clone())]);
    let edited = json_of(r#"{"command":"git push origin main"}"#);
    ben.hears(InboxEvent::Edited(name(&one), Ok(Some(edited.clone()))));
    let screen = ben.looks();
    assert!(screen.contains("- /command \"git push origin\""), "{screen}");
    assert!(screen.contains("+ /command \"git push origin main\""), "{screen}");
    assert_eq!(ben.presses("s"), []);
    assert_eq!(ben.is_told(), "Edited arguments apply only to this call: o allows it once.");
    // A denial is of what was proposed.
    let sent = ben.sends("o");
    assert_eq!((sent.arguments, sent.about), (Some(edited), one.arguments_hash));
}

#[test]
fn an_edit_that_fails_or_changes_nothing_leaves_the_call_as_it_was() {
    let one = wide(10, &json!({}));
    let mut ben = InboxTester::before(std::slice::from_ref(&one));
    ben.hears(InboxEvent::Edited(name(&one), Err("it is no JSON".to_owned())));
    assert_eq!(ben.is_told(), "it is no JSON");
    let other = json_of(r#"{"command":"ls"}"#);
    ben.hears(InboxEvent::Edited(name(&one), Ok(Some(other))));
    let same = json_of(r#"{ "command" : "git push origin" }"#);
    ben.hears(InboxEvent::Edited(name(&one), Ok(Some(same))));
    assert_eq!(ben.sends("o").arguments, None);
}

/// Another approver began a new round with arguments of their own.
#[test]
fn arguments_that_somebody_else_changes_are_looked_at_again() {
    let one = wide(10, &json!({"quorum": 2}));
    let mut ben = InboxTester::before(std::slice::from_ref(&one));
    ben.presses("s");
    let mut other = one.clone();
    other.arguments = json_of(r#"{"command":"git push --force"}"#);
    other.arguments_hash = other.arguments.admit().expect("valid");
    assert_eq!(ben.hears(InboxEvent::Changed(Box::new(other.clone()), false)), []);
    assert_eq!(ben.presses("o"), []);
    assert_eq!(ben.is_told(), "The call on the screen has just changed. Read it, then decide.");
    ben.waits(DECISION_DELAY);
    assert_eq!(ben.sends("o").about, other.arguments_hash);
}

#[test]
fn a_vote_that_is_not_enough_says_what_it_still_takes() {
    let one = wide(10, &json!({"quorum": 2}));
    let mut ben = InboxTester::before(&[one.clone(), wide(20, &json!({}))]);
    let sent = ben.sends("o");
    let mut voted = one;
    let request = voted.request.as_mut().expect("it was asked");
    let vote = json!({
        "seq": 30, "principal": "user:ben", "at": "2026-09-21T14:13:25.000Z",
        "decision": "allow_once", "counts": true,
    });
    request.votes = vec![serde_json::from_value(vote).expect("a vote")];
    ben.hears(InboxEvent::Answered(sent, Ok(Box::new(voted.clone()))));
    let told = "Voted on call_10: 1 of 2 to allow. 1 more person must agree before it runs.";
    assert_eq!((ben.is_told(), ben.shown()), (told, Some("call_20")));
    assert_eq!(ben.inbox.count(), 2);
    ben.presses("p");
    let again = ben.sends("o");
    ben.hears(InboxEvent::Answered(again, Ok(Box::new(voted.clone()))));
    assert_eq!(ben.is_told(), "Nothing changed: you already voted on call_10. 1 of 2 to allow.");
    ben.presses("p");
    let screen = ben.looks();
    assert!(screen.contains("user:ben allow_once at 2026-09-21T14:13:25.000Z"), "{screen}");
    // A reminder is told aloud.
    assert_eq!(ben.hears(InboxEvent::Changed(Box::new(voted), true)), [InboxAction::Ring]);
}
