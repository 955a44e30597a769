//! Events as rows of CSV (RFC 4180) that a spreadsheet reads as text only.

use countersign_events::{Event, EventType};
use serde::Deserialize;

/// The event columns.
pub const EVENT_COLUMNS: [&str; 10] = [
    "seq",
    "timestamp",
    "thread_id",
    "type",
    "principal",
    "tool_call_id",
    "tool",
    "decision",
    "data",
    "hash",
];

/// Characters that make a spreadsheet compute a cell that starts with them.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// The fields of `data` that have columns of their own.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventFields {
    id: Option<String>,
    tool_call_id: Option<String>,
    name: Option<String>,
    tool: Option<String>,
    decision: Option<String>,
}

/// The row for an event. `data` is the column's text.
pub fn format_event_row(event: &Event) -> String {
    // Message data may have other types of values under these names.
    let fields: EventFields = event.data.read().unwrap_or_default();
    let is_call = event.kind == EventType::ToolCall;
    let (id, tool) = if is_call { (fields.id, fields.name) } else { (fields.tool_call_id, fields.tool) };
    let text = |field: Option<String>| field.unwrap_or_default();
    let hash = event.hash.map(|hash| hash.to_string()).unwrap_or_default();
    let cells = [
        event.seq.to_string(),
        event.timestamp.to_string(),
        event.thread_id.to_string(),
        event.kind.to_string(),
        event.principal.to_string(),
        text(id),
        text(tool),
        text(fields.decision),
        event.data.as_str().to_owned(),
        hash,
    ];
    format_csv_row(cells.iter().map(String::as_str))
}

/// A row of quoted cells. A cell that a spreadsheet would compute gets an apostrophe before it.
pub fn format_csv_row<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let quoted = cells.into_iter().map(|cell| {
        let guard = if cell.starts_with(FORMULA_STARTS) { "'" } else { "" };
        format!("\"{guard}{}\"", cell.replace('"', "\"\""))
    });
    quoted.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        assert_eq!(format_csv_row(["a", "b,\"c\"\nd", ""]), "\"a\",\"b,\"\"c\"\"\nd\",\"\"");
        for formula in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"] {
            assert_eq!(format_csv_row([formula]), format!("\"'{formula}\""));
        }
        assert_eq!(format_csv_row(["1=1", "a-b"]), "\"1=1\",\"a-b\"");
    }
}
