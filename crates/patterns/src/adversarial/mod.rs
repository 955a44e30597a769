//! What somebody would write to get past a pattern, and what the pattern says to it. Each case is named by what
//! it tries.

mod paths;
mod shell_expansions;
mod shell_feeding;
mod shell_letters;
mod shell_options;
mod shell_readers;
mod shell_separators;
mod shell_wrappers;
mod urls;

use super::{
    CommandPattern, MatchAnswer, ParsedPath, ParsedScript, ParsedUrl, PathPattern, UrlPattern,
    command::{any, every},
};

const YES: MatchAnswer = MatchAnswer::Yes;
const NO: MatchAnswer = MatchAnswer::No;
const UNCLEAR: MatchAnswer = MatchAnswer::Unclear;

/// What it tries, the pattern that allows, the one that blocks, the command line, and what each must say.
type ShellCase = (&'static str, &'static str, &'static str, &'static str, MatchAnswer, MatchAnswer);

/// What it tries, the pattern, the input, and what the pattern must say: only yes allows, only no is not blocked.
type PlainCase = (&'static str, &'static str, &'static str, MatchAnswer);

#[test]
fn no_command_line_gets_past_its_pattern() {
    let tables = [
        shell_separators::CASES,
        shell_expansions::CASES,
        shell_feeding::CASES,
        shell_letters::CASES,
        shell_options::CASES,
        shell_readers::CASES,
        shell_wrappers::CASES,
    ];
    let cases: Vec<_> = tables.concat();
    let mut wrong = vec![];
    for (tries, allow, block, input, allowed, blocked) in &cases {
        let script = ParsedScript::parse(input);
        let pattern = |text: &str| [CommandPattern::new(text).expect(tries)];
        let said = (every(&pattern(allow), &script), any(&pattern(block), &script));
        if said != (*allowed, *blocked) {
            wrong.push(format!("{tries}: {input:?} is {said:?} and must be {:?}", (allowed, blocked)));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn no_path_gets_past_its_pattern() {
    report(paths::CASES, |pattern, path| {
        PathPattern::new(pattern).expect(pattern).matches(&ParsedPath::read(path))
    });
    report(paths::WITHIN, |root, path| ParsedPath::read(path).is_within(&ParsedPath::read(root)));
}

#[test]
fn no_url_gets_past_its_pattern() {
    report(urls::CASES, |pattern, url| {
        UrlPattern::new(pattern).expect(pattern).matches(&ParsedUrl::read(url))
    });
}

#[test]
fn each_case_tries_something_of_its_own() {
    let shell = [
        shell_separators::CASES,
        shell_expansions::CASES,
        shell_feeding::CASES,
        shell_letters::CASES,
        shell_options::CASES,
        shell_readers::CASES,
        shell_wrappers::CASES,
    ];
    let plain = [paths::CASES, paths::WITHIN, urls::CASES];
    let named =
        shell.concat().into_iter().map(|case| case.0).chain(plain.concat().into_iter().map(|case| case.0));
    let mut named: Vec<_> = named.collect();
    let all = named.len();
    named.sort_unstable();
    named.dedup();
    assert_eq!(named.len(), all, "no two cases are named alike");
    assert!(all >= 250, "{all} cases");
}

fn report(cases: &[PlainCase], says: impl Fn(&str, &str) -> MatchAnswer) {
    let mut wrong = vec![];
    for (tries, pattern, input, expected) in cases {
        let said = says(pattern, input);
        if said != *expected {
            wrong.push(format!("{tries}: {pattern} says {said:?} to {input:?} and must say {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
