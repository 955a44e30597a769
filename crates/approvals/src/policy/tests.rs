//! Verdicts, and what a policy file may not say.

use super::*;

fn tool(name: &str) -> ToolName {
    ToolName::new(name).expect("valid")
}

fn policy(text: &str) -> Policy {
    Policy::read(text).expect("valid")
}

#[test]
fn the_strictest_rule_wins_in_whatever_order() {
    let (allow, block) = (
        "[[rule]]\nname = \"reads\"\ntool = [\"file-*\", \"web-fetch\"]\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"no deleting\"\ntool = \"*-delete\"\nverdict = \"block\"\nreason = \"ask ops\"\n",
    );
    for text in [[allow, block].concat(), [block, allow].concat()] {
        let policy = policy(&text);
        let blocked = policy.judge(&tool("file-delete"));
        assert_eq!(
            (blocked.verdict, blocked.rule, blocked.reason),
            (Verdict::Block, Some("no deleting"), "ask ops")
        );
        assert_eq!(policy.judge(&tool("file-read")).verdict, Verdict::Allow);
        assert_eq!(policy.judge(&tool("bash")).verdict, Verdict::Ask);
        assert_eq!(policy.judge(&tool("bash")).principal().as_str(), "policy:default");
    }
}

#[test]
fn the_shortest_expiry_of_the_strictest_holds() {
    let policy = policy(
        "default = \"block\"\nexpires = \"1d\"\n\
         [[rule]]\nname = \"a\"\ntool = \"bash\"\nverdict = \"ask\"\nexpires = \"2h\"\n\
         [[rule]]\nname = \"b\"\ntool = \"b*\"\nverdict = \"ask\"\nexpires = \"15m\"\n\
         [[rule]]\nname = \"c\"\ntool = \"other\"\nverdict = \"ask\"\n",
    );
    assert_eq!(policy.judge(&tool("bash")).expires, Some(Duration::from_mins(15)));
    assert_eq!(policy.judge(&tool("other")).expires, Some(Duration::from_hours(24)));
    assert_eq!(policy.judge(&tool("unheard of")).verdict, Verdict::Block);
}

#[test]
fn an_empty_file_asks_always() {
    assert_eq!(policy("").judge(&tool("x")), Policy::ask_always().judge(&tool("x")));
    assert_eq!(policy("default = \"ask\"\n").hash(), Policy::ask_always().hash());
}

#[test]
fn says_where_it_is_wrong() {
    let wrong = |text: &str| Policy::read(text).expect_err(text).to_string();
    insta::assert_snapshot!(wrong("default = \"maybe\""), @r#"
    the policy cannot be read: TOML parse error at line 1, column 11
      |
    1 | default = "maybe"
      |           ^^^^^^^
    unknown variant `maybe`, expected one of `allow`, `ask`, `block`
    "#);
    insta::assert_snapshot!(wrong("[[rule]]\nname = \"a\"\ntool = \"x\"\nverdict = \"allow\"\nquorom = 2\n"), @"
    the policy cannot be read: TOML parse error at line 5, column 1
      |
    5 | quorom = 2
      | ^^^^^^
    unknown field `quorom`, expected one of `name`, `tool`, `verdict`, `reason`, `expires`
    ");
    insta::assert_snapshot!(wrong("[[rule]]\nname = \"a\"\ntool = \"x[\"\nverdict = \"allow\"\n"), @"the policy is wrong at line 3, column 8: error parsing glob 'x[': unclosed character class; missing ']'");
    insta::assert_snapshot!(wrong("[[rule]]\nname = \"a\"\ntool = []\nverdict = \"allow\"\n"), @"the policy is wrong at line 3, column 8: the list of tools is empty, so the rule would never match");
    insta::assert_snapshot!(wrong("[[rule]]\nname = \"a\"\ntool = 7\nverdict = \"allow\"\n"), @r#"the policy is wrong at line 3, column 8: tool takes a pattern such as "file-*", or a list of them"#);
    insta::assert_snapshot!(wrong("expires = \"soon\"\n"), @r#"the policy is wrong at line 1, column 11: "soon" is no span of time such as "90s", "15m", "2h" or "1d""#);
    let twice = "[[rule]]\nname = \"a\"\ntool = \"x\"\nverdict = \"allow\"\n";
    insta::assert_snapshot!(wrong(&twice.repeat(2)), @r#"the policy is wrong at line 6, column 8: there are two rules named "a"; give each its own"#);
}

#[test]
fn a_span_is_a_whole_number_of_a_unit() {
    assert_eq!(parse_span("90s"), Some(Duration::from_secs(90)));
    for text in ["", "s", "0s", "1.5h", "-1m", "1w", "1 m", "5µ", "99999999999d"] {
        assert_eq!(parse_span(text), None, "{text}");
    }
}
