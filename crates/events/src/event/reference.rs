//! The documentation sections that are generated from the event type descriptions.

use super::EventType;
use crate::sealed::{ADVICE_TEXTS, TEXTS};
use std::{collections::BTreeSet, fmt::Write as _, fs};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/events.md");
const BEFORE: &str = "<!-- The list of types is generated. -->\n";
const AFTER: &str = "<!-- The end of the generated list. -->\n";

fn list_types() -> String {
    let mut table =
        String::from("| type | at most one for each | erasable content | |\n| --- | --- | --- | --- |\n");
    for kind in EventType::ALL {
        let names = |members: &[&str]| {
            members.iter().map(|member| format!("`{member}`")).collect::<Vec<_>>().join(", ")
        };
        let (unique, content) = (names(kind.unique_members()), names(kind.content_members()));
        let _ = writeln!(table, "| `{kind}` | {unique} | {content} | {} |", kind.description());
    }
    table
}

/// `COUNTERSIGN_ACCEPT=1` writes the list again.
#[test]
fn page_lists_all_types() {
    let page = fs::read_to_string(PAGE).expect("the page exists");
    let (start, rest) = page.split_once(BEFORE).expect("the page has the list");
    let (found, end) = rest.split_once(AFTER).expect("the list ends");
    let list = list_types();
    if std::env::var_os("COUNTERSIGN_ACCEPT").is_some() {
        fs::write(PAGE, format!("{start}{BEFORE}{list}{AFTER}{end}")).expect("the page is written");
    } else {
        assert_eq!(found, list, "run the test with COUNTERSIGN_ACCEPT=1");
    }
    for kind in EventType::ALL {
        assert!(end.contains(&format!("`{kind}`")), "the page does not describe the members of {kind}");
    }
}

/// The scripts that check a log without this code have the same members.
#[test]
fn sealed_members_match_types_and_scripts() {
    let described: BTreeSet<_> = EventType::ALL.iter().flat_map(|kind| kind.content_members()).collect();
    // A scope is content if it is a pattern.
    let sealed: BTreeSet<_> = TEXTS.iter().chain(&ADVICE_TEXTS).chain(&["scope"]).collect();
    assert_eq!(described, sealed);
    for script in ["verify_export.py", "verify_log.py"] {
        let script = fs::read_to_string(format!("{}/../../docs/{script}", env!("CARGO_MANIFEST_DIR")));
        let list = TEXTS.map(|name| format!("\"{name}\"")).join(", ");
        assert!(script.expect("the script exists").contains(&format!("TEXTS = ({list})")));
    }
}
