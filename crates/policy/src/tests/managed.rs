//! The managed layer: rules that people accepted.

use super::*;
use crate::{MANAGED_LAYER, MAX_MANAGED_RULE_BYTES, MAX_MANAGED_RULES, ManagedRuleError};
use countersign_events::PolicyLayer;

const LS: &str = "[[rule]] # 12 prompts\nname = \"suggested: ls\"\ntool = \"bash\"\ncommand = \"ls\"\nverdict = \"allow\"\n";

fn main_file(text: &str) -> PolicyText {
    PolicyText::from(text)
}

fn accepted(main: &str, rule: &str) -> Policy {
    main_file(main).add_managed_rule(rule).unwrap_or_else(|error| panic!("{error}\n{rule}")).0
}

#[test]
fn accepted_rule_answers_what_the_default_asks() {
    let policy = accepted("", LS);
    let judgement = bash("ls").judge(&policy);
    assert_eq!(
        (judgement.verdict, judgement.rule.as_deref()),
        (Verdict::Allow, Some("policy.d/managed.toml: suggested: ls"))
    );
    assert_eq!(bash("rm x").verdict(&policy), Verdict::Ask);
    assert_eq!(policy.text().text, "", "the main file stays as it is");
    let summary = policy.list_rules().next().expect("a rule");
    assert_eq!((summary.file, summary.line, summary.is_managed), (Some(MANAGED_LAYER), 2, true));
}

#[test]
fn accepted_rule_lifts_neither_rules_nor_default_block() {
    for (verdict, expected) in [("ask", Verdict::Ask), ("block", Verdict::Block)] {
        let by_rule = accepted(&one(verdict, "tool = \"bash\""), LS);
        assert_eq!(bash("ls").verdict(&by_rule), expected, "a rule has verdict {verdict}");
        let by_default = accepted(&format!("default = \"{verdict}\"\n"), LS);
        let expected = if verdict == "ask" { Verdict::Allow } else { Verdict::Block };
        assert_eq!(bash("ls").verdict(&by_default), expected, "the default is {verdict}");
    }
    let by_layer = PolicyText {
        layers: vec![PolicyLayer {
            name: "policy.d/10-team.toml".to_owned(),
            text: "default = \"block\"\n".to_owned(),
        }],
        ..main_file("")
    };
    let (policy, _) = by_layer.add_managed_rule(LS).expect("added");
    assert_eq!(bash("ls").verdict(&policy), Verdict::Block, "a layer written by hand blocks by default");
}

#[test]
fn managed_rules_are_added_and_removed() {
    let (one, first) = main_file("").add_managed_rule(LS).expect("added");
    let (two, second) = one.text().add_managed_rule(LS).expect("added");
    assert_eq!((first.as_str(), second.as_str()), ("suggested: ls", "suggested: ls (2)"));
    let layer = two.text().managed_layer().expect("a layer").text.clone();
    insta::assert_snapshot!(layer, @r#"
    [[rule]] # 12 prompts
    name = "suggested: ls"
    tool = "bash"
    command = "ls"
    verdict = "allow"
    [[rule]] # 12 prompts
    name = "suggested: ls (2)"
    tool = "bash"
    command = "ls"
    verdict = "allow"
    "#);
    let left = two.text().remove_managed_rule("suggested: ls").expect("removed");
    assert_eq!(left.rules(), 1);
    let none = left.text().remove_managed_rule("suggested: ls (2)").expect("removed");
    assert_eq!(none.hash(), main_file("").hash(), "the last rule takes the layer with it");
    assert_eq!(
        none.text().remove_managed_rule("suggested: ls").err(),
        Some(ManagedRuleError::Unknown("suggested: ls".to_owned()))
    );
}

#[test]
fn new_files_keep_the_managed_layer() {
    let in_force = accepted("default = \"ask\"\n", LS);
    let next = main_file("default = \"allow\"\n").with_managed_layer_of(in_force.text());
    assert_eq!(next.managed_layer(), in_force.text().managed_layer());
    assert_eq!(next.without_managed_layer(), main_file("default = \"allow\"\n"));
    assert_eq!(main_file("").with_managed_layer_of(&main_file("")), main_file(""));
}

#[test]
fn managed_layer_contains_only_rules_that_allow() {
    let refused = |rule: &str| main_file("").add_managed_rule(rule).map(|_| ()).expect_err(rule).to_string();
    insta::assert_snapshot!([
        refused(""),
        refused("default = \"allow\"\n"),
        refused(&format!("{LS}{LS}")),
        refused(&format!("default = \"allow\"\n{LS}")),
        refused("rule = 1"),
        refused("= 1"),
        refused(&one("block", "tool = \"x\"")),
        refused(&one("allow", "tol = \"x\"")),
        refused("[[rule]]\nverdict = \"allow\"\ntool = \"x\"\n"),
        refused(&format!("#{}", " ".repeat(MAX_MANAGED_RULE_BYTES))),
    ].join("\n"), @r#"
    it must be one [[rule]] and nothing else
    it must be one [[rule]] and nothing else
    it must be one [[rule]] and nothing else
    it must be one [[rule]] and nothing else
    it must be one [[rule]] and nothing else
    TOML parse error at line 1, column 1
      |
    1 | = 1
      | ^
    unquoted keys cannot be empty, expected letters, numbers, `-`, `_`

    the policy is invalid with this rule: policy.d/managed.toml: the policy is invalid at line 1, column 1: the managed layer may contain only rules with verdict = "allow"; put others into another file
    the policy is invalid with this rule: policy.d/managed.toml: the policy is invalid at line 4, column 1: a rule has no key `tol`; did you mean `tool`?
    the policy is invalid with this rule: policy.d/managed.toml: the policy is invalid at line 4, column 8: the name of a rule must have 1 to 505 bytes and no control characters
    it has 16385 bytes; the limit is 16384
    "#);
    let layer = PolicyLayer { name: MANAGED_LAYER.to_owned(), text: "default = \"allow\"\n".to_owned() };
    let error = Policy::read_text(PolicyText { layers: vec![layer], ..main_file("") }).expect_err("refused");
    insta::assert_snapshot!(error.to_string(), @"policy.d/managed.toml: the policy is invalid at line 1, column 1: the managed layer may contain only [[rule]]; put other keys into another file");
}

#[test]
fn managed_layer_is_limited() {
    let rules: Vec<_> =
        (0..MAX_MANAGED_RULES).map(|n| LS.replace("suggested: ls", &format!("r{n}"))).collect();
    let layer = PolicyLayer { name: MANAGED_LAYER.to_owned(), text: rules.concat() };
    let full = PolicyText { layers: vec![layer], ..main_file("") };
    assert_eq!(full.add_managed_rule(LS).err(), Some(ManagedRuleError::Full));
}
