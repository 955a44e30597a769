//! Checks of the database below the log: its schema and its integrity.

use crate::doctor::results::CheckResults;
use countersign_api::GateError;
use countersign_gate::EmbeddedGate;

const COPY: &str =
    "copy the events into a new log with `countersign copy`, and find out who changed this one";

/// Compares the schema with the one that the migrations make.
pub(super) async fn check_schema(gate: &EmbeddedGate, results: &mut CheckResults) -> Result<(), GateError> {
    let report = gate.inspect_schema().await?;
    if report.holds() {
        let notes: Vec<_> = report.notes.iter().map(|note| format!("; {note}")).collect();
        results.ok("schema", format!("the tables, indexes and triggers are complete{}", notes.concat()));
    } else {
        results.fail("schema", report.problems.join("; "), COPY);
    }
    Ok(())
}

/// Runs the integrity check of the database.
pub(super) async fn check_integrity(
    gate: &EmbeddedGate,
    results: &mut CheckResults,
) -> Result<(), GateError> {
    let report = gate.inspect_integrity().await?;
    match (report.problems.as_slice(), &report.skipped) {
        ([], None) => results.ok("integrity", "the database finds no damage"),
        ([], Some(why)) => results.ok("integrity", format!("not checked: {why}")),
        (problems, _) => results.fail("integrity", problems.join("; "), "restore a backup"),
    }
    Ok(())
}
