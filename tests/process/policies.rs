//! Policy changes between a call's decision and its claim, and expensive conditions and schemas.

use countersign_policy::Policy;
use countersign_tests::{ProcessWorld, Server};
use futures_util::future::join_all;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::fs;

on_each_database!(
    newly_blocked_approved_call_does_not_start,
    newly_blocking_condition_stops_an_approved_call,
    expensive_condition_delays_no_other_call,
    expensive_schema_delays_no_other_call
);

const ASK: &str = "default = \"ask\"\n";

const BLOCK: &str = r#"
[[rule]]
name = "no deploys"
tool = "deploy"
verdict = "block"
"#;

const CONDITION: &str = r#"
[[rule]]
name = "not there"
tool = "deploy"
when = "args.region == 'moon'"
verdict = "block"
"#;

/// A policy with the most expensive condition: it compares each pair of elements of the longest possible list.
const EXPENSIVE: &str = r#"
[[rule]]
name = "runs away"
tool = "slow"
when = "args.list.exists(a, args.list.exists(b, a + b == 1998))"
verdict = "block"

[[rule]]
name = "is quick"
tool = "bash"
when = "args.command == 'rm'"
verdict = "block"
"#;

async fn serve(world: &ProcessWorld, policy: &str) -> Server {
    fs::write(world.file("policy.toml"), policy).expect("a file");
    let path = world.file("policy.toml").display().to_string();
    world.serves_with(&["--policy", &path, "--log", "info"]).await
}

async fn reload_policy(server: &mut Server, world: &ProcessWorld, policy: &str) {
    fs::write(world.file("policy.toml"), policy).expect("a file");
    server.signal(Signal::HUP);
    let hash = Policy::read(policy).expect("a valid policy").hash();
    server.complains(&format!("hash={hash}")).await;
}

async fn approved(server: &Server, id: &str, tool: &str, arguments: &Value) {
    let call = json!({"id": id, "name": tool, "arguments": arguments}).to_string();
    let (status, body) = server.post("/v1/threads/t/tool-calls", call).await.into_parts();
    assert!(status == 201 && body.contains(r#""state":"pending""#), "{status} {body}");
    server.person("ada").allows(id).await;
}

/// Claims a call. Returns the refusal code, or `None` if the claim succeeds.
async fn claim(server: &Server, id: &str, arguments: Option<&Value>) -> Option<String> {
    let (_, call) = server.get(&format!("/v1/threads/t/tool-calls/{id}")).await.into_parts();
    let call: Value = serde_json::from_str(&call).expect("JSON");
    let mut claim = json!({"executor": "w", "argumentsHash": call["argumentsHash"]});
    if let Some(arguments) = arguments {
        claim["arguments"] = arguments.clone();
    }
    let (status, body) =
        server.post(&format!("/v1/threads/t/tool-calls/{id}/claim"), claim.to_string()).await.into_parts();
    let body: Value = serde_json::from_str(&body).expect("JSON");
    (status != 200).then(|| body["code"].as_str().expect("a code").to_owned())
}

async fn newly_blocked_approved_call_does_not_start(world: ProcessWorld) {
    let mut server = serve(&world, ASK).await;
    for (id, tool) in [("deploy", "deploy"), ("other", "build"), ("again", "deploy")] {
        approved(&server, id, tool, &json!({"of": id})).await;
    }
    reload_policy(&mut server, &world, BLOCK).await;
    assert_eq!(claim(&server, "deploy", None).await.as_deref(), Some("blocked"));
    assert_eq!(claim(&server, "other", None).await, None, "no rule blocks this call");
    reload_policy(&mut server, &world, ASK).await;
    assert_eq!(claim(&server, "again", None).await, None, "the refused call keeps its decision");
    world.verified_log().await;
}

async fn newly_blocking_condition_stops_an_approved_call(world: ProcessWorld) {
    let mut server = serve(&world, ASK).await;
    let (moon, earth) = (json!({"region": "moon"}), json!({"region": "earth"}));
    let masked = json!({"region": "earth", "token": "abc-123"});
    for (id, arguments) in [("moon", &moon), ("earth", &earth), ("masked", &masked)] {
        approved(&server, id, "deploy", arguments).await;
    }
    reload_policy(&mut server, &world, CONDITION).await;
    assert_eq!(claim(&server, "moon", None).await.as_deref(), Some("blocked"));
    assert_eq!(claim(&server, "earth", None).await, None, "the condition does not hold");
    assert_eq!(
        claim(&server, "masked", Some(&masked)).await,
        None,
        "the condition does not hold for the unmasked arguments"
    );
    world.verified_log().await;
}

async fn expensive_condition_delays_no_other_call(world: ProcessWorld) {
    let server = serve(&world, EXPENSIVE).await;
    let list: Vec<_> = (0..1_000).collect();
    let slow = join_all((0..6).map(|number| {
        let (server, list) = (&server, &list);
        async move {
            let call = json!({"id": format!("slow_{number}"), "name": "slow", "arguments": {"list": list}});
            server.post("/v1/threads/slow/tool-calls", call.to_string()).await.into_parts()
        }
    }));
    let quick = async {
        for number in 0..20 {
            let id = format!("quick_{number}");
            approved(&server, &id, "bash", &json!({"command": "ls"})).await;
            assert_eq!(claim(&server, &id, None).await, None);
        }
    };
    let (slow, ()) = tokio::join!(slow, quick);
    for (status, body) in slow {
        assert_eq!(status, 201, "{body}");
        assert!(
            body.contains(r#""state":"denied""#),
            "the condition denies the call, also if its time limit is reached: {body:.300}"
        );
    }
    world.verified_log().await;
}

/// Returns a schema in which each definition refers twice to the next one, so that its check takes exponential time.
fn exponential_schema() -> Value {
    let twice = |depth: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", depth + 1)});
        (format!("d{depth}"), json!({"allOf": [next, next]}))
    };
    let last = ("d60".to_owned(), json!({"type": "object"}));
    let definitions: serde_json::Map<_, _> = (0..60).map(twice).chain([last]).collect();
    json!({"$defs": definitions, "$ref": "#/$defs/d0"})
}

async fn expensive_schema_delays_no_other_call(world: ProcessWorld) {
    let server = serve(&world, ASK).await;
    let call = json!({"id": "slow", "name": "edit", "arguments": {"n": 1}, "definition": {"inputSchema": exponential_schema()}});
    let (status, body) = server.post("/v1/threads/slow/tool-calls", call.to_string()).await.into_parts();
    assert_eq!(status, 201, "{body}");
    let edit = json!({"decision": "allow_once", "arguments": {"n": 2}}).to_string();
    let slow = server.post("/v1/threads/slow/approvals/slow", edit);
    let quick = async {
        for number in 0..20 {
            let id = format!("quick_{number}");
            approved(&server, &id, "bash", &json!({"command": "ls"})).await;
            assert_eq!(claim(&server, &id, None).await, None);
        }
    };
    let (answer, ()) = tokio::join!(slow, quick);
    assert_eq!(answer.status, 422, "{answer}");
    // On a slow machine, the limit of time ends the check before the limit of steps does.
    let limits = ["the check needs more than 1000000 steps", "it takes too long to check them"];
    assert!(limits.iter().any(|limit| answer.body.contains(limit)), "{answer}");
    let (_, call) = server.get("/v1/threads/slow/tool-calls/slow").await.into_parts();
    assert!(call.contains(r#""state":"pending""#), "the call is still pending: {call}");
    world.verified_log().await;
}
