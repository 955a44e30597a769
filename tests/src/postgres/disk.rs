//! A disk of a server's own that can be full: a small file system in mounts that nobody else sees. The
//! write-ahead log lies elsewhere, as it does on many a machine: where that is full the server ends.

use super::Cluster;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The server's command, in mounts of its own: `$0` is its data, `$1` the new disk, `$2` its size, and the
/// rest the command. Root may unshare by itself; anybody else does it as the root of a user namespace, and
/// leaves that for one where they are not root, because PostgreSQL refuses to run as root.
const SCRIPT: &str = r#"
    mkdir "$1"
    mount -t tmpfs -o "size=$2m" none "$1"
    cp -a "$0/." "$1"
    rm -r "$1/pg_wal"
    ln -s "$0/pg_wal" "$1/pg_wal"
    shift 2
    exec $UNROOTED "$@""#;

pub(super) fn of_its_own(megabytes: u32, data: &Path, disk: &Path, server: &Command) -> Command {
    let mut command = Command::new("unshare");
    let user = rustix::process::geteuid();
    if user.is_root() {
        command.arg("-m").env("UNROOTED", "");
    } else {
        command.arg("-rm").env("UNROOTED", format!("unshare --user --map-user={}", user.as_raw()));
    }
    command.args(["sh", "-ec", SCRIPT]).arg(data).arg(disk).arg(megabytes.to_string());
    command.arg(server.get_program()).args(server.get_args()).current_dir("/");
    command
}

impl Cluster {
    pub(super) fn disk(&self) -> PathBuf {
        self.folder().join("disk")
    }

    /// A file on the disk of a server that has one of its own, as it is found from outside.
    #[must_use]
    pub fn on_its_disk(&self, name: &str) -> PathBuf {
        assert!(self.setup.megabytes.is_some(), "it has a disk of its own");
        let inside = self.disk().join(name);
        PathBuf::from(format!("/proc/{}/root{}", self.running().pid().as_raw_nonzero(), inside.display()))
    }
}
