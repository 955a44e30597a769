//! Several `allow` rules that cover the commands of one line together.

use super::*;

const RULES: &str = "[[rule]]\nname = \"lists\"\ntool = \"bash\"\ncommand = \"ls **\"\nverdict = \"allow\"\n\
     [[rule]]\nname = \"reads\"\ntool = \"bash\"\ncommand = \"cat **\"\nverdict = \"allow\"\n";

fn with_rules(more: &str) -> Policy {
    policy(&format!("{RULES}{more}"))
}

#[test]
fn two_allow_rules_cover_one_line() {
    let judgement = bash("ls && cat f").judge(&with_rules(""));
    assert_eq!((judgement.verdict, judgement.rule.as_deref()), (Verdict::Allow, Some("lists")));
    assert_eq!(judgement.reason, "the rules \"lists\" and \"reads\" allow the commands of the line together");
    let matched: Vec<_> = judgement.matched.iter().map(|one| (one.rule.as_str(), one.why.as_str())).collect();
    assert_eq!(
        matched,
        [
            ("lists", "command `ls **` matches a part of the line"),
            ("reads", "command `cat **` matches a part of the line"),
        ]
    );
}

#[test]
fn uncovered_command_is_asked() {
    let policy = with_rules("");
    for line in ["ls && cat f && rm f", "ls $(rm f); cat f", "ls > f; cat f", "ls && cat f # ; rm f", ""] {
        assert_eq!(bash(line).verdict(&policy), Verdict::Ask, "{line}");
    }
}

#[test]
fn block_rule_overrides_combined_rules() {
    let policy = with_rules(
        "[[rule]]\nname = \"no secrets\"\ntool = \"bash\"\ncommand = \"cat .env*\"\nverdict = \"block\"\n",
    );
    assert_eq!(bash("ls && cat .env").verdict(&policy), Verdict::Block);
    assert_eq!(bash("ls && cat f").verdict(&policy), Verdict::Allow);
}

#[test]
fn rule_with_failing_selector_does_not_combine() {
    for other in ["args = { \"/n\" = 1 }", "principal = \"user:*\"", "when = \"false\"", "shadow = true"] {
        let policy =
            policy(&RULES.replacen("command = \"ls **\"", &format!("command = \"ls **\"\n{other}"), 1));
        assert_eq!(bash("ls && cat f").verdict(&policy), Verdict::Ask, "{other}");
    }
}

#[test]
fn exception_keeps_rule_from_combining() {
    let text = RULES.replacen(
        "command = \"ls **\"",
        "command = \"ls **\"\nunless = { command = \"cat secret\" }",
        1,
    );
    let policy = policy(&text);
    assert_eq!(bash("ls && cat secret").verdict(&policy), Verdict::Ask);
    assert_eq!(bash("ls && cat f").verdict(&policy), Verdict::Allow);
}
