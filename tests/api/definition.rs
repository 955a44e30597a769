//! `definition` of a proposal, and `definitionHash` of a claim: the tool that runs must be the approved one.

use countersign_tests::over_http;
use insta::assert_snapshot;

const POLICY: &str = "default = \"allow\"";
const CALLS: &str = "/v1/threads/t/tool-calls";
const HASH: &str = "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db";
const DEFINED: &str = r#"{"id":"call_1","name":"list","arguments":{"command":"ls"},
    "annotations":{"readOnlyHint":true},"definition":{"description":"Lists files","inputSchema":{"type":"object"}}}"#;

#[tokio::test]
async fn invalid_definition_is_refused() {
    over_http(POLICY, async |world| {
        let builder = world.agent("builder");
        let with = |definition: &str| {
            format!(r#"{{"id":"call_1","name":"list","arguments":{{}},"definition":{definition}}}"#)
        };
        assert_snapshot!(builder.post(CALLS, &with(r#"{"schema":{}}"#)).await, @r"
        422 invalid: unknown field `schema`, expected one of `description`, `inputSchema`, `needsApproval` at line 1 column 66
        column: 66
        line: 1
        ");
        assert_snapshot!(builder.post(CALLS, &with(r#"{"needsApproval":"yes"}"#)).await, @r#"
        422 invalid: invalid type: string "yes", expected a boolean at line 1 column 79
        column: 79
        line: 1
        "#);
        assert_eq!(
            builder.post(CALLS, &with(r#"{"inputSchema":{"a":1,"a":2}}"#)).await.text("code"),
            "invalid"
        );
    })
    .await;
}

#[tokio::test]
async fn changed_definition_does_not_run() {
    over_http(POLICY, async |world| {
        let builder = world.agent("builder");
        let proposed = builder.post(CALLS, DEFINED).await;
        assert_snapshot!(proposed.fields(["state", "annotations", "definition", "definitionHash"]), @r#"
        201
        state: "allowed"
        annotations: {"readOnlyHint":true}
        definition: {"description":"Lists files","inputSchema":{"type":"object"}}
        definitionHash: "988861cd7fb04477a40b7fe5fb229ea4f05a65d41e0c5fa936743df835281695"
        "#);
        let zeros = "0".repeat(64);
        let claim =
            |hash: &str| format!(r#"{{"executor":"w","argumentsHash":"{HASH}","definitionHash":"{hash}"}}"#);
        assert_snapshot!(builder.post(&format!("{CALLS}/call_1/claim"), &claim(&zeros)).await, @"409 definition_changed: the tool's definition hashes to 0000000000000000000000000000000000000000000000000000000000000000, and it was 988861cd7fb04477a40b7fe5fb229ea4f05a65d41e0c5fa936743df835281695 when the call was approved; propose the call again");
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
async fn tool_that_requests_approval_is_asked_about() {
    over_http(POLICY, async |world| {
        let careful = r#"{"id":"call_1","name":"list","arguments":{},"definition":{"needsApproval":true}}"#;
        let proposed = world.agent("builder").post(CALLS, careful).await;
        assert_eq!(proposed.text("state"), "pending");
        let request: serde_json::Value =
            serde_json::from_str(&proposed.member("request")).expect("a request");
        assert_snapshot!(request["reason"], @r#""the agent says that this call of `list` needs approval""#);
        assert_snapshot!(request["basis"], @r#""tool""#);
    })
    .await;
}

#[tokio::test]
async fn call_without_a_definition_runs_with_any() {
    over_http(POLICY, async |world| {
        let builder = world.agent("builder");
        builder.post(CALLS, r#"{"id":"call_1","name":"list","arguments":{"command":"ls"}}"#).await;
        let claim =
            format!(r#"{{"executor":"w","argumentsHash":"{HASH}","definitionHash":"{}"}}"#, "0".repeat(64));
        let claimed = builder.post(&format!("{CALLS}/call_1/claim"), &claim).await;
        assert_snapshot!(claimed.text("state"), @"running");
    })
    .await;
}
