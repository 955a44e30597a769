//! Properties of all policies and all calls.

use super::*;
use countersign_events::{Basis, PolicyLayer};
use proptest::{prelude::*, sample::select, test_runner::Config};

/// Selectors that match some of the calls below, with certainty or not.
const SELECTORS: &[&str] = &[
    "tool = \"bash\"",
    "tool = \"*\"",
    "tool = [\"file-*\", \"pay\"]",
    "tool = \"bash\"\ncommand = \"ls*\"",
    "command = \"rm *\"",
    "tool = \"bash\"\ncommand = \"git *\"\nunless = { command = \"git status*\" }",
    "path = \"/srv/**\"",
    "tool = \"file-read\"\npath = \"/srv/**\"\nunless = { path = \"/srv/keys/**\" }",
    "zone = \"srv\"\noperation = \"read\"",
    "tool = \"pay\"\nargs = { \"/amount\" = { gt = 100 } }",
    "args = { \"/amount\" = { exists = true, lt = 1000 } }",
    "tool = \"pay\"\nwhen = \"args.amount > 100\"",
    "annotations = { readOnlyHint = true }",
    "tool = \"*\"\nunless = { annotations = { readOnlyHint = true } }",
    "thread = \"t\"",
];

const CALLS: &[(&str, &str)] = &[
    ("bash", r#"{"command":"ls -l"}"#),
    ("bash", r#"{"command":"git status; rm -r x"}"#),
    ("bash", r#"{"command":"$x -r"}"#),
    ("bash", "{}"),
    ("file-read", r#"{"path":"/srv/a"}"#),
    ("file-read", r#"{"path":"/srv/keys/a"}"#),
    ("file-write", r#"{"path":"$HOME/a"}"#),
    ("pay", r#"{"amount":500}"#),
    ("pay", r#"{"amount":"much"}"#),
    ("other", "[1]"),
];

const REST: &str = "[zones.srv]\nroot = \"/srv\"\nread = \"allow\"\ndelete = \"block\"\n[tools.file-read]\noperation = \"read\"\n[trust]\ntools = \"file-*\"\n";

type DrawnPolicy = (&'static str, &'static str);

fn any_rule() -> impl Strategy<Value = DrawnPolicy> {
    (select(vec!["allow", "ask", "block"]), select(SELECTORS.to_vec()))
}

fn rule_text(number: usize, (verdict, selectors): DrawnPolicy) -> String {
    let terms = if verdict == "ask" {
        format!("expires = \"{}m\"\nquorum = {}", number + 1, number + 1)
    } else {
        String::new()
    };
    format!("[[rule]]\nname = \"{number}\"\nverdict = \"{verdict}\"\n{selectors}\n{terms}\n")
}

fn read_rules(default: &str, rules: &[(usize, DrawnPolicy)]) -> Policy {
    let rules: String = rules.iter().map(|(number, rule)| rule_text(*number, *rule)).collect();
    policy(&format!("default = \"{default}\"\n{rules}{REST}"))
}

/// A policy in which every rule that asks has these keys.
fn read_advised(default: &str, rules: &[DrawnPolicy], asks: &str) -> Policy {
    let text = |(number, (verdict, selectors)): (usize, &DrawnPolicy)| {
        let verdict = if *verdict == "ask" { asks.to_owned() } else { format!("verdict = \"{verdict}\"") };
        format!("[[rule]]\nname = \"{number}\"\n{verdict}\n{selectors}\n")
    };
    let rules: String = rules.iter().enumerate().map(text).collect();
    let judge = "[[advisor]]\nname = \"judge\"\nurl = \"http://judge\"\n";
    policy(&format!("default = \"{default}\"\n{judge}{rules}{REST}"))
}

fn any_call() -> impl Strategy<Value = TestCall> {
    (select(CALLS.to_vec()), any::<bool>(), any::<bool>()).prop_map(|((tool, arguments), reads, masked)| {
        let mut call = call(tool, arguments);
        if reads {
            call = call.annotated(r#"{"readOnlyHint":true}"#);
        }
        if masked { call.masked("/command") } else { call }
    })
}

fn any_default() -> impl Strategy<Value = &'static str> {
    select(vec!["allow", "ask", "block"])
}

proptest! {
    #![proptest_config(Config::with_cases(300))]

    #[test]
    fn the_order_of_rules_never_matters(
        rules in prop::collection::vec(any_rule(), 0..6),
        default in any_default(),
        call in any_call(),
        turn in 0_usize..6,
    ) {
        let rules: Vec<_> = rules.into_iter().enumerate().collect();
        let mut turned = rules.clone();
        turned.reverse();
        let turn = turn.min(turned.len());
        turned.rotate_left(turn);
        let (one, other) = (call.judge(&read_rules(default, &rules)), call.judge(&read_rules(default, &turned)));
        prop_assert_eq!((one.verdict, one.terms), (other.verdict, other.terms));
    }

    #[test]
    fn added_rule_loosens_only_unmatched_calls(
        rules in prop::collection::vec(any_rule(), 0..5),
        more in any_rule(),
        default in any_default(),
        call in any_call(),
    ) {
        let mut rules: Vec<_> = rules.into_iter().enumerate().collect();
        let before = call.judge(&read_rules(default, &rules));
        rules.push((rules.len(), more));
        let after = call.judge(&read_rules(default, &rules));
        if after.verdict < before.verdict {
            // A zone without a verdict for the operation asks only as long as no rule answers.
            let zone_alone = before.basis == Basis::Zone && before.verdict == Verdict::Ask;
            prop_assert!(before.matched.is_empty() || zone_alone, "{:?} became {:?}", before, after);
            prop_assert!(more.0 != "block", "{:?}", after);
        }
    }

    #[test]
    fn advised_differs_from_ask_only_in_advisor(
        rules in prop::collection::vec(any_rule(), 0..6),
        default in any_default(),
        call in any_call(),
    ) {
        let asking = call.judge(&read_advised(default, &rules, "verdict = \"ask\""));
        let advised = call.judge(&read_advised(default, &rules, "verdict = \"advised\"\nadvisor = \"judge\""));
        let allowing = call.judge(&read_advised(default, &rules, "verdict = \"allow\""));
        prop_assert_eq!(advised.verdict, asking.verdict);
        prop_assert_eq!(ApprovalTerms { advisor: None, ..advised.terms.clone() }, asking.terms);
        if advised.terms.advisor.is_some() {
            prop_assert_eq!(advised.verdict, Verdict::Ask);
            prop_assert_eq!(allowing.verdict, Verdict::Allow, "{:?}", advised);
        }
    }

    #[test]
    fn other_rules_never_lift_a_block(
        rules in prop::collection::vec(any_rule(), 0..5),
        default in any_default(),
        call in any_call(),
    ) {
        let mut rules: Vec<_> = rules.into_iter().enumerate().collect();
        rules.push((rules.len(), ("block", "tool = \"*\"")));
        prop_assert_eq!(call.verdict(&read_rules(default, &rules)), Verdict::Block);
    }

    #[test]
    fn layer_loosens_only_unmatched_calls(
        rules in prop::collection::vec(any_rule(), 0..5),
        layer in prop::collection::vec(any_rule(), 0..3),
        default in any_default(),
        call in any_call(),
    ) {
        let main: String = rules.into_iter().enumerate().map(|(number, rule)| rule_text(number, rule)).collect();
        let main = format!("default = \"{default}\"\n{main}{REST}");
        let layer: String = layer.into_iter().enumerate().map(|(number, rule)| rule_text(number, rule)).collect();
        let layer = format!("{layer}[tools.bash]\ncommand = \"/other\"\n");
        let layer = PolicyLayer { name: "policy.d/a.toml".to_owned(), text: layer };
        let texts = PolicyText { layers: vec![layer], ..PolicyText::from(main.as_str()) };
        let before = call.judge(&policy(&main));
        let after = call.judge(&Policy::read_text(texts).expect("valid"));
        // A zone without a verdict for the operation asks only as long as no rule answers.
        let zone_alone = before.basis == Basis::Zone && before.verdict == Verdict::Ask;
        prop_assert!(
            after.verdict >= before.verdict || before.matched.is_empty() || zone_alone,
            "{before:?} became {after:?}"
        );
    }

    #[test]
    fn running_out_of_time_never_loosens(rules in prop::collection::vec(any_rule(), 0..5), call in any_call()) {
        let rules: Vec<_> = rules.into_iter().enumerate().collect();
        let policy = read_rules("ask", &rules);
        let late = policy.judge(&call.subject(), &|| true).verdict;
        prop_assert!(late >= call.verdict(&policy) || late == Verdict::Ask);
    }

    #[test]
    fn reading_never_panics(text in "\\PC*|([a-z\\[\\]{}=\"'#.,/*\n 0-9-]{0,120})") {
        if let Err(error) = Policy::read(&text) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn reading_a_broken_policy_never_panics(
        rules in prop::collection::vec(any_rule(), 1..4),
        at in any::<prop::sample::Index>(),
        with in "\\PC{0,3}",
        cut in 0_usize..4,
    ) {
        let text: String = rules.into_iter().enumerate().map(|(number, rule)| rule_text(number, rule)).collect();
        let at = at.index(text.len());
        let rest = text.get(at + cut..).unwrap_or_default();
        let broken = format!("{}{with}{rest}", &text[..at]);
        if let Ok(read) = Policy::read(&broken) {
            prop_assert_eq!(format(&broken).map(|text| Policy::read(&text).map(|again| again.rules())), Ok(Ok(read.rules())));
        }
    }

    #[test]
    fn compiling_a_condition_never_panics(source in "\\PC{0,60}|([a-z.()\\[\\]!?:&|<>=+*'\" 0-9-]{0,80})") {
        let text = one("ask", &format!("when = '''\n{}'''", source.replace('\'', "")));
        prop_assert!(Policy::read(&text).is_ok_and(|policy| policy.has_conditions()) || Policy::read(&text).is_err());
    }

    #[test]
    fn format_is_idempotent_and_keeps_the_meaning(
        rules in prop::collection::vec(any_rule(), 0..5),
        default in any_default(),
        call in any_call(),
        gap in "(\n|  # why\n|\n\n# because\n\n){0,3}",
    ) {
        let rules: String = rules.into_iter().enumerate().map(|(number, rule)| rule_text(number, rule) + &gap).collect();
        let text = format!("{gap}default=\"{default}\"\n{rules}{REST}");
        let once = format(&text).expect("valid policy");
        prop_assert_eq!(format(&once).expect("valid policy"), once.clone());
        prop_assert_eq!(once.matches("# because").count(), text.matches("# because").count());
        let (before, after) = (call.judge(&policy(&text)), call.judge(&policy(&once)));
        prop_assert_eq!(
            (before.verdict, before.rule, before.terms, before.matched),
            (after.verdict, after.rule, after.terms, after.matched)
        );
    }
}

#[test]
fn the_largest_conditions_compile_or_are_refused() {
    let chain = |link: &str, count: usize| vec!["1"; count].join(link);
    for source in [
        "(".repeat(99) + "1" + &")".repeat(99),
        "[".repeat(99) + &"]".repeat(99),
        "!".repeat(199) + "true",
        "- ".repeat(199) + "1",
        format!("args{}", ".a".repeat(199)),
        format!("args{}", "['a']".repeat(50)),
        chain(" in ", 400),
        chain(" ? 1 : ", 66),
        chain(" + ", 199),
        chain(" && ", 99),
        "x".repeat(2_000),
        "1 ".repeat(1_000),
        "\\".repeat(100),
    ] {
        let read = Policy::read(&one("ask", &format!("tool = \"x\"\nwhen = {source:?}")));
        if let Ok(policy) = read {
            assert!(call("x", "{}").verdict(&policy) == Verdict::Ask, "{source}");
        }
    }
}
