//! The `countersign` command: every door to the gate that a terminal has.

mod args;
mod commands;
mod exit;
mod find;
mod output;
mod run;
mod target;

use args::{Args, Command};
use clap::Parser;
use exit::Exit;
use std::process::ExitCode;

/// Runs the command line of this process, and gives the code that it exits with.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    start_log(&args);
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::report(&args, &error.into()).into(),
    };
    let exit = match runtime.block_on(carry_out(&args)) {
        Ok(exit) => exit,
        Err(error) => exit::report(&args, &error),
    };
    // A thread that still reads the terminal would keep the process; it has nothing to finish.
    runtime.shutdown_background();
    exit.into()
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
        Command::Demo(demo) => commands::demo::demo(args, demo).await,
        Command::Verify(verify) => commands::verify::verify(args, verify).await,
    }
}

/// What the program tells about itself goes to stderr, so that stdout stays what was asked for.
fn start_log(args: &Args) {
    use std::io::IsTerminal;
    use tracing_subscriber::EnvFilter;
    let usual = if matches!(args.command, Command::Serve(_)) { "info" } else { "error" };
    let filter = EnvFilter::try_from_env("COUNTERSIGN_LOG").unwrap_or_else(|_| EnvFilter::new(usual));
    let colours = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(colours).init();
}
