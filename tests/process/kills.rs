//! `kill -9` at random moments, over many rounds: acknowledged events are kept, and no call runs twice.

use countersign_events::{Event, EventType};
use countersign_tests::{Player, ProcessWorld, Random};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    fs,
    sync::Arc,
};
use tokio::sync::mpsc;

on_each_database!(killed_processes_lose_nothing_and_repeat_nothing);

const ROUNDS: usize = 16;
const MAX_ROUNDS: usize = 3 * ROUNDS;
const CALLS: usize = 12;
/// The number of kills in a round.
const KILLS: usize = 3;
/// The maximum number of calls that an executor is running when it is killed.
const MAX_RUNNING: usize = 4;

async fn killed_processes_lose_nothing_and_repeat_nothing(world: ProcessWorld) {
    let mut random = Random::seeded_from_environment(20_261_121);
    let (mut acknowledged, mut killed) = (Vec::new(), 0);
    // On a busy machine a process may end before it is killed, so the rounds go on until enough were.
    for round in 0..MAX_ROUNDS {
        if round >= ROUNDS && killed > ROUNDS {
            break;
        }
        let mut round_world = KillWorld::new(&world, round).await;
        killed += round_world.run_round(&mut random).await;
        acknowledged.append(&mut round_world.acknowledged);
        let events = world.verified_log().await;
        assert_acknowledged_events_kept(&acknowledged, &events);
    }
    assert!(killed > ROUNDS, "too few processes were killed: {killed}");
    assert_each_call_ran_once(&world, &world.verified_log().await, killed);
}

/// One proposer, one executor, one decider and one follower, each in its own process.
struct KillWorld<'a> {
    world: &'a ProcessWorld,
    parts: [Value; 4],
    running: HashMap<usize, mpsc::Sender<()>>,
    sender: mpsc::Sender<(usize, Option<Value>)>,
    reports: mpsc::Receiver<(usize, Option<Value>)>,
    acknowledged: Vec<Value>,
    seen: i64,
}

const FOLLOWER: usize = 3;

impl<'a> KillWorld<'a> {
    async fn new(world: &'a ProcessWorld, round: usize) -> Self {
        let runs = world.file("runs");
        let calls = json!({"thread": format!("round-{round}"), "count": CALLS, "runs": runs});
        // Each call has five events, but a killed executor may leave a claim without its result.
        let seen = i64::try_from(world.verified_log().await.len()).expect("a small log");
        let until = seen + i64::try_from(CALLS * 3).expect("small");
        let follower = json!({"follower": {"after": seen, "until": until}});
        let parts =
            [json!({"proposer": calls}), json!({"executor": calls}), json!({"decider": calls}), follower];
        let (sender, reports) = mpsc::channel(64);
        let running = HashMap::new();
        Self { world, parts, running, sender, reports, acknowledged: Vec::new(), seen }
    }

    /// Starts a part, or restarts it with the same input. Only the follower's input changes: it has its position.
    async fn start(&mut self, part: usize) {
        if part == FOLLOWER {
            self.parts[part]["follower"]["after"] = json!(self.seen);
        }
        let mut player = self.world.starts_player(&self.parts[part]).await;
        player.go().await;
        let (kill, killed) = mpsc::channel(1);
        self.running.insert(part, kill);
        tokio::spawn(forward_reports(part, player, self.sender.clone(), killed));
    }

    /// Runs all parts to their end, and kills and restarts some. Returns the number of kills.
    async fn run_round(&mut self, random: &mut Random) -> usize {
        for part in 0..self.parts.len() {
            self.start(part).await;
        }
        let mut moments: Vec<_> = (0..KILLS).map(|_| random.below(CALLS * 8)).collect();
        moments.sort_unstable();
        let (mut report_count, mut killed, mut victims) = (0, 0, HashSet::new());
        while !self.running.is_empty() {
            let (part, report) = self.reports.recv().await.expect("this struct holds a sender");
            match report {
                Some(report) => {
                    report_count += 1;
                    self.handle_report(part, report);
                }
                None if victims.remove(&part) => {
                    killed += 1;
                    self.start(part).await;
                }
                None => panic!("part {part} ended before it was done"),
            }
            while moments.first().is_some_and(|moment| *moment <= report_count) {
                moments.remove(0);
                let victim = random.below(self.parts.len());
                for _ in 0..random.below(20) {
                    tokio::task::yield_now().await;
                }
                if self.running.get(&victim).is_some_and(|kill| kill.try_send(()).is_ok()) {
                    victims.insert(victim);
                }
            }
        }
        killed
    }

    fn handle_report(&mut self, part: usize, report: Value) {
        assert_eq!(report.get("failed"), None, "{report}");
        if report.get("done").is_some() {
            self.running.remove(&part);
        } else if let Some(seq) = report["saw"].as_i64() {
            assert_eq!(seq, self.seen + 1, "the reader has a gap or a repeat");
            self.seen = seq;
        } else if report.get("event").is_some() {
            self.acknowledged.push(report);
        }
    }
}

/// Forwards a player's reports. On request, kills the player and forwards its remaining reports.
async fn forward_reports(
    part: usize,
    mut player: Player,
    sender: mpsc::Sender<(usize, Option<Value>)>,
    mut killed: mpsc::Receiver<()>,
) {
    loop {
        let report = tokio::select! {
            report = player.reports() => report,
            Some(()) = killed.recv() => { player.kill().await; continue }
        };
        let is_last = report.as_ref().is_none_or(|report| report.get("done").is_some());
        let _ = sender.send((part, report)).await;
        if is_last {
            return;
        }
    }
}

fn assert_acknowledged_events_kept(acknowledged: &[Value], events: &[Arc<Event>]) {
    for report in acknowledged {
        let seq = report["seq"].as_i64().expect("a number");
        let event =
            events.iter().find(|event| event.seq == seq).unwrap_or_else(|| panic!("{report} is lost"));
        let data: Value = event.data.read().expect("an object");
        let id = data.get("toolCallId").unwrap_or(&data["id"]);
        let found = json!({"event": event.kind.as_str(), "thread": event.thread_id, "id": id, "seq": seq});
        assert_eq!(found, *report);
    }
}

/// Asserts that each call ran at most once. A call with a claim and no result was running when its executor was killed.
fn assert_each_call_ran_once(world: &ProcessWorld, events: &[Arc<Event>], killed: usize) {
    let runs = fs::read_to_string(world.file("runs")).expect("a call ran");
    let mut ran: HashMap<&str, usize> = HashMap::new();
    for line in runs.lines() {
        *ran.entry(line).or_default() += 1;
    }
    assert!(ran.values().all(|times| *times == 1), "no call ran twice");
    let events_of = |kind| events.iter().filter(move |event| event.kind == kind);
    let call = |event: &Arc<Event>| {
        let data: Value = event.data.read().expect("an object");
        format!("{} {}", event.thread_id, data["toolCallId"].as_str().expect("an id"))
    };
    let total = ROUNDS * CALLS;
    assert_eq!(events_of(EventType::ExecutionStarted).map(call).collect::<HashSet<_>>().len(), total);
    assert!(events_of(EventType::ToolResult).map(call).all(|ended| ran.contains_key(ended.as_str())));
    let open = total - events_of(EventType::ToolResult).count();
    assert!(open <= killed * MAX_RUNNING, "{open} calls have no result, and only {killed} were killed");
}
