//! The fuzz targets compile, and their assertions hold: for their seeds, for random combinations of their dictionary
//! words, and for random text. `fuzz/run` fuzzes them for longer.

// The targets import `libfuzzer_sys`; in this test, this crate provides its macro.
extern crate self as libfuzzer_sys;

#[path = "../../fuzz/fuzz_targets/cel.rs"]
mod cel;
#[path = "../../fuzz/fuzz_targets/frames.rs"]
mod frames;
#[path = "../../fuzz/fuzz_targets/globs.rs"]
mod globs;
#[path = "../../fuzz/fuzz_targets/hub.rs"]
mod hub;
#[path = "../../fuzz/fuzz_targets/messages.rs"]
mod messages;
#[path = "../../fuzz/fuzz_targets/names.rs"]
mod names;
#[path = "../../fuzz/fuzz_targets/operands.rs"]
mod operands;
#[path = "../../fuzz/fuzz_targets/paths.rs"]
mod paths;
#[path = "../../fuzz/fuzz_targets/policy.rs"]
mod policy;
#[path = "../../fuzz/fuzz_targets/redact.rs"]
mod redact;
#[path = "../../fuzz/fuzz_targets/shell.rs"]
mod shell;
#[path = "../../fuzz/fuzz_targets/times.rs"]
mod times;
#[path = "../../fuzz/fuzz_targets/urls.rs"]
mod urls;

use proptest::{prelude::*, test_runner::TestRunner};
use std::{fs, path::PathBuf};

// Defined below the targets, which refer to it by path.
macro_rules! fuzz_target {
    (init: $init:expr, |$input:ident: $kind:ty| $body:expr) => {
        pub(crate) fn run(fuzz_input: &crate::FuzzInput) {
            static ONCE: std::sync::Once = std::sync::Once::new();
            ONCE.call_once(|| $init);
            let $input: $kind = fuzz_input.into();
            $body
        }
    };
    (|$input:ident: $kind:ty| $body:expr) => {
        fuzz_target!(init: (), |$input: $kind| $body);
    };
}
pub(crate) use fuzz_target;

/// The input of any target.
#[derive(Debug, Clone)]
pub(crate) struct FuzzInput(u8, String, String);

impl<'a> From<&'a FuzzInput> for &'a str {
    fn from(input: &'a FuzzInput) -> Self {
        &input.1
    }
}

impl<'a> From<&'a FuzzInput> for (&'a str, &'a str) {
    fn from(input: &'a FuzzInput) -> Self {
        (&input.1, &input.2)
    }
}

impl<'a> From<&'a FuzzInput> for (u8, &'a str, &'a str) {
    fn from(input: &'a FuzzInput) -> Self {
        (input.0, &input.1, &input.2)
    }
}

/// Parts of text that have a meaning in commands, URLs, paths or globs.
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

/// Returns the words in a libFuzzer dictionary: one quoted word per line, optionally after a name.
fn read_dictionary(target: &str) -> Vec<String> {
    let Ok(text) = fs::read_to_string(folder().join(format!("dictionaries/{target}.dict"))) else {
        return PIECES.iter().map(|&piece| piece.to_owned()).collect();
    };
    let lines = text.lines().filter(|line| !line.trim_start().starts_with('#') && line.contains('"'));
    let word = |line: &str| {
        let quoted = line.split_once('"').expect("the line has a quote").1.trim_end().trim_end_matches('"');
        quoted.replace("\\x0a", "\n").replace("\\\"", "\"").replace("\\\\", "\\")
    };
    lines.map(word).collect()
}

fn read_seeds(target: &str) -> Vec<FuzzInput> {
    let Ok(entries) = fs::read_dir(folder().join("seeds").join(target)) else { return Vec::new() };
    let seed = |path: PathBuf| FuzzInput(0, fs::read_to_string(path).expect("a seed is text"), String::new());
    entries.map(|entry| seed(entry.expect("a seed").path())).collect()
}

fn check_target(target: &str, cases: u32, run: impl Fn(&FuzzInput)) {
    read_seeds(target).iter().for_each(&run);
    let piece = prop_oneof![4 => prop::sample::select(read_dictionary(target)), 1 => "[ -~]{0,4}", 1 => any::<String>()];
    let text = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    let input =
        (any::<u8>(), text.clone(), text).prop_map(|(which, one, other)| FuzzInput(which, one, other));
    let mut runner =
        TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() });
    runner
        .run(&input, |input| {
            run(&input);
            Ok(())
        })
        .expect("the assertions of the target hold");
}

#[test]
fn shell_target_holds_on_random_input() {
    check_target("shell", 2_000, shell::run);
}

#[test]
fn frames_target_holds_on_random_input() {
    assert!(!read_seeds("frames").is_empty(), "seeds are found");
    check_target("frames", 5_000, frames::run);
}

#[test]
fn messages_target_holds_on_random_input() {
    assert!(!read_seeds("messages").is_empty(), "seeds are found");
    check_target("messages", 5_000, messages::run);
}

#[test]
fn hub_target_holds_on_random_input() {
    assert!(!read_seeds("hub").is_empty(), "seeds are found");
    check_target("hub", 3_000, hub::run);
}

#[test]
fn globs_target_holds_on_random_input() {
    check_target("globs", 2_000, globs::run);
}

#[test]
fn paths_target_holds_on_random_input() {
    check_target("paths", 2_000, paths::run);
}

#[test]
fn names_target_holds_on_random_input() {
    check_target("names", 2_000, names::run);
}

#[test]
fn operands_target_holds_on_random_input() {
    check_target("operands", 1_000, operands::run);
}

#[test]
fn times_target_holds_on_random_input() {
    check_target("times", 2_000, times::run);
}

#[test]
fn urls_target_holds_on_random_input() {
    check_target("urls", 2_000, urls::run);
}

#[test]
fn policy_target_holds_on_random_input() {
    let shipped = folder().join("../crates/policy/src/shipped.toml");
    policy::run(&FuzzInput(0, fs::read_to_string(shipped).expect("the file is readable"), String::new()));
    check_target("policy", 1_500, policy::run);
}

#[test]
fn cel_target_holds_on_random_input() {
    assert!(
        !read_seeds("cel").is_empty() && read_dictionary("cel") != read_dictionary("shell"),
        "seeds and dictionaries are found"
    );
    check_target("cel", 500, cel::run);
}

#[test]
fn redact_target_holds_on_random_input() {
    check_target("redact", 1_000, redact::run);
}
