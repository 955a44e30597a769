//! `countersign pending`

use crate::desk::at_a_desk;
use countersign_api::ApprovalGate;
use insta::assert_snapshot;

#[tokio::test]
async fn an_empty_log_has_nothing_that_waits() {
    at_a_desk(async |desk| {
        desk.gate().await.shut_down().await;
        assert_snapshot!(desk.types("pending").await, @"
        No call is pending.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn what_waits_is_shown_whole() {
    at_a_desk(async |desk| {
        let script = r#"{"command":"set -e\nmake test\nmake deploy","cwd":"/srv/shop"}"#;
        desk.proposes("conversation-7", "call_1", "bash", script).await;
        desk.proposes(
            "conversation-8",
            "call_1",
            "transfer",
            r#"{"to":"ada","amount":1.50,"tags":["a",null]}"#,
        )
        .await;
        desk.proposes("conversation-8", "call_2", "notify", r#""everybody""#).await;
        let long = format!(r#"{{"text":"{}"}}"#, "long ".repeat(40));
        desk.proposes("conversation-9", "call_3", "write", &long).await;
        assert_snapshot!(desk.types("pending").await, @r#"
        call_1  bash  by agent:builder in conversation-7, [ago]
            command: set -e
                     make test
                     make deploy
            cwd: /srv/shop

        call_1  transfer  by agent:builder in conversation-8, [ago]
            to: ada
            amount: 1.50
            tags: ["a",null]

        call_2  notify  by agent:builder in conversation-8, [ago]
            "everybody"

        call_3  write  by agent:builder in conversation-9, [ago]
            text: long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long 

        4 pending. Decide with: /root/.cache/countersign/target/debug/countersign-under-test allow ID, or /root/.cache/countersign/target/debug/countersign-under-test deny ID --comment REASON
        exit 0
        "#);
        assert_snapshot!(desk.types("pending --thread conversation-8 --database countersign.db").await, @r#"
        call_1  transfer  by agent:builder in conversation-8, [ago]
            to: ada
            amount: 1.50
            tags: ["a",null]

        call_2  notify  by agent:builder in conversation-8, [ago]
            "everybody"

        2 pending. Decide with: /root/.cache/countersign/target/debug/countersign-under-test --database countersign.db allow ID, or /root/.cache/countersign/target/debug/countersign-under-test --database countersign.db deny ID --comment REASON
        exit 0
        "#);
        assert_snapshot!(desk.types("pending --thread nobody").await, @"
        No call is pending.
        exit 0
        ");
    })
    .await;
}

/// What a terminal would swallow, or show in another place, is written out.
#[tokio::test]
async fn nothing_hides_in_what_waits() {
    at_a_desk(async |desk| {
        let trick = r#"{"command":"echo hi\u001b[8m; rm -rf /\r# \u202etxt.exe\u200b","a\u001bb":"\u0000"}"#;
        desk.proposes("t\u{202e}1", "call_\u{200b}1", "ba\u{2066}sh", trick).await;
        assert_snapshot!(desk.types("pending").await, @r"
        call_\u{200b}1  ba\u{2066}sh  by agent:builder in t\u{202e}1, [ago]
            command: echo hi\u{001b}[8m; rm -rf /\u{000d}# \u{202e}txt.exe\u{200b}
            a\u{001b}b: \u{0000}

        1 pending. Decide with: /root/.cache/countersign/target/debug/countersign-under-test allow ID, or /root/.cache/countersign/target/debug/countersign-under-test deny ID --comment REASON
        exit 0
        ");
        assert_snapshot!(desk.types("show call_").await, @r"
        call_\u{200b}1  ba\u{2066}sh  pending
          thread     t\u{202e}1
          arguments  command: echo hi\u{001b}[8m; rm -rf /\u{000d}# \u{202e}txt.exe\u{200b}
                     a\u{001b}b: \u{0000}
          sha256     [sha256]
          proposed   by agent:builder at [time] ([ago])
          asked      no rule matches this call
        exit 0
        ");
    })
    .await;
}
