//! Stories of people at the inbox, whose keys must never hit what they did not see.

use super::{call, decided, name, short, summarize_decision};
use crate::{
    inbox::{
        message::{InboxAction, InboxEvent},
        state::{DECISION_DELAY, InboxMode},
    },
    tests::InboxTester,
};
use countersign_gate::{Json, event::Decision};
use serde_json::json;

#[test]
fn what_arrives_does_not_move_what_is_looked_at() {
    let (early, late) = (short(10, "early"), short(20, "late"));
    let mut ben = InboxTester::before(std::slice::from_ref(&late));
    assert_eq!(ben.hears(InboxEvent::Arrived(vec![early])), [InboxAction::Ring]);
    assert_eq!(ben.shown(), Some("call_20"));
    assert!(ben.looks().contains("2 of 2"), "the older one stands before it");
    assert_eq!(ben.sends("o").key, name(&late));
    // What is there already is no arrival.
    assert_eq!(ben.hears(InboxEvent::Arrived(vec![late])), []);
}

/// An inbox that is open for weeks hears of every call that the policy allows.
#[test]
fn what_never_waited_or_waits_no_more_is_not_remembered() {
    let mut ben = InboxTester::before(&[]);
    for seq in 100..200 {
        ben.hears(decided(&short(seq, "read"), "allowed by policy:default"));
    }
    assert_eq!(ben.inbox.notes(), 0);
    let (one, two) = (short(10, "one"), short(20, "two"));
    ben.hears(InboxEvent::Arrived(vec![one.clone(), two.clone()]));
    ben.waits(DECISION_DELAY);
    let sent = ben.sends("o");
    ben.is_obeyed(sent);
    // An answer from before the decision still names it.
    ben.hears(InboxEvent::Loaded(vec![one, two.clone()]));
    assert_eq!((ben.shown(), ben.inbox.count()), (Some("call_20"), 1));
    ben.presses("n");
    ben.hears(decided(&two, "denied by user:cleo"));
    ben.presses("n");
    ben.hears(InboxEvent::Loaded(Vec::new()));
    assert_eq!(ben.inbox.notes(), 0);
}

#[test]
fn a_call_that_somebody_else_decides_stays_until_it_is_left() {
    let (one, two) = (short(10, "one"), short(20, "two"));
    let mut ben = InboxTester::before(&[one.clone(), two.clone()]);
    ben.hears(decided(&one, "denied by user:cleo"));
    assert_eq!(ben.shown(), Some("call_10"));
    assert!(ben.looks().contains("No longer pending: denied by user:cleo"));
    assert_eq!(ben.presses("os"), []);
    assert_eq!(ben.is_told(), "This call is denied by user:cleo. n shows the next one.");
    ben.presses("n");
    assert_eq!((ben.shown(), ben.inbox.calls.len()), (Some("call_20"), 1));
    // The one that is not looked at goes by itself.
    ben.hears(InboxEvent::Arrived(vec![short(30, "three")]));
    ben.presses("n");
    ben.hears(decided(&two, "allowed by user:cleo"));
    assert_eq!((ben.shown(), ben.inbox.count()), (Some("call_30"), 1));
}

#[test]
fn the_last_one_gives_way_to_an_empty_screen() {
    let one = short(10, "one");
    let mut ben = InboxTester::before(std::slice::from_ref(&one));
    ben.hears(decided(&one, "cancelled by agent:ada"));
    ben.presses("n");
    assert_eq!(ben.shown(), None);
    assert!(ben.looks().contains("No call is pending."));
}

/// The text of a comment would otherwise be a row of keys.
#[test]
fn what_is_typed_about_a_call_that_goes_means_nothing() {
    let (one, two) = (short(10, "one"), short(20, "two"));
    let mut ben = InboxTester::before(&[one.clone(), two]);
    ben.presses("dwe do");
    ben.hears(decided(&one, "allowed by user:cleo"));
    assert_eq!(ben.presses(" not nod o s y q"), []);
    assert_eq!(ben.inbox.mode, InboxMode::Interrupted);
    assert_eq!(ben.presses("⏎"), []);
    assert_eq!((ben.shown(), &ben.inbox.mode), (Some("call_10"), &InboxMode::Reading));
}

#[test]
fn what_is_typed_while_a_decision_travels_means_nothing_either() {
    let (one, two) = (short(10, "one"), short(20, "two"));
    let mut ben = InboxTester::before(&[one, two]);
    let sent = ben.sends("o");
    assert_eq!(ben.presses("o"), []);
    assert_eq!(ben.is_told(), "Your last decision is not confirmed yet.");
    ben.presses("dno");
    ben.is_obeyed(sent);
    assert_eq!(ben.presses("no no"), []);
    assert_eq!(ben.shown(), Some("call_10"));
    ben.presses("⏎n");
    assert_eq!(ben.shown(), Some("call_20"));
}

#[test]
fn after_a_decision_the_next_call_takes_none_for_a_moment() {
    let mut ben = InboxTester::before(&[short(10, "one"), short(20, "two"), short(30, "three")]);
    let sent = ben.sends("o");
    ben.is_obeyed(sent);
    assert_eq!((ben.shown(), ben.is_told()), (Some("call_20"), "Allowed call_10 (one) once."));
    assert_eq!(ben.presses("oo"), []);
    assert_eq!(ben.is_told(), "The call on the screen has just changed. Read it, then decide.");
    ben.waits(DECISION_DELAY);
    let sent = ben.sends("o");
    assert_eq!(sent.key.1.as_str(), "call_20");
    ben.is_obeyed(sent);
    // Whoever moves knows where they are.
    ben.presses("g");
    assert_eq!(ben.sends("o").key.1.as_str(), "call_30");
}

#[test]
fn a_denial_takes_a_comment_along() {
    let mut ben = InboxTester::before(&[short(10, "one")]);
    assert_eq!(ben.presses("dnot⎋"), []);
    let sent = ben.sends("d today ⏎");
    assert_eq!((sent.decision, sent.comment.as_deref()), (Decision::Deny, Some("not today")));
    ben.is_obeyed(sent);
    assert_eq!(ben.is_told(), "Denied call_10 (one).");
}

/// It was written to turn the call down.
#[test]
fn what_was_written_for_a_denial_does_not_go_with_an_allowance() {
    let mut ben = InboxTester::before(&[short(10, "one")]);
    ben.presses("dnever⎋");
    assert_eq!(ben.sends("o").comment, None);
}

#[test]
fn a_comment_is_kept_for_the_decision_and_an_empty_one_is_none() {
    let mut ben = InboxTester::before(&[short(10, "one")]);
    ben.presses("cfine by me⏎");
    assert!(ben.looks().contains("Comment: fine by me"));
    let sent = ben.sends("o");
    assert_eq!((sent.decision, sent.comment.as_deref()), (Decision::AllowOnce, Some("fine by me")));
    let mut cleo = InboxTester::before(&[short(10, "one")]);
    assert_eq!(cleo.sends("d⏎").comment, None);
}

#[test]
fn a_session_is_asked_about_before_it_is_allowed() {
    let mut ben = InboxTester::before(&[short(10, "bash")]);
    assert_eq!(ben.presses("s"), []);
    let screen = ben.looks();
    assert!(screen.contains("Allow this call, and which later calls of bash in thread"), "{screen}");
    assert_eq!(ben.presses("osd2"), []);
    assert_eq!(ben.presses("n"), []);
    assert_eq!(ben.is_told(), "Nothing was decided.");
    let sent = ben.sends("s1");
    assert_eq!((sent.decision, sent.scope), (Decision::AllowSession, Some(Json::string("tool"))));
}

#[test]
fn what_is_not_offered_is_not_sent() {
    let one = call(10, "pay", &json!({}), &json!({}));
    let mut one = one;
    one.request.as_mut().expect("it was asked").options = vec![Decision::AllowOnce, Decision::Deny];
    let mut ben = InboxTester::before(&[one]);
    assert!(!ben.looks().contains("s session"));
    assert_eq!(ben.presses("s1"), []);
    assert_eq!(ben.sends("o").decision, Decision::AllowOnce);
}

#[test]
fn nobody_allows_what_they_did_not_see_to_its_end() {
    let text: Vec<_> = (1..=40).map(|line| format!("echo {line}")).collect();
    let long = call(10, "bash", &json!({"command": text.join("\n"), "cwd": "/srv"}), &json!({}));
    let mut ben = InboxTester::before(&[long]);
    assert_eq!(ben.presses("so"), []);
    assert!(ben.is_told().starts_with("Read to the end first: 3"), "{}", ben.is_told());
    ben.presses("  ");
    assert_eq!(ben.presses("o"), []);
    ben.presses(" g");
    // What was seen once was seen.
    assert_eq!(ben.sends("o").decision, Decision::AllowOnce);
    // WritingDenial takes no reading.
    let long = call(10, "bash", &json!({"command": text.join("\n")}), &json!({}));
    assert_eq!(InboxTester::before(&[long]).sends("d⏎").decision, Decision::Deny);
}

#[test]
fn a_lost_race_says_who_won() {
    let (one, two) = (short(10, "one"), short(20, "two"));
    let mut ben = InboxTester::before(&[one.clone(), two]);
    let sent = ben.sends("o");
    // Its event may come before the answer does.
    ben.hears(decided(&one, "denied by user:cleo"));
    ben.is_refused(
        sent,
        "Nothing changed: call_10 was denied by user:cleo before you.",
        Some(summarize_decision("denied by user:cleo")),
    );
    assert_eq!(ben.is_told(), "Nothing changed: call_10 was denied by user:cleo before you.");
    assert_eq!(ben.shown(), Some("call_10"));
    ben.presses("n");
    assert_eq!((ben.shown(), ben.inbox.count()), (Some("call_20"), 1));
}

#[test]
fn while_the_log_is_lost_nothing_is_sent_and_nothing_is_forgotten() {
    let (one, two) = (short(10, "one"), short(20, "two"));
    let mut ben = InboxTester::before(&[one.clone(), two.clone()]);
    ben.hears(InboxEvent::Lost("no answer from http://127.0.0.1:7878/: Connection refused".to_owned()));
    assert!(ben.looks().contains("Reconnecting…"));
    assert_eq!(ben.presses("dthe long story⏎"), []);
    assert_eq!(ben.is_told(), "Nothing was sent, because the log is unreachable. Wait for the connection.");
    // Meanwhile the second was decided and a third came.
    assert_eq!(ben.hears(InboxEvent::Loaded(vec![one, short(30, "three")])), [InboxAction::Ring]);
    assert_eq!(ben.is_told(), "Connected again. The list is up to date.");
    assert_eq!((ben.shown(), ben.inbox.count()), (Some("call_10"), 2));
    assert_eq!(ben.sends("d⏎").comment.as_deref(), Some("the long story"));
    // The log tells of the second only now.
    assert_eq!(ben.hears(decided(&two, "denied by user:cleo")), []);
}

#[test]
fn an_answer_that_was_lost_leaves_the_call_and_the_comment() {
    let mut ben = InboxTester::before(&[short(10, "one")]);
    let sent = ben.sends("dnot today⏎");
    ben.is_refused(sent, "Whether it arrived is not known.", None);
    assert_eq!((ben.shown(), ben.is_told()), (Some("call_10"), "Whether it arrived is not known."));
    assert_eq!(ben.sends("d⏎").comment.as_deref(), Some("not today"));
}

/// A list that was read before the decision may be told after it.
#[test]
fn what_is_decided_never_waits_again() {
    let (one, two) = (short(10, "one"), short(20, "two"));
    let mut ben = InboxTester::before(&[one.clone(), two.clone()]);
    let sent = ben.sends("o");
    ben.is_obeyed(sent);
    ben.hears(InboxEvent::Loaded(vec![one, two]));
    assert_eq!(ben.inbox.count(), 1);
}

#[test]
fn looking_for_a_text_leaves_only_what_has_it() {
    let mut ben = InboxTester::before(&[short(10, "bash"), short(20, "transfer"), short(30, "bash")]);
    ben.presses("/TRANS");
    assert_eq!(ben.shown(), Some("call_20"));
    ben.presses("⏎nn");
    assert_eq!(ben.shown(), Some("call_20"));
    assert!(ben.looks().contains("1 of 1"));
    ben.presses("/xyz⏎");
    assert!(ben.looks().contains("No pending call contains “TRANSxyz”."), "{}", ben.looks());
    ben.presses("⎋");
    assert_eq!(ben.shown(), Some("call_10"));
}

#[test]
fn pasted_text_is_never_a_row_of_keys() {
    let mut ben = InboxTester::before(&[short(10, "one")]);
    ben.inbox.paste("ooo\nsy\n");
    assert_eq!((ben.inbox.sending.is_none(), ben.is_told()), (true, "Pasted text is ignored here."));
    ben.presses("d");
    ben.inbox.paste("see\nthe wiki");
    assert_eq!(ben.sends("⏎").comment.as_deref(), Some("see the wiki"));
}

#[test]
fn somebody_at_an_empty_inbox_meets_what_comes_with_their_hands_off() {
    let mut ben = InboxTester::before(&[]);
    assert_eq!(ben.presses("ods"), []);
    ben.hears(InboxEvent::Arrived(vec![short(10, "one")]));
    assert_eq!(ben.presses("o"), []);
    ben.waits(DECISION_DELAY);
    assert_eq!(ben.sends("o").key.1.as_str(), "call_10");
}

#[test]
fn undoing_is_answered_with_how_things_are() {
    let mut ben = InboxTester::before(&[short(10, "one")]);
    assert_eq!(ben.presses("u"), []);
    assert!(ben.is_told().starts_with("A decision is final."));
}

#[test]
fn a_filter_that_hides_all_is_not_taken_for_an_empty_inbox() {
    let mut ben = InboxTester::before(&[short(10, "bash"), short(20, "mail")]);
    ben.presses("/zzz⏎d");
    assert_eq!(ben.is_told(), "No pending call contains “zzz”. Esc shows all.");
    ben.presses("o");
    assert_eq!(ben.is_told(), "No pending call contains “zzz”. Esc shows all.");
}

#[test]
fn a_comment_does_not_seem_to_go_with_what_somebody_else_decided() {
    let one = short(10, "bash");
    let mut ben = InboxTester::before(std::slice::from_ref(&one));
    ben.presses("cfine by me⏎");
    assert!(ben.looks().contains("Comment: fine by me"));
    ben.hears(decided(&one, "denied by user:cleo"));
    assert!(!ben.looks().contains("With the comment"), "{}", ben.looks());
}

#[test]
fn the_help_fits_a_usual_terminal() {
    let mut ben = InboxTester::before(&[short(10, "bash")]).at_a_window_of(80, 24);
    ben.presses("?");
    let seen = ben.looks();
    assert!(seen.contains("d        deny") && seen.contains("until you leave it."), "{seen}");
}
