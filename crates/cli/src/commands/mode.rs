//! `countersign mode`

use crate::{
    args::Args,
    exit::Exit,
    output::{self, ago, visible},
    target,
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use countersign_api as api;
use countersign_gate::{Clock, event};

/// Whose mode, and which.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"threadId\", \"mode\", \"principal\", \"at\", \"seq\"}; the last three only if somebody set it"
)]
pub(crate) struct Mode {
    /// The thread
    thread: String,
    /// What it is to be from now on; without it the mode is shown
    #[arg(value_name = "MODE", value_parser = modes())]
    set: Option<event::Mode>,
}

fn modes() -> impl TypedValueParser<Value = event::Mode> {
    let modes = event::Mode::ALL.iter().map(|mode| PossibleValue::new(mode.as_str()).help(about(*mode)));
    PossibleValuesParser::new(modes).try_map(|text| text.parse::<event::Mode>())
}

/// What a mode does.
const fn about(mode: event::Mode) -> &'static str {
    match mode {
        event::Mode::Interactive => "people decide what is asked",
        event::Mode::ApproveAll => "what is asked is allowed; what is blocked stays blocked",
        event::Mode::AutoDeny => "what is asked is denied",
        event::Mode::Other => "a newer version set it",
    }
}

pub(crate) async fn mode(args: &Args, wish: &Mode) -> anyhow::Result<Exit> {
    let gate = target::gate(args).await?;
    let thread = countersign_api::parse_thread_id(&wish.thread)?;
    let now = match wish.set {
        Some(mode) => gate.set_mode(&thread, &api::ModeRequest { mode }).await?,
        None => gate.mode(&thread).await?,
    };
    output::say(&if args.json { serde_json::to_string(&now)? } else { as_text(&now) });
    Ok(Exit::DONE)
}

fn as_text(found: &api::ThreadMode) -> String {
    let (mode, what) = (found.mode.as_str(), about(found.mode));
    let thread = visible(found.thread_id.as_str());
    let who = match (&found.principal, found.at) {
        (Some(who), Some(at)) => {
            format!(" (set by {}, {})", visible(who.as_str()), ago(at, Clock::System.now()))
        }
        _ => String::new(),
    };
    format!("Thread {thread} is {mode}: {what}{who}.")
}
