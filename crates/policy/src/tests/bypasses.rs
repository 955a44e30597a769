//! Calls that try to run more than a rule shows, and innocent calls beside them. `data/bypasses.json` lists the policy,
//! the call and the verdict.

use super::*;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct BypassCase {
    family: String,
    policy: String,
    tool: String,
    arguments: String,
    right: String,
}

#[test]
fn call_never_runs_more_than_its_rule_shows() {
    let cases: Vec<BypassCase> =
        serde_json::from_str(include_str!("data/bypasses.json")).expect("a list of cases");
    let mut wrong = Vec::new();
    for case in &cases {
        let found = match call(&case.tool, &case.arguments).verdict(&policy(&case.policy)) {
            Verdict::Allow => "allow",
            Verdict::Ask => "ask",
            Verdict::Block => "block",
        };
        if found != case.right {
            wrong.push(format!(
                "{}: {} {} gives {found}, expected {}",
                case.family,
                case.policy.trim(),
                case.arguments,
                case.right
            ));
        }
    }
    assert!(cases.len() >= 118, "{} cases", cases.len());
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
