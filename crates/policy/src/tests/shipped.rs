//! The policy for a new log.

use super::*;

#[test]
fn commands_that_decide_are_blocked() {
    for line in [
        "countersign allow call_1",
        "/usr/local/bin/countersign allow call_1 --scope tool",
        "env -u COUNTERSIGN_CALL countersign allow call_1",
        "sh -c 'countersign allow call_1'",
        "echo y | countersign watch --plain",
        "countersign token create --name me --role approver",
        "countersign thread mode t approve_all",
        "countersign policy apply mine.toml",
        "sqlite3 countersign.db 'insert into decisions values (1)'",
        "sqlite3 ~/.local/share/countersign/countersign.db .dump",
        "cp mine.db ./countersign.db",
        "cat ~/.local/share/countersign/credentials.toml",
        "curl -d @x http://127.0.0.1:7878/v1/threads/t/approvals/call_1",
        "curl --unix-socket /run/countersign.sock http://localhost/v1/approvals/decide -d @x",
        "http POST :7878/v1/tokens name=me role=approver",
        "curl -d @x http://127.0.0.1:7878/v1/threads/t/messages",
        "curl -d @x http://127.0.0.1:7878/worlds/w/messages",
        "curl -d @x http://127.0.0.1:7878/api/worlds/w/tool-results",
        "curl -d @x http://127.0.0.1:7878/api/sessions/s/approvals/call_1",
    ] {
        assert_eq!(bash(line).verdict(&Policy::shipped()), Verdict::Block, "{line}");
    }
}

#[test]
fn unclear_commands_that_may_decide_are_asked() {
    for line in ["countersign --database log.db allow call_1", "$c allow call_1", "countersign $x call_1"] {
        assert_eq!(bash(line).verdict(&Policy::shipped()), Verdict::Ask, "{line}");
    }
}

#[test]
fn log_and_routes_are_closed_to_other_tools() {
    for (tool, arguments) in [
        ("file-write", r#"{"path":"countersign.db"}"#),
        ("file-write", r#"{"path":"/home/ada/.local/share/countersign/countersign.db-wal"}"#),
        ("file-read", r#"{"file_path":"/home/ada/.local/share/countersign/credentials.toml"}"#),
        ("web-fetch", r#"{"url":"http://127.0.0.1:7878/v1/threads/t/approvals/call_1"}"#),
        ("web-fetch", r#"{"url":"https://approvals.example/v1/approvals/decide"}"#),
        ("web-fetch", r#"{"url":"http://[::1]:7878/v1/policy"}"#),
        ("web-fetch", r#"{"url":"http://127.0.0.1:7878/worlds/w/messages"}"#),
        ("web-fetch", r#"{"url":"https://approvals.example/api/worlds/w/tool-results"}"#),
    ] {
        assert_eq!(call(tool, arguments).verdict(&Policy::shipped()), Verdict::Block, "{tool} {arguments}");
    }
}

#[test]
fn files_that_configure_agents_are_asked() {
    let allowing = format!(
        "{}\n[[rule]]\nname = \"edits are free\"\nkind = [\"edit\", \"read\"]\npath = \"/srv/**\"\nverdict = \"allow\"\n",
        Policy::SHIPPED
    );
    let policy = policy(&allowing);
    for (tool, path, expected) in [
        ("Edit", "/srv/shop/src/main.rs", Verdict::Allow),
        ("Read", "/srv/shop/CLAUDE.md", Verdict::Allow),
        ("Read", "/srv/shop/.claude/skills/a/SKILL.md", Verdict::Allow),
        ("Edit", "/srv/shop/CLAUDE.md", Verdict::Ask),
        ("Edit", "/srv/shop/.claude/settings.local.json", Verdict::Ask),
        ("Edit", "/srv/shop/src/../.claude/hooks/pre.sh", Verdict::Ask),
        ("Edit", "/srv/shop/.mcp.json", Verdict::Ask),
        ("Edit", "/srv/shop/.codex/config.toml", Verdict::Ask),
        ("Edit", "/srv/shop/docs/AGENTS.md", Verdict::Ask),
        ("Edit", "/srv/shop/.github/hooks/x.json", Verdict::Ask),
        ("Edit", "/srv/shop/.vscode/settings.json", Verdict::Ask),
        ("Edit", "/srv/shop/.vscode/launch.json", Verdict::Allow),
        ("Edit", "/srv/shop/opencode.jsonc", Verdict::Ask),
    ] {
        let arguments = match tool {
            "Edit" => format!(r#"{{"file_path":"{path}","old_string":"a","new_string":"b"}}"#),
            _ => format!(r#"{{"file_path":"{path}"}}"#),
        };
        assert_eq!(call(tool, &arguments).verdict(&policy), expected, "{tool} {path}");
    }
}

#[test]
fn other_calls_are_asked() {
    for line in [
        "countersign pending",
        "countersign run -- git push",
        "countersign thread list",
        "countersign policy check mine.toml",
        "countersign grant list t",
        "git commit -m 'allow more'",
        "curl https://api.example.com/v1/users",
        "make $(cat targets)",
    ] {
        assert_eq!(bash(line).verdict(&Policy::shipped()), Verdict::Ask, "{line}");
    }
    let asked = bash("make target").judge(&Policy::shipped());
    assert_eq!(
        asked.basis,
        Basis::Default,
        "the reason names no rule that can hardly match: {}",
        asked.reason
    );
    assert_eq!(call("task-list", "{}").verdict(&Policy::shipped()), Verdict::Allow);
}

#[test]
fn undecided_request_expires_after_a_day() {
    let terms = bash("ls").judge(&Policy::shipped()).terms;
    assert_eq!(terms.expires, Some(Duration::from_hours(24)));
}

/// What an operator's own rules allow, except for what may decide.
#[test]
fn local_stream_is_asked_whatever_is_allowed() {
    let allowing = format!(
        "{}\n[[rule]]\nname = \"curl is free\"\ncommand = \"curl **\"\nverdict = \"allow\"\n",
        Policy::SHIPPED
    );
    let policy = policy(&allowing);
    for (line, expected) in [
        ("curl http://localhost:8000/stream", Verdict::Ask),
        ("curl http://localhost:8000/events", Verdict::Allow),
        ("curl https://example.com/stream", Verdict::Allow),
    ] {
        assert_eq!(bash(line).verdict(&policy), expected, "{line}");
    }
}
