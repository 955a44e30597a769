//! One policy per log: every process judges by it and follows its changes, whatever its own settings say.

use countersign_policy::Policy;
use countersign_tests::{Process, ProcessWorld};
use serde_json::json;
use std::fs;

on_each_database!(
    run_beside_a_server_cannot_choose_the_policy,
    changed_policy_file_is_reloaded_without_a_signal,
    policy_of_one_server_reaches_the_other,
    broken_policy_file_changes_nothing_and_shows,
    accepted_rule_survives_the_policy_file
);

const NO_FORCE: &str = "[[rule]]\nname = \"no force pushes\"\ntool = \"bash\"\ncommand = \"git push*--force*\"\n\
    verdict = \"block\"\nreason = \"history is shared\"\n";

/// The agent's side opened the file with the shipped policy, and the call waited although the server blocked it.
async fn run_beside_a_server_cannot_choose_the_policy(world: ProcessWorld) {
    let server = world.serves_with(&["--policy", &world.write_policy(NO_FORCE)]).await;
    let push = ["run", "--", "git", "push", "--force"];
    let ended = Process::start(&mut world.countersign_over_log(&push)).ended().await;
    assert_eq!(ended.code, 77, "{}", ended.stderr);
    assert!(ended.stderr.contains("history is shared"), "{}", ended.stderr);
    let own = world.file("own.toml");
    fs::write(&own, "default = \"allow\"\n").expect("a file");
    let own = own.display().to_string();
    let with_own = ["--policy", own.as_str(), "run", "--", "git", "push", "--force"];
    let ended = Process::start(&mut world.countersign_over_log(&with_own)).ended().await;
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("policy apply"), "it says what to do: {}", ended.stderr);
    drop(server);
    world.verified_log().await;
}

/// The docs said that a server reloads its file, and it did not.
async fn changed_policy_file_is_reloaded_without_a_signal(world: ProcessWorld) {
    let path = world.write_policy("default = \"ask\"\n");
    let mut server = world.serves_with(&["--policy", &path, "--log", "info"]).await;
    let _ = world.write_policy(NO_FORCE);
    let hash = Policy::read(NO_FORCE).expect("a valid policy").hash();
    server.complains(&format!("another policy is active seq=3 hash={hash}")).await;
    let layers = world.file("policy.d");
    fs::create_dir(&layers).expect("a folder");
    fs::write(
        layers.join("10-team.toml"),
        "[[rule]]\nname = \"no curl\"\ntool = \"curl\"\nverdict = \"block\"\n",
    )
    .expect("a file");
    server.complains("another policy is active seq=4").await;
    let call = json!({"id": "a", "name": "curl", "arguments": {}}).to_string();
    let blocked = server.agent("bot").post("/v1/threads/t/tool-calls", call).await;
    assert_eq!(blocked.text("state"), "denied", "{blocked}");
    let policies = server.get("/v1/policy/history").await.json();
    let sources: Vec<_> =
        policies["events"].as_array().into_iter().flatten().map(|set| &set["data"]["source"]).collect();
    let file = fs::canonicalize(&path).expect("a file").display().to_string();
    assert_eq!(sources, [&json!("shipped"), &json!(file), &json!(file), &json!(file)]);
    drop(server);
    world.verified_log().await;
}

async fn policy_of_one_server_reaches_the_other(world: ProcessWorld) {
    let mut other = world.serves_with(&["--log", "info"]).await;
    let server = world.serves_with(&["--policy", &world.write_policy(NO_FORCE)]).await;
    let hash = Policy::read(NO_FORCE).expect("a valid policy").hash();
    other.complains(&format!("hash={hash}")).await;
    let call = json!({"id": "a", "name": "bash", "arguments": {"command": "git push --force"}}).to_string();
    let blocked = other.agent("bot").post("/v1/threads/t/tool-calls", call).await;
    assert_eq!(blocked.text("state"), "denied", "{blocked}");
    drop((server, other));
    world.verified_log().await;
}

async fn broken_policy_file_changes_nothing_and_shows(world: ProcessWorld) {
    let mut server = world.serves_with(&["--policy", &world.write_policy(NO_FORCE), "--log", "info"]).await;
    let before = server.get("/v1/policy").await.text("hash");
    let unusable = "[[advisor]]\nname = \"reviewer\"\nurl = \"https://judge.example:x/\"\n";
    for (text, why) in [("default = \"perhaps\"\n", "perhaps"), (unusable, "advisor \"reviewer\"")] {
        let path = world.write_policy(text);
        server.complains("the policy before stays active").await;
        let ready = server.get("/readyz").await;
        assert_eq!((ready.status, ready.text("policy")), (200, before.clone()));
        assert!(ready.text("policyTrouble").contains(why), "{ready}");
        assert!(ready.text("policyTrouble").starts_with(&path), "{ready}");
    }
    drop(server);
    world.verified_log().await;
}

/// A server with a policy file would otherwise discard at its next start what people accepted in the inbox.
async fn accepted_rule_survives_the_policy_file(world: ProcessWorld) {
    let path = world.write_policy(NO_FORCE);
    let mut server = world.serves_with(&["--policy", &path, "--log", "info"]).await;
    let hash = server.get("/v1/policy").await.text("hash");
    let rule = "[[rule]]\nname = \"list\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n";
    let body = json!({"rule": rule, "replaces": hash}).to_string();
    let accepted = server.person("ada").post("/v1/policy/managed-rules", body).await;
    assert_eq!(accepted.status, 200, "{accepted}");
    server.complains("another policy is active seq=3").await;
    let ready = server.get("/readyz").await.json();
    assert_eq!(ready.get("policyTrouble"), None, "the file is active, with the accepted rule");
    let propose = async |server: &countersign_tests::Server, id: &str| {
        let call = json!({"id": id, "name": "bash", "arguments": {"command": "ls"}}).to_string();
        server.agent("bot").post("/v1/threads/t/tool-calls", call).await.text("state")
    };
    assert_eq!(propose(&server, "a").await, "allowed");
    let _ = world.write_policy(&format!("{NO_FORCE}# changed\n"));
    server.complains("another policy is active seq=").await;
    assert_eq!(propose(&server, "b").await, "allowed", "a changed file keeps the rule");
    drop(server);
    let server = world.serves_with(&["--policy", &path]).await;
    assert_eq!(propose(&server, "c").await, "allowed", "a restart keeps the rule");
    let applied = ["--as", "user:ada", "policy", "apply", &path, "--yes"];
    let ended = Process::start(&mut world.countersign_over_log(&applied)).ended().await;
    assert_eq!(ended.code, 0, "{}", ended.stderr);
    assert!(ended.stdout.contains("Already active"), "{}", ended.stdout);
    let layers = world.file("policy.d");
    fs::create_dir(&layers).expect("a folder");
    fs::write(layers.join("managed.toml"), rule).expect("a file");
    let ended = Process::start(&mut world.countersign_over_log(&["policy", "check", &path])).ended().await;
    assert_eq!(ended.code, 2, "{}", ended.stdout);
    assert!(ended.stderr.contains("rename the file"), "{}", ended.stderr);
    drop(server);
    world.verified_log().await;
}
