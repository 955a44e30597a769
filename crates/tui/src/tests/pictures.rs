//! Pictures of the inbox, as a terminal would show them.

use super::{call, decided_by_other, short_call};
use crate::{inbox::message::InboxEvent, tests::InboxTester};
use countersign_api as api;
use countersign_events::Principal;
use insta::assert_snapshot;
use serde_json::json;

fn dangerous_call() -> api::Call {
    let impact = json!({
        "message": "Deletes the build folder and all that is in it, which take an hour to build again",
        "riskLevel": "high",
        "reversible": false,
        "affectedResources": ["build/app.o", "build/lib.o"],
        "estimatedImpact": "2 files",
    });
    let request = json!({
        "seq": 11,
        "requestedAt": "2026-09-21T14:13:20.000Z",
        "options": ["allow_once", "allow_session", "deny"],
            "quorum": 1,
            "denials": 1,
        "rule": "deleting is asked",
        "reason": "a person has to look",
        "expiresAt": "2026-09-21T14:14:10.000Z",
        "policy": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
    });
    call(
        10,
        "remove-folder",
        &json!({"command": "rm -r build", "cwd": "/srv/shop"}),
        &json!({
            "impact": impact,
            "request": request,
            "description": "Tidy up before the release",
            "annotations": {"destructiveHint": true},
        }),
    )
}

fn unusual_call() -> api::Call {
    let arguments = json!({
        "to": "ada\u{202e}nimda@example.com",
        "amount": "1249.50",
        "a key that is longer than a label": "first line\nsecond line, which is too long for the window and goes on below\n",
        "lines": [{"text": "Consulting, November", "hours": 12}, {"text": "Train to Vienna", "hours": 0}],
    });
    call(
        20,
        "send-invoice",
        &arguments,
        &json!({"threadId": "a thread with a name that is a good deal longer than most"}),
    )
}

#[test]
fn call_in_60_columns() {
    let mut ben = InboxTester::with_calls(&[dangerous_call(), short_call(20, "bash")]);
    assert_snapshot!(ben.screen(), @"
     Countersign · 2 pending                           user:ben
     ▸ remove-folder rm -r build  HIGH                 45s left
       bash run 20                                       5s ago
    ────────────────────────────────────────────────────────────
     remove-folder                                       1 of 2
     by agent:ada · in conversation-7 · 5s ago
     HIGH RISK · cannot be undone · 45s left
    ────────────────────────────────────────────────────────────
     Purpose  Tidy up before the release
     Impact   Deletes the build folder and all that is in it,
              which take an hour to build again
     Touches  build/app.o
              build/lib.o
     Extent   2 files
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     command  rm -r build
    ────────────────────────────────────────── line 1–8 of 16 ──

     d deny   o allow once   s session   e edit   c comment
     n p others   ? help   q quit
    ");
}

#[test]
fn call_in_80_columns() {
    let mut ben = InboxTester::with_calls(&[unusual_call(), short_call(30, "bash")]).with_window(80, 30);
    assert_snapshot!(ben.screen(), @r#"
     Countersign · 2 pending                                               user:ben
     ▸ send-invoice 1249.50 · ada\u{202e}nimda@example.com                   5s ago
       bash run 30                                                           5s ago
    ────────────────────────────────────────────────────────────────────────────────
     send-invoice                                                            1 of 2
     by agent:ada · in a thread with a name that is a good dea… · 5s ago
    ────────────────────────────────────────────────────────────────────────────────
     Warning  1 character that a terminal would hide is shown as \u{…}
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     a key that is longer than a label
              first line
              second line, which is too long for the window and goes on below

     amount   "1249.50"
     lines    [
                {
                  "hours": 12,
                  "text": "Consulting, November"
                },
                {
                  "hours": 0,
                  "text": "Train to Vienna"
                }
              ]
     to       ada\u{202e}nimda@example.com
     Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
    ───────────────────────────────────────────────────────────── line 1–19 of 23 ──

     d deny   o allow once   s session   e edit   c comment   n p others   ? help
     q quit
    "#);
}

#[test]
fn wide_window_shows_call_beside_list() {
    let mut ben = InboxTester::with_calls(&[short_call(5, "bash"), dangerous_call(), unusual_call()])
        .with_window(120, 24);
    ben.press_keys("n");
    assert_snapshot!(ben.screen(), @r#"
    Countersign · 3 pending                                                                                       user:ben
      bash run 5                                    │ remove-folder                                                 2 of 3
      5s ago · conversation-7                       │ by agent:ada · in conversation-7 · 5s ago
    ▸ remove-folder rm -r build  HIGH               │ HIGH RISK · cannot be undone · 45s left
      5s ago · 45s left · conversation-7            │──────────────────────────────────────────────────────────────────────
      send-invoice 1249.50 · ada\u{202e}nimda@exam… │ Purpose  Tidy up before the release
      5s ago · a thread with a name that is a good… │ Impact   Deletes the build folder and all that is in it, which take
                                                    │          an hour to build again
                                                    │ Touches  build/app.o
                                                    │          build/lib.o
                                                    │ Extent   2 files
                                                    │ Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                                    │ command  rm -r build
                                                    │ cwd      /srv/shop
                                                    │ Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                                    │ Asked    deleting is asked: a person has to look
                                                    │ Expires  2026-09-21T14:14:10.000Z, then the call is denied
                                                    │ Hints    {"destructiveHint": true}
                                                    │ Call     call_10
                                                    │ sha256   4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454
                                                    │          d49db
                                                    │──────────────────────────────────────────────────────────────────────

    d deny   o allow once   s session   e edit   c comment   n p others   ? help   q quit
    "#);
}

#[test]
fn questions_are_shown_below_the_call() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]).with_window(60, 16);
    ben.press_keys("dnot before the weekend, and not without somebody who knows it");
    assert_snapshot!(ben.screen(), @"
     Countersign · 1 pending                           user:ben
     bash                                                1 of 1
     by agent:ada · in conversation-7 · 5s ago
    ────────────────────────────────────────────────────────────
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     command  run 10
     Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     Asked    no rule matches this call
     Call     call_10
     sha256   4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831
              413eb6b454d49db

    ────────────────────────────────────────────────────────────
     Deny bash, because: not before the weekend, and not withou
     t somebody who knows it
     Enter deny   a reason is optional   Esc back
    ");
    ben.press_keys("⎋s");
    assert_snapshot!(ben.screen(), @"
     Countersign · 1 pending                           user:ben
     bash                                                1 of 1
     by agent:ada · in conversation-7 · 5s ago
    ────────────────────────────────────────────────────────────
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     command  run 10
     Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     Asked    no rule matches this call
    ─────────────────────────────────────────── line 1–4 of 7 ──
     Allow this call, and which later calls of bash in thread
     conversation-7?
     x this exact call
     p is not available: no pattern describes this call
     t the whole tool
     h for 1 hour
     x exact   p pattern   t whole tool   h time   n cancel
    ");
}

#[test]
fn decision_is_shown_below_the_call() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]).with_window(60, 16);
    let sent = ben.press_and_send("o");
    assert_snapshot!(ben.screen(), @"
     Countersign · 1 pending                           user:ben
     bash                                                1 of 1
     by agent:ada · in conversation-7 · 5s ago
    ────────────────────────────────────────────────────────────
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     command  run 10
     Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     Asked    no rule matches this call
     Call     call_10
     sha256   4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831
              413eb6b454d49db

    ────────────────────────────────────────────────────────────
     Sending… allow call_10
     d deny   o allow once   s session   e edit   c comment
     ? help   q quit
    ");
    ben.confirm_sent(sent);
    assert_snapshot!(ben.screen(), @"
     Countersign · 0 pending                           user:ben



                        No call is pending.

                    You allowed 1 and denied 0.

                  allowed by user:ben: bash run 10




    ────────────────────────────────────────────────────────────
     Allowed call_10 (bash) once.
     u take back   ? help   q quit
    ");
}

#[test]
fn decision_of_another_approver_is_shown() {
    let mut ben = InboxTester::with_calls(&[dangerous_call(), short_call(20, "bash")]).with_window(80, 14);
    ben.receive(decided_by_other(&dangerous_call(), "denied by user:cleo"));
    ben.receive(InboxEvent::Lost(
        "no answer from http://127.0.0.1:7878/: Connection refused (os error 111)".to_owned(),
    ));
    assert_snapshot!(ben.screen(), @"
     Countersign · 1 pending                                               user:ben
     remove-folder                                                          decided
     by agent:ada · in conversation-7 · 5s ago
     No longer pending: denied by user:cleo
    ────────────────────────────────────────────────────────────────────────────────
     Purpose  Tidy up before the release
     Impact   Deletes the build folder and all that is in it, which take an hour to
              build again
     Touches  build/app.o
              build/lib.o
    ────────────────────────────────────────────────────────────── line 1–5 of 15 ──
     Reconnecting… no answer from http://127.0.0.1:7878/: Connection refused (os
     error 111)
     n p others   ? help   q quit
    ");
}

#[test]
fn empty_inbox() {
    let mut ben = InboxTester::with_calls(&[]).with_window(80, 14);
    assert_snapshot!(ben.screen(), @"
     Countersign · 0 pending                                               user:ben


                                  No call is pending.

                          New calls appear here automatically.
                        To try it, run this in another terminal:

                            countersign run -- git --version


    ────────────────────────────────────────────────────────────────────────────────

     ? help   q quit
    ");
}

#[test]
fn help_lists_the_keys() {
    let mut ben = InboxTester::with_calls(&[short_call(10, "bash")]).with_window(80, 26);
    ben.press_keys("?");
    assert_snapshot!(ben.screen(), @"
     Countersign · 1 pending                                               user:ben
     Keys
    ────────────────────────────────────────────────────────────────────────────────
     d        deny; asks for a reason, which the agent receives
     o        allow this call, once; answer its questions
     s D      allow, or deny, this call and later ones: x exact, p pattern, t tool
     e        edit the arguments in $EDITOR; o then allows the edited call
     a        choose the level of your decision
     c u      write a comment; take back the last approval, until its call starts
     n p      next call, previous call; also → ←, l h, Tab
     j k      one line down, up; also ↓ ↑
     Space b  one page down, up; g G to the beginning, to the end
     /        search: list only calls that contain a text; Esc shows all
     S r      sort by age, risk or time left; reload the pending calls
     q        quit; pending calls stay pending

     You can allow a call only after you have scrolled to the end of its arguments.
     ↪ continues the line above without a line break.
     A decision applies only to the call on the screen: the next call takes no
     decision for a moment or while a key is held down, and a call that another
     person decides stays until you leave it.


    ────────────────────────────────────────────────────────────────────────────────

     j k scroll   Esc back
    ");
    ben.press_keys("⎋");
    assert!(ben.screen().contains("1 of 1"));
}

#[test]
fn own_call_cannot_be_decided() {
    let mut own = short_call(10, "bash");
    own.proposal.principal = Principal::user("ben");
    let mut ben = InboxTester::with_calls(&[own]).with_window(80, 14);
    assert!(ben.screen().contains("Warning  you proposed this call, so another person must decide it"));
}

/// Drawing must not panic in a window of any size.
#[test]
fn every_window_size_is_drawn() {
    for columns in (1..130).step_by(7) {
        for lines in 1..30 {
            let mut ben =
                InboxTester::with_calls(&[dangerous_call(), unusual_call(), short_call(30, "bash")])
                    .with_window(columns, lines);
            ben.screen();
            ben.press_keys("nnGgdwords⎋?⎋s");
        }
    }
}

/// A window without room for one line of arguments has not shown them to the approver.
#[test]
fn window_too_small_for_arguments_prevents_allowing() {
    let mut ben = InboxTester::with_calls(&[]).with_window(20, 5);
    ben.receive(InboxEvent::Arrived(vec![short_call(10, "bash")]));
    ben.advance_clock(crate::inbox::guard::DECISION_DELAY);
    assert_eq!(ben.press_keys("o"), []);
    assert!(ben.status_text().starts_with("Read to the end first"));
}
