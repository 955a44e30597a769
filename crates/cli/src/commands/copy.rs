//! `countersign copy`

use crate::{
    args::Args,
    exit::{Exit, Said},
    output,
    progress::Progress,
    settings,
};
use countersign_gate::{Address, Copied, Step};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What to copy, and where to.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The target is made if there is none, and must be empty. Nobody else can open it until the copy is finished;
one that was interrupted goes on where it stopped when the same command is run again. On PostgreSQL the
target has to belong to the user who copies.

JSON: {\"from\", \"to\", \"events\", \"copied\": how many of them by this command, \"tip\", \"holds\", \
\"broken\": null or how, \"wrongHashes\": [seq], \"indexHolds\", \"since\": how many events the source has gained \
meanwhile}")]
pub(crate) struct Copy {
    /// The log that is copied: a path, sqlite://… or postgres://…
    #[arg(long, value_name = "ADDRESS", required_unless_present = "from_file")]
    from: Option<String>,
    /// A file that holds its address, which may have a password
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    from_file: Option<PathBuf>,
    /// Where it is copied to
    #[arg(long, value_name = "ADDRESS", required_unless_present = "to_file")]
    to: Option<String>,
    /// A file that holds the address where it is copied to
    #[arg(long, value_name = "FILE", conflicts_with = "to")]
    to_file: Option<PathBuf>,
    /// Add to a finished copy what its source has gained since
    #[arg(long = "continue")]
    go_on: bool,
}

pub(crate) async fn copy(args: &Args, wish: &Copy) -> anyhow::Result<Exit> {
    if args.target.database.is_some() || args.target.database_file.is_some() || args.target.server.is_some() {
        let message = "copy takes the two logs as --from and --to, and no --database or --server";
        return Err(Said::usage(message).into());
    }
    let from = address(wish.from.as_deref(), wish.from_file.as_deref(), ["--from", "--from-file"])?;
    let to = address(wish.to.as_deref(), wish.to_file.as_deref(), ["--to", "--to-file"])?;
    let (mut copying, mut verifying) =
        (Progress::of(args, "events copied"), Progress::of(args, "events verified"));
    let copied = countersign_gate::copy(from, to, wish.go_on, |step| match step {
        Step::Copied(done, of) => copying.at(done, of),
        Step::Verified(done, of) => verifying.at(done, of),
    });
    let copied = copied.await;
    copying.clear();
    verifying.clear();
    let copied = copied?;
    if args.json {
        output::say(&as_json(&copied).to_string());
    } else {
        output::say(&as_text(&copied));
    }
    Ok(if copied.report.holds() { Exit::DONE } else { Exit::FAILED })
}

/// The address that is said, or that a file holds.
fn address(said: Option<&str>, file: Option<&Path>, [option, of_file]: [&str; 2]) -> anyhow::Result<Address> {
    match file {
        Some(path) => {
            let origin = format!("{of_file}, {}", path.display());
            settings::address(&settings::read_secret(path)?, &origin)
        }
        None => settings::address(said.unwrap_or_default(), option),
    }
}

fn as_json(copied: &Copied) -> serde_json::Value {
    let Copied { from, to, before, since, report } = copied;
    json!({
        "from": from.to_string(),
        "to": to.to_string(),
        "events": report.events,
        "copied": report.events - before,
        "tip": report.tip,
        "holds": report.holds(),
        "broken": report.broken.as_ref().map(ToString::to_string),
        "inadmissible": super::verify::inadmissible(report),
        "inadmissibleCount": report.inadmissible_count,
        "indexHolds": report.index_holds,
        "since": since,
    })
}

fn as_text(copied: &Copied) -> String {
    let Copied { from, to, before, since, report } = copied;
    let events = report.events;
    let mut lines = Vec::new();
    if *before > 0 {
        lines.push(format!("Went on after event {before}."));
    }
    if report.holds() {
        lines.push(format!("{events} events of {from} are in {to}, and the chain holds."));
        lines.push(format!("tip {}, the same in both", report.tip));
    } else {
        lines.push(format!(
            "All of {from} is in {to}, but something is wrong with it there as here, and nobody else can open \
             the copy: countersign verify --database {from}"
        ));
        lines.extend(report.broken.as_ref().map(ToString::to_string));
    }
    if *since > 0 {
        lines.push(format!(
            "{since} more came meanwhile. Stop whoever writes to {from}, and run this again with --continue."
        ));
    }
    lines.join("\n")
}
