//! `POST /v1/threads/{thread}/tool-calls/{id}/take-back`, and the claims after it.

use countersign_tests::over_http;
use insta::assert_snapshot;

const CALL: &str = "/v1/threads/t/tool-calls/call_1";
const TAKE_BACK: &str = "/v1/threads/t/tool-calls/call_1/take-back";
const CLAIM: &str = "/v1/threads/t/tool-calls/call_1/claim";
const CLAIM_BODY: &str =
    r#"{"executor":"w","argumentsHash":"4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db"}"#;

#[tokio::test]
async fn take_back_without_approval_is_refused() {
    over_http("", async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.post(TAKE_BACK, "{}").await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(ada.post(TAKE_BACK, "{}").await, @"409 nothing_to_take_back: the call is pending, and only an approval by a person that no executor has used can be taken back");
        ada.allows("call_1").await;
        assert_snapshot!(world.agent("builder").post(TAKE_BACK, "{}").await, @"403 not_permitted: the role agent may not decide");
        assert_snapshot!(ada.post(TAKE_BACK, r#"{"why":"x"}"#).await, @"
        422 invalid: unknown field `why`, expected `comment` at line 1 column 6
        column: 6
        line: 1
        ");
        world.agent("builder").claims_as("call_1", "w").await;
        assert_snapshot!(ada.post(TAKE_BACK, "{}").await, @r#"
        409 already_claimed: claimed already by w at 2026-01-31T12:00:00.000Z
        execution: {"executor":"w","leaseExpiresAt":"2026-01-31T12:15:00.000Z","principal":"agent:builder","seq":5,"startedAt":"2026-01-31T12:00:00.000Z"}
        "#);
    })
    .await;
}

#[tokio::test]
async fn claim_after_a_take_back_is_refused() {
    over_http("", async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        builder.proposes("call_1").await;
        ada.allows("call_1").await;
        assert_eq!(builder.get(CALL).await.text("state"), "allowed", "the executor has seen the approval");
        let taken = ada.post(TAKE_BACK, r#"{"comment":"wrong cluster"}"#).await;
        assert_snapshot!(taken.fields(["state", "takenBack", "result"]), @r#"
        200
        state: "cancelled"
        takenBack: {"at":"2026-01-31T12:00:00.000Z","comment":"wrong cluster","principal":"user:ada","seq":5}
        result: {"at":"2026-01-31T12:00:00.000Z","content":"Cancelled by user:ada: wrong cluster","principal":"user:ada","seq":6,"status":"cancelled"}
        "#);
        assert_snapshot!(builder.post(CLAIM, CLAIM_BODY).await, @"409 not_allowed: the call is cancelled, and only an allowed call can be claimed");
        assert_eq!(ada.post(TAKE_BACK, "{}").await.body, taken.body, "a repeated take-back succeeds");
        let found = ada.get("/v1/threads/t/events?type=TOOL_APPROVAL_TAKEN_BACK").await;
        assert_snapshot!(found.member("events"), @r#"[{"data":{"comment":"wrong cluster","toolCallId":"call_1"},"hash":"9a599fa4e12c8585784fd92acad3df26d378662f11a6aead7283e84747b73ba3","principal":"user:ada","seq":5,"threadId":"t","timestamp":"2026-01-31T12:00:00.000Z","type":"TOOL_APPROVAL_TAKEN_BACK"}]"#);
    })
    .await;
}
