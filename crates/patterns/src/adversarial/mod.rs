//! Inputs that try to bypass a pattern, with the expected answers. The name of each case states the technique.

mod paths;
mod shell_characters;
mod shell_expansions;
mod shell_grammar;
mod shell_indirection;
mod shell_options;
mod shell_programs;
mod shell_redirections;
mod shell_separators;
mod shell_stars;
mod shell_wrappers;
mod urls;

use super::{
    CommandPattern, MatchAnswer, ParsedPath, ParsedScript, ParsedUrl, PathPattern, UrlPattern,
    command::{match_any, match_every},
};

const YES: MatchAnswer = MatchAnswer::Yes;
const NO: MatchAnswer = MatchAnswer::No;
const UNCLEAR: MatchAnswer = MatchAnswer::Unclear;

/// The name, the `allow` pattern, the `block` pattern, the command line, and the answers to both.
type ShellCase = (&'static str, &'static str, &'static str, &'static str, MatchAnswer, MatchAnswer);

/// The name, the pattern, the input and the answer: only `Yes` allows, and only `No` does not block.
type PlainCase = (&'static str, &'static str, &'static str, MatchAnswer);

#[test]
fn command_line_cannot_bypass_pattern() {
    let tables = [
        shell_separators::CASES,
        shell_expansions::CASES,
        shell_redirections::CASES,
        shell_characters::CASES,
        shell_options::CASES,
        shell_indirection::CASES,
        shell_wrappers::CASES,
        shell_grammar::CASES,
        shell_programs::CASES,
        shell_stars::CASES,
    ];
    let cases: Vec<_> = tables.concat();
    let mut wrong = vec![];
    for (name, allow, block, input, allowed, blocked) in &cases {
        let script = ParsedScript::parse(input);
        let pattern = |text: &str| [CommandPattern::new(text).expect(name)];
        let answers = (match_every(&pattern(allow), &script), match_any(&pattern(block), &script));
        if answers != (*allowed, *blocked) {
            wrong.push(format!("{name}: {input:?} gives {answers:?}, expected {:?}", (allowed, blocked)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn path_cannot_bypass_pattern() {
    check_cases(paths::CASES, |pattern, path| {
        PathPattern::new(pattern).expect(pattern).matches(&ParsedPath::parse(path))
    });
    check_cases(paths::WITHIN, |root, path| ParsedPath::parse(path).is_within(&ParsedPath::parse(root)));
}

#[test]
fn url_cannot_bypass_pattern() {
    check_cases(urls::CASES, |pattern, url| {
        UrlPattern::new(pattern).expect(pattern).matches(&ParsedUrl::parse(url))
    });
}

#[test]
fn case_names_are_unique() {
    let shell = [
        shell_separators::CASES,
        shell_expansions::CASES,
        shell_redirections::CASES,
        shell_characters::CASES,
        shell_options::CASES,
        shell_indirection::CASES,
        shell_wrappers::CASES,
        shell_grammar::CASES,
        shell_programs::CASES,
        shell_stars::CASES,
    ];
    let plain = [paths::CASES, paths::WITHIN, urls::CASES];
    let names =
        shell.concat().into_iter().map(|case| case.0).chain(plain.concat().into_iter().map(|case| case.0));
    let mut names: Vec<_> = names.collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all, "two cases have the same name");
    assert!(all >= 500, "{all} cases");
}

fn check_cases(cases: &[PlainCase], matches: impl Fn(&str, &str) -> MatchAnswer) {
    let mut wrong = vec![];
    for (name, pattern, input, expected) in cases {
        let answer = matches(pattern, input);
        if answer != *expected {
            wrong.push(format!("{name}: {pattern} gives {answer:?} for {input:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
