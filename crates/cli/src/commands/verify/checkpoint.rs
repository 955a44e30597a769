//! `countersign verify --from` and `--checkpoint`: checks a log against a noted tip.

use super::{
    database_findings::{schema_json, schema_lines},
    signed::VerifiedCheckpoint,
};
use countersign_api::ApprovalGate;
use countersign_console::{CliError, CommandContext, CommandExit, print_line};
use countersign_events::chain::Checkpoint;
use countersign_gate::EmbeddedGate;
use countersign_store::CheckpointReport;
use serde_json::json;
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
};

/// The most bytes that are read from the end of a file. A line with a checkpoint is much shorter.
const MAX_TAIL: u64 = 4_096;

/// Reads a checkpoint, or the file whose last line ends with one.
pub(crate) fn read_checkpoint(option: &str, text: &str) -> anyhow::Result<Checkpoint> {
    let parsed = text.parse::<Checkpoint>();
    let (Err(why), Ok(mut file)) = (&parsed, File::open(text)) else {
        return parsed.map_err(|why| {
            CliError::usage(format!("{option} {text}: it is neither a file nor a checkpoint; {why}")).into()
        });
    };
    let tail = read_tail(&mut file).map_err(|e| CliError::usage(format!("{option} {text}: {e}")))?;
    let line = tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let last = line.split_whitespace().last().unwrap_or_default();
    last.parse().map_err(|_| {
        CliError::usage(format!(
            "{option} {text}: the last line of the file does not end with a checkpoint; {why}"
        ))
        .into()
    })
}

fn read_tail(file: &mut File) -> std::io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_TAIL)))?;
    let mut tail = Vec::new();
    file.take(MAX_TAIL).read_to_end(&mut tail)?;
    Ok(String::from_utf8_lossy(&tail).into_owned())
}

/// Checks that the log contains the noted event, and the chain after it.
pub(super) async fn verify_from(
    context: &CommandContext,
    gate: &EmbeddedGate,
    from: Checkpoint,
    signed: Option<&VerifiedCheckpoint>,
) -> anyhow::Result<CommandExit> {
    let total = gate.tip(None).await?;
    let mut progress = context.progress("events");
    let report = gate.verify_from(from, |done| progress.update(done - from.seq, total - from.seq)).await?;
    progress.clear();
    let schema = gate.inspect_schema().await?;
    let holds = report.holds() && schema.holds();
    if context.json {
        let json = json!({
            "holds": holds,
            "from": report.from.to_string(),
            "checkpoint": report.holds().then(|| report.tip.to_string()),
            "mismatch": report.mismatch.as_ref().map(ToString::to_string),
            "broken": report.broken.as_ref().map(ToString::to_string),
            "unsealed": report.unsealed,
            "schema": schema_json(&schema),
            "signed": signed.map(VerifiedCheckpoint::to_json),
        });
        print_line(&json.to_string());
    } else {
        for line in schema_lines(&schema) {
            print_line(&line);
        }
        if let Some(signed) = signed {
            print_line(&signed.describe());
        }
        print_line(&as_text(&report));
    }
    Ok(if holds { CommandExit::DONE } else { CommandExit::FAILED })
}

const NOT_CHECKED: &str = "Not checked: the content of the events before the checkpoint, the rules, the index of open \
                           requests, and the integrity of the database. `countersign verify` checks them.";

fn as_text(report: &CheckpointReport) -> String {
    let from = report.from;
    if let Some(mismatch) = &report.mismatch {
        return format!("The log does not contain the checkpoint {from}.\n{mismatch}");
    }
    if let Some(broken) = &report.broken {
        return format!("The hash chain breaks after event {}.\n{broken}", report.tip.seq);
    }
    let after = report.tip.seq - from.seq;
    let unsealed = match report.unsealed {
        0 => String::new(),
        count => format!("\nThe last {count} events were inserted with SQL and have no hash yet."),
    };
    format!(
        "The log contains the checkpoint {from}.\n\
         {after} events follow it, and their hash chain is intact.\ntip {}{unsealed}\n{NOT_CHECKED}",
        report.tip
    )
}
