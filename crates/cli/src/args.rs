//! The command line.

use crate::commands::{demo::DemoArgs, watch::WatchArgs};
use clap::{Parser, Subcommand};
use std::{net::SocketAddr, path::PathBuf};

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    failed: the file, the system, or `verify` found damage
  2    the command line is wrong
  3    the rules do not allow it: decided, claimed or finished already, …
  4    no such call, or several that begin so
  5    no server answers, or the database cannot be opened
  77   run: denied or blocked        78   run: nobody decided in time
  79   run: cancelled by somebody    130  run: cancelled with Ctrl-C
  else run: the command's own; 126 and 127 if it cannot be started

Environment:
  COUNTERSIGN_DATABASE, _SERVER, _POLICY, _LISTEN  stand in for the options of those names
  COUNTERSIGN_LOG                                  what is logged: error, warn, info or debug
  NO_COLOR                                         turns colours off";

/// The approval service between an AI agent and the tools it wants to run.
#[derive(Debug, Parser)]
#[command(name = "countersign", bin_name = "countersign", version, after_help = EXIT_CODES)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print JSON, and errors as JSON too
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Where the log is, and who is asking.
#[derive(Debug, clap::Args)]
pub(crate) struct TargetArgs {
    /// The database file: a path or sqlite://… [default: countersign.db]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) database: Option<String>,
    /// A server instead of a file
    #[arg(
        long,
        help = "A server instead of a file: http://127.0.0.1:7878",
        global = true,
        value_name = "URL",
        conflicts_with = "database"
    )]
    pub(crate) server: Option<String>,
    /// The policy, a TOML file; without one everything is asked
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Who is asking: user:NAME or agent:NAME [default: your login name]
    #[arg(long = "as", global = true, value_name = "WHO")]
    pub(crate) who: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve the HTTP API on this machine
    Serve(Serve),
    /// Run a command once somebody has allowed it
    Run(Run),
    /// List what waits for a decision
    Pending(Pending),
    /// Decide on what waits, as it comes
    Watch(WatchArgs),
    /// Show one call, and what became of it
    Show(Show),
    /// Allow a call that waits
    Allow(Allow),
    /// Deny a call that waits
    Deny(Deny),
    /// Check the hash chain of the whole log
    Verify(Verify),
    /// See all of it in a minute, with an agent that only plays
    Demo(DemoArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The conversation it belongs to: what is allowed for the session is allowed in it
    #[arg(long, default_value = "terminal", value_name = "T")]
    pub(crate) thread: String,
    /// The tool that it counts as
    #[arg(long, default_value = "bash")]
    pub(crate) tool: String,
    /// The call's id; the same one again takes up a run that was interrupted before it started
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,
    /// What it is for, shown to whoever decides
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// How long to wait for a decision, such as 90s, 15m, 2h
    #[arg(long, value_name = "SPAN", value_parser = span)]
    pub(crate) expires: Option<u32>,
    /// After how long without a result the outcome counts as unknown
    #[arg(long, value_name = "SPAN", value_parser = span, default_value = "1d")]
    pub(crate) lease: u32,
    /// The command and its arguments, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) words: Vec<std::ffi::OsString>,
}

/// An IP address and a port.
pub(crate) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "an address is an IP address and a port, such as 127.0.0.1:7878".to_owned())
}

fn span(text: &str) -> Result<u32, String> {
    let seconds = countersign_gate::policy::parse_span(text).map(|span| span.as_secs());
    seconds
        .and_then(|seconds| u32::try_from(seconds).ok())
        .ok_or_else(|| "a span is a whole number and a unit, such as 90s, 15m, 2h or 1d".to_owned())
}

#[derive(Debug, clap::Args)]
pub(crate) struct Pending {
    /// Only this thread
    #[arg(long, value_name = "T")]
    pub(crate) thread: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) which: Which,
}

/// Which call is meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// The call's id, or how it begins
    pub(crate) id: String,
    /// Its thread, where ids repeat
    #[arg(long, value_name = "T")]
    pub(crate) thread: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Allow {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Allow later calls of this tool in this thread too
    #[arg(long)]
    pub(crate) session: bool,
    /// A word for the log
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Deny {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Why: the agent is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) comment: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// Make the index of open requests anew from the events, if it is wrong
    #[arg(long)]
    pub(crate) repair: bool,
}
