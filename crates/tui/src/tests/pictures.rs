//! Pictures of the inbox, as a terminal would show them.

use super::{call, decided, name, short, summarize_decision};
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
     Countersign · 2 waiting                           user:ben
     remove-folder                                       1 of 2
     by agent:ada · in conversation-7 · 5s ago
     HIGH RISK · cannot be undone · 45s left
    ────────────────────────────────────────────────────────────
     For      Tidy up before the release
     Impact   Deletes the build folder and all that is in it,
              which takes an hour to make anew
     Touches  build/app.o
              build/lib.o
     Reach    2 files
     Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     command  rm -r build
     cwd      /srv/shop
     Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
     Asked    deleting is asked: a person has to look
    ───────────────────────────────────────── line 1–11 of 16 ──

     d deny   o allow once   s session   e edit   c comment
     n p others   ? help   q quit
    ");
}

#[test]
fn a_call_in_eighty_columns() {
    let mut ben = InboxTester::before(&[odd(), short(30, "bash")]).at_a_window_of(80, 30);
    assert_snapshot!(ben.looks(), @r#"
     Countersign · 2 waiting                                               user:ben
     send-invoice                                                            1 of 2
     by agent:ada · in a thread with a name that is a good dea… · 5s ago
    ────────────────────────────────────────────────────────────────────────────────
     Careful  1 character that a terminal hides is written out as \u{…}
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
    Countersign · 3 waiting                                                                                       user:ben
      bash                        │ remove-folder                                                                   2 of 3
      conversation-7 · 5s ago     │ by agent:ada · in conversation-7 · 5s ago
    ▸ remove-folder  HIGH         │ HIGH RISK · cannot be undone · 45s left
      conversation-7 · 5s ago     │────────────────────────────────────────────────────────────────────────────────────────
      send-invoice                │ For      Tidy up before the release
      a thread with a name that … │ Impact   Deletes the build folder and all that is in it, which takes an hour to make
                                  │          anew
                                  │ Touches  build/app.o
                                  │          build/lib.o
                                  │ Reach    2 files
                                  │ Arguments ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                  │ command  rm -r build
                                  │ cwd      /srv/shop
                                  │ Request ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
                                  │ Asked    deleting is asked: a person has to look
                                  │ Expires  2026-09-21T14:14:10.000Z, then it is denied
                                  │ InboxHints    {"destructiveHint": true}
                                  │ Call     call_10
                                  │ sha256   4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db
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
     Countersign · 1 waiting                           user:ben
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
     Enter denies   empty is fine   Esc goes back
    ");
    ben.presses("⎋s");
    assert_snapshot!(ben.looks(), @"
     Countersign · 1 waiting                           user:ben
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
     Allow it, and which later calls of bash in thread
     conversation-7?
     1 the whole tool: no other calls yet
     1 chooses   n nothing
    ");
}

#[test]
fn what_is_said_about_a_decision() {
    let mut ben = InboxTester::before(&[short(10, "bash")]).at_a_window_of(60, 16);
    let sent = ben.sends("o");
    assert_snapshot!(ben.looks(), @"
     Countersign · 1 waiting                           user:ben
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
     Countersign · 0 waiting                           user:ben




                   Nothing waits for a decision.

                    You allowed 1 and denied 0.





    ────────────────────────────────────────────────────────────
     Allowed call_10 (bash), this once.
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
     Countersign · 1 waiting                                               user:ben
     remove-folder                                                          decided
     by agent:ada · in conversation-7 · 5s ago
     No longer waits: denied by user:cleo
    ────────────────────────────────────────────────────────────────────────────────
     For      Tidy up before the release
     Impact   Deletes the build folder and all that is in it, which takes an hour
              to make anew
     Touches  build/app.o
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
     Countersign · 0 waiting                                               user:ben


                             Nothing waits for a decision.

                      What agents ask for appears here by itself.
                      To see it happen, type in another terminal:

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
     Countersign · 1 waiting                                               user:ben
     Keys
    ────────────────────────────────────────────────────────────────────────────────
     d        deny; you are asked why, and the agent is told
     o        allow this call, once
     s D      allow, or deny, it and later calls in its thread; asks how wide
     e        change its arguments in $EDITOR; o allows what you made of them
     a        choose the level that you decide at
     c        write a comment that goes with the decision
     n p      the next call, the one before; also → ←, l h, Tab
     j k      a line down, up; also ↓ ↑
     Space b  a page down, up; g G to the beginning, to the end
     /        only calls that have a text in them; Esc shows all
     r        load what waits again
     q        quit; what waits goes on waiting

     You can allow only what you have seen to the end of its arguments. ↪ marks a
     line that only goes on: no line break stands there.
     A decision is final. It counts for the call on the screen and no other: after
     one, the next call takes none for a moment, and a call that somebody else
     decided stays until you leave it.


    ────────────────────────────────────────────────────────────────────────────────

     j k scroll   Esc goes back
    ");
    ben.presses("⎋");
    assert!(ben.looks().contains("1 of 1"));
}

#[test]
fn a_call_of_ones_own() {
    let mut own = short(10, "bash");
    own.proposal.principal = Principal::user("ben");
    let mut ben = InboxTester::before(&[own]).at_a_window_of(80, 14);
    assert!(
        ben.looks().contains("Careful  you proposed this call yourself, so somebody else has to decide it")
    );
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
