//! Arguments, and other JSON inside a body, that the server refuses.

use crate::ASK;
use countersign_tests::over_http;
use insta::assert_snapshot;

const CALLS: &str = "/v1/threads/t/tool-calls";

#[tokio::test]
async fn ambiguous_arguments_are_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let arguments = async |json: &str| {
            builder.post(CALLS, &format!(r#"{{"id":"a","name":"bash","arguments":{json}}}"#)).await
        };
        assert_snapshot!(arguments(r#"{"command":"ls","command":"rm -rf /"}"#).await, @r#"422 invalid: arguments: an object repeats the key "command" (at byte 16)"#);
        assert_snapshot!(arguments(r#"{"deep":[{"k":1,"\u006b":2}]}"#).await, @r#"422 invalid: arguments: an object repeats the key "k" (at byte 16)"#);
        assert_snapshot!(arguments(r#"{"text":"\ud800"}"#).await, @"422 invalid: arguments: the string at byte 8 is not Unicode: unexpected end of hex escape at line 1 column 8");
        assert_snapshot!(arguments(r"[1e99999999999]").await, @"422 invalid: arguments: the exponent of the number at byte 1 is out of range; the limits are -1000 and 1000");
        assert_snapshot!(arguments(&format!("{}{}", "[".repeat(257), "]".repeat(257))).await, @"
        422 invalid: the body nests deeper than 256 levels at line 1 column 293
        column: 293
        line: 1
        ");
        assert_snapshot!(arguments(&format!("{}{}", "[".repeat(100_000), "]".repeat(100_000))).await, @"
        422 invalid: the body nests deeper than 256 levels at line 1 column 293
        column: 293
        line: 1
        ");
    })
    .await;
}

#[tokio::test]
async fn annotations_and_results_follow_the_same_limits() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let twice = r#"{"id":"a","name":"bash","arguments":{},"annotations":{"readOnlyHint":true,"readOnlyHint":false}}"#;
        assert_snapshot!(builder.post(CALLS, twice).await, @r#"422 invalid: annotations: an object repeats the key "readOnlyHint" (at byte 21)"#);
        builder.proposes("call_1").await;
        let answer = builder
            .post("/v1/threads/t/tool-calls/call_1/result", r#"{"status":"success","content":{"a":1,"a":2}}"#)
            .await;
        assert_snapshot!(answer, @r#"422 invalid: content: an object repeats the key "a" (at byte 7)"#);
    })
    .await;
}

/// The maximum length of arguments, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

#[tokio::test]
async fn oversized_arguments_are_refused() {
    over_http(ASK, async |world| {
        let builder = world.agent("builder");
        let call = |id: &str, bytes: usize| {
            format!(r#"{{"id":"{id}","name":"write","arguments":"{}"}}"#, "x".repeat(bytes - 2))
        };
        assert_eq!(builder.post(CALLS, &call("most", MAX_BYTES)).await.status, 201);
        assert_snapshot!(builder.post(CALLS, &call("more", MAX_BYTES + 1)).await, @"422 invalid: arguments: it has 4194305 bytes; the limit is 4194304");
        assert_snapshot!(builder.post(CALLS, &call("far-more", MAX_BYTES + 300_000)).await, @"413 too_large: the body has more than 4456448 bytes, the maximum; --max-body of the server sets it");
    })
    .await;
}

#[tokio::test]
async fn number_beyond_bound_is_refused_everywhere() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let huge = r#"{"n": 1e999999999}"#;
        let call = |fields: &str| format!(r#"{{"id":"a","name":"bash",{fields}}}"#);
        let propose = async |fields: String| builder.post(CALLS, &call(&fields)).await;
        assert_snapshot!(propose(format!(r#""arguments":{huge}"#)).await, @"422 invalid: arguments: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        assert_snapshot!(propose(format!(r#""arguments":[{}]"#, "1".repeat(1_001))).await, @"422 invalid: arguments: the number at byte 1 has 1001 digits; the limit is 1000");
        assert_snapshot!(propose(format!(r#""arguments":{{}},"annotations":{huge}"#)).await, @"422 invalid: annotations: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        assert_snapshot!(propose(format!(r#""arguments":{{}},"definition":{{"inputSchema":{huge}}}"#)).await, @"422 invalid: definition: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        assert_snapshot!(ada.get("/v1/events").await, @r#"
        200
        {
          "events": [
            {
              "seq": 1,
              "threadId": "",
              "type": "POLICY_SET",
              "timestamp": "2026-01-31T12:00:00.000Z",
              "principal": "system:countersign",
              "data": {
                "text": "default = \"ask\"",
                "hash": "[hash:policy]",
                "source": "the program that created the log"
              },
              "hash": "048d8f6aaccf8b7f30bdc4b6ab42232fd50fe3a81d495531ce9778c2883a9c77"
            }
          ],
          "next": null,
          "tip": 1
        }
        "#);
        builder.proposes("call_1").await;
        let decide = format!(r#"{{"decision":"allow_once","arguments":{huge}}}"#);
        assert_snapshot!(ada.post("/v1/threads/t/approvals/call_1", &decide).await, @"422 invalid: arguments: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        let scope = format!(r#"{{"decision":"allow_session","scope":{huge}}}"#);
        assert_snapshot!(ada.post("/v1/threads/t/approvals/call_1", &scope).await, @"422 invalid: scope: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        ada.allows("call_1").await;
        let hash = "0".repeat(64);
        let claim = format!(r#"{{"executor":"worker","argumentsHash":"{hash}","arguments":{huge}}}"#);
        assert_snapshot!(builder.post(&format!("{CALLS}/call_1/claim"), &claim).await, @"422 invalid: arguments: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        builder.claims("call_1").await;
        let result = format!(r#"{{"status":"success","content":{huge}}}"#);
        assert_snapshot!(builder.post(&format!("{CALLS}/call_1/result"), &result).await, @"422 invalid: content: the exponent of the number at byte 6 is out of range; the limits are -1000 and 1000");
        builder.finishes("call_1").await;
    })
    .await;
}
