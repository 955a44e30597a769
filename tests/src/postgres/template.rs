//! The template cluster that each test copies. `initdb` is slow, so it runs once for all tests.

use super::installed::{hand_over, program, unprivileged};
use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

/// The password of `postgres`, required only on 127.0.0.1.
pub(super) const PASSWORD: &str = "open-sesame";

/// The arguments of `initdb`. Small log segments keep a copy small. C.UTF-8 is a locale that every machine has.
const INITDB_ARGUMENTS: &[&str] = &[
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
    let folder = build_tmp_folder();
    fs::create_dir_all(&folder).expect("the build folder is writable");
    let lock = File::create(folder.join("postgres.lock")).expect("a lock");
    let template = folder.join("postgres");
    // Many tests may copy at once, under a shared lock. A test that finds no current template takes the exclusive
    // lock, checks again and creates the template.
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

/// Returns cargo's folder for files of tests: `tmp` in the target folder. The test program is
/// `debug/deps/<test>-<hash>` in the same folder.
fn build_tmp_folder() -> PathBuf {
    let test = env::current_exe().expect("the test program has a path");
    test.ancestors().nth(3).expect("the test program is three folders below").join("tmp")
}

/// Returns true if the template is complete and was created by the installed version with the current arguments.
fn is_current(template: &Path) -> bool {
    fs::read_to_string(template.join("made")).is_ok_and(|made| made == recipe())
}

fn recipe() -> String {
    let version =
        Command::new(program("postgres")).arg("--version").output().expect("postgres prints its version");
    format!("{} {} without template0", String::from_utf8_lossy(&version.stdout), INITDB_ARGUMENTS.join(" "))
}

/// Creates the template. `initdb` runs in a temporary folder that every user may enter, because the build folder may
/// be in a private home. The file `made` marks the template as complete, so it is written last.
fn make(template: &Path) {
    let _ = fs::remove_dir_all(template);
    fs::create_dir_all(template).expect("a folder");
    let workspace = tempfile::tempdir().expect("a folder");
    hand_over(workspace.path());
    let password = workspace.path().join("password");
    fs::write(&password, PASSWORD).expect("a file");
    hand_over(&password);
    let data = workspace.path().join("data");
    let mut initdb = unprivileged(&program("initdb"));
    initdb.args(INITDB_ARGUMENTS).arg("--pgdata").arg(&data).arg("--pwfile").arg(&password);
    run(&mut initdb);
    drop_template0(&data);
    copy(&data, &template.join("data"));
    fs::write(template.join("made"), recipe()).expect("a file");
}

/// Drops the database `template0`, which is a third of each copy and which no test needs.
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

/// Runs a command to its end. If the command fails, the test fails with its standard error.
pub(super) fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {stderr}");
}
