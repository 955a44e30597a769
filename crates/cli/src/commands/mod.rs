//! The commands, one file each. `run` has a room of its own.

pub(crate) mod calls;
pub(crate) mod close;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod copy;
pub(crate) mod decide;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod grants;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod migrate;
pub(crate) mod mode;
pub(crate) mod pending;
pub(crate) mod policy;
pub(crate) mod reference;
pub(crate) mod release;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod stop;
pub(crate) mod thread_policy;
pub(crate) mod threads;
pub(crate) mod verify;
pub(crate) mod version;
pub(crate) mod watch;

use crate::{account, args::Args, exit::Exit, output};
use countersign_api as api;
use countersign_gate::Clock;

/// Prints a call as was asked for.
fn print_call(args: &Args, call: &api::Call) -> anyhow::Result<Exit> {
    if args.json {
        output::say(&serde_json::to_string(call)?);
    } else {
        output::say(&account::call(call, Clock::System.now()));
    }
    Ok(Exit::DONE)
}
