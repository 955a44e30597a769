//! `countersign mode`

use crate::{
    args::Args,
    exit::Exit,
    output::{self, ago, visible},
    target,
};
use countersign_gate::{Clock, api, event};

/// Whose mode, and which.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"threadId\", \"mode\", \"principal\", \"at\", \"seq\"}; the last three only if somebody set it"
)]
pub(crate) struct Mode {
    /// The thread
    thread: String,
    /// What it is to be from now on; without it the mode is shown
    #[arg(value_name = "MODE")]
    set: Option<Wanted>,
}

/// How a thread answers what is asked.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
enum Wanted {
    /// People decide
    Interactive,
    /// What is asked is allowed; what is blocked stays blocked
    ApproveAll,
    /// What is asked is denied
    AutoDeny,
}

impl From<Wanted> for event::Mode {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Interactive => Self::Interactive,
            Wanted::ApproveAll => Self::ApproveAll,
            Wanted::AutoDeny => Self::AutoDeny,
        }
    }
}

pub(crate) async fn mode(args: &Args, wish: &Mode) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let thread = countersign_gate::name(&wish.thread)?;
    let now = match wish.set {
        Some(mode) => gate.set_mode(&thread, &api::SetMode { mode: mode.into() }).await?,
        None => gate.mode(&thread).await?,
    };
    output::say(&if args.json { serde_json::to_string(&now)? } else { as_text(&now) });
    Ok(Exit::DONE)
}

fn as_text(found: &api::ModeOf) -> String {
    let what = match found.mode {
        event::Mode::Interactive => "interactive: people decide what is asked",
        event::Mode::ApproveAll => "approve_all: what is asked is allowed",
        event::Mode::AutoDeny => "auto_deny: what is asked is denied",
        event::Mode::Other => "one that a newer version set",
    };
    let thread = visible(found.thread_id.as_str());
    let who = match (&found.principal, found.at) {
        (Some(who), Some(at)) => {
            format!(" (set by {}, {})", visible(who.as_str()), ago(at, Clock::System.now()))
        }
        _ => String::new(),
    };
    format!("Thread {thread} is {what}{who}.")
}
