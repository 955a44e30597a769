//! An hour of heavy traffic: several kinds of agents, people who decide, readers that disconnect and return, and one
//! reader that never reads. No stream loses an event, every call ends, and the server's memory does not grow.
//!
//! By default the test executes a small part of the calls. `COUNTERSIGN_SOAK=36000` executes those of a whole hour (ten
//! calls per second) as fast as possible. The test prints the memory.

mod agents;
mod readers;

use crate::new_world;
use agents::SoakTraffic;
use countersign_api::{self as api, ApprovalGate, LogFilter, SendOperation, operations};
use countersign_events::{Event, EventType, Principal, ToolName};
use countersign_tests::{Database, gate_of};
use readers::SoakReader;
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// The default number of calls.
const CALLS: usize = 600;

/// The number of memory samples.
const SAMPLES: usize = 16;

/// The time limit. It is far longer than the test takes, so that it only ends a test that hangs.
const LIMIT: Duration = Duration::from_mins(30);

const POLICY: &str = "[[rule]]\nname = \"free\"\ntool = \"ls\"\nverdict = \"allow\"\n\
    [[rule]]\nname = \"never\"\ntool = \"rm\"\nverdict = \"block\"\n";

type Gate = Arc<dyn ApprovalGate>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hour_of_mixed_traffic_keeps_streams_and_memory() {
    let calls = std::env::var("COUNTERSIGN_SOAK").map_or(CALLS, |calls| calls.parse().expect("a number"));
    tokio::time::timeout(LIMIT, soak(calls)).await.expect("the test ends within the limit");
}

async fn soak(calls: usize) {
    let world = new_world(Database::Sqlite).await;
    std::fs::write(world.file("policy.toml"), POLICY).expect("a policy");
    let server = world.serves_with(&["--policy", "policy.toml"]).await;
    let gate = gate_of(&server.url, &Principal::agent("builder"));
    let gate: Gate = Arc::new(gate.with_retries());
    // An agent does not see events about the whole log.
    let reader: Gate = Arc::new(gate_of(&server.url, &Principal::user("reader")).with_retries());
    let (filters, stop) = (filters(), CancellationToken::new());
    let readers: Vec<_> = (0..24)
        .map(|n| tokio::spawn(SoakReader::new(&reader, filters[n % filters.len()].clone(), n as u64).read()))
        .collect();
    let idle = readers::connect_without_reading(&server).await;
    let deciders: Vec<_> = ["ada", "ben", "eve"]
        .map(|name| {
            let gate = gate_of(&server.url, &Principal::user(name)).with_retries();
            tokio::spawn(agents::decide(Arc::new(gate), stop.clone()))
        })
        .into();
    let listers: Vec<_> = (0..2).map(|_| tokio::spawn(list(reader.clone(), stop.clone()))).collect();

    let traffic = Arc::new(SoakTraffic::new(&gate, calls));
    let mut memory = Vec::new();
    for sample in 1..=SAMPLES {
        traffic.play_until(calls * sample / SAMPLES).await;
        memory.push(server.resident_kib());
    }
    traffic.ends().await;
    let seen = futures_util::future::join_all(readers).await;
    stop.cancel();
    for task in deciders.into_iter().chain(listers) {
        task.await.expect("the agents finish");
    }
    drop(idle);
    assert_eq!(server.terminated().await.code, 0);
    let log = world.whole_log().await;
    assert_every_call_ended(&log, calls);
    for (n, seen) in seen.into_iter().enumerate() {
        let expected = readers::meant(&filters[n % filters.len()], &log);
        assert!(
            seen.expect("the reader finishes") == expected,
            "reader {n} received other events than the log contains"
        );
    }
    assert_memory_flat(&memory, log.len());
}

/// Returns the readers' filters: all events, one tool, the ends of calls, and one agent.
fn filters() -> [LogFilter; 4] {
    let tool = ToolName::new("ls").expect("valid");
    [
        LogFilter::default(),
        LogFilter { tool: Some(tool), ..LogFilter::default() },
        LogFilter { types: vec![EventType::ToolResult, EventType::ThreadClosed], ..LogFilter::default() },
        LogFilter { principal: Some(Principal::agent("builder")), ..LogFilter::default() },
    ]
}

/// Reads every list repeatedly, until `stop` is cancelled.
async fn list(gate: Gate, stop: CancellationToken) {
    let page = api::PageQuery::default();
    while !stop.is_cancelled() {
        gate.pending(&LogFilter::default(), page).await.expect("the pending calls");
        gate.calls(&LogFilter::default(), None, page).await.expect("calls");
        gate.send(operations::ListThreads { query: page }).await.expect("threads");
        gate.events(&filters()[1], page).await.expect("events");
    }
}

fn assert_every_call_ended(log: &[Arc<Event>], calls: usize) {
    let count = |kind: EventType| log.iter().filter(|event| event.kind == kind).count();
    // One more call tells the readers to end. There may be fewer calls, because a closed thread accepts none.
    assert!(count(EventType::ToolCall) <= calls + 1);
    assert!(count(EventType::ToolCall) > calls / 2, "more than half of the calls were proposed");
    assert_eq!(count(EventType::ToolCall), count(EventType::ApprovalResponse));
    assert!(count(EventType::ThreadClosed) > 0, "threads are closed");
}

/// Bounded buffers fill in the first quarter of the samples. After that, memory must not grow.
#[expect(clippy::print_stderr, reason = "a run of the whole hour shows the memory")]
fn assert_memory_flat(memory: &[u64], events: usize) {
    eprintln!("{events} events; resident MiB: {:?}", memory.iter().map(|kib| kib / 1024).collect::<Vec<_>>());
    let maximum = |part: &[u64]| part.iter().copied().max().unwrap_or_default();
    let (early, late) = (maximum(&memory[SAMPLES / 4..SAMPLES / 2]), maximum(&memory[SAMPLES * 3 / 4..]));
    assert!(late <= early + early / 4 + 16 * 1024, "memory grows: {memory:?} KiB");
}
