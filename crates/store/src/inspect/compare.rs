//! Compares the objects of two schemas.

use super::report::SchemaReport;
use crate::database::SqlRow;

/// A schema object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SchemaObject {
    /// `table`, `index`, `trigger` and so on.
    pub(super) kind: String,
    pub(super) name: String,
    /// The table or the view that it belongs to.
    pub(super) table: String,
    pub(super) definition: String,
}

impl SchemaObject {
    /// Reads a row of `schema_objects.sql`.
    pub(super) fn read(row: &SqlRow) -> Option<Self> {
        let text = |column| row.text(column);
        Some(Self {
            kind: text(0)?,
            name: text(1)?,
            table: text(2)?,
            definition: text(3).unwrap_or_default(),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind && self.name == other.name && self.table == other.table
    }
}

/// Kinds of objects that can change, add or hide rows of the table that they belong to.
const ACTIVE_KINDS: [&str; 3] = ["trigger", "rule", "policy"];

/// Object kinds that other programs may have in the same schema. They do nothing unless a log object uses them, and log
/// objects are compared.
const PASSIVE_KINDS: [&str; 2] = ["function", "operator"];

/// Compares the objects that were found with those that are expected.
pub(super) fn compare_objects(expected: &[SchemaObject], found: &[SchemaObject]) -> SchemaReport {
    let mut report = SchemaReport::default();
    for object in expected {
        let SchemaObject { kind, name, .. } = object;
        match found.iter().find(|other| other.is_same(object)) {
            None => report.problems.push(format!("the {kind} {name} is missing")),
            Some(other) if other.definition != object.definition => {
                report
                    .problems
                    .push(format!("the {kind} {name} differs from the one that Countersign makes"));
            }
            Some(_) => {}
        }
    }
    let is_ours = |object: &&SchemaObject| expected.iter().any(|other| other.is_same(object));
    for object in found.iter().filter(|object| !is_ours(object)) {
        let SchemaObject { kind, name, table, .. } = object;
        let belongs_to_log = expected.iter().any(|other| other.name == *table);
        if ACTIVE_KINDS.contains(&kind.as_str()) && belongs_to_log {
            report.problems.push(format!("the {kind} {name} on {table} was added by another program"));
        } else if !PASSIVE_KINDS.contains(&kind.as_str()) {
            report.notes.push(format!("the {kind} {name} was added by another program, and is not checked"));
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: &str, name: &str, table: &str, definition: &str) -> SchemaObject {
        let [kind, name, table, definition] = [kind, name, table, definition].map(str::to_owned);
        SchemaObject { kind, name, table, definition }
    }

    #[test]
    fn missing_and_changed_objects_are_problems() {
        let expected = [object("table", "events", "events", "a"), object("index", "by_id", "events", "b")];
        let found = [object("index", "by_id", "events", "c")];
        let report = compare_objects(&expected, &found);
        assert_eq!(
            report.problems,
            ["the table events is missing", "the index by_id differs from the one that Countersign makes"]
        );
    }

    #[test]
    fn only_added_triggers_on_our_tables_are_problems() {
        let expected = [object("table", "events", "events", "a")];
        let mut found = expected.to_vec();
        found.extend([
            object("index", "mine", "events", "x"),
            object("trigger", "silent", "events", "x"),
            object("table", "notes", "notes", "x"),
            object("trigger", "on_notes", "notes", "x"),
            object("function", "helper()", "", "x"),
        ]);
        let report = compare_objects(&expected, &found);
        assert_eq!(report.problems, ["the trigger silent on events was added by another program"]);
        let names: Vec<_> = report.notes.iter().filter_map(|note| note.split(' ').nth(2)).collect();
        assert_eq!(names, ["mine", "notes", "on_notes"]);
    }
}
