//! Advisors of real servers: each protocol, and advisors that are slow, dead, hostile or asked by a server that is killed.
//! Whatever they do, people are asked at once, and their decision counts.

use crate::new_world;
use countersign_tests::{
    Database, EventStreamReader, Process, ProcessWorld, Server, TargetAnswer, WebhookTarget, in_time,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, sync::Arc};
use tokio::sync::Semaphore;

on_each_database!(
    question_and_advice_pass_through_serve,
    killed_server_hands_open_questions_to_the_next,
    second_server_asks_nothing_twice,
);

pub(crate) const ADVICE: &str = "/v1/events?type=TOOL_APPROVAL_ADVICE";

pub(crate) fn answers(advice: &str) -> TargetAnswer {
    TargetAnswer::Json(json!({"advice": advice, "reason": "as the test says", "confidence": 0.9}).to_string())
}

/// An advisor over HTTP.
pub(crate) fn service(name: &str, url: &str, more: &str) -> String {
    format!(
        "\n[[advisor]]\nname = \"{name}\"\nurl = \"{url}\"\nallowPrivate = true\ncache = \"0s\"\n{more}\n"
    )
}

pub(crate) async fn serves(
    world: &ProcessWorld,
    policy: &str,
    options: &[&str],
) -> (Server, EventStreamReader) {
    let path = world.write_policy(policy);
    let server = world.serves_with(&[&["--policy", path.as_str()], options].concat()).await;
    let advice = server.person("ada").streams(ADVICE, None).await;
    (server, advice)
}

pub(crate) async fn proposes(server: &Server, id: &str) {
    let call = json!({"id": id, "name": "bash", "arguments": {"command": format!("make {id}"), "password": "hunter2"},
        "description": "builds"});
    let answer = server.agent("builder").post("/v1/threads/t/tool-calls", call.to_string()).await;
    assert_eq!(answer.status, 201, "{answer}");
    assert_eq!(answer.text("state"), "pending", "people are asked at once");
}

/// Waits for the next advice, and returns its data.
pub(crate) async fn next_advice(advice: &mut EventStreamReader) -> Value {
    advice.data().await.expect("the stream goes on")["data"].clone()
}

/// Waits for the advice of this number of advisors, and returns the answer or the failure of each.
async fn next_answers(advice: &mut EventStreamReader, count: usize) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    while found.len() < count {
        let data = next_advice(advice).await;
        let word = data["failure"].as_str().or(data["advice"].as_str()).expect("an advice").to_owned();
        assert!(
            data["failure"].is_null() || data["advice"] == "ask",
            "a failure leaves the call to people: {data}"
        );
        found.insert(data["advisor"].as_str().expect("a name").to_owned(), word);
    }
    found
}

pub(crate) async fn state(server: &Server, id: &str) -> String {
    server.person("ada").get(&format!("/v1/threads/t/tool-calls/{id}")).await.text("state")
}

async fn question_and_advice_pass_through_serve(world: ProcessWorld) {
    let mut advisor = WebhookTarget::start(|_, _| answers("deny")).await;
    let (server, mut advice) = serves(&world, &service("reviewer", &advisor.url(), ""), &[]).await;
    proposes(&server, "a").await;
    let question = advisor.receives().await;
    assert_eq!(question.header("content-type"), "application/json");
    assert!(!question.body.contains("hunter2"), "{}", question.body);
    let question = question.json();
    assert_eq!(question["call"]["arguments"]["command"], "make a");
    assert_eq!(
        (&question["call"]["agent"], &question["verdict"]["verdict"]),
        (&json!("agent:builder"), &json!("ask"))
    );
    let data = next_advice(&mut advice).await;
    assert_eq!(
        (&data["advisor"], &data["advice"], &data["mode"]),
        (&json!("reviewer"), &json!("deny"), &json!("shadow"))
    );
    assert_eq!((&data["reason"], &data["confidence"]), (&json!("as the test says"), &json!(0.9)));
    assert_eq!(data["argumentsHash"], question["call"]["argumentsHash"]);
    assert_eq!(state(&server, "a").await, "pending", "an advisor in shadow mode decides nothing");
    server.person("ada").allows("a").await;
    assert_eq!(state(&server, "a").await, "allowed");
    proposes(&server, "b").await;
    let second = advisor.receives().await.json();
    let recent = &second["thread"]["recentCalls"];
    assert_eq!((&recent[0]["decision"], &recent[0]["source"]), (&json!("allow_once"), &json!("approver")));
    next_advice(&mut advice).await;
    let metrics = server.get("/metrics").await.whole();
    assert!(
        metrics.contains(r#"advisor_answers_total{advisor="reviewer",answer="deny",cached="false"} 2"#),
        "{metrics}"
    );
    assert_eq!(server.terminated().await.code, 0);
    world.verified_log().await;
}

async fn killed_server_hands_open_questions_to_the_next(world: ProcessWorld) {
    let advisor = |number: usize| if number == 1 { TargetAnswer::Hang } else { answers("allow") };
    let mut advisor = WebhookTarget::start(move |number, _| advisor(number)).await;
    let policy = service("reviewer", &advisor.url(), "timeout = \"60s\"");
    let (mut first, mut advice) = serves(&world, &policy, &[]).await;
    proposes(&first, "a").await;
    next_advice(&mut advice).await;
    proposes(&first, "b").await;
    proposes(&first, "c").await;
    while advisor_calls(&mut advisor).await != "c" {}
    first.kill().await;
    let (second, mut advice) = serves(&world, &policy, &[]).await;
    // The advice on `c` is recorded by the first server or asked for again, depending on when it was killed.
    let mut advised = Vec::new();
    while !advised.contains(&"b".to_owned()) || !advised.contains(&"c".to_owned()) {
        advised.push(next_advice(&mut advice).await["toolCallId"].as_str().expect("an id").to_owned());
    }
    let again: Vec<_> =
        advisor.received().iter().map(|message| message.json()["call"]["id"].clone()).collect();
    assert!(again.contains(&json!("b")) && !again.contains(&json!("a")), "only open questions: {again:?}");
    assert_eq!(second.terminated().await.code, 0);
    assert_one_advice_each(&world, 3).await;
}

async fn advisor_calls(advisor: &mut WebhookTarget) -> String {
    advisor.receives().await.json()["call"]["id"].as_str().expect("an id").to_owned()
}

async fn assert_one_advice_each(world: &ProcessWorld, expected: usize) {
    let log = world.verified_log().await;
    let mut calls: Vec<String> = Vec::new();
    for event in log.iter().filter(|event| event.kind.as_str() == "TOOL_APPROVAL_ADVICE") {
        let data: Value = event.data.read().expect("JSON");
        calls.push(data["toolCallId"].as_str().expect("an id").to_owned());
    }
    let all = calls.len();
    calls.sort();
    calls.dedup();
    assert_eq!((all, calls.len()), (expected, expected), "one advice for each call: {calls:?}");
}

async fn second_server_asks_nothing_twice(world: ProcessWorld) {
    const CALLS: usize = 8;
    let mut advisor = WebhookTarget::start(|_, _| answers("ask")).await;
    let policy = service("reviewer", &advisor.url(), "");
    let (first, mut advice) = serves(&world, &policy, &[]).await;
    let second = world.serves().await;
    for number in 0..CALLS {
        let server = if number % 2 == 0 { &first } else { &second };
        proposes(server, &format!("call_{number}")).await;
    }
    for _ in 0..CALLS {
        next_advice(&mut advice).await;
    }
    assert_eq!(first.terminated().await.code, 0);
    assert_eq!(second.terminated().await.code, 0);
    assert_eq!(advisor.received().len(), CALLS, "one question for each call");
    assert_one_advice_each(&world, CALLS).await;
}

/// Writes a program into the test folder, and returns its path.
pub(crate) fn write_program(world: &ProcessWorld, name: &str, text: &str) -> String {
    let path = world.file(name);
    fs::write(&path, text).expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a file");
    path.display().to_string()
}

/// The policy with one advisor for each protocol.
fn policy_of_all_protocols(world: &ProcessWorld, url: &str) -> String {
    let program = write_program(
        world,
        "judge",
        "#!/bin/sh\ngrep -q '\"tool\":\"bash\"' && echo '{\"advice\":\"deny\"}'\n",
    );
    let plain = service("service", &format!("{url}/own"), "");
    let chat = "protocol = \"chat\"\nmodel = \"judge\"\nprompt = \"Judge.\"\nkey = \"models\"";
    let chat = service("chat", &format!("{url}/v1/chat/completions"), chat);
    format!(
        "{plain}{chat}
[[advisor]]
name = \"program\"
command = [\"{program}\"]
"
    )
}

#[tokio::test]
async fn each_protocol_answers_through_serve() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut advisor = WebhookTarget::start(|_, request| match request.path.as_str() {
            "/own" => answers("allow"),
            "/v1/chat/completions" => {
                let content = json!({"advice": "ask", "reason": "unsure", "confidence": 0.2, "labels": ["x"]});
                let choice = json!({"finish_reason": "stop", "message": {"role": "assistant", "content": content.to_string()}});
                let usage = json!({"prompt_tokens": 700, "completion_tokens": 30});
                TargetAnswer::Json(json!({"choices": [choice], "usage": usage}).to_string())
            }
            _ => TargetAnswer::Status(404),
        })
        .await;
        let url = advisor.url().replace("/secret-path", "");
        let policy = policy_of_all_protocols(&world, &url);
        let path = world.write_policy(&policy);
        let variables = [("COUNTERSIGN_ADVISOR_KEY_MODELS", "sk-very-secret")];
        let server = world.serves_with_variables(&variables, &["--policy", &path, "--advisor-commands"]).await;
        let mut advice = server.person("ada").streams(ADVICE, None).await;
        proposes(&server, "a").await;
        let found = next_answers(&mut advice, 3).await;
        let expected = [("chat", "ask"), ("program", "deny"), ("service", "allow")];
        assert_eq!(found, expected.map(|(name, word)| (name.to_owned(), word.to_owned())).into());
        let requests: BTreeMap<_, _> =
            advisor.received().into_iter().map(|message| (message.path.clone(), message)).collect();
        let chat = &requests["/v1/chat/completions"];
        assert_eq!(chat.header("authorization"), "Bearer sk-very-secret");
        assert!(!requests["/own"].headers.contains_key("authorization"), "the key belongs to one advisor");
        assert_eq!(requests["/own"].json()["call"]["tool"], "bash");
        for message in requests.values() {
            assert!(!message.body.contains("hunter2"), "{}", message.body);
        }
        let end = server.terminated().await;
        assert_eq!(end.code, 0);
        assert!(!end.stderr.contains("sk-very-secret"), "{}", end.stderr);
        let log = world.verified_log().await;
        let text: String = log.iter().map(|event| event.data.as_str()).collect();
        assert!(!text.contains("sk-very-secret") && !text.contains("hunter2"), "no secret is in the log");
        assert!(text.contains(r#""tokens":{"input":700,"output":30}"#), "{text}");
    })
    .await;
}

#[tokio::test]
async fn retired_protocol_is_refused_and_its_log_opens() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let policies = "policies = 'permit (principal, action, resource);'";
        let cedar = format!("[[advisor]]\nname = \"cedar\"\nprotocol = \"cedar\"\n{policies}\n");
        let opa = service("opa", "http://127.0.0.1:8181/v1/data/x", "protocol = \"opa\"");
        for (policy, example) in [(&cedar, "examples/advisors/cedar.py"), (&opa, "examples/advisors/opa.py")]
        {
            let check = ["policy", "check", &world.write_policy(policy)];
            let ended = Process::start(&mut world.countersign(&check)).ended().await;
            assert!(ended.code == 2 && ended.stderr.contains(example), "{} {}", ended.code, ended.stderr);
        }
        // As an earlier version has make it active.
        let server = world.serves_with(&[]).await;
        let text = format!("{cedar}{opa}");
        let before = server.person("root").get("/v1/policy").await.text("hash");
        let apply = json!({"text": text, "source": "an earlier version", "replaces": before}).to_string();
        let answer = server.person("root").put("/v1/policy", apply).await;
        assert_eq!(answer.status, 200, "{answer}");
        let mut advice = server.person("ada").streams(ADVICE, None).await;
        proposes(&server, "a").await;
        let expected = ["cedar", "opa"].map(|name| (name.to_owned(), "bad_configuration".to_owned()));
        assert_eq!(next_answers(&mut advice, 2).await, expected.into());
        assert_eq!(server.terminated().await.code, 0);
        let again = world.serves_with(&[]).await;
        assert_eq!(state(&again, "a").await, "pending");
        assert_eq!(again.terminated().await.code, 0);
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn slow_and_dead_advisors_delay_nothing() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut slow = WebhookTarget::start(|_, _| TargetAnswer::Hang).await;
        let mut quick = WebhookTarget::start(|_, _| answers("allow")).await;
        let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let dead = format!("http://{}/", closed.local_addr().expect("an address"));
        drop(closed);
        let policy = [
            service("slow", &slow.url(), "timeout = \"2s\"\nconcurrency = 1\nmode = \"advise\""),
            service("dead", &dead, ""),
            service("quick", &quick.url(), ""),
        ];
        let (server, mut advice) = serves(&world, &policy.concat(), &[]).await;
        proposes(&server, "a").await;
        proposes(&server, "b").await;
        // No advisor is asked about a call that is decided already.
        slow.receives().await;
        quick.receives().await;
        server.person("ada").denies("a").await;
        assert_eq!(state(&server, "a").await, "denied", "no one waits for an advisor");
        let mut words = Vec::new();
        while words.len() < 5 {
            let data = next_advice(&mut advice).await;
            let (name, call) = (data["advisor"].as_str(), data["toolCallId"].as_str());
            let outcome = data["failure"].as_str().or(data["advice"].as_str());
            words.push([name, call, outcome].map(|text| text.unwrap_or_default().to_owned()).join(" "));
        }
        let position = |word: &str| {
            words.iter().position(|found| found == word).unwrap_or_else(|| panic!("{word}: {words:?}"))
        };
        assert!(position("quick b allow") < position("slow a timeout").min(5), "{words:?}");
        for word in ["quick a allow", "dead a unreachable", "dead b unreachable"] {
            position(word);
        }
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn hostile_answers_leave_the_call_to_people() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let advisor = WebhookTarget::start(|_, request| match request.path.as_str() {
            "/error" => TargetAnswer::Status(500),
            "/redirect" => TargetAnswer::Redirect,
            "/endless" => TargetAnswer::Endless,
            "/array" => TargetAnswer::Json(r#"["allow"]"#.to_owned()),
            "/unknown" => TargetAnswer::Json(r#"{"advice":"allow","unless":"x"}"#.to_owned()),
            "/session" => TargetAnswer::Json(r#"{"advice":"allow_session"}"#.to_owned()),
            "/deep" => TargetAnswer::Json("[".repeat(60_000)),
            "/empty" => TargetAnswer::Json(String::new()),
            _ => TargetAnswer::Hang,
        })
        .await;
        let url = advisor.url().replace("/secret-path", "");
        let places = ["error", "redirect", "endless", "array", "unknown", "session", "deep", "empty"];
        let policy: String = places.map(|place| service(place, &format!("{url}/{place}"), "")).concat();
        let refused =
            "\n[[advisor]]\nname = \"program\"\ncommand = [\"/bin/echo\", '{\"advice\":\"allow\"}']\n";
        let (server, mut advice) = serves(&world, &format!("{policy}{refused}"), &[]).await;
        proposes(&server, "a").await;
        let found = next_answers(&mut advice, places.len() + 1).await;
        let expected = [
            ("array", "malformed"),
            ("deep", "malformed"),
            ("empty", "malformed"),
            ("endless", "too_large"),
            ("error", "failed"),
            ("program", "not_permitted"),
            ("redirect", "failed"),
            ("session", "malformed"),
            ("unknown", "malformed"),
        ];
        assert_eq!(found, expected.map(|(name, word)| (name.to_owned(), word.to_owned())).into());
        assert_eq!(state(&server, "a").await, "pending");
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn late_advice_is_recorded_and_changes_nothing() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let released = Arc::new(Semaphore::new(0));
        let waiting = Arc::clone(&released);
        let answer = json!({"advice": "deny"}).to_string();
        let mut advisor =
            WebhookTarget::start(move |_, _| TargetAnswer::JsonAfter(Arc::clone(&waiting), answer.clone()))
                .await;
        let policy = service("reviewer", &advisor.url(), "timeout = \"60s\"");
        let (server, mut advice) = serves(&world, &policy, &[]).await;
        proposes(&server, "a").await;
        advisor.receives().await;
        server.person("ada").allows("a").await;
        released.add_permits(1);
        assert_eq!(next_advice(&mut advice).await["advice"], "deny");
        assert_eq!(state(&server, "a").await, "allowed");
        server.terminated().await;
        let log = world.verified_log().await;
        let kinds: Vec<_> = log.iter().map(|event| event.kind.as_str()).collect();
        assert!(kinds.ends_with(&["TOOL_APPROVAL_RESPONSE", "TOOL_APPROVAL_ADVICE"]), "{kinds:?}");
    })
    .await;
}

#[tokio::test]
async fn equal_question_is_answered_from_the_cache() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut advisor = WebhookTarget::start(|_, _| answers("ask")).await;
        let policy = service("reviewer", &advisor.url(), "").replace("cache = \"0s\"", "cache = \"10m\"");
        let (server, mut advice) = serves(&world, &policy, &[]).await;
        for (id, cached) in [("a", Value::Null), ("b", json!(true))] {
            let call = json!({"id": id, "name": "bash", "arguments": {"command": "make"}}).to_string();
            let answer = server.agent("builder").post("/v1/threads/t/tool-calls", call).await;
            assert_eq!(answer.status, 201, "{answer}");
            assert_eq!(next_advice(&mut advice).await["cached"], cached, "{id}");
        }
        assert_eq!(advisor.received().len(), 1);
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn new_policy_asks_about_pending_calls() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let advisor = WebhookTarget::start(|_, _| answers("ask")).await;
        let server = world.serves().await;
        let mut advice = server.person("ada").streams(ADVICE, None).await;
        proposes(&server, "a").await;
        let path = world.write_policy(&service("reviewer", &advisor.url(), ""));
        let (code, output) = world.runs(&["policy", "apply", &path, "--yes"]).await;
        assert_eq!(code, 0, "{output}");
        assert_eq!(next_advice(&mut advice).await["toolCallId"], "a");
        server.terminated().await;
        world.verified_log().await;
    })
    .await;
}
