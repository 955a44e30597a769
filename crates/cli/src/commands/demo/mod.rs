//! `countersign demo`: a tour with a scripted agent.

mod agent;
mod script;
mod story;
mod tools;

use crate::commands::install::describe_own_agents;
use crate::commands::watch::{WatchedLog, unwrap_watch_error, watch_options};
use agent::DemoAgent;
use countersign_api::{
    self as api, ApprovalGate, LogFilter, SendOperation, SharedGate, operations, page_address, random_id,
};
use countersign_console::{
    CliError, CommandContext, CommandExit, TerminationSignals, escape_text, print_json, print_line,
    print_prompt, quote_for_shell, request_sign_in_link, sign_in_link,
};
use countersign_events::Principal;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_server::{BoundListener, ListenAddress, ListenOptions, ServerOptions};
use countersign_store::StoreOptions;
use countersign_tui::{EndNotice, WatchExit, can_draw, run_watch};
use script::DemoScript;
use serde::Serialize;
use std::{
    fs::DirBuilder,
    io::{IsTerminal, stdout},
    net::SocketAddr,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio_util::sync::CancellationToken;

/// The log in the demo's folder.
const DATABASE: &str = "countersign.db";

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

impl DemoArgs {
    fn keeps_folder(&self) -> bool {
        self.keep || self.folder.is_some()
    }
}

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
    let folder = make_folder(demo.folder.as_deref())?;
    let played = tokio::select! {
        biased;
        _ = signals.receive() => {
            // After ^C, at a prompt or in the story.
            print_line("");
            Ok(WatchExit::Interrupted)
        }
        played = run_demo_in(context, demo, &folder) => played,
    };
    if !matches!(played, Ok(WatchExit::Quit)) && !demo.keeps_folder() {
        std::fs::remove_dir_all(&folder)?;
    }
    match played? {
        WatchExit::Quit => Ok(CommandExit::DONE),
        WatchExit::Interrupted => Ok(CommandExit::INTERRUPTED),
    }
}

/// Uses the named folder if it is empty, or creates a temporary one.
fn make_folder(wanted: Option<&Path>) -> Result<PathBuf, CliError> {
    let temporary = || std::env::temp_dir().join(random_id("countersign-demo-"));
    let path = wanted.map_or_else(temporary, Path::to_path_buf);
    let cannot =
        |why: std::io::Error| CliError::usage(format!("the folder {} cannot be used: {why}", path.display()));
    DirBuilder::new().mode(0o700).recursive(wanted.is_some()).create(&path).map_err(cannot)?;
    let path = path.canonicalize().map_err(cannot)?;
    if path.read_dir().map_err(cannot)?.next().is_some() {
        let path = path.display();
        return Err(CliError::usage(format!(
            "--folder: {path} is not empty; the demo needs an empty folder"
        )));
    }
    Ok(path)
}

async fn run_demo_in(context: &CommandContext, demo: &DemoArgs, folder: &Path) -> anyhow::Result<WatchExit> {
    let desk = folder.join("desk");
    let script = DemoScript::read(&desk, demo.auto)?;
    script.furnish(&desk)?;
    std::fs::write(folder.join("policy.toml"), &script.policy)?;
    let policy = Policy::read(&script.policy)?;
    let database = folder.join(DATABASE);
    let gate = EmbeddedGate::open_with(&database, StoreOptions::default(), policy).await?;
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
    let agent = DemoAgent {
        gate: Arc::new(gate.acting_as(Principal::agent("demo"))),
        thread: countersign_api::parse_thread_id("demo")?,
        desk,
        tells: demo.auto && !context.json,
        stop: CancellationToken::new(),
    };
    let person: SharedGate = Arc::new(gate.acting_as(context.settings.principal(Principal::user)?));
    let stage = DemoStage { context, demo, folder, agent, person, url };
    let left = stage.run(&script).await;
    if matches!(left, Ok(WatchExit::Quit)) {
        stage.print_summary(&database).await?;
    }
    stop.cancel();
    // Close the database before the folder is removed.
    let _ = server.await;
    gate.shut_down().await;
    left
}

/// The demo's result, as JSON.
#[derive(Serialize)]
struct DemoResult<'a> {
    folder: &'a str,
    database: &'a str,
    calls: Vec<api::Call>,
}

struct DemoStage<'a> {
    context: &'a CommandContext,
    demo: &'a DemoArgs,
    folder: &'a Path,
    agent: DemoAgent,
    person: SharedGate,
    url: String,
}

impl DemoStage<'_> {
    async fn run(&self, script: &DemoScript) -> anyhow::Result<WatchExit> {
        if self.demo.auto {
            self.agent.run_steps(&script.steps, Some(&self.person)).await?;
            return Ok(WatchExit::Quit);
        }
        let plain = self.demo.plain || !can_draw();
        let database = escape_text(&quote_for_shell(&self.folder.join(DATABASE).display().to_string()));
        let command_prefix = format!("{} --database {database}", self.context.command_prefix());
        let introduction = script
            .introduction
            .replace("$LINK", &self.make_link().await?)
            .replace("$COMMAND", &command_prefix)
            .replace("$URL", &self.url);
        let ends = if self.demo.keeps_folder() { "keeps" } else { "removes" };
        let folder = escape_text(&self.folder.display().to_string());
        print_line(&introduction.replace("$ENDS", ends).replace("$FOLDER", &folder));
        if !plain && !wait_for_enter().await? {
            return Ok(WatchExit::Interrupted);
        }
        let watched = WatchedLog { log: escape_text(&self.url), command_prefix };
        let mut options = watch_options(self.context, self.person.clone(), watched);
        let ended = CancellationToken::new();
        let text = "The agent has finished. q quits and prints a summary.".to_owned();
        options.end_notice = Some(EndNotice { ended: ended.clone(), text });
        let acting = async {
            let _ended = ended.drop_guard();
            self.agent.run_lists(&script.steps).await
        };
        let watching = async {
            // Leaving cancels pending calls, and lets running ones finish.
            let _stopped = self.agent.stop.clone().drop_guard();
            run_watch(options, plain).await
        };
        let (acted, exit) = tokio::join!(acting, watching);
        acted?;
        exit.map_err(unwrap_watch_error)
    }

    /// The link that signs the person in. It is a secret, so it is printed to a terminal only, as by `up`.
    async fn make_link(&self) -> anyhow::Result<String> {
        let pages = page_address(&self.url);
        if !stdout().is_terminal() {
            return Ok(format!("{pages} (the link that signs you in is printed to a terminal)"));
        }
        let person = self.context.settings.principal(Principal::user)?;
        let mut body = request_sign_in_link();
        if let Some(name) = person.as_str().strip_prefix("user:") {
            name.clone_into(&mut body.name);
        }
        let link = self.person.send(operations::CreateToken { body }).await?;
        Ok(sign_in_link(&pages, &link.secret))
    }

    async fn print_summary(&self, database: &Path) -> anyhow::Result<()> {
        let filter = LogFilter { thread_id: Some(self.agent.thread.clone()), ..LogFilter::default() };
        let page = api::PageQuery { after: 0, limit: api::MAX_PAGE };
        let mut calls = self.agent.gate.calls(&filter, None, page).await?.calls;
        calls.reverse();
        let (folder, database) = (self.folder.display().to_string(), database.display().to_string());
        if self.context.json {
            let folder = format!("{folder}/");
            print_json(&DemoResult { folder: &folder, database: &database, calls })?;
            return Ok(());
        }
        let (program, folder) = (self.context.command_prefix(), escape_text(&folder));
        let log = format!("{program} --database {}", escape_text(&database));
        // A person who quits early may have seen no call.
        let shown = calls.iter().find(|call| call.id.as_str() == "demo_clean").or_else(|| calls.first());
        let show = shown.map(|call| format!("\n  {log} show {}", escape_text(call.id.as_str())));
        print_line(&format!(
            "\n{}\n\nThe log and the files are still there:{}\n  {log} log\n  ls {folder}/desk\n  rm -r {folder}\n\n{}",
            story::summarize(&calls),
            show.unwrap_or_default(),
            describe_own_agents(&program),
        ));
        Ok(())
    }
}

/// Waits for Enter, because the inbox hides the printed text.
async fn wait_for_enter() -> std::io::Result<bool> {
    print_prompt("Press Enter to open the inbox. ");
    let is_answered = BufReader::new(tokio::io::stdin()).read_line(&mut String::new()).await? > 0;
    if !is_answered {
        print_line("");
    }
    Ok(is_answered)
}
