//! The template that every test's cluster is a copy of: `initdb` is slow, so it runs once.

use super::installed::{hand_over, program, unprivileged};
use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// The password of `postgres`, required only on 127.0.0.1.
pub(super) const PASSWORD: &str = "open-sesame";

/// Small log segments keep a copy small; a locale that every machine has keeps it the same everywhere.
const MADE_WITH: &[&str] = &[
    "--username=postgres",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--wal-segsize=1",
    "--no-sync",
    "--no-instructions",
];

/// Copies the template to `data`, which must not exist.
pub(super) fn copy_to(data: &Path) {
    let folder = beside_the_build();
    fs::create_dir_all(&folder).expect("the build's folder can be written to");
    let lock = File::create(folder.join("postgres.lock")).expect("a lock");
    let template = folder.join("postgres");
    // Many tests may copy at once. A test that finds no template takes the lock for itself, checks again and
    // creates it.
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

/// The folder that cargo keeps for files of tests: `tmp`, beside `debug/deps/test-…`.
fn beside_the_build() -> PathBuf {
    let test = env::current_exe().expect("a test is a program");
    test.ancestors().nth(3).expect("three folders down").join("tmp")
}

/// True if the template is complete, of the installed version, and created by the current recipe.
fn is_current(template: &Path) -> bool {
    fs::read_to_string(template.join("made")).is_ok_and(|made| made == recipe())
}

fn recipe() -> String {
    let version = Command::new(program("postgres")).arg("--version").output().expect("it says its version");
    format!("{} {} without template0", String::from_utf8_lossy(&version.stdout), MADE_WITH.join(" "))
}

/// Creates the template in a folder that every user may enter, because the build's folder may be in a private
/// home. The file that marks it as complete comes last.
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
    drop_template0(&data);
    copy(&data, &template.join("data"));
    fs::write(template.join("made"), recipe()).expect("a file");
}

/// Drops the database `template0`, which no test needs: it is a third of each copy.
fn drop_template0(data: &Path) {
    let statements = data.with_file_name("statements");
    let drop =
        "UPDATE pg_database SET datistemplate = false WHERE datname = 'template0'\nDROP DATABASE template0\n";
    fs::write(&statements, drop).expect("a file");
    let mut single = unprivileged(&program("postgres"));
    single.arg("--single").arg("-D").arg(data).arg("-F").arg("postgres");
    run(single.stdin(File::open(&statements).expect("a file")));
    assert_eq!(
        fs::read_dir(data.join("base")).expect("a folder").count(),
        2,
        "template1 and postgres are left"
    );
}

fn copy(from: &Path, to: &Path) {
    run(Command::new("cp").args(["-a", "--reflink=auto"]).arg(from).arg(to));
}

/// Runs a command to its end. If it fails, the test fails with its standard error.
pub(super) fn run(command: &mut Command) {
    let done = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let complaint = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {complaint}");
}
