//! Golem Forge: the flows of its document. A worker runs its tool calls itself, under the policy that `policy import` makes of
//! its options (`tests/cli/policy_import.rs`).

use countersign_tests::{HttpAnswer, HttpWorld, over_http};
use serde_json::{Value, json};

const POLICY: &str = include_str!("../fixtures/golem_forge/imported.toml");

/// What a worker's runtime does with a tool call.
#[derive(Debug, PartialEq)]
enum WorkerOutcome {
    /// The tool ran with these arguments.
    Executed(Value),
    /// The text that goes back to the model.
    Denied(String),
    /// `BlockedError`: no person was asked.
    BlockedError(String),
    /// The controller has to ask.
    Asks,
}

impl WorkerOutcome {
    fn is_executed(&self) -> bool {
        matches!(self, Self::Executed(_))
    }
}

/// `WorkerRuntime.run()`: checks `needsApproval` of the tool, then the controller, then executes.
async fn run_tool(
    world: &HttpWorld,
    id: &str,
    tool: &str,
    arguments: &str,
    needs: Option<bool>,
) -> WorkerOutcome {
    let worker = world.agent("worker");
    let definition = json!({"description": "a tool", "needsApproval": needs});
    let body =
        format!(r#"{{"id":"{id}","name":"{tool}","arguments":{arguments},"definition":{definition}}}"#);
    let call = worker.post("/v1/threads/t/tool-calls", body).await;
    assert!(matches!(call.status, 200 | 201), "{call}");
    settle(world, id, &call).await
}

async fn settle(world: &HttpWorld, id: &str, call: &HttpAnswer) -> WorkerOutcome {
    let worker = world.agent("worker");
    match call.text("state").as_str() {
        "pending" => WorkerOutcome::Asks,
        "allowed" => {
            worker.claims(id).await;
            worker.finishes(id).await;
            WorkerOutcome::Executed(call.value("arguments"))
        }
        _ => {
            let told = call.text("result.content");
            let is_blocked = call.json().get("request").is_none() && told.starts_with("Blocked");
            if is_blocked { WorkerOutcome::BlockedError(told) } else { WorkerOutcome::Denied(told) }
        }
    }
}

fn decision(decision: &str, scope: Option<&str>) -> String {
    json!({"decision": decision, "scope": scope}).to_string()
}

#[tokio::test]
async fn golem_forge_tools_and_zones_are_judged() {
    over_http(POLICY, async |world| {
        let run = async |id: &str, tool: &str, path: &str| {
            run_tool(world, id, tool, &json!({"path": path}).to_string(), None).await
        };
        assert!(run("1", "read_file", "/output/report.md").await.is_executed(), "reading needs no approval");
        assert!(run("2", "write_file", "/scratch/temp.txt").await.is_executed());
        assert!(run("3", "delete_file", "/scratch/temp.txt").await.is_executed());
        assert_eq!(run("4", "write_file", "/output/report.md").await, WorkerOutcome::Asks);
        assert_eq!(run("5", "write_file", "/scratch/../output/report.md").await, WorkerOutcome::Asks);
        assert_eq!(run("6", "write_file", "/elsewhere/x").await, WorkerOutcome::Asks, "outside of the zones");
        let WorkerOutcome::BlockedError(why) = run("7", "delete_file", "/output/report.md").await else {
            panic!("deletes in /output are blocked");
        };
        assert!(why.contains("blocked in the zone output"), "{why}");
        assert!(run_tool(world, "8", "web_search", r#"{"q":"x"}"#, None).await.is_executed(), "preApproved");
        assert_eq!(run_tool(world, "9", "send_mail", "{}", None).await, WorkerOutcome::Asks);
        let WorkerOutcome::BlockedError(why) = run_tool(world, "10", "dangerous_tool", "{}", None).await
        else {
            panic!("the tool is blocked");
        };
        assert!(why.contains("Disabled"), "the model is told the reason of the configuration: {why}");
        let lifted =
            world.person("ada").post("/v1/threads/t/approvals/10", decision("allow_once", None)).await;
        assert_eq!(lifted.status, 409, "{lifted}");
    })
    .await;
}

/// A tool is asked about if its own function says so for these arguments.
#[tokio::test]
async fn golem_forge_tool_needs_approval_by_its_arguments() {
    over_http("default = \"allow\"", async |world| {
        let needs_approval = |arguments: &str| Some(arguments.contains("force"));
        for (id, arguments, asks) in [("1", r#"{"branch":"a"}"#, false), ("2", r#"{"force":true}"#, true)] {
            let outcome = run_tool(world, id, "git_merge", arguments, needs_approval(arguments)).await;
            assert_eq!(outcome == WorkerOutcome::Asks, asks, "{arguments}");
        }
        assert_eq!(run_tool(world, "3", "call_worker", "{}", Some(true)).await, WorkerOutcome::Asks);
    })
    .await;
}

/// A tool that says that it needs no approval runs, where no rule and no zone says otherwise.
#[tokio::test]
async fn golem_forge_tool_may_need_no_approval() {
    over_http(POLICY, async |world| {
        let run = async |id: &str, tool: &str, path: &str| {
            run_tool(world, id, tool, &json!({"path": path}).to_string(), Some(false)).await
        };
        assert!(run_tool(world, "1", "calculate_primes", r#"{"n":7}"#, Some(false)).await.is_executed());
        assert_eq!(run("2", "write_file", "/output/report.md").await, WorkerOutcome::Asks, "the zone asks");
        assert_eq!(run("3", "send_mail", "x").await, WorkerOutcome::Asks, "the configuration asks");
        assert!(matches!(run("4", "dangerous_tool", "x").await, WorkerOutcome::BlockedError(_)));
        assert_eq!(
            run_tool(world, "5", "calculate_primes", "{}", None).await,
            WorkerOutcome::Asks,
            "it says nothing"
        );
    })
    .await;
}

/// `{approved, remember: "session"}` with deep equality of the arguments, and a denial as the tool result.
#[tokio::test]
async fn golem_forge_memory_compares_arguments_deeply() {
    over_http(POLICY, async |world| {
        let ada = world.person("ada");
        let write =
            async |id: &str, arguments: &str| run_tool(world, id, "write_file", arguments, None).await;
        let first = r#"{"path":"/output/a.md","content":{"n":1.50,"tags":["x","y"]}}"#;
        assert_eq!(write("1", first).await, WorkerOutcome::Asks);
        let remembered =
            ada.post("/v1/threads/t/approvals/1", decision("allow_session", Some("exact"))).await;
        assert_eq!(remembered.status, 200, "{remembered}");
        let approved = world.agent("worker").call("1").await;
        assert!(settle(world, "1", &approved).await.is_executed());
        let reordered = r#"{"content": {"tags": ["x", "y"], "n": 1.5}, "path": "/output/a.md"}"#;
        assert!(
            write("2", reordered).await.is_executed(),
            "the order of members and the spelling do not count"
        );
        let other_order = r#"{"path":"/output/a.md","content":{"n":1.5,"tags":["y","x"]}}"#;
        assert_eq!(write("3", other_order).await, WorkerOutcome::Asks, "the order of a list counts");
        let denial = json!({"decision": "deny", "comment": "not this file"}).to_string();
        ada.post("/v1/threads/t/approvals/3", denial).await;
        let denied = world.agent("worker").call("3").await;
        let WorkerOutcome::Denied(told) = settle(world, "3", &denied).await else { panic!("{denied}") };
        assert!(told.contains("not this file"), "the model gets the denial as a result: {told}");
    })
    .await;
}

/// The `ApprovalController` modes: a blocked call stays blocked in each.
#[tokio::test]
async fn golem_forge_controller_has_three_modes() {
    over_http(POLICY, async |world| {
        run_tool(world, "first", "web_search", "{}", None).await;
        for (mode, id) in [("interactive", 0), ("approve_all", 1), ("auto_deny", 2)] {
            let answer =
                world.person("ada").put("/v1/threads/t/mode", json!({"mode": mode}).to_string()).await;
            assert_eq!(answer.status, 200, "{answer}");
            let asked = run_tool(world, &format!("a{id}"), "send_mail", &format!("[{id}]"), None).await;
            let expected = match mode {
                "interactive" => matches!(asked, WorkerOutcome::Asks),
                "approve_all" => asked.is_executed(),
                _ => matches!(asked, WorkerOutcome::Denied(_)),
            };
            assert!(expected, "{mode}: {asked:?}");
            let free = run_tool(world, &format!("b{id}"), "web_search", &format!("[{id}]"), None).await;
            assert!(free.is_executed(), "{mode} is about what needs approval: {free:?}");
            let blocked =
                run_tool(world, &format!("c{id}"), "dangerous_tool", &format!("[{id}]"), None).await;
            assert!(matches!(blocked, WorkerOutcome::BlockedError(_)), "{mode}: {blocked:?}");
        }
    })
    .await;
}
