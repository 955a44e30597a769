//! The errors of invalid policies, with position and suggestion.

use super::*;

fn read_error(text: &str) -> String {
    match Policy::read(text) {
        Ok(_) => format!("no error: {text}"),
        Err(error) => error.to_string().replace("the policy is invalid at ", ""),
    }
}

/// The errors for all policies, one per line.
fn read_errors(texts: &[&str]) -> String {
    texts.iter().map(|text| read_error(text)).collect::<Vec<_>>().join("\n")
}

/// The errors for a rule with each of these bodies, one per line.
fn rule_errors(verdict: &str, rests: &[&str]) -> String {
    rests.iter().map(|rest| read_error(&one(verdict, rest))).collect::<Vec<_>>().join("\n")
}

#[test]
fn invalid_toml_is_rejected() {
    insta::assert_snapshot!(read_error("default = \"ask\"\n[[rule\n"), @"
    the policy cannot be read: TOML parse error at line 2, column 7
      |
    2 | [[rule
      |       ^
    unclosed array table, expected `]]`
    ");
}

#[test]
fn unknown_words_have_a_suggestion() {
    insta::assert_snapshot!(read_errors(&[
        "default = \"maybe\"",
        "default = \"alow\"",
        "defualt = \"ask\"",
        "expires = \"soon\"",
        "expires = 7",
        "[[rule]]\nname = \"a\"\ntool = \"x\"\nverdict = \"ask\"\nquorom = 2\n",
        "[[rule]]\nname = \"a\"\ntool = \"x\"\nverdict = \"ask\"\nremind-after = \"1h\"\n",
        "[[rule]]\nname = \"a\"\ntool = \"@taks\"\nverdict = \"allow\"\n[groups]\ntasks = \"x\"\n",
        "[[rule]]\nname = \"a\"\nzone = \"srv\"\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"a\"\ntool = \"x\"\nlevel = \"amdin\"\nverdict = \"ask\"\n",
        "[trust]\ntool = \"x\"\n",
        "[tools.x]\ncomand = \"/x\"\n",
    ]), @r#"
    line 1, column 11: unknown verdict "maybe"; expected one of `allow`, `ask`, `block`
    line 1, column 11: unknown verdict "alow"; did you mean `allow`?
    line 1, column 1: a policy has no key `defualt`; did you mean `default`?
    line 1, column 11: "soon" is not a duration; write one such as "90s", "15m", "2h" or "1d"
    line 1, column 11: expires must be a string, not a number
    line 5, column 1: a rule has no key `quorom`; did you mean `quorum`?
    line 5, column 1: a rule has no key `remind-after`; did you mean `remindAfter`?
    line 3, column 8: unknown group `@taks` in [groups]; did you mean `@tasks`?
    line 3, column 8: unknown zone [zones.srv]
    line 4, column 9: unknown level "amdin"; did you mean `admin`?
    line 2, column 1: trust has no key `tool`; did you mean `tools`?
    line 2, column 1: a tool has no key `comand`; did you mean `command`?
    "#);
}

#[test]
fn incomplete_and_duplicate_rules_are_rejected() {
    insta::assert_snapshot!(read_errors(&[
        "[rule]\nname = \"a\"\n",
        "[[rule]]\ntool = \"x\"\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"a\"\ntool = \"x\"\n",
        "[[rule]]\nname = \"a\"\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"\"\ntool = \"x\"\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"default\"\ntool = \"x\"\nverdict = \"allow\"\n",
        "[[rule]]\nname = \"zone-a\"\ntool = \"x\"\nverdict = \"allow\"\n",
        "[patterns]\n\"x\" = \"allow\"\n[[rule]]\nname = \"x\"\ntool = \"x\"\nverdict = \"allow\"\n",
        "[patterns]\n\"bash:ls\" = { verdict = \"allow\" }\n",
    ]), @r#"
    line 1, column 1: write rules as [[rule]], with two brackets
    line 1, column 1: a rule needs a `name`
    line 1, column 1: a rule needs a `verdict`
    line 1, column 1: the rule has no selector; add a `tool`, or write `tool = "*"` to match every call
    line 2, column 8: the name of a rule must have 1 to 505 bytes and no control characters
    line 2, column 8: "default" is a reserved name; give the rule another name
    line 2, column 8: "zone-a" is a reserved name; give the rule another name
    line 2, column 1: two rules are named "x"; give each a unique name
    line 2, column 13: a verdict must be a string, not a table
    "#);
    let twice = one("allow", "tool = \"x\"");
    insta::assert_snapshot!(read_error(&twice.repeat(2)), @r#"line 6, column 8: two rules are named "r"; give each a unique name"#);
}

#[test]
fn meaningless_selectors_are_rejected() {
    insta::assert_snapshot!(rule_errors("ask", &[
        "tool = \"x[\"",
        "tool = []",
        "tool = 7",
        "tool = \"\"",
        "tool = \"x\"\nunless = {}",
        "tool = \"x\"\nunless = { tol = \"y\" }",
        "annotations = { readOnly = true }",
        "annotations = { readOnlyHint = \"yes\" }",
        "annotations = {}",
        "impact = { riskLevel = \"hihg\" }",
        "impact = {}",
        "args = { amount = 1 }",
        "args = {}",
        "args = { \"/a\" = {} }",
        "args = { \"/a\" = { gte = 1 } }",
        "args = { \"/a\" = { gt = \"1\" } }",
        "args = { \"/a\" = { in = [] } }",
        "args = { \"/a\" = { regex = \"(\" } }",
        "args = { \"/a\" = 2026-01-01 }",
        "args = { \"/a\" = { gt = nan } }",
        "args = { \"/a\" = { size = {} } }",
        "args = { \"/a\" = { size = \"3\" } }",
    ]), @r#"
    line 4, column 8: the pattern `x[` opens a set and does not close it: write `]`, or `\[` for the bracket itself
    line 4, column 8: the list of tools is empty, so it can never match
    line 4, column 8: tools must be a string, not a number
    line 4, column 8: an empty pattern matches nothing
    line 5, column 10: `unless` is empty; add a selector, or remove it
    line 5, column 12: unless has no key `tol`; did you mean `tool`?
    line 4, column 17: unknown annotation `readOnly`; did you mean `readOnlyHint`?
    line 4, column 32: readOnlyHint must be true or false, not a string
    line 4, column 15: `annotations` is empty; add a hint, or remove it
    line 4, column 24: unknown risk level "hihg"; did you mean `high`?
    line 4, column 10: `impact` is empty; add `riskLevel` or `reversible`
    line 4, column 10: "amount" is not a JSON pointer; write "/amount"
    line 4, column 8: `args` is empty; add an argument, or remove it
    line 4, column 17: the argument has no predicate; write `exists = true` to require that it exists
    line 4, column 19: unknown predicate `gte`; did you mean `gt`?
    line 4, column 24: gt must be a number, not a string
    line 4, column 24: the list of values is empty, so it can never match
    line 4, column 27: the regex is invalid: unclosed group
    line 4, column 17: 2026-01-01 is not a JSON value, so no argument can equal it
    line 4, column 24: gt must be a number, not a date or a number without a value
    line 4, column 26: `size` is empty; add `eq`, `lt` or `gt`
    line 4, column 26: `size` must be a number, or a table of `eq`, `lt` and `gt`, not a string
    "#);
}

#[test]
fn unreadable_patterns_name_their_position() {
    for (text, position) in [
        (one("ask", "url = \"example.com\""), "line 4, column 7: "),
        (one("ask", "command = [\"ls\", \"\"]"), "line 4, column 18: "),
        ("[patterns]\n\"bash:\" = \"allow\"\n".to_owned(), "line 2, column 1: "),
    ] {
        let error = read_error(&text);
        assert!(error.starts_with(position) && error.len() > position.len(), "{error}");
    }
}

#[test]
fn contradictory_selectors_are_rejected() {
    insta::assert_snapshot!(rule_errors("ask", &[
        "args = { \"/a\" = { gt = 5, lt = 5 } }",
        "args = { \"/a\" = { exists = false, gt = 5 } }",
        "args = { \"/a\" = { eq = 1, in = [2, 3] } }",
        "args = { \"/a\" = { in = [2, 3], gt = 5 } }",
        "args = { \"/a\" = { size = { gt = 5, lt = 2 } } }",
    ]), @"
    line 4, column 17: this can never match: no number is greater than 5 and less than 5
    line 4, column 17: this can never match: `exists = false` excludes every other predicate
    line 4, column 17: this can never match: = 1 and in [2, 3] exclude each other
    line 4, column 17: this can never match: no value of in [2, 3] satisfies the other predicates
    line 4, column 17: this can never match: no number is greater than 5 and less than 2
    ");
}

#[test]
fn claimed_impact_cannot_allow_a_call() {
    insta::assert_snapshot!([
        rule_errors("allow", &["impact = { riskLevel = \"low\" }", "when = \"impact.riskLevel == 'low'\""]),
        rule_errors("ask", &[
            "tool = \"x\"\nunless = { impact = { reversible = true } }",
            "tool = \"x\"\nunless = { when = \"has(impact.riskLevel)\" }",
        ]),
    ].join("\n"), @"
    line 4, column 10: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    line 4, column 8: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    line 5, column 21: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    line 5, column 19: `impact` is a claim of the agent, so it cannot allow a call; use it to ask or block
    ");
}

#[test]
fn invalid_conditions_are_rejected() {
    let long = format!("when = \"args.a == '{}'\"", "x".repeat(2_100));
    let deep = format!("when = \"{}args.a{} == 1\"", "(".repeat(150), ")".repeat(150));
    insta::assert_snapshot!(rule_errors("ask", &[
        "when = \"args.a >\"",
        "when = \"arg.a == 1\"",
        "when = \"args.a.startWith('x')\"",
        "when = \"args.a.matches(args.b)\"",
        "when = \"args.a.matches('(')\"",
        "when = \"args.a.all(x, x.all(y, y.all(z, z)))\"",
        "when = 7",
        &long,
        &deep,
    ]), @"
    line 4, column 8: the condition cannot be parsed: column 9: a value was expected
    line 4, column 8: unknown variable `arg` in a condition; did you mean `args`?
    line 4, column 8: unknown function `startWith`; did you mean `startsWith`?
    line 4, column 8: the pattern of `matches` must be a string literal
    line 4, column 8: the pattern of `matches` is invalid: regex parse error:
        (
        ^
    error: unclosed group
    line 4, column 8: all, exists, map and filter may be nested at most 2 deep
    line 4, column 8: when must be a string, not a number
    line 4, column 8: a condition may have at most 2048 bytes, but this one has 2112
    line 4, column 8: a condition may have at most 200 operators, dots and brackets
    ");
}

#[test]
fn contradictory_terms_are_rejected() {
    insta::assert_snapshot!([
        rule_errors("allow", &["tool = \"x\"\nquorum = 2"]),
        rule_errors("block", &["tool = \"x\"\nexpires = \"1h\""]),
        rule_errors("ask", &[
            "tool = \"x\"\nquorum = 0",
            "tool = \"x\"\nquorum = 1.5",
            "tool = \"x\"\nquorum = 3\napprovers = [\"user:ada\", \"user:bob\"]",
            "tool = \"x\"\napprovers = [\"ada\"]",
            "tool = \"x\"\napprovers = [\"@ops\"]",
            "tool = \"x\"\nonExpiry = \"allow\"",
            "tool = \"x\"\nonExpiry = \"perhaps\"",
            "tool = \"x\"\nproof = \"paskey\"",
            "tool = \"x\"\nproof = \"any\"\nexpires = \"1h\"\nonExpiry = \"allow\"",
            "tool = \"x\"\ndecideIn = [\"chats\"]",
            "tool = \"x\"\ndecideIn = [\"notification\"]",
            "tool = \"x\"\nescalateAfter = \"1h\"",
            "tool = \"x\"\nlevel = \"admin\"\ndefaultLevel = \"user\"",
        ]),
    ].join("\n"), @r#"
    line 5, column 10: `quorum` applies only to rules that ask, but the verdict of this rule is allow; remove it
    line 5, column 11: `expires` applies only to rules that ask, but the verdict of this rule is block; remove it
    line 5, column 10: quorum must be a whole number from 1 to 4294967295
    line 5, column 10: quorum must be a whole number from 1 to 4294967295
    line 5, column 10: `quorum` is 3, but `approvers` names 2; lower `quorum` or name more people
    line 5, column 14: an approver must be a user such as "user:ada" or a group such as "@ops", not "ada"
    line 5, column 14: the group "ops" has no members in [approvers]; add one
    line 5, column 12: `onExpiry = "allow"` has no effect without `expires`; set `expires`
    line 5, column 12: onExpiry must be "deny" or "allow", not "perhaps"
    line 5, column 9: proof must be "any", "ssh", "passkey", not "paskey"; did you mean `passkey`?
    line 7, column 12: nobody proves a decision by silence; remove `onExpiry` or `proof`
    line 5, column 13: unknown word "chats"; did you mean `chat`?; write one of chat
    line 5, column 13: unknown word "notification"; expected one of `chat`; write one of chat
    line 1, column 1: `escalateAfter` and `escalateTo` need each other; set both or neither
    line 6, column 16: level "user" is lower than the `level` of the rule
    "#);
}

#[test]
fn invalid_tables_are_rejected() {
    insta::assert_snapshot!(read_errors(&[
        "levels = [\"a\", \"b\", \"a\"]",
        "[approvers]\nada = {}\n",
        "[approvers]\n\"agent:bot\" = {}\n",
        "[approvers]\n\"user:ada\" = { level = \"king\" }\n",
        "[groups]\na = \"@b\"\n",
        "[zones.a]\nroot = \"a\"\nread = \"allow\"\n",
        "[zones.a]\nroot = \"/a/../b\"\nread = \"allow\"\n",
        "[zones.a]\nroot = \"/$HOME\"\nread = \"allow\"\n",
        "[zones.a]\nroot = \"/a\"\n",
        "[zones.a]\nread = \"allow\"\n",
        "dangerous = { words = [\"\"] }",
        "[redact]\nvalues = [\"(\"]\n",
        "[tools.x]\npath = \"file\"\n",
        "remember = \"2h\"",
    ]), @r#"
    line 1, column 21: two levels are named "a"; remove one
    line 2, column 1: name an approver like "user:ada": "ada" does not begin with user:, agent:, policy:, advisor: or system:
    line 2, column 1: only people can approve; name a user such as "user:ada"
    line 2, column 24: unknown level "king"; expected one of `user`, `admin`, `super_admin`
    line 2, column 5: a group cannot contain the group @b; list its tools
    line 2, column 8: the root of a zone must be an absolute path, but "a" is not
    line 2, column 8: the root of a zone must be in normal form; write "/b"
    line 2, column 8: the target of "/$HOME" is unknown; write a path without variables
    line 1, column 8: the zone has no operation; add `read`, `write` or `delete`
    line 1, column 1: a zone needs a `root`
    line 1, column 24: a dangerous word must not be empty, because every name contains it
    line 2, column 11: redact.values[0]: "(" is not a regular expression: unclosed group
    line 2, column 8: "file" is not a JSON pointer; write "/file"
    line 1, column 12: remember must be at most an hour ("1h")
    "#);
}

#[test]
fn examples_are_checked() {
    insta::assert_snapshot!([
        rule_errors("allow", &[
            "tool = \"bash\"\ncommand = \"git status*\"\nexamples = { match = [\"git status -s\", \"git push\"] }",
            "tool = \"bash\"\ncommand = \"git*\"\nexamples = { noMatch = \"git log\" }",
            "tool = \"x\"\nexamples = { match = \"ls\" }",
            "tool = \"x\"\nexamples = { matches = [] }",
        ]),
        rule_errors("ask", &[
            "tool = \"pay\"\nwhen = \"args.amount > 5\"\nexamples = { noMatch = [{ args = { amount = 7 } }] }",
            "tool = \"pay\"\nexamples = { noMatch = [{ tool = \"pay\" }] }",
        ]),
    ].join("\n"), @r#"
    line 6, column 40: rule "r" does not match this example, which is listed in `match`
    line 6, column 24: rule "r" matches this example, which is listed in `noMatch`
    line 5, column 22: the rule matches no command, URL or path, so write the example as a table: { tool = …, args = … }
    line 5, column 14: examples has no key `matches`; did you mean `match`?
    line 6, column 25: rule "r" matches this example, which is listed in `noMatch`
    line 5, column 25: rule "r" matches this example, which is listed in `noMatch`
    "#);
    policy(&one(
        "allow",
        "tool = \"file-*\"\npath = \"/srv/**\"\nthread = \"prod\"\n\
         examples = { match = \"/srv/a\", noMatch = [\"/srv/../a\", { tool = \"file-read\", args = { path = \"/srv/a\" } }] }",
    ));
    policy(&one(
        "allow",
        "tool = \"pay\"\nargs = { \"/amount\" = { lt = 5 } }\n\
         examples = { match = [{ args = { amount = 4.99 } }], noMatch = [{ args = { amount = 5 } }, { args = {} }] }",
    ));
}

#[test]
fn policy_beyond_its_budget_is_rejected() {
    let long = format!("# {}\n", "x".repeat(512 * 1024));
    assert!(read_error(&long).contains("the limit is 524288"), "{:.200}", read_error(&long));
    let rule = |n: usize| format!("[[rule]]\nname = \"r{n}\"\ntool = \"x{n}\"\nverdict = \"allow\"\n");
    let many: String = (0..2_001).map(rule).collect();
    assert!(
        read_error(&many).ends_with("a policy may have at most 2000 rules"),
        "{:.200}",
        read_error(&many)
    );
    let deep = format!("x = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(read_error(&deep).contains("cannot be read"), "{:.200}", read_error(&deep));
}
