//! The repository speaks of the product alone, and the tests hide nothing.

use super::{read, texts};

#[test]
fn no_path_of_a_machine_stands_in_a_file() {
    let strange = [concat!("/ro", "ot/"), concat!("/ho", "me/runner"), concat!("/wo", "rk/")];
    for (path, text) in texts() {
        for word in strange {
            assert!(!text.contains(word), "{path} speaks of {word}");
        }
    }
}

#[test]
fn nothing_is_left_for_later() {
    let words =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("#[ig", "nore"), concat!("#[should", "_panic")];
    for (path, text) in texts() {
        for word in words {
            assert!(!text.contains(word), "{path} has a {word}");
        }
    }
}

#[test]
fn the_readme_names_its_two_commands() {
    let readme = read("README.md");
    for command in ["cargo run --release -- serve", "tests/run"] {
        assert!(readme.contains(command), "README.md does not name `{command}`");
    }
    assert!(read(".ci/run").contains("tests/run"));
}

#[test]
fn every_exit_code_is_documented() {
    let (help, codes) = (read("crates/cli/src/args.rs"), read("crates/cli/src/exit.rs"));
    for code in codes.lines().filter_map(|line| line.split("Self = Self(").nth(1)?.split(')').next()) {
        assert!(help.contains(code), "--help does not explain exit code {code}");
    }
}
