//! Every policy in the documentation can be read, and every call beside it gets the documented verdict.

use super::*;

const PAGES: [(&str, &str); 3] = [
    ("policy.md", include_str!("../../../../docs/policy.md")),
    ("policy-cookbook.md", include_str!("../../../../docs/guides/policy-cookbook.md")),
    ("verdict.md", include_str!("../../../../docs/verdict.md")),
];

/// The fenced blocks of a page, each with its language.
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
    let mut checked = 0;
    for (name, page) in PAGES {
        let mut current = Policy::ask_always();
        for (language, block) in blocks(page) {
            match language {
                "toml" => {
                    current = Policy::read(block).unwrap_or_else(|e| panic!("{name}: {e}\n{block}"));
                    assert_eq!(current.warnings(), [], "{name}\n{block}");
                }
                "calls" => {
                    for line in block.lines() {
                        check_verdict(&current, line, name);
                        checked += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(checked > 40, "{checked} calls");
}
