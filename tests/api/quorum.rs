//! Quorums: votes, and the decision by the vote that completes them.

use countersign_tests::over_http;
use insta::assert_snapshot;

const POLICY: &str = r#"
[approvers]
"user:ada" = { groups = ["ops"] }
"user:ben" = { groups = ["ops"] }
"user:cyd" = { groups = ["ops"] }

[[rule]]
name = "two of ops"
tool = "bash"
verdict = "ask"
quorum = 2
denials = 2
approvers = ["@ops"]
"#;

const CALL: &str = "/v1/threads/t/tool-calls/call_1";
const DECIDE: &str = "/v1/threads/t/approvals/call_1";

#[tokio::test]
async fn vote_of_an_unnamed_approver_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(world.person("eve").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @"403 not_eligible: user:eve cannot decide this: it is for @ops to decide");
        assert_eq!(
            world.agent("cyd").post(DECIDE, r#"{"decision":"allow_once"}"#).await.text("code"),
            "not_permitted"
        );
        assert_eq!(
            world.person("ada").get("/v1/events?type=TOOL_APPROVAL_VOTE").await.member("events"),
            "[]"
        );
    })
    .await;
}

#[tokio::test]
async fn second_vote_of_a_person_is_refused() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        let ada = world.person("ada");
        let first = ada.post(DECIDE, r#"{"decision":"allow_once","comment":"fine"}"#).await;
        assert_snapshot!(first.fields(["state", "request.quorum", "request.denials", "request.approvers", "request.votes", "response"]), @r#"
        200
        state: "pending"
        request.quorum: 2
        request.denials: 2
        request.approvers: [["@ops"]]
        request.votes: [{"at":"2026-01-31T12:00:00.000Z","comment":"fine","counts":true,"decision":"allow_once","principal":"user:ada","seq":4}]
        response: null
        "#);
        let again = ada.post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_eq!(
            again.member("request"),
            first.member("request"),
            "a repeated vote succeeds and is not counted again"
        );
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"deny"}"#).await, @r#"
        409 already_voted: voted already: allow_once by user:ada at 2026-01-31T12:00:00.000Z
        vote: {"at":"2026-01-31T12:00:00.000Z","comment":"fine","counts":true,"decision":"allow_once","principal":"user:ada","seq":4}
        "#);
    })
    .await;
}

#[tokio::test]
async fn vote_that_completes_the_quorum_decides() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").allows("call_1").await;
        let denied = world.person("ben").post(DECIDE, r#"{"decision":"deny","comment":"why now?"}"#).await;
        assert_eq!(denied.text("state"), "pending", "one denial does not reach the required number");
        let decided = world.person("cyd").post(DECIDE, r#"{"decision":"allow_session","scope":"tool"}"#).await;
        assert_snapshot!(decided.shown("request"), @r#"{"approvers":[["@ops"]],"basis":"rule","denials":2,"options":["allow_once","allow_session","deny"],"policy":"[hash:policy]","quorum":2,"reason":"the rule says so","requestedAt":"2026-01-31T12:00:00.000Z","rule":"two of ops","seq":3,"votes":[{"at":"2026-01-31T12:00:00.000Z","counts":true,"decision":"allow_once","principal":"user:ada","seq":4},{"at":"2026-01-31T12:00:00.000Z","comment":"why now?","counts":true,"decision":"deny","principal":"user:ben","seq":5},{"at":"2026-01-31T12:00:00.000Z","counts":true,"decision":"allow_session","principal":"user:cyd","scope":"tool","seq":6}]}"#);
        assert_snapshot!(decided.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","policy":"[hash:policy]","principal":"user:cyd","rule":"two of ops","seq":7,"source":"approver"}"#);
        assert_snapshot!(world.person("ben").post(DECIDE, r#"{"decision":"deny"}"#).await.text("code"), @"already_decided");
        assert_eq!(
            world.person("ada").get("/v1/threads/t/grants").await.member("grants"),
            "[]",
            "the decision is for the session only if all votes are"
        );
    })
    .await;
}

#[tokio::test]
async fn required_number_of_denials_denies() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        world.person("ada").post(DECIDE, r#"{"decision":"deny","comment":"no"}"#).await;
        let decided = world.person("ben").post(DECIDE, r#"{"decision":"deny","comment":"not today"}"#).await;
        assert_snapshot!(decided.shown("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Denied by user:ada: no; and by user:ben: not today (do not retry this call unchanged)","principal":"user:ben","seq":7,"status":"denied"}"#);
    })
    .await;
}

#[tokio::test]
async fn edit_voids_the_earlier_votes() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        let (ada, ben) = (world.person("ada"), world.person("ben"));
        let before = ada.allows("call_1").await.member("argumentsHash");
        let edit = r#"{"decision":"allow_once","arguments":{"command":"ls -l"}}"#;
        assert_snapshot!(ben.post(DECIDE, edit).await.fields(["state", "arguments", "request.votes", "response"]), @r#"
        200
        state: "pending"
        arguments: {"command":"ls -l"}
        request.votes: [{"at":"2026-01-31T12:00:00.000Z","counts":false,"decision":"allow_once","principal":"user:ada","seq":4},{"arguments":{"command":"ls -l"},"at":"2026-01-31T12:00:00.000Z","counts":true,"decision":"allow_once","principal":"user:ben","seq":5}]
        response: null
        "#);
        let stale = format!(r#"{{"decision":"allow_once","argumentsHash":{before}}}"#);
        assert_snapshot!(ada.post(DECIDE, &stale).await, @"409 arguments_changed: you looked at arguments that hash to [hash:ls], but those that would run now hash to b04dc867981ed3aedb28f325022a51edc29c4f21b9505a953649c2fa43fc2db0: look again before you decide");
        let unseen = ada.post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_eq!((unseen.status, unseen.text("code").as_str()), (409, "arguments_changed"));
        let current = ada.get(CALL).await.member("argumentsHash");
        let decided = ada.post(DECIDE, &stale.replace(&before, &current)).await;
        assert_snapshot!(decided.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","changes":[{"from":"ls","path":"/command","to":"ls -l"}],"decision":"allow_once","note":"user:ben changed what was run: /command from \"ls\" to \"ls -l\"","policy":"[hash:policy]","principal":"user:ada","rule":"two of ops","seq":7,"source":"approver"}"#);
        assert_eq!(world.agent("builder").get(CALL).await.member("arguments"), r#"{"command":"ls -l"}"#);
    })
    .await;
}

#[tokio::test]
async fn unanimous_session_votes_create_a_grant() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        let exact = r#"{"decision":"allow_session","scope":"exact"}"#;
        world.person("ada").post(DECIDE, exact).await;
        world.person("ben").post(DECIDE, exact).await;
        assert_snapshot!(world.person("ada").get("/v1/threads/t/grants").await, @r#"
        200
        {
          "grants": [
            {
              "seq": 6,
              "tool": "bash",
              "principal": "user:ben",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "call_1",
              "decision": "allow_session",
              "scope": "exact",
              "says": "this exact call",
              "agent": "agent:builder"
            }
          ],
          "next": null
        }
        "#);
        assert_eq!(world.agent("builder").proposes("call_2").await.text("state"), "allowed");
    })
    .await;
}
