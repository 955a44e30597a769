//! `/v1` only grows: today's OpenAPI document is compared with those of all released versions, in
//! `tests/fixtures/golden/VERSION/openapi.json`. docs/compatibility.md has the promise.

mod cases;
mod operations;
mod rules;
mod schemas;
mod shape;

use operations::compare_documents;
use serde_json::Value;
use std::{fs, path::Path};

/// The documents of released versions, each with its version.
fn released_documents() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/golden");
    let folders =
        fs::read_dir(folder).expect("the golden files").map(|entry| entry.expect("an entry").path());
    let with_document = folders.filter_map(|path| {
        let text = fs::read_to_string(path.join("openapi.json")).ok()?;
        let version = path.file_name().expect("a name").to_string_lossy().into_owned();
        Some((version, serde_json::from_str(&text).expect("JSON")))
    });
    with_document.collect()
}

#[test]
fn document_keeps_what_released_versions_promised() {
    let now: Value = serde_json::from_str(&super::document::document()).expect("JSON");
    let released = released_documents();
    assert!(released.iter().any(|(version, _)| version == "0.1.0"), "the first release has its document");
    for (version, document) in released {
        assert_eq!(document["info"]["version"], version, "the folder names the version of its document");
        let broken = compare_documents(&document, &now);
        let lines: Vec<_> = broken.iter().map(|promise| format!("- {promise}\n")).collect();
        assert!(
            lines.is_empty(),
            "clients of {version} would fail (docs/compatibility.md):\n{}Change the routes or the types. \
             The document of a released version never changes.",
            lines.concat()
        );
    }
}
