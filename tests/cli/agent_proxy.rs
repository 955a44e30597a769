//! `countersign acp` and `countersign codex-app-server` between a scripted client and a scripted agent.

use crate::desk::{TerminalDesk, with_desk};
use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_events::{Decision, Principal};
use insta::assert_snapshot;

/// An agent that prints these lines, waits for one line of the client after each of `waits`, and keeps all it reads in `got`.
pub(crate) fn write_agent(desk: &TerminalDesk, steps: &[Step<'_>]) {
    let mut script = "#!/bin/sh\n".to_owned();
    for step in steps {
        match step {
            Step::Prints(line) => script.extend(["printf '%s\\n' '", line, "'\n"]),
            Step::Reads => script.push_str("read -r line; printf '%s\\n' \"$line\" >> got\n"),
        }
    }
    desk.write_file("agent.sh", &script);
    desk.write_file("got", "");
}

pub(crate) enum Step<'a> {
    Prints(&'a str),
    Reads,
}
use Step::{Prints, Reads};

pub(crate) fn got(desk: &TerminalDesk) -> String {
    std::fs::read_to_string(desk.path("got")).expect("the agent ran")
}

pub(crate) async fn decide(desk: &TerminalDesk, thread: &str, id: &str, request: api::DecisionRequest) {
    desk.wait_for_pending(id).await;
    let gate = desk.gate().await.acting_as(Principal::user("ada"));
    let (thread, id) = (api::parse_thread_id(thread).expect("valid"), api::parse_call_id(id).expect("valid"));
    gate.decide(&thread, &id, &request).await.expect("decided");
    gate.shut_down().await;
}

/// The states of all calls, with their tools and arguments.
pub(crate) async fn calls(desk: &TerminalDesk) -> String {
    let query = "SELECT seq || ' ' || type || coalesce(' ' || (data ->> 'name'), '') || coalesce(' ' || (data -> 'arguments'), '')
                 || coalesce(' ' || (data ->> 'status'), '') || coalesce(' ' || (data ->> 'description'), '')
                 FROM events WHERE type IN ('TOOL_CALL', 'TOOL_RESULT') ORDER BY seq";
    desk.run_program("sqlite3", &["countersign.db", query]).await
}

const ACP_CALL: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run make","kind":"execute","status":"pending","rawInput":{"command":"make"}}}}"#;
const ACP_ASK: &str = r#"{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"always","name":"Always","kind":"allow_always"},{"optionId":"once","name":"Once","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}}"#;
const ACP_DONE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","rawOutput":{"exitCode":0}}}}"#;

#[tokio::test]
async fn acp_permission_is_answered_by_a_person() {
    with_desk(async |desk| {
        write_agent(desk, &[Reads, Prints(ACP_CALL), Prints(ACP_ASK), Reads, Prints(ACP_DONE)]);
        let mut proxy = desk.start_open("acp -- sh agent.sh");
        proxy.send("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",  \"params\":{}}").await;
        decide(desk, "s1", "c1", api::DecisionRequest::for_session(api::Json::string("tool"))).await;
        let ended = proxy.wait_for_exit().await;
        assert_eq!(
            ended.stdout,
            format!("{ACP_CALL}\n{ACP_DONE}\n"),
            "all but the question passes unchanged"
        );
        assert_snapshot!(got(desk), @r#"
        {"jsonrpc":"2.0","id":0,"method":"initialize",  "params":{}}
        {"jsonrpc":"2.0","id":7,"result":{"outcome":{"optionId":"once","outcome":"selected"}}}
        "#);
        assert_snapshot!(calls(desk).await, @r#"
        2 TOOL_CALL acp:execute {"command":"make"} Run make
        6 TOOL_RESULT success
        "#);
    })
    .await;
}

#[tokio::test]
async fn acp_refusal_selects_the_rejecting_option() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(ACP_ASK), Reads]);
        let proxy = desk.start_open("acp -- sh agent.sh");
        decide(desk, "s1", "c1", api::DecisionRequest::plain(Decision::Deny)).await;
        proxy.wait_for_exit().await;
        assert_snapshot!(got(desk), @r#"{"jsonrpc":"2.0","id":7,"result":{"outcome":{"optionId":"no","outcome":"selected"}}}"#);
        assert!(calls(desk).await.contains("arguments not supplied"), "the approver is told");
    })
    .await;
}

/// The form of obra/lace (August 2026): the question is flat, and names its input only in the update before it.
#[tokio::test]
async fn lace_question_is_answered_in_its_form() {
    const UPDATE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","streamSeq":3,"turnId":"u1","turnSeq":1,"type":"tool_use","toolCallId":"c1","name":"bash","kind":"execute","input":{"command":"make"},"status":"awaiting_permission"}}"#;
    const ASK: &str = r#"{"jsonrpc":"2.0","id":"a_1","method":"session/request_permission","params":{"sessionId":"s1","turnId":"u1","turnSeq":1,"requestedAt":"2026-08-18T10:00:00.000Z","toolCallId":"c1","tool":"bash","kind":"execute","resource":"make","options":[{"optionId":"allow","label":"Allow"},{"optionId":"deny","label":"Deny"}]}}"#;
    let done = UPDATE.replace("awaiting_permission", "completed");
    with_desk(async |desk| {
        let second = ASK.replace("\"c1\"", "\"c2\"").replace("a_1", "a_2");
        write_agent(desk, &[Prints(UPDATE), Prints(ASK), Reads, Prints(&done), Prints(&second), Reads]);
        let proxy = desk.start_open("acp -- sh agent.sh");
        decide(desk, "s1", "c1", api::DecisionRequest::plain(Decision::AllowOnce)).await;
        decide(desk, "s1", "c2", api::DecisionRequest::plain(Decision::Deny)).await;
        let ended = proxy.wait_for_exit().await;
        assert_eq!(ended.stdout, format!("{UPDATE}\n{done}\n"));
        assert_snapshot!(got(desk), @r#"
        {"jsonrpc":"2.0","id":"a_1","result":{"decision":"allow"}}
        {"jsonrpc":"2.0","id":"a_2","result":{"decision":"deny"}}
        "#);
        assert_snapshot!(calls(desk).await, @r#"
        2 TOOL_CALL acp:execute {"command":"make"} bash: make
        6 TOOL_RESULT success
        7 TOOL_CALL acp:execute {"argumentsNotSupplied":true,"content":null,"locations":null,"subject":null,"title":"bash: make"} bash: make; arguments not supplied: the agent did not say what it would run
        10 TOOL_RESULT denied
        "#);
    })
    .await;
}

#[tokio::test]
async fn acp_always_is_never_selected() {
    with_desk(async |desk| {
        desk.apply_policy("[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"").await;
        let only_always = ACP_ASK.replace("\"allow_once\"", "\"allow_always\"");
        write_agent(desk, &[Prints(&only_always), Reads]);
        desk.start_open("acp -- sh agent.sh").wait_for_exit().await;
        assert!(got(desk).contains(r#""optionId":"no""#), "{}", got(desk));
    })
    .await;
}

#[tokio::test]
async fn acp_cancel_ends_the_question() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(ACP_ASK), Reads, Reads]);
        let mut proxy = desk.start_open("acp -- sh agent.sh");
        desk.wait_for_pending("c1").await;
        // The client cannot answer the question itself.
        proxy
            .send(r#"{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"once"}}}"#)
            .await;
        proxy.send(r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}"#).await;
        let ended = proxy.wait_for_exit().await;
        assert!(ended.stderr.contains("was left out"), "{ended}");
        assert_snapshot!(got(desk), @r#"
        {"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"cancelled"}}}
        {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s1"}}
        "#);
        assert!(calls(desk).await.contains("TOOL_RESULT cancelled"));
    })
    .await;
}

const ACP_WRITE: &str = r#"{"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"sessionId":"s1","path":"/w/a.txt","content":"new"}}"#;
const ACP_TERMINAL: &str = r#"{"jsonrpc":"2.0","id":9,"method":"terminal/create","params":{"sessionId":"s1","command":"make","args":[]}}"#;

const MAKE_RULES: &str = r#"
[[rule]]
name = "release"
tool = "acp:execute"
command = "make release"
verdict = "block"

[[rule]]
name = "make"
tool = "acp:execute"
command = "make"
verdict = "allow"
"#;

/// Decides on the only call that the proxy named itself.
async fn decide_on_work(desk: &TerminalDesk, decision: Decision) {
    desk.wait_for_pending("acp_").await;
    let query = "SELECT tool_call_id FROM open_requests";
    let id = desk.run_program("sqlite3", &["countersign.db", query]).await;
    decide(desk, "s1", id.trim(), api::DecisionRequest::plain(decision)).await;
}

#[tokio::test]
async fn acp_work_of_the_client_is_asked() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(ACP_WRITE), Reads]);
        let mut proxy = desk.start_open("acp -- sh agent.sh");
        decide_on_work(desk, Decision::AllowOnce).await;
        // The client answers after it wrote the file.
        proxy.wait_for_stdout("fs/write_text_file").await;
        proxy.send(r#"{"jsonrpc":"2.0","id":8,"result":{}}"#).await;
        let ended = proxy.wait_for_exit().await;
        assert_eq!(ended.stdout, format!("{ACP_WRITE}\n"));
        assert_snapshot!(got(desk), @r#"{"jsonrpc":"2.0","id":8,"result":{}}"#);
        assert_snapshot!(calls(desk).await, @r#"
        2 TOOL_CALL acp:edit {"content":"new","path":"/w/a.txt"} the agent asks its client to do this
        6 TOOL_RESULT success
        "#);
    })
    .await;
}

#[tokio::test]
async fn acp_denied_work_does_not_reach_the_client() {
    with_desk(async |desk| {
        write_agent(desk, &[Prints(ACP_TERMINAL), Reads]);
        let proxy = desk.start_open("acp -- sh agent.sh");
        decide_on_work(desk, Decision::Deny).await;
        let ended = proxy.wait_for_exit().await;
        assert_eq!(ended.stdout, "");
        assert!(got(desk).contains(r#""id":9"#) && got(desk).contains("\"error\""), "{}", got(desk));
        assert_snapshot!(calls(desk).await, @r#"
        2 TOOL_CALL acp:execute {"command":"make"} the agent asks its client to do this
        5 TOOL_RESULT denied
        "#);
    })
    .await;
}

#[tokio::test]
async fn acp_work_of_an_approved_call_passes() {
    with_desk(async |desk| {
        desk.apply_policy(MAKE_RULES).await;
        let other = ACP_TERMINAL.replace("\"args\":[]", "\"args\":[\"release\"]");
        let without_id = ACP_TERMINAL.replace("\"id\":9,", "");
        let steps = [
            Prints(ACP_CALL),
            Prints(ACP_ASK),
            Reads,
            Prints(ACP_TERMINAL),
            Reads,
            Prints(&other),
            Reads,
            Prints(&without_id),
        ];
        write_agent(desk, &steps);
        let mut proxy = desk.start_open("acp -- sh agent.sh");
        proxy.wait_for_stdout("terminal/create").await;
        proxy.send(r#"{"jsonrpc":"2.0","id":9,"result":{"terminalId":"t"}}"#).await;
        let ended = proxy.wait_for_exit().await;
        assert_eq!(ended.stdout, format!("{ACP_CALL}\n{ACP_TERMINAL}\n"), "{ended}");
        assert_snapshot!(got(desk), @r#"
        {"jsonrpc":"2.0","id":7,"result":{"outcome":{"optionId":"once","outcome":"selected"}}}
        {"jsonrpc":"2.0","id":9,"result":{"terminalId":"t"}}
        {"error":{"code":-32000,"message":"Blocked by policy:release: the rule says so. This is a rule, which no approval lifts: do not retry it."},"id":9,"jsonrpc":"2.0"}
        "#);
        assert_snapshot!(calls(desk).await, @r#"
        3 TOOL_CALL acp:execute {"command":"make"} Run make
        6 TOOL_CALL acp:execute {"command":"make release"} the agent asks its client to do this
        8 TOOL_RESULT denied
        "#);
    })
    .await;
}

#[tokio::test]
async fn unusable_question_is_no_approval() {
    with_desk(async |desk| {
        desk.apply_policy("[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"").await;
        let nameless = ACP_ASK.replace("\"c1\"", "\"\"");
        let repeated = ACP_ASK.replace("\"id\":7,", "\"id\":7,\"method\":\"other\",");
        let without_id = ACP_ASK.replace("\"id\":7,", "");
        write_agent(desk, &[Prints(&nameless), Reads, Prints(&repeated), Prints(&without_id), Prints("[1]")]);
        let ended = desk.start_open("acp -- sh agent.sh").wait_for_exit().await;
        assert_eq!(ended.stdout, "", "nothing reaches the dialog of the client: {ended}");
        assert!(got(desk).contains("error"), "{}", got(desk));
    })
    .await;
}

const CODEX_ITEM: &str = r#"{"method":"item/started","params":{"threadId":"t1","turnId":"u1","item":{"type":"fileChange","id":"i1","changes":[{"path":"/a","kind":"add","diff":"+x"}],"status":"inProgress"}}}"#;
const CODEX_FILE: &str = r#"{"id":3,"method":"item/fileChange/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"i1","startedAtMs":1}}"#;
const CODEX_COMMAND: &str = r#"{"id":4,"method":"item/commandExecution/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"i2","command":"make","cwd":"/w","proposedExecpolicyAmendment":["make"],"availableDecisions":["acceptForSession","cancel"]}}"#;
const CODEX_PERMISSIONS: &str = r#"{"id":5,"method":"item/permissions/requestApproval","params":{"threadId":"t1","turnId":"u1","itemId":"i3","startedAtMs":1,"cwd":"/w","permissions":{"network":{"enabled":true}}}}"#;
const CODEX_OLD: &str = r#"{"id":6,"method":"execCommandApproval","params":{"conversationId":"t1","callId":"c","command":["ls"],"cwd":"/"}}"#;
const CODEX_DONE: &str = r#"{"method":"item/completed","params":{"threadId":"t1","turnId":"u1","item":{"type":"fileChange","id":"i1","status":"completed"}}}"#;

#[tokio::test]
async fn codex_approvals_are_for_one_call() {
    with_desk(async |desk| {
        desk.apply_policy("[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"").await;
        let steps = [
            Prints(CODEX_ITEM),
            Prints(CODEX_FILE),
            Reads,
            Prints(CODEX_COMMAND),
            Reads,
            Prints(CODEX_PERMISSIONS),
            Reads,
            Prints(CODEX_OLD),
            Reads,
            Prints(CODEX_DONE),
        ];
        write_agent(desk, &steps);
        let ended = desk.start_open("codex-app-server -- sh agent.sh").wait_for_exit().await;
        assert_eq!(ended.stdout, format!("{CODEX_ITEM}\n{CODEX_DONE}\n"));
        // The server offers no decision for this one command, so it is cancelled.
        assert_snapshot!(got(desk), @r#"
        {"id":3,"result":{"decision":"accept"}}
        {"id":4,"result":{"decision":"cancel"}}
        {"id":5,"result":{"permissions":{"network":{"enabled":true}},"scope":"turn"}}
        {"id":6,"result":{"decision":"denied"}}
        "#);
        assert_snapshot!(calls(desk).await, @r#"
        3 TOOL_CALL apply_patch {"changes":[{"diff":"+x","kind":"add","path":"/a"}]}
        6 TOOL_CALL Bash {"command":"make"}
        9 TOOL_CALL request_permissions {"permissions":{"network":{"enabled":true}}}
        12 TOOL_RESULT success
        "#);
    })
    .await;
}

const NPM_RULE: &str =
    "[[rule]]\nname = \"tests\"\ntool = \"Bash\"\ncommand = \"npm test **\"\nverdict = \"allow\"";

/// A question about a command, with these parameters besides its ids.
fn codex_question(params: &str) -> String {
    format!(
        r#"{{"id":4,"method":"item/commandExecution/requestApproval","params":{{"threadId":"t1","turnId":"u1","itemId":"i2","startedAtMs":1,"kind":"command",{params}}}}}"#
    )
}

#[tokio::test]
async fn codex_command_in_a_shell_wrapper_is_accepted() {
    with_desk(async |desk| {
        desk.apply_policy(NPM_RULE).await;
        let wrapped = codex_question(
            r#""command":"/bin/zsh -lc \u0027npm test\u0027","cwd":"/w","additionalPermissions":null,"commandActions":[{"type":"unknown","command":"npm test"}]"#,
        );
        write_agent(desk, &[Prints(&wrapped), Reads]);
        desk.start_open("codex-app-server -- sh agent.sh").wait_for_exit().await;
        assert_snapshot!(got(desk), @r#"{"id":4,"result":{"decision":"accept"}}"#);
    })
    .await;
}

#[tokio::test]
async fn codex_command_with_anything_beside_it_is_asked() {
    for beside in [
        r#""additionalPermissions":{"network":{"enabled":true},"fileSystem":{"write":["/"]}}"#,
        r#""networkApprovalContext":{"host":"evil.io","protocol":"https"}"#,
        r#""environmentId":"remote""#,
        r#""kind":"writeStdin""#,
        r#""aNewField":{"sandbox":false}"#,
    ] {
        with_desk(async |desk| {
            desk.apply_policy(NPM_RULE).await;
            let params = format!(r#""command":"npm test","cwd":"/w",{beside}"#);
            let question = codex_question(&params).replace(r#""kind":"command","command""#, r#""command""#);
            write_agent(desk, &[Prints(&question), Reads]);
            let proxy = desk.start_open("codex-app-server -- sh agent.sh");
            desk.wait_for_pending("i2").await;
            let name = beside.split('"').nth(1).expect("a name");
            let shown = desk.types("pending").await;
            assert!(shown.stdout.contains(name), "people see it: {shown}");
            assert!(shown.stdout.contains("folder: /w"), "{shown}");
            decide(desk, "t1", "i2", api::DecisionRequest::plain(Decision::Deny)).await;
            proxy.wait_for_exit().await;
            assert!(got(desk).contains("decline"), "{beside}");
        })
        .await;
    }
}

#[tokio::test]
async fn codex_parameters_that_programs_read_differently_are_refused() {
    with_desk(async |desk| {
        desk.apply_policy(NPM_RULE).await;
        for params in
            [r#""command":"npm test","Command":"rm -rf x""#, r#""command":"npm test","command":"rm""#]
        {
            write_agent(desk, &[Prints(&codex_question(params)), Reads]);
            desk.start_open("codex-app-server -- sh agent.sh").wait_for_exit().await;
            assert!(got(desk).contains("error"), "{params}: {}", got(desk));
        }
    })
    .await;
}

#[tokio::test]
async fn acp_call_belongs_to_session_folder() {
    with_desk(async |desk| {
        desk.apply_policy(
            "[[rule]]\nname = \"make\"\ntool = \"acp:execute\"\ncommand = \"make **\"\nverdict = \"allow\"",
        )
        .await;
        let opened = r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}"#;
        let call = ACP_CALL.replace(r#"{"command":"make"}"#, r#"{"command":"make","cwd":"/w"}"#);
        write_agent(desk, &[Reads, Prints(opened), Prints(&call), Prints(ACP_ASK), Reads]);
        let mut proxy = desk.start_open("acp -- sh agent.sh");
        proxy
            .send(r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}"#)
            .await;
        proxy.wait_for_exit().await;
        assert!(got(desk).contains(r#""optionId":"once""#), "{}", got(desk));
        let place = desk
            .run_program(
                "sqlite3",
                &["countersign.db", "SELECT data ->> '$.place.folder' FROM events WHERE type = 'TOOL_CALL'"],
            )
            .await;
        assert_eq!(place.trim(), "/w");
    })
    .await;
}

#[tokio::test]
async fn codex_gets_refusals() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"block\"").await;
        let plain = CODEX_COMMAND.replace(r#","availableDecisions":["acceptForSession","cancel"]"#, "");
        write_agent(
            desk,
            &[Prints(CODEX_FILE), Reads, Prints(&plain), Reads, Prints(CODEX_PERMISSIONS), Reads],
        );
        desk.start_open("codex-app-server -- sh agent.sh").wait_for_exit().await;
        assert_snapshot!(got(desk), @r#"
        {"id":3,"result":{"decision":"decline"}}
        {"id":4,"result":{"decision":"decline"}}
        {"id":5,"result":{"permissions":{},"scope":"turn"}}
        "#);
    })
    .await;
}

#[tokio::test]
async fn missing_agent_is_reported() {
    with_desk(async |desk| {
        let ended = desk.types("acp -- ./no-such-agent").await;
        assert_eq!(ended.code, 127, "{ended}");
    })
    .await;
}
