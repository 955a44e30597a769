//! What `countersign hook` leaves to the agent's own rules, and what the agent reports: what ran, and what did not.

use crate::{
    desk::{TerminalDesk, with_desk},
    hook::{allow_all, decide, history, message, message_with_id},
};

/// The message with another value for a member, which may be missing before.
fn with_member(name: &str, member: &str, value: &str) -> String {
    let mut json: serde_json::Value = serde_json::from_str(&message(name)).expect("JSON");
    json[member] = serde_json::from_str(value).expect("JSON");
    json.to_string()
}

#[tokio::test]
async fn rule_leaves_agents_own_rules_in_force() {
    with_desk(async |desk| {
        allow_all(desk).await;
        for (line, message) in [
            ("hook codex", message("codex_pre_tool_use")),
            ("hook gemini-cli", message("gemini_cli_before_tool")),
            ("hook cursor", message("cursor_pre_tool_use")),
            ("hook claude-code", message("claude_code_permission_request")),
        ] {
            let answer = desk.pipes(line, &message).await;
            assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{line}: silence is no decision");
        }
    })
    .await;
}

#[tokio::test]
async fn plan_mode_gets_no_decision() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let planning = with_member("claude_code_pre_tool_use", "permission_mode", "\"plan\"");
        let answer = desk.pipes("hook claude-code --decide allow", &planning).await;
        assert!(!answer.stdout.contains("permissionDecision"), "{answer}");
        let asked = with_member("claude_code_permission_request", "permission_mode", "\"plan\"");
        let answer = desk.pipes("hook claude-code --decide allow", &asked).await;
        assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer}");
    })
    .await;
}

/// The agent's own rules that ask stay active, whichever settings file has them, and so does what only the agent refuses.
#[tokio::test]
async fn rules_allow_unless_the_agent_asks() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let mut count = 0;
        let mut answers = async |desk: &TerminalDesk, mode: &str| {
            count += 1;
            let message = with_member("claude_code_pre_tool_use", "permission_mode", mode);
            let message = message.replace("toolu_01A", &format!("toolu_{count}"));
            let answer = desk.pipes("hook claude-code --decide unless-asked", &message).await;
            answer.stdout.contains(r#""permissionDecision":"allow""#)
        };
        assert!(answers(desk, "\"default\"").await, "nothing of the agent asks");
        assert!(!answers(desk, "\"dontAsk\"").await, "the agent refuses what its rules do not allow");
        for (file, text, is_allowed) in [
            (".claude/settings.json", r#"{"permissions":{"deny":["Bash(rm:*)"],"ask":[]}}"#, true),
            (".claude/settings.json", r#"{"permissions":{"ask":["Bash(git push:*)"]}}"#, false),
            (".claude/settings.json", "{}", true),
            (".claude/settings.local.json", r#"{"permissions":{"ask":["Edit"]}}"#, false),
            (".claude/settings.local.json", r#"{"permissions":{"ask":true}}"#, false),
            (".claude/settings.local.json", "{", false),
        ] {
            std::fs::create_dir_all(desk.path(".claude")).expect("a folder");
            desk.write_file(file, text);
            assert_eq!(answers(desk, "\"default\"").await, is_allowed, "{file}: {text}");
        }
    })
    .await;
}

#[tokio::test]
async fn observing_policy_answers_no_agent() {
    with_desk(async |desk| {
        assert_eq!(desk.types("policy use observe --yes --as user:ada").await.code, 0);
        let call = message("claude_code_pre_tool_use");
        let answer = desk.pipes("hook claude-code --decide unless-asked", &call).await;
        assert!(!answer.stdout.contains("permissionDecision"), "{answer}");
        assert_eq!(answer.code, 0, "{answer}");
    })
    .await;
}

#[tokio::test]
async fn other_arguments_that_ran_are_recorded() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        let rewritten =
            with_member("claude_code_post_tool_use", "tool_input", r#"{"command":"touch other.txt"}"#);
        let answer = desk.pipes("hook claude-code", &rewritten).await;
        assert_eq!((answer.code, answer.stdout.as_str()), (0, ""), "{answer}");
        assert!(history(desk).await.contains("TOOL_EXECUTION_MISMATCH"), "{}", history(desk).await);
        let shown = desk.types("show toolu_01A").await;
        assert!(shown.stdout.contains("MISMATCH") && shown.stdout.contains("touch other.txt"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn mismatch_stops_session_by_policy() {
    with_desk(async |desk| {
        desk.apply_policy(
            "onMismatch = \"stop\"\n[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"",
        )
        .await;
        desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        let rewritten =
            with_member("claude_code_post_tool_use", "tool_input", r#"{"command":"touch other.txt"}"#);
        let answer = desk.pipes("hook claude-code", &rewritten).await;
        assert!(
            answer.stdout.starts_with(r#"{"continue":false,"stopReason":"Countersign stopped"#),
            "{answer}"
        );
        let next =
            desk.pipes("hook claude-code", &message_with_id("claude_code_pre_tool_use", "toolu_02")).await;
        assert!(next.stdout.contains("deny") && next.stdout.contains("the thread is stopped"), "{next}");
    })
    .await;
}

#[tokio::test]
async fn call_that_ran_without_approval_is_recorded() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"block\"").await;
        desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        desk.pipes("hook claude-code", &message("claude_code_post_tool_use")).await;
        let shown = desk.types("show toolu_01A").await;
        assert!(shown.stdout.contains("it ran without an approval"), "{shown}");
    })
    .await;
}

#[tokio::test]
async fn refused_and_unreported_calls_end_as_not_run() {
    with_desk(async |desk| {
        allow_all(desk).await;
        for id in ["toolu_01A", "toolu_02"] {
            desk.pipes("hook claude-code", &message_with_id("claude_code_pre_tool_use", id)).await;
        }
        let denied = with_member("claude_code_pre_tool_use", "hook_event_name", "\"PermissionDenied\"");
        assert_eq!(desk.pipes("hook claude-code", &denied).await.code, 0);
        let refused = desk.types("show toolu_01A").await;
        assert!(refused.stdout.contains("not run: the agent's own rules refused it"), "{refused}");
        let ended = r#"{"hook_event_name":"SessionEnd","session_id":"caf707cf-4309-459e-b454-3f7cd7574464","reason":"other"}"#;
        assert_eq!(desk.pipes("hook claude-code", ended).await.code, 0);
        let ended = desk.types("show toolu_02").await;
        assert!(ended.stdout.contains("reported no result before its session ended"), "{ended}");
    })
    .await;
}

#[tokio::test]
async fn message_without_id_gets_one() {
    with_desk(async |desk| {
        allow_all(desk).await;
        // Copilot CLI runs the hooks of Claude Code without `tool_use_id`.
        let without_id = |name: &str| message(name).replace("tool_use_id", "no_id");
        let answer =
            desk.pipes("hook claude-code --decide allow", &without_id("claude_code_pre_tool_use")).await;
        assert!(answer.stdout.contains("allow"), "{answer}");
        desk.pipes("hook claude-code", &without_id("claude_code_post_tool_use")).await;
        assert!(history(desk).await.ends_with("TOOL_RESULT success\n"), "{}", history(desk).await);
    })
    .await;
}

#[tokio::test]
async fn edit_is_advice_for_agent_that_ignores_edits() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"ask\"").await;
        desk.set_variable("QWEN_CODE", "1");
        desk.pipes("hook claude-code --wait 1s", &message("claude_code_pre_tool_use")).await;
        decide(desk, "toolu_01A", Some(r#"{"command":"ls"}"#)).await;
        let answer =
            desk.pipes("hook claude-code", &message_with_id("claude_code_pre_tool_use", "toolu_02")).await;
        assert!(
            answer.stdout.contains("deny") && answer.stdout.contains("cannot run changed arguments"),
            "{answer}"
        );
    })
    .await;
}
