//! Tools of coding agents, as rules select them by kind.

use super::*;

#[test]
fn kind_selects_tools_of_all_agents() {
    for (kind, tool, expected) in [
        ("shell", "Bash", YES),
        ("shell", "run_shell_command", YES),
        ("shell", "exec_command", YES),
        ("shell", "Read", NO),
        ("edit", "apply_patch", YES),
        ("edit", "write_file", YES),
        ("read", "read_file", YES),
        ("read", "Grep", YES),
        ("fetch", "WebFetch", YES),
        ("fetch", "unheard_of", NO),
    ] {
        assert_eq!(outcome(&format!("kind = \"{kind}\""), &call(tool, "{}")), expected, "{kind}: {tool}");
    }
    assert_eq!(outcome("kind = [\"read\", \"edit\"]", &call("Write", "{}")), YES);
}

#[test]
fn tool_of_a_server_never_widens() {
    // No allow, an ask, a block: the server may have given its tool an agent tool's name.
    assert_eq!(outcome("kind = \"shell\"", &call("mcp__x__Bash", "{}")), FAILED);
}

#[test]
fn unknown_kind_is_refused() {
    let why = Policy::read(&one("ask", "kind = \"shel\"")).expect_err("unknown").to_string();
    assert!(why.contains("unknown kind \"shel\"") && why.contains("shell"), "{why}");
}
