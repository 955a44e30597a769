//! Warnings about rules that are valid and probably mistakes.

use super::*;

fn format_warnings(text: &str) -> String {
    policy(text).find_warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn two_rules(first: (&str, &str), second: (&str, &str)) -> String {
    format!("{}{}", one(first.0, first.1), one(second.0, second.1).replace("\"r\"", "\"s\""))
}

#[test]
fn covered_rule_is_reported() {
    insta::assert_snapshot!([
        format_warnings(&two_rules(("allow", "tool = \"file-read\""), ("block", "tool = \"file-*\""))),
        format_warnings(&two_rules(("allow", "tool = \"file-*\"\npath = \"/a/**\""), ("ask", "tool = \"*\""))),
        format_warnings(&two_rules(("allow", "command = \"ls\""), ("ask", "tool = \"*\""))),
    ].join("\n"), @r#"
    line 2, column 8: rule "r" never decides: rule "s" blocks every call that it matches, and the strictest wins; narrow "s", or exclude calls from it with `unless`
    line 2, column 8: rule "r" never decides: rule "s" asks about every call that it matches, and the strictest wins; narrow "s", or exclude calls from it with `unless`
    line 2, column 8: rule "r" never decides: rule "s" asks about every call that it matches, and the strictest wins; narrow "s", or exclude calls from it with `unless`
    "#);
    for (narrow, wide) in [
        ("tool = \"file-*\"", "tool = \"file-read\""),
        ("tool = \"x\"", "tool = \"x\"\nargs = { \"/a\" = 1 }"),
        ("tool = \"x\"", "tool = \"x\"\nunless = { args = { \"/a\" = 1 } }"),
        ("tool = \"x\"", "tool = \"*\"\nshadow = true"),
    ] {
        assert_eq!(format_warnings(&two_rules(("allow", narrow), ("block", wide))), "", "{narrow} {wide}");
    }
}

#[test]
fn same_selectors_with_different_verdicts_are_reported() {
    insta::assert_snapshot!(format_warnings(&two_rules(
        ("ask", "tool = \"pay\"\nargs = { \"/a\" = 1, \"/b\" = 2 }"),
        ("block", "args = { \"/b\" = 2, \"/a\" = 1 }\ntool = \"pay\""),
    )), @r#"line 7, column 8: rules "r" and "s" match the same calls with different verdicts; the stricter applies"#);
}

#[test]
fn nested_zone_is_reported() {
    insta::assert_snapshot!(format_warnings(
        "[zones.a]\nroot = \"/a\"\nread = \"allow\"\nwrite = \"ask\"\n[zones.b]\nroot = \"/a/b\"\nread = \"ask\"\n[zones.c]\nroot = \"/ab\"\nread = \"ask\"\n"
    ), @r#"line 5, column 8: zone "b" is inside zone "a"; if both name an operation, the stricter applies"#);
}

#[test]
fn rule_that_matches_too_much_is_reported() {
    insta::assert_snapshot!([
        format_warnings(&one("ask", "args = { \"/amount\" = { gt = 5 } }")),
        format_warnings(&one("allow", "tool = \"x\"\nargs = { \"/a\" = { regex = \"ok\" } }")),
    ].join("\n"), @r#"
    line 2, column 8: rule "r" names no tool, so it also matches every call without /amount; name the tools, or add `exists = true`
    line 2, column 8: rule "r" allows every value that contains a match of its `regex`; begin it with ^ and end it with $
    "#);
    for quiet in
        ["args = { \"/amount\" = { exists = true, gt = 5 } }", "tool = \"x\"\nargs = { \"/a\" = { gt = 5 } }"]
    {
        assert_eq!(format_warnings(&one("ask", quiet)), "", "{quiet}");
    }
    assert_eq!(format_warnings(&one("allow", "tool = \"x\"\nargs = { \"/a\" = { regex = \"^ok$\" } }")), "");
}

#[test]
fn unused_operation_is_reported() {
    let tools = "[tools.put]\noperation = \"writ\"\n";
    insta::assert_snapshot!([
        format_warnings(&format!("[zones.a]\nroot = \"/a\"\nwirte = \"block\"\n{tools}")),
        format_warnings(&one("block", "tool = \"x\"\nunless = { operation = \"deplete\" }")),
    ].join("\n"), @r#"
    line 1, column 8: rule "zone-a" names the operation "wirte", but no [tools] entry has it; did you mean `write`?
    line 4, column 8: no zone and no rule names the operation "writ"; did you mean `write`?
    line 2, column 8: rule "r" names the operation "deplete", but no [tools] entry has it; did you mean `delete`?
    "#);
    let own = "[zones.a]\nroot = \"/a\"\nmove = \"block\"\n[tools.mv]\noperation = \"move\"\n";
    assert_eq!(format_warnings(own), "");
    assert_eq!(format_warnings("[tools.rm]\noperation = \"delete\"\n"), "");
}

#[test]
fn unreachable_terms_are_reported() {
    let ops = "[approvers]\n\"user:ada\" = { groups = [\"ops\"] }\n\"user:bob\" = { groups = [\"ops\"] }\n";
    let rule =
        |terms: &str| format_warnings(&format!("{ops}{}", one("ask", &format!("tool = \"x\"\n{terms}"))));
    insta::assert_snapshot!([
        rule("approvers = [\"@ops\"]\nquorum = 2\ndenials = 2"),
        rule("expires = \"5m\"\nremindAfter = \"5m\"\nescalateAfter = \"10m\"\nescalateTo = \"admin\""),
    ].join("\n"), @r#"
    line 5, column 8: rule "r" needs 2 to allow and 2 to deny, but `approvers` names 2: if they disagree, there is no decision; name more people, or lower `denials`
    line 5, column 8: a request of rule "r" expires before its `escalateAfter`; set a shorter `escalateAfter`, or a longer `expires`
    line 5, column 8: a request of rule "r" expires before its `remindAfter`; set a shorter `remindAfter`, or a longer `expires`
    "#);
    for quiet in [
        "approvers = [\"@ops\"]\nquorum = 2",
        "quorum = 2\ndenials = 2",
        "expires = \"5m\"\nremindAfter = \"4m\"",
        "remindAfter = \"4m\"",
    ] {
        assert_eq!(rule(quiet), "", "{quiet}");
    }
}

#[test]
fn compound_command_in_an_allow_is_reported() {
    insta::assert_snapshot!(format_warnings(&one("allow", "command = [\"ls **\", \"curl * | sh\"]")), @r#"line 2, column 8: rule "r" allows nothing with `curl * | sh`: each command of a line is matched separately, so write one pattern for each"#);
    for fine in ["\"git commit -m 'a; b'\"", "\"ls **\""] {
        assert_eq!(format_warnings(&one("allow", &format!("command = {fine}"))), "", "{fine}");
    }
    assert_eq!(
        format_warnings(&one("block", "command = \"curl*|*sh\"")),
        "",
        "a block also matches the whole line"
    );
}

#[test]
fn option_allowed_with_any_value_is_reported() {
    insta::assert_snapshot!([
        format_warnings(&one("allow", "command = \"git log --output=*\"")),
        format_warnings(&one("allow", "command = [\"find * -delete\", \"ls **\"]")),
    ].join("\n"), @r#"
    line 2, column 8: rule "r" allows `git log --output=*`: `--output` writes, and the wildcard allows any argument; write out the arguments that you expect
    line 2, column 8: rule "r" allows `find * -delete`: `-delete` deletes, and the wildcard allows any argument; write out the arguments that you expect
    "#);
    for (verdict, quiet) in [
        ("allow", "git log --output=log.txt **"),
        ("allow", "find build -delete"),
        ("allow", "git log **"),
        ("block", "git log --output=*"),
    ] {
        assert_eq!(format_warnings(&one(verdict, &format!("command = \"{quiet}\""))), "", "{quiet}");
    }
}

#[test]
fn options_that_wildcard_omits_are_reported() {
    insta::assert_snapshot!(format_warnings(&one("allow", "command = [\"find **\", \"sort*\"]")), @r#"
    line 2, column 8: rule "r" does not cover options with an effect with `find **`, such as `-delete`, `-exec`, `-fprint`; name an option in a pattern to allow it
    line 2, column 8: rule "r" does not cover options with an effect with `sort*`, such as `-o`, `--compress-program`, `-T`; name an option in a pattern to allow it
    "#);
    for quiet in ["git **", "git diff*", "ls **", "find . -name *"] {
        assert_eq!(format_warnings(&one("allow", &format!("command = \"{quiet}\""))), "", "{quiet}");
    }
    assert_eq!(format_warnings(&one("ask", "command = \"find **\"")), "");
}

#[test]
fn shipped_rules_have_no_warnings() {
    for profile in PolicyProfile::ALL {
        assert_eq!(format_warnings(&profile.text()), "", "{profile}");
    }
    let text = PolicyProfile::Coding.text();
    let changed = text.replacen("\"sort -o **\"", "\"sort -o ** -u\"", 1);
    assert_ne!(changed, text);
    assert!(format_warnings(&changed).contains("`sort -o ** -u`: `-o` writes"));
}

/// The dead parts of a policy with one rule. Each keeps `policy check` from passing.
fn find_dead(verdict: &str, rest: &str) -> String {
    let policy = rule(verdict, rest);
    let dead = policy.find_warnings().into_iter().filter(|warning| warning.never_matches);
    dead.map(|warning| warning.text).collect::<Vec<_>>().join("\n")
}

#[test]
fn rule_that_can_never_match_is_an_error() {
    insta::assert_snapshot!([
        find_dead("allow", "command = [\"rm $X\", \"ls '$X'\"]"),
        find_dead("allow", "command = \"echo it's\""),
        find_dead("allow", "command = \"grep 'x' **\""),
        find_dead("allow", "command = \"git log --format='%h %s'\""),
        find_dead("allow", "command = \"echo x > y\""),
        find_dead("block", "tool = \" bash\""),
        find_dead("ask", "principal = [\"ada\", \"bob\"]"),
        find_dead("allow", "tool = \"bash\"\nkind = \"edit\"\ninside = \"project\""),
        find_dead("allow", "tool = \"x\"\ncommand = \"ls *\"\nunless = { command = \"ls *\" }"),
        find_dead("block", "tool = \"x\"\nunless = { tool = \"x\" }"),
        find_dead("block", "tool = \"x\"\nwhen = \"1 > 2\""),
        find_dead("allow", "tool = \"x\"\nwhen = \"1 / 0 == 1\""),
        find_dead("allow", "tool = \"x\"\npath = \"/etc/**\"\ninside = [\"/srv\", \"/opt\"]"),
    ].join("\n"), @r#"
    rule "r" allows nothing with `rm $X`: no pattern shows the word `$X`, whose value only the shell knows; write a wildcard
    rule "r" allows nothing with `echo it's`: no command has the word `it's`, which is shown as `'it'\''s'`
    rule "r" allows nothing with `grep 'x' **`: no command has the word `'x'`, which is shown as `x`
    rule "r" allows nothing with `git log --format='%h %s'`: no command has the word `--format='%h %s'`, which is shown as `'--format=%h %s'`
    rule "r" allows nothing with `echo x > y`: a redirection is no word of a command; a rule with `inside` covers its file
    rule "r" never matches: no tool has this name (it begins or ends with a blank); correct `tool`
    rule "r" never matches: no principal has this name ("ada" does not begin with user:, agent:, policy:, advisor: or system:); correct `principal`
    rule "r" never matches: no tool that it names is of the kind edit; remove `tool` or `kind`
    rule "r" never matches: its `unless` has only selectors of the rule itself; narrow `unless`, or remove the rule
    rule "r" never matches: its `unless` has only selectors of the rule itself; narrow `unless`, or remove the rule
    rule "r" never matches: its `when` is false whatever the call is; compare something with `args`, `tool` or `place`
    rule "r" never matches: its `when` fails whatever the call is; compare something with `args`, `tool` or `place`
    rule "r" never matches: `/etc/**` is in no folder of `inside`; remove one of them
    "#);
}

#[test]
fn rule_that_may_match_is_no_error() {
    for (verdict, fine) in [
        ("allow", "command = [\"ls '$X'\", \"sh -c 'ls *'\", \"{rm $X,ls}\", \"cat < *\", \"'[' -f x ]\"]"),
        ("block", "command = \"rm $X\""),
        ("block", "command = \"curl*|*sh\""),
        ("ask", "command = \"git *\"\nunless = { command = \"git *\" }"),
        ("ask", "principal = [\"ada\", \"user:bob\"]"),
        ("ask", "principal = \"*ada\""),
        ("allow", "tool = [\"bash\", \"Edit\"]\nkind = \"edit\"\ninside = \"project\""),
        ("block", "tool = \"x\"\nwhen = \"1 / 0 == 1\""),
        ("allow", "tool = \"x\"\nwhen = \"2 > 1\""),
        ("allow", "tool = \"x\"\npath = \"/srv/a/**\"\ninside = \"/srv\""),
        ("allow", "tool = \"x\"\npath = \"/{srv,etc}/**\"\ninside = \"/srv\""),
    ] {
        assert_eq!(find_dead(verdict, fine), "", "{verdict} {fine}");
    }
}

#[test]
fn no_profile_has_a_dead_part() {
    for profile in PolicyProfile::ALL {
        let policy = profile.policy();
        let dead: Vec<_> =
            policy.find_warnings().into_iter().filter(|warning| warning.never_matches).collect();
        assert_eq!(dead, Vec::<PolicyWarning>::new());
    }
}
