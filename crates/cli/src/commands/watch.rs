//! `countersign watch`

use crate::filters::parse_principal;
use countersign_api::SharedGate;
use countersign_console::{CliError, CommandContext, CommandExit, SettingKey};
use countersign_events::{Principal, ToolName};
use countersign_tui::{CallOrder, WatchError, WatchExit, WatchOptions, run_watch};

/// Options of `watch`.
#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Only calls of this thread
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
    /// Only calls of this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Only calls that this principal proposed, such as agent:builder; repeatable
    #[arg(long, value_name = "PRINCIPAL", value_parser = parse_principal)]
    by: Vec<Principal>,
    /// The list order: oldest, risk (the highest first) or time-left (the least first)
    #[arg(long, value_name = "ORDER", default_value = "oldest")]
    sort: CallOrder,
    /// Ask line by line; the default without a terminal that can draw
    #[arg(long)]
    plain: bool,
    /// Do not ring the terminal bell when a call arrives
    #[arg(long)]
    no_bell: bool,
}

pub(crate) async fn watch(context: &CommandContext, args: &WatchArgs) -> anyhow::Result<CommandExit> {
    if context.json {
        let message = "watch is interactive; programs use `countersign pending --json` or `countersign log --follow --json`";
        return Err(CliError::usage(message).into());
    }
    let thread = args.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let tool = args.tool.as_deref().map(ToolName::new).transpose();
    let tool = tool.map_err(|error| CliError::usage(format!("--tool: {error}")))?;
    let gate = context.connect_to_decide().await?;
    let watched = WatchedLog { log: context.log_location()?, command_prefix: context.command_prefix() };
    let mut options = watch_options(context, gate.clone(), watched);
    (options.thread, options.tool, options.by) = (thread, tool, args.by.clone());
    options.order = args.sort;
    options.bell &= !args.no_bell;
    let exit = run_watch(options, args.plain).await;
    gate.shut_down().await;
    exit_of_watch(exit)
}

/// The log that is watched.
pub(crate) struct WatchedLog {
    /// Its location.
    pub(crate) log: String,
    /// The command that reaches it.
    pub(crate) command_prefix: String,
}

/// Options for watching all calls in a log, with its location and the command that reaches it.
pub(crate) fn watch_options(
    context: &CommandContext,
    gate: SharedGate,
    WatchedLog { log, command_prefix }: WatchedLog,
) -> WatchOptions {
    WatchOptions {
        gate,
        thread: None,
        tool: None,
        by: Vec::new(),
        order: CallOrder::default(),
        log,
        command_prefix,
        colours: context.use_colours(true),
        bell: context.settings.switch(SettingKey::Bell).unwrap_or(true),
        end_notice: None,
    }
}

fn exit_of_watch(exit: Result<WatchExit, WatchError>) -> anyhow::Result<CommandExit> {
    match exit.map_err(unwrap_watch_error)? {
        WatchExit::Quit => Ok(CommandExit::DONE),
        WatchExit::Interrupted => Ok(CommandExit::INTERRUPTED),
    }
}

/// The error from the gate or the terminal itself, which has the exit code and the hint.
pub(crate) fn unwrap_watch_error(error: WatchError) -> anyhow::Error {
    match error {
        WatchError::Gate(error) => error.into(),
        WatchError::Terminal(error) => error.into(),
    }
}
