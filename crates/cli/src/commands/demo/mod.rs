//! `countersign demo`: a tour with a scripted agent.

mod agent;
mod auto;
mod folder;
mod script;
mod story;
mod tools;

use crate::{
    commands::watch::{unwrap_watch_error, watch_options},
    context::CommandContext,
    exit::{CliError, CommandExit},
};
use agent::DemoAgent;
use countersign_api as api;
use countersign_api::{ApprovalGate, LogFilter, SharedGate};
use countersign_gate::{EmbeddedGate, Policy, Principal, StoreOptions};
use countersign_server::{BoundListener, ListenAddress, ListenOptions, ServerOptions};
use countersign_tui::{
    EndNotice, WatchExit, can_draw,
    present::{
        print::{print_json, print_line, print_prompt},
        signals::TerminationSignals,
        text::escape_text,
    },
    run_watch,
};
use folder::DemoFolder;
use script::ScriptStep;
use serde::Serialize;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_util::sync::CancellationToken;

/// Options of `demo`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"folder\", \"database\", \"calls\": [the calls, as the API has them]}, only with --auto"
)]
pub(crate) struct DemoArgs {
    /// The folder for its files, new or empty; it is kept [default: a temporary folder]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Keep the files even after an interruption
    #[arg(long)]
    keep: bool,
    /// Let a scripted person decide, and print each step
    #[arg(long)]
    auto: bool,
    /// Ask line by line; the default without a terminal that can draw
    #[arg(long, conflicts_with = "auto")]
    plain: bool,
}

/// The seconds until the unanswered call expires: with a person, and with `--auto`.
const EXPIRY: (u32, u32) = (45, 1);

pub(crate) async fn run_demo(context: &CommandContext, demo: &DemoArgs) -> anyhow::Result<CommandExit> {
    let theirs = &context.options;
    if theirs.server.is_some() || theirs.database.is_some() || theirs.policy.is_some() {
        let message = "the demo uses its own server, database and policy";
        return Err(CliError::usage(message).into());
    }
    if context.json && !demo.auto {
        return Err(CliError::usage("--json requires --auto").into());
    }
    // Handle signals before the folder exists, so that it is always removed.
    let mut signals = TerminationSignals::listen()?;
    let folder = DemoFolder::make(demo.folder.as_deref(), demo.keep)?;
    let played = tokio::select! {
        biased;
        _ = signals.receive() => Ok(WatchExit::Interrupted),
        played = run_demo_in(context, demo, &folder) => played,
    };
    if !matches!(played, Ok(WatchExit::Quit)) {
        folder.drop_unwanted()?;
    }
    match played? {
        WatchExit::Quit => Ok(CommandExit::DONE),
        WatchExit::Interrupted => Ok(CommandExit::INTERRUPTED),
    }
}

async fn run_demo_in(
    context: &CommandContext,
    demo: &DemoArgs,
    folder: &DemoFolder,
) -> anyhow::Result<WatchExit> {
    let work = folder.path("desk");
    script::furnish(&work)?;
    std::fs::write(folder.path("policy.toml"), script::POLICY)?;
    let policy = Policy::read(script::POLICY)?;
    let gate =
        EmbeddedGate::open_with(folder.path("countersign.db"), StoreOptions::default(), policy).await?;
    let listener = BoundListener::bind(&ListenAddress::Tcp(SocketAddr::from(([127, 0, 0, 1], 0))), false)?;
    let twin = listener.bind_twin(&ListenOptions::default())?;
    let url = listener.url();
    let stop = CancellationToken::new();
    let server = tokio::spawn(countersign_server::serve(
        [listener].into_iter().chain(twin).collect(),
        gate.clone(),
        ServerOptions::default(),
        stop.clone(),
    ));
    let agent = DemoAgent::new(Arc::new(gate.acting_as(Principal::agent("demo"))), work.clone())?;
    let person: SharedGate = Arc::new(gate.acting_as(context.settings.principal(Principal::user)?));
    let script = script::script(&work, if demo.auto { EXPIRY.1 } else { EXPIRY.0 })?;
    let stage = DemoStage { context, folder, agent, person, url };
    let left =
        if demo.auto { stage.run_scripted(&script).await } else { stage.run_with_person(demo, script).await };
    if matches!(left, Ok(WatchExit::Quit)) {
        stage.print_summary().await?;
    }
    stop.cancel();
    // Close the database before the folder is removed.
    let _ = server.await;
    gate.shut_down().await;
    left
}

/// The result of the demo, as JSON.
#[derive(Serialize)]
struct DemoResult {
    folder: String,
    database: String,
    calls: Vec<api::Call>,
}

struct DemoStage<'a> {
    context: &'a CommandContext,
    folder: &'a DemoFolder,
    agent: DemoAgent,
    person: SharedGate,
    url: String,
}

impl DemoStage<'_> {
    fn command_prefix(&self) -> String {
        format!("{} --server {}", self.context.command_prefix(), self.url)
    }

    async fn run_scripted(&self, script: &[Vec<ScriptStep>]) -> anyhow::Result<WatchExit> {
        let tell = |line: &str| {
            if !self.context.json {
                print_line(line);
            }
        };
        auto::play(&self.agent, &self.person, script, tell).await?;
        Ok(WatchExit::Quit)
    }

    async fn run_with_person(
        &self,
        demo: &DemoArgs,
        script: Vec<Vec<ScriptStep>>,
    ) -> anyhow::Result<WatchExit> {
        let plain = demo.plain || !can_draw();
        self.print_introduction();
        if !plain && !wait_for_enter().await? {
            return Ok(WatchExit::Interrupted);
        }
        let ended = CancellationToken::new();
        let done = ended.clone();
        let agent = self.agent.clone();
        let acting = tokio::spawn(async move {
            let asked = agent.ask_for_all(script).await;
            done.cancel();
            asked
        });
        let text = "The agent has finished. q quits and prints a summary.".to_owned();
        let mut options =
            watch_options(self.context, self.person.clone(), (escape_text(&self.url), self.command_prefix()));
        options.end_notice = Some(EndNotice { ended, text });
        let exit = run_watch(options, plain).await;
        // Cancel pending calls, and let running ones finish.
        self.agent.stop.cancel();
        acting.await??;
        exit.map_err(unwrap_watch_error)
    }

    fn print_introduction(&self) {
        let (folder, url, how) = (self.folder.shown(), &self.url, self.command_prefix());
        let and = if self.folder.stays() { "and keeps its files" } else { "and removes its files" };
        print_line(&format!(
            "An agent will propose a few tool calls.\n\
             All of them are harmless, and you decide them.\n\
             \n  folder     {folder}\
             \n  server     {url}\n\
             \nIn a second terminal, list and decide the same calls:\
             \n  {how} watch\
             \n  {how} pending\
             \n  curl {url}/v1/approvals/pending\
             \nIn a browser, read and try the API:\
             \n  {url}/docs\n\
             \nCtrl-C ends the demo {and}.\n"
        ));
    }

    /// Prints the summary.
    async fn print_summary(&self) -> anyhow::Result<()> {
        let calls = self.calls().await?;
        let database = self.folder.path("countersign.db");
        if self.context.json {
            let folder = self.folder.path("").display().to_string();
            let database = database.display().to_string();
            print_json(&DemoResult { folder, database, calls })?;
            return Ok(());
        }
        let (program, folder) = (self.context.command_prefix(), self.folder.shown());
        let database = escape_text(&database.display().to_string());
        // A person who quits early may have seen no call.
        let shown = calls.iter().find(|call| call.id.as_str() == "demo_clean").or_else(|| calls.first());
        let show = shown.map_or_else(String::new, |call| {
            format!("\n  {program} --database {database} show {}", escape_text(call.id.as_str()))
        });
        print_line(&format!(
            "\n{}\n\
             \nThe log and the files are still there:{show}\
             \n  {program} --database {database} log\
             \n  ls {folder}/desk\
             \n  rm -r {folder}",
            story::summary(&calls)
        ));
        Ok(())
    }

    /// The calls of the demo, in order.
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

/// Waits for Enter, because the inbox hides the printed text.
async fn wait_for_enter() -> anyhow::Result<bool> {
    print_prompt("Press Enter to open the inbox. ");
    let unanswered = PromptLine;
    let mut line = String::new();
    let mut stdin = BufReader::new(tokio::io::stdin());
    let answered = stdin.read_line(&mut line).await? > 0;
    if answered {
        std::mem::forget(unanswered);
    }
    Ok(answered)
}

/// Ends the line of an unanswered prompt.
struct PromptLine;

impl Drop for PromptLine {
    fn drop(&mut self) {
        print_line("");
    }
}
