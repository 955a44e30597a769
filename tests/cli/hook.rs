//! `countersign hook`: the built program answers messages that real agents sent, as an agent would run it.

use crate::desk::{COUNTERSIGN, DeskScreen, TerminalDesk, with_desk, with_empty_desk};
use countersign_api::{self as api, ApprovalGate, CallGate};
use countersign_events::{Decision, Principal};
use insta::assert_snapshot;
use tokio::net::TcpListener;

/// Reads an agent message.
pub(crate) fn message(name: &str) -> String {
    let path = format!("{}/fixtures/agent_hooks/{name}.json", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("the message exists")
}

/// The message with another id of the call.
pub(crate) fn message_with_id(name: &str, id: &str) -> String {
    message(name).replace("toolu_01A", id)
}

pub(crate) async fn allow_all(desk: &TerminalDesk) {
    desk.apply_policy("[[rule]]\nname = \"all\"\ntool = \"*\"\nverdict = \"allow\"").await;
}

/// The types of events about calls, with the executor of each claim and the status of each result.
pub(crate) async fn history(desk: &TerminalDesk) -> String {
    let query = "SELECT seq || ' ' || type || coalesce(' ' || (data ->> 'executor'), '') ||
                 coalesce(' ' || (data ->> 'status'), '') FROM events WHERE type LIKE 'TOOL%' ORDER BY seq";
    desk.run_program("sqlite3", &["countersign.db", query]).await
}

/// Decides on a call as user:ada.
pub(crate) async fn decide(desk: &TerminalDesk, id: &str, arguments: Option<&str>) {
    let gate = desk.gate().await.acting_as(Principal::user("ada"));
    let thread = api::parse_thread_id("caf707cf-4309-459e-b454-3f7cd7574464").expect("a valid thread");
    let decision = api::DecisionRequest {
        arguments: arguments.map(|text| api::Json::parse(text).expect("valid JSON")),
        ..api::DecisionRequest::plain(Decision::AllowOnce)
    };
    let id = api::parse_call_id(id).expect("a valid id");
    gate.decide(&thread, &id, &decision).await.expect("decided");
    gate.shut_down().await;
}

#[tokio::test]
async fn allowed_call_is_claimed_and_its_result_recorded() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let answer = desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        assert_snapshot!(answer, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"touch ran.txt; echo hi","description":"test"}}}
        exit 0
        "#);
        let recorded = desk.pipes("hook claude-code", &message("claude_code_post_tool_use")).await;
        assert_snapshot!(recorded, @"exit 0");
        assert_snapshot!(history(desk).await, @"
        3 TOOL_CALL
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_EXECUTION_STARTED claude-code:toolu_01A
        6 TOOL_RESULT success
        ");
        let shown = desk.types("show toolu_01A --json").await;
        assert!(shown.stdout.contains(r#""stdout":"hi""#), "{shown}");
        assert!(shown.stdout.contains("/home/ada/shop"), "the approver sees the folder: {shown}");
    })
    .await;
}

#[tokio::test]
async fn failure_of_the_tool_is_recorded_as_error() {
    with_desk(async |desk| {
        allow_all(desk).await;
        desk.pipes("hook claude-code", &message("claude_code_pre_tool_use")).await;
        let failed = message("claude_code_post_tool_use_failure");
        assert_eq!(desk.pipes("hook claude-code", &failed).await.code, 0);
        assert!(history(desk).await.ends_with("TOOL_RESULT error\n"));
        assert_eq!(desk.pipes("hook claude-code", &failed).await.code, 0, "to repeat it changes nothing");
    })
    .await;
}

#[tokio::test]
async fn blocked_call_is_denied_with_its_reason() {
    with_desk(async |desk| {
        desk.apply_policy(
            "[[rule]]\nname = \"no issues\"\ntool = \"mcp__github__*\"\nverdict = \"block\"\nreason = \"ask first\"",
        )
        .await;
        assert_snapshot!(desk.pipes("hook claude-code", &message("claude_code_mcp_tool")).await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by policy:no issues: ask first. This is a rule, which no approval lifts: do not retry it."}}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn edited_arguments_reach_the_agent() {
    with_desk(async |desk| {
        let hook = desk.start_with("hook claude-code", &message("claude_code_pre_tool_use")).await;
        desk.wait_for_pending("toolu_01A").await;
        decide(desk, "toolu_01A", Some(r#"{"command":"touch other.txt","description":"test"}"#)).await;
        assert_snapshot!(hook.wait_for_exit().await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"allowed by user:ada","updatedInput":{"command":"touch other.txt","description":"test"},"additionalContext":"user:ada changed what was run: /command from \"touch ran.txt; echo hi\" to \"touch other.txt\""}}
        exit 0
        "#);
        let ran = message("claude_code_post_tool_use").replace("touch ran.txt; echo hi", "touch other.txt");
        desk.pipes("hook claude-code", &ran).await;
        assert!(history(desk).await.ends_with("TOOL_RESULT success\n"));
    })
    .await;
}

/// The message before `Bash` with these arguments in this folder.
pub(crate) fn bash_in(folder: &str, id: &str, arguments: &str) -> String {
    let message = message_with_id("claude_code_pre_tool_use", id);
    let mut message: serde_json::Value = serde_json::from_str(&message).expect("JSON");
    message["cwd"] = folder.into();
    message["tool_input"] = serde_json::from_str(arguments).expect("JSON");
    message.to_string()
}

#[tokio::test]
async fn grant_holds_only_in_its_folder() {
    with_desk(async |desk| {
        let first = bash_in("/srv/staging", "toolu_1", r#"{"command":"git status"}"#);
        desk.pipes("hook claude-code --wait 1s", &first).await;
        let granted = desk.types("allow toolu_1 --command 'git status **' --yes").await;
        assert_eq!(granted.code, 0, "{granted}");
        for (folder, id, arguments, is_allowed) in [
            ("/srv/staging", "toolu_2", r#"{"command":"git status -s","description":"look"}"#, true),
            ("/srv/production", "toolu_3", r#"{"command":"git status"}"#, false),
            (
                "/srv/staging",
                "toolu_4",
                r#"{"command":"git status","dangerouslyDisableSandbox":true}"#,
                false,
            ),
        ] {
            let answer = desk.pipes("hook claude-code --wait 1s", &bash_in(folder, id, arguments)).await;
            let is_free = answer.stdout.contains("allowed by policy:grant");
            assert_eq!(is_free, is_allowed, "{id}: {answer}");
        }
        let listed = desk.types("grant list caf707cf-4309-459e-b454-3f7cd7574464").await;
        assert!(listed.stdout.contains("/srv/staging"), "{listed}");
        let pending = desk.types("pending").await;
        assert!(pending.stdout.contains("folder: /srv/production"), "{pending}");
        assert!(pending.stdout.contains("dangerouslyDisableSandbox: true"), "{pending}");
    })
    .await;
}

#[tokio::test]
async fn new_rule_frees_a_waiting_call() {
    with_desk(async |desk| {
        let first = bash_in("/srv", "toolu_1", r#"{"command":"ls -la"}"#);
        let asked = desk.pipes("hook claude-code --wait 1s", &first).await;
        assert!(asked.stdout.contains("waits for a person"), "{asked}");
        desk.apply_policy(
            "[[rule]]\nname = \"looks\"\ntool = \"Bash\"\ncommand = \"ls **\"\nverdict = \"allow\"",
        )
        .await;
        let again = bash_in("/srv", "toolu_2", r#"{"command":"ls -la"}"#);
        let allowed = desk.pipes("hook claude-code --decide allow", &again).await;
        assert!(allowed.stdout.contains("allowed by policy:looks"), "{allowed}");
        assert!(history(desk).await.ends_with("TOOL_EXECUTION_STARTED claude-code:toolu_2\n"));
        let verified = desk.types("verify").await;
        assert_eq!(verified.code, 0, "{verified}");
    })
    .await;
}

#[tokio::test]
async fn keys_that_programs_confuse_block_the_call() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let message = message("claude_code_pre_tool_use")
            .replace(r#""tool_input": {"#, r#""tool_input": {"Command": "x", "#);
        let message = message.replace(r#""tool_input":{"#, r#""tool_input":{"Command":"x","#);
        let answer = desk.pipes("hook claude-code", &message).await;
        assert_eq!(answer.code, 2, "{answer}");
        assert!(answer.stderr.contains("same key"), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn huge_argument_is_folded_with_its_size() {
    with_desk(async |desk| {
        let content = "x".repeat(1_500_000);
        let huge = bash_in("/srv", "toolu_1", &format!(r#"{{"content":"{content}","file_path":"/srv/a"}}"#));
        desk.pipes("hook claude-code --wait 1s", &huge.replace("\"Bash\"", "\"Write\"")).await;
        for command in ["pending", "show toolu_1"] {
            let shown = desk.types(command).await;
            assert!(shown.stdout.len() < 4_000, "{command} prints {} bytes", shown.stdout.len());
            assert!(shown.stdout.contains("folded: 1500002 bytes"), "{shown}");
            assert!(shown.stdout.contains("file_path: /srv/a"), "{shown}");
            let full = desk.types(&format!("{command} --full")).await;
            assert!(full.stdout.len() > 1_500_000, "{command} --full prints all");
        }
    })
    .await;
}

#[tokio::test]
async fn repeated_call_finds_the_decision_without_asking_again() {
    with_desk(async |desk| {
        let first = desk.pipes("hook claude-code --wait 1s", &message("claude_code_pre_tool_use")).await;
        assert_snapshot!(first, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"No decision yet: call toolu_01A (Bash) waits for a person. Asked because: no rule matches this call. They decide at: countersign allow toolu_01A. Tell the user so. Repeat exactly the same call to wait again or to get the decision; people are not asked twice."}}
        exit 0
        "#);
        let second = message_with_id("claude_code_pre_tool_use", "toolu_02");
        assert_eq!(desk.pipes("hook claude-code --wait 1s", &second).await.code, 0);
        decide(desk, "toolu_01A", None).await;
        let third = message_with_id("claude_code_pre_tool_use", "toolu_03");
        let allowed = desk.pipes("hook claude-code", &third).await;
        assert!(allowed.stdout.contains(r#""permissionDecision":"allow""#), "{allowed}");
        desk.pipes("hook claude-code", &message_with_id("claude_code_post_tool_use", "toolu_03")).await;
        assert_snapshot!(history(desk).await, @"
        2 TOOL_CALL
        3 TOOL_APPROVAL_REQUEST
        4 TOOL_APPROVAL_RESPONSE
        5 TOOL_EXECUTION_STARTED claude-code:toolu_03
        6 TOOL_RESULT success
        ");
        let fourth = message_with_id("claude_code_pre_tool_use", "toolu_04");
        let asked = desk.pipes("hook claude-code --wait 1s", &fourth).await;
        assert!(asked.stdout.contains("toolu_04"), "one approval starts one call: {asked}");
    })
    .await;
}

#[tokio::test]
async fn repeated_call_runs_as_edited_meanwhile() {
    with_desk(async |desk| {
        desk.pipes("hook claude-code --wait 1s", &message("claude_code_pre_tool_use")).await;
        decide(desk, "toolu_01A", Some(r#"{"command":"touch other.txt"}"#)).await;
        let again = message_with_id("claude_code_pre_tool_use", "toolu_02");
        let allowed = desk.pipes("hook claude-code", &again).await;
        assert!(allowed.stdout.contains(r#""updatedInput":{"command":"touch other.txt"}"#), "{allowed}");
    })
    .await;
}

#[tokio::test]
async fn identical_call_in_another_folder_is_asked() {
    with_desk(async |desk| {
        desk.pipes("hook claude-code --wait 1s", &message("claude_code_pre_tool_use")).await;
        decide(desk, "toolu_01A", None).await;
        let elsewhere =
            message_with_id("claude_code_pre_tool_use", "toolu_02").replace("/home/ada/shop", "/etc");
        let asked = desk.pipes("hook claude-code --wait 1s", &elsewhere).await;
        assert!(asked.stdout.contains(r#""permissionDecision":"deny""#), "{asked}");
    })
    .await;
}

#[tokio::test]
async fn undecided_call_is_deferred_on_request() {
    with_desk(async |desk| {
        let deferred =
            desk.pipes("hook claude-code --wait 1s --defer", &message("claude_code_pre_tool_use")).await;
        assert!(deferred.stdout.contains(r#""permissionDecision":"defer""#), "{deferred}");
        decide(desk, "toolu_01A", None).await;
        let resumed = desk.pipes("hook claude-code --defer", &message("claude_code_pre_tool_use")).await;
        assert!(resumed.stdout.contains(r#""permissionDecision":"allow""#), "{resumed}");
        let twice = desk.pipes("hook claude-code --defer", &message("claude_code_pre_tool_use")).await;
        assert!(twice.stdout.contains("deny"), "a call runs once: {twice}");
    })
    .await;
}

#[tokio::test]
async fn permission_request_is_answered_once() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let request = message("claude_code_permission_request");
        assert_snapshot!(desk.pipes("hook claude-code --decide allow", &request).await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"command":"touch ran.txt; echo hi","description":"test"}}}}
        exit 0
        "#);
        desk.pipes("hook claude-code", &message("claude_code_post_tool_use")).await;
        desk.pipes("hook claude-code", &message_with_id("claude_code_pre_tool_use", "toolu_02")).await;
        // The hook before the tool has claimed this call, and a person allowed it: the question adds no call of its own.
        desk.pipes("hook claude-code --decide allow", &request).await;
        let events = desk
            .run_program(
                "sqlite3",
                &[
                    "countersign.db",
                    "SELECT type, count(*) FROM events WHERE type IN ('TOOL_CALL', 'TOOL_RESULT') GROUP BY 1",
                ],
            )
            .await;
        assert_eq!(events, "TOOL_CALL|2\nTOOL_RESULT|1\n");
    })
    .await;
}

#[tokio::test]
async fn call_of_another_time_needs_no_result() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let silent = desk.pipes("hook claude-code", &message("claude_code_post_tool_use")).await;
        assert_eq!((silent.code, silent.stdout.as_str()), (0, ""));
    })
    .await;
}

#[tokio::test]
async fn codex_is_silent_about_allowed_calls() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let allowed = desk.pipes("hook codex", &message("codex_pre_tool_use")).await;
        assert_eq!((allowed.code, allowed.stdout.as_str()), (0, ""), "{allowed}");
        desk.pipes("hook codex", &message("codex_post_tool_use")).await;
        assert!(history(desk).await.ends_with("TOOL_RESULT success\n"));
        desk.apply_policy("default = \"block\"").await;
        let second = message("codex_pre_tool_use").replace("call_1", "call_2");
        assert_snapshot!(desk.pipes("hook codex", &second).await, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn gemini_result_is_found_by_arguments() {
    with_desk(async |desk| {
        allow_all(desk).await;
        assert_snapshot!(desk.pipes("hook gemini-cli --decide allow", &message("gemini_cli_before_tool")).await, @r#"
        {"decision":"allow","reason":"allowed by policy:all"}
        exit 0
        "#);
        desk.pipes("hook gemini-cli", &message("gemini_cli_after_tool")).await;
        assert!(history(desk).await.ends_with("TOOL_RESULT success\n"));
        desk.apply_policy("default = \"block\"").await;
        assert_snapshot!(desk.pipes("hook gemini-cli", &message("gemini_cli_before_tool")).await, @r#"
        {"decision":"deny","reason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}
        exit 0
        "#);
    })
    .await;
}

#[tokio::test]
async fn cursor_gets_its_own_answers() {
    with_desk(async |desk| {
        allow_all(desk).await;
        assert_snapshot!(desk.pipes("hook cursor --decide allow", &message("cursor_pre_tool_use")).await, @r#"
        {"permission":"allow"}
        exit 0
        "#);
        desk.pipes("hook cursor", &message("cursor_post_tool_use")).await;
        assert!(history(desk).await.ends_with("TOOL_RESULT success\n"));
        let second = message("cursor_pre_tool_use").replace("call_1", "call_2");
        desk.pipes("hook cursor", &second).await;
        desk.pipes("hook cursor", &message("cursor_post_tool_use_failure")).await;
        assert!(history(desk).await.ends_with("TOOL_RESULT error\n"));
        desk.apply_policy("default = \"block\"").await;
        let third = message("cursor_pre_tool_use").replace("call_1", "call_3");
        assert_snapshot!(desk.pipes("hook cursor", &third).await, @r#"
        {"permission":"deny","user_message":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it.","agent_message":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}
        exit 0
        "#);
    })
    .await;
}

/// Fails if the agent would not take this for a block. Codex ignores an exit code without a message.
fn assert_blocked(case: &str, answer: &DeskScreen) {
    let is_blocked = answer.code == 2 && answer.stdout.is_empty() && !answer.stderr.trim().is_empty();
    assert!(is_blocked, "{case}: {answer}");
}

#[tokio::test]
async fn each_failure_blocks_the_call() {
    let good = message("claude_code_pre_tool_use");
    let closed = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let no_server = format!("--server http://{} hook claude-code", closed.local_addr().expect("an address"));
    drop(closed);
    let repeated_key = good.replace(r#""description":"test""#, r#""command":"ls""#);
    let cases: &[(&str, &str, &str)] = &[
        ("no JSON", "hook claude-code", "{"),
        ("an empty message", "hook claude-code", ""),
        (
            "no tool",
            "hook claude-code",
            r#"{"hook_event_name":"PreToolUse","session_id":"s","tool_use_id":"t"}"#,
        ),
        ("another event", "hook claude-code", &good.replace("PreToolUse", "SessionStart")),
        ("the event of another agent", "hook gemini-cli", &good),
        ("a question about the sandbox", "hook codex", &message("claude_code_permission_request")),
        ("a repeated key", "hook claude-code", &repeated_key),
        ("a hidden name", "hook claude-code", &good.replace("\"Bash\"", "\"Ba\\u200bsh\"")),
        ("an unknown agent", "hook no-agent", &good),
        ("an unknown option", "hook claude-code --nothing", &good),
        ("an invalid setting", "--colour sometimes hook claude-code", &good),
        ("no server", &no_server, &good),
        ("no database", "--database ./no/such/folder/log.db hook claude-code", &good),
        ("no log", "--database ./notes.txt hook claude-code", &good),
        ("no such policy", "--policy missing.toml hook claude-code", &good),
    ];
    with_empty_desk(async |desk| {
        desk.write_file("notes.txt", "no database");
        for (case, line, input) in cases {
            assert_blocked(case, &desk.pipes(line, input).await);
        }
        let huge = format!(r#"{{"tool_input":"{}"}}"#, "x".repeat(13 * 1024 * 1024));
        assert_blocked("too large", &desk.pipes("hook claude-code", &huge).await);
    })
    .await;
}

#[tokio::test]
async fn refused_credentials_block_the_call() {
    countersign_tests::over_http("default = \"allow\"", async |world| {
        with_empty_desk(async |desk| {
            desk.set_variable("COUNTERSIGN_TOKEN", "csgn_wrong");
            let line = format!("--server http://{} hook claude-code", world.service.address);
            assert_blocked("a wrong token", &desk.pipes(&line, &message("claude_code_pre_tool_use")).await);
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn silent_server_blocks_the_call() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let line = format!("--server http://{} hook claude-code", silent.local_addr().expect("an address"));
    with_empty_desk(async |desk| {
        desk.set_variable("COUNTERSIGN_HOOK_LIMIT", "1s");
        assert_blocked("a silent server", &desk.pipes(&line, &message("claude_code_pre_tool_use")).await);
    })
    .await;
}

#[tokio::test]
async fn answer_that_no_one_reads_blocks_the_call() {
    with_desk(async |desk| {
        allow_all(desk).await;
        for (index, output) in [">&-", ">/dev/null", ">/dev/full"].iter().enumerate() {
            let script = format!("{COUNTERSIGN} hook claude-code {output}");
            let message = message_with_id("claude_code_pre_tool_use", &format!("call_{index}"));
            let answer = desk.pipes_program("sh", &["-c", &script], &message).await;
            assert_eq!(answer.code, 2, "{output}: {answer}");
            assert!(answer.stderr.contains("could not be written"), "{output}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn full_disk_blocks_the_call() {
    with_desk(async |desk| {
        allow_all(desk).await;
        let script = format!("ulimit -f 0; {COUNTERSIGN} hook claude-code || exit 2");
        let answer = desk.pipes_program("sh", &["-c", &script], &message("claude_code_pre_tool_use")).await;
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer}");
    })
    .await;
}

#[tokio::test]
async fn ended_hook_withdraws_its_call() {
    with_desk(async |desk| {
        let hook = desk.start_with("hook claude-code", &message("claude_code_pre_tool_use")).await;
        desk.wait_for_pending("toolu_01A").await;
        hook.send_signal("TERM").await;
        assert_blocked("a stopped hook", &hook.wait_for_exit().await);
        let shown = desk.types("show toolu_01A --json").await;
        assert!(shown.stdout.contains(r#""state":"cancelled""#), "{shown}");
    })
    .await;
}
