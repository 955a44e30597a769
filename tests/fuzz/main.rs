//! The fuzz targets, over their seeds, the words of their dictionaries thrown together, and noise: that they build
//! and hold what they say. `fuzz/run` goes on where this ends.

// What the targets are written for is this program, here.
extern crate self as libfuzzer_sys;

#[path = "../../fuzz/fuzz_targets/cel.rs"]
mod cel;
#[path = "../../fuzz/fuzz_targets/globs.rs"]
mod globs;
#[path = "../../fuzz/fuzz_targets/paths.rs"]
mod paths;
#[path = "../../fuzz/fuzz_targets/policy.rs"]
mod policy;
#[path = "../../fuzz/fuzz_targets/redact.rs"]
mod redact;
#[path = "../../fuzz/fuzz_targets/shell.rs"]
mod shell;
#[path = "../../fuzz/fuzz_targets/urls.rs"]
mod urls;

use proptest::{prelude::*, test_runner::TestRunner};
use std::{fs, path::PathBuf};

// Behind the targets, so that they find it by the path that they give.
macro_rules! fuzz_target {
    (init: $init:expr, |$input:ident: $kind:ty| $body:expr) => {
        pub(crate) fn run(given: &crate::FuzzInput) {
            static ONCE: std::sync::Once = std::sync::Once::new();
            ONCE.call_once(|| $init);
            let $input: $kind = given.into();
            $body
        }
    };
    (|$input:ident: $kind:ty| $body:expr) => {
        fuzz_target!(init: (), |$input: $kind| $body);
    };
}
pub(crate) use fuzz_target;

/// As much as any target takes.
#[derive(Debug, Clone)]
pub(crate) struct FuzzInput(u8, String, String);

impl<'a> From<&'a FuzzInput> for &'a str {
    fn from(given: &'a FuzzInput) -> Self {
        &given.1
    }
}

impl<'a> From<&'a FuzzInput> for (&'a str, &'a str) {
    fn from(given: &'a FuzzInput) -> Self {
        (&given.1, &given.2)
    }
}

impl<'a> From<&'a FuzzInput> for (u8, &'a str, &'a str) {
    fn from(given: &'a FuzzInput) -> Self {
        (given.0, &given.1, &given.2)
    }
}

/// What means something in commands, addresses, paths and globs.
const PIECES: &[&str] = &[
    "ls",
    "rm -rf /",
    "git status",
    "sudo",
    "bash -c",
    "eval",
    "'",
    "\"",
    "\\",
    "\n",
    " ",
    ";",
    "&&",
    "|",
    "$(",
    ")",
    "`",
    "${",
    "}",
    "<<EOF\n",
    "2>",
    "*",
    "**",
    "?",
    "[a-z]",
    "{a,b}",
    "/",
    "..",
    ".",
    "~",
    "//",
    "%2e",
    "https://",
    "@",
    ":8443",
    "example.com",
    "a.",
    "#",
    "\u{202e}",
    "\u{2215}",
    "--token=",
    "Authorization: Bearer ",
    "é",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

/// The words of a dictionary of libFuzzer: one in quotes on each line, perhaps behind a name.
fn words(target: &str) -> Vec<String> {
    let Ok(text) = fs::read_to_string(folder().join(format!("dictionaries/{target}.dict"))) else {
        return PIECES.iter().map(|&piece| piece.to_owned()).collect();
    };
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#') && line.contains('"'));
    let word = |line: &str| {
        let quoted = line.split_once('"').expect("it has one").1.trim_end().trim_end_matches('"');
        quoted.replace("\\x0a", "\n").replace("\\\"", "\"").replace("\\\\", "\\")
    };
    lines.map(word).collect()
}

fn seeds(target: &str) -> Vec<FuzzInput> {
    let Ok(entries) = fs::read_dir(folder().join("seeds").join(target)) else { return Vec::new() };
    let seed = |path: PathBuf| FuzzInput(0, fs::read_to_string(path).expect("a seed is text"), String::new());
    entries.map(|entry| seed(entry.expect("a seed").path())).collect()
}

fn hold(target: &str, cases: u32, run: impl Fn(&FuzzInput)) {
    seeds(target).iter().for_each(&run);
    let piece =
        prop_oneof![4 => prop::sample::select(words(target)), 1 => "[ -~]{0,4}", 1 => any::<String>()];
    let text = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    let given =
        (any::<u8>(), text.clone(), text).prop_map(|(which, one, other)| FuzzInput(which, one, other));
    let mut runner =
        TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() });
    runner
        .run(&given, |given| {
            run(&given);
            Ok(())
        })
        .expect("it holds");
}

#[test]
fn shell_holds() {
    hold("shell", 2_000, shell::run);
}

#[test]
fn globs_hold() {
    hold("globs", 2_000, globs::run);
}

#[test]
fn paths_hold() {
    hold("paths", 2_000, paths::run);
}

#[test]
fn urls_hold() {
    hold("urls", 2_000, urls::run);
}

#[test]
fn policies_hold() {
    let shipped = folder().join("../crates/policy/src/shipped.toml");
    policy::run(&FuzzInput(0, fs::read_to_string(shipped).expect("it is there"), String::new()));
    hold("policy", 1_500, policy::run);
}

#[test]
fn conditions_hold() {
    assert!(!seeds("cel").is_empty() && words("cel") != words("shell"), "they are found");
    hold("cel", 500, cel::run);
}

#[test]
fn redaction_holds() {
    hold("redact", 1_000, redact::run);
}
