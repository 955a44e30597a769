//! What reads well and is probably not meant.

use super::*;

fn warned(text: &str) -> String {
    policy(text).warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn two(first: (&str, &str), second: (&str, &str)) -> String {
    format!("{}{}", one(first.0, first.1), one(second.0, second.1).replace("\"r\"", "\"s\""))
}

#[test]
fn a_rule_that_never_decides() {
    insta::assert_snapshot!([
        warned(&two(("allow", "tool = \"file-read\""), ("block", "tool = \"file-*\""))),
        warned(&two(("allow", "tool = \"file-*\"\npath = \"/a/**\""), ("ask", "tool = \"*\""))),
        warned(&two(("allow", "command = \"ls\""), ("ask", "tool = \"*\""))),
    ].join("\n"), @r#"
    line 2, column 8: rule "r" never decides: whatever it matches is blocked by rule "s", and the strictest wins; narrow "s", or take calls out of it with `unless`
    line 2, column 8: rule "r" never decides: whatever it matches is asked by rule "s", and the strictest wins; narrow "s", or take calls out of it with `unless`
    line 2, column 8: rule "r" never decides: whatever it matches is asked by rule "s", and the strictest wins; narrow "s", or take calls out of it with `unless`
    "#);
    for (narrow, wide) in [
        ("tool = \"file-*\"", "tool = \"file-read\""),
        ("tool = \"x\"", "tool = \"x\"\nargs = { \"/a\" = 1 }"),
        ("tool = \"x\"", "tool = \"x\"\nunless = { args = { \"/a\" = 1 } }"),
        ("tool = \"x\"", "tool = \"*\"\nshadow = true"),
    ] {
        assert_eq!(warned(&two(("allow", narrow), ("block", wide))), "", "{narrow} {wide}");
    }
}

#[test]
fn the_same_selectors_with_different_verdicts() {
    insta::assert_snapshot!(warned(&two(
        ("ask", "tool = \"pay\"\nargs = { \"/a\" = 1, \"/b\" = 2 }"),
        ("block", "args = { \"/b\" = 2, \"/a\" = 1 }\ntool = \"pay\""),
    )), @r#"line 7, column 8: rules "r" and "s" match the same and say different things; the stricter holds"#);
}

#[test]
fn a_zone_in_a_zone() {
    insta::assert_snapshot!(warned(
        "[zones.a]\nroot = \"/a\"\nread = \"allow\"\nwrite = \"ask\"\n[zones.b]\nroot = \"/a/b\"\nread = \"ask\"\n[zones.c]\nroot = \"/ab\"\nread = \"ask\"\n"
    ), @r#"line 5, column 8: zone "b" lies in zone "a"; where both speak of an operation the stricter holds"#);
}

#[test]
fn a_rule_that_matches_more_than_it_seems_to() {
    insta::assert_snapshot!([
        warned(&one("ask", "args = { \"/amount\" = { gt = 5 } }")),
        warned(&one("allow", "tool = \"x\"\nargs = { \"/a\" = { regex = \"ok\" } }")),
    ].join("\n"), @r#"
    line 2, column 8: rule "r" names no tool, so it matches every call that has no /amount at all; name the tools, or add `exists = true`
    line 2, column 8: rule "r" allows whatever holds a match of its `regex` anywhere; begin it with ^ and end it with $
    "#);
    for quiet in
        ["args = { \"/amount\" = { exists = true, gt = 5 } }", "tool = \"x\"\nargs = { \"/a\" = { gt = 5 } }"]
    {
        assert_eq!(warned(&one("ask", quiet)), "", "{quiet}");
    }
    assert_eq!(warned(&one("allow", "tool = \"x\"\nargs = { \"/a\" = { regex = \"^ok$\" } }")), "");
}

#[test]
fn an_operation_that_only_one_side_speaks_of() {
    let tools = "[tools.put]\noperation = \"writ\"\n";
    insta::assert_snapshot!([
        warned(&format!("[zones.a]\nroot = \"/a\"\nwirte = \"block\"\n{tools}")),
        warned(&one("block", "tool = \"x\"\nunless = { operation = \"deplete\" }")),
    ].join("\n"), @r#"
    line 1, column 8: rule "zone-a" speaks of the operation "wirte", and no [tools] entry does; did you mean `write`?
    line 4, column 8: no zone and no rule speaks of the operation "writ"; did you mean `write`?
    line 2, column 8: rule "r" speaks of the operation "deplete", and no [tools] entry does; did you mean `delete`?
    "#);
    let own = "[zones.a]\nroot = \"/a\"\nmove = \"block\"\n[tools.mv]\noperation = \"move\"\n";
    assert_eq!(warned(own), "");
    assert_eq!(warned("[tools.rm]\noperation = \"delete\"\n"), "");
}

#[test]
fn what_people_are_asked_and_never_comes() {
    let ops = "[approvers]\n\"user:ada\" = { groups = [\"ops\"] }\n\"user:bob\" = { groups = [\"ops\"] }\n";
    let rule = |terms: &str| warned(&format!("{ops}{}", one("ask", &format!("tool = \"x\"\n{terms}"))));
    insta::assert_snapshot!([
        rule("approvers = [\"@ops\"]\nquorum = 2\ndenials = 2"),
        rule("expires = \"5m\"\nremindAfter = \"5m\"\nescalateAfter = \"10m\"\nescalateTo = \"admin\""),
    ].join("\n"), @r#"
    line 5, column 8: rule "r" takes 2 to allow and 2 to deny, and `approvers` means 2: if they disagree, nobody decides; name more of them, or lower `denials`
    line 5, column 8: what rule "r" asks is over before its `escalateAfter` comes; say a shorter time, or a longer `expires`
    line 5, column 8: what rule "r" asks is over before its `remindAfter` comes; say a shorter time, or a longer `expires`
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
fn a_pattern_of_several_commands_allows_nothing() {
    insta::assert_snapshot!(warned(&one("allow", "command = [\"ls **\", \"curl * | sh\"]")), @r#"line 2, column 8: rule "r" allows nothing by `curl * | sh`: each command of a line is looked at by itself, so give each a pattern of its own"#);
    for fine in ["\"git commit -m 'a; b'\"", "\"ls **\""] {
        assert_eq!(warned(&one("allow", &format!("command = {fine}"))), "", "{fine}");
    }
    assert_eq!(warned(&one("block", "command = \"curl*|*sh\"")), "", "a block looks at the whole line too");
}
