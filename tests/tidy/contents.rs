//! Contents of files: no machine paths, no unfinished work, and complete documentation of commands and exit codes.

use super::{read, texts};

#[test]
fn files_contain_no_machine_paths() {
    let machine_paths = [concat!("/ro", "ot/"), concat!("/ho", "me/runner"), concat!("/wo", "rk/")];
    for (path, text) in texts() {
        for word in machine_paths {
            assert!(!text.contains(word), "{path} contains the machine path {word}");
        }
    }
}

#[test]
fn files_contain_no_unfinished_work() {
    let words =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("#[ig", "nore"), concat!("#[should", "_panic")];
    for (path, text) in texts() {
        for word in words {
            assert!(!text.contains(word), "{path} contains {word}");
        }
    }
}

#[test]
fn readme_names_its_two_commands() {
    let readme = read("README.md");
    for command in ["cargo run --release -- serve", "tests/run"] {
        assert!(readme.contains(command), "README.md does not name `{command}`");
    }
    assert!(read(".ci/run").contains("tests/run"));
}

#[test]
fn each_exit_code_is_documented() {
    let (help, codes) = (read("crates/cli/src/args.rs"), read("crates/console/src/exit.rs"));
    for code in codes.lines().filter_map(|line| line.split("Self = Self(").nth(1)?.split(')').next()) {
        assert!(help.contains(code), "--help does not explain exit code {code}");
    }
}
