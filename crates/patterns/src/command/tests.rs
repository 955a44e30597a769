//! Tests of command patterns, shown commands and suggested patterns.

use super::{CommandPattern, ParsedScript, match_any, match_every};
use crate::MatchAnswer;

fn patterns(texts: &[&str]) -> Vec<CommandPattern> {
    texts.iter().map(|text| CommandPattern::new(text).expect(text)).collect()
}

fn allowed(texts: &[&str], script: &str) -> MatchAnswer {
    match_every(&patterns(texts), &ParsedScript::parse(script))
}

fn blocked(texts: &[&str], script: &str) -> MatchAnswer {
    match_any(&patterns(texts), &ParsedScript::parse(script))
}

#[test]
fn star_after_word_matches_prefix() {
    for (pattern, yes, no) in [
        ("ls*", &["ls", "ls -la", "lsof"][..], &["sl"][..]),
        ("ls *", &["ls src"], &["ls", "lsof"]),
        ("ls **", &["ls", "ls -la"], &["lsof"]),
        ("ls", &["ls"], &["ls -la"]),
        ("git {log,show} **", &["git log", "git show x"], &["git push", "git logs"]),
    ] {
        for (texts, answer) in [(yes, MatchAnswer::Yes), (no, MatchAnswer::No)] {
            for text in texts {
                assert_eq!(allowed(&[pattern], text), answer, "{pattern}: {text}");
            }
        }
    }
}

#[test]
fn script_is_allowed_only_if_every_command_matches() {
    for text in ["ls; cat x", "ls | cat", "ls && cat x || ls", "(ls; cat)", "{ ls; }", "ls &", "ls\ncat x\n"]
    {
        assert_eq!(allowed(&["ls*", "cat*"], text), MatchAnswer::Yes, "{text}");
    }
    assert_eq!(allowed(&["ls*"], "ls; rm -rf /"), MatchAnswer::No);
    assert_eq!(allowed(&["ls*"], "if ls; then rm x; fi"), MatchAnswer::No);
    assert_eq!(allowed(&["ls*"], ""), MatchAnswer::No);
    assert_eq!(allowed(&[], "ls"), MatchAnswer::No);
}

#[test]
fn word_with_spaces_is_matched_in_quotes() {
    assert_eq!(allowed(&["git status*"], "git 'status -s'"), MatchAnswer::No);
    assert_eq!(allowed(&["git commit -m 'wip*"], "git commit -m \"wip it\""), MatchAnswer::Yes);
    assert_eq!(blocked(&["git commit -m wip*"], "git commit -m \"wip it\""), MatchAnswer::Yes);
}

#[test]
fn input_file_is_allowed_only_if_shown() {
    assert_eq!(allowed(&["wc*"], "wc -l < notes"), MatchAnswer::No);
    assert_eq!(allowed(&["wc -l < notes"], "wc -l < notes"), MatchAnswer::Yes);
    assert_eq!(allowed(&["wc -l < *"], "wc -l < $HOME/x"), MatchAnswer::No);
}

#[test]
fn commands_are_shown_with_minimal_quotes() {
    let script = ParsedScript::parse("\"git\"  status   -s | sudo r\\m -rf \"a b\" $(date)");
    let shown: Vec<_> = script.commands().collect();
    assert_eq!(shown, ["git status -s", "date", "sudo rm -rf 'a b' $(date)", "rm -rf 'a b' $(date)"]);
}

#[test]
fn invalid_command_pattern_is_rejected() {
    for pattern in ["", " ls", "ls ", "git  status", "ls [a", "ls\n"] {
        assert!(CommandPattern::new(pattern).is_err(), "{pattern:?}");
    }
    assert_eq!(CommandPattern::new("[ -f x").expect_err("a set").to_string().matches("`\\[`").count(), 1);
    assert_eq!(CommandPattern::new("ls **").expect("a pattern").as_str(), "ls **");
}

#[test]
fn prefix_is_suggested_only_for_safe_programs() {
    for (text, suggested) in [
        ("git status -s", Some("git status **")),
        ("ls -la", Some("ls **")),
        ("ls", Some("ls **")),
        ("cargo test -p x", Some("cargo test **")),
        ("gcc a.c", Some("gcc **")),
        ("git -C x status", None),
        ("bash -c ls", None),
        ("python3 x.py", None),
        ("sudo ls", None),
        ("rm x", None),
        ("docker run x", None),
        ("./x.sh", None),
        ("git fetch origin", None),
        ("git grep x", None),
        ("printf x", None),
        ("sort x", None),
        ("ls | cat", None),
        ("ls > x", None),
        ("ls $x", None),
        ("A=1 ls", None),
        ("ls $(date)", None),
        ("", None),
    ] {
        let found = ParsedScript::parse(text).suggest();
        let tried = found.filter(|pattern| allowed(&[pattern], text) == MatchAnswer::Yes);
        assert_eq!(tried.as_deref(), suggested, "{text}");
    }
}

#[test]
fn nested_find_commands_are_read_once() {
    let script = ParsedScript::parse(&"find -exec a ".repeat(5000));
    assert_eq!(script.commands().count(), 2, "the find command and the command that it runs");
}

#[test]
fn script_beyond_parser_limits_is_unclear() {
    let deep = [
        "(".repeat(4000),
        "$(".repeat(4000),
        "case x in a) ".repeat(40),
        "{ ".repeat(4000),
        "`".repeat(4001),
    ];
    for text in deep.iter().map(String::as_str).chain([&*"ls;".repeat(30_000), &*"sudo --x ".repeat(3000)]) {
        assert_ne!(allowed(&["*"], text), MatchAnswer::Yes, "{text:.20}");
        assert_eq!(blocked(&["rm*"], text), MatchAnswer::Unclear, "{text:.20}");
    }
}
