//! A small disk for one server, which a test can fill: a file system in private mounts. The write-ahead log is on
//! another disk, because PostgreSQL ends when the disk of its write-ahead log is full.

use super::Cluster;
use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Mounts the disk, copies the data to it and runs the server's command. `$0` is the data, `$1` the mount point,
/// `$2` the size in MiB, and the other arguments are the command. Other users than root may mount only as root in a
/// user namespace. `$UNROOTED` then starts the server in a second namespace, because PostgreSQL refuses to run as
/// root.
const SCRIPT: &str = r#"
    mkdir "$1"
    mount -t tmpfs -o "size=$2m" none "$1"
    cp -a "$0/." "$1"
    rm -r "$1/pg_wal"
    ln -s "$0/pg_wal" "$1/pg_wal"
    shift 2
    exec $UNROOTED "$@""#;

pub(super) fn with_small_disk(megabytes: u32, data: &Path, disk: &Path, server: &Command) -> Command {
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

    /// Returns a file path on the server's own disk, valid outside the private mounts.
    #[must_use]
    pub fn path_on_small_disk(&self, name: &str) -> PathBuf {
        assert!(self.setup.megabytes.is_some(), "the setup has a disk size");
        let inside = self.disk().join(name);
        PathBuf::from(format!("/proc/{}/root{}", self.running().pid().as_raw_nonzero(), inside.display()))
    }
}
