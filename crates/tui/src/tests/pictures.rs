//! Pictures of the inbox, as a terminal would show them.

use super::{call, decided, short};
use crate::{inbox::message::InboxEvent, tests::InboxTester};
use countersign_gate::{Principal, api};
use insta::assert_snapshot;
use serde_json::json;

fn risky() -> api::Call {
    let impact = json!({
        "message": "Deletes the build folder and all that is in it, which takes an hour to make anew",
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

fn odd() -> api::Call {
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
fn a_call_in_sixty_columns() {
    let mut ben = InboxTester::before(&[risky(), short(20, "bash")]);
    assert_snapshot!(ben.looks(), @"
     Countersign · 2 pending                           user:ben
     remove-folder                                       1 of 2
     by agent:ada · in conversation-7 · 5s ago
     HIGH RISK · cannot be undone · 45s left
    ────────────────────────────────────────────────────────────
     Purpose     Tidy up before the release
     Impact      Deletes the build folder and all that is in
                 it, which takes an hour to make anew
     Touches     build/app.o
                 build/lib.o
     Extent      2 files
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     command     rm -r build
     cwd         /srv/shop
     Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     Asked       deleting is asked: a person has to look
    ───────────────────────────────────────── line 1–11 of 17 ──

     d deny   o allow once   s session   e edit   c comment
     n p others   ? help   q quit
    ");
}

#[test]
fn a_call_in_eighty_columns() {
    let mut ben = InboxTester::before(&[odd(), short(30, "bash")]).at_a_window_of(80, 30);
    assert_snapshot!(ben.looks(), @r#"
     Countersign · 2 pending                                               user:ben
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
     Asked    no rule matches this call
     Thread   a thread with a name that is a good deal longer than most
     Call     call_20
    ───────────────────────────────────────────────────────────── line 1–22 of 23 ──

     d deny   o allow once   s session   e edit   c comment   n p others   ? help
     q quit
    "#);
}

#[test]
fn a_call_beside_the_list() {
    let mut ben = InboxTester::before(&[short(5, "bash"), risky(), odd()]).at_a_window_of(120, 24);
    ben.presses("n");
    assert_snapshot!(ben.looks(), @r#"
    Countersign · 3 pending                                                                                       user:ben
      bash                        │ remove-folder                                                                   2 of 3
      conversation-7 · 5s ago     │ by agent:ada · in conversation-7 · 5s ago
    ▸ remove-folder  HIGH         │ HIGH RISK · cannot be undone · 45s left
      conversation-7 · 5s ago     │────────────────────────────────────────────────────────────────────────────────────────
      send-invoice                │ Purpose     Tidy up before the release
      a thread with a name that … │ Impact      Deletes the build folder and all that is in it, which takes an hour to
                                  │             make anew
                                  │ Touches     build/app.o
                                  │             build/lib.o
                                  │ Extent      2 files
                                  │ Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                  │ command     rm -r build
                                  │ cwd         /srv/shop
                                  │ Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                  │ Asked       deleting is asked: a person has to look
                                  │ Expires     2026-09-21T14:14:10.000Z, then the call is denied
                                  │ InboxHints  {"destructiveHint": true}
                                  │ Call        call_10
                                  │ sha256      4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db
                                  │
                                  │────────────────────────────────────────────────────────────────────────────────────────

    d deny   o allow once   s session   e edit   c comment   n p others   ? help   q quit
    "#);
}

#[test]
fn what_is_asked_below_it() {
    let mut ben = InboxTester::before(&[short(10, "bash")]).at_a_window_of(60, 16);
    ben.presses("dnot before the weekend, and not without somebody who knows it");
    assert_snapshot!(ben.looks(), @"
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
    ben.presses("⎋s");
    assert_snapshot!(ben.looks(), @"
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
     Allow this call, and which later calls of bash in thread
     conversation-7?
     1 the whole tool: no other calls yet
     1 choose   n cancel
    ");
}

#[test]
fn what_is_said_about_a_decision() {
    let mut ben = InboxTester::before(&[short(10, "bash")]).at_a_window_of(60, 16);
    let sent = ben.sends("o");
    assert_snapshot!(ben.looks(), @"
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
    ben.is_obeyed(sent);
    assert_snapshot!(ben.looks(), @"
     Countersign · 0 pending                           user:ben




                        No call is pending.

                    You allowed 1 and denied 0.





    ────────────────────────────────────────────────────────────
     Allowed call_10 (bash) once.
     ? help   q quit
    ");
}

#[test]
fn what_somebody_else_decided() {
    let mut ben = InboxTester::before(&[risky(), short(20, "bash")]).at_a_window_of(80, 14);
    ben.hears(decided(&risky(), "denied by user:cleo"));
    ben.hears(InboxEvent::Lost(
        "no answer from http://127.0.0.1:7878/: Connection refused (os error 111)".to_owned(),
    ));
    assert_snapshot!(ben.looks(), @"
     Countersign · 1 pending                                               user:ben
     remove-folder                                                          decided
     by agent:ada · in conversation-7 · 5s ago
     No longer pending: denied by user:cleo
    ────────────────────────────────────────────────────────────────────────────────
     Purpose     Tidy up before the release
     Impact      Deletes the build folder and all that is in it, which takes an
                 hour to make anew
     Touches     build/app.o
                 build/lib.o
    ────────────────────────────────────────────────────────────── line 1–5 of 15 ──
     Reconnecting… no answer from http://127.0.0.1:7878/: Connection refused (os
     error 111)
     n p others   ? help   q quit
    ");
}

#[test]
fn an_empty_inbox() {
    let mut ben = InboxTester::before(&[]).at_a_window_of(80, 14);
    assert_snapshot!(ben.looks(), @"
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
fn the_keys() {
    let mut ben = InboxTester::before(&[short(10, "bash")]).at_a_window_of(80, 26);
    ben.presses("?");
    assert_snapshot!(ben.looks(), @"
     Countersign · 1 pending                                               user:ben
     Keys
    ────────────────────────────────────────────────────────────────────────────────
     d        deny; asks for a reason, which the agent receives
     o        allow this call, once
     s D      allow, or deny, this call and later ones; asks for the scope
     e        edit the arguments in $EDITOR; o then allows the edited call
     a        choose the level of your decision
     c        write a comment for the decision
     n p      next call, previous call; also → ←, l h, Tab
     j k      one line down, up; also ↓ ↑
     Space b  one page down, up; g G to the beginning, to the end
     /        search: list only calls that contain a text; Esc shows all
     r        reload the pending calls
     q        quit; pending calls stay pending

     You can allow a call only after you have scrolled to the end of its arguments.
     ↪ continues the line above without a line break.
     A decision is final. It applies only to the call on the screen: the next call
     takes no decision for a moment, and a call that another person decides stays
     until you leave it.


    ────────────────────────────────────────────────────────────────────────────────

     j k scroll   Esc back
    ");
    ben.presses("⎋");
    assert!(ben.looks().contains("1 of 1"));
}

#[test]
fn a_call_of_ones_own() {
    let mut own = short(10, "bash");
    own.proposal.principal = Principal::user("ben");
    let mut ben = InboxTester::before(&[own]).at_a_window_of(80, 14);
    assert!(ben.looks().contains("Warning  you proposed this call, so another person must decide it"));
}

/// However small the window is and whatever is shown, nothing breaks.
#[test]
fn any_window() {
    for columns in (1..130).step_by(7) {
        for lines in 1..30 {
            let mut ben =
                InboxTester::before(&[risky(), odd(), short(30, "bash")]).at_a_window_of(columns, lines);
            ben.looks();
            ben.presses("nnGgdwords⎋?⎋s");
        }
    }
}

/// A window that shows no line of the arguments has shown nobody anything.
#[test]
fn a_window_that_is_too_small_counts_as_no_reading() {
    let mut ben = InboxTester::before(&[]).at_a_window_of(20, 5);
    ben.hears(InboxEvent::Arrived(vec![short(10, "bash")]));
    ben.waits(crate::inbox::state::DECISION_DELAY);
    assert_eq!(ben.presses("o"), []);
    assert!(ben.is_told().starts_with("Read to the end first"));
}
