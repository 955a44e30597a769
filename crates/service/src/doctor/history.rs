//! Checks of the log: it opens, its hash chain is intact, and its index matches the events.

use super::{database, server::REMEDY};
use crate::doctor::results::CheckResults;
use countersign_api::{
    self as api, ApprovalGate, GateError, LogFilter, SendOperation, UnavailableReason, operations,
};
use countersign_console::{COPIED_FILE, CommandContext, count_words, is_empty_log};
use countersign_events::chain;
use countersign_gate::{EmbeddedGate, GateFailure};
use countersign_policy::Policy;
use countersign_store::{Clock, DatabaseUrl, SchemaLayout, StoreOptions};
use std::time::Duration;

/// A longer log is checked completely only if the user asks for it, because that takes long.
const SHORT: i64 = 100_000;
/// The number of recent events that are checked in a longer log.
const LAST: i64 = 1_000;
/// The accepted clock difference between machines that share a file.
const APART: Duration = Duration::from_mins(1);

/// Checks the log. `full` checks a long log completely too.
pub(crate) async fn check_log(
    context: &CommandContext,
    address: &DatabaseUrl,
    full: bool,
    results: &mut CheckResults,
) {
    let options = StoreOptions::for_reading();
    let gate = match EmbeddedGate::open_with(address.clone(), options, Policy::shipped()).await {
        Ok(gate) => gate,
        Err(error) => {
            let code = error.reason().unwrap_or(error.code());
            return results.fail_with(check_of(&error, address), &error, code);
        }
    };
    let is_file = matches!(address, DatabaseUrl::File(_));
    if is_file && !gate.is_read_only() {
        results.ok("file system", "write-ahead logging works");
    }
    match gate.found_layout() {
        SchemaLayout::Newer { found, .. } => {
            let what = format!(
                "a newer Countersign has changed it (layout {found}), so this one only reads the log"
            );
            results.warn("layout", what, "use the newer program");
        }
        _ => results.ok("layout", format!("the layout of Countersign {}", env!("CARGO_PKG_VERSION"))),
    }
    let inspected = match database::check_schema(&gate, results).await {
        Ok(()) => log(context, &gate, address, full, results).await,
        Err(error) => Err(error),
    };
    if let Err(error) = inspected {
        let code = error.facts.reason.map_or(error.code(), UnavailableReason::as_str);
        results.fail_with("log", &error, code);
    }
    gate.shut_down().await;
}

fn check_of(error: &GateFailure, address: &DatabaseUrl) -> &'static str {
    match error.code() {
        "no_wal" => "file system",
        "newer_database" => "layout",
        "half_copied" => "copy",
        _ if matches!(address, DatabaseUrl::Postgres(_)) => "log",
        _ if error.reason() == Some("read_only") => "folder",
        _ => "file",
    }
}

async fn log(
    context: &CommandContext,
    gate: &EmbeddedGate,
    address: &DatabaseUrl,
    full: bool,
    results: &mut CheckResults,
) -> Result<(), GateError> {
    if matches!(address, DatabaseUrl::File(_)) && is_empty_log(gate).await? {
        let remedy = format!("if it should have some: {COPIED_FILE}");
        results.warn("events", "this log has no events", remedy);
    }
    let parked: usize = gate
        .send(operations::ListWebhooks {})
        .await?
        .webhooks
        .iter()
        .map(|webhook| webhook.parked_count)
        .sum();
    if parked > 0 {
        let found = format!("{} of webhooks could not be delivered", count_words(parked as u64, "message"));
        results.warn("webhooks", found, REMEDY);
    }
    let mismatches = gate.mismatch_count().await?;
    if mismatches > 0 {
        let remedy = "find the hook or the agent that replaces arguments; `onMismatch = \"stop\"` in the policy stops such sessions";
        results.warn("what ran", describe_mismatches(mismatches), remedy);
    }
    let tip = gate.tip(None).await?;
    let from = (tip - LAST).max(0);
    let page = api::PageQuery { after: from, limit: api::MAX_PAGE };
    let last = gate.events(&LogFilter::default(), page).await?.events;
    let sealed = last.iter().filter(|event| event.hash.is_some());
    let unsealed = last.len() - sealed.count();
    if unsealed > 0 {
        let found =
            format!("the last {unsealed} of {tip} events were inserted with SQL and have no hash yet");
        results.warn("seal", found, "the next event that Countersign writes seals them");
    } else {
        results.ok("seal", format!("the last of {} has a hash", count_words(tip.unsigned_abs(), "event")));
    }
    let ahead = last.last().filter(|event| event.timestamp > Clock::System.now().after(APART));
    if let Some(event) = ahead {
        let found = format!("the time of the last event, {}, is in the future", event.timestamp);
        results.warn("clock", found, "set the clock of the machines that write to the log");
    }
    if is_checked_completely(tip, full) {
        database::check_integrity(gate, results).await?;
        return whole(context, gate, tip, results).await;
    }
    let links = last.windows(2).find(|pair| {
        let before = pair[0].hash;
        before.zip(pair[1].hash).is_some_and(|(before, hash)| chain::link(before, &pair[1]) != hash)
    });
    match links {
        Some(pair) => results.fail("chain", format!("the chain breaks at event {}", pair[1].seq), BROKEN),
        None => results.ok("chain", format!("the last {LAST} events are intact; {CHECKS_ALL}")),
    }
    for check in ["integrity", "index"] {
        results.ok(check, format!("not checked, because the log has more than {SHORT} events; {CHECKS_ALL}"));
    }
    Ok(())
}

/// Returns true if every event is read, and the database checks its own integrity.
const fn is_checked_completely(tip: i64, full: bool) -> bool {
    full || tip <= SHORT
}

const CHECKS_ALL: &str = "`countersign doctor --full` checks all";

const BROKEN: &str = "a row was changed: find it with `countersign verify`, and restore a backup";

const INADMISSIBLE: &str =
    "a program bypassed the rules: `countersign verify` lists the events and the reasons";

async fn whole(
    context: &CommandContext,
    gate: &EmbeddedGate,
    tip: i64,
    results: &mut CheckResults,
) -> Result<(), GateError> {
    let mut progress = context.progress("events");
    let report = gate.verify(|done| progress.update(done, tip)).await?;
    progress.clear();
    match &report.broken {
        Some(broken) => results.fail("chain", broken.to_string(), BROKEN),
        None => results.ok(
            "chain",
            format!("the chain of {} is intact", count_words(report.events.unsigned_abs(), "event")),
        ),
    }
    if let Some(row) = report.inadmissible.first() {
        let found = format!(
            "the rules would not have written {} events, the first of them event {}",
            report.inadmissible_count, row.seq
        );
        results.fail("rules", found, INADMISSIBLE);
    } else if report.broken.is_none() {
        results.ok("rules", "the rules would have written every event");
    }
    if report.index_holds {
        results.ok("index", "the index of open requests matches the events");
    } else {
        let found = "the index of open requests does not match the events";
        results.fail("index", found, "run `countersign verify --repair`");
    }
    Ok(())
}

/// The calls that ran something else than was approved.
#[must_use]
pub fn describe_mismatches(count: u64) -> String {
    let calls = count_words(count, "call");
    format!(
        "{calls} ran other arguments than were approved, or without an approval: `countersign log --type TOOL_EXECUTION_MISMATCH` lists them."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_log_is_checked_completely_on_request() {
        assert!(is_checked_completely(SHORT, false));
        assert!(!is_checked_completely(SHORT + 1, false));
        assert!(is_checked_completely(SHORT + 1, true));
    }
}
