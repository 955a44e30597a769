//! Where it takes several: votes, and the decision by the one that makes it enough

use countersign_tests::api::story;
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

const CALL: &str = "/v1/threads/t1/tool-calls/call_1";
const DECIDE: &str = "/v1/threads/t1/approvals/call_1";

#[tokio::test]
async fn who_is_not_asked_has_no_vote() {
    story(POLICY, async |town| {
        town.person("ben").proposes("t1", "call_1").await;
        assert_snapshot!(town.person("eve").post(DECIDE, r#"{"decision":"allow_once"}"#).await, @r#"
        403
        {
          "title": "Forbidden",
          "status": 403,
          "code": "not_eligible",
          "detail": "user:eve cannot decide this: it is for @ops to decide"
        }
        "#);
        assert_eq!(
            town.person("ben").post(DECIDE, r#"{"decision":"allow_once"}"#).await.text("code"),
            "self_approval"
        );
        assert_eq!(
            town.agent("cyd").post(DECIDE, r#"{"decision":"allow_once"}"#).await.text("code"),
            "not_an_approver"
        );
        assert_eq!(town.person("ada").get("/v1/events?type=TOOL_APPROVAL_VOTE").await.member("events"), "[]");
    })
    .await;
}

#[tokio::test]
async fn who_voted_cannot_vote_otherwise() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let ada = town.person("ada");
        let first = ada.post(DECIDE, r#"{"decision":"allow_once","comment":"fine"}"#).await;
        assert_snapshot!(first, @r#"
        200
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "pending",
          "arguments": {"command":"ls"},
          "argumentsHash": "4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "the rule says so",
            "rule": "two of ops",
            "basis": "rule",
            "quorum": 2,
            "denials": 2,
            "approvers": [["@ops"]],
            "votes": [
              {
                "seq": 3,
                "principal": "user:ada",
                "at": "2026-01-31T12:00:00.000Z",
                "decision": "allow_once",
                "comment": "fine",
                "counts": true
              }
            ],
            "policy": "1211cd00d21399ad86b56a275af02211e9cd98589f2ef0d4164ddf96e6435f0e"
          }
        }
        "#);
        let again = ada.post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_eq!(
            again.member("request"),
            first.member("request"),
            "the same again is a success, and no second vote"
        );
        assert_snapshot!(ada.post(DECIDE, r#"{"decision":"deny"}"#).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "already_voted",
          "detail": "voted already: allow_once by user:ada at 2026-01-31T12:00:00.000Z",
          "vote": {
            "seq": 3,
            "principal": "user:ada",
            "at": "2026-01-31T12:00:00.000Z",
            "decision": "allow_once",
            "comment": "fine",
            "counts": true
          }
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn the_vote_that_makes_it_enough_decides() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").decides("t1", "call_1", "allow_once").await;
        let denied = town.person("ben").post(DECIDE, r#"{"decision":"deny","comment":"why now?"}"#).await;
        assert_eq!(denied.text("state"), "pending", "one denial is not enough here");
        let decided = town.person("cyd").post(DECIDE, r#"{"decision":"allow_session"}"#).await;
        assert_snapshot!(decided.member("request"), @r#"{"approvers":[["@ops"]],"basis":"rule","denials":2,"options":["allow_once","allow_session","deny"],"policy":"1211cd00d21399ad86b56a275af02211e9cd98589f2ef0d4164ddf96e6435f0e","quorum":2,"reason":"the rule says so","requestedAt":"2026-01-31T12:00:00.000Z","rule":"two of ops","seq":2,"votes":[{"at":"2026-01-31T12:00:00.000Z","counts":true,"decision":"allow_once","principal":"user:ada","seq":3},{"at":"2026-01-31T12:00:00.000Z","comment":"why now?","counts":true,"decision":"deny","principal":"user:ben","seq":4},{"at":"2026-01-31T12:00:00.000Z","counts":true,"decision":"allow_session","principal":"user:cyd","seq":5}]}"#);
        assert_snapshot!(decided.member("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","policy":"1211cd00d21399ad86b56a275af02211e9cd98589f2ef0d4164ddf96e6435f0e","principal":"user:cyd","rule":"two of ops","seq":6,"source":"approver"}"#);
        assert_snapshot!(town.person("ben").post(DECIDE, r#"{"decision":"deny"}"#).await.text("code"), @"already_decided");
        assert_eq!(
            town.person("ada").get("/v1/threads/t1/grants").await.member("grants"),
            "[]",
            "not all wanted it remembered"
        );
    })
    .await;
}

#[tokio::test]
async fn as_many_denials_as_it_takes_deny() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        town.person("ada").post(DECIDE, r#"{"decision":"deny","comment":"no"}"#).await;
        let decided = town.person("ben").post(DECIDE, r#"{"decision":"deny","comment":"not today"}"#).await;
        assert_snapshot!(decided.member("result"), @r#"{"at":"2026-01-31T12:00:00.000Z","content":"Denied by user:ada: no; and by user:ben: not today (do not retry this call unchanged)","principal":"user:ben","seq":6,"status":"denied"}"#);
    })
    .await;
}

#[tokio::test]
async fn an_edit_voids_the_votes_before_it() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let (ada, ben) = (town.person("ada"), town.person("ben"));
        let before = ada.decides("t1", "call_1", "allow_once").await.member("argumentsHash");
        let edit = r#"{"decision":"allow_once","arguments":{"command":"ls -l"}}"#;
        assert_snapshot!(ben.post(DECIDE, edit).await, @r#"
        200
        {
          "threadId": "t1",
          "id": "call_1",
          "name": "bash",
          "state": "pending",
          "arguments": {"command":"ls -l"},
          "argumentsHash": "b04dc867981ed3aedb28f325022a51edc29c4f21b9505a953649c2fa43fc2db0",
          "proposal": {"seq":1,"principal":"agent:builder","at":"2026-01-31T12:00:00.000Z"},
          "request": {
            "seq": 2,
            "requestedAt": "2026-01-31T12:00:00.000Z",
            "options": ["allow_once","allow_session","deny"],
            "reason": "the rule says so",
            "rule": "two of ops",
            "basis": "rule",
            "quorum": 2,
            "denials": 2,
            "approvers": [["@ops"]],
            "votes": [
              {
                "seq": 3,
                "principal": "user:ada",
                "at": "2026-01-31T12:00:00.000Z",
                "decision": "allow_once",
                "counts": false
              },
              {
                "seq": 4,
                "principal": "user:ben",
                "at": "2026-01-31T12:00:00.000Z",
                "decision": "allow_once",
                "arguments": {"command":"ls -l"},
                "counts": true
              }
            ],
            "policy": "1211cd00d21399ad86b56a275af02211e9cd98589f2ef0d4164ddf96e6435f0e"
          }
        }
        "#);
        let stale = format!(r#"{{"decision":"allow_once","argumentsHash":{before}}}"#);
        assert_snapshot!(ada.post(DECIDE, &stale).await, @r#"
        409
        {
          "title": "Conflict",
          "status": 409,
          "code": "arguments_changed",
          "detail": "you looked at arguments that hash to 4cf29611a66934862f29acfcc817e30b905c1ab73d5e65831413eb6b454d49db, but those that would run now hash to b04dc867981ed3aedb28f325022a51edc29c4f21b9505a953649c2fa43fc2db0: look again before you decide"
        }
        "#);
        let unseen = ada.post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_eq!((unseen.status, unseen.text("code").as_str()), (409, "arguments_changed"));
        let stands = ada.get(CALL).await.member("argumentsHash");
        let decided = ada.post(DECIDE, &stale.replace(&before, &stands)).await;
        assert_snapshot!(decided.member("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","changes":[{"from":"ls","path":"/command","to":"ls -l"}],"decision":"allow_once","note":"user:ben changed what was run: /command from \"ls\" to \"ls -l\"","policy":"1211cd00d21399ad86b56a275af02211e9cd98589f2ef0d4164ddf96e6435f0e","principal":"user:ada","rule":"two of ops","seq":6,"source":"approver"}"#);
        assert_eq!(town.agent("builder").get(CALL).await.member("arguments"), r#"{"command":"ls -l"}"#);
    })
    .await;
}

#[tokio::test]
async fn all_who_allow_for_the_session_grant_it() {
    story(POLICY, async |town| {
        town.agent("builder").proposes("t1", "call_1").await;
        let exact = r#"{"decision":"allow_session","match":"exact"}"#;
        town.person("ada").post(DECIDE, exact).await;
        town.person("ben").post(DECIDE, exact).await;
        assert_snapshot!(town.person("ada").get("/v1/threads/t1/grants").await, @r#"
        200
        {
          "grants": [
            {
              "seq": 5,
              "tool": "bash",
              "principal": "user:ben",
              "at": "2026-01-31T12:00:00.000Z",
              "toolCallId": "call_1",
              "decision": "allow_session",
              "match": "exact",
              "says": "these exact arguments"
            }
          ],
          "next": null
        }
        "#);
        assert_eq!(town.agent("builder").proposes("t1", "call_2").await.text("state"), "allowed");
    })
    .await;
}
