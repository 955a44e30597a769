//! `GET /v1/policy/daily`

use crate::ASK;
use countersign_tests::{HttpWorld, Persona, Proposal, ToServer, over_http};
use insta::assert_snapshot;
use serde_json::json;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);

/// Ada allows four calls of `git status`, and denies one of `git push`.
async fn decide_calls(world: &HttpWorld) {
    let (builder, ada) = (world.agent("builder"), world.person("ada"));
    for (id, command) in
        [("a", "git status"), ("b", "git status -s"), ("c", "git status src"), ("d", "git status")]
    {
        propose_command(&builder.in_thread(id), id, command).await;
        ada.in_thread(id).allows(id).await;
    }
    propose_command(&builder, "x", "git push").await;
    ada.denies("x").await;
}

async fn propose_command(agent: &Persona<ToServer>, id: &str, command: &str) {
    let arguments = json!({"command": command}).to_string();
    agent.proposes_to(id, Proposal { arguments: &arguments, ..Proposal::default() }).await;
}

#[tokio::test]
async fn invalid_day_is_refused() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/policy/daily?date=yesterday").await, @r#"
        422 invalid: date: must be a date such as 2026-01-31, not "yesterday"
        parameter: "date"
        "#);
        assert_snapshot!(world.person("ada").get("/v1/policy/daily?since=2026-01-31").await, @r#"
        422 invalid: unknown parameter "since"; the parameters are date and utcOffsetMinutes
        parameter: "since"
        "#);
        let agent = world.agent("builder").get("/v1/policy/daily").await;
        assert_eq!(agent.status, 403, "{agent}");
    })
    .await;
}

#[tokio::test]
async fn day_without_calls_offers_nothing() {
    over_http(ASK, async |world| {
        assert_snapshot!(world.person("ada").get("/v1/policy/daily").await, @r#"
        200
        {
          "log": {"complete":true,"fromSeq":1,"throughSeq":1,"unreadable":0},
          "date": "2026-01-30",
          "since": "2026-01-01T00:00:00.000Z",
          "policy": "[hash:policy]",
          "calls": 0,
          "asked": 0,
          "askedAllowed": 0,
          "askedDenied": 0,
          "saved": 0,
          "refused": 0,
          "rules": [],
          "withheld": [],
          "observed": 0,
          "wouldAsk": []
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn yesterdays_needless_prompts_come_with_rules() {
    over_http(ASK, async |world| {
        decide_calls(world).await;
        let ada = world.person("ada");
        let today = ada.get("/v1/policy/daily").await;
        assert_eq!((today.member("calls"), today.member("rules")), ("0".to_owned(), "[]".to_owned()));
        world.clock().advance(DAY);
        let review = ada.get("/v1/policy/daily").await;
        assert_snapshot!(review, @r#"
        200
        {
          "log": {"complete":true,"fromSeq":1,"throughSeq":17,"unreadable":0},
          "date": "2026-01-31",
          "since": "2026-01-02T00:00:00.000Z",
          "policy": "[hash:policy]",
          "calls": 5,
          "asked": 5,
          "askedAllowed": 4,
          "askedDenied": 1,
          "saved": 4,
          "refused": 1,
          "rules": [
            {
              "name": "suggested: bash, command `git status **`",
              "tool": "bash",
              "toml": "[[rule]] # 4 prompts in 4 threads, 3 different, allowed by user:ada\nname = \"suggested: bash, command `git status **`\"\ntool = \"bash\"\nprincipal = \"agent:builder\"\ncommand = \"git status **\"\nverdict = \"allow\"\n",
              "saves": 4,
              "prompts": 4,
              "arguments": 3,
              "threads": 4,
              "people": ["user:ada"],
              "first": "2026-01-31T12:00:00.000Z",
              "last": "2026-01-31T12:00:00.000Z",
              "nearMisses": 1,
              "suchAs": ["{\"command\":\"git push\"} (denied by user:ada)"],
              "calls": [
                {
                  "threadId": "a",
                  "id": "a",
                  "principal": "agent:builder",
                  "arguments": {"command":"git status"},
                  "calls": 2
                },
                {
                  "threadId": "c",
                  "id": "c",
                  "principal": "agent:builder",
                  "arguments": {"command":"git status src"},
                  "calls": 1
                },
                {
                  "threadId": "b",
                  "id": "b",
                  "principal": "agent:builder",
                  "arguments": {"command":"git status -s"},
                  "calls": 1
                }
              ]
            }
          ],
          "withheld": [],
          "observed": 0,
          "wouldAsk": []
        }
        "#);
    })
    .await;
}

#[tokio::test]
async fn day_is_named_or_depends_on_offset() {
    over_http(ASK, async |world| {
        decide_calls(world).await;
        world.clock().advance(DAY);
        let ada = world.person("ada");
        let review = ada.get("/v1/policy/daily").await;
        let named = ada.get("/v1/policy/daily?date=2026-01-31").await;
        assert_eq!(named.json(), review.json());
        // 14 hours west of UTC, the calls are of the day before.
        let west = ada.get("/v1/policy/daily?utcOffsetMinutes=-840").await;
        assert_eq!((west.text("date"), west.member("calls")), ("2026-01-30".to_owned(), "5".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn accepted_rule_is_not_offered_again() {
    over_http(ASK, async |world| {
        decide_calls(world).await;
        world.clock().advance(DAY);
        let ada = world.person("ada");
        let review = ada.get("/v1/policy/daily").await;
        let rule = review.json()["rules"][0]["toml"].clone();
        let accepted = json!({"rule": rule, "replaces": review.text("policy")}).to_string();
        let accepted = ada.post("/v1/policy/managed-rules", accepted).await;
        assert_eq!(accepted.status, 200, "{accepted}");
        let again = ada.get("/v1/policy/daily").await;
        assert_eq!(
            (again.member("asked"), again.member("saved"), again.member("rules")),
            ("5".to_owned(), "0".to_owned(), "[]".to_owned())
        );
    })
    .await;
}

#[tokio::test]
async fn rule_that_matches_a_denied_call_is_withheld() {
    over_http(ASK, async |world| {
        propose_command(&world.agent("builder").in_thread("old"), "x", "git status --porcelain").await;
        world.person("ada").in_thread("old").denies("x").await;
        world.clock().advance(DAY);
        decide_calls(world).await;
        world.clock().advance(DAY);
        let review = world.person("ada").get("/v1/policy/daily").await;
        assert_eq!((review.member("saved"), review.member("rules")), ("0".to_owned(), "[]".to_owned()));
        assert_snapshot!(review.member("withheld"), @r#"[{"name":"suggested: bash, command `git status **`","refused":1,"suchAs":["{\"command\":\"git status --porcelain\"} (denied by user:ada)"],"wouldSave":4}]"#);
    })
    .await;
}

#[tokio::test]
async fn observing_policy_says_what_it_would_ask() {
    over_http("observe = true\ndefault = \"ask\"\n", async |world| {
        for id in ["a", "b"] {
            propose_command(&world.agent("builder"), id, "git push").await;
        }
        world.clock().advance(DAY);
        let review = world.person("ada").get("/v1/policy/daily").await;
        assert_eq!((review.member("asked"), review.member("observed")), ("0".to_owned(), "2".to_owned()));
        assert_snapshot!(review.member("wouldAsk"), @r#"[{"calls":2,"example":{"arguments":{"command":"git push"},"calls":1,"id":"a","principal":"agent:builder","threadId":"t"},"rule":"default","tool":"bash"}]"#);
    })
    .await;
}
