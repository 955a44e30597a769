//! The PostgreSQL installation of this machine, and the unprivileged user that it runs as, because PostgreSQL refuses
//! to run as root.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Returns the path to a PostgreSQL program such as `initdb`. Debian installs these programs outside of PATH, in one
/// folder per version.
pub(super) fn program(name: &str) -> PathBuf {
    let folder = newest_of_debian().or_else(named_by_pg_config);
    let program = folder.map(|folder| folder.join(name)).filter(|program| program.is_file());
    program.unwrap_or_else(|| {
        panic!(
            "PostgreSQL's {name} is neither in /usr/lib/postgresql/*/bin nor where `pg_config --bindir` says; \
             install the server (Debian: postgresql), as tests/run does"
        )
    })
}

fn newest_of_debian() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let numbers = versions.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let folders =
        numbers.map(|version| (version, PathBuf::from(format!("/usr/lib/postgresql/{version}/bin"))));
    // The client package alone also creates such a folder, without the server's programs.
    folders.filter(|(_, folder)| folder.join("initdb").is_file()).max().map(|(_, folder)| folder)
}

fn named_by_pg_config() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(output.stdout).ok()?.trim()))
}

/// Returns a command that runs as an unprivileged user, in a working folder that every user may enter.
pub(super) fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if let Some((user, group)) = user() {
        command.args([&format!("--reuid={user}"), &format!("--regid={group}"), "--clear-groups"]);
    }
    command.arg(program).current_dir("/");
    command
}

/// Makes the unprivileged user own a file or folder.
pub(super) fn hand_over(path: &Path) {
    if let Some((user, group)) = user() {
        std::os::unix::fs::chown(path, Some(user), Some(group)).expect("root may change the owner");
    }
}

/// Returns the user id and group id for the server if the test runs as root: those of `postgres`, which the package
/// creates, or else those of the system's user without rights. Returns `None` for other users, who run the server as
/// themselves.
fn user() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("/etc/passwd can be read");
    let ids_of = |name: &str| {
        let line = users.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        let mut numbers = line.split(':').skip(2).map_while(|field| field.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    Some(ids_of("postgres").or_else(|| ids_of("nobody")).expect("there is a user nobody"))
}
