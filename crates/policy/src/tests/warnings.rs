//! Warnings about rules that are valid and probably mistakes.

use super::*;

fn format_warnings(text: &str) -> String {
    policy(text).warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
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
