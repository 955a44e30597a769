//! Arguments beside a command, an address or a path.

use super::*;
use countersign_events::PolicyLayer;

const NPM: &str = "tool = [\"Bash\", \"x\"]\ncommand = \"npm test **\"";

fn with_args(rest: &str) -> Policy {
    rule("allow", &format!("{NPM}\n{rest}"))
}

#[test]
fn unknown_argument_beside_command_is_asked() {
    for beside in [
        r#""dangerouslyDisableSandbox":true"#,
        r#""env":{"PATH":"/tmp/evil"}"#,
        r#""environment":{}"#,
        r#""shell":"/tmp/evil""#,
        r#""with_escalated_permissions":true"#,
        r#""sandbox_permissions":"require_escalated""#,
        r#""additionalPermissions":{"network":{"enabled":true}}"#,
        r#""networkApprovalContext":{"host":"evil.io"}"#,
        r#""required_permissions":["network"]"#,
        r#""stdin":"rm x""#,
        r#""user":"root""#,
        r#""cwd":"/tmp/evil""#,
        r#""workdir":null"#,
        r#""path":"/etc""#,
        r#""url":"https://evil.io""#,
        r#""timeout":{"command":"rm"}"#,
        r#""description":["x"]"#,
        r#""run_in_background":"yes; rm""#,
        r#""unheard_of":null"#,
        r#""Timeout":1"#,
        r#""":1"#,
        r#""*":"rm x""#,
        r#""/command":"rm x""#,
    ] {
        let call = call("Bash", &format!(r#"{{"command":"npm test",{beside}}}"#));
        assert_eq!(outcome(NPM, &call), "bqb", "{beside}");
    }
}

#[test]
fn harmless_argument_beside_command_is_ignored() {
    for beside in [
        r#""description":"run the tests""#,
        r#""timeout":120000"#,
        r#""run_in_background":true"#,
        r#""dangerouslyDisableSandbox":false"#,
        r#""required_permissions":[]"#,
        r#""args":[]"#,
    ] {
        let call = call("Bash", &format!(r#"{{"command":"npm test",{beside}}}"#));
        assert_eq!(outcome(NPM, &call), YES, "{beside}");
    }
    let unknown_tool = call("x", r#"{"command":"npm test","run_in_background":true}"#);
    assert_eq!(outcome(NPM, &unknown_tool), "bqb", "only shells of coding agents have it");
    let masked = call("Bash", r#"{"command":"npm test","description":"[redacted]"}"#).masked("/description");
    assert_eq!(outcome(NPM, &masked), YES);
}

#[test]
fn only_own_folder_is_harmless() {
    let npm = |cwd: &str| call("Bash", &format!(r#"{{"command":"npm test","cwd":{cwd:?}}}"#));
    assert_eq!(outcome(NPM, &npm("/srv/app").placed("/srv/app/")), YES);
    for (cwd, place) in
        [("/srv/other", "/srv/app"), ("/srv/app/../other", "/srv/app"), (".", "."), ("app", "/srv/app")]
    {
        assert_eq!(outcome(NPM, &npm(cwd).placed(place)), "bqb", "{cwd} {place}");
    }
}

#[test]
fn rule_names_further_arguments() {
    let named = with_args(r#"args = { "/env/CI" = "true", "/cwd" = { optional = true, prefix = "/srv/" } }"#);
    let verdict = |arguments: &str| call("Bash", arguments).verdict(&named);
    assert_eq!(verdict(r#"{"command":"npm test","env":{"CI":"true"}}"#), Verdict::Allow);
    assert_eq!(verdict(r#"{"command":"npm test","env":{"CI":"true"},"cwd":"/srv/a"}"#), Verdict::Allow);
    assert_eq!(verdict(r#"{"command":"npm test","env":{"CI":"true"},"cwd":"/etc"}"#), Verdict::Ask);
    assert_eq!(verdict(r#"{"command":"npm test","env":{"CI":"true","PATH":"/tmp"}}"#), Verdict::Ask);
    assert_eq!(verdict(r#"{"command":"npm test"}"#), Verdict::Ask, "a missing argument is an error");
    let read = with_args(r#"when = "!has(args.env) || size(args.env) == 0""#);
    assert_eq!(call("Bash", r#"{"command":"npm test","env":{}}"#).verdict(&read), Verdict::Allow);
    assert_eq!(call("Bash", r#"{"command":"npm test","cwd":"/"}"#).verdict(&read), Verdict::Ask);
    let whole = with_args(r#"when = "size(args) < 9""#);
    assert_eq!(call("Bash", r#"{"command":"npm test","env":{}}"#).verdict(&whole), Verdict::Ask);
}

#[test]
fn tools_declare_harmless_arguments() {
    let text = format!("[tools.x]\nharmless = [\"/colour\", \"/ui/*\"]\n{}", one("allow", NPM));
    let policy = policy(&text);
    let verdict = |tool: &str, arguments: &str| call(tool, arguments).verdict(&policy);
    assert_eq!(verdict("x", r#"{"command":"npm test","colour":"red","ui":{"a":1}}"#), Verdict::Allow);
    assert_eq!(verdict("x", r#"{"command":"npm test","env":{}}"#), Verdict::Ask);
    assert_eq!(verdict("Bash", r#"{"command":"npm test","colour":"red"}"#), Verdict::Ask);
}

#[test]
fn exception_from_block_needs_every_argument_known() {
    let policy = policy(&format!(
        "default = \"allow\"\n{}",
        one("block", "tool = \"Bash\"\nunless = { command = \"ls **\" }")
    ));
    assert_eq!(call("Bash", r#"{"command":"ls"}"#).verdict(&policy), Verdict::Allow);
    assert_eq!(call("Bash", r#"{"command":"ls","shell":"/tmp/x"}"#).verdict(&policy), Verdict::Block);
}

#[test]
fn combined_rules_each_need_known_arguments() {
    let text = "[[rule]]\nname = \"a\"\ntool = \"Bash\"\ncommand = \"ls **\"\nverdict = \"allow\"\n\
        [[rule]]\nname = \"b\"\ntool = \"Bash\"\ncommand = \"cat **\"\nverdict = \"allow\"\n";
    assert_eq!(call("Bash", r#"{"command":"ls; cat f"}"#).verdict(&policy(text)), Verdict::Allow);
    assert_eq!(call("Bash", r#"{"command":"ls; cat f","env":{}}"#).verdict(&policy(text)), Verdict::Ask);
}

#[test]
fn unknown_argument_beside_path_or_url_is_asked() {
    let read = "tool = [\"Read\", \"x\"]\npath = \"/srv/**\"";
    assert_eq!(outcome(read, &call("Read", r#"{"file_path":"/srv/a","offset":1,"limit":9}"#)), YES);
    assert_eq!(outcome(read, &call("Read", r#"{"file_path":"/srv/a","follow":true}"#)), "bqb");
    assert_eq!(outcome(read, &call("x", r#"{"path":"/srv/a","content":"text"}"#)), YES);
    assert_eq!(outcome(read, &call("x", r#"{"path":"/srv/a","recursive":true}"#)), "bqb");
    assert_eq!(outcome(read, &call("x", r#"{"path":"/srv/a","command":"delete"}"#)), "bqb");
    let fetch = "tool = \"x\"\nurl = \"https://example.com/*\"";
    assert_eq!(outcome(fetch, &call("x", r#"{"url":"https://example.com/","method":"GET"}"#)), YES);
    for beside in [r#""method":"POST""#, r#""headers":{}"#, r#""proxy":"http://evil.io""#, r#""body":"x""#] {
        let call = call("x", &format!(r#"{{"url":"https://example.com/",{beside}}}"#));
        assert_eq!(outcome(fetch, &call), "bqb", "{beside}");
    }
}

#[test]
fn rule_by_tool_alone_allows_any_argument() {
    let any = call("Bash", r#"{"command":"npm test","env":{}}"#);
    assert_eq!(outcome("tool = \"Bash\"", &any), YES);
}

#[test]
fn confusable_keys_are_at_least_asked() {
    let ls = "tool = [\"bash\", \"read\"]\ncommand = \"ls **\"";
    for arguments in [
        r#"{"command":"ls","Command":"rm -rf x"}"#,
        r#"{"command":"ls","COMMAND":"ls"}"#,
        r#"{"command":"ls","\u017fcript":"rm x"}"#,
        r#"{"Command":"ls"}"#,
        r#"{"command":"ls","\uff23ommand":"rm x"}"#,
    ] {
        let judged = call("bash", arguments).verdict(&rule("allow", ls));
        assert_eq!(judged, Verdict::Ask, "{arguments}");
        let by_tool = call("bash", arguments).verdict(&rule("allow", "tool = \"bash\""));
        let is_ambiguous = call("bash", arguments).arguments.find_ambiguous_keys().is_some();
        assert_eq!(by_tool == Verdict::Ask, is_ambiguous, "{arguments}");
    }
    let srv = rule("allow", "tool = \"read\"\npath = \"/srv/app/**\"");
    assert_eq!(call("read", r#"{"path":"/srv/app/x","Path":"/etc/x"}"#).verdict(&srv), Verdict::Ask);
    let nested = r#"{"command":"ls","description":"x","o":{"a":1,"A":2}}"#;
    assert_eq!(call("bash", nested).verdict(&rule("allow", "tool = \"bash\"")), Verdict::Ask);
}

#[test]
fn block_sees_operand_under_another_spelling() {
    let policy = policy(&format!("default = \"allow\"\n{}", one("block", "command = \"rm *\"")));
    let verdict = |arguments: &str| call("go-tool", arguments).verdict(&policy);
    assert_eq!(verdict(r#"{"Command":"rm x"}"#), Verdict::Block);
    assert_eq!(verdict(r#"{"command":"ls","CMD":"rm x"}"#), Verdict::Block);
    assert_eq!(verdict(r#"{"\u017fcript":"rm x"}"#), Verdict::Block);
    assert_eq!(verdict(r#"{"Command":"ls"}"#), Verdict::Ask);
    assert_eq!(verdict(r#"{"commands":"rm x"}"#), Verdict::Allow);
}

#[test]
fn shell_wrapper_is_judged_as_its_script() {
    for (command, wanted) in [
        ("/bin/zsh -lc 'npm test'", YES),
        ("bash -c 'npm test -- a'", YES),
        ("/bin/zsh -lc 'npm test; rm x'", "bqb"),
        ("/bin/zsh -lc 'rm x'", NO),
    ] {
        assert_eq!(
            outcome("tool = \"bash\"\ncommand = \"npm test **\"", &bash(command)),
            wanted,
            "{command}"
        );
    }
    for blocked in ["bash *", "npm test*"] {
        let policy = rule("block", &format!("tool = \"bash\"\ncommand = {blocked:?}"));
        assert_eq!(bash("bash -c 'npm test'").verdict(&policy), Verdict::Block, "{blocked}");
    }
    let both = "[[rule]]\nname = \"a\"\ntool = \"bash\"\ncommand = \"ls **\"\nverdict = \"allow\"\n\
        [[rule]]\nname = \"b\"\ntool = \"bash\"\ncommand = \"cat **\"\nverdict = \"allow\"\n";
    assert_eq!(bash("/bin/zsh -lc 'ls && cat f'").verdict(&policy(both)), Verdict::Allow);
}

#[test]
fn asked_call_names_the_hindering_argument() {
    let judged = call("Bash", r#"{"command":"npm test","env":{"A":1},"cwd":"/"}"#).judge(&with_args(""));
    assert_eq!(judged.basis, Basis::Default);
    insta::assert_snapshot!(judged.reason, @r#"rule "r" does not allow it with `/env`, `/cwd`, which may change what runs; it can name the argument in `args`"#);
    let other = call("Bash", r#"{"command":"rm x","env":{"A":1}}"#).judge(&with_args(""));
    assert_eq!(other.reason, "no rule allows `rm x`");
}

#[test]
fn rule_that_lacks_a_constant_argument_is_reported() {
    let globs = "tool = \"Glob\"\npath = \"/srv/**\"";
    insta::assert_snapshot!(rule("allow", globs).find_warnings()[0].text, @r#"rule "r" allows no call of "Glob": each has the argument `pattern`, and it may lead out of the path; name it in `args`, for example "/pattern" = { glob = "…" }"#);
    let named = format!("{globs}\nargs = {{ \"/pattern\" = {{ regex = \"^[a-z*.]+$\" }} }}");
    assert_eq!(rule("allow", &named).find_warnings(), []);
    assert_eq!(rule("block", globs).find_warnings(), []);
    let call = call("Glob", r#"{"path":"/srv/a","pattern":"../../etc/*"}"#);
    assert_eq!(call.verdict(&rule("allow", globs)), Verdict::Ask);
}

#[test]
fn path_that_a_tool_may_expand_is_unclear() {
    let text = format!(
        "{}[[rule]]\nname = \"b\"\npath = \"**/.env\"\nverdict = \"block\"\n",
        one("allow", "tool = [\"read\", \"Read\"]\npath = \"/srv/app/**\"")
    );
    let verdict =
        |tool: &str, path: &str| call(tool, &format!("{{\"path\":{path:?}}}")).verdict(&policy(&text));
    for path in ["/srv/app/.en?", "/srv/app/.en[v]", "/srv/app/{.env}", "/srv/app/.e*"] {
        assert_eq!(verdict("read", path), Verdict::Ask, "{path}");
    }
    assert_eq!(verdict("Read", "/srv/app/[slug]/page.tsx"), Verdict::Allow, "Read takes the name as it is");
    assert_eq!(verdict("Read", "/srv/app/.en?"), Verdict::Ask);
    assert_eq!(verdict("Read", "/srv/app/.env"), Verdict::Block);
}

#[test]
fn mistakes_in_named_arguments_are_errors() {
    let refused = |text: &str| Policy::read(text).expect_err(text).to_string();
    let optional = one("allow", "tool = \"x\"\nargs = { \"/a\" = { optional = false } }");
    insta::assert_snapshot!(refused(&optional), @"the policy is invalid at line 5, column 30: `optional` is true or absent; remove it to require the argument");
    insta::assert_snapshot!(refused("[tools.x]\nharmless = [\"a\"]\n"), @r#"the policy is invalid at line 2, column 13: "a" is not a JSON pointer; write "/a""#);
    let layer = PolicyLayer {
        name: "policy.d/10-a.toml".to_owned(),
        text: "[tools.x]\nharmless = [\"/a\"]\n".to_owned(),
    };
    let layered = PolicyText { text: String::new(), layers: vec![layer] };
    let error = Policy::read_text(layered).expect_err("refused").to_string();
    assert!(error.contains("only the main file says which arguments are `harmless`"), "{error}");
}
