//! Every policy in the documentation can be read, and every call beside it gets the documented verdict.

use super::*;
use std::{fs, path::Path};

/// Pages whose TOML is the configuration of another program or of Countersign itself, and not a policy.
const OTHER_TOML: [&str; 4] = ["configuration.md", "access.md", "codex.md", "reverse-proxy.md"];
/// The first lines in a case file for `countersign policy test`.
const CASES: &str = "[[case]]";

/// The documentation pages, each with its name and content.
fn pages() -> Vec<(String, String)> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut pages = Vec::new();
    for folder in [docs.clone(), docs.join("guides")] {
        for entry in fs::read_dir(&folder).expect("the folder is readable") {
            let path = entry.expect("the entry is readable").path();
            if path.extension().is_some_and(|end| end == "md") {
                let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
                pages.push((name, fs::read_to_string(&path).expect("the page is readable")));
            }
        }
    }
    pages
}

/// The fenced blocks on a page, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

/// Judges `tool {arguments} -> verdict by rule`.
fn check_verdict(policy: &Policy, line: &str, page: &str) {
    let (call_text, expected) =
        line.split_once(" -> ").unwrap_or_else(|| panic!("{page}: no arrow in {line}"));
    let (tool, arguments) = call_text.trim().split_once(' ').unwrap_or((call_text.trim(), "{}"));
    let judgement = call(tool, arguments).judge(policy);
    let by = judgement.rule.unwrap_or_else(|| judgement.basis.as_str().to_owned());
    assert_eq!(format!("{} by {by}", judgement.verdict.as_str()), expected.trim(), "{page}: {line}");
}

#[test]
fn documented_policies_give_documented_verdicts() {
    let (mut policies, mut verdicts) = (0, 0);
    for (name, page) in pages() {
        let mut current = Policy::ask_always();
        for (language, block) in blocks(&page) {
            match language {
                "toml" if !OTHER_TOML.contains(&name.as_str()) && !block.starts_with(CASES) => {
                    current = Policy::read(block).unwrap_or_else(|e| panic!("{name}: {e}\n{block}"));
                    assert_eq!(current.find_warnings(), [], "{name}\n{block}");
                    policies += 1;
                }
                "calls" => {
                    for line in block.lines() {
                        check_verdict(&current, line, &name);
                        verdicts += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(policies > 25 && verdicts > 40, "{policies} policies, {verdicts} calls");
}
