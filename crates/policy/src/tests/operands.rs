//! Commands, addresses, paths, zones and operations.

use super::*;

#[test]
fn an_allow_needs_every_command_and_a_block_any() {
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
fn a_reason_quotes_no_half_of_a_secret() {
    let command = format!("$x {} ghp_abcdefghijklmnop1234", "a".repeat(60));
    let reason = bash(&command).judge(&rule("block", "tool = \"bash\"\ncommand = \"rm*\"")).reason;
    assert!(reason.contains("$x aaa") && !reason.contains("ghp_"), "{reason}");
}

#[test]
fn an_operand_in_the_place_of_a_list_is_not_passed_over() {
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
fn operands_stand_where_tools_keep_them() {
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
        "a rule for all tools is not about those without commands"
    );
}

#[test]
fn the_policy_says_where_operands_stand() {
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
fn each_path_and_address_of_a_list_counts() {
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
fn a_masked_command_still_shows_what_it_shows() {
    let command = |text: &str| bash(text).masked("/command");
    let curl = "tool = \"bash\"\ncommand = \"curl *\"";
    assert_eq!(outcome(curl, &command("curl -H '[redacted]' x")), "bqb", "what is seen is blocked");
    assert_eq!(outcome(curl, &command("wget '[redacted]'")), UNCLEAR);
}

const ZONES: &str = "default = \"block\"\n\
    [zones.scratch]\nroot = \"/scratch\"\nwrite = \"allow\"\ndelete = \"ask\"\nread = \"allow\"\n\
    [zones.secrets]\nroot = \"/scratch/secrets\"\nread = \"block\"\nreason = \"keys lie here\"\n\
    [tools.file-write]\noperation = \"write\"\n[tools.file-delete]\noperation = \"delete\"\n\
    [tools.file-read]\noperation = \"read\"\n[tools.file-move]\noperation = \"write\"\npath = [\"/from\", \"/to\"]\n";

#[test]
fn a_zone_speaks_of_what_lies_in_it() {
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
    assert_eq!(at("unheard-of", "/scratch/a").verdict, Verdict::Ask, "nobody says what it does there");
    assert_eq!(call("file-write", "{}").verdict(&policy), Verdict::Block);
}

#[test]
fn a_move_is_allowed_only_if_both_ends_are() {
    let policy = policy(ZONES);
    let to =
        |to: &str| call("file-move", &format!("{{\"from\":\"/scratch/a\",\"to\":{to:?}}}")).verdict(&policy);
    assert_eq!([to("/scratch/b"), to("/etc/b")], [Verdict::Allow, Verdict::Block]);
}

#[test]
fn a_zone_can_be_named_by_a_rule() {
    let text = format!("{ZONES}{}", one("ask", "zone = \"scratch\"\noperation = [\"write\", \"delete\"]"));
    let judgement = call("file-write", "{\"path\":\"/scratch/a\"}").judge(&policy(&text));
    assert_eq!((judgement.verdict, judgement.rule.as_deref()), (Verdict::Ask, Some("r")));
}

#[test]
fn what_a_tool_does_is_said_by_the_policy_or_a_trusted_hint() {
    let text = "[[rule]]\nname = \"r\"\nverdict = \"allow\"\noperation = \"read\"\n[trust]\ntools = \"get*\"\n\
        [tools.get-and-delete]\noperation = \"delete\"\n";
    let policy = policy(text);
    let reads = |tool: &str| call(tool, "{}").annotated("{\"readOnlyHint\":true}").verdict(&policy);
    assert_eq!(reads("get"), Verdict::Allow);
    assert_eq!(reads("got"), Verdict::Ask, "not trusted");
    assert_eq!(reads("get-and-delete"), Verdict::Ask, "the policy knows better");
    assert_eq!(outcome("operation = \"read\"", &call("x", "{}")), NO);
}

#[test]
fn whether_a_call_may_run_twice_is_said_by_those_who_are_trusted() {
    let policy = policy(
        "[trust]\ntools = \"*-put\"\n[tools.retry]\nidempotent = true\n[tools.\"once*\"]\nidempotent = false\n",
    );
    let twice = |tool: &str| {
        let call = call(tool, "{}").annotated("{\"idempotentHint\":true}");
        policy.is_idempotent(&call.subject())
    };
    assert_eq!(["retry", "a-put", "once-put", "other"].map(twice), [true, true, false, false]);
}
