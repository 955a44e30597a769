//! Published advisories on dependencies: no locked version has one, except those that `deny.toml` ignores with a reason.
//!
//! The advisories are a copy of the public database (<https://rustsec.org>), so this check needs no network, and a build of
//! today gives the same answer tomorrow. `just advisories FOLDER` renews the copy.

use super::read;
use semver::{Version, VersionReq};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The copy, which `renew_advisories` writes.
const COPY: &str = "tests/tidy/advisories.json";

/// The locked versions of the program with its tests, and of the fuzz targets.
const LOCK_FILES: [&str; 2] = ["Cargo.lock", "fuzz/Cargo.lock"];

#[derive(Deserialize)]
struct AdvisoryCopy {
    /// The database's commit.
    commit: String,
    date: String,
    advisories: Vec<PublishedAdvisory>,
}

/// An advisory that was not withdrawn. A version is affected unless one of the requirements matches it.
#[derive(Deserialize)]
struct PublishedAdvisory {
    id: String,
    package: String,
    patched: Vec<String>,
    #[serde(default)]
    unaffected: Vec<String>,
    /// `unmaintained`, `unsound` or `notice`; nothing for a vulnerability.
    informational: Option<String>,
}

impl PublishedAdvisory {
    /// Returns the requirements of which an unaffected version satisfies one.
    fn requirements(&self) -> Vec<VersionReq> {
        let texts = self.patched.iter().chain(&self.unaffected);
        let parse =
            |text: &String| VersionReq::parse(text).unwrap_or_else(|e| panic!("{}: {text}: {e}", self.id));
        texts.map(parse).collect()
    }

    /// A version before a release, such as `2.0.0-rc.1`, counts as affected unless a requirement names its release.
    fn affects(&self, version: &Version) -> bool {
        !self.requirements().iter().any(|requirement| requirement.matches(version))
    }
}

fn read_copy() -> AdvisoryCopy {
    let copy: AdvisoryCopy = serde_json::from_str(&read(COPY)).expect("renew_advisories writes this form");
    assert!(copy.advisories.len() > 500, "{} advisories: is the copy complete?", copy.advisories.len());
    copy
}

/// A package in a lock file.
struct LockedPackage {
    name: String,
    version: Version,
}

/// Returns the packages of a lock file that come from a registry.
fn locked_packages(lock_file: &str) -> Vec<LockedPackage> {
    let package = |entry: &str| {
        let value = |key: &str| {
            let line = entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            line.map(|text| text.trim_matches('"').to_owned())
        };
        let version = value("version").expect("each package has a version");
        value("source").map(|_| LockedPackage {
            name: value("name").expect("each package has a name"),
            version: Version::parse(&version).expect("Cargo writes whole versions"),
        })
    };
    lock_file.split("[[package]]\n").skip(1).filter_map(package).collect()
}

/// Returns the advisories that `deny.toml` ignores, each with its reason.
fn ignored_advisories() -> BTreeMap<String, String> {
    let text = read("deny.toml");
    let entries = text.lines().filter_map(|line| line.trim().strip_prefix("{ id = \""));
    let parts = entries.filter_map(|entry| {
        let (id, rest) = entry.split_once("\", reason = \"")?;
        Some((id.to_owned(), rest.split_once("\" }")?.0.to_owned()))
    });
    parts.collect()
}

/// Returns the affected packages of both lock files, by advisory id.
fn affected_packages() -> BTreeMap<String, Vec<String>> {
    let mut advisories: BTreeMap<String, Vec<PublishedAdvisory>> = BTreeMap::new();
    for advisory in read_copy().advisories {
        advisories.entry(advisory.package.clone()).or_default().push(advisory);
    }
    let mut affected: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in LOCK_FILES {
        let packages = locked_packages(&read(file));
        assert!(packages.len() > 100, "{file} has {} packages", packages.len());
        for LockedPackage { name, version } in packages {
            let hits =
                advisories.get(&name).into_iter().flatten().filter(|advisory| advisory.affects(&version));
            for advisory in hits {
                let kind = advisory.informational.as_deref().unwrap_or("vulnerability");
                let fixed = match advisory.patched.join(" or ") {
                    none if none.is_empty() => "no version".to_owned(),
                    some => some,
                };
                let text = format!("{file}: {name} {version}: {kind}; fixed in: {fixed}");
                affected.entry(advisory.id.clone()).or_default().push(text);
            }
        }
    }
    affected
}

#[test]
fn locked_versions_have_no_advisories() {
    let ignored = ignored_advisories();
    let mut affected = affected_packages();
    affected.retain(|id, _| !ignored.contains_key(id));
    assert!(
        affected.is_empty(),
        "update these packages, or ignore the advisory in deny.toml with a reason: {affected:#?}"
    );
}

#[test]
fn ignored_advisories_concern_locked_versions() {
    let affected = affected_packages();
    for (id, reason) in ignored_advisories() {
        assert!(affected.contains_key(&id), "remove {id} from deny.toml: no locked version is affected");
        assert!(reason.split(' ').count() > 5, "{id} needs a reason in deny.toml: {reason}");
    }
    let listed = read("deny.toml").matches("RUSTSEC-").count();
    assert_eq!(
        listed,
        ignored_advisories().len(),
        "write each as {{ id = \"…\", reason = \"…\" }} in a line"
    );
}

#[test]
fn advisory_copy_can_be_read() {
    let copy = read_copy();
    assert!(copy.commit.len() == 40 && copy.date.len() == 10, "{} of {}", copy.commit, copy.date);
    for advisory in &copy.advisories {
        assert!(advisory.id.starts_with("RUSTSEC-") && !advisory.package.is_empty(), "{}", advisory.id);
        let count = advisory.patched.len() + advisory.unaffected.len();
        assert_eq!(advisory.requirements().len(), count, "{}", advisory.id);
    }
}

#[test]
fn affected_versions_are_found() {
    let advisory: PublishedAdvisory = serde_json::from_str(
        r#"{"id":"RUSTSEC-2000-0001","package":"a","patched":[">= 1.2.3, < 2.0.0","^2.1"],"unaffected":["< 1.0.0"]}"#,
    )
    .expect("the form of the copy");
    let is_affected = |text: &str| advisory.affects(&Version::parse(text).expect("a version"));
    for good in ["0.9.0", "1.2.3", "1.9.0+build.1", "2.1.0"] {
        assert!(!is_affected(good), "{good}");
    }
    for bad in ["1.0.0", "1.2.2", "2.0.9", "3.0.0", "1.2.3-rc.1"] {
        assert!(is_affected(bad), "{bad}");
    }
    let locked = "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry\"\n\n\
                  [[package]]\nname = \"own\"\nversion = \"0.1.0\"\n";
    let names: Vec<_> = locked_packages(locked).into_iter().map(|package| package.name).collect();
    assert_eq!(names, ["a"]);
}
