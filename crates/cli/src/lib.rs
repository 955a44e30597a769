//! The `countersign` command: every door to the gate that a terminal has.

mod account;
mod args;
mod commands;
mod edit;
mod exit;
mod facts;
mod filters;
mod find;
mod impact;
mod json;
mod log;
mod output;
mod progress;
mod run;
mod screen;
mod settings;
mod story;
mod table;
mod target;
mod told;
mod width;

use args::{Args, Command};
use clap::{CommandFactory, FromArgMatches};
use exit::Exit;
use log::Log;
use settings::Settings;
use std::process::ExitCode;
use tracing::Instrument;

/// Runs the command line of this process, and gives the code that it exits with.
#[must_use]
pub fn main() -> ExitCode {
    let exit = carry_on();
    match output::unsaid() {
        Some(why) if exit == Exit::DONE => {
            output::complain(&format!("countersign: not all of it could be written to stdout: {why}"));
            Exit::FAILED.into()
        }
        _ => exit.into(),
    }
}

fn carry_on() -> Exit {
    let (mut args, name) = match parse() {
        Ok(parsed) => parsed,
        Err(said) => return commands::version::or_help(&said),
    };
    if let Some(exit) = without_settings(&args) {
        return exit;
    }
    match Settings::gather(&args) {
        Ok(settings) => args.settings = settings,
        Err(error) => return exit::report(&args, &error),
    }
    settings::notice::say(&args);
    start(&args, &name).unwrap_or_else(|error| exit::report(&args, &error))
}

/// What was typed, and the name of the command.
fn parse() -> Result<(Args, String), clap::Error> {
    let matches = Args::command().try_get_matches()?;
    Ok((Args::from_arg_matches(&matches)?, matches.subcommand_name().unwrap_or_default().to_owned()))
}

fn start(args: &Args, name: &str) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let log = Log::start(args, runtime.handle())?;
    // The name alone: what a command was told may be what nobody else is to know.
    let span = tracing::info_span!(target: log::COMMAND, "command", command = name);
    let exit = match runtime.block_on(carry_out(args).instrument(span)) {
        Ok(exit) => exit,
        Err(error) => exit::report(args, &error),
    };
    log.end();
    // A thread that still reads the terminal would keep the process; it has nothing to finish.
    runtime.shutdown_background();
    Ok(exit)
}

/// What the program knows by itself, even where the settings are broken.
fn without_settings(args: &Args) -> Option<Exit> {
    let done = match &args.command {
        Command::Completions(wish) => Ok(commands::completions::completions(wish)),
        Command::Man(wish) => commands::man::man(wish),
        Command::Version => Ok(commands::version::version(args)),
        Command::Reference => Ok(commands::reference::reference()),
        _ => return None,
    };
    Some(done.unwrap_or_else(|error| exit::report(args, &error)))
}

async fn carry_out(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Serve(serve) => commands::serve::serve(args, serve).await,
        Command::Run(wish) => run::run(args, wish).await,
        Command::Pending(pending) => commands::pending::pending(args, pending).await,
        Command::Watch(watch) => commands::watch::watch(args, watch).await,
        Command::Show(show) => commands::show::show(args, show).await,
        Command::Allow(allow) => commands::decide::allow(args, allow).await,
        Command::Deny(deny) => commands::decide::deny(args, deny).await,
        Command::Stop(stop) => commands::stop::stop(args, stop).await,
        Command::Release(release) => commands::release::release(args, release).await,
        Command::Log(log) => commands::log::log(args, log).await,
        Command::Calls(calls) => commands::calls::calls(args, calls).await,
        Command::Threads(threads) => commands::threads::threads(args, threads).await,
        Command::Grants(grants) => commands::grants::grants(args, grants).await,
        Command::Revoke(revoke) => commands::grants::revoke(args, revoke).await,
        Command::Mode(mode) => commands::mode::mode(args, mode).await,
        Command::ThreadPolicy(own) => commands::thread_policy::thread_policy(args, own).await,
        Command::Policy(command) => commands::policy::policy(args, command).await,
        Command::Close(close) => commands::close::close(args, close).await,
        Command::Stats(stats) => commands::stats::stats(args, stats).await,
        Command::Doctor => commands::doctor::doctor(args).await,
        Command::Demo(demo) => commands::demo::demo(args, demo).await,
        Command::Verify(verify) => commands::verify::verify(args, verify).await,
        Command::Migrate => commands::migrate::migrate(args).await,
        Command::Copy(wish) => commands::copy::copy(args, wish).await,
        Command::Config(config) => commands::config::config(args, config),
        // These were carried out before there were settings.
        Command::Completions(_) | Command::Man(_) | Command::Version | Command::Reference => Ok(Exit::DONE),
    }
}
