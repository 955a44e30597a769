//! `definition` of a proposal, and `definitionHash` of a claim: the tool that runs is the tool that was approved

use countersign_tests::api::story;
use insta::assert_snapshot;

const POLICY: &str = "default = \"allow\"";
const CALLS: &str = "/v1/threads/t1/tool-calls";
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";
const DEFINED: &str = r#"{"id":"call_1","name":"list","arguments":{"command":"ls"},
    "annotations":{"readOnlyHint":true},"definition":{"description":"Lists files","inputSchema":{"type":"object"}}}"#;

#[tokio::test]
async fn a_definition_that_is_none_is_refused() {
    story(POLICY, async |town| {
        let builder = town.agent("builder");
        let with = |definition: &str| {
            format!(r#"{{"id":"call_1","name":"list","arguments":{{}},"definition":{definition}}}"#)
        };
        assert_snapshot!(builder.post(CALLS, &with(r#"{"schema":{}}"#)).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "unknown field `schema`, expected one of `description`, `inputSchema`, `needsApproval` at line 1 column 66",
          "line": 1,
          "column": 66
        }
        "#);
        assert_snapshot!(builder.post(CALLS, &with(r#"{"needsApproval":"yes"}"#)).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "invalid type: string \"yes\", expected a boolean at line 1 column 79",
          "line": 1,
          "column": 79
        }
        "#);
        assert_eq!(
            builder.post(CALLS, &with(r#"{"inputSchema":{"a":1,"a":2}}"#)).await.text("code"),
            "invalid"
        );
    })
    .await;
}

#[tokio::test]
async fn what_changed_since_does_not_run() {
    story(POLICY, async |town| {
        let builder = town.agent("builder");
        let proposed = builder.post(CALLS, DEFINED).await;
        assert_snapshot!(proposed, @r#"
        201
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "list",
          "state": "allowed",
          "arguments": {"command":"ls"},
          "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "annotations": {"readOnlyHint":true},
          "definition": {"description":"Lists files","inputSchema":{"type":"object"}},
          "definitionHash": "988861cd7fb04477a40b7fe5fb229ea4f05a65d41e0c5fa936743df835281695",
          "response": {
            "decision": "allow_once",
            "source": "policy",
            "principal": "policy:default",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 2,
            "basis": "default",
            "policy": "43ad9e68cc3d0de4fa7845d63c303f55241efb771903ea11e773384e9ebf46bb"
          }
        }
        "#);
        let zeros = "0".repeat(64);
        let claim =
            |hash: &str| format!(r#"{{"executor":"w","argumentsHash":"{HASH}","definitionHash":"{hash}"}}"#);
        assert_snapshot!(builder.post(&format!("{CALLS}/call_1/claim"), &claim(&zeros)).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "definition_changed",
          "detail": "the tool's definition hashes to 0000000000000000000000000000000000000000000000000000000000000000, and it was 988861cd7fb04477a40b7fe5fb229ea4f05a65d41e0c5fa936743df835281695 when the call was approved; propose the call again"
        }
        "#);
        assert_eq!(
            builder.post(&format!("{CALLS}/call_1/claim"), &claim("abc")).await.text("code"),
            "invalid"
        );
        let same = claim(&proposed.text("definitionHash"));
        assert_eq!(builder.post(&format!("{CALLS}/call_1/claim"), &same).await.text("state"), "running");
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_wants_people_to_be_asked_has_them_asked() {
    story(POLICY, async |town| {
        let careful = r#"{"id":"call_1","name":"list","arguments":{},"definition":{"needsApproval":true}}"#;
        let proposed = town.agent("builder").post(CALLS, careful).await;
        assert_eq!(proposed.text("state"), "pending");
        let request: serde_json::Value =
            serde_json::from_str(&proposed.member("request")).expect("a request");
        assert_snapshot!(request["reason"], @r#""`list` says of itself that it needs approval""#);
        assert_snapshot!(request["basis"], @r#""tool""#);
    })
    .await;
}

#[tokio::test]
async fn what_said_nothing_of_itself_is_held_to_nothing() {
    story(POLICY, async |town| {
        let builder = town.agent("builder");
        builder.post(CALLS, r#"{"id":"call_1","name":"list","arguments":{"command":"ls"}}"#).await;
        let claim =
            format!(r#"{{"executor":"w","argumentsHash":"{HASH}","definitionHash":"{}"}}"#, "0".repeat(64));
        let claimed = builder.post(&format!("{CALLS}/call_1/claim"), &claim).await;
        assert_snapshot!(claimed.text("state"), @"running");
    })
    .await;
}
