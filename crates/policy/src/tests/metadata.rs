//! Verdicts that follow from tool metadata.

use super::*;

fn defined(tool: &str, needs_approval: Option<bool>, description: Option<&str>) -> TestCall {
    let description = description.map(str::to_owned);
    call(tool, "{}").defined(ToolDefinition { description, needs_approval, ..ToolDefinition::default() })
}

#[test]
fn tool_that_needs_approval_overrides_an_allow() {
    let policy = rule("allow", "tool = \"get\"");
    let judgement = defined("get", Some(true), None).judge(&policy);
    assert_eq!(
        (judgement.verdict, judgement.basis, judgement.rule.as_deref()),
        (Verdict::Ask, Basis::Tool, None)
    );
    assert_eq!(judgement.principal().as_str(), "policy:tool");
    assert_eq!(defined("get", Some(true), None).verdict(&rule("block", "tool = \"get\"")), Verdict::Block);
    assert_eq!(defined("get", None, None).verdict(&policy), Verdict::Allow);
}

#[test]
fn only_trusted_tools_may_skip_approval() {
    let trusting = "[trust]\ntools = \"get\"\n";
    let free = defined("get", Some(false), None);
    assert_eq!(free.verdict(&policy("")), Verdict::Ask);
    let judgement = free.judge(&policy(trusting));
    assert_eq!((judgement.verdict, judgement.basis), (Verdict::Allow, Basis::Tool));
    assert_eq!(free.verdict(&policy(&format!("default = \"block\"\n{trusting}"))), Verdict::Block);
    assert_eq!(free.verdict(&policy(&format!("{trusting}{}", one("ask", "tool = \"get\"")))), Verdict::Ask);
    let destroys = defined("get", Some(false), None).annotated("{\"destructiveHint\":true}");
    assert_eq!(destroys.verdict(&policy(trusting)), Verdict::Ask);
}

#[test]
fn destructive_tool_is_asked() {
    let destroys = call("get", "{}").annotated("{\"destructiveHint\":true}");
    assert_eq!(destroys.verdict(&policy("default = \"allow\"")), Verdict::Ask);
    assert_eq!(destroys.verdict(&policy("default = \"block\"")), Verdict::Block);
    assert_eq!(call("get", "{}").verdict(&policy("default = \"allow\"")), Verdict::Allow);
    let reads = call("get", "{}").annotated("{\"readOnlyHint\":true}");
    assert_eq!(reads.verdict(&policy("[trust]\ntools = \"*\"\n")), Verdict::Ask, "only a rule allows");
}

#[test]
fn dangerous_tool_without_rule_is_asked() {
    let open = policy("default = \"allow\"");
    let judgement = call("Delete_User", "{}").judge(&open);
    assert_eq!((judgement.verdict, judgement.basis), (Verdict::Ask, Basis::Tool));
    assert_eq!(
        judgement.reason,
        "`Delete_User` may be dangerous: its name contains \"delete\", and no rule matches this call"
    );
    let described = defined("tidy", None, Some("REMOVEs old files")).judge(&open);
    assert_eq!(
        described.reason,
        "`tidy` may be dangerous: its description contains \"remove\", and no rule matches this call"
    );
    assert_eq!(call("list", "{}").verdict(&open), Verdict::Allow);
    assert_eq!(call("delete", "{}").verdict(&policy("default = \"block\"")), Verdict::Block);
    let ruled = policy(&format!("default = \"allow\"\n{}", one("allow", "tool = \"delete\"")));
    assert_eq!(call("delete", "{}").verdict(&ruled), Verdict::Allow);
    let off = policy("default = \"allow\"\ndangerous = { words = [] }");
    assert_eq!(call("delete", "{}").verdict(&off), Verdict::Allow);
    let own = policy("default = \"allow\"\ndangerous = { words = [\"Launch\"] }");
    assert_eq!(
        ["launch", "delete"].map(|tool| call(tool, "{}").verdict(&own)),
        [Verdict::Ask, Verdict::Allow]
    );
}
