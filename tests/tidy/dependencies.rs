//! The permitted dependencies of each crate: between crates, and on SQL, runtimes and I/O.

use super::{files_ending, read, root};
use std::{collections::BTreeSet, process::Command};

/// Each crate, and the crates that it may depend on.
const ALLOWED_DEPENDENCIES: &[(&str, &[&str])] = &[
    ("cel", &[]),
    ("events", &[]),
    ("patterns", &[]),
    ("redaction", &["events", "patterns"]),
    ("policy", &["cel", "events", "patterns", "redaction"]),
    ("proofs", &["events"]),
    ("approvals", &["events", "patterns", "policy", "proofs", "redaction"]),
    ("replay", &["events", "policy", "approvals"]),
    ("schema", &[]),
    ("store", &["events", "approvals"]),
    ("api", &["events"]),
    ("client", &["events", "api"]),
    ("messages", &["api", "events"]),
    ("gate", &["events", "messages", "policy", "proofs", "approvals", "replay", "schema", "store", "api"]),
    ("oidc", &["events"]),
    ("web", &[]),
    ("server", &["api", "gate", "oidc", "web"]),
    ("tui", &["events", "api", "client", "gate"]),
    ("webhooks", &["events", "api", "client", "gate"]),
    ("advisors", &["events", "api", "client", "gate", "policy", "redaction"]),
    ("mcp", &["events", "api", "client"]),
    ("agents", &["events", "api"]),
    (
        "cli",
        &[
            "advisors", "agents", "events", "api", "client", "gate", "mcp", "messages", "oidc", "server",
            "tui", "webhooks",
        ],
    ),
];

#[test]
fn crate_dependencies_point_inwards() {
    let manifests = files_ending("Cargo.toml");
    let crates: Vec<_> = manifests
        .iter()
        .filter_map(|path| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
        .collect();
    assert_eq!(
        crates.len(),
        ALLOWED_DEPENDENCIES.len(),
        "list each crate in ALLOWED_DEPENDENCIES: {crates:?}"
    );
    for name in crates {
        let (_, allowed) = ALLOWED_DEPENDENCIES.iter().find(|(listed, _)| *listed == name).expect(name);
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let uses =
            manifest.lines().filter_map(|line| line.strip_prefix("countersign-")?.split(['.', ' ']).next());
        for used in uses {
            assert!(allowed.contains(&used), "crates/{name} must not depend on crates/{used}");
        }
    }
}

#[test]
fn only_the_store_uses_sqlx() {
    for path in files_ending(".rs").iter().filter(|path| path.starts_with("crates/")) {
        if !path.starts_with("crates/store/") {
            assert!(!read(path).contains("sqlx"), "{path} uses sqlx; only crates/store may");
        }
    }
}

#[test]
fn pure_crates_use_no_runtime_or_io() {
    for name in
        ["cel", "events", "patterns", "redaction", "policy", "proofs", "approvals", "replay", "schema"]
    {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        for forbidden in ["tokio", "sqlx", "reqwest", "tracing", "rand", "getrandom"] {
            let used = manifest.lines().any(|line| line.starts_with(&format!("{forbidden}.")));
            assert!(!used, "{name} uses {forbidden}");
        }
    }
}

/// A Rust agent depends only on `client`, so this crate must not depend on a database, a policy or a shell parser.
#[test]
fn client_builds_without_database_and_policy() {
    let tree = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--package",
            "countersign-client",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--offline",
        ])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8_lossy(&tree.stdout);
    let packages: BTreeSet<_> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(packages.contains("countersign-api"), "{packages:?}");
    let needless = [
        "sqlx",
        "countersign-store",
        "countersign-gate",
        "countersign-cel",
        "countersign-patterns",
        "countersign-schema",
        "globset",
    ];
    let found: Vec<_> = needless.iter().filter(|name| packages.contains(*name)).collect();
    assert!(found.is_empty(), "client builds {found:?}");
}
