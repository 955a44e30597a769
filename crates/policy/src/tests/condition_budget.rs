//! Conditions that would need too much time or memory.

use super::*;

/// The condition outcome for a call with a 32 KiB string and a list of 1,000 numbers.
fn outcome_of(condition: &str) -> String {
    let numbers: Vec<_> = (0..1_000).collect();
    let arguments = serde_json::json!({"text": "x".repeat(32 * 1_024), "list": numbers}).to_string();
    outcome(&format!("tool = \"x\"\nwhen = '{condition}'"), &call("x", &arguments))
}

/// Nests a condition part in itself: `{}` stands for the inner part.
fn nested(levels: usize, start: &str, level: &str) -> String {
    (0..levels).fold(start.to_owned(), |inner, _| level.replace("{}", &inner))
}

#[test]
fn condition_within_budget_gives_its_result() {
    for (condition, wanted) in [
        ("args.list.all(n, n < 1000)", YES),
        ("args.list.exists(n, n == 999)", YES),
        ("args.list.map(n, n + 1).size() == 1000", YES),
        ("args.list.filter(n, n > 500).size() == 499", YES),
        ("args.list.exists_one(n, n == 7)", YES),
        ("args.text.matches(\"^x+$\") && args.text.contains(\"xx\")", YES),
        ("[args.text, \"b\"][1] == \"b\" && {\"a\": args.text}.a.size() == 32768", YES),
        ("args.list.all(n, n < 999)", NO),
        ("has(args.other) || 7 in args.list", YES),
    ] {
        assert_eq!(outcome_of(condition), wanted, "{condition}");
    }
}

#[test]
fn condition_that_builds_a_huge_text_fails() {
    let text = nested(12, "args.text", "[{}].map(x, x + x + x + x)[0]");
    assert_eq!(outcome_of(&format!("{text}.size() > 0")), FAILED);
}

#[test]
fn condition_that_builds_a_huge_list_fails() {
    assert_eq!(outcome_of("args.list.map(a, args.list.map(b, [a, b])).size() > 0"), FAILED);
    let shared = nested(6, "args.list", "[{}].map(x, [x, x, x, x])[0]");
    assert_eq!(outcome_of(&format!("{shared} == {shared}")), FAILED);
}

#[test]
fn condition_that_loops_for_long_fails() {
    for condition in [
        "args.list.all(a, args.list.all(b, true))",
        "args.list.all(a, args.list.all(b, a + b >= 0))",
        "args.list.all(a, args.text.matches(\"(x+)+y?$\"))",
        "args.list.map(a, args.list.map(b, 1)).size() == 1000",
    ] {
        assert_eq!(outcome_of(condition), FAILED, "{condition}");
    }
}

#[test]
fn exhausted_budget_is_not_swallowed() {
    for otherwise in ["true", "args.list.size() > 0"] {
        let condition = format!("args.list.exists(a, args.list.exists(b, a + b == 5000)) || {otherwise}");
        assert_eq!(outcome_of(&condition), FAILED, "{condition}");
    }
}

#[test]
fn conditions_of_a_policy_share_the_budget() {
    let half = "when = 'args.list.all(a, args.list.filter(b, b < 50).size() == 50 || a > 20)'";
    let rule = |n: usize| format!("[[rule]]\nname = \"r{n}\"\ntool = \"x\"\nverdict = \"ask\"\n{half}\n");
    let rules: Vec<_> = (0..20).map(rule).collect();
    let numbers: Vec<_> = (0..1_000).collect();
    let call = call("x", &serde_json::json!({"list": numbers}).to_string());
    let judgement = call.judge(&policy(&rules.concat()));
    let exhausted =
        judgement.matched.iter().filter(|rule| rule.why.contains("more than 200000 steps")).count();
    assert!((1..=20).contains(&exhausted), "{judgement:?}");
}
