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
    ("approvals", &["events", "patterns", "redaction", "policy", "proofs"]),
    ("replay", &["events", "policy", "approvals"]),
    ("schema", &[]),
    ("store", &["events", "approvals"]),
    ("api", &["events"]),
    ("client", &["events", "api"]),
    ("messages", &["events", "api"]),
    ("gate", &["events", "policy", "proofs", "approvals", "replay", "schema", "store", "api", "messages"]),
    ("oidc", &["events", "client"]),
    ("web", &[]),
    ("server", &["events", "proofs", "approvals", "replay", "store", "api", "gate", "oidc", "web"]),
    ("webhooks", &["events", "approvals", "store", "api", "client", "gate"]),
    ("advisors", &["events", "redaction", "policy", "approvals", "store", "api", "client", "gate"]),
    ("push", &["events", "approvals", "store", "api", "client", "gate", "webhooks", "console"]),
    ("json-rpc", &["events"]),
    ("mcp", &["events", "api", "client", "json-rpc"]),
    ("coding-agents", &["events", "policy", "api", "json-rpc"]),
    (
        "console",
        &[
            "events",
            "policy",
            "approvals",
            "store",
            "api",
            "client",
            "messages",
            "gate",
            "webhooks",
            "advisors",
        ],
    ),
    ("compat", &["events", "store", "api", "messages", "gate", "server"]),
    ("tui", &["events", "store", "api", "console"]),
    (
        "service",
        &[
            "events",
            "policy",
            "approvals",
            "store",
            "api",
            "client",
            "gate",
            "oidc",
            "push",
            "server",
            "webhooks",
            "advisors",
            "console",
            "compat",
        ],
    ),
    (
        "cli",
        &[
            "events",
            "policy",
            "proofs",
            "approvals",
            "replay",
            "store",
            "api",
            "client",
            "gate",
            "server",
            "webhooks",
            "advisors",
            "mcp",
            "coding-agents",
            "console",
            "compat",
            "tui",
            "service",
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

/// The packages of the stack, and the crates that must use each. Decision 90 says what for.
const STACK: &[(&str, &[&str])] = &[
    ("sqlx", &["store"]),
    ("rusqlite", &["store"]),
    ("tokio", &["store", "gate", "server", "client", "webhooks", "advisors", "mcp", "tui", "service", "cli"]),
    ("axum", &["server", "compat", "mcp"]),
    (
        "serde_json",
        &["events", "policy", "approvals", "store", "api", "client", "messages", "gate", "server"],
    ),
    ("chrono", &["events", "store", "oidc"]),
    ("tokio-stream", &["store"]),
    ("tracing", &["store", "gate", "server", "webhooks", "advisors", "mcp", "service", "cli"]),
];

#[test]
fn stack_packages_are_used() {
    let decision = read("docs/decisions/0090-the-stack.md");
    for (package, crates) in STACK {
        assert!(decision.contains(&format!("| {package} |")), "decision 90 has a row for {package}");
        let module = package.replace('-', "_");
        for name in *crates {
            let manifest = read(&format!("crates/{name}/Cargo.toml"));
            let is_dependency = manifest
                .lines()
                .any(|line| line.strip_prefix(package).is_some_and(|rest| rest.starts_with(['.', ' '])));
            assert!(is_dependency, "crates/{name} does not depend on {package}");
            let sources = files_ending(".rs");
            let mut sources = sources.iter().filter(|path| path.starts_with(&format!("crates/{name}/src/")));
            let is_used = |path: &String| {
                let text = read(path);
                text.contains(&format!("{module}::")) || text.contains(&format!("use {module};"))
            };
            assert!(sources.any(is_used), "crates/{name} does not use {package}");
        }
    }
}

#[test]
fn only_the_store_uses_sqlx() {
    for path in files_ending(".rs").iter().filter(|path| path.starts_with("crates/")) {
        if !path.starts_with("crates/store/") {
            // A policy may name the program `sqlx`.
            let text = read(path);
            let is_used = ["sqlx::", "use sqlx", "#[sqlx"].iter().any(|form| text.contains(form));
            assert!(!is_used, "{path} uses sqlx; only crates/store may");
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
