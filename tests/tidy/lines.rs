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
        for path in files_ending(".rs") {
            let code = read(&path);
            let lines: Vec<_> = code.lines().map(str::trim).collect();
            let inline_tests = lines.iter().position(|line| *line == "#[cfg(test)]").unwrap_or(lines.len());
            match path.strip_prefix("crates/").and_then(|path| path.split_once("/src/")) {
                Some((name, file)) if !is_test_file(file) => {
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

fn is_test_file(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
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
