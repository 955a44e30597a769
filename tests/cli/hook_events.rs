//! `countersign hook` for the events of Claude Code that are about no tool call of the model.

use crate::{
    desk::with_desk,
    hook::{allow_all, history, message},
};
use insta::assert_snapshot;

#[tokio::test]
async fn command_of_a_skill_is_judged() {
    with_desk(async |desk| {
        let skill = message("claude_code_pre_skill_shell_command");
        desk.apply_policy("default = \"block\"").await;
        assert_snapshot!(desk.pipes("hook claude-code", &skill).await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreSkillShellCommand","permissionDecision":"deny","permissionDecisionReason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}}
        exit 0
        "#);
        allow_all(desk).await;
        let next = skill.replace("preamble-0", "preamble-1");
        // Claude Code keeps the command from running if the answer has arguments.
        assert_snapshot!(desk.pipes("hook claude-code --decide allow", &next).await, @"exit 0");
        let ended = r#"{"hook_event_name":"SessionEnd","session_id":"caf707cf-4309-459e-b454-3f7cd7574464"}"#;
        desk.pipes("hook claude-code", ended).await;
        assert_snapshot!(history(desk).await, @"
        3 TOOL_CALL
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_RESULT denied
        7 TOOL_CALL
        8 TOOL_APPROVAL_RESPONSE
        9 TOOL_EXECUTION_STARTED claude-code-skill:toolu_01A:preamble-1
        ");
    })
    .await;
}

#[tokio::test]
async fn removal_of_the_hook_is_refused() {
    with_desk(async |desk| {
        desk.set_variable("HOME", &desk.path(".").display().to_string());
        let settings = ".claude/settings.json";
        desk.types("install claude-code --yes").await;
        let installed = std::fs::read_to_string(desk.path(settings)).expect("installed");
        let change = message("claude_code_config_change");
        assert_eq!(desk.pipes("hook claude-code", &change).await.code, 0, "the hook is still there");
        let turned_off = installed.replacen('{', "{\"disableAllHooks\": true,", 1);
        for (text, why) in [
            ("{}", "no settings file has the hook"),
            (turned_off.as_str(), "turns hooks off"),
            ("{", "cannot be read"),
        ] {
            desk.write_file(settings, text);
            let refused = desk.pipes("hook claude-code", &change).await;
            assert_eq!(refused.code, 2, "{refused}");
            assert!(refused.stderr.contains(why), "{refused}");
        }
        desk.write_file(settings, &installed);
        desk.write_file(".claude/settings.local.json", "{\"disableAllHooks\": true}");
        assert_eq!(desk.pipes("hook claude-code", &change).await.code, 2, "of any layer");
    })
    .await;
}
