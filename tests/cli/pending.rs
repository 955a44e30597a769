//! `countersign pending`

use crate::desk::with_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn empty_log_has_no_pending_calls() {
    with_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("pending").await, @"
        No call is pending in [here]/countersign.db.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn pending_call_is_shown_completely() {
    with_desk(async |desk| {
        let script = r#"{"command":"set -e\nmake test\nmake deploy","cwd":"/srv/shop"}"#;
        desk.propose("conversation-7", "call_1", "bash", script).await;
        desk.propose(
            "conversation-8",
            "call_1",
            "transfer",
            r#"{"to":"ada","amount":1.50,"tags":["a",null]}"#,
        )
        .await;
        desk.propose("conversation-8", "call_2", "notify", r#""everybody""#).await;
        let long = format!(r#"{{"text":"{}"}}"#, "long ".repeat(40));
        desk.propose("conversation-9", "call_3", "write", &long).await;
        assert_snapshot!(desk.types("pending").await, @r#"
        call_1  bash  by agent:builder in conversation-7, [ago]
            command: set -e
                     make test
                     make deploy
            cwd: /srv/shop
            expires: [time], then the call is denied

        call_1  transfer  by agent:builder in conversation-8, [ago]
            to: ada
            amount: 1.50
            tags: ["a",null]
            expires: [time], then the call is denied

        call_2  notify  by agent:builder in conversation-8, [ago]
            "everybody"
            expires: [time], then the call is denied

        call_3  write  by agent:builder in conversation-9, [ago]
            text: long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long 
            expires: [time], then the call is denied

        4 pending. Decide with: countersign allow ID, or countersign deny ID --comment REASON
        exit 0
        "#);
        assert_snapshot!(desk.types("pending --thread conversation-8 --database countersign.db").await, @r#"
        call_1  transfer  by agent:builder in conversation-8, [ago]
            to: ada
            amount: 1.50
            tags: ["a",null]
            expires: [time], then the call is denied

        call_2  notify  by agent:builder in conversation-8, [ago]
            "everybody"
            expires: [time], then the call is denied

        2 pending. Decide with: countersign --database countersign.db allow ID, or countersign --database countersign.db deny ID --comment REASON
        exit 0
        "#);
        assert_snapshot!(desk.types("pending --thread nobody").await, @"
        No call is pending in [here]/countersign.db.
        exit 0
        ");
    })
    .await;
}

/// Control characters, and characters that a terminal would not show or would reorder, are printed as escapes.
#[tokio::test]
async fn hidden_characters_in_pending_calls_are_escaped() {
    with_desk(async |desk| {
        let trick = r#"{"command":"echo hi\u001b[8m; rm -rf /\r# \u202etxt.exe\u200b","a\u001bb":"\u0000"}"#;
        desk.propose("t1", "call_1", "bash", trick).await;
        assert_snapshot!(desk.types("pending").await, @r"
        call_1  bash  by agent:builder in t1, [ago]
            command: echo hi\u{001b}[8m; rm -rf /\u{000d}# \u{202e}txt.exe\u{200b}
            a\u{001b}b: \u{0000}
            does: may do more: the command cannot be read
            expires: [time], then the call is denied

        1 pending. Decide with: countersign allow ID, or countersign deny ID --comment REASON
        exit 0
        ");
        assert_snapshot!(desk.types("show call_").await, @r#"
        call_1  bash  pending
          thread     t1
          arguments  command: echo hi\u{001b}[8m; rm -rf /\u{000d}# \u{202e}txt.exe\u{200b}
                     a\u{001b}b: \u{0000}
          caution    hidden characters, which are shown as \u{…}, in /arguments/a\u{001b}b, /arguments/command
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      agents do not decide: command `echo hi�[8m; rm -rf / # \u{202e}txt.exe\u{200b}` cannot be read with certainty (it has characters that people do not see); a block rule then asks: rule "agents do not decide" might block it
          does       may do more: the command cannot be read
          expires    [time], then the call is denied
          policy     event 1, from shipped: countersign policy show --seq 1
        exit 0
        "#);
    })
    .await;
}
