//! The code's size: the lines of each crate, and of the tests.

use super::{files_ending, read};
use std::collections::BTreeMap;

/// The largest share of one crate in the production code, in per cent.
const LARGEST_CRATE: usize = 12;

/// The lines of Rust code, without blank lines and comments.
#[derive(Debug, Default)]
struct LineFigures {
    /// The production lines of each crate, by its folder.
    crates: BTreeMap<String, usize>,
    tests: usize,
}

impl LineFigures {
    fn measure() -> Self {
        let mut figures = Self::default();
        let sources = files_ending(".rs");
        let test_modules: Vec<_> = sources.iter().flat_map(|path| test_modules(path, &read(path))).collect();
        for path in &sources {
            let code = read(path);
            let lines: Vec<_> = code.lines().map(str::trim).collect();
            let inline_tests = find_inline_tests(&lines);
            let is_test = test_modules
                .iter()
                .any(|module| path.strip_prefix(module).is_some_and(|rest| rest.starts_with(['.', '/'])));
            match path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) {
                Some((name, _)) if !is_test => {
                    *figures.crates.entry(name.to_owned()).or_default() += count_code(&lines[..inline_tests]);
                    figures.tests += count_code(&lines[inline_tests..]);
                }
                _ => figures.tests += count_code(&lines),
            }
        }
        figures
    }

    fn production(&self) -> usize {
        self.crates.values().sum()
    }
}

/// The modules that a file declares for tests, as their paths without an ending.
fn test_modules(path: &str, code: &str) -> Vec<String> {
    let folder = ["/lib.rs", "/main.rs", "/mod.rs"].iter().find_map(|end| path.strip_suffix(end));
    let folder = folder.or_else(|| path.strip_suffix(".rs")).unwrap_or_default();
    let names =
        code.split("#[cfg(test)]\nmod ").skip(1).filter_map(|rest| rest.lines().next()?.strip_suffix(';'));
    names.map(|name| format!("{folder}/{name}")).collect()
}

/// The line at which the tests begin that a file has after its code.
fn find_inline_tests(lines: &[&str]) -> usize {
    let begins =
        |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{');
    lines.windows(2).position(begins).unwrap_or(lines.len())
}

#[test]
fn test_modules_are_those_declared_for_tests() {
    let code = "mod code;\n#[cfg(test)]\nmod cases;\n\nfn f() {}\n#[cfg(test)]\nmod tests {\n";
    assert_eq!(test_modules("crates/a/src/lib.rs", code), ["crates/a/src/cases"]);
    assert_eq!(test_modules("crates/a/src/b.rs", code), ["crates/a/src/b/cases"]);
    assert_eq!(find_inline_tests(&code.lines().collect::<Vec<_>>()), 5);
}

fn count_code(lines: &[&str]) -> usize {
    lines.iter().filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn no_crate_is_too_large() {
    let figures = LineFigures::measure();
    let most = figures.production() * LARGEST_CRATE / 100;
    let large: Vec<_> = figures.crates.iter().filter(|(_, lines)| **lines > most).collect();
    assert!(large.is_empty(), "more than {most} lines: {large:?}");
}

/// `tests/tidy/figures` prints the output of this test.
#[test]
fn line_figures_are_printed() {
    let figures = LineFigures::measure();
    let production = figures.production();
    let ratio = figures.tests * 100 / production.max(1);
    assert!(production > 10_000, "the code of the repository was found");
    let mut crates: Vec<_> = figures.crates.iter().collect();
    crates.sort_by_key(|(_, lines)| std::cmp::Reverse(**lines));
    let shares = crates.iter().map(|(name, lines)| {
        format!(
            "  {name:<16}{lines:>7} {:>5}.{} %",
            **lines * 100 / production,
            **lines * 1_000 / production % 10
        )
    });
    let head = format!("{production} lines of production Rust, {} of tests ({ratio} %)", figures.tests);
    super::print(&[head].into_iter().chain(shares).collect::<Vec<_>>().join("\n"));
}
