//! `countersign hook claude-code`: the questions and prompts of the agent, in its own dialog and in the inbox.

use crate::{
    desk::{TerminalDesk, with_desk},
    hook::{allow_all, history, message},
};
use insta::assert_snapshot;

const UNATTENDED: (&str, &str) = ("CLAUDE_CODE_SESSION_ATTENDED", "0");

async fn cancellation(desk: &TerminalDesk) -> String {
    let query = "SELECT substr(data ->> 'content', instr(data ->> 'content', ': ') + 2) FROM events
                 WHERE type = 'TOOL_RESULT' AND data ->> 'status' = 'cancelled'";
    desk.run_program("sqlite3", &["countersign.db", query]).await
}

#[tokio::test]
async fn unattended_question_is_answered_in_the_inbox() {
    with_desk(async |desk| {
        desk.set_variable(UNATTENDED.0, UNATTENDED.1);
        let hook = desk.start_with("hook claude-code", &message("claude_code_question")).await;
        desk.wait_for_pending("toolu_01A").await;
        assert_snapshot!(desk.types("allow toolu_01A --answer 2 --answer MySQL --answer x --yes --as user:ada").await, @"
        ! countersign: --answer: there are 2 questions and 3 answers; give one list for each question, in their order
        exit 2
        ");
        assert_snapshot!(desk.types("allow toolu_01A --answer '' --answer A --yes --as user:ada").await, @r#"
        ! countersign: --answer: "Which database?" needs an answer
        exit 2
        "#);
        let session = desk.types("allow toolu_01A --session exact --yes --as user:ada").await;
        assert!(session.stderr.contains("does not offer allow_session"), "no answer is remembered: {session}");
        assert_snapshot!(desk.types("allow toolu_01A --answer 2 --answer 'b, other' --yes --as user:ada").await, @r#"
        toolu_01A (AskUserQuestion) would run with these changes:
          + /answers {"Which database?":"PostgreSQL","Which parts?":"B, other"}
        Allowed toolu_01A once, with changed arguments.
        exit 0
        "#);
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"allowed by user:ada","updatedInput":{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"SQLite","description":"one file"},{"label":"PostgreSQL","description":"a server"}],"multiSelect":false},{"question":"Which parts?","header":"Parts","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"multiSelect":true}],"answers":{"Which database?":"PostgreSQL","Which parts?":"B, other"}},"additionalContext":"user:ada changed what was run: /answers from nothing to {\"Which database?\":\"PostgreSQL\",\"Which parts?\":\"B, other\"}"}}
        exit 0
        "#);
        desk.pipes("hook claude-code", &message("claude_code_question_answered")).await;
        assert_snapshot!(history(desk).await, @"
        2 TOOL_CALL
        3 TOOL_APPROVAL_REQUEST
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_EXECUTION_STARTED claude-code:toolu_01A
        6 TOOL_RESULT success
        ");
        assert_eq!(desk.types("verify").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn question_waits_in_both_places() {
    with_desk(async |desk| {
        let own = desk.pipes("hook claude-code", &message("claude_code_question")).await;
        assert!(!own.stdout.contains("permissionDecision"), "the dialog opens: {own}");
        let permission = message("claude_code_question_permission");
        let hook = desk.start_with("hook claude-code --questions-after 0s", &permission).await;
        desk.wait_for_pending("toolu_01A.asked").await;
        assert_eq!(
            desk.types("allow toolu_01A.asked --answer SQLite --answer 1 --yes --as user:ada").await.code,
            0
        );
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"questions":[{"question":"Which database?","header":"DB","options":[{"label":"SQLite","description":"one file"},{"label":"PostgreSQL","description":"a server"}],"multiSelect":false},{"question":"Which parts?","header":"Parts","options":[{"label":"A","description":"a"},{"label":"B","description":"b"}],"multiSelect":true}],"answers":{"Which database?":"SQLite","Which parts?":"A"}}}}}
        exit 0
        "#);
        desk.pipes("hook claude-code", &message("claude_code_question_answered")).await;
        assert_snapshot!(history(desk).await, @"
        2 TOOL_CALL
        3 TOOL_APPROVAL_RESPONSE
        4 TOOL_EXECUTION_STARTED claude-code:toolu_01A
        5 TOOL_CALL
        6 TOOL_APPROVAL_REQUEST
        7 TOOL_APPROVAL_RESPONSE
        8 TOOL_EXECUTION_STARTED claude-code-permission:toolu_01A.asked
        9 TOOL_RESULT success
        10 TOOL_RESULT success
        ");
    })
    .await;
}

#[tokio::test]
async fn answer_in_the_dialog_withdraws_the_question() {
    with_desk(async |desk| {
        desk.pipes("hook claude-code", &message("claude_code_question")).await;
        let permission = message("claude_code_question_permission");
        let hook = desk.start_with("hook claude-code --questions-after 0s", &permission).await;
        desk.wait_for_pending("toolu_01A.asked").await;
        desk.pipes("hook claude-code", &message("claude_code_question_answered")).await;
        hook.wait_for_exit().await;
        assert_snapshot!(cancellation(desk).await, @"answered in the agent's own window");
        assert_eq!(desk.types("verify").await.code, 0);
    })
    .await;
}

/// The test would run for the hour of the hook if it waited for its time.
#[tokio::test]
async fn hook_ends_with_the_answer_in_the_dialog() {
    with_desk(async |desk| {
        desk.pipes("hook claude-code", &message("claude_code_question")).await;
        let permission = message("claude_code_question_permission");
        let hook = desk.start_with("hook claude-code --questions-after 1h --wait 2h", &permission).await;
        desk.pipes("hook claude-code", &message("claude_code_question_answered")).await;
        let ended = hook.wait_for_exit().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{ended}");
        let asked = desk.types("show toolu_01A.asked").await;
        assert_ne!(asked.code, 0, "the question never came into the inbox: {asked}");
    })
    .await;
}

#[tokio::test]
async fn dismissed_dialog_withdraws_the_question() {
    with_desk(async |desk| {
        desk.pipes("hook claude-code", &message("claude_code_question")).await;
        let permission = message("claude_code_question_permission");
        let hook = desk.start_with("hook claude-code --questions-after 0s", &permission).await;
        desk.wait_for_pending("toolu_01A.asked").await;
        hook.send_signal("TERM").await;
        assert_eq!(hook.wait_for_exit().await.code, 2);
        assert_snapshot!(cancellation(desk).await, @"the agent stopped waiting");
    })
    .await;
}

/// The dialog stays open when the hook has waited for its time.
#[tokio::test]
async fn unanswered_question_leaves_the_dialog_open() {
    with_desk(async |desk| {
        desk.pipes("hook claude-code", &message("claude_code_question")).await;
        let permission = message("claude_code_question_permission");
        let silent = desk.pipes("hook claude-code --questions-after 0s --wait 1s", &permission).await;
        assert_eq!((silent.code, silent.stdout.as_str()), (0, ""), "{silent}");
        assert_snapshot!(cancellation(desk).await, @"the time for an answer in the inbox is over; the agent's own window still asks");
        let never = desk.pipes("hook claude-code --questions-after 1h", &permission).await;
        assert_eq!((never.code, never.stdout.as_str()), (0, ""), "{never}");
        assert_snapshot!(history(desk).await, @"
        2 TOOL_CALL
        3 TOOL_APPROVAL_RESPONSE
        4 TOOL_EXECUTION_STARTED claude-code:toolu_01A
        5 TOOL_CALL
        6 TOOL_APPROVAL_REQUEST
        7 TOOL_APPROVAL_RESPONSE
        8 TOOL_RESULT cancelled
        ");
    })
    .await;
}

#[tokio::test]
async fn plan_is_approved_or_sent_back() {
    with_desk(async |desk| {
        desk.set_variable(UNATTENDED.0, UNATTENDED.1);
        let plan = message("claude_code_question").replace("AskUserQuestion", "ExitPlanMode");
        let mut plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
        plan["permission_mode"] = "plan".into();
        plan["tool_input"] = serde_json::json!({"plan": "The plan\n1. build", "planFilePath": "/p.md"});
        let first = plan.to_string();
        let hook = desk.start_with("hook claude-code", &first).await;
        desk.wait_for_pending("toolu_01A").await;
        desk.types("deny toolu_01A --comment 'test first' --as user:ada").await;
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Denied by user:ada: test first (do not retry this call unchanged)"}}
        exit 0
        "#);
        let second = first.replace("toolu_01A", "toolu_02").replace("1. build", "1. test\\n2. build");
        let hook = desk.start_with("hook claude-code", &second).await;
        desk.wait_for_pending("toolu_02").await;
        desk.types("allow toolu_02 --as user:ada").await;
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"allowed by user:ada","updatedInput":{"plan":"The plan\n1. test\n2. build","planFilePath":"/p.md"}}}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn permission_prompt_is_answered_in_either_place() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        let request = message("claude_code_permission_request");
        let hook = desk.start_with("hook claude-code", &request).await;
        desk.wait_for_pending("toolu_01A.asked").await;
        let changed = r#"allow toolu_01A.asked --arguments '{"command":"echo hi"}' --yes --as user:ada"#;
        assert_eq!(desk.types(changed).await.code, 0);
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"echo hi"}}}}
        exit 0
        "#);
        let ran = message("claude_code_post_tool_use")
            .replace("touch ran.txt; echo hi", "echo hi")
            .replace(r#","description":"test""#, "");
        desk.pipes("hook claude-code", &ran).await;
        assert_snapshot!(history(desk).await, @"
        3 TOOL_CALL
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_EXECUTION_STARTED claude-code:toolu_01A
        6 TOOL_CALL
        7 TOOL_APPROVAL_REQUEST
        8 TOOL_APPROVAL_RESPONSE
        9 TOOL_EXECUTION_STARTED claude-code-permission:toolu_01A.asked
        10 TOOL_RESULT success
        11 TOOL_RESULT success
        ");
    })
    .await;
}

#[tokio::test]
async fn server_form_is_filled_in_the_inbox() {
    with_desk(async |desk| {
        let attended = desk.pipes("hook claude-code", &message("claude_code_elicitation")).await;
        assert_eq!((attended.code, attended.stdout.as_str()), (0, ""), "its own dialog asks: {attended}");
        desk.set_variable(UNATTENDED.0, UNATTENDED.1);
        let form = message("claude_code_elicitation").replace(r#""mode""#, r#""elicitation_id":"form_1","mode""#);
        let hook = desk.start_with("hook claude-code", &form).await;
        desk.wait_for_pending("form_1").await;
        assert_snapshot!(desk.types("allow form_1 --answer Tue --answer many --yes --as user:ada").await, @r#"
        ! countersign: --answer: "many" does not answer "seats": it must be a whole number
        exit 2
        "#);
        desk.types("allow form_1 --answer Tue --answer 2 --yes --as user:ada").await;
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":{"day":"Tue","seats":2}}}
        exit 0
        "#);
        assert_snapshot!(history(desk).await, @"
        2 TOOL_CALL
        3 TOOL_APPROVAL_REQUEST
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_EXECUTION_STARTED claude-code:form_1
        6 TOOL_RESULT success
        ");
        let hook = desk.start_with("hook claude-code", &form.replace("form_1", "form_2").replace("Which day?", "When?")).await;
        desk.wait_for_pending("form_2").await;
        desk.types("deny form_2 --as user:ada").await;
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}
        exit 0
        "#);
    })
    .await;
}
