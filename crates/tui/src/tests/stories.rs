//! Keys in the inbox never decide a call that the approver has not seen.

use super::{call, call_key, decided_by_other, short_call, summarize_decision};
use crate::{
    inbox::{
        guard::DECISION_DELAY,
        message::{InboxAction, InboxEvent},
        state::InboxMode,
    },
    tests::InboxTester,
};
use countersign_events::{Decision, Json, QuestionForm};
use serde_json::json;

#[test]
fn arriving_call_keeps_the_shown_call() {
    let (early, late) = (short_call(10, "early"), short_call(20, "late"));
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&late));
    assert_eq!(ben.receive(InboxEvent::Arrived(vec![early])), [InboxAction::Ring]);
    assert_eq!(ben.shown_call(), Some("call_20"));
    assert!(ben.screen().contains("2 of 2"), "the older call comes first");
    assert_eq!(ben.press_and_send("o").key, call_key(&late));
    // A call that is already listed does not ring again.
    assert_eq!(ben.receive(InboxEvent::Arrived(vec![late])), []);
}

/// An inbox that is open for weeks receives every call that the policy allows, so it must not keep them.
#[test]
fn calls_not_pending_are_not_kept() {
    let mut ben = InboxTester::with_calls(&[]);
    for seq in 100..200 {
        ben.receive(decided_by_other(&short_call(seq, "read"), "allowed by policy:default"));
    }
    assert_eq!(ben.inbox.remembered(), 0);
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    ben.receive(InboxEvent::Arrived(vec![one.clone(), two.clone()]));
    ben.advance_clock(DECISION_DELAY);
    let sent = ben.press_and_send("o");
    ben.confirm_sent(sent);
    // A list that was read before the decision still contains the call.
    ben.receive(InboxEvent::Loaded(vec![one, two.clone()]));
    assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_20"), 1));
    ben.press_keys("n");
    ben.receive(decided_by_other(&two, "denied by user:cleo"));
    ben.press_keys("n");
    ben.receive(InboxEvent::Loaded(Vec::new()));
    assert_eq!(ben.inbox.remembered(), 0);
}

#[test]
fn call_decided_by_another_stays_until_left() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two.clone()]);
    ben.receive(decided_by_other(&one, "denied by user:cleo"));
    assert_eq!(ben.shown_call(), Some("call_10"));
    assert!(ben.screen().contains("No longer pending: denied by user:cleo"));
    assert_eq!(ben.press_keys("os"), []);
    assert_eq!(ben.status_text(), "This call is denied by user:cleo. n shows the next one.");
    ben.press_keys("n");
    assert_eq!((ben.shown_call(), ben.inbox.calls.len()), (Some("call_20"), 1));
    // A decided call that is not shown disappears by itself.
    ben.receive(InboxEvent::Arrived(vec![short_call(30, "three")]));
    ben.press_keys("n");
    ben.receive(decided_by_other(&two, "allowed by user:cleo"));
    assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_30"), 1));
}

#[test]
fn last_decided_call_leaves_an_empty_screen() {
    let one = short_call(10, "one");
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one));
    ben.receive(decided_by_other(&one, "cancelled by agent:ada"));
    ben.press_keys("n");
    assert_eq!(ben.shown_call(), None);
    assert!(ben.screen().contains("No call is pending."));
}

/// The remaining comment would otherwise be read as keys.
#[test]
fn comment_on_a_decided_call_is_discarded() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two]);
    ben.press_keys("dwe do");
    ben.receive(decided_by_other(&one, "allowed by user:cleo"));
    assert_eq!(ben.press_keys(" not nod o s y q"), []);
    assert_eq!(ben.inbox.mode, InboxMode::Interrupted);
    assert_eq!(ben.press_keys("⏎"), []);
    assert_eq!((ben.shown_call(), &ben.inbox.mode), (Some("call_10"), &InboxMode::Reading));
}

#[test]
fn keys_during_an_unconfirmed_decision_are_ignored() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one, two]);
    let sent = ben.press_and_send("o");
    assert_eq!(ben.press_keys("o"), []);
    assert_eq!(ben.status_text(), "Your last decision is not confirmed yet.");
    ben.press_keys("dno");
    ben.confirm_sent(sent);
    assert_eq!(ben.press_keys("no no"), []);
    assert_eq!(ben.shown_call(), Some("call_10"));
    ben.press_keys("⏎n");
    assert_eq!(ben.shown_call(), Some("call_20"));
}

#[test]
fn last_approval_is_taken_back() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two]);
    assert_eq!(ben.press_keys("u"), []);
    assert!(ben.status_text().starts_with("Nothing to take back here."), "{}", ben.status_text());
    let sent = ben.press_and_send("o");
    assert_eq!(ben.press_keys("u"), [], "the decision is not confirmed yet");
    ben.confirm_sent(sent);
    assert!(ben.screen().contains("u take back"));
    assert_eq!(ben.press_keys("u"), [InboxAction::TakeBack(call_key(&one))]);
    ben.receive(InboxEvent::TakenBack(call_key(&one), Ok(())));
    assert_eq!(ben.status_text(), "Took the approval of call_10 back: it does not run.");
    assert_eq!((ben.inbox.allowed, ben.press_keys("u")), (0, vec![]));
}

#[test]
fn approval_of_a_started_call_stays() {
    let one = short_call(10, "one");
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one));
    let sent = ben.press_and_send("o");
    ben.confirm_sent(sent);
    ben.press_keys("u");
    ben.receive(InboxEvent::TakenBack(call_key(&one), Err("claimed already by worker-1".to_owned())));
    assert_eq!(ben.status_text(), "The approval of call_10 stays: claimed already by worker-1.");
    assert_eq!(ben.inbox.allowed, 1);
}

#[test]
fn denial_sends_its_comment() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "one")]);
    assert_eq!(ben.press_keys("dnot⎋"), []);
    let sent = ben.press_and_send("d today ⏎");
    assert_eq!((sent.decision, sent.comment.as_deref()), (Decision::Deny, Some("not today")));
    ben.confirm_sent(sent);
    assert_eq!(ben.status_text(), "Denied call_10 (one).");
}

/// The comment was written for a denial.
#[test]
fn denial_comment_is_not_sent_with_an_allowance() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "one")]);
    ben.press_keys("dnever⎋");
    assert_eq!(ben.press_and_send("o").comment, None);
}

#[test]
fn comment_is_sent_unless_it_is_empty() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "one")]);
    ben.press_keys("cfine by me⏎");
    assert!(ben.screen().contains("Comment: fine by me"));
    let sent = ben.press_and_send("o");
    assert_eq!((sent.decision, sent.comment.as_deref()), (Decision::AllowOnce, Some("fine by me")));
    let mut cleo = InboxTester::with_calls(&[short_call(10, "one")]);
    assert_eq!(cleo.press_and_send("d⏎").comment, None);
}

#[test]
fn session_allowance_asks_for_its_scope() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]);
    assert_eq!(ben.press_keys("s"), []);
    let screen = ben.screen();
    assert!(screen.contains("Allow this call, and which later calls of bash in thread"), "{screen}");
    assert_eq!(ben.press_keys("osd2"), []);
    assert_eq!(ben.press_keys("n"), []);
    assert_eq!(ben.status_text(), "Nothing was decided.");
    let sent = ben.press_and_send("sty");
    assert_eq!((sent.decision, sent.scope), (Decision::AllowSession, Some(Json::string("tool"))));
}

#[test]
fn decision_not_offered_is_not_sent() {
    let one = call(10, "pay", &json!({}), &json!({}));
    let mut one = one;
    one.request.as_mut().expect("the call has a request").options = vec![Decision::AllowOnce, Decision::Deny];
    let mut ben = InboxTester::with_calls(&[one]);
    assert!(!ben.screen().contains("s session"));
    assert_eq!(ben.press_keys("sx"), []);
    assert_eq!(ben.press_and_send("o").decision, Decision::AllowOnce);
}

#[test]
fn call_is_allowed_only_after_reading_its_end() {
    let text: Vec<_> = (1..=40).map(|line| format!("echo {line}")).collect();
    let long = call(10, "bash", &json!({"command": text.join("\n"), "cwd": "/srv"}), &json!({}));
    let mut ben = InboxTester::with_calls(&[long]);
    assert_eq!(ben.press_keys("so"), []);
    assert!(ben.status_text().starts_with("Read to the end first: 3"), "{}", ben.status_text());
    ben.press_keys("  ");
    assert_eq!(ben.press_keys("o"), []);
    ben.press_keys(" g");
    // The call stays read after scrolling back.
    assert_eq!(ben.press_and_send("o").decision, Decision::AllowOnce);
    // A denial does not require reading to the end.
    let long = call(10, "bash", &json!({"command": text.join("\n")}), &json!({}));
    assert_eq!(InboxTester::with_calls(&[long]).press_and_send("d⏎").decision, Decision::Deny);
}

#[test]
fn lost_race_names_the_winner() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two]);
    let sent = ben.press_and_send("o");
    // The event may arrive before the answer.
    ben.receive(decided_by_other(&one, "denied by user:cleo"));
    ben.refuse_sent(
        sent,
        "Nothing changed: call_10 was denied by user:cleo before you.",
        Some(summarize_decision("denied by user:cleo")),
    );
    assert_eq!(ben.status_text(), "Nothing changed: call_10 was denied by user:cleo before you.");
    assert_eq!(ben.shown_call(), Some("call_10"));
    ben.press_keys("n");
    assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_20"), 1));
}

#[test]
fn disconnected_inbox_sends_nothing_and_keeps_state() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two.clone()]);
    ben.receive(InboxEvent::Lost("no answer from http://127.0.0.1:7878/: Connection refused".to_owned()));
    assert!(ben.screen().contains("Reconnecting…"));
    assert_eq!(ben.press_keys("dthe long story⏎"), []);
    assert_eq!(
        ben.status_text(),
        "Nothing was sent, because the log is unreachable. Wait for the connection."
    );
    // During the outage the second call was decided and a third was proposed.
    assert_eq!(ben.receive(InboxEvent::Loaded(vec![one, short_call(30, "three")])), [InboxAction::Ring]);
    assert_eq!(ben.status_text(), "Connected again. The list is up to date.");
    assert_eq!((ben.shown_call(), ben.inbox.count()), (Some("call_10"), 2));
    assert_eq!(ben.press_and_send("d⏎").comment.as_deref(), Some("the long story"));
    // The event about the second call arrives only now.
    assert_eq!(ben.receive(decided_by_other(&two, "denied by user:cleo")), []);
}

#[test]
fn lost_answer_keeps_call_and_comment() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "one")]);
    let sent = ben.press_and_send("dnot today⏎");
    ben.refuse_sent(sent, "Whether it arrived is not known.", None);
    assert_eq!((ben.shown_call(), ben.status_text()), (Some("call_10"), "Whether it arrived is not known."));
    ben.advance_clock(DECISION_DELAY);
    assert_eq!(ben.press_and_send("d⏎").comment.as_deref(), Some("not today"));
}

/// A list that was read before the decision may arrive after it.
#[test]
fn decided_call_is_never_pending_again() {
    let (one, two) = (short_call(10, "one"), short_call(20, "two"));
    let mut ben = InboxTester::with_calls(&[one.clone(), two.clone()]);
    let sent = ben.press_and_send("o");
    ben.confirm_sent(sent);
    ben.receive(InboxEvent::Loaded(vec![one, two]));
    assert_eq!(ben.inbox.count(), 1);
}

#[test]
fn search_shows_only_matching_calls() {
    let mut ben = InboxTester::with_calls(&[
        short_call(10, "bash"),
        short_call(20, "transfer"),
        short_call(30, "bash"),
    ]);
    ben.press_keys("/TRANS");
    assert_eq!(ben.shown_call(), Some("call_20"));
    ben.press_keys("⏎nn");
    assert_eq!(ben.shown_call(), Some("call_20"));
    assert!(ben.screen().contains("1 of 1"));
    ben.press_keys("/xyz⏎");
    assert!(ben.screen().contains("No pending call contains “TRANSxyz”."), "{}", ben.screen());
    ben.press_keys("⎋");
    assert_eq!(ben.shown_call(), Some("call_10"));
}

#[test]
fn pasted_text_is_not_read_as_keys() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "one")]);
    ben.inbox.paste("ooo\nsy\n");
    assert_eq!((ben.inbox.sending.is_none(), ben.status_text()), (true, "Pasted text is ignored here."));
    ben.press_keys("d");
    ben.inbox.paste("see\nthe wiki");
    assert_eq!(ben.press_and_send("⏎").comment.as_deref(), Some("see the wiki"));
}

#[test]
fn keys_on_an_empty_inbox_decide_nothing() {
    let mut ben = InboxTester::with_calls(&[]);
    assert_eq!(ben.press_keys("ods"), []);
    ben.receive(InboxEvent::Arrived(vec![short_call(10, "one")]));
    assert_eq!(ben.press_keys("o"), []);
    ben.advance_clock(DECISION_DELAY);
    assert_eq!(ben.press_and_send("o").key.1.as_str(), "call_10");
}

#[test]
fn filter_without_matches_is_reported() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash"), short_call(20, "mail")]);
    ben.press_keys("/zzz⏎d");
    assert_eq!(ben.status_text(), "No pending call contains “zzz”. Esc shows all.");
    ben.press_keys("o");
    assert_eq!(ben.status_text(), "No pending call contains “zzz”. Esc shows all.");
}

#[test]
fn comment_is_hidden_after_another_approvers_decision() {
    let one = short_call(10, "bash");
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&one));
    ben.press_keys("cfine by me⏎");
    assert!(ben.screen().contains("Comment: fine by me"));
    ben.receive(decided_by_other(&one, "denied by user:cleo"));
    assert!(!ben.screen().contains("With the comment"), "{}", ben.screen());
}

#[test]
fn help_fits_an_80_column_terminal() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]).with_window(80, 24);
    ben.press_keys("?");
    let seen = ben.screen();
    assert!(seen.contains("d        deny") && seen.contains("until you leave it."), "{seen}");
}

#[test]
fn questions_are_answered_one_by_one() {
    let arguments = json!({"questions": [
        {"question": "Which database?", "header": "DB", "options": [{"label": "SQLite", "description": "one file"}, {"label": "MySQL"}]},
        {"question": "Which parts?", "multiSelect": true, "options": [{"label": "A"}, {"label": "B"}]},
    ]});
    let mut asked = call(10, "AskUserQuestion", &arguments, &json!({}));
    asked.question = QuestionForm::read(&asked.name, &asked.arguments).map(Box::new);
    let mut ben = InboxTester::with_calls(std::slice::from_ref(&asked));
    let screen = ben.screen();
    for shown in ["DB: Which database?", "1 SQLite: one file", "d dismiss", "o answer"] {
        assert!(screen.contains(shown), "{shown}\n{screen}");
    }
    assert_eq!(ben.press_keys("o⏎"), []);
    assert_eq!(ben.status_text(), "\"Which database?\" needs an answer");
    assert_eq!(ben.press_keys("2⏎"), []);
    assert!(ben.screen().contains("Which parts?"), "{}", ben.screen());
    assert_eq!(ben.press_keys("⎋"), []);
    assert_eq!(ben.status_text(), "Nothing was decided.");
    let sent = ben.press_and_send("o2⏎b, other⏎");
    let answered = sent.arguments.expect("answered");
    assert!(answered.as_str().contains(r#""answers":{"Which database?":"MySQL","Which parts?":"B, other"}"#));
    assert_eq!((sent.decision, sent.about), (Decision::AllowOnce, asked.arguments_hash));
}
