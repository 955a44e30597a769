//! `GET` and `PUT /v1/policy`, and `GET /v1/policy/history`

use crate::ASK;
use countersign_api::{ApprovalGate, CallGate, SendOperation, operations};
use countersign_policy::Policy;
use countersign_tests::{HttpWorld, over_http, run_sql_on};
use insta::assert_snapshot;
use serde_json::json;

const POLICY: &str = "/v1/policy";
const BLOCK: &str = "[[rule]]\nname = \"never\"\ntool = \"bash\"\nverdict = \"block\"\n";

fn request(text: &str, replaces: &str) -> String {
    json!({"text": text, "source": "policy.toml", "replaces": replaces}).to_string()
}

async fn hash_in_force(world: &HttpWorld) -> String {
    world.anonymous().get(POLICY).await.text("hash")
}

#[tokio::test]
async fn policy_by_an_agent_is_refused() {
    over_http(ASK, async |world| {
        let body = request(BLOCK, &hash_in_force(world).await);
        assert_snapshot!(world.agent("builder").put(POLICY, body).await, @"403 not_permitted: the role agent may not set policies, modes and tokens");
    })
    .await;
}

#[tokio::test]
async fn policy_with_an_error_changes_nothing() {
    over_http(ASK, async |world| {
        let before = hash_in_force(world).await;
        let refused = world.person("ada").put(POLICY, request("default = \"perhaps\"", &before)).await;
        assert_snapshot!(refused, @r#"422 invalid: text: the policy is invalid at line 1, column 11: unknown verdict "perhaps"; expected one of `allow`, `ask`, `block`"#);
        assert_eq!(hash_in_force(world).await, before);
    })
    .await;
}

#[tokio::test]
async fn policy_is_not_replaced_unseen() {
    over_http(ASK, async |world| {
        let (ada, first) = (world.person("ada"), hash_in_force(world).await);
        assert_eq!(ada.put(POLICY, request(BLOCK, &first)).await.status, 200);
        let refused = world.person("bob").put(POLICY, request("default = \"allow\"", &first)).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (409, "policy_changed"));
        let again = ada.put(POLICY, request(BLOCK, &first)).await;
        assert_eq!((again.status, again.member("seq").as_str()), (200, "2"), "a repeat writes nothing");
    })
    .await;
}

#[tokio::test]
async fn new_log_begins_with_its_policy() {
    over_http(ASK, async |world| {
        world.apply_policy(BLOCK).await;
        let history = world.anonymous().get("/v1/policy/history").await.json();
        let by = |index: usize| history["events"][index]["principal"].clone();
        assert_eq!((by(0), by(1)), (json!("system:countersign"), json!("user:operator")));
        assert_eq!(history["events"][1]["data"]["text"], BLOCK);
        let in_force = world.anonymous().get(POLICY).await;
        assert_snapshot!(in_force.fields(["seq", "principal", "source", "text", "at"]), @r#"
        200
        seq: 2
        principal: "user:operator"
        source: "a test"
        text: "[[rule]]\nname = \"never\"\ntool = \"bash\"\nverdict = \"block\"\n"
        at: "2026-01-31T12:00:00.000Z"
        "#);
    })
    .await;
}

/// Verdicts name the policy that judged, whose text the log has.
#[tokio::test]
async fn each_verdict_names_a_policy_of_the_log() {
    over_http("default = \"allow\"", async |world| {
        let builder = world.agent("builder");
        let allowed = builder.proposes("a").await.text("response.policy");
        world.apply_policy(BLOCK).await;
        let blocked = builder.proposes("b").await.text("response.policy");
        let history = world.anonymous().get("/v1/policy/history").await.json();
        let recorded =
            |index: usize| history["events"][index]["data"]["hash"].as_str().unwrap_or_default().to_owned();
        assert_eq!((allowed, blocked), (recorded(0), recorded(1)));
    })
    .await;
}

#[tokio::test]
async fn looser_policy_names_its_author() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        for thread in ["t1", "t2", "t3"] {
            assert_eq!(builder.in_thread(thread).proposes("a").await.text("state"), "pending");
        }
        let required = json!({"tools": {"bash": "require-approval"}}).to_string();
        assert_eq!(ada.put("/v1/threads/t3/policy", required).await.status, 200);
        let body = request("default = \"allow\"", &hash_in_force(world).await);
        let set = ada.put(POLICY, body).await;
        for thread in ["t1", "t2"] {
            let call = ada.get(&format!("/v1/threads/{thread}/tool-calls/a")).await;
            assert_eq!(call.text("state"), "allowed");
            assert_eq!(call.text("response.principal"), "policy:default");
            assert_eq!(call.text("response.policyChange.principal"), "user:ada");
            assert_eq!(call.shown("response.policyChange.seq"), set.shown("seq"));
        }
        let held = ada.get("/v1/threads/t3/tool-calls/a").await;
        assert_eq!(held.text("state"), "pending", "the thread wants a person each time");
    })
    .await;
}

/// More calls wait than one page of a review has.
#[tokio::test]
async fn looser_policy_answers_all_that_waits() {
    let policy = "[limits]\npendingPerThread = 400\n";
    over_http(policy, async |world| {
        let builder = world.agent("builder");
        for number in 0..300 {
            builder.proposes(&format!("call_{number}")).await;
        }
        world.apply_policy("default = \"allow\"").await;
        let left = world.person("ada").get("/v1/approvals/pending").await;
        assert_eq!(left.shown("pending"), "[]");
    })
    .await;
}

#[tokio::test]
async fn unreadable_policy_in_force_judges_nothing() {
    let (gate, _, folder) = countersign_tests::new_gate(ASK).await;
    gate.shut_down().await;
    let path = folder.path().join("log.db");
    let newer = "PRAGMA ignore_check_constraints = TRUE; DROP TRIGGER rows_are_never_changed;
        UPDATE events SET data = json_set(data, '$.text', 'quorums = 7') WHERE seq = 1";
    run_sql_on(&path, newer).await.expect("the row can be changed without its guard");
    let gate = countersign_gate::EmbeddedGate::open(&path).await.expect("the log opens");
    let call = countersign_api::ProposeRequest::new("a", "bash", "{}").expect("a call");
    let thread = countersign_api::parse_thread_id("t").expect("a name");
    let refused = gate.propose(&thread, &call).await.expect_err("nothing is judged");
    assert_eq!(refused.code(), "policy_unreadable");
    assert!(refused.to_string().contains("countersign policy apply"), "{refused}");
    let replaces = gate.send(operations::ShowPolicy {}).await.expect("its text can be read").hash;
    let request = countersign_api::PolicyRequest {
        text: Policy::SHIPPED.to_owned(),
        layers: Vec::new(),
        source: "shipped".to_owned(),
        replaces,
    };
    let person = gate.acting_as(countersign_events::Principal::user("ada"));
    person.send(operations::ApplyPolicy { body: request }).await.expect("another policy helps");
    gate.propose(&thread, &call).await.expect("judged");
    gate.shut_down().await;
}
