//! `countersign demo`: the whole product in a minute, with an agent that only plays.

mod agent;
mod auto;
mod folder;
mod script;
mod story;
mod tools;

use crate::{
    args::Args,
    commands::watch::{Left, Over, Watch, can_draw},
    exit::{Exit, Said},
    output,
    target::{self, Gate},
    told::Told,
};
use agent::Agent;
use countersign_api::{self as api, ApprovalGate, LogFilter};
use countersign_gate::{EmbeddedGate, Options, Policy, Principal};
use countersign_server::{Address, Listener, Options as ServerOptions};
use folder::Folder;
use script::Step;
use serde::Serialize;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_util::sync::CancellationToken;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"folder\", \"database\", \"calls\": [the calls, as the API has them]}, only with --auto"
)]
pub(crate) struct DemoArgs {
    /// Where its files go: a folder that is new or empty, and stays [default: a temporary one]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Keep its files, even if it is interrupted
    #[arg(long)]
    keep: bool,
    /// Let a scripted person decide, and tell the story
    #[arg(long)]
    auto: bool,
    /// Ask line by line, as is done by itself without a terminal that can draw
    #[arg(long, conflicts_with = "auto")]
    plain: bool,
}

/// For how long the call that nobody need answer waits, in seconds: with a person, and without.
const PATIENCE: (u32, u32) = (45, 1);

pub(crate) async fn demo(args: &Args, demo: &DemoArgs) -> anyhow::Result<Exit> {
    let theirs = &args.target;
    if theirs.server.is_some() || theirs.database.is_some() || theirs.policy.is_some() {
        let message = "the demo has a server, a database and a policy of its own";
        return Err(Said::usage(message).into());
    }
    if args.json && !demo.auto {
        return Err(Said::usage("--json tells what came of the demo only with --auto").into());
    }
    // Before there is anything to clean up.
    let mut signals = Told::listen()?;
    let folder = Folder::make(demo.folder.as_deref(), demo.keep)?;
    let played = tokio::select! {
        biased;
        () = signals.told() => Ok(Left::Interrupted),
        played = play(args, demo, &folder) => played,
    };
    if !matches!(played, Ok(Left::Quit)) {
        folder.drop_unwanted()?;
    }
    match played? {
        Left::Quit => Ok(Exit::DONE),
        Left::Interrupted => Ok(Exit::INTERRUPTED),
    }
}

async fn play(args: &Args, demo: &DemoArgs, folder: &Folder) -> anyhow::Result<Left> {
    let work = folder.path("desk");
    script::furnish(&work)?;
    std::fs::write(folder.path("policy.toml"), script::POLICY)?;
    let policy = Policy::read(script::POLICY)?;
    let gate = EmbeddedGate::open_with(folder.path("countersign.db"), Options::default(), policy).await?;
    let listener = Listener::bind(&Address::Tcp(SocketAddr::from(([127, 0, 0, 1], 0))), false)?;
    let url = listener.address().url();
    let stop = CancellationToken::new();
    let server = tokio::spawn(countersign_server::serve(
        vec![listener],
        gate.clone(),
        ServerOptions::default(),
        stop.clone(),
    ));
    let agent = Agent::new(Arc::new(gate.acting_as(Principal::agent("demo"))), work.clone())?;
    let person: Gate = Arc::new(gate.acting_as(args.settings.principal(Principal::user)?));
    let script = script::script(&work, if demo.auto { PATIENCE.1 } else { PATIENCE.0 })?;
    let stage = Stage { args, folder, agent, person, url };
    let left = if demo.auto { stage.by_itself(&script).await } else { stage.with_people(demo, script).await };
    if matches!(left, Ok(Left::Quit)) {
        stage.tell_the_end().await?;
    }
    stop.cancel();
    // However it went, the file is closed before anybody takes it away.
    let _ = server.await;
    gate.shut_down().await;
    left
}

/// What came of the demo, for programs.
#[derive(Serialize)]
struct AllThatCame {
    folder: String,
    database: String,
    calls: Vec<api::Call>,
}

struct Stage<'a> {
    args: &'a Args,
    folder: &'a Folder,
    agent: Agent,
    person: Gate,
    url: String,
}

impl Stage<'_> {
    fn how(&self) -> String {
        format!("{} --server {}", target::how_to_call(self.args), self.url)
    }

    async fn by_itself(&self, script: &[Vec<Step>]) -> anyhow::Result<Left> {
        let tell = |line: &str| {
            if !self.args.json {
                output::say(line);
            }
        };
        auto::play(&self.agent, &self.person, script, tell).await?;
        Ok(Left::Quit)
    }

    async fn with_people(&self, demo: &DemoArgs, script: Vec<Vec<Step>>) -> anyhow::Result<Left> {
        let plain = demo.plain || !can_draw();
        self.greet();
        if !plain && !opened().await? {
            return Ok(Left::Interrupted);
        }
        let ended = CancellationToken::new();
        let done = ended.clone();
        let agent = self.agent.clone();
        let acting = tokio::spawn(async move {
            let asked = agent.ask_for_all(script).await;
            done.cancel();
            asked
        });
        let text = "The agent has done all it wanted. q leaves, and tells what came of it.".to_owned();
        let watch = Watch::over(self.args, self.person.clone(), self.how()).until(Over { ended, text });
        let left = watch.run(plain).await;
        // What still waits is withdrawn, and what runs is seen through.
        self.agent.stop.cancel();
        acting.await??;
        left
    }

    fn greet(&self) {
        let (folder, url, how) = (self.folder.shown(), &self.url, self.how());
        let and = if self.folder.stays() { "and keeps its files" } else { "and leaves nothing behind" };
        output::say(&format!(
            "An agent is about to ask for a few things.\n\
             All of them are harmless, and you decide.\n\
             \n  folder     {folder}\
             \n  server     {url}\n\
             \nIn a second terminal you see and decide the same:\
             \n  {how} watch\
             \n  {how} pending\
             \n  curl {url}/v1/approvals/pending\
             \nIn a browser you see all of its API, and can try it:\
             \n  {url}/docs\n\
             \nCtrl-C ends the demo {and}.\n"
        ));
    }

    /// What came of it all, in the order in which it was asked for.
    async fn tell_the_end(&self) -> anyhow::Result<()> {
        let calls = self.calls().await?;
        let database = self.folder.path("countersign.db");
        if self.args.json {
            let folder = self.folder.path("").display().to_string();
            let database = database.display().to_string();
            output::say(&output::json_line(&AllThatCame { folder, database, calls })?);
            return Ok(());
        }
        let (program, folder) = (target::how_to_call(self.args), self.folder.shown());
        let database = output::visible(&database.display().to_string());
        // Whoever leaves early has seen few of the calls, or none.
        let shown = calls.iter().find(|call| call.id.as_str() == "demo_clean").or_else(|| calls.first());
        let show = shown.map_or_else(String::new, |call| {
            format!("\n  {program} --database {database} show {}", output::visible(call.id.as_str()))
        });
        output::say(&format!(
            "\n{}\n\
             \nThe log has all of it, and the files are still there:{show}\
             \n  {program} --database {database} log\
             \n  ls {folder}/desk\
             \n  rm -r {folder}",
            story::summary(&calls)
        ));
        Ok(())
    }

    /// The calls of the demo's thread.
    async fn calls(&self) -> anyhow::Result<Vec<api::Call>> {
        let thread = &self.agent.thread;
        let page = api::PageQuery { after: 0, limit: api::MAX_PAGE };
        let filter = LogFilter { thread_id: Some(thread.clone()), ..LogFilter::default() };
        let events = self.agent.gate.events(&filter, page).await?.events;
        let mut calls = Vec::new();
        for event in events.iter().filter(|event| event.kind == countersign_gate::EventType::ToolCall) {
            let proposed: countersign_gate::event::ToolCall = event.data.read()?;
            calls.push(self.agent.gate.call(thread, &proposed.id).await?);
        }
        Ok(calls)
    }
}

/// Whether somebody wants to go on: what was printed would be gone before it was read.
async fn opened() -> anyhow::Result<bool> {
    output::ask("Enter opens the inbox. ");
    let unanswered = Unanswered;
    let mut line = String::new();
    let mut stdin = BufReader::new(tokio::io::stdin());
    let answered = stdin.read_line(&mut line).await? > 0;
    if answered {
        std::mem::forget(unanswered);
    }
    Ok(answered)
}

/// A question that nobody answered: what is said next begins on a line of its own.
struct Unanswered;

impl Drop for Unanswered {
    fn drop(&mut self) {
        output::say("");
    }
}
