//! The log itself: does it open, hold together, and have the index that its events call for?

use super::{Findings, failed};
use crate::{args::Args, progress::Progress};
use countersign_api::{self as api, ApprovalGate, GateError, LogFilter, UnavailableReason};
use countersign_gate::{Address, Clock, EmbeddedGate, Error, Options, Policy, chain};
use std::time::Duration;

/// What is walked whole here; a longer log is for `verify`.
const SHORT: i64 = 100_000;
/// How many of the last events of a longer log are looked at.
const LAST: i64 = 1_000;
/// Clocks of machines that share a file may be apart by so much.
const APART: Duration = Duration::from_mins(1);

pub(super) async fn look(args: &Args, address: &Address, findings: &mut Findings) {
    let options = Options { create: false, ..Options::default() };
    let gate = match EmbeddedGate::open_with(address.clone(), options, Policy::ask_always()).await {
        Ok(gate) => gate,
        Err(error) => {
            return failed(
                findings,
                check_of(&error, address),
                &error,
                error.reason().unwrap_or(error.code()),
            );
        }
    };
    if matches!(address, Address::File(_)) {
        findings.ok("file system", "a write-ahead log works here");
    }
    findings.ok("layout", format!("as Countersign {} knows it", env!("CARGO_PKG_VERSION")));
    if let Err(error) = log(args, &gate, findings).await {
        failed(findings, "log", &error, error.facts.reason.map_or(error.code(), UnavailableReason::as_str));
    }
    gate.shut_down().await;
}

fn check_of(error: &Error, address: &Address) -> &'static str {
    match error.code() {
        "no_wal" => "file system",
        "newer_database" => "layout",
        "half_copied" => "copy",
        _ if matches!(address, Address::Postgres(_)) => "log",
        _ if error.reason() == Some("read_only") => "folder",
        _ => "file",
    }
}

async fn log(args: &Args, gate: &EmbeddedGate, findings: &mut Findings) -> Result<(), GateError> {
    let tip = gate.tip(None).await?;
    let from = (tip - LAST).max(0);
    let page = api::PageQuery { after: from, limit: api::MAX_PAGE };
    let last = gate.events(&LogFilter::default(), page).await?.events;
    let sealed = last.iter().filter(|event| event.hash.is_some());
    let unsealed = last.len() - sealed.count();
    if unsealed > 0 {
        let found = format!("the last {unsealed} of {tip} events were inserted by hand and are not sealed");
        findings.warn("seal", found, "the next event that Countersign writes seals them");
    } else {
        findings.ok("seal", format!("the last of {tip} events is sealed"));
    }
    let ahead = last.last().filter(|event| event.timestamp > Clock::System.now().after(APART));
    if let Some(event) = ahead {
        let found = format!("the last event is of {}, which has not come yet", event.timestamp);
        findings.warn("clock", found, "one of the machines that write to the log has a wrong clock");
    }
    if tip <= SHORT {
        return whole(args, gate, tip, findings).await;
    }
    let links = last.windows(2).find(|pair| {
        let before = pair[0].hash;
        before.zip(pair[1].hash).is_some_and(|(before, hash)| chain::link(before, &pair[1]) != hash)
    });
    match links {
        Some(pair) => findings.fail("chain", format!("it breaks at event {}", pair[1].seq), BROKEN),
        None => {
            findings.ok("chain", format!("the last {LAST} events hold; `countersign verify` walks them all"));
        }
    }
    findings.ok("index", "not compared, because the log is long; `countersign verify` does");
    Ok(())
}

const BROKEN: &str = "a row was changed: `countersign verify` tells which; restore a backup";

const INADMISSIBLE: &str =
    "a program bypassed the rules: `countersign verify` lists the events and the reasons";

async fn whole(args: &Args, gate: &EmbeddedGate, tip: i64, findings: &mut Findings) -> Result<(), GateError> {
    let mut progress = Progress::of(args, "events");
    let report = gate.verify(|done| progress.at(done, tip)).await?;
    progress.clear();
    match &report.broken {
        Some(broken) => findings.fail("chain", broken.to_string(), BROKEN),
        None => findings.ok("chain", format!("all {} events hold", report.events)),
    }
    if let Some(row) = report.inadmissible.first() {
        let found = format!(
            "the rules would not have written {} events, the first of them event {}",
            report.inadmissible_count, row.seq
        );
        findings.fail("rules", found, INADMISSIBLE);
    } else if report.broken.is_none() {
        findings.ok("rules", "the rules would have written every event");
    }
    if report.index_holds {
        findings.ok("index", "the index of open requests agrees with the events");
    } else {
        let found = "the index of open requests does not agree with the events";
        findings.fail("index", found, "countersign verify --repair");
    }
    Ok(())
}
