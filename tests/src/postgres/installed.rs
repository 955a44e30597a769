//! The PostgreSQL of this machine, and the user that it runs as: it refuses to run as root.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A program of PostgreSQL, such as `initdb`. Debian puts them outside of PATH, in one folder per version.
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
    // An installation of only the client leaves a folder without the server.
    folders.filter(|(_, folder)| folder.join("initdb").is_file()).max().map(|(_, folder)| folder)
}

fn named_by_pg_config() -> Option<PathBuf> {
    let said = Command::new("pg_config").arg("--bindir").output().ok()?;
    Some(PathBuf::from(String::from_utf8(said.stdout).ok()?.trim()))
}

/// A command that runs as an unprivileged user, in a working folder that every user may enter.
pub(super) fn unprivileged(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if let Some((user, group)) = user() {
        command.args([&format!("--reuid={user}"), &format!("--regid={group}"), "--clear-groups"]);
    }
    command.arg(program).current_dir("/");
    command
}

/// Gives a file or a folder to that user.
pub(super) fn hand_over(path: &Path) {
    if let Some((user, group)) = user() {
        std::os::unix::fs::chown(path, Some(user), Some(group)).expect("root may give away");
    }
}

/// The user that root runs the server as: `postgres`, which the package creates, or else a user without rights. Other users
/// run it as themselves.
fn user() -> Option<(u32, u32)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    let users = fs::read_to_string("/etc/passwd").expect("there are users");
    let called = |name: &str| {
        let line = users.lines().find(|line| line.starts_with(&format!("{name}:")))?;
        let mut numbers = line.split(':').skip(2).map_while(|field| field.parse().ok());
        Some((numbers.next()?, numbers.next()?))
    };
    Some(called("postgres").or_else(|| called("nobody")).expect("there is a user called nobody"))
}
