//! The files that the guide to running the service installs, and the paths that it uses.

use std::{fs, path::Path};

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the root");
    fs::read_to_string(root.join(path)).expect(path)
}

/// The settings of a unit file.
fn set<'a>(unit: &'a str, name: &str) -> &'a str {
    let found = unit.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("{name} is not set"))
}

#[test]
fn installed_settings_are_where_the_service_reads_them() {
    let read_from = "/etc/countersign/config.toml";
    assert!(read("crates/cli/src/settings/file.rs").contains(read_from));
    let guide = read("docs/guides/service.md");
    let installs = guide.lines().any(|line| line.trim().starts_with("install") && line.ends_with(read_from));
    assert!(installs, "nothing installs {read_from}");
    let policy = set(&read("packaging/systemd/countersign.service"), "ExecStart")
        .split_once("--policy ")
        .map(|(_, path)| path.to_owned())
        .expect("the service names its policy");
    let installs = guide.lines().any(|line| line.trim().starts_with("install") && line.ends_with(&policy));
    assert!(installs, "nothing installs {policy}");
}

/// systemd creates the folder as root: members of other groups must be able to pass through it.
#[test]
fn socket_group_reaches_the_socket_through_its_folder() {
    let unit = read("packaging/systemd/countersign.socket");
    let mode = |name| u32::from_str_radix(set(&unit, name), 8).expect("a mode");
    assert_eq!(mode("SocketMode"), 0o660, "the socket itself is for the group alone");
    assert_eq!(mode("DirectoryMode"), 0o755, "its folder is root's, and others pass through it");
}
