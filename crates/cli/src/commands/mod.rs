//! The commands, one file each. `run` has a room of its own.

pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod pending;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod verify;
pub(crate) mod watch;

use crate::{args::Args, exit::Exit, output};
use countersign_gate::{Clock, api};

/// Prints a call as was asked for.
fn print_call(args: &Args, call: &api::Call) -> anyhow::Result<Exit> {
    if args.json {
        output::say(&serde_json::to_string(call)?);
    } else {
        output::say(&output::call(call, Clock::System.now()));
    }
    Ok(Exit::DONE)
}
