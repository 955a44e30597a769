//! Parameters of functions: none is a tuple, because two values of one type could be swapped and still compile.

use super::{files_ending, read};

#[test]
fn parameters_are_no_tuples() {
    let mut found = Vec::new();
    for path in files_ending(".rs") {
        let is_test =
            ["/tests", "tests.rs", "laws.rs", "list_cases.rs"].iter().any(|part| path.contains(part));
        if is_test || !path.starts_with("crates/") {
            continue;
        }
        let text = read(&path);
        let production = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
        found.extend(tuple_parameters(production).map(|parameter| format!("{path}: {parameter}")));
    }
    assert!(found.is_empty(), "give these parameters names of their own, or a struct:\n{}", found.join("\n"));
}

#[test]
fn tuple_parameters_are_found() {
    let found = |text: &str| tuple_parameters(text).count();
    assert_eq!(found("fn f((a, b): (u8, u8)) {}\nfn g<T: Fn(u8) -> u8>(x: &T, y: (u8, u8)) {}"), 2);
    assert_eq!(found("fn f(a: impl Fn((u8, u8)), b: &[(u8, u8)], c: ()) -> (u8, u8) {}"), 0);
    assert_eq!(found("fn f(\n    &self,\n    at: &'a (u8, u8),\n) {}"), 1);
}

/// The parameters of functions that are tuples.
fn tuple_parameters(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.match_indices("fn ").filter_map(|(at, _)| parameters(&text[at..]));
    lines.flat_map(split_parameters).map(str::trim).filter(|parameter| is_tuple(parameter))
}

/// The text between a function's parentheses, whose signature begins the text.
fn parameters(signature: &str) -> Option<&str> {
    let head = signature.split(['{', ';']).next()?;
    let begin = match head.find(['<', '(']) {
        Some(at) if head[at..].starts_with('<') => {
            at + head[at..].find(">(").or_else(|| head[at..].find(">\n("))? + 1
        }
        found => found?,
    };
    let mut depth = 0;
    for (at, c) in head[begin..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return head.get(begin + 1..begin + at);
        }
    }
    None
}

/// The parameters, which commas outside of brackets separate.
fn split_parameters(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut before) = (0, ' ');
    text.split(move |c| {
        let is_arrow = c == '>' && matches!(before, '-' | '=');
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' => depth -= 1,
            '>' if !is_arrow => depth -= 1,
            _ => {}
        }
        before = c;
        c == ',' && depth == 0
    })
}

fn is_tuple(parameter: &str) -> bool {
    let has_members = |text: &str| text.strip_prefix('(').is_some_and(|rest| rest.contains(','));
    let Some((pattern, kind)) = parameter.split_once(": ") else { return false };
    let kind = kind.trim_start_matches('&').trim_start();
    let kind =
        if kind.starts_with('\'') { kind.split_once(' ').map_or(kind, |(_, kind)| kind) } else { kind };
    has_members(pattern) || has_members(kind.trim_start_matches("mut "))
}
