//! Two servers in two projects, with the same tool and the same arguments, share one thread. Gateways are killed, clients
//! repeat calls, people decide at random, and grants answer later calls: no call runs in another place than the one that
//! people saw.

use countersign_api::{ApprovalGate, CallGate, DecisionRequest, LogFilter, PageQuery};
use countersign_events::{Body, Decision, Event, EventType, Json, Place, Principal};
use countersign_tests::{Process, ProcessWorld, Random};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::{collections::HashMap, fs, path::PathBuf, sync::Arc};

on_each_database!(interleaved_calls_run_only_where_shown);

/// The calls of each gateway; there are four gateways.
const CALLS: usize = 250;
/// The different arguments, so that many calls are alike.
const SERVICES: usize = 40;
/// The most calls of a gateway that wait.
const MAX_OPEN: usize = 4;

/// Calls of one service need no person.
const POLICY: &str = r#"
default = "ask"
remember = "0s"

[[rule]]
name = "documentation is free"
tool = "shop__deploy"
args = { "/service" = 0 }
verdict = "allow"
"#;

/// An MCP server that appends each run to a file in its folder.
const SERVER: &str = r#"
import json, sys
runs = open("runs-" + sys.argv[1], "a", buffering=1)
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    if request["method"] == "initialize":
        version = request["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "shop", "version": "1"}}
    elif request["method"] == "tools/list":
        result = {"tools": [{"name": "deploy", "inputSchema": {"type": "object"}}]}
    else:
        runs.write(json.dumps(request["params"]["arguments"]["service"]) + "\n")
        result = {"content": [{"type": "text", "text": "deployed"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"#;

/// A server in a project: the place of calls, and of the file with their runs.
#[derive(Debug, Clone)]
struct ServerInProject {
    server: &'static str,
    folder: PathBuf,
}

async fn interleaved_calls_run_only_where_shown(world: ProcessWorld) {
    let policy = world.write_policy(POLICY);
    for words in [["migrate"].as_slice(), &["policy", "apply", "--yes", &policy]] {
        assert_eq!(world.runs(words).await.0, 0, "{words:?}");
    }
    fs::write(world.file("server.py"), SERVER).expect("a file");
    let mut random = Random::seeded_from_environment(20_261_126);
    let places = ["one", "two"].map(|project| {
        let folder = world.file(project);
        fs::create_dir(&folder).expect("a folder");
        ["staging", "production"].map(|server| ServerInProject { server, folder: folder.clone() })
    });
    let places: Vec<_> = places.into_iter().flatten().collect();
    let gateways = places.iter().map(|place| drive_gateway(&world, place, random.fork()));
    tokio::select! {
        _ = futures_util::future::join_all(gateways) => {}
        () = decide_at_random(&world, random.clone()) => panic!("the log ended"),
    }
    let log = world.verified_log().await;
    assert_runs_were_claimed(&places, &log);
    assert_grants_stayed_in_place(&log);
}

/// A client of one gateway: it calls the tool, repeats calls that are pending, and kills the gateway at times.
async fn drive_gateway(world: &ProcessWorld, place: &ServerInProject, mut random: Random) {
    let mut gateway = start_gateway(world, place).await;
    let mut open: HashMap<usize, usize> = HashMap::new();
    for number in 0..CALLS {
        let service = random.below(SERVICES);
        call(&mut gateway, number, service).await;
        open.insert(number, service);
        while open.len() >= MAX_OPEN || !open.is_empty() && random.below(3) == 0 {
            read_answer(&mut gateway, &mut open).await;
        }
        if random.below(60) == 0 {
            gateway.kill().await;
            gateway = start_gateway(world, place).await;
            // The client repeats what had no answer.
            for (number, service) in &open {
                call(&mut gateway, *number, *service).await;
            }
        }
    }
    while !open.is_empty() {
        read_answer(&mut gateway, &mut open).await;
    }
    gateway.kill().await;
}

async fn start_gateway(world: &ProcessWorld, place: &ServerInProject) -> Process {
    let script = world.file("server.py").display().to_string();
    let words = ["mcp", "--name", "shop", "--thread", "shared", "--hold", "1s", "--lease", "60s"];
    let mut command = world.countersign_over_log(&words);
    command.args(["python3", &script, place.server]).current_dir(&place.folder);
    let mut gateway = Process::start(&mut command);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let greeting = json!({"jsonrpc": "2.0", "id": "greeting", "method": "initialize", "params": params});
    gateway.tell(&greeting.to_string()).await;
    assert!(gateway.line().await.is_some(), "the gateway greets");
    gateway
}

async fn call(gateway: &mut Process, number: usize, service: usize) {
    let params = json!({"name": "deploy", "arguments": {"service": service}});
    let request = json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params});
    gateway.tell(&request.to_string()).await;
}

/// Reads one answer. A call that is pending is repeated.
async fn read_answer(gateway: &mut Process, open: &mut HashMap<usize, usize>) {
    let line = gateway.line().await.expect("the gateway answers");
    let answer: Value = serde_json::from_str(&line).expect("JSON");
    let Some(number) = answer["id"].as_u64().and_then(|id| usize::try_from(id).ok()) else { return };
    let Some(service) = open.remove(&number) else { return };
    if answer["result"]["_meta"]["countersign/state"] == "pending" {
        open.insert(number, service);
        call(gateway, number, service).await;
    }
}

/// A person who decides on each request, sooner or later.
async fn decide_at_random(world: &ProcessWorld, mut random: Random) {
    let gate = world.gate().await.acting_as(Principal::user("ada"));
    let mut events = gate.follow(LogFilter::default(), 0);
    while events.next().await.is_some() {
        let page = PageQuery { after: 0, limit: 100 };
        for call in gate.pending(&LogFilter::default(), page).await.expect("a list").pending {
            let decision = match random.below(20) {
                0..10 => DecisionRequest::plain(Decision::AllowOnce),
                10 => {
                    let scope = Some(Json::string("exact"));
                    DecisionRequest { scope, ..DecisionRequest::plain(Decision::AllowSession) }
                }
                11..13 => DecisionRequest::plain(Decision::Deny),
                _ => continue,
            };
            // The call may have been answered meanwhile, by a grant or because its gateway is gone.
            drop(gate.decide(&call.thread_id, &call.id, &decision).await);
        }
    }
}

/// Counts the runs of each service in each place, and compares them with the claims of calls that showed this place.
fn assert_runs_were_claimed(places: &[ServerInProject], log: &[Arc<Event>]) {
    let mut claims: HashMap<(String, String, u64), usize> = HashMap::new();
    let shown = calls_by_id(log);
    for event in log.iter().filter(|event| event.kind == EventType::ExecutionStarted) {
        let Ok(Body::ExecutionStarted(claim)) = Body::read(event.seq, event.kind, &event.data) else {
            continue;
        };
        let (place, service) = &shown[claim.tool_call_id.as_str()];
        let address = place.address.clone().expect("a gateway names its server");
        let server = address.rsplit(' ').next().unwrap_or_default().to_owned();
        let folder = place.folder.clone().expect("a gateway names its folder");
        *claims.entry((server, folder, *service)).or_default() += 1;
    }
    let mut total = 0;
    for place in places {
        let runs = fs::read_to_string(place.folder.join(format!("runs-{}", place.server))).expect("runs");
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for line in runs.lines() {
            *counts.entry(line.parse().expect("a number")).or_default() += 1;
            total += 1;
        }
        let folder = place.folder.canonicalize().expect("a folder").display().to_string();
        for (service, runs) in counts {
            let claimed =
                claims.get(&(place.server.to_owned(), folder.clone(), service)).copied().unwrap_or(0);
            assert!(runs <= claimed, "{place:?} ran service {service} {runs} times, with {claimed} claims");
        }
    }
    assert!(total > CALLS, "most calls ran: {total}");
}

/// A grant or an unused approval answers only calls in the place of its own call.
fn assert_grants_stayed_in_place(log: &[Arc<Event>]) {
    let shown = calls_by_id(log);
    let mut given: HashMap<i64, String> = HashMap::new();
    let mut answered = 0;
    for event in log.iter().filter(|event| event.kind == EventType::ApprovalResponse) {
        let Ok(Body::ApprovalResponse(response)) = Body::read(event.seq, event.kind, &event.data) else {
            continue;
        };
        let (place, _) = &shown[response.tool_call_id.as_str()];
        given.insert(event.seq, response.tool_call_id.to_string());
        let Some(origin) = response.grant.and_then(|grant| given.get(&grant)) else { continue };
        answered += 1;
        assert_eq!(shown[origin].0, *place, "the grant of {origin} answered {}", response.tool_call_id);
    }
    assert!(answered > 0, "grants answered calls");
}

/// The place and the service of each call. The ids of one thread are unique.
fn calls_by_id(log: &[Arc<Event>]) -> HashMap<String, (Place, u64)> {
    let proposals = log.iter().filter(|event| event.kind == EventType::ToolCall);
    let read = |event: &Arc<Event>| match Body::read(event.seq, event.kind, &event.data) {
        Ok(Body::ToolCall(call)) => {
            let arguments: Value = call.arguments.read().expect("an object");
            let service = arguments["service"].as_u64().expect("a number");
            Some((call.id.to_string(), (call.place.expect("a gateway names the place"), service)))
        }
        _ => None,
    };
    proposals.filter_map(read).collect()
}
