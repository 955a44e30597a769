//! The proxies for agents: questions that the client shows to its user.

use crate::{
    agent_proxy::{
        Step::{Prints, Reads},
        calls, decide, got, write_agent,
    },
    desk::with_desk,
};
use countersign_api as api;
use countersign_events::Decision;
use insta::assert_snapshot;

const CODEX_QUESTION: &str = r#"{"id":8,"method":"item/tool/requestUserInput","params":{"threadId":"t1","turnId":"u1","itemId":"i3","isBlocking":true,"questions":[{"id":"db","header":"DB","question":"Which database?","isOther":false,"isSecret":false,"options":[{"label":"SQLite","description":"one file"},{"label":"MySQL","description":"a server"}]}]}}"#;
const CODEX_INITIALIZED: &str = r#"{"method":"initialized"}"#;

fn answers(parts: &[&str]) -> api::DecisionRequest {
    let answers = parts.iter().map(|part| vec![(*part).to_owned()]).collect();
    api::DecisionRequest { answers: Some(answers), ..api::DecisionRequest::plain(Decision::AllowOnce) }
}

#[tokio::test]
async fn codex_question_is_answered_in_the_inbox() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(CODEX_QUESTION), Reads, Reads]);
        let mut proxy = desk.start_open("codex-app-server --questions-after 0s -- sh agent.sh");
        decide(desk, "t1", "i3", answers(&["MySQL"])).await;
        // The agent has its answer, so the client's comes too late.
        while !got(desk).contains("MySQL") {
            tokio::task::yield_now().await;
        }
        proxy.send(r#"{"id":8,"result":{"answers":{"db":{"answers":["SQLite"]}}}}"#).await;
        proxy.send(CODEX_INITIALIZED).await;
        let ended = proxy.wait_for_exit().await;
        assert_eq!(ended.stdout, format!("{CODEX_QUESTION}\n"), "the client shows it, too");
        assert!(ended.stderr.contains("people have answered before"), "{ended}");
        assert_snapshot!(got(desk), @r#"
        {"id":8,"result":{"answers":{"db":{"answers":["MySQL"]}}}}
        {"method":"initialized"}
        "#);
        assert_snapshot!(calls(desk).await, @r#"
        2 TOOL_CALL request_user_input {"questions":[{"header":"DB","id":"db","isOther":false,"isSecret":false,"options":[{"description":"one file","label":"SQLite"},{"description":"a server","label":"MySQL"}],"question":"Which database?"}]} the agent's client asks its user, too; the first answer counts
        6 TOOL_RESULT success
        "#);
    })
    .await;
}

#[tokio::test]
async fn answer_of_the_client_withdraws_the_question() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(CODEX_QUESTION), Reads]);
        let mut proxy = desk.start_open("codex-app-server --questions-after 0s -- sh agent.sh");
        desk.wait_for_pending("i3").await;
        proxy.send(r#"{"id":8,"result":{"answers":{"db":{"answers":["SQLite"]}}}}"#).await;
        assert_eq!(proxy.wait_for_exit().await.code, 0);
        assert_snapshot!(got(desk), @r#"{"id":8,"result":{"answers":{"db":{"answers":["SQLite"]}}}}"#);
        assert_snapshot!(calls(desk).await, @r#"
        2 TOOL_CALL request_user_input {"questions":[{"header":"DB","id":"db","isOther":false,"isSecret":false,"options":[{"description":"one file","label":"SQLite"},{"description":"a server","label":"MySQL"}],"question":"Which database?"}]} the agent's client asks its user, too; the first answer counts
        5 TOOL_RESULT cancelled
        "#);
    })
    .await;
}

/// A secret never reaches the log, and an early answer needs no inbox.
#[tokio::test]
async fn question_that_the_client_answers_leaves_no_call() {
    with_desk(async |desk| {
        let secret =
            CODEX_QUESTION.replace(r#""isSecret":false"#, r#""isSecret":true"#).replace(":8,", ":9,");
        write_agent(desk, &[Prints(CODEX_QUESTION), Reads, Prints(&secret), Reads]);
        let mut proxy = desk.start_open("codex-app-server -- sh agent.sh");
        proxy.wait_for_stdout("Which database?").await;
        proxy.send(r#"{"id":8,"result":{"answers":{}}}"#).await;
        proxy.send(r#"{"id":9,"result":{"answers":{}}}"#).await;
        assert_eq!(proxy.wait_for_exit().await.stderr, "");
        assert_eq!(calls(desk).await, "");
    })
    .await;
}

const ACP_FORM: &str = r#"{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"sessionId":"s1","mode":"form","message":"Which day?","requestedSchema":{"type":"object","properties":{"day":{"type":"string","enum":["Mon","Tue"]}},"required":["day"]}}}"#;

#[tokio::test]
async fn acp_form_is_filled_in_the_inbox() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(ACP_FORM), Reads]);
        let proxy = desk.start_open("acp --questions-after 0s -- sh agent.sh");
        desk.wait_for_pending("form_").await;
        assert_eq!(desk.types("allow form_ --answer Tue --yes --as user:ada").await.code, 0);
        assert_eq!(proxy.wait_for_exit().await.stdout, format!("{ACP_FORM}\n"));
        assert_snapshot!(got(desk), @r#"{"jsonrpc":"2.0","id":9,"result":{"action":"accept","content":{"day":"Tue"}}}"#);
    })
    .await;
}
