//! Plays one story over one server.

use crate::{
    PROGRAMS,
    agent::{self, AgentPart},
    clients::{StoryTool, ToolCallPlan, connect, thread},
    fields::StepFields,
    network::{FaultyNetwork, RequestFault},
    operations::StoryActor,
    outcome::StoryOutcome,
    rules::ContractStory,
    tasks::StoryTask,
};
use countersign_api::{EventStream, LogFilter};
use countersign_tests::{Database, Process, ProcessWorld, in_time};
use futures_util::StreamExt;
use rustix::process::Signal;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap},
    env, fs,
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
};

/// The agents and the approvers, each with its role. The server does not know the stranger's token.
const CAST: [(&str, &str); 4] =
    [("builder", "agent"), ("tester", "agent"), ("ada", "approver"), ("bob", "approver")];
const STRANGER: &str = "stranger";

/// One play of one story.
pub(crate) struct StoryPlayer {
    world: ProcessWorld,
    server: Process,
    server_options: Vec<String>,
    network: FaultyNetwork,
    tokens: HashMap<&'static str, String>,
    actors: HashMap<String, StoryActor>,
    tasks: HashMap<String, StoryTask>,
    streams: HashMap<String, (EventStream, i64)>,
}

impl StoryPlayer {
    /// Plays the story to its end. Panics if an expectation does not hold.
    pub(crate) async fn play(story: &ContractStory) {
        let mut player = Self::new(story).await;
        for (number, step) in story.steps.iter().enumerate() {
            let text = serde_json::to_string(step).expect("JSON");
            // If the step panics, the panic follows this line in the test output.
            crate::print(&format!("step {}: {text:.300}", number + 1));
            player.take_step(StepFields::new(step.clone())).await;
        }
        assert!(player.tasks.is_empty(), "the story ends no {:?}", player.tasks.keys());
        let unused = player.network.unused_faults();
        assert!(unused.is_empty(), "these faults did not occur: {unused:?}");
        drop(player.world.whole_log().await);
    }

    async fn new(story: &ContractStory) -> Self {
        let world = ProcessWorld::of_processes(PROGRAMS, Database::Sqlite).await;
        let mut tokens = HashMap::from([(STRANGER, "csgn_unknown".to_owned())]);
        assert_eq!(world.runs(&["migrate"]).await.0, 0, "a new log");
        for (name, role) in CAST {
            let (code, token) = world.runs(&["token", "create", "--name", name, "--role", role]).await;
            assert_eq!(code, 0, "{token}");
            tokens.insert(name, token.trim().to_owned());
        }
        let mut server_options = Vec::new();
        if !story.policy.is_empty() {
            server_options.extend(["--policy".to_owned(), world.write_policy(&story.policy.join("\n"))]);
        }
        if let Some(bytes) = story.max_body {
            server_options.extend(["--max-body".to_owned(), bytes.to_string()]);
        }
        let (server, address) = start_server(&world, &server_options).await;
        let network = FaultyNetwork::before(address).await;
        let (actors, tasks, streams) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { world, server, server_options, network, tokens, actors, tasks, streams }
    }

    async fn take_step(&mut self, mut step: StepFields) {
        let (actor, does) = (step.text("actor"), step.text("does"));
        match actor.as_str() {
            "server" => self.control_server(&does, step).await,
            "network" => self.control_network(&does, step).await,
            "task" => self.control_task(&does, step).await,
            "tool" => self.show_runs(&does, step),
            "log" => self.count_events(&does, step).await,
            _ => self.act(&actor, &does, step).await,
        }
    }

    fn actor(&mut self, name: &str) -> &mut StoryActor {
        let token = self.tokens.get(name).unwrap_or_else(|| panic!("{name} is not in the cast"));
        let url = &self.network.url;
        self.actors.entry(name.to_owned()).or_insert_with(|| StoryActor::new(connect(url, token)))
    }

    async fn act(&mut self, actor: &str, does: &str, mut step: StepFields) {
        match does {
            "follow" => self.follow(actor, step),
            "receive" => self.receive(step).await,
            "await_state" => self.await_state(actor, step).await,
            "call_tool" => self.call_tool(actor, step).await,
            _ => {
                let expected = step.find("expect");
                self.actor(actor).act(does, step).await.check(expected);
            }
        }
    }

    async fn call_tool(&mut self, actor: &str, mut step: StepFields) {
        let runs = self.runs();
        if let Some(name) = step.find_text("process") {
            let token = self.tokens[actor].clone();
            let part = AgentPart { url: self.network.url.clone(), token, runs, step: step.into_map() };
            let program = env::current_exe().expect("the path of this program");
            let mut command = self.world.program(&program.display().to_string());
            command.arg(agent::OPTION).arg(serde_json::to_string(&part).expect("JSON"));
            self.tasks.insert(name, StoryTask::Process(Box::new(Process::start(&mut command))));
            return;
        }
        let (expected, task) = (step.find("expect"), step.find_text("task"));
        let tool = Arc::new(StoryTool::new(runs, &mut step));
        let work = ToolCallPlan::new(step).make(self.actor(actor).gate.clone(), Arc::clone(&tool));
        match task {
            Some(name) => drop(self.tasks.insert(name, StoryTask::Task { work: tokio::spawn(work), tool })),
            None => in_time(Box::pin(work)).await.check(expected),
        }
    }

    async fn await_state(&mut self, actor: &str, mut step: StepFields) {
        let (call, state) = (step.text("call"), step.text("state"));
        step.end();
        loop {
            let read = StepFields::new(serde_json::from_value(json!({"call": call})).expect("an object"));
            let found = self.actor(actor).act("read", read).await.state.expect("the call exists");
            if found == state {
                return;
            }
            assert!(["running", "pending"].contains(&found.as_str()), "{found}");
        }
    }

    fn follow(&mut self, actor: &str, mut step: StepFields) {
        let (name, types) = (step.text("stream"), step.texts("types"));
        let saved = step.find_text("after_stream").map(|stream| self.streams[&stream].1);
        let after = step.find("after").and_then(|after| after.as_i64()).or(saved).unwrap_or(0);
        step.end();
        let types = types.iter().map(|kind| kind.parse().expect("a type of event")).collect();
        let filter = LogFilter { types, ..LogFilter::of_thread(&thread()) };
        let stream = self.actor(actor).gate.follow(filter, after);
        self.streams.insert(name, (stream, after));
    }

    async fn receive(&mut self, mut step: StepFields) {
        let (name, expected) = (step.text("stream"), step.find("expect"));
        let (stream, last) = self.streams.get_mut(&name).expect("the stream was opened");
        if expected.is_some() {
            let next = in_time(stream.next()).await.expect("the stream goes on");
            let outcome =
                next.map_or_else(|error| StoryOutcome::of_error(&error), |_| StoryOutcome::default());
            outcome.check(expected);
            return step.end();
        }
        for expected in step.texts("events") {
            let event = in_time(stream.next()).await.expect("the stream goes on").expect("an event");
            let data: BTreeMap<String, Box<serde_json::value::RawValue>> =
                event.data.read().expect("an object");
            let call = data.get("toolCallId").or(data.get("id")).map_or("null", |id| id.get());
            assert_eq!(format!("{} {}", event.kind, call.trim_matches('"')), expected);
            assert!(event.seq > *last, "the events are not in order");
            *last = event.seq;
        }
        step.end();
    }

    async fn control_server(&mut self, does: &str, step: StepFields) {
        step.end();
        match does {
            "kill" => self.server.kill().await,
            "stop" => {
                self.server.signal(Signal::TERM);
                // Its standard output ends with the process.
                while in_time(self.server.line()).await.is_some() {}
            }
            "start" => {
                let (server, address) = start_server(&self.world, &self.server_options).await;
                self.server = server;
                self.network.redirect_to(address);
            }
            _ => panic!("the server does not {does}"),
        }
    }

    async fn control_network(&self, does: &str, mut step: StepFields) {
        let (to, times) = (step.text("to"), step.find_number("times").unwrap_or(1));
        match does {
            "lose_request" => self.network.plan(RequestFault::LoseRequest, to, times),
            "lose_answer" => self.network.plan(RequestFault::LoseAnswer, to, times),
            "answer" => self.network.plan(RequestFault::Answer(error_answer(&mut step)), to, times),
            "await_request" => {
                self.network.await_requests(&to, usize::try_from(times).expect("a number")).await;
            }
            "count_requests" => {
                let arrivals = self.network.arrivals(&to);
                assert_eq!(Some(arrivals.len() as u64), step.find_number("requests"), "requests to {to}");
                if let (Some(pause), [.., before, last]) =
                    (step.find_number("pause_at_least_ms"), &arrivals[..])
                {
                    assert!((*last - *before).as_millis() >= u128::from(pause), "the client asked too soon");
                }
            }
            _ => panic!("the network does not {does}"),
        }
        step.end();
    }

    async fn control_task(&mut self, does: &str, mut step: StepFields) {
        let (name, expected) = (step.text("task"), step.find("expect"));
        step.end();
        let running = |tasks: &mut HashMap<String, StoryTask>| tasks.remove(&name).expect("the task runs");
        match does {
            "await_run" => self.tasks.get_mut(&name).expect("the task runs").await_run().await,
            "let_go" => self.tasks.get_mut(&name).expect("the task runs").let_go().await,
            "kill" => running(&mut self.tasks).kill().await,
            "end" => running(&mut self.tasks).end().await.check(expected),
            _ => panic!("a task does not {does}"),
        }
    }

    fn runs(&self) -> PathBuf {
        self.world.file("runs")
    }

    fn show_runs(&self, does: &str, mut step: StepFields) {
        assert_eq!(does, "show_runs");
        let ran = fs::read_to_string(self.runs()).unwrap_or_default();
        let ran: Vec<_> = ran.split_terminator('\n').collect();
        let expected = step.texts("runs");
        assert!(ran == expected, "the tool ran with {:.300}", format!("{ran:?}"));
        step.end();
    }

    async fn count_events(&self, does: &str, mut step: StepFields) {
        assert_eq!(does, "count");
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for event in self.world.whole_log().await.iter().filter(|event| event.thread_id == thread()) {
            *counts.entry(event.kind.to_string()).or_default() += 1;
        }
        assert_eq!(Some(json!(counts)), step.find("events"));
        step.end();
    }
}

/// Starts a server, and returns when it listens.
async fn start_server(world: &ProcessWorld, options: &[String]) -> (Process, SocketAddr) {
    let mut command = world.countersign_over_log(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    let mut server = Process::start(command.args(options));
    let Some(line) = server.line().await else { panic!("no server: {:?}", server.ended().await) };
    let greeting: Value = serde_json::from_str(&line).expect("a line of JSON");
    let url = greeting["listening"].as_str().expect("an address");
    let address = url.trim_start_matches("http://").parse().expect("an address");
    (server, address)
}

/// An answer that the network gives instead of the server: a problem, or a proxy page if there is no code.
fn error_answer(step: &mut StepFields) -> String {
    let (status, code) = (step.find_number("status").expect("a status"), step.find_text("code"));
    let detail = step.find_text("detail").unwrap_or_else(|| "as planned".to_owned());
    let pause = step.find_number("retry_after").map(|seconds| format!("retry-after: {seconds}\r\n"));
    let mut problem = json!({"title": "", "status": status, "code": code, "detail": detail});
    if let Some(reason) = step.find("reason") {
        problem["reason"] = reason;
    }
    let (kind, body) = match code {
        Some(_) => ("application/problem+json", problem.to_string()),
        None => ("text/html", "<html></html>".to_owned()),
    };
    let (pause, length) = (pause.unwrap_or_default(), body.len());
    format!(
        "HTTP/1.1 {status} Planned\r\ncontent-type: {kind}\r\n{pause}connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}
