//! Example answers of operations, for the OpenAPI document.

use serde_json::{Map, Value};

/// The answers, one operation a line. `tests/api/examples.rs` writes them: they are what a server answered.
const ANSWERS: &str = include_str!("examples.json");

/// Returns an example answer of each operation that has its own, by operation id. For the others, the example of the
/// answer's type stands.
#[must_use]
pub fn example_answers() -> Map<String, Value> {
    // A test of the OpenAPI document fails if this cannot be read.
    serde_json::from_str(ANSWERS).unwrap_or_default()
}
