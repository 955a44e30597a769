//! Commands that are lists, and programs whose arguments are in another value.

use super::*;

const LS: &str = "tool = \"x\"\ncommand = \"ls **\"";
const RM: &str = "tool = \"x\"\ncommand = \"rm -rf **\"";

#[test]
fn list_is_read_as_argv_and_as_script() {
    for (selectors, arguments, wanted) in [
        (LS, r#"{"command":["ls","-la","src"]}"#, YES),
        (LS, r#"{"command":["ls","; rm -rf /"]}"#, "bqb"),
        (LS, r#"{"command":["ls","$(rm -rf /)"]}"#, "bqb"),
        (LS, r#"{"command":["ls","a b"]}"#, YES),
        (LS, r#"{"command":["ls","> f"]}"#, "bqb"),
        (RM, r#"{"command":["rm","-rf","/"]}"#, YES),
        (RM, r#"{"command":["ls","; rm -rf /"]}"#, UNCLEAR),
        (RM, r#"{"command":["bash","-c","rm -rf /"]}"#, "bqb"),
        (RM, r#"{"command":["ls","a b"]}"#, NO),
    ] {
        assert_eq!(outcome(selectors, &call("x", arguments)), wanted, "{selectors} {arguments}");
    }
}

#[test]
fn list_is_argv_where_tools_say_so() {
    let selectors = |rest: &str| format!("{rest}\n[tools.x]\nargv = true\n");
    for (rest, arguments, wanted) in [
        (LS, r#"{"command":["ls","; rm -rf /"]}"#, YES),
        (RM, r#"{"command":["ls","; rm -rf /"]}"#, NO),
        // The shell is a wrapper of its script.
        (RM, r#"{"command":["bash","-c","rm -rf /"]}"#, YES),
        (LS, r#"{"command":"ls; rm -rf /"}"#, "bqb"),
        (LS, r#"{"command":"ls","args":["; rm -rf /"]}"#, YES),
    ] {
        assert_eq!(outcome(&selectors(rest), &call("x", arguments)), wanted, "{rest} {arguments}");
    }
}

#[test]
fn contradicting_tool_entries_do_not_make_argv() {
    let rest = format!("{LS}\n[tools.x]\nargv = true\n[tools.\"*\"]\nargv = false\n");
    assert_eq!(outcome(&rest, &call("x", r#"{"command":["ls","; rm -rf /"]}"#)), "bqb");
}

#[test]
fn program_and_arguments_are_one_command() {
    for (selectors, arguments, wanted) in [
        (RM, r#"{"command":"bash","args":["-c","rm -rf /"]}"#, "bqb"),
        (RM, r#"{"command":"rm","args":["-rf","/"]}"#, YES),
        (RM, r#"{"cmd":"rm","arguments":["-rf","/"]}"#, YES),
        (RM, r#"{"program":"rm","argv":["-rf","/"]}"#, YES),
        (RM, r#"{"executable":"rm","args":["-rf","/"]}"#, YES),
        (RM, r#"{"command":"rm","args":"-rf /"}"#, "bqb"),
        (RM, r#"{"command":["rm"],"args":["-rf","/"]}"#, YES),
        (RM, r#"{"command":"ls","args":["; rm -rf /"]}"#, UNCLEAR),
        (RM, r#"{"command":"ls","args":["-la"]}"#, NO),
        (LS, r#"{"command":"ls","args":["-la"]}"#, YES),
        (LS, r#"{"command":"ls","args":[]}"#, YES),
        (LS, r#"{"command":"ls -la","args":[]}"#, YES),
        (LS, r#"{"command":"ls","args":null}"#, YES),
        (LS, r#"{"command":"ls","args":{}}"#, YES),
        (LS, r#"{"command":"ls","args":["; rm -rf /"]}"#, "bqb"),
        (LS, r#"{"command":"ls","args":["&&","rm"]}"#, "bqb"),
        (LS, r#"{"command":"ls","args":{"0":"x"}}"#, UNCLEAR),
        (LS, r#"{"command":"ls","args":["a"],"argv":["b"]}"#, UNCLEAR),
        (LS, r#"{"command":"ls","args":[7]}"#, FAILED),
        ("tool = \"x\"\ncommand = \"bash\"", r#"{"command":"bash","args":["-c","rm -rf /"]}"#, NO),
    ] {
        assert_eq!(outcome(selectors, &call("x", arguments)), wanted, "{selectors} {arguments}");
    }
}

#[test]
fn masked_argument_of_a_program_is_unclear() {
    let masked = call("x", r#"{"command":"ls","args":["[redacted]"]}"#).masked("/args/0");
    assert_eq!(outcome(LS, &masked), "bqb", "the visible part counts");
    assert_eq!(outcome(RM, &masked), UNCLEAR);
}

#[test]
fn mapped_arguments_are_commands_of_their_own() {
    let policy = policy(&format!(
        "default = \"allow\"\n{}[tools.x]\ncommand = [\"/command\", \"/args/*\"]\n",
        one("block", "command = \"rm *\"")
    ));
    assert_eq!(call("x", r#"{"command":"ls","args":["rm x"]}"#).verdict(&policy), Verdict::Block);
    assert_eq!(call("x", r#"{"command":"ls","args":["pwd"]}"#).verdict(&policy), Verdict::Allow);
}

#[test]
fn other_shells_are_not_read_as_posix() {
    let command = |tool: &str, arguments: &str| call(tool, arguments);
    for tool in ["PowerShell", "mcp__win__powershell", "run_pwsh", "fish", "cmd", "win__cmd.exe", "nushell"] {
        let allow = format!("tool = \"{tool}\"\ncommand = \"Get-ChildItem **\"");
        let hidden = command(tool, r#"{"command":"Get-ChildItem C:\\; Remove-Item x"}"#);
        assert_eq!(hidden.verdict(&rule("allow", &allow)), Verdict::Ask, "{tool}");
        let plain = command(tool, r#"{"command":"Get-ChildItem"}"#);
        assert_eq!(plain.verdict(&rule("allow", &allow)), Verdict::Ask, "{tool}");
        let block = format!("tool = \"{tool}\"\ncommand = \"rm *\"");
        assert_eq!(
            plain.verdict(&policy(&format!("default = \"allow\"\n{}", one("block", &block)))),
            Verdict::Ask,
            "{tool}"
        );
    }
    for tool in ["run_terminal_cmd", "Bash", "selfish", "zsh"] {
        let allow = format!("tool = \"{tool}\"\ncommand = \"ls **\"");
        let plain = command(tool, r#"{"command":"ls -la"}"#);
        assert_eq!(plain.verdict(&rule("allow", &allow)), Verdict::Allow, "{tool}");
    }
    let asked = command("x", r#"{"command":"ls","shell":"pwsh"}"#);
    assert_eq!(asked.verdict(&policy(&format!("default = \"allow\"\n{}", one("block", RM)))), Verdict::Ask);
}
