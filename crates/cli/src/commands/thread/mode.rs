//! `countersign thread mode`

use super::unknown::explain_unknown_thread;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use countersign_api::{self as api, SendOperation, operations};
use countersign_console::{CommandContext, CommandExit, escape_text, format_age, print_line};
use countersign_events::Mode;
use countersign_store::Clock;

/// Options of `thread mode`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"threadId\", \"mode\", \"principal\", \"at\", \"seq\"}; the last three are absent for the default mode"
)]
pub(crate) struct ThreadModeArgs {
    /// The thread
    thread: String,
    /// The new mode; without it, the mode is shown
    #[arg(value_name = "MODE", value_parser = modes())]
    set: Option<Mode>,
    /// Set it also if the thread has no events yet
    #[arg(long, requires = "set")]
    new_thread: bool,
}

impl ThreadModeArgs {
    /// Whether the command changes nothing.
    pub(crate) const fn only_shows(&self) -> bool {
        self.set.is_none()
    }
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    let modes = Mode::ALL.iter().map(|mode| {
        PossibleValue::new(mode.as_str()).aliases(mode.aliases().iter().copied()).help(about(*mode))
    });
    PossibleValuesParser::new(modes).try_map(|text| text.parse::<Mode>())
}

/// What a mode does.
const fn about(mode: Mode) -> &'static str {
    match mode {
        Mode::Interactive => "people decide calls that the policy asks about",
        Mode::ApproveAll => "calls that the policy asks about are allowed; blocked calls stay blocked",
        Mode::AutoDeny => "calls that the policy asks about are denied",
        Mode::Stopped => "every call is blocked, also one that the policy allows",
        Mode::Other => "a newer version set it",
    }
}

pub(crate) async fn show_or_set_mode(
    context: &CommandContext,
    args: &ThreadModeArgs,
) -> anyhow::Result<CommandExit> {
    let gate = context.connect().await?;
    let thread = countersign_api::parse_thread_id(&args.thread)?;
    let now = match args.set {
        Some(mode) => {
            let set = api::ModeRequest { mode, new_thread: args.new_thread };
            gate.send(operations::SetMode { thread: thread.clone(), body: set })
                .await
                .map_err(explain_unknown_thread)?
        }
        None => gate.send(operations::ShowMode { thread: thread.clone() }).await?,
    };
    print_line(&if context.json { serde_json::to_string(&now)? } else { as_text(&now) });
    Ok(CommandExit::DONE)
}

fn as_text(found: &api::ThreadMode) -> String {
    let (mode, what) = (found.mode.as_str(), about(found.mode));
    let thread = escape_text(found.thread_id.as_str());
    let who = match (&found.principal, found.at) {
        (Some(who), Some(at)) => {
            format!(" (set by {}, {})", escape_text(who.as_str()), format_age(at, Clock::System.now()))
        }
        _ => String::new(),
    };
    format!("Thread {thread} is {mode}: {what}{who}.")
}
