//! `POST /v1/threads/{thread}/approvals/{id}` with other arguments than were proposed

use countersign_tests::api::story;
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

const CALLS: &str = "/v1/threads/t1/tool-calls";
const DECIDE: &str = "/v1/threads/t1/approvals/call_1";

/// A call of a tool that says what it takes.
const WITH_SCHEMA: &str = r#"{"id":"call_1","name":"bash","arguments":{"command":"git push origin main"},"definition":{
    "description":"Runs a command","inputSchema":{"type":"object","required":["command"],"additionalProperties":false,
    "properties":{"command":{"type":"string"},"cwd":{"type":"string"}}}}}"#;

#[tokio::test]
async fn what_the_tool_does_not_take_is_refused() {
    story(POLICY, async |town| {
        let ada = town.person("ada");
        assert_eq!(town.agent("builder").post(CALLS, WITH_SCHEMA).await.status, 201);
        let wrong = r#"{"decision":"allow_once","arguments":{"command":7,"force":true}}"#;
        assert_snapshot!(ada.post(DECIDE, wrong).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: the tool does not take them: 7 is not of type \"string\" at \"/command\"; Additional properties are not allowed ('force' was unexpected)"
        }
        "#);
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"allow_once","arguments":{"command":"ls","command":"rm"}}"#).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: an object has the key \"command\" twice (at byte 16)"
        }
        "#);
        assert_eq!(ada.get(&format!("{CALLS}/call_1")).await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn a_schema_that_is_none_lets_nothing_through() {
    story(POLICY, async |town| {
        let call =
            r#"{"id":"call_1","name":"bash","arguments":{"command":"pwd"},"definition":{"inputSchema":{"type":"thing"}}}"#;
        assert_eq!(town.agent("builder").post(CALLS, call).await.status, 201);
        let changed = r#"{"decision":"allow_once","arguments":{"command":"ls"}}"#;
        assert_snapshot!(town.person("ada").post(DECIDE, changed).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: the tool's inputSchema cannot be used to check them: \"thing\" is not valid under any of the schemas listed in the 'anyOf' keyword"
        }
        "#);
        assert_eq!(town.person("ada").decides("t1", "call_1", "allow_once").await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn what_the_policy_blocks_cannot_be_written_in() {
    story(POLICY, async |town| {
        town.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let force = r#"{"decision":"allow_once","arguments":{"command":"git push --force origin main"}}"#;
        assert_snapshot!(town.person("ada").post(DECIDE, force).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "blocked",
          "detail": "blocked by policy:no force pushes: history is shared"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn nor_what_it_asks_more_people_about() {
    story(POLICY, async |town| {
        let call = r#"{"id":"call_1","name":"transfer","arguments":{"amount":10}}"#;
        town.agent("builder").post(CALLS, call).await;
        let more = r#"{"decision":"allow_once","arguments":{"amount":5000}}"#;
        assert_snapshot!(town.person("ada").post(DECIDE, more).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: the policy asks for more than this request does before it lets them run; deny the call and let the agent propose another"
        }
        "#);
        let less = r#"{"decision":"allow_once","arguments":{"amount":5}}"#;
        assert_eq!(town.person("ada").post(DECIDE, less).await.text("state"), "allowed");
    })
    .await;
}

#[tokio::test]
async fn a_secret_cannot_be_written_in() {
    story(POLICY, async |town| {
        town.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let secret = r#"{"decision":"allow_once","arguments":{"command":"deploy --password=hunter2"}}"#;
        assert_snapshot!(town.person("ada").post(DECIDE, secret).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: what an approver writes runs as the log keeps it, so it can hold no secret; deny the call and let the agent propose another"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn what_is_behind_a_mask_cannot_be_kept() {
    story(POLICY, async |town| {
        let call = r#"{"id":"call_1","name":"login","arguments":{"user":"ada","password":"hunter2"}}"#;
        town.agent("builder").post(CALLS, call).await;
        let ada = town.person("ada");
        let kept = r#"{"decision":"allow_once","arguments":{"user":"bob","password":"[redacted]"}}"#;
        assert_snapshot!(ada.post(DECIDE, kept).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: some of the arguments are masked here, and what is behind the mask cannot be kept; deny the call and let the agent propose another"
        }
        "#);
        let without = ada.post(DECIDE, r#"{"decision":"allow_once","arguments":{"user":"guest"}}"#).await;
        assert_snapshot!(without.member("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","changes":[{"from":"ada","path":"/user","to":"guest"},{"from":"[redacted]","path":"/password"}],"decision":"allow_once","note":"user:ada changed what was run: /user from \"ada\" to \"guest\"; /password from \"[redacted]\" to nothing","policy":"825ad77d57f1d344debeb3c11fcb8d4f473e42ea4ac9b3acf1808b63067b0c61","principal":"user:ada","seq":3,"source":"approver"}"#);
        assert_eq!(without.member("redacted"), "null", "nothing is masked in what an approver wrote");
    })
    .await;
}

#[tokio::test]
async fn changed_arguments_are_for_one_call_alone() {
    story(POLICY, async |town| {
        town.agent("builder").post(CALLS, WITH_SCHEMA).await;
        let ada = town.person("ada");
        let session = r#"{"decision":"allow_session","arguments":{"command":"ls"}}"#;
        assert_snapshot!(ada.post(DECIDE, session).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "arguments: only with allow_once can the arguments be changed"
        }
        "#);
        let denied = r#"{"decision":"deny","arguments":{"command":"ls"}}"#;
        assert_eq!(ada.post(DECIDE, denied).await.text("code"), "invalid");
        let wide = r#"{"decision":"allow_once","arguments":{"command":"ls"},"match":"tool"}"#;
        assert_snapshot!(ada.post(DECIDE, wide).await, @r#"
        422
        {
          "title": "Unprocessable Entity",
          "status": 422,
          "code": "invalid",
          "detail": "match: only allow_session and deny are remembered; leave it out"
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn who_looked_at_other_arguments_decides_nothing() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let ada = town.person("ada");
        let zeros = "0".repeat(64);
        let stale = format!(r#"{{"decision":"allow_once","argumentsHash":"{zeros}"}}"#);
        assert_snapshot!(ada.post(DECIDE, &stale).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "arguments_changed",
          "detail": "you looked at arguments that hash to 0000000000000000000000000000000000000000000000000000000000000000, but those that would run now hash to 4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db: look again before you decide"
        }
        "#);
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
async fn what_was_changed_is_shown_told_and_run() {
    story(POLICY, async |town| {
        let (builder, ada) = (town.agent("builder"), town.person("ada"));
        let proposed = builder.post(CALLS, WITH_SCHEMA).await;
        let changed = r#"{"decision":"allow_once","comment":"a branch will do","arguments":{"command":"git push origin topic","cwd":"/srv"}}"#;
        assert_snapshot!(ada.post(DECIDE, changed).await, @r#"
        200
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "allowed",
          "arguments": {"command":"git push origin topic","cwd":"/srv"},
          "argumentsHash": "0f99288cb713e57e662c9b06005a52f48bf08c613f128d64b0eb4c1367fe7ac3",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "definition": {
            "description": "Runs a command",
            "inputSchema": {
              "type": "object",
              "required": ["command"],
              "additionalProperties": false,
              "properties": {"command":{"type":"string"},"cwd":{"type":"string"}}
            }
          },
          "definitionHash": "1c2d8835744a68d18db948d20d285139cb3c2b897602715f848337fcce54d745",
          "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "`bash` may be dangerous: its description says \"command\", and no rule speaks of it",
            "basis": "tool",
            "quorum": 1,
            "denials": 1,
            "policy": "825ad77d57f1d344debeb3c11fcb8d4f473e42ea4ac9b3acf1808b63067b0c61"
          },
          "response": {
            "decision": "allow_once",
            "source": "approver",
            "principal": "user:ada",
            "at": "2026-01-31T12:00:00.000Z",
            "seq": 3,
            "comment": "a branch will do",
            "changes": [
              {"path":"/command","from":"git push origin main","to":"git push origin topic"},
              {"path":"/cwd","to":"/srv"}
            ],
            "note": "user:ada changed what was run: /command from \"git push origin main\" to \"git push origin topic\"; /cwd from nothing to \"/srv\"",
            "policy": "825ad77d57f1d344debeb3c11fcb8d4f473e42ea4ac9b3acf1808b63067b0c61"
          }
        }
        "#);
        let again = ada.post(DECIDE, changed).await;
        assert_eq!(again.status, 200, "the same again is a success: {again}");
        let other = r#"{"decision":"allow_once","arguments":{"command":"git push origin other"}}"#;
        assert_eq!(ada.post(DECIDE, other).await.text("code"), "already_decided");
        let claim = format!(r#"{{"executor":"worker-7","argumentsHash":{}}}"#, proposed.member("argumentsHash"));
        assert_snapshot!(builder.post(&format!("{CALLS}/call_1/claim"), &claim).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "arguments_changed",
          "detail": "the arguments hash to af1b4b3c17d3e4650d609c72472402dd9874f9d1a13aeab9e2988a25d88d6f97, and 0f99288cb713e57e662c9b06005a52f48bf08c613f128d64b0eb4c1367fe7ac3 was approved; run what was approved, or propose a new call"
        }
        "#);
        let running = builder.claims("t1", "call_1", "worker-7").await;
        assert_snapshot!(running.member("arguments"), @r#"{"command":"git push origin topic","cwd":"/srv"}"#);
    })
    .await;
}

#[tokio::test]
async fn several_decisions_may_change_arguments_too() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "a").await;
        town.agent("builder").proposes("t1", "b").await;
        let body = r#"{"decisions":[
            {"threadId":"t1","id":"a","decision":"allow_once","arguments":{"command":"ls -l"}},
            {"threadId":"t1","id":"b","decision":"allow_once","arguments":{"command":"git push --force"}}
        ]}"#;
        let answer = town.person("ada").post("/v1/approvals/decide", body).await;
        let results: serde_json::Value = serde_json::from_str(&answer.member("results")).expect("results");
        assert_eq!(
            results[0]["call"]["response"]["note"],
            "user:ada changed what was run: /command from \"ls\" to \"ls -l\""
        );
        assert_eq!(results[1]["problem"]["code"], "blocked");
    })
    .await;
}
