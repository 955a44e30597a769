//! `countersign watch`: an inbox of what waits, on a whole screen or line by line.

mod document;
mod draw;
mod feed;
mod foot;
mod full;
mod help;
mod inbox;
mod page;
mod plain;
mod screen;
#[cfg(test)]
mod tests;
mod typed;
mod view;
mod wrap;

use crate::target::Gate;
use crate::{
    args::Args,
    exit::{Exit, Said},
    screen as terminal,
    settings::Key,
    target,
};
use countersign_gate::{Principal, ToolName};
use feed::Wanted;
use std::io::IsTerminal;
use tokio_util::sync::CancellationToken;
use view::Hints;

#[derive(Debug, clap::Args)]
pub(crate) struct WatchArgs {
    /// Only this thread
    #[arg(long, value_name = "T")]
    thread: Option<String>,
    /// Only this tool
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
    /// Ask line by line, as is done by itself without a terminal that can draw
    #[arg(long)]
    plain: bool,
    /// Do not ring when something arrives
    #[arg(long)]
    no_bell: bool,
}

/// How somebody left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    Quit,
    Interrupted,
}

/// A watch that is over when something else is.
#[derive(Debug, Clone)]
pub(crate) struct Over {
    pub(crate) ended: CancellationToken,
    /// What is said then.
    pub(crate) text: String,
}

/// What is watched, and how.
pub(crate) struct Watch {
    gate: Gate,
    wanted: Wanted,
    hints: Hints,
    colours: bool,
    bell: bool,
    over: Option<Over>,
}

pub(crate) async fn watch(args: &Args, watch: &WatchArgs) -> anyhow::Result<Exit> {
    if args.json {
        let message = "watch is for people: programs follow the log, or read `countersign pending --json`";
        return Err(Said::usage(message).into());
    }
    let thread = watch.thread.as_deref().map(countersign_api::parse_thread_id).transpose()?;
    let tool = watch.tool.as_deref().map(ToolName::new).transpose();
    let tool = tool.map_err(|why| Said::usage(format!("--tool: {why}")))?;
    let gate = target::deciding(args, Principal::user, false).await?;
    let mut work = Watch::over(args, gate.clone(), target::how_to_call(args));
    work.wanted = Wanted { thread, tool };
    work.bell &= !watch.no_bell;
    let left = work.run(watch.plain).await;
    gate.shut_down().await;
    Ok(match left? {
        Left::Quit => Exit::DONE,
        Left::Interrupted => Exit::INTERRUPTED,
    })
}

impl Watch {
    /// Of everything behind the gate; `how` is what to type to get at it from elsewhere.
    pub(crate) fn over(args: &Args, gate: Gate, how: String) -> Self {
        let colours = terminal::colours(args, true);
        let bell = args.settings.switch(Key::Bell).unwrap_or(true);
        Self { gate, wanted: Wanted::default(), hints: Hints { how }, colours, bell, over: None }
    }

    /// The same, until something else is over.
    pub(crate) fn until(mut self, over: Over) -> Self {
        self.over = Some(over);
        self
    }

    /// Watches until somebody leaves.
    pub(crate) async fn run(self, plain: bool) -> anyhow::Result<Left> {
        if plain || !can_draw() { plain::run(self).await } else { full::run(self).await }
    }
}

/// Whether there is a terminal at either end, and one that knows more than lines.
pub(crate) fn can_draw() -> bool {
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    !dumb && std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}

/// Says once that what was to be over is over.
async fn is_over(over: &mut Option<Over>) -> String {
    match over {
        Some(waited) => {
            waited.ended.cancelled().await;
            over.take().map(|over| over.text).unwrap_or_default()
        }
        None => std::future::pending().await,
    }
}
