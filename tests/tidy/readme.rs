//! The first page: its figures are those of the benchmarks, and the commands of contributors stand apart.

use super::read;

/// The section with this title, without the sections after it.
fn section(page: &str, title: &str) -> String {
    let (_, rest) = page.split_once(&format!("\n## {title}\n")).unwrap_or_else(|| panic!("## {title}"));
    rest.split("\n## ").next().unwrap_or_default().to_owned()
}

/// The figures of a page: a number and its unit.
fn figures(text: &str) -> Vec<String> {
    let units = ["ms", "µs", "/s", "KiB", "MiB", "MB", "s"];
    let words: Vec<_> = text.split([' ', '|', ',', ';', '(', ')']).filter(|word| !word.is_empty()).collect();
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let pairs = words.windows(2).filter(|pair| is_number(pair[0]) && units.contains(&pair[1]));
    pairs.map(|pair| pair.join(" ")).collect()
}

#[test]
fn readme_figures_are_those_of_the_benchmarks() {
    let known = figures(&read("docs/benchmarks.md"));
    let shown = figures(&section(&read("README.md"), "Performance"));
    assert!(shown.len() > 15, "{shown:?}");
    let unknown: Vec<_> = shown.iter().filter(|figure| !known.contains(figure)).collect();
    assert!(unknown.is_empty(), "docs/benchmarks.md does not have {unknown:?}");
}

#[test]
fn contributors_commands_have_their_own_section() {
    let page = read("README.md");
    let (users, contributors) = page.split_once("\n## Contribute\n").expect("the last section");
    for command in ["cargo run", "tests/run"] {
        assert!(!users.contains(command) && contributors.contains(command), "{command}");
    }
}
