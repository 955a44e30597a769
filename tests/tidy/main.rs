//! Checks the house rules of the repository.

mod advisories;
mod contents;
mod dependencies;
mod event_types;
mod files;
mod language;
mod licences;
mod lines;
mod modules;
mod names;
mod pages;
mod parameters;
mod readme;
mod samples;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Returns the repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is in the root folder").to_path_buf()
}

/// Returns the paths of all files of the repository, relative to its root: the files that git tracks, and untracked
/// files that are not ignored.
fn files() -> Vec<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git runs");
    let text = String::from_utf8(listed.stdout).expect("paths are UTF-8");
    let files: Vec<_> = text.lines().filter(|path| root().join(path).is_file()).map(str::to_owned).collect();
    assert!(files.len() > 50, "git lists the repository: {} files", files.len());
    files
}

/// Returns the files whose path ends with `end`.
fn files_ending(end: &str) -> Vec<String> {
    files().into_iter().filter(|path| path.ends_with(end)).collect()
}

/// Returns the path and the text of each file that people write.
fn texts() -> Vec<(String, String)> {
    let written = files().into_iter().filter(|path| path != "Cargo.lock");
    let with_text = |path: String| {
        let bytes = fs::read(root().join(&path)).expect("the file is readable");
        (path, String::from_utf8_lossy(&bytes).into_owned())
    };
    written.map(with_text).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

/// Prints to the standard output, for the script `figures`.
#[expect(clippy::print_stdout, reason = "the script prints the figures")]
fn print(text: &str) {
    println!("{text}");
}
