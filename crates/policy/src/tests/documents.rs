//! The documentation says what is so: every policy in it reads, and every call beside it is judged as it
//! says.

use super::*;

const PAGES: [(&str, &str); 3] = [
    ("policy.md", include_str!("../../../../docs/policy.md")),
    ("policy-cookbook.md", include_str!("../../../../docs/policy-cookbook.md")),
    ("verdict.md", include_str!("../../../../docs/verdict.md")),
];

/// The fenced blocks of a page, each with its language.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')).collect()
}

/// Judges `tool {arguments} -> verdict by rule`.
fn check(policy: &Policy, line: &str, page: &str) {
    let (given, wanted) = line.split_once(" -> ").unwrap_or_else(|| panic!("{page}: no arrow in {line}"));
    let (tool, arguments) = given.trim().split_once(' ').unwrap_or((given.trim(), "{}"));
    let judgement = call(tool, arguments).judge(policy);
    let by = judgement.rule.unwrap_or_else(|| judgement.basis.as_str().to_owned());
    assert_eq!(format!("{} by {by}", judgement.verdict.as_str()), wanted.trim(), "{page}: {line}");
}

#[test]
fn every_policy_in_the_documentation_does_what_is_said() {
    let mut checked = 0;
    for (name, page) in PAGES {
        let mut in_force = Policy::ask_always();
        for (language, block) in blocks(page) {
            match language {
                "toml" => {
                    in_force = Policy::read(block).unwrap_or_else(|e| panic!("{name}: {e}\n{block}"));
                    assert_eq!(in_force.warnings(), [], "{name}\n{block}");
                }
                "calls" => {
                    for line in block.lines() {
                        check(&in_force, line, name);
                        checked += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(checked > 40, "{checked} calls");
}
