//! The cluster that every test's own is a copy of: `initdb` takes its time, so it is run once.

use super::installed::{hand_over, program, unprivileged};
use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// The password of `postgres`, asked for on 127.0.0.1 alone.
pub(super) const PASSWORD: &str = "open-sesame";

/// Small files of the log keep a copy small, and a locale that every machine has keeps it the same.
const MADE_WITH: &[&str] = &[
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--wal-segsize=1",
    "--no-sync",
    "--no-instructions",
];

/// Copies the template to `data`, which is not there yet.
pub(super) fn copy_to(data: &Path) {
    let folder = beside_the_build();
    fs::create_dir_all(&folder).expect("the build's folder can be written to");
    let lock = File::create(folder.join("postgres.lock")).expect("a lock");
    let template = folder.join("postgres");
    // Many may copy at once. Whoever finds nothing to copy makes it, alone, and looks once more before.
    lock.lock_shared().expect("a lock");
    if !is_current(&template) {
        lock.unlock().expect("a lock");
        lock.lock().expect("a lock");
        if !is_current(&template) {
            make(&template);
        }
    }
    copy(&template.join("data"), data);
}

/// The folder that cargo keeps for what tests leave behind: `tmp`, beside `debug/deps/test-…`.
fn beside_the_build() -> PathBuf {
    let test = env::current_exe().expect("a test is a program");
    test.ancestors().nth(3).expect("three folders down").join("tmp")
}

/// Whether the template is whole, of the installed version, and made with what is wanted by now.
fn is_current(template: &Path) -> bool {
    fs::read_to_string(template.join("made")).is_ok_and(|made| made == recipe())
}

fn recipe() -> String {
    let version = Command::new(program("postgres")).arg("--version").output().expect("it says its version");
    format!("{} {}", String::from_utf8_lossy(&version.stdout), MADE_WITH.join(" "))
}

/// It is made in a folder that any user may enter, because the build's may lie in somebody's home. What
/// says that it is whole comes last.
fn make(template: &Path) {
    let _ = fs::remove_dir_all(template);
    fs::create_dir_all(template).expect("a folder");
    let place = tempfile::tempdir().expect("a folder");
    hand_over(place.path());
    let password = place.path().join("password");
    fs::write(&password, PASSWORD).expect("a file");
    hand_over(&password);
    let data = place.path().join("data");
    let mut initdb = unprivileged(&program("initdb"));
    initdb.args(MADE_WITH).arg("--pgdata").arg(&data).arg("--pwfile").arg(&password);
    run(&mut initdb);
    copy(&data, &template.join("data"));
    fs::write(template.join("made"), recipe()).expect("a file");
}

fn copy(from: &Path, to: &Path) {
    run(Command::new("cp").args(["-a", "--reflink=auto"]).arg(from).arg(to));
}

/// Runs a command to its end. What it complains of is what the test ends with.
pub(super) fn run(command: &mut Command) {
    let done = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {complaint}");
}
