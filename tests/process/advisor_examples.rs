//! The examples of advisors in `examples/advisors`, asked by a real server.

use crate::{
    advisors::{ADVICE, next_advice, service},
    new_world,
};
use countersign_tests::{Database, Process, ProcessWorld, Server, in_time};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::PathBuf};

fn example(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/advisors")).join(name)
}

/// Serves the policy, with the example's folder `policy.d` beside it.
async fn serves_beside_example(world: &ProcessWorld, policy: &str) -> Server {
    let path = world.write_policy(policy);
    fs::create_dir_all(world.file("policy.d")).expect("a folder");
    fs::copy(example("policy.d/judge.prompt"), world.file("policy.d/judge.prompt")).expect("a file");
    world.serves_with(&["--policy", &path, "--advisor-commands"]).await
}

/// The advice of each advisor on a call with these arguments.
async fn advice_on(server: &Server, id: &str, arguments: &Value, count: usize) -> BTreeMap<String, String> {
    let mut advice = server.person("ada").streams(ADVICE, None).await;
    let call = json!({"id": id, "name": "bash", "arguments": arguments}).to_string();
    let answer = server.agent("builder").post("/v1/threads/t/tool-calls", call).await;
    assert_eq!(answer.status, 201, "{answer}");
    let mut found = BTreeMap::new();
    while found.len() < count {
        let data = next_advice(&mut advice).await;
        if data["toolCallId"] == id {
            let text = |member: &str| data[member].as_str().unwrap_or_default().to_owned();
            assert_eq!(data["failure"], Value::Null, "{data}");
            found.insert(text("advisor"), text("advice"));
        }
    }
    found
}

#[tokio::test]
async fn examples_agree_on_three_calls() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let judge = example("judge.py").canonicalize().expect("an example");
        let mut python = Process::start(world.program("python3").arg(&judge).arg("0"));
        let port = python.line().await.expect("the port");
        let policy = format!(
            "{}\n[[advisor]]\nname = \"once\"\ncommand = [\"{}\", \"--once\"]\n",
            service("python", &format!("http://127.0.0.1:{port}/"), "timeout = \"60s\""),
            judge.display(),
        );
        let advisors = ["once", "python"];
        let server = serves_beside_example(&world, &policy).await;
        for (id, arguments, expected) in [
            ("a", json!({"command": "make test"}), "allow"),
            ("b", json!({"command": "rm -r build"}), "ask"),
            ("c", json!({"command": "make\u{202e} test"}), "deny"),
        ] {
            let found = advice_on(&server, id, &arguments, advisors.len()).await;
            let expected = advisors.iter().map(|name| ((*name).to_owned(), expected.to_owned())).collect();
            assert_eq!(found, expected, "{arguments}");
        }
        assert_eq!(server.terminated().await.code, 0);
        python.kill().await;
        world.verified_log().await;
    })
    .await;
}

#[tokio::test]
async fn policy_of_examples_is_valid() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let policy = example("policy.toml").canonicalize().expect("an example");
        let (code, output) = world.runs(&["policy", "check", &policy.display().to_string()]).await;
        assert_eq!(code, 0, "{output}");
        let prompt = fs::read_to_string(example("policy.d/judge.prompt")).expect("an example");
        let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/advisors/prompt.md");
        assert_eq!(prompt, fs::read_to_string(shipped).expect("the shipped prompt"));
    })
    .await;
}
