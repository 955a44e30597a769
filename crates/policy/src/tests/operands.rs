//! Commands, URLs, paths, zones and operations.

use super::*;

#[test]
fn allow_needs_every_command_and_block_any() {
    let selectors = "tool = \"bash\"\ncommand = [\"git status*\", \"ls*\"]";
    for (command, wanted) in [
        ("git status -s", YES),
        ("git status; ls", YES),
        ("git status; rm -rf x", "bqb"),
        ("rm -rf x", NO),
        ("$x -rf", UNCLEAR),
    ] {
        assert_eq!(outcome(selectors, &bash(command)), wanted, "{command}");
    }
}

#[test]
fn reason_never_quotes_part_of_a_secret() {
    let command = format!("$x {} ghp_abcdefghijklmnop1234", "a".repeat(60));
    let reason = bash(&command).judge(&rule("block", "tool = \"bash\"\ncommand = \"rm*\"")).reason;
    assert!(reason.contains("$x aaa") && !reason.contains("ghp_"), "{reason}");
}

#[test]
fn operand_in_place_of_a_list_counts() {
    let srv = "tool = \"x\"\npath = \"/srv/**\"";
    for (arguments, wanted) in [
        (r#"{"path":"/srv/a","paths":["/srv/b"]}"#, YES),
        (r#"{"path":"/srv/a","paths":null}"#, YES),
        (r#"{"path":"/srv/a","paths":"/etc/passwd"}"#, "bqb"),
        (r#"{"path":"/srv/a","paths":{"0":"/etc/passwd"}}"#, "bqb"),
    ] {
        assert_eq!(outcome(srv, &call("x", arguments)), wanted, "{arguments}");
    }
    let unnamed = "path = \"/etc/**\"";
    assert_eq!(outcome(unnamed, &call("x", r#"{"paths":"/etc/passwd"}"#)), FAILED);
    let copy = policy(
        "[tools.copy]\npath = [\"/from\", \"/to/*\"]\n[[rule]]\nname = \"r\"\ntool = \"copy\"\npath = \"/srv/**\"\nverdict = \"allow\"\n",
    );
    assert_eq!(call("copy", r#"{"from":"/srv/a","to":"/etc/passwd"}"#).verdict(&copy), Verdict::Ask);
    assert_eq!(call("copy", r#"{"from":"/srv/a","to":["/srv/b"]}"#).verdict(&copy), Verdict::Allow);
}

#[test]
fn operands_are_found_in_usual_arguments() {
    let rm = "tool = \"x\"\ncommand = \"rm *\"";
    for (arguments, wanted) in [
        (r#"{"command":"rm x"}"#, YES),
        (r#"{"cmd":"rm x"}"#, YES),
        (r#"{"script":"rm x"}"#, YES),
        (r#"{"command":["rm","x"]}"#, YES),
        (r#"{"command":["ls","rm x"]}"#, NO),
        (r#"{"command":"rm x","script":"ls"}"#, "bqb"),
        (r#"{"command":null,"cmd":"rm x"}"#, YES),
        (r#"{"command":7}"#, FAILED),
        (r#"{"command":["rm",7]}"#, FAILED),
        (r#"{"other":"rm x"}"#, FAILED),
    ] {
        assert_eq!(outcome(rm, &call("x", arguments)), wanted, "{arguments}");
    }
    let unnamed = "command = \"rm *\"";
    assert_eq!(
        outcome(unnamed, &call("x", "{}")),
        NO,
        "a rule for all tools does not match tools without commands"
    );
}

#[test]
fn policy_can_name_operand_pointers() {
    let text = format!(
        "default = \"allow\"\n{}\n[tools.\"x*\"]\ncommand = [\"/run/line\", \"/more/*/line\"]\n",
        one("block", "command = \"rm *\"")
    );
    let policy = policy(&text);
    for (arguments, verdict) in [
        (r#"{"run":{"line":"rm x"}}"#, Verdict::Block),
        (r#"{"run":{"line":"ls"},"more":[{"line":"ls"},{"line":"rm x"}]}"#, Verdict::Block),
        (r#"{"run":{"line":"ls"},"command":"rm x"}"#, Verdict::Allow),
        ("{}", Verdict::Block),
    ] {
        assert_eq!(call("xy", arguments).verdict(&policy), verdict, "{arguments}");
    }
}

#[test]
fn every_path_and_url_in_a_list_counts() {
    for (arguments, wanted) in [
        (r#"{"path":"/srv/a"}"#, YES),
        (r#"{"path":["/srv/a","/srv/b"]}"#, YES),
        (r#"{"paths":["/srv/a","/etc/b"]}"#, "bqb"),
        (r#"{"source":"/srv/a","destination":"/etc/b"}"#, "bqb"),
        (r#"{"path":"/srv/../etc/b"}"#, NO),
        (r#"{"path":"$HOME/b"}"#, UNCLEAR),
        (r#"{"path":[]}"#, FAILED),
    ] {
        assert_eq!(outcome("tool = \"x\"\npath = \"/srv/**\"", &call("x", arguments)), wanted, "{arguments}");
    }
    for (url, wanted) in
        [("https://api.example.com/v1", YES), ("https://example.org/", NO), ("not an address", UNCLEAR)]
    {
        let call = call("x", &format!("{{\"url\":{url:?}}}"));
        assert_eq!(outcome("tool = \"x\"\nurl = \"https://*.example.com/*\"", &call), wanted, "{url}");
    }
}

#[test]
fn visible_part_of_a_masked_command_counts() {
    let command = |text: &str| bash(text).masked("/command");
    let curl = "tool = \"bash\"\ncommand = \"curl *\"";
    assert_eq!(outcome(curl, &command("curl -H '[redacted]' x")), "bqb", "the visible part is blocked");
    assert_eq!(outcome(curl, &command("wget '[redacted]'")), UNCLEAR);
}

const ZONES: &str = "default = \"block\"\n\
    [zones.scratch]\nroot = \"/scratch\"\nwrite = \"allow\"\ndelete = \"ask\"\nread = \"allow\"\n\
    [zones.secrets]\nroot = \"/scratch/secrets\"\nread = \"block\"\nreason = \"keys lie here\"\n\
    [tools.file-write]\noperation = \"write\"\n[tools.file-delete]\noperation = \"delete\"\n\
    [tools.file-read]\noperation = \"read\"\n[tools.file-move]\noperation = \"write\"\npath = [\"/from\", \"/to\"]\n";

#[test]
fn zone_applies_to_paths_inside_it() {
    let policy = policy(ZONES);
    let at = |tool: &str, path: &str| call(tool, &format!("{{\"path\":{path:?}}}")).judge(&policy);
    let written = at("file-write", "/scratch/a");
    assert_eq!((written.verdict, written.basis), (Verdict::Allow, Basis::Zone));
    assert_eq!(written.rule.as_deref(), Some("zone-scratch"));
    assert_eq!(written.principal().as_str(), "policy:zone-scratch");
    assert_eq!(at("file-delete", "/scratch/a").verdict, Verdict::Ask);
    for path in ["/scratchy/a", "/scratch/../etc/passwd", "/etc/passwd"] {
        assert_eq!(at("file-write", path).verdict, Verdict::Block, "{path}");
    }
    let secret = at("file-read", "/scratch/secrets/key");
    assert_eq!((secret.verdict, secret.reason.as_str()), (Verdict::Block, "keys lie here"));
    assert_eq!(at("unheard-of", "/scratch/a").verdict, Verdict::Ask, "its operation is unknown");
    assert_eq!(call("file-write", "{}").verdict(&policy), Verdict::Block);
}

#[test]
fn zone_asks_about_unmentioned_operation() {
    let zones = "[zones.scratch]\nroot = \"/scratch\"\nread = \"allow\"\n[tools.note]\noperation = \"write\"\n\
        [tools.view]\noperation = \"read\"\n[tools.pass]\noperation = \"write\"\npath = [\"/from\", \"/to\"]\n";
    for (default, elsewhere) in [("allow", Verdict::Allow), ("ask", Verdict::Ask), ("block", Verdict::Block)]
    {
        let policy = policy(&format!("default = \"{default}\"\n{zones}"));
        let at = |tool: &str, path: &str| call(tool, &format!("{{\"path\":{path:?}}}")).judge(&policy);
        let written = at("note", "/scratch/a");
        assert_eq!((written.verdict, written.basis), (Verdict::Ask, Basis::Zone), "default {default}");
        assert_eq!(written.rule.as_deref(), Some("zone-scratch"));
        assert_eq!(written.reason, "the path is in zone `scratch`, which has no verdict for this operation");
        assert_eq!(at("look", "/scratch/a").verdict, Verdict::Ask, "default {default}");
        assert_eq!(at("view", "/scratch/a").verdict, Verdict::Allow, "default {default}");
        assert_eq!(at("note", "/srv/a").verdict, elsewhere, "default {default}");
        let out = call("pass", "{\"from\":\"/scratch/a\",\"to\":\"/srv/a\"}").verdict(&policy);
        let strictest = if default == "block" { Verdict::Block } else { Verdict::Ask };
        assert_eq!(out, strictest, "default {default}: a path is outside of the zone");
        assert_eq!(at("note", "$HOME/a").verdict, strictest, "default {default}: the path is unknown");
    }
}

#[test]
fn rule_answers_before_unmentioned_operation() {
    let zones =
        "[zones.scratch]\nroot = \"/scratch\"\nread = \"ask\"\n[tools.file-write]\noperation = \"write\"\n";
    let text =
        format!("default = \"allow\"\n{zones}{}", one("allow", "tool = \"file-write\"\nzone = \"scratch\""));
    let judgement = call("file-write", "{\"path\":\"/scratch/a\"}").judge(&policy(&text));
    assert_eq!((judgement.verdict, judgement.rule.as_deref()), (Verdict::Allow, Some("r")));
}

#[test]
fn move_needs_both_paths_allowed() {
    let policy = policy(ZONES);
    let to =
        |to: &str| call("file-move", &format!("{{\"from\":\"/scratch/a\",\"to\":{to:?}}}")).verdict(&policy);
    assert_eq!([to("/scratch/b"), to("/etc/b")], [Verdict::Allow, Verdict::Block]);
}

#[test]
fn rule_can_name_a_zone() {
    let text = format!("{ZONES}{}", one("ask", "zone = \"scratch\"\noperation = [\"write\", \"delete\"]"));
    let judgement = call("file-write", "{\"path\":\"/scratch/a\"}").judge(&policy(&text));
    assert_eq!((judgement.verdict, judgement.rule.as_deref()), (Verdict::Ask, Some("r")));
}

#[test]
fn operation_comes_from_policy_or_trusted_hint() {
    let text = "[[rule]]\nname = \"r\"\nverdict = \"allow\"\noperation = \"read\"\n[trust]\ntools = \"get*\"\n\
        [tools.get-and-delete]\noperation = \"delete\"\n";
    let policy = policy(text);
    let reads = |tool: &str| call(tool, "{}").annotated("{\"readOnlyHint\":true}").verdict(&policy);
    assert_eq!(reads("get"), Verdict::Allow);
    assert_eq!(reads("got"), Verdict::Ask, "not trusted");
    assert_eq!(reads("get-and-delete"), Verdict::Ask, "the policy overrides the hint");
    assert_eq!(outcome("operation = \"read\"", &call("x", "{}")), NO);
}

#[test]
fn idempotence_comes_from_policy_or_trusted_hint() {
    let policy = policy(
        "[trust]\ntools = \"*-put\"\n[tools.retry]\nidempotent = true\n[tools.\"once*\"]\nidempotent = false\n",
    );
    let twice = |tool: &str| {
        let call = call(tool, "{}").annotated("{\"idempotentHint\":true}");
        policy.is_idempotent(&call.subject())
    };
    assert_eq!(["retry", "a-put", "once-put", "other"].map(twice), [true, true, false, false]);
    let reading = call("a-put", "{}").annotated("{\"readOnlyHint\":true}");
    assert!(policy.is_idempotent(&reading.subject()), "a trusted tool that only reads");
}
