//! What a policy file may not say, with the place and a hint.

use super::*;

fn wrong(text: &str) -> String {
    match Policy::read(text) {
        Ok(_) => format!("it reads: {text}"),
        Err(error) => error.to_string().replace("the policy is wrong at ", ""),
    }
}

/// The complaints about each text, one a line.
fn all(texts: &[&str]) -> String {
    texts.iter().map(|text| wrong(text)).collect::<Vec<_>>().join("\n")
}

/// The complaints about a rule that says that, one a line.
fn rules(verdict: &str, rests: &[&str]) -> String {
    rests.iter().map(|rest| wrong(&one(verdict, rest))).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_no_toml() {
    insta::assert_snapshot!(wrong("default = \"ask\"\n[[rule\n"), @"
    the policy cannot be read: TOML parse error at line 2, column 7
      |
    2 | [[rule
      |       ^
    unclosed array table, expected `]]`
    ");
}

#[test]
fn unknown_words_have_a_hint() {
    insta::assert_snapshot!(all(&[
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
    line 1, column 11: there is no verdict "maybe"; there is `allow`, `ask`, `block`
    line 1, column 11: there is no verdict "alow"; did you mean `allow`?
    line 1, column 1: a policy knows no key `defualt`; did you mean `default`?
    line 1, column 11: "soon" is no span of time such as "90s", "15m", "2h" or "1d"
    line 1, column 11: expires takes a string, not a number
    line 5, column 1: a rule knows no key `quorom`; did you mean `quorum`?
    line 5, column 1: a rule knows no key `remind-after`; did you mean `remindAfter`?
    line 3, column 8: there is no group `@taks` in [groups]; did you mean `@tasks`?
    line 3, column 8: there is no [zones.srv]
    line 4, column 9: there is no level "amdin"; did you mean `admin`?
    line 2, column 1: trust knows no key `tool`; did you mean `tools`?
    line 2, column 1: a tool knows no key `comand`; did you mean `command`?
    "#);
}

#[test]
fn rules_that_say_too_little_or_too_much() {
    insta::assert_snapshot!(all(&[
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
    line 1, column 1: rules are written as [[rule]], with two brackets
    line 1, column 1: a rule has no `name`, and needs one
    line 1, column 1: a rule has no `verdict`, and needs one
    line 1, column 1: the rule names nothing that it matches; give it a `tool`, or say `tool = "*"` if every call is meant
    line 2, column 8: a rule's name has 1 to 505 bytes and no control characters
    line 2, column 8: "default" means something else in the log; give the rule another name
    line 2, column 8: "zone-a" means something else in the log; give the rule another name
    line 2, column 1: there are two rules named "x"; give each its own
    line 2, column 13: a verdict takes a string, not a table
    "#);
    let twice = one("allow", "tool = \"x\"");
    insta::assert_snapshot!(wrong(&twice.repeat(2)), @r#"line 6, column 8: there are two rules named "r"; give each its own"#);
}

#[test]
fn selectors_that_cannot_be_meant() {
    insta::assert_snapshot!(rules("ask", &[
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
    line 4, column 8: the list of tools is empty, so nothing would ever match
    line 4, column 8: tools takes a string, not a number
    line 4, column 8: an empty pattern matches nothing
    line 5, column 10: an empty `unless` takes nothing out of the rule; leave it out
    line 5, column 12: unless knows no key `tol`; did you mean `tool`?
    line 4, column 17: there is no annotation `readOnly`; did you mean `readOnlyHint`?
    line 4, column 32: readOnlyHint takes true or false, not a string
    line 4, column 15: `annotations` names no hint; leave it out
    line 4, column 24: there is no risk level "hihg"; did you mean `high`?
    line 4, column 10: `impact` says `riskLevel` or `reversible`
    line 4, column 10: "amount" is no JSON pointer; one begins with /, as "/amount" does
    line 4, column 8: `args` names no argument; leave it out
    line 4, column 17: nothing is said of the argument; `exists = true` says that it is there
    line 4, column 19: there is no predicate `gte`; did you mean `gt`?
    line 4, column 24: gt takes a number, not a string
    line 4, column 24: the list of values is empty, so nothing would ever match
    line 4, column 27: the regex is wrong: unclosed group
    line 4, column 17: 2026-01-01 cannot be compared with any JSON value
    line 4, column 24: gt takes a number, not a date or a number without a value
    line 4, column 26: `size` takes a number, or `eq`, `lt` and `gt`
    line 4, column 26: `size` takes a number, or `eq`, `lt` and `gt`, and not a string
    "#);
}

#[test]
fn patterns_that_cannot_be_read_have_their_place() {
    for (text, place) in [
        (one("ask", "url = \"example.com\""), "line 4, column 7: "),
        (one("ask", "command = [\"ls\", \"\"]"), "line 4, column 18: "),
        ("[patterns]\n\"bash:\" = \"allow\"\n".to_owned(), "line 2, column 1: "),
    ] {
        let complaint = wrong(&text);
        assert!(complaint.starts_with(place) && complaint.len() > place.len(), "{complaint}");
    }
}

#[test]
fn selectors_that_can_never_match() {
    insta::assert_snapshot!(rules("ask", &[
        "args = { \"/a\" = { gt = 5, lt = 5 } }",
        "args = { \"/a\" = { exists = false, gt = 5 } }",
        "args = { \"/a\" = { eq = 1, in = [2, 3] } }",
        "args = { \"/a\" = { in = [2, 3], gt = 5 } }",
        "args = { \"/a\" = { size = { gt = 5, lt = 2 } } }",
    ]), @"
    line 4, column 17: this can never match: nothing is over 5 and under 5
    line 4, column 17: this can never match: what does not exist can satisfy nothing else
    line 4, column 17: this can never match: = 1 and in [2, 3] exclude each other
    line 4, column 17: this can never match: no value of in [2, 3] satisfies the rest
    line 4, column 17: this can never match: nothing is over 5 and under 2
    ");
}

#[test]
fn an_agent_cannot_talk_itself_free() {
    insta::assert_snapshot!([
        rules("allow", &["impact = { riskLevel = \"low\" }", "when = \"impact.riskLevel == 'low'\""]),
        rules("ask", &[
            "tool = \"x\"\nunless = { impact = { reversible = true } }",
            "tool = \"x\"\nunless = { when = \"has(impact.riskLevel)\" }",
        ]),
    ].join("\n"), @"
    line 4, column 10: `impact` is the agent's own word, which only ever makes stricter; it cannot widen what is allowed
    line 4, column 8: `impact` is the agent's own word, which only ever makes stricter; it cannot widen what is allowed
    line 5, column 21: `impact` is the agent's own word, which only ever makes stricter; it cannot widen what is allowed
    line 5, column 19: `impact` is the agent's own word, which only ever makes stricter; it cannot widen what is allowed
    ");
}

#[test]
fn conditions_that_cannot_be_evaluated() {
    let long = format!("when = \"args.a == '{}'\"", "x".repeat(2_100));
    let deep = format!("when = \"{}args.a{} == 1\"", "(".repeat(150), ")".repeat(150));
    insta::assert_snapshot!(rules("ask", &[
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
    line 4, column 8: the condition cannot be parsed: 1:9: mismatched input '<EOF>'
    line 4, column 8: a condition knows no `arg`; did you mean `args`?
    line 4, column 8: there is no function `startWith`; did you mean `startsWith`?
    line 4, column 8: matches takes a pattern that is written out
    line 4, column 8: the pattern of matches is wrong: regex parse error:
        (
        ^
    error: unclosed group
    line 4, column 8: all, exists, map and filter nest at most 2 deep
    line 4, column 8: when takes a string, not a number
    line 4, column 8: a condition has at most 2048 bytes, and this one has 2112
    line 4, column 8: a condition has at most 200 operators, dots and brackets
    ");
}

#[test]
fn terms_that_do_not_go_together() {
    insta::assert_snapshot!([
        rules("allow", &["tool = \"x\"\nquorum = 2"]),
        rules("block", &["tool = \"x\"\nexpires = \"1h\""]),
        rules("ask", &[
            "tool = \"x\"\nquorum = 0",
            "tool = \"x\"\nquorum = 1.5",
            "tool = \"x\"\nquorum = 3\napprovers = [\"user:ada\", \"user:bob\"]",
            "tool = \"x\"\napprovers = [\"ada\"]",
            "tool = \"x\"\napprovers = [\"@ops\"]",
            "tool = \"x\"\nonExpiry = \"allow\"",
            "tool = \"x\"\nonExpiry = \"perhaps\"",
            "tool = \"x\"\nescalateAfter = \"1h\"",
            "tool = \"x\"\nlevel = \"admin\"\ndefaultLevel = \"user\"",
        ]),
    ].join("\n"), @r#"
    line 5, column 10: `quorum` says how people are asked, and a rule that says allow asks nobody
    line 5, column 11: `expires` says how people are asked, and a rule that says block asks nobody
    line 5, column 10: quorum is a whole number from 1 to 4294967295
    line 5, column 10: quorum is a whole number from 1 to 4294967295
    line 5, column 10: it takes 3 approvers, and `approvers` means 2
    line 5, column 14: an approver is "user:ada" or a group such as "@ops", not "ada"
    line 5, column 14: nobody in [approvers] is in the group "ops", so nobody could approve
    line 5, column 12: `onExpiry = "allow"` needs an `expires`, or it never comes to that
    line 5, column 12: onExpiry is "deny" or "allow", not "perhaps"
    line 1, column 1: `escalateAfter` and `escalateTo` stand together
    line 6, column 16: level "user" is lower than the one the rule needs
    "#);
}

#[test]
fn tables_that_make_no_sense() {
    insta::assert_snapshot!(all(&[
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
    line 1, column 21: there are two levels named "a"
    line 2, column 1: an approver is named as "user:ada" is: "ada" does not begin with user:, agent:, policy: or system:
    line 2, column 1: only people approve, so name a "user:…"
    line 2, column 24: there is no level "king"; there is `user`, `admin`, `super_admin`
    line 2, column 5: @b cannot stand in a group; a group lists tools, not groups
    line 2, column 8: the root of a zone is an absolute path, and "a" is not
    line 2, column 8: write the root as it is meant: "/b"
    line 2, column 8: nobody can say where "/$HOME" leads
    line 1, column 8: the zone says nothing of any operation; give it a `read`, `write` or `delete`
    line 1, column 1: a zone has no `root`, and needs one
    line 1, column 24: an empty word would stand in every name
    line 2, column 11: redact.values[0]: "(" is not a regular expression: unclosed group
    line 2, column 8: "file" is no JSON pointer; one begins with /, as "/file" does
    line 1, column 12: nothing is remembered for longer than an hour ("1h")
    "#);
}

#[test]
fn examples_are_checked() {
    insta::assert_snapshot!([
        rules("allow", &[
            "tool = \"bash\"\ncommand = \"git status*\"\nexamples = { match = [\"git status -s\", \"git push\"] }",
            "tool = \"bash\"\ncommand = \"git*\"\nexamples = { noMatch = \"git push\" }",
            "tool = \"x\"\nexamples = { match = \"ls\" }",
            "tool = \"x\"\nexamples = { matches = [] }",
        ]),
        rules("ask", &[
            "tool = \"pay\"\nwhen = \"args.amount > 5\"\nexamples = { noMatch = [{ args = { amount = 7 } }] }",
            "tool = \"pay\"\nexamples = { noMatch = [{ tool = \"pay\" }] }",
        ]),
    ].join("\n"), @r#"
    line 6, column 40: rule "r" does not match this example, which says that it does
    line 6, column 24: rule "r" matches this example, which says that it does not
    line 5, column 22: the rule looks at no command, address or path, so an example of it is a table: { tool = …, args = … }
    line 5, column 14: examples knows no key `matches`; did you mean `match`?
    line 6, column 25: rule "r" matches this example, which says that it does not
    line 5, column 25: rule "r" matches this example, which says that it does not
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
