//! `countersign verify`

mod archives;
pub(crate) mod checkpoint;
mod database_findings;
mod signed;

use archives::ArchiveFindings;
use countersign_api::ApprovalGate;
use countersign_console::{
    CliError, CommandContext, CommandExit, count_words, describe_empty_log, escape_text, print_line,
};
use countersign_events::chain::Checkpoint;
use countersign_gate::EmbeddedGate;
use countersign_policy::Policy;
use countersign_proofs::pinned::PinnedKeys;
use countersign_service::doctor::describe_mismatches;
use countersign_store::{StoreOptions, VerifyReport};
use database_findings::DatabaseFindings;
use serde_json::json;
use signed::VerifiedCheckpoint;
use std::path::{Path, PathBuf};

/// Options of `verify`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "JSON: {\"holds\", \"events\", \"empty\": true if the log has no events or only policies, \"tip\", \"unsealed\", \"broken\": null or the reason, \"inadmissible\": [{\"seq\", \"reason\"}], \"inadmissibleCount\", \"judgedOtherwise\": the number of proposals that this version judges otherwise by the policy of their time, \"mismatches\": the calls that ran something else than was approved, \"newerEvents\": the events of types that only a newer version knows, \"unjudged\": the events that these or words of a newer version concern, and that were checked by the chain alone, \"proofs\": {\"proved\", \"unproved\": the approvals with and without a proof, \"unknownOrigin\": the proved ones by a passkey when the log knew no address of its pages}, \"chainHolds\", \"indexHolds\", \"repaired\", \"checkpoint\": the tip as SEQ:HASH, \"schema\": {\"problems\": […], \"notes\": […]}, \"integrity\": {\"problems\": […], \"skipped\": null or the reason}, \"archives\": [{\"file\", \"problem\": null or the reason, \"threads\", \"events\", \"digest\", \"left\": the threads whose archiving was interrupted, \"hasErasedTexts\"}]}; \"holds\" covers all checks. With --from or --checkpoint: {\"holds\", \"from\", \"checkpoint\", \"mismatch\", \"broken\", \"unsealed\", \"schema\", \"signed\": null or {\"at\", \"publicKey\", \"log\"}}"
)]
pub(crate) struct VerifyArgs {
    /// Rebuild the index of open requests from the events, if it is wrong
    #[arg(long)]
    repair: bool,
    /// Check that the log still contains this noted tip, and the hash chain after it: SEQ:HASH, or a file whose last
    /// line ends with it
    #[arg(long, value_name = "CHECKPOINT", conflicts_with = "repair")]
    from: Option<String>,
    /// Check the signature of this checkpoint, then the log from it on as --from does
    #[arg(long, value_name = "FILE", requires = "public_key", conflicts_with_all = ["from", "repair"])]
    checkpoint: Option<PathBuf>,
    /// The public key of the signature: ed25519:… or a file that contains it
    #[arg(long, value_name = "KEY", requires = "checkpoint")]
    public_key: Option<String>,
    /// Accept only proofs by the keys in this file, as `approver-key list --pins` prints them. Keep it off the log's
    /// machine
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "checkpoint"])]
    approver_keys: Option<PathBuf>,
    /// Also check this archive: that it is intact and has the log's events; repeatable
    #[arg(long = "archive", value_name = "FILE", conflicts_with_all = ["from", "checkpoint"])]
    archives: Vec<PathBuf>,
}

pub(crate) async fn verify_log(context: &CommandContext, args: &VerifyArgs) -> anyhow::Result<CommandExit> {
    if context.options.server.is_some() {
        return Err(CliError::usage("verify works on a database: use --database instead of --server").into());
    }
    let from = args.from.as_deref().map(|from| checkpoint::read_checkpoint("--from", from)).transpose()?;
    let signed = args.checkpoint.as_deref().zip(args.public_key.as_deref());
    let signed = signed.map(|(path, key)| VerifiedCheckpoint::read(path, key)).transpose()?;
    let pinned = args.approver_keys.as_deref().map(read_pinned_keys).transpose()?;
    let options = StoreOptions::for_reading();
    let gate = EmbeddedGate::open_with(context.settings.database()?, options, Policy::shipped()).await?;
    if let Some(signed) = &signed {
        signed.check_log(&gate).await?;
    }
    if let Some(from) = from.or_else(|| signed.as_ref().map(VerifiedCheckpoint::tip)) {
        return checkpoint::verify_from(context, &gate, from, signed.as_ref()).await;
    }
    // Both read the whole log, on connections of their own.
    let (findings, walked) =
        tokio::join!(DatabaseFindings::read(&gate), walk(context, &gate, pinned.as_ref()));
    let findings = findings?;
    // An unreadable row ends the walk, so print what explains it before.
    if walked.is_err() && !context.json {
        findings.lines().iter().for_each(|line| print_line(line));
    }
    let mut report = walked?;
    let repaired = args.repair && !report.index_holds;
    if repaired {
        gate.rebuild_index().await?;
        report = walk(context, &gate, pinned.as_ref()).await?;
    }
    let archives = ArchiveFindings::read(context, &gate, &args.archives).await?;
    let empty = describe_empty_log(context, &gate).await?;
    let mismatches = gate.mismatch_count().await?;
    gate.shut_down().await;
    if context.json {
        let facts = LogCondition { is_repaired: repaired, is_empty: empty.is_some(), mismatches };
        print_line(&as_json(&report, &facts, &findings, &archives).to_string());
    } else {
        if repaired {
            print_line("The index of open requests was wrong and has been rebuilt from the events.");
        }
        findings.lines().iter().for_each(|line| print_line(line));
        print_line(&as_text(&report, pinned.as_ref()));
        archives.lines().iter().for_each(|line| print_line(line));
        if mismatches > 0 {
            print_line(&describe_mismatches(mismatches));
        }
        if let Some(empty) = empty {
            print_line(&empty);
        }
    }
    Ok(if report.holds() && findings.holds() && archives.holds() {
        CommandExit::DONE
    } else {
        CommandExit::FAILED
    })
}

/// Reads the keys that are pinned off the log's machine.
fn read_pinned_keys(path: &Path) -> anyhow::Result<PinnedKeys> {
    let refuse = |why: String| CliError::usage(format!("--approver-keys {}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| refuse(error.to_string()))?;
    PinnedKeys::parse(&text).map_err(|why| refuse(why.to_string()).into())
}

async fn walk(
    context: &CommandContext,
    gate: &EmbeddedGate,
    pinned: Option<&PinnedKeys>,
) -> anyhow::Result<VerifyReport> {
    let total = gate.tip(None).await?;
    let mut progress = context.progress("events");
    let report = gate.verify_proofs(pinned.cloned(), |done| progress.update(done, total)).await?;
    progress.clear();
    Ok(report)
}

/// What is known of the log beside the report.
struct LogCondition {
    is_repaired: bool,
    is_empty: bool,
    mismatches: u64,
}

fn as_json(
    report: &VerifyReport,
    facts: &LogCondition,
    findings: &DatabaseFindings,
    archives: &ArchiveFindings,
) -> serde_json::Value {
    json!({
        "holds": report.holds() && findings.holds() && archives.holds(),
        "events": report.events,
        "empty": facts.is_empty,
        "tip": report.tip,
        "unsealed": report.unsealed,
        "broken": report.broken.as_ref().map(ToString::to_string),
        "inadmissible": list_inadmissible(report),
        "inadmissibleCount": report.inadmissible_count,
        "judgedOtherwise": report.judged_otherwise_count,
        "mismatches": facts.mismatches,
        "newerEvents": report.unjudged.newer,
        "unjudged": report.unjudged.concerned,
        "proofs": {
            "proved": report.proofs.proved,
            "unproved": report.proofs.unproved,
            "unknownOrigin": report.proofs.unknown_origin,
        },
        "chainHolds": report.broken.is_none(),
        "indexHolds": report.index_holds,
        "repaired": facts.is_repaired,
        "checkpoint": report.broken.is_none().then(|| tip_of(report).to_string()),
        "schema": database_findings::schema_json(&findings.schema),
        "integrity": { "problems": findings.integrity.problems, "skipped": findings.integrity.skipped },
        "archives": archives.to_json(),
    })
}

/// The log's end, to be noted as a checkpoint.
pub(super) const fn tip_of(report: &VerifyReport) -> Checkpoint {
    Checkpoint { seq: report.events, hash: report.tip }
}

/// The rows that the rules would not have written.
pub(crate) fn list_inadmissible(report: &VerifyReport) -> Vec<serde_json::Value> {
    report.inadmissible.iter().map(|row| json!({ "seq": row.seq, "reason": row.reason })).collect()
}

/// The approvals that prove their author, if the log has some or if keys are pinned.
fn describe_proofs(report: &VerifyReport, pinned: Option<&PinnedKeys>) -> Option<String> {
    let (proved, unproved) = (report.proofs.proved, report.proofs.unproved);
    let keys = pinned.map(|pinned| count_words(pinned.count() as u64, "pinned key"));
    let by = keys.map_or_else(|| "by the keys in the log".to_owned(), |keys| format!("by {keys}"));
    let is_told = proved > 0 || pinned.is_some();
    let unknown = report.proofs.unknown_origin;
    let origins = if unknown == 0 {
        String::new()
    } else {
        format!(" {unknown} by passkeys at a time when the log knew no address of its pages.")
    };
    is_told.then(|| {
        format!(
            "{} of people checked {by}; {unproved} without a proof.{origins}",
            count_words(proved, "proved approval")
        )
    })
}

fn describe_row(seq: i64, reason: &str) -> String {
    format!("event {seq}: {}", escape_text(reason))
}

/// Adds the number of rows that the report leaves out.
fn note_hidden(mut lines: Vec<String>, count: u64) -> Vec<String> {
    let hidden = count.saturating_sub(lines.len() as u64);
    lines.extend((hidden > 0).then(|| format!("and {hidden} more")));
    lines
}

fn as_text(report: &VerifyReport, pinned: Option<&PinnedKeys>) -> String {
    let mut lines = vec![match &report.broken {
        None => format!("{} events, and the hash chain is intact.\ntip {}", report.events, tip_of(report)),
        Some(broken) => {
            format!("The hash chain is intact for {} events and then breaks.\n{broken}", report.events)
        }
    }];
    if report.unsealed > 0 {
        lines.push(format!(
            "The last {} events were inserted with SQL and have no hash yet. The next event that Countersign writes seals them.",
            report.unsealed
        ));
    }
    if report.inadmissible_count > 0 {
        lines.push(format!("The rules would not have written {} events:", report.inadmissible_count));
        let rows = report.inadmissible.iter().map(|row| describe_row(row.seq, &row.reason)).collect();
        lines.extend(note_hidden(rows, report.inadmissible_count));
    }
    if report.judged_otherwise_count > 0 {
        lines.push(format!(
            "This version judges {} otherwise by the policy of their time. An earlier version may have read them less \
             strictly, or another program wrote them:",
            count_words(report.judged_otherwise_count, "proposal")
        ));
        let rows = report.judged_otherwise.iter().map(|row| describe_row(row.seq, &row.reason)).collect();
        lines.extend(note_hidden(rows, report.judged_otherwise_count));
    }
    if report.unjudged.newer == 0 && report.unjudged.concerned > 0 {
        lines.push(format!(
            "Words that only a newer version knows concern {}; the rules of this version did not judge these. The hash chain covers them all.",
            count_words(report.unjudged.concerned, "event")
        ));
    }
    if report.unjudged.newer > 0 {
        lines.push(format!(
            "{} of types that only a newer version knows; the rules of this version did not judge these, nor {} that they \
             concern. The hash chain covers them all.",
            count_words(report.unjudged.newer, "event"),
            count_words(report.unjudged.concerned, "event")
        ));
    }
    lines.extend(describe_proofs(report, pinned));
    if !report.index_holds {
        lines.push(
            "The index of open requests does not match the events. Run: countersign verify --repair"
                .to_owned(),
        );
    }
    lines.join("\n")
}
