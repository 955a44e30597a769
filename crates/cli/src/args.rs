//! The command line.

use crate::{
    commands::{self, demo::DemoArgs, watch::WatchArgs},
    filters::Filters,
    settings::{Colour, LogFormat, Settings},
};
use clap::{Parser, Subcommand};
use countersign_server::Address;
use std::path::PathBuf;

/// What stands below `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    failed: the file, the system; damage that was found
  2    the command line or a setting is wrong
  3    the rules do not allow it: decided before, …
  4    no such call, thread or grant, or several
  5    no server answers, or no database opens
  76   policy check: people are asked
  77   run: denied or blocked; policy check: blocked
  78   run: nobody decided in time
  79   run: cancelled by somebody
  126  run: the command cannot be started
  127  run: there is no such command
  130  run: cancelled with Ctrl-C
  else run: the command's own

Errors with --json:
  {\"code\", \"detail\", \"hint\": left out if there is none}

Environment:
  COUNTERSIGN_DATABASE, _SERVER, _POLICY and so on stand in
  for options: `countersign config` lists what holds.
  NO_COLOR turns colours off.";

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
    /// What is in force, once it is known.
    #[arg(skip)]
    pub(crate) settings: Settings,
}

/// What every command may be told: where the log is, who is asking, and what else `config` lists.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct TargetArgs {
    /// The log: a path, sqlite://… or postgres://… [default: countersign.db]
    #[arg(long, global = true, value_name = "ADDRESS")]
    pub(crate) database: Option<String>,
    /// A file that holds the address of the log, which may have a password
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "database")]
    pub(crate) database_file: Option<PathBuf>,
    /// A server instead of a database
    #[arg(
        long,
        help = "A server instead of a database: http://127.0.0.1:7878",
        global = true,
        value_name = "URL",
        conflicts_with_all = ["database", "database_file"]
    )]
    pub(crate) server: Option<String>,
    /// The policy, a TOML file; without one task tools are free and the rest is asked
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Who is asking: user:NAME or agent:NAME [default: your login name]
    #[arg(long = "as", global = true, value_name = "WHO")]
    pub(crate) who: Option<String>,
    /// The settings, a TOML file [default: ./countersign.toml, …]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// What is logged: error, warn, info, debug, or a filter
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) log: Option<String>,
    /// How it is logged to stderr
    #[arg(long, global = true, value_name = "FORMAT")]
    pub(crate) log_format: Option<LogFormat>,
    /// Where traces are sent
    #[arg(
        long,
        help = "Where traces are sent, by OTLP over HTTP: http://127.0.0.1:4318",
        global = true,
        value_name = "URL"
    )]
    pub(crate) otlp: Option<String>,
    /// Colours: on a terminal, always or never
    #[arg(long, global = true, value_name = "WHEN", alias = "color")]
    pub(crate) colour: Option<Colour>,
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
    /// Allow calls that wait
    Allow(commands::decide::options::Allow),
    /// Deny calls that wait
    Deny(commands::decide::options::Deny),
    /// Deny all that waits, at once
    Stop(commands::stop::Stop),
    /// Let another executor take over a call whose own was lost
    Release(commands::release::Release),
    /// Tell what happened, event by event
    Log(commands::log::Log),
    /// List calls, the last proposed first
    Calls(commands::calls::Calls),
    /// List threads, or show one
    Threads(commands::threads::Threads),
    /// List what is remembered for the rest of a thread: allowed or denied
    Grants(commands::grants::Grants),
    /// Take a grant back: it answers no more calls
    Revoke(commands::grants::Revoke),
    /// Show or set how a thread answers what is asked
    Mode(commands::mode::Mode),
    /// Show or set what a thread itself says of tools
    ThreadPolicy(commands::thread_policy::ThreadPolicy),
    /// Check a policy, test it, and compare it with the log
    #[command(subcommand)]
    Policy(commands::policy::PolicyCommand),
    /// End a thread: what waits in it is cancelled, and nothing new starts
    Close(commands::close::Close),
    /// Count what became of calls, and how long people took to decide
    Stats(commands::stats::Stats),
    /// Look for what is wrong with the file, the server and this machine
    #[command(
        after_help = "JSON: {\"status\": ok, warn or fail, \"findings\": [{\"check\", \"status\", \"found\", \"remedy\"}]}"
    )]
    Doctor,
    /// Check the hash chain of the whole log
    Verify(Verify),
    /// Bring a log to the layout of this version, as its owner
    #[command(
        after_help = "Any command that may do so does it by the way when it opens the log: this is for \
PostgreSQL where instances work as a role that owns nothing.\n\n\
JSON: {\"database\", \"done\": made, migrated or nothing}"
    )]
    Migrate,
    /// Copy a whole log into another database
    Copy(commands::copy::Copy),
    /// See all of it in a minute, with an agent that only plays
    Demo(DemoArgs),
    /// Show what is in force, and who says so
    Config(commands::config::Config),
    /// Print what a shell needs to complete the command line
    Completions(commands::completions::Completions),
    /// Print the manual, or write a page for each command
    Man(commands::man::Man),
    /// Tell which program this is, and how it was built
    #[command(
        after_help = "JSON: {\"version\", \"commit\", \"committed\", \"target\", \"profile\", \"rustc\", \"sqlite\", \"postgresql\": the oldest that works}, null where the build could not tell"
    )]
    Version,
    /// Print the reference of all commands, as docs/commands.md has it
    #[command(hide = true)]
    Reference,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"listening\": the first address, \"addresses\": [all of them], \"database\", \"rules\": how many}, a line as soon as it listens"
)]
pub(crate) struct Serve {
    /// Where to listen: an IP address and a port (0 takes a free one) or unix:PATH; may be repeated
    /// [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Vec<Address>,
    /// Share the port with other servers that say so too
    #[arg(long)]
    pub(crate) reuse_port: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the call, as it ended; what the command itself prints all goes to stderr then")]
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

fn span(text: &str) -> Result<u32, String> {
    let seconds = countersign_gate::policy::parse_span(text).map(|span| span.as_secs());
    seconds
        .and_then(|seconds| u32::try_from(seconds).ok())
        .ok_or_else(|| "a span is a whole number and a unit, such as 90s, 15m, 2h or 1d".to_owned())
}

#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: {\"pending\": [the calls, the oldest request first], \"next\": null}")]
pub(crate) struct Pending {
    #[command(flatten)]
    pub(crate) filters: Filters,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "JSON: the call, as the API has it")]
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
#[command(
    after_help = "JSON: {\"holds\", \"events\", \"tip\", \"unsealed\", \"broken\": null or how, \"wrongHashes\": [seq], \"chainHolds\", \"indexHolds\", \"repaired\"}; \"holds\" is all of it together"
)]
pub(crate) struct Verify {
    /// Make the index of open requests anew from the events, if it is wrong
    #[arg(long)]
    pub(crate) repair: bool,
}
