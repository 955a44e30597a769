//! `countersign doctor`: checks the installation, and names a remedy for each problem.

mod certificate;
mod database;
mod file;
mod history;
mod identity_provider;
mod postgres;
mod results;
mod server;
mod version;

pub use history::describe_mismatches;

use crate::{
    doctor::results::{CheckResults, CheckStatus},
    status::LocalIntegration,
};
use countersign_console::{
    CommandContext, CommandExit, LogTarget, ScreenFormat, TextStyle, escape_text, locate_database,
    print_line, wrap_words,
};
use countersign_events::Timestamp;
use countersign_store::{Clock, DatabaseUrl};
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Options of `doctor`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"status\": ok, warn or fail, \"findings\": [{\"check\", \"status\", \"found\", \"remedy\"}]}"
)]
pub struct DoctorArgs {
    /// Check every event and the database integrity, also in a log of more than 100,000 events
    #[arg(long)]
    full: bool,
}

/// Runs `countersign doctor`, with the hooks of coding agents on this machine.
pub async fn run_checks(
    context: &CommandContext,
    args: &DoctorArgs,
    installed: &[LocalIntegration],
) -> anyhow::Result<CommandExit> {
    let mut results = CheckResults::default();
    settings(context, &mut results);
    hooks(installed, &mut results);
    policy(context, &mut results);
    clock(&mut results);
    certificate::check_own_certificate(context, &mut results);
    identity_provider::check_identity_provider(context, &mut results).await;
    match context.settings.target() {
        Ok(LogTarget::Server(url)) => server::check_server(context, &url, &mut results).await,
        Ok(LogTarget::Database(address)) => {
            let worth_opening = match &address {
                // A relative path would not say which of several logs this is.
                DatabaseUrl::File(_) => file::check_file(Path::new(&locate_database(&address)), &mut results),
                DatabaseUrl::Postgres(postgres) => postgres::check_postgres(postgres, &mut results).await,
            };
            if worth_opening {
                history::check_log(context, &address, args.full, &mut results).await;
            }
        }
        Err(error) => results.fail("target", format!("{error:#}"), "remove one of the two settings"),
    }
    print(context, &results);
    Ok(if results.worst() == CheckStatus::Fail { CommandExit::FAILED } else { CommandExit::DONE })
}

fn settings(context: &CommandContext, results: &mut CheckResults) {
    match &context.settings.file {
        Some(path) => results.ok("settings", format!("read from {}", path.display())),
        None => results.ok("settings", "there is no settings file; `countersign config` lists the settings"),
    }
}

fn policy(context: &CommandContext, results: &mut CheckResults) {
    let Some(path) = context.settings.policy_path() else {
        results.ok("policy", "no file is named: the policy of the log is active");
        return;
    };
    match context.settings.policy() {
        Ok(policy) => results
            .ok("policy", format!("{}, {} rules, sha256 {}", path.display(), policy.rules(), policy.hash())),
        Err(error) => {
            results.fail("policy", format!("{error:#}"), "correct the file, or use another with --policy");
        }
    }
}

/// The hooks of coding agents that do not run.
fn hooks(installed: &[LocalIntegration], results: &mut CheckResults) {
    for hook in installed {
        let (name, file) = (&hook.name, hook.path.display());
        match &hook.trouble {
            Some(trouble) => {
                let remedy = "`countersign install --verify` checks each case";
                results.fail("hooks", format!("{name} in {file}: {trouble}"), remedy);
            }
            None => results.ok("hooks", format!("{name} in {file}")),
        }
    }
}

/// 2026-01-01. An earlier time means that the clock is wrong.
const FIRST: i64 = 1_767_225_600_000;

fn clock(results: &mut CheckResults) {
    let now = Clock::System.now();
    if now < Timestamp::from_millis(FIRST) {
        results.fail("clock", format!("this machine says {now}"), "set the clock: requests expire by it");
    } else {
        results.ok("clock", format!("it is {now}"));
    }
}

fn print(context: &CommandContext, results: &CheckResults) {
    if context.json {
        let said = serde_json::json!({"status": results.worst(), "findings": results.0});
        print_line(&said.to_string());
        return;
    }
    let screen = context.screen();
    for finding in &results.0 {
        let (style, word) = match finding.status {
            CheckStatus::Ok => (TextStyle::Green, "ok"),
            CheckStatus::Warn => (TextStyle::Yellow, "warn"),
            CheckStatus::Fail => (TextStyle::Red, "fail"),
        };
        let head = format!("{:<4}  {:<11}  ", word, finding.check);
        say_wrapped(&screen, &screen.paint(style, &head), head.width(), &finding.found);
        if let Some(remedy) = &finding.remedy {
            say_wrapped(&screen, &format!("{:19}", ""), 19, &format!("→ {remedy}"));
        }
    }
    print_line(match results.worst() {
        CheckStatus::Ok => "\nNo problems found.",
        CheckStatus::Warn => "\nIt works, with the warnings above.",
        CheckStatus::Fail => "\nProblems found; see the remedies above.",
    });
}

fn say_wrapped(screen: &ScreenFormat, head: &str, indent: usize, text: &str) {
    let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(20));
    let lines = text.lines().flat_map(|line| wrap_words(&escape_text(line), room));
    for (index, line) in lines.enumerate() {
        let before = if index == 0 { head.to_owned() } else { " ".repeat(indent) };
        print_line(format!("{before}{line}").trim_end());
    }
}
