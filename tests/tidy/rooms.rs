//! The crates point inwards, and what only one room may know stays in it.

use super::{files_ending, read};

/// Who may use whom.
const MAY_USE: &[(&str, &[&str])] = &[
    ("approvals", &[]),
    ("store", &["approvals"]),
    ("gate", &["approvals", "store"]),
    ("server", &["gate"]),
    ("tui", &["gate"]),
    ("cli", &["approvals", "store", "gate", "server", "tui"]),
];

#[test]
fn crates_point_inwards() {
    let manifests = files_ending("Cargo.toml");
    let crates: Vec<_> = manifests
        .iter()
        .filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
        .collect();
    assert_eq!(crates.len(), MAY_USE.len(), "every room has its arrows in this test: {crates:?}");
    for name in crates {
        let (_, allowed) = MAY_USE.iter().find(|(room, _)| *room == name).expect(name);
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let uses =
            manifest.lines().filter_map(|line| line.strip_prefix("countersign-")?.split(['.', ' ']).next());
        for used in uses {
            assert!(allowed.contains(&used), "{name} may not use {used}");
        }
    }
}

#[test]
fn only_the_store_knows_sql() {
    for path in files_ending(".rs").iter().filter(|path| path.starts_with("crates/")) {
        if !path.starts_with("crates/store/") {
            assert!(!read(path).contains("sqlx"), "{path} knows SQL");
        }
    }
}

#[test]
fn what_an_approval_is_knows_no_time_and_no_world() {
    let manifest = read("crates/approvals/Cargo.toml");
    for stranger in ["tokio", "sqlx", "reqwest", "tracing", "rand", "getrandom"] {
        let used = manifest.lines().any(|line| line.starts_with(&format!("{stranger}.")));
        assert!(!used, "approvals uses {stranger}");
    }
}
