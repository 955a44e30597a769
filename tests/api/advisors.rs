//! `/v1/advisors`, `…/flag`, and the advice on a call.

use countersign_approvals::decide::AdviceCommand;
use countersign_events::{AdviceVerdict, AdvisorMode, CallId, ThreadId};
use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use insta::assert_snapshot;
use serde_json::{Value, json};

const POLICY: &str = r#"
[[advisor]]
name = "judge"
url = "https://user-token.judge.example:8443/secret-path?key=secret"
mode = "decide"
outcomes = ["deny", "allow"]
minCases = 2

[[advisor]]
name = "local"
command = ["/usr/lib/judge", "--secret"]

[[rule]]
name = "listing"
tool = "bash"
verdict = "advised"
advisor = "judge"
"#;

const CALL: &str = "/v1/threads/t/tool-calls/call_1";
const FLAG: &str = "/v1/threads/t/tool-calls/call_1/flag";

fn configuration(world: &HttpWorld, advisor: &str) -> String {
    let policy = world.service.gate.policy_in_force().expect("readable");
    policy.advisor(advisor).expect("an advisor").configuration.to_string()
}

async fn advise(world: &HttpWorld, advisor: &str, advice: AdviceVerdict) {
    let gate = &world.service.gate;
    let policy = gate.policy_in_force().expect("readable");
    let call: Value = world.agent("builder").get(CALL).await.json();
    let command = AdviceCommand {
        advisor: advisor.to_owned(),
        configuration: policy.advisor(advisor).expect("an advisor").configuration,
        advice,
        reason: Some("the branch is <b>protected</b>".to_owned()),
        confidence: Some("0.9".parse().expect("valid")),
        labels: vec!["git".to_owned()],
        failure: None,
        elapsed_millis: 12,
        tokens: None,
        cached: false,
        arguments_hash: serde_json::from_value(call["argumentsHash"].clone()).expect("a hash"),
    };
    let (thread, id) = (ThreadId::new("t").expect("valid"), CallId::new("call_1").expect("valid"));
    gate.record_advice(&thread, &id, &command).await.expect("recorded");
}

fn report(world: &HttpWorld, agreed: u64) -> String {
    json!({"configuration": configuration(world, "judge"), "counts": {
        "source": "replay", "cases": agreed, "agreed": agreed, "falseAllows": 0, "falseDenials": 0, "asked": 0, "upTo": 1,
    }})
    .to_string()
}

fn mode_of(answer: &HttpAnswer) -> Value {
    answer.json()["advisors"][0]["mode"].clone()
}

#[tokio::test]
async fn advisors_are_listed_without_their_secrets() {
    over_http(POLICY, async |world| {
        let list = world.person("ada").get("/v1/advisors").await;
        assert_eq!(list.status, 200);
        assert!(!list.body.contains("secret"), "{list}");
        let found = list.json();
        let [judge, local] = &found["advisors"].as_array().expect("a list")[..] else { panic!("{list}") };
        assert_eq!(judge["target"], "https://user-token.judge.example:8443");
        assert_eq!(local["target"], "/usr/lib/judge");
        assert_eq!((&judge["policyMode"], &judge["mode"]), (&json!("decide"), &json!("advise")));
        assert_eq!(judge["why"], "no report about these settings exists; measure the advisor first");
        assert_eq!((&local["policyMode"], &local["mode"]), (&json!("shadow"), &json!("shadow")));
        assert_eq!(judge["maxOverruled"], 0.05);
    })
    .await;
}

#[tokio::test]
async fn mode_of_an_advisor_needs_a_statement() {
    over_http(POLICY, async |world| {
        let root = world.person("root");
        let path = "/v1/advisors/judge/mode";
        let hash = configuration(world, "judge");
        let with = |body: Value| body.to_string();
        let without = with(json!({"configuration": hash, "mode": "decide"}));
        assert_snapshot!(root.post(path, without).await, @"422 invalid: statement: say why the advisor may decide; the log keeps it");
        let shadow = with(json!({"configuration": hash, "mode": "shadow"}));
        assert_snapshot!(root.post(path, shadow).await, @"422 invalid: mode: it must be advise or decide; the policy sets shadow");
        let other = with(json!({"configuration": "0".repeat(64), "mode": "advise"}));
        assert_snapshot!(root.post(path, other).await, @r#"404 unknown_advisor: the active policy has no advisor "judge" with these settings"#);
        let unknown = with(json!({"configuration": hash, "mode": "advise"}));
        assert_eq!(root.post("/v1/advisors/none/mode", unknown).await.status, 404);
        let decide = with(json!({"configuration": hash, "mode": "decide", "statement": "we watch it"}));
        let list = root.post(path, decide).await;
        assert_eq!((list.status, mode_of(&list)), (200, json!("decide")), "{list}");
        let advise = with(json!({"configuration": hash, "mode": "advise", "reason": "too many flags"}));
        assert_eq!(mode_of(&root.post(path, advise).await), "advise");
    })
    .await;
}

#[tokio::test]
async fn report_proves_an_advisor() {
    over_http(POLICY, async |world| {
        let root = world.person("root");
        let path = "/v1/advisors/judge/reports";
        let few = root.post(path, report(world, 1)).await;
        assert_eq!((few.status, mode_of(&few)), (200, json!("advise")), "{few}");
        let enough = root.post(path, report(world, 2)).await;
        assert_eq!(mode_of(&enough), "decide", "{enough}");
        let wrong = report(world, 2).replace("\"agreed\":2", "\"agreed\":1");
        assert_eq!(root.post(path, wrong).await.text("code"), "invalid");
        world.agent("builder").proposes("call_1").await;
        advise(world, "judge", AdviceVerdict::Allow).await;
        let call = world.agent("builder").get(CALL).await;
        assert_eq!(call.text("state"), "allowed");
        assert_eq!(call.json()["response"]["source"], "advisor");
        assert_eq!(call.json()["response"]["principal"], "advisor:judge");
    })
    .await;
}

#[tokio::test]
async fn shadow_advice_is_not_on_the_call() {
    over_http(POLICY, async |world| {
        world.agent("builder").proposes("call_1").await;
        advise(world, "local", AdviceVerdict::Deny).await;
        let pending = world.person("ada").get("/v1/approvals/pending").await;
        assert!(!pending.body.contains("advice"), "shadow advice would influence people: {pending}");
        assert_eq!(pending.json()["pending"][0]["request"]["advisor"], "judge");
        advise(world, "judge", AdviceVerdict::Deny).await;
        let pending = world.person("ada").get("/v1/approvals/pending").await.json();
        let advice = &pending["pending"][0]["advice"];
        assert_eq!(advice.as_array().map(Vec::len), Some(1), "{advice}");
        assert_eq!(advice[0]["mode"], AdvisorMode::Advise.as_str());
        assert_eq!((&advice[0]["advice"], &advice[0]["confidence"]), (&json!("deny"), &json!(0.9)));
        assert_eq!(advice[0]["reason"], "the branch is <b>protected</b>");
    })
    .await;
}

#[tokio::test]
async fn only_an_allowed_call_is_flagged() {
    over_http(POLICY, async |world| {
        let (ada, builder) = (world.person("ada"), world.agent("builder"));
        assert_snapshot!(ada.post(FLAG, "{}").await, @"404 unknown_call: thread t has no call call_1");
        builder.proposes("call_1").await;
        assert_snapshot!(ada.post(FLAG, "{}").await, @"409 not_flaggable: the call is pending, and only a call that was allowed can be flagged");
        ada.allows("call_1").await;
        assert_snapshot!(builder.post(FLAG, "{}").await, @"403 not_permitted: the role agent may not decide");
        let flagged = ada.post(FLAG, r#"{"comment":"it listed secrets"}"#).await;
        assert_eq!(flagged.json()["flags"][0]["comment"], "it listed secrets");
        let again = ada.post(FLAG, "{}").await;
        assert_eq!(again.json()["flags"].as_array().map(Vec::len), Some(1), "{again}");
        assert_eq!(ada.post(FLAG, r#"{"colour":"red"}"#).await.status, 422);
    })
    .await;
}

#[tokio::test]
async fn advice_and_flag_change_the_call_tag() {
    over_http(POLICY, async |world| {
        let (ada, builder) = (world.person("ada"), world.agent("builder"));
        builder.proposes("call_1").await;
        let mut tag = ada.get(CALL).await.header("etag").to_owned();
        advise(world, "local", AdviceVerdict::Deny).await;
        assert_eq!(ada.get_with(CALL, "if-none-match", &tag).await.status, 304, "shadow advice is not shown");
        let mut changes = async |what: &str| {
            let answer = ada.get_with(CALL, "if-none-match", &tag).await;
            assert_eq!(answer.status, 200, "{what}");
            tag = answer.header("etag").to_owned();
        };
        advise(world, "judge", AdviceVerdict::Deny).await;
        changes("advice that people see").await;
        ada.allows("call_1").await;
        changes("a decision").await;
        ada.post(FLAG, "{}").await;
        changes("a complaint").await;
    })
    .await;
}

#[tokio::test]
async fn call_allowed_by_advisor_needs_same_policy() {
    over_http(POLICY, async |world| {
        let root = world.person("root");
        root.post("/v1/advisors/judge/reports", report(world, 2)).await;
        world.agent("builder").proposes("call_1").await;
        advise(world, "judge", AdviceVerdict::Allow).await;
        let in_force = root.get("/v1/policy").await.text("hash");
        let policy = json!({"text": format!("{POLICY}\n# changed"), "source": "test", "replaces": in_force});
        assert_eq!(root.put("/v1/policy", policy.to_string()).await.status, 200);
        let hash = world.agent("builder").get(CALL).await.text("argumentsHash");
        let claim = json!({"executor": "worker", "argumentsHash": hash}).to_string();
        let claimed = world.agent("builder").post(&format!("{CALL}/claim"), claim).await;
        assert_snapshot!(claimed, @"409 advice_outdated: advisor:judge allowed it under another policy than the active one; propose the call again");
    })
    .await;
}
