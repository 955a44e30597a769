//! `POST /v1/policy/managed-rules`, and `POST /v1/policy/managed-rules/remove`

use crate::ASK;
use countersign_tests::{HttpWorld, over_http};
use insta::assert_snapshot;
use serde_json::json;

const RULES: &str = "/v1/policy/managed-rules";
const LS: &str = "[[rule]] # 12 prompts\nname = \"suggested: ls\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n";

async fn hash_in_force(world: &HttpWorld) -> String {
    world.anonymous().get("/v1/policy").await.text("hash")
}

fn accept(rule: &str, replaces: &str) -> String {
    json!({"rule": rule, "replaces": replaces}).to_string()
}

#[tokio::test]
async fn accepted_rule_is_recorded_and_removable() {
    over_http(ASK, async |world| {
        let (builder, ada) = (world.agent("builder"), world.person("ada"));
        assert_eq!(builder.proposes("a").await.text("state"), "pending");
        let first = hash_in_force(world).await;
        let accepted = ada.post(RULES, accept(LS, &first)).await;
        assert_snapshot!(accepted.fields(["seq", "principal", "source", "text", "layers"]), @r#"
        200
        seq: 4
        principal: "user:ada"
        source: "accepted rule: suggested: ls"
        text: "default = \"ask\""
        layers: [{"name":"policy.d/managed.toml","text":"[[rule]] # 12 prompts\nname = \"suggested: ls\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n"}]
        "#);
        assert_eq!(builder.proposes("b").await.text("response.rule"), "policy.d/managed.toml: suggested: ls");
        let event = ada.get("/v1/policy/history").await.json()["events"][1].clone();
        assert_eq!((&event["type"], &event["principal"]), (&json!("POLICY_SET"), &json!("user:ada")));
        let remove = json!({"name": "suggested: ls", "replaces": hash_in_force(world).await}).to_string();
        let removed = ada.post(&format!("{RULES}/remove"), remove).await;
        assert_eq!((removed.status, removed.text("hash")), (200, first), "the policy is the first one again");
        assert_eq!(builder.in_thread("t2").proposes("c").await.text("state"), "pending");
    })
    .await;
}

#[tokio::test]
async fn rule_is_refused_if_the_policy_changed() {
    over_http(ASK, async |world| {
        let first = hash_in_force(world).await;
        world.apply_policy("default = \"block\"").await;
        let refused = world.person("ada").post(RULES, accept(LS, &first)).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (409, "policy_changed"));
        let remove = json!({"name": "x", "replaces": first}).to_string();
        let refused = world.person("ada").post(&format!("{RULES}/remove"), remove).await;
        assert_eq!((refused.status, refused.text("code").as_str()), (409, "policy_changed"));
        let in_force = world.anonymous().get("/v1/policy").await.json();
        assert_eq!((&in_force["text"], in_force.get("layers")), (&json!("default = \"block\""), None));
    })
    .await;
}

#[tokio::test]
async fn unsuitable_rule_is_refused() {
    over_http(ASK, async |world| {
        let (ada, hash) = (world.person("ada"), hash_in_force(world).await);
        let block = "[[rule]]\nname = \"x\"\ntool = \"x\"\nverdict = \"block\"\n";
        assert_snapshot!(ada.post(RULES, accept(block, &hash)).await, @r#"422 invalid: rule: the policy is invalid with this rule: policy.d/managed.toml: the policy is invalid at line 1, column 1: the managed layer may contain only rules with verdict = "allow"; put others into another file"#);
        assert_snapshot!(ada.post(RULES, accept("default = \"allow\"", &hash)).await, @"422 invalid: rule: it must be one [[rule]] and nothing else");
        let remove = json!({"name": "x", "replaces": hash}).to_string();
        assert_snapshot!(ada.post(&format!("{RULES}/remove"), remove).await, @r#"422 invalid: name: the managed layer has no rule "x""#);
        assert_snapshot!(world.agent("builder").post(RULES, accept(LS, &hash)).await, @"403 not_permitted: the role agent may not set policies, modes and tokens");
        assert_eq!(hash_in_force(world).await, hash, "nothing was written");
    })
    .await;
}

#[tokio::test]
async fn accepted_rule_lifts_no_block() {
    over_http("default = \"block\"", async |world| {
        let accepted = world.person("ada").post(RULES, accept(LS, &hash_in_force(world).await)).await;
        assert_eq!(accepted.status, 200);
        let call = world.agent("builder").proposes("a").await;
        assert_eq!(
            (call.text("state"), call.text("response.basis")),
            ("denied".to_owned(), "default".to_owned())
        );
    })
    .await;
}
