//! Who proposes the calls of a hook, and which agent their place names.

use crate::{
    desk::{TerminalDesk, with_desk, with_empty_desk},
    hook::{allow_all, decide, message, message_with_id},
};
use countersign_api::{self as api, CallGate};
use insta::assert_snapshot;

/// The principal of each call, and the agent in its place.
async fn proposers(desk: &TerminalDesk) -> String {
    let query = "SELECT principal || ' ' || (data -> 'place' ->> 'agent') FROM events WHERE type = 'TOOL_CALL' ORDER BY seq";
    desk.run_program("sqlite3", &["countersign.db", query]).await
}

/// The message before a tool, from a sub-agent.
fn message_of_sub_agent(id: &str) -> String {
    message_with_id("claude_code_pre_tool_use", id).replacen(
        '{',
        r#"{"agent_id":"a1","agent_type":"explore","#,
        1,
    )
}

#[tokio::test]
async fn hook_proposes_as_its_agent() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        desk.pipes("hook claude-code", &message_of_sub_agent("toolu_02")).await;
        desk.pipes("hook codex --as agent:bot", &message("codex_pre_tool_use")).await;
        assert_snapshot!(proposers(desk).await, @"
        agent:claude-code claude-code
        agent:claude-code claude-code/explore
        agent:bot codex
        ");
        let shown = desk.types("show toolu_02").await;
        assert!(shown.stdout.contains("claude-code/explore"), "{shown}");
        let shown = desk.types("show toolu_01A").await;
        assert!(!shown.stdout.contains("agent: "), "the proposer is shown once: {shown}");
    })
    .await;
}

#[tokio::test]
async fn server_token_decides_who_proposes() {
    countersign_tests::over_http("default = \"allow\"", async |world| {
        with_empty_desk(async |desk| {
            let line = format!("--server http://{} hook claude-code", world.service.address);
            let answer = desk.pipes(&line, &message_of_sub_agent("toolu_01A")).await;
            assert_eq!(answer.code, 0, "{answer}");
        })
        .await;
        let (all, page) = (api::LogFilter::default(), api::PageQuery { after: 0, limit: 1 });
        let mut listed = world.service.gate.calls(&all, None, page).await.expect("listed");
        let call = listed.calls.remove(0);
        let place = call.place.expect("a place");
        assert_eq!(call.proposal.principal.as_str(), "agent:local (solo)");
        assert_eq!(place.agent.as_deref(), Some("claude-code/explore"));
    })
    .await;
}

#[tokio::test]
async fn approval_of_another_principal_is_not_used() {
    with_desk(async |desk| {
        let old =
            desk.start_with("hook claude-code --as agent:ada", &message("claude_code_pre_tool_use")).await;
        desk.wait_for_pending("toolu_01A").await;
        decide(desk, "toolu_01A", None).await;
        old.wait_for_exit().await;
        let again = message_with_id("claude_code_pre_tool_use", "toolu_02");
        let asked = desk.pipes("hook claude-code --wait 1s", &again).await;
        assert!(asked.stdout.contains("No decision yet"), "{asked}");
    })
    .await;
}
