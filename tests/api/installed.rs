//! The files that the guide `service.md` installs have the paths that the service uses.

use std::{fs, path::Path};

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root folder");
    fs::read_to_string(root.join(path)).expect(path)
}

/// Returns a setting's value from a unit file.
fn setting<'a>(unit: &'a str, name: &str) -> &'a str {
    let found = unit.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("{name} is not set"))
}

#[test]
fn installed_settings_are_where_the_service_reads_them() {
    let read_from = "/etc/countersign/config.toml";
    assert!(read("crates/console/src/settings/file.rs").contains(read_from));
    let guide = read("docs/guides/service.md");
    let installs = guide.lines().any(|line| line.trim().starts_with("install") && line.ends_with(read_from));
    assert!(installs, "nothing installs {read_from}");
    let policy = setting(&read("packaging/systemd/countersign.service"), "ExecStart")
        .split_once("--policy ")
        .map(|(_, path)| path.to_owned())
        .expect("the service names its policy");
    let installs = guide.lines().any(|line| line.trim().starts_with("install") && line.ends_with(&policy));
    assert!(installs, "nothing installs {policy}");
}

/// systemd creates the folder as root, so members of the socket's group must be able to enter it as other users.
#[test]
fn socket_group_reaches_the_socket_through_its_folder() {
    let unit = read("packaging/systemd/countersign.socket");
    let mode = |name| u32::from_str_radix(setting(&unit, name), 8).expect("a mode");
    assert_eq!(mode("SocketMode"), 0o660, "only the owner and the group may use the socket");
    assert_eq!(mode("DirectoryMode"), 0o755, "other users may enter the folder");
}
