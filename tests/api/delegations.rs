//! `GET /v1/delegations`, `POST /v1/delegations`, `POST /v1/delegations/{seq}/end`, and decisions in another person's place.

use crate::access::start;
use countersign_events::{Role, TokenKind};
use countersign_tests::{in_time, over_http};
use insta::assert_snapshot;
use reqwest::Method;
use std::time::Duration;

const POLICY: &str = r#"
[approvers]
"user:ada" = { level = "admin", groups = ["ops"] }
"user:ben" = { level = "admin" }

[[rule]]
name = "ops decide"
tool = "bash"
verdict = "ask"
level = "admin"
approvers = ["@ops"]
"#;

const DELEGATIONS: &str = "/v1/delegations";
const DECIDE: &str = "/v1/threads/t/approvals/call_1";
const FOR_ADA: &str = r#"{"decision":"allow_once","onBehalfOf":"user:ada"}"#;

#[tokio::test]
async fn bad_delegations_are_refused() {
    over_http(POLICY, async |world| {
        let ada = world.person("ada");
        for (body, why) in [
            (r#"{"to":"user:ben"}"#, "until: name the end, with either until or expiresInSeconds"),
            (
                r#"{"to":"user:ben","until":"2026-02-01T12:00:00Z","expiresInSeconds":5}"#,
                "until: name the end, with either until or expiresInSeconds",
            ),
            (
                r#"{"to":"user:ben","until":"2026-01-31T12:00:00Z"}"#,
                "until: name a moment in the next 90 days",
            ),
            (r#"{"to":"user:ada","expiresInSeconds":60}"#, "to: name another person"),
            (
                r#"{"to":"agent:builder","expiresInSeconds":60}"#,
                "to: only a person decides; name one, such as user:ben",
            ),
        ] {
            let refused = ada.post(DELEGATIONS, body).await;
            assert_eq!((refused.status, refused.text("detail").as_str()), (422, why), "{body}");
        }
        let by_agent =
            world.agent("builder").post(DELEGATIONS, r#"{"to":"user:ben","expiresInSeconds":60}"#).await;
        assert_eq!((by_agent.status, by_agent.text("code").as_str()), (403, "not_permitted"));
        assert_snapshot!(ada.post("/v1/delegations/7/end", "{}").await, @"404 unknown_delegation: there is no active delegation with this number");
        world.agent("builder").proposes("call_1").await;
        assert_snapshot!(world.person("ben").post(DECIDE, FOR_ADA).await, @"403 not_delegated: user:ada has not handed their queue to user:ben, or not any more");
        assert_eq!(ada.get(DELEGATIONS).await.member("delegations"), "[]");
    })
    .await;
}

#[tokio::test]
async fn delegate_decides_in_another_place_until_the_end() {
    over_http(POLICY, async |world| {
        let (ada, ben) = (world.person("ada"), world.person("ben"));
        let set =
            ada.post(DELEGATIONS, r#"{"to":"user:ben","expiresInSeconds":60,"comment":"on leave"}"#).await;
        assert_snapshot!(set, @r#"
        201
        {
          "seq": 2,
          "from": "user:ada",
          "to": "user:ben",
          "at": "2026-01-31T12:00:00.000Z",
          "until": "2026-01-31T12:01:00.000Z",
          "comment": "on leave"
        }
        "#);
        assert_eq!(ben.get(DELEGATIONS).await.member("delegations"), format!("[{}]", set.json()));
        world.agent("builder").proposes("call_1").await;
        let own = ben.post(DECIDE, r#"{"decision":"allow_once"}"#).await;
        assert_eq!((own.status, own.text("code").as_str()), (403, "not_eligible"));
        let decided = ben.post(DECIDE, FOR_ADA).await;
        assert_snapshot!(decided.shown("response"), @r#"{"at":"2026-01-31T12:00:00.000Z","decision":"allow_once","level":"admin","onBehalfOf":"user:ada","policy":"[hash:policy]","principal":"user:ben","rule":"ops decide","seq":5,"source":"approver"}"#);
        world.agent("builder").proposes_unlike_others("call_2").await;
        world.clock().advance(Duration::from_mins(1));
        let late = ben.post("/v1/threads/t/approvals/call_2", FOR_ADA).await;
        assert_eq!((late.status, late.text("code").as_str()), (403, "not_delegated"));
        assert_eq!(ada.get(DELEGATIONS).await.member("delegations"), "[]");
    })
    .await;
}

#[tokio::test]
async fn several_decisions_name_the_person_each() {
    over_http(POLICY, async |world| {
        world.person("ada").post(DELEGATIONS, r#"{"to":"user:ben","expiresInSeconds":60}"#).await;
        world.agent("builder").proposes("call_1").await;
        let body = r#"{"decisions":[{"threadId":"t","id":"call_1","decision":"deny","comment":"not now","onBehalfOf":"user:ada"}]}"#;
        let decided = world.person("ben").post("/v1/approvals/decide", body).await.json();
        let call = &decided["results"][0]["call"];
        assert_eq!(call["response"]["onBehalfOf"], "user:ada", "{decided}");
        let told = call["result"]["content"].as_str().expect("a text");
        assert_snapshot!(told, @"Denied by user:ben on behalf of user:ada: not now (do not retry this call unchanged)");
    })
    .await;
}

#[tokio::test]
async fn either_person_or_an_admin_ends_a_delegation() {
    in_time(async {
        let server = start().await;
        let token = async |name: &str, role| server.token(name, role).await;
        let (ada, ben) = (token("ada", Role::Approver).await, token("ben", Role::Approver).await);
        let (cyd, root) = (token("cyd", Role::Approver).await, token("root", Role::Admin).await);
        let narrow = server.creates_token("dan", Role::Approver, &["ci/*"], TokenKind::Token).await;
        let set = async || {
            let body = r#"{"to":"user:ben","expiresInSeconds":60}"#;
            let set = server.asks(&ada, Method::POST, DELEGATIONS, body).await;
            assert_eq!(set.status, 201, "{set}");
            format!("{DELEGATIONS}/{}/end", set.json()["seq"])
        };
        for holder in [&ada, &ben, &root] {
            let end = set().await;
            let refused = server.asks(&cyd, Method::POST, &end, "{}").await;
            assert_eq!((refused.status, &*refused.text("code")), (403, "not_eligible"), "{refused}");
            let hidden = server.asks(&narrow, Method::GET, DELEGATIONS, "").await;
            assert_eq!(hidden.member("delegations"), "[]", "it is not theirs");
            let ended = server.asks(holder, Method::POST, &end, r#"{"comment":"back again"}"#).await;
            assert_eq!((ended.status, &*ended.text("from")), (200, "user:ada"), "{ended}");
            let again = server.asks(holder, Method::POST, &end, "{}").await;
            assert_eq!((again.status, &*again.text("code")), (404, "unknown_delegation"));
        }
        server.end().await;
    })
    .await;
}
