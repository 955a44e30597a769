//! `POST /v1/threads/{thread}/approvals/{id}` with edited arguments.

use countersign_tests::over_http;
use insta::assert_snapshot;

const POLICY: &str = r#"
[[rule]]
name = "no force pushes"
tool = "bash"
command = "git push --force*"
verdict = "block"
reason = "history is shared"

[[rule]]
name = "large transfers"
tool = "transfer"
args = { "/amount" = { gt = 1000 } }
verdict = "ask"
quorum = 2
"#;

const CALLS: &str = "/v1/threads/t/tool-calls";
const DECIDE: &str = "/v1/threads/t/approvals/call_1";

/// Proposes a call with an input schema.
const WITH_SCHEMA: &str = r#"{"id":"call_1","name":"bash","arguments":{"command":"git push origin main"},"definition":{
    "description":"Runs a command","inputSchema":{"type":"object","required":["command"],"additionalProperties":false,
    "properties":{"command":{"type":"string"},"cwd":{"type":"string"}}}}}"#;

#[tokio::test]
async fn edit_against_the_input_schema_is_refused() {
    over_http(POLICY, async |world| {
        let ada = world.person("ada");
        assert_eq!(world.agent("builder").post(CALLS, WITH_SCHEMA).await.status, 201);
        let wrong = r#"{"decision":"allow_once","arguments":{"command":7,"force":true}}"#;
        assert_snapshot!(ada.post(DECIDE, wrong).await, @r#"422 invalid: arguments: the tool does not take them: 7 is not of type "string" at "/command"; Additional properties are not allowed ('force' was unexpected)"#);
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"allow_once","arguments":{"command":"ls","command":"rm"}}"#).await, @r#"422 invalid: arguments: an object repeats the key "command" (at byte 16)"#);
        assert_eq!(ada.get(&format!("{CALLS}/call_1")).await.text("state"), "pending");
    })
    .await;
}

/// A preview says what the decision would say, and writes nothing.
#[tokio::test]
async fn edit_preview_says_what_is_refused() {
    const PREVIEW: &str = "/v1/threads/t/approvals/call_1/edit";
    over_http(POLICY, async |world| {
        let ada = world.person("ada");
        assert_snapshot!(ada.post(PREVIEW, r#"{"arguments":{}}"#).await, @"404 unknown_call: thread t has no call call_1");
        world.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let tip = ada.get("/v1/events?limit=1").await.member("tip");
        let preview = async |arguments: &str| ada.post(PREVIEW, format!(r#"{{"arguments":{arguments}}}"#)).await;
        assert_snapshot!(preview(r#"{"command":7}"#).await.member("refusal"), @r#"{"code":"invalid","detail":"arguments: the tool does not take them: 7 is not of type \"string\" at \"/command\""}"#);
        assert_snapshot!(preview(r#"{"command":"git push --force"}"#).await.member("refusal"), @r#"{"code":"blocked","detail":"blocked by policy:no force pushes: history is shared"}"#);
        assert_eq!(preview(r#"{"command":"git push origin dev"}"#).await.body, "{}");
        assert_snapshot!(preview(r#"{"command":"ls","command":"rm"}"#).await, @r#"422 invalid: arguments: an object repeats the key "command" (at byte 16)"#);
        assert_snapshot!(world.agent("builder").post(PREVIEW, r#"{"arguments":{}}"#).await, @"403 not_permitted: the role agent may not decide");
        assert_eq!(ada.get("/v1/events?limit=1").await.member("tip"), tip, "nothing was written");
    })
    .await;
}

#[tokio::test]
async fn edit_under_an_invalid_schema_is_refused() {
    over_http(POLICY, async |world| {
        let call =
            r#"{"id":"call_1","name":"bash","arguments":{"command":"pwd"},"definition":{"inputSchema":{"type":"thing"}}}"#;
        assert_eq!(world.agent("builder").post(CALLS, call).await.status, 201);
        let changed = r#"{"decision":"allow_once","arguments":{"command":"ls"}}"#;
        assert_snapshot!(world.person("ada").post(DECIDE, changed).await, @r#"422 invalid: arguments: the tool's inputSchema cannot be used to check them: `type` must be the name of a type, or a list of names"#);
        assert_eq!(world.person("ada").allows("call_1").await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn edit_into_a_blocked_call_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let force = r#"{"decision":"allow_once","arguments":{"command":"git push --force origin main"}}"#;
        assert_snapshot!(world.person("ada").post(DECIDE, force).await, @"409 blocked: blocked by policy:no force pushes: history is shared");
    })
    .await;
}

#[tokio::test]
async fn edit_that_needs_more_approvers_is_refused() {
    over_http(POLICY, async |world| {
        let call = r#"{"id":"call_1","name":"transfer","arguments":{"amount":10}}"#;
        world.agent("builder").post(CALLS, call).await;
        let more = r#"{"decision":"allow_once","arguments":{"amount":5000}}"#;
        assert_snapshot!(world.person("ada").post(DECIDE, more).await, @"422 invalid: arguments: the policy requires more votes, a higher level, other approvers or another proof for these arguments than the request does; deny the call and let the agent propose another");
        let less = r#"{"decision":"allow_once","arguments":{"amount":5}}"#;
        assert_eq!(world.person("ada").post(DECIDE, less).await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn edit_that_contains_a_secret_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let secret = r#"{"decision":"allow_once","arguments":{"command":"deploy --password=hunter2"}}"#;
        assert_snapshot!(world.person("ada").post(DECIDE, secret).await, @"422 invalid: arguments: edited arguments run exactly as the log stores them, so they must not contain a secret; deny the call and let the agent propose another");
    })
    .await;
}

#[tokio::test]
async fn edit_that_keeps_a_masked_value_is_refused() {
    over_http(POLICY, async |world| {
        let call = r#"{"id":"call_1","name":"login","arguments":{"user":"ada","password":"hunter2"}}"#;
        world.agent("builder").post(CALLS, call).await;
        let ada = world.person("ada");
        let kept = r#"{"decision":"allow_once","arguments":{"user":"bob","password":"[redacted]"}}"#;
        assert_snapshot!(ada.post(DECIDE, kept).await, @"422 invalid: arguments: some of the arguments are masked, and an edit cannot keep a masked value; deny the call and let the agent propose another");
        let without = ada.post(DECIDE, r#"{"decision":"allow_once","arguments":{"user":"guest"}}"#).await;
        assert_snapshot!(without.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","changes":[{"from":"ada","path":"/user","to":"guest"},{"from":"[redacted]","path":"/password"}],"decision":"allow_once","note":"user:ada changed what was run: /user from \"ada\" to \"guest\"; /password from \"[redacted]\" to nothing","policy":"[hash:policy]","principal":"user:ada","seq":4,"source":"approver"}"#);
        assert_eq!(without.member("redacted"), "null", "the arguments of an edit are not masked");
    })
    .await;
}

#[tokio::test]
async fn edit_with_a_lasting_decision_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let ada = world.person("ada");
        let session = r#"{"decision":"allow_session","arguments":{"command":"ls"}}"#;
        assert_snapshot!(ada.post(DECIDE, session).await, @"422 invalid: arguments: only with allow_once can the arguments be changed");
        let denied = r#"{"decision":"deny","arguments":{"command":"ls"}}"#;
        assert_eq!(ada.post(DECIDE, denied).await.text("code"), "invalid");
        let wide = r#"{"decision":"allow_once","arguments":{"command":"ls"},"scope":"tool"}"#;
        assert_snapshot!(ada.post(DECIDE, wide).await, @"422 invalid: scope: only allow_session and deny are remembered; leave it out");
    })
    .await;
}

#[tokio::test]
async fn decision_on_outdated_arguments_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ada = world.person("ada");
        let zeros = "0".repeat(64);
        let stale = format!(r#"{{"decision":"allow_once","argumentsHash":"{zeros}"}}"#);
        assert_snapshot!(ada.post(DECIDE, &stale).await, @"409 arguments_changed: you looked at arguments that hash to 0000000000000000000000000000000000000000000000000000000000000000, but those that would run now hash to [hash:ls]: look again before you decide");
        assert_eq!(
            ada.post(DECIDE, r#"{"decision":"allow_once","argumentsHash":"abc"}"#).await.text("code"),
            "invalid"
        );
        let hash = ada.get(&format!("{CALLS}/call_1")).await.member("argumentsHash");
        let seen = format!(r#"{{"decision":"allow_once","argumentsHash":{hash}}}"#);
        assert_eq!(ada.post(DECIDE, &seen).await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn edited_call_shows_its_changes_and_runs_them() {
    over_http(POLICY, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        let proposed = builder.post(CALLS, WITH_SCHEMA).await;
        let changed = r#"{"decision":"allow_once","comment":"a branch will do","arguments":{"command":"git push origin topic","cwd":"/srv"}}"#;
        assert_snapshot!(ada.post(DECIDE, changed).await.fields(["state", "arguments", "argumentsHash", "definition", "response.comment", "response.changes", "response.note"]), @r#"
        200
        state: "allowed"
        arguments: {"command":"git push origin topic","cwd":"/srv"}
        argumentsHash: "0f99288cb713e57e662c9b06005a52f48bf08c613f128d64b0eb4c1367fe7ac3"
        definition: {"description":"Runs a command","inputSchema":{"additionalProperties":false,"properties":{"command":{"type":"string"},"cwd":{"type":"string"}},"required":["command"],"type":"object"}}
        response.comment: "a branch will do"
        response.changes: [{"from":"git push origin main","path":"/command","to":"git push origin topic"},{"path":"/cwd","to":"/srv"}]
        response.note: "user:ada changed what was run: /command from \"git push origin main\" to \"git push origin topic\"; /cwd from nothing to \"/srv\""
        "#);
        let again = ada.post(DECIDE, changed).await;
        assert_eq!(again.status, 200, "a repeated decision succeeds: {again}");
        let other = r#"{"decision":"allow_once","arguments":{"command":"git push origin other"}}"#;
        assert_eq!(ada.post(DECIDE, other).await.text("code"), "already_decided");
        let claim = format!(r#"{{"executor":"worker-7","argumentsHash":{}}}"#, proposed.member("argumentsHash"));
        assert_snapshot!(builder.post(&format!("{CALLS}/call_1/claim"), &claim).await, @"409 arguments_changed: the arguments hash to af1b4b3c17d3e4650d609c72472402dd9874f9d1a13aeab9e2988a25d88d6f97, and 0f99288cb713e57e662c9b06005a52f48bf08c613f128d64b0eb4c1367fe7ac3 was approved; run what was approved, or propose a new call");
        let running = builder.claims_as("call_1", "worker-7").await;
        assert_snapshot!(running.shown("arguments"), @r#"{"command":"git push origin topic","cwd":"/srv"}"#);
    })
    .await;
}

#[tokio::test]
async fn bulk_decisions_may_edit_arguments() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("a").await;
        world.agent("builder").proposes("b").await;
        let body = r#"{"decisions":[
            {"threadId":"t","id":"a","decision":"allow_once","arguments":{"command":"ls -l"}},
            {"threadId":"t","id":"b","decision":"allow_once","arguments":{"command":"git push --force"}}
        ]}"#;
        let answer = world.person("ada").post("/v1/approvals/decide", body).await;
        let results: serde_json::Value = serde_json::from_str(&answer.member("results")).expect("results");
        assert_eq!(
            results[0]["call"]["response"]["note"],
            "user:ada changed what was run: /command from \"ls\" to \"ls -l\""
        );
        assert_eq!(results[1]["problem"]["code"], "blocked");
    })
    .await;
}
