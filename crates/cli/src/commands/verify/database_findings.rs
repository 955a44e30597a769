//! The findings about the database below the log: its schema and its integrity.

use countersign_console::escape_text;
use countersign_gate::{EmbeddedGate, GateFailure};
use countersign_store::{IntegrityReport, SchemaReport};
use serde_json::json;

/// The findings about the database.
pub(super) struct DatabaseFindings {
    pub(super) schema: SchemaReport,
    pub(super) integrity: IntegrityReport,
}

impl DatabaseFindings {
    /// Inspects the open database.
    pub(super) async fn read(gate: &EmbeddedGate) -> Result<Self, GateFailure> {
        Ok(Self { schema: gate.inspect_schema().await?, integrity: gate.inspect_integrity().await? })
    }

    /// Returns true if nothing is wrong.
    pub(super) fn holds(&self) -> bool {
        self.schema.holds() && self.integrity.holds()
    }

    /// The findings in lines; none if there are none.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = schema_lines(&self.schema);
        if !self.integrity.holds() {
            lines.push("The integrity check of the database found damage; restore a backup:".to_owned());
            lines.extend(self.integrity.problems.iter().map(|problem| format!("  {}", escape_text(problem))));
        }
        let skipped = self.integrity.skipped.as_ref();
        lines.extend(skipped.map(|why| format!("The integrity check was not made: {}.", escape_text(why))));
        lines
    }
}

/// The findings about the schema in lines.
pub(super) fn schema_lines(schema: &SchemaReport) -> Vec<String> {
    let mut lines = Vec::new();
    if !schema.holds() {
        lines.push(
            "The schema is not the one that Countersign makes. `countersign copy` copies the events into a new one:"
                .to_owned(),
        );
        lines.extend(schema.problems.iter().map(|problem| format!("  {}", escape_text(problem))));
    }
    lines.extend(schema.notes.iter().map(|note| format!("Note: {}.", escape_text(note))));
    lines
}

/// The findings about the schema as JSON.
pub(super) fn schema_json(schema: &SchemaReport) -> serde_json::Value {
    json!({ "problems": schema.problems, "notes": schema.notes })
}
