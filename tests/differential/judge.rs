//! Judges command lines with the patterns, and checks the effects of their runs by other means.

use super::sandbox::RunEffects;
use countersign_patterns::{CommandPattern, MatchAnswer, ParsedScript, command::match_every};

/// The patterns that allow a line.
const ALLOWED: &[&str] =
    &["ls **", "cat **", "git status **", "git log **", "echo **", "grep **", "sort **", "find **"];

/// The patterns of commands that run one of these programs, or that only print. The programs that they launch are the real
/// ones in the sandbox.
const LAUNCHED: &[&str] = &[
    "eval ls **",
    "xargs ls **",
    "timeout 5 ls **",
    "env ls **",
    "nice ls **",
    "sh -c 'ls **'",
    "CI=true ls **",
    "printf **",
];

/// Arguments by which an allowed program would write, delete or run something.
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("git log", &["--output", "--ext-diff"]),
    ("sort", &["-o", "--o", "--c"]),
    ("find", &["-delete", "-exec", "-ok", "-fprint", "-fls"]),
];

/// The test patterns.
pub(crate) struct AllowedPatterns(Vec<CommandPattern>);

impl AllowedPatterns {
    pub(crate) fn new() -> Self {
        Self(
            ALLOWED
                .iter()
                .chain(LAUNCHED)
                .map(|text| CommandPattern::new(text).expect("a pattern"))
                .collect(),
        )
    }

    /// Whether the patterns allow the line.
    pub(crate) fn allow(&self, line: &str) -> bool {
        match_every(&self.0, &ParsedScript::parse(line)) == MatchAnswer::Yes
    }
}

/// The effects that the patterns do not show, in words.
pub(crate) fn find_faults(effects: &RunEffects) -> Vec<String> {
    let mut faults: Vec<String> =
        effects.changed.iter().map(|name| format!("changed the file {name}")).collect();
    let commands = effects.commands.iter().filter(|command| !is_covered(command));
    faults.extend(commands.map(|command| format!("ran {command:?}")));
    faults.dedup();
    faults
}

/// Whether a pattern shows the command: its program, its subcommand, and no option with an effect.
fn is_covered(command: &[String]) -> bool {
    let begins = |text: &str| {
        text.split(' ').enumerate().all(|(at, word)| command.get(at).is_some_and(|found| found == word))
    };
    // Two dashes end the options, unless they are the value of one. `find` has no such end.
    let is_end = |at: usize| command[at] == "--" && command[0] != "find" && !command[at - 1].starts_with('-');
    let end = (1..command.len()).find(|at| is_end(*at)).unwrap_or(command.len());
    let has_effect = |options: &[&str]| {
        command[..end].iter().any(|word| options.iter().any(|option| word.starts_with(option)))
    };
    ALLOWED.iter().any(|pattern| begins(pattern.trim_end_matches(" **")))
        && !FORBIDDEN.iter().any(|(program, options)| begins(program) && has_effect(options))
}

#[test]
fn command_is_covered_only_if_shown() {
    let covered = |words: &[&str]| is_covered(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
    assert!(covered(&["ls"]) && covered(&["git", "log", "-3"]) && covered(&["git", "status", "--output=x"]));
    assert!(!covered(&["git", "push"]) && !covered(&["git"]) && !covered(&["lsof"]) && !covered(&[]));
    assert!(covered(&["sort", "--", "-o", "x"]) && !covered(&["sort", "-t", "--", "-o", "x"]));
    assert!(!covered(&["git", "log", "--output=x"]) && !covered(&["find", ".", "-delete"]));
}
