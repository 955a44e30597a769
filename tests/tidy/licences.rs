//! The licences and the sources of all dependencies, and dependencies that are built in several versions. The rules are
//! those of `deny.toml`. `cargo deny` checks them too, but takes longer to install than all tests to run.

use super::{read, root};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

/// The only registry of dependencies.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Dependencies that the program builds in several versions, because other dependencies ask for them. A new entry needs a
/// reason: each version costs build time, and a fix may reach only one of them. The cryptography of openidconnect brings in the
/// second versions of const-oid, der, hmac, pem-rfc7468, pkcs8, `rand_chacha`, signature, spki and thiserror, and its optional
/// dependencies, which are not built, those of indexmap, jiff and schemars.
const SEVERAL_VERSIONS: &[&str] = &[
    "base64",
    "bit-vec",
    "block-buffer",
    "const-oid",
    "cpufeatures",
    "crypto-common",
    "der",
    "digest",
    "getrandom",
    "hashbrown",
    "hmac",
    "indexmap",
    "jiff",
    "jiff-core",
    "pem-rfc7468",
    "pkcs8",
    "rand",
    "rand_chacha",
    "rand_core",
    "schemars",
    "sha2",
    "signature",
    "spki",
    "syn",
    "synstructure",
    "thiserror",
    "thiserror-impl",
    "tower-http",
];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// Returns the packages that a build for this platform uses.
fn packages() -> Vec<Package> {
    let listed = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let metadata: Metadata = serde_json::from_slice(&listed.stdout).expect("the format of cargo metadata");
    let used: BTreeSet<_> = metadata.resolve.nodes.into_iter().map(|node| node.id).collect();
    let packages: Vec<_> =
        metadata.packages.into_iter().filter(|package| used.contains(&package.id)).collect();
    assert!(packages.len() > 100, "cargo lists the dependencies: {} packages", packages.len());
    packages
}

/// Returns the licences that `deny.toml` allows.
fn allowed_licences() -> BTreeSet<String> {
    let text = read("deny.toml");
    let list = text.lines().find_map(|line| line.strip_prefix("allow = [")).expect("a list of licences");
    let names = list.trim_end_matches(']').split(',').map(|name| name.trim().trim_matches('"').to_owned());
    let names: BTreeSet<_> = names.collect();
    assert!(names.len() > 5, "{names:?}");
    names
}

/// Returns true if the allowed licences satisfy an SPDX expression. `/` is an old form of `OR`, and parentheses stand
/// only around a whole part of an `AND`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    expression.split(" AND ").all(|part| {
        let part = part.trim().trim_start_matches('(').trim_end_matches(')').replace('/', " OR ");
        part.split(" OR ").any(|licence| allowed.contains(licence.trim()))
    })
}

#[test]
fn licence_expression_needs_each_part() {
    let allowed = BTreeSet::from(["MIT", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned));
    for good in
        ["MIT", "GPL-3.0 OR MIT", "X/MIT", "(X OR MIT) AND MIT", "Apache-2.0 WITH LLVM-exception OR X"]
    {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(GPL-3.0 OR X) AND MIT", "Apache-2.0"] {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

#[test]
fn licences_of_dependencies_are_allowed() {
    let allowed = allowed_licences();
    for package in packages() {
        let licence = package.license.unwrap_or_default();
        assert!(is_allowed(&licence, &allowed), "{} has the licence {licence:?}", package.name);
    }
}

#[test]
fn dependencies_come_from_one_registry() {
    for package in packages() {
        let source = package.source.as_deref().unwrap_or(REGISTRY);
        assert_eq!(source, REGISTRY, "{}", package.name);
    }
}

#[test]
fn dependencies_have_one_version_each() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        versions.entry(package.name).or_default().insert(package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let several: BTreeSet<_> = versions.keys().map(String::as_str).collect();
    let accepted: BTreeSet<_> = SEVERAL_VERSIONS.iter().copied().collect();
    let new: Vec<_> = several.difference(&accepted).collect();
    assert!(new.is_empty(), "these are built in several versions: {new:?} of {versions:?}");
    let gone: Vec<_> = accepted.difference(&several).collect();
    assert!(gone.is_empty(), "remove {gone:?} from the list");
}
