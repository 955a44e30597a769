//! `countersign policy`: what a policy says, whether it says what was meant, and what it would have changed.

mod cases;
mod check;
mod fmt;
mod history;
mod replay;
mod subject;
mod suggest;
mod test;

use crate::{
    args::Args,
    exit::{Exit, Said},
    settings::read_policy,
};
use clap::Subcommand;
use countersign_gate::{Policy, event::Verdict};
use std::{io::Read, path::Path};

/// What to do with a policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Look for what is wrong with a policy, or tell what it says of a call
    Check(check::Check),
    /// Check the examples of a policy, and files of cases
    Test(test::Test),
    /// Lay a policy out as every policy is laid out
    Fmt(fmt::Fmt),
    /// Judge the calls of the log by another policy, and show what would have been different
    Replay(replay::Replay),
    /// Write rules that would have saved people prompts and allow nothing that was ever denied
    Suggest(suggest::Suggest),
}

pub(crate) async fn policy(args: &Args, command: &PolicyCommand) -> anyhow::Result<Exit> {
    match command {
        PolicyCommand::Check(wish) => check::check(args, wish),
        PolicyCommand::Test(wish) => test::test(args, wish),
        PolicyCommand::Fmt(wish) => fmt::fmt(args, wish),
        PolicyCommand::Replay(wish) => replay::replay(args, wish).await,
        PolicyCommand::Suggest(wish) => suggest::suggest(args, wish).await,
    }
}

/// A policy, and where it comes from.
struct Meant {
    policy: Policy,
    /// Its file; none if it is the one that is shipped.
    file: Option<String>,
    text: String,
}

impl Meant {
    /// The one that is set, or the one that is shipped where none is.
    fn by(args: &Args) -> anyhow::Result<Self> {
        match args.settings.policy_path() {
            Some(path) => Self::at(&path),
            None => Ok(Self { policy: Policy::shipped(), file: None, text: Policy::SHIPPED.to_owned() }),
        }
    }

    fn at(path: &Path) -> anyhow::Result<Self> {
        let policy = read_policy(path)?;
        let text = std::fs::read_to_string(path)?;
        Ok(Self { policy, file: Some(path.display().to_string()), text })
    }

    /// How it is called.
    fn name(&self) -> &str {
        self.file.as_deref().unwrap_or("the shipped policy (none is set)")
    }
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Block => "block",
    }
}

/// The text of a file, or of stdin for `-`.
fn text_of(path: &Path) -> anyhow::Result<String> {
    let unreadable = |why: std::io::Error| Said::usage(format!("{} cannot be read: {why}", path.display()));
    if path.as_os_str() != "-" {
        return Ok(std::fs::read_to_string(path).map_err(unreadable)?);
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

fn count(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
