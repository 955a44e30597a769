//! `countersign verify`

use crate::{
    args::{Args, Verify},
    exit::{Exit, Said},
    output::{self, visible},
    progress::Progress,
};
use countersign_api::ApprovalGate;
use countersign_gate::{EmbeddedGate, Options, Policy, Report};
use serde_json::json;

pub(crate) async fn verify(args: &Args, verify: &Verify) -> anyhow::Result<Exit> {
    if args.target.server.is_some() {
        return Err(Said::usage("verify reads the log itself: use --database instead of --server").into());
    }
    let options = Options { create: false, ..Options::default() };
    let gate = EmbeddedGate::open_with(args.settings.database()?, options, Policy::ask_always()).await?;
    let mut report = walk(args, &gate).await?;
    let repaired = verify.repair && !report.index_holds;
    if repaired {
        gate.rebuild_index().await?;
        report = walk(args, &gate).await?;
    }
    if args.json {
        output::say(&as_json(&report, repaired).to_string());
    } else {
        if repaired {
            output::say("The index of open requests was wrong and has been rebuilt from the events.");
        }
        output::say(&as_text(&report));
    }
    Ok(if report.holds() { Exit::DONE } else { Exit::FAILED })
}

async fn walk(args: &Args, gate: &EmbeddedGate) -> anyhow::Result<Report> {
    let total = gate.tip(None).await?;
    let mut progress = Progress::of(args, "events");
    let report = gate.verify(|done| progress.at(done, total)).await?;
    progress.clear();
    Ok(report)
}

fn as_json(report: &Report, repaired: bool) -> serde_json::Value {
    json!({
        "holds": report.holds(),
        "events": report.events,
        "tip": report.tip,
        "unsealed": report.unsealed,
        "broken": report.broken.as_ref().map(ToString::to_string),
        "inadmissible": inadmissible(report),
        "inadmissibleCount": report.inadmissible_count,
        "chainHolds": report.broken.is_none(),
        "indexHolds": report.index_holds,
        "repaired": repaired,
    })
}

/// The rows that the rules would not have written.
pub(crate) fn inadmissible(report: &Report) -> Vec<serde_json::Value> {
    report.inadmissible.iter().map(|row| json!({ "seq": row.seq, "reason": row.reason })).collect()
}

fn as_text(report: &Report) -> String {
    let mut lines = vec![match &report.broken {
        None => format!("{} events, and the chain holds.\ntip {}", report.events, report.tip),
        Some(broken) => format!("The chain holds for {} events and then breaks.\n{broken}", report.events),
    }];
    if report.unsealed > 0 {
        lines.push(format!(
            "The last {} were inserted with SQL; the next event that Countersign writes seals them.",
            report.unsealed
        ));
    }
    if report.inadmissible_count > 0 {
        lines.push(format!("The rules would not have written {} events:", report.inadmissible_count));
        lines.extend(
            report.inadmissible.iter().map(|row| format!("event {}: {}", row.seq, visible(&row.reason))),
        );
        let hidden = report.inadmissible_count.saturating_sub(report.inadmissible.len() as u64);
        lines.extend((hidden > 0).then(|| format!("and {hidden} more")));
    }
    if !report.index_holds {
        lines.push(
            "The index of open requests does not agree with the events: countersign verify --repair"
                .to_owned(),
        );
    }
    lines.join("\n")
}
