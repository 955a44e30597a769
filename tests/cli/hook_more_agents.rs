//! `countersign hook` and `install` for the agents of the guide "More coding agents".

use crate::{
    desk::{TerminalDesk, with_desk},
    hook::{allow_all, decide, history, message},
};
use insta::assert_snapshot;

/// The agents with messages of their own, and their fixtures.
const AGENTS: [(&str, &str); 5] = [
    ("qwen-code", "qwen_code"),
    ("copilot-cli", "copilot_cli"),
    ("cline", "cline"),
    ("goose", "goose"),
    ("antigravity", "antigravity"),
];

async fn answer(desk: &TerminalDesk, agent: &str, fixture: &str) -> String {
    let answer = desk.pipes(&format!("hook {agent} --wait 1s"), &message(fixture)).await;
    assert_eq!(answer.code, 0, "{agent}: {answer}");
    answer.stdout
}

#[tokio::test]
async fn denial_stops_each_agent() {
    with_desk(async |desk| {
        desk.apply_policy("default = \"block\"").await;
        let mut answers = String::new();
        for (agent, fixture) in AGENTS {
            let denied = answer(desk, agent, &format!("{fixture}_pre_tool_use")).await;
            answers.push_str(&denied);
        }
        assert_snapshot!(answers, @r#"
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}}
        {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}}
        {"cancel":true,"errorMessage":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}
        {"decision":"block","reason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}
        {"decision":"deny","reason":"Blocked by policy:default: no rule matches this call. This is a rule, which no approval lifts: do not retry it."}
        "#);
    })
    .await;
}

#[tokio::test]
async fn allowed_call_is_recorded_for_each_agent() {
    for (agent, fixture) in AGENTS {
        with_desk(async |desk| {
            allow_all(desk).await;
            let allowed = answer(desk, agent, &format!("{fixture}_pre_tool_use")).await;
            let expected = if agent == "antigravity" { "{\"decision\":\"ask\"}\n" } else { "" };
            assert_eq!(allowed, expected, "{agent}: its own rules decide");
            if agent != "antigravity" {
                answer(desk, agent, &format!("{fixture}_post_tool_use")).await;
                let history = history(desk).await;
                assert!(history.contains(&format!("TOOL_EXECUTION_STARTED {agent}:")), "{agent}: {history}");
                assert!(history.ends_with("TOOL_RESULT success\n"), "{agent}: {history}");
            }
        })
        .await;
    }
}

#[tokio::test]
async fn edited_arguments_reach_cline() {
    with_desk(async |desk| {
        let hook = desk.start_with("hook cline", &message("cline_pre_tool_use")).await;
        desk.wait_for_pending("call_1").await;
        decide(desk, "call_1", Some(r#"{"commands":["touch other.txt"]}"#)).await;
        let answered = hook.wait_for_exit().await;
        assert_snapshot!(answered, @r#"
        {"cancel":false,"overrideInput":{"commands":["touch other.txt"]}}
        exit 0
        "#);
    })
    .await;
}

/// Every agent of which a hook can be verified, with the number of cases that let the call through.
#[tokio::test]
async fn installed_hooks_block_and_are_removed_again() {
    for (agent, path, open) in [
        ("qwen-code", ".qwen/settings.json", 2),
        ("copilot-cli", ".copilot/hooks/countersign.json", 1),
        ("cline", ".cline/hooks/PreToolUse", 2),
        ("goose", ".agents/plugins/countersign/hooks/hooks.json", 0),
        ("antigravity", ".gemini/config/hooks.json", 2),
        ("opencode", ".config/opencode/plugins/countersign.js", 0),
        ("kilo-code", ".config/kilo/plugins/countersign.js", 0),
        ("amp", ".config/amp/plugins/countersign.ts", 0),
        ("openclaw", ".openclaw/extensions/countersign/index.js", 0),
    ] {
        with_desk(async |desk| {
            let installed = desk.types(&format!("install {agent} --yes")).await;
            assert_eq!(installed.code, 0, "{installed}");
            let again = desk.types(&format!("install {agent} --yes")).await;
            assert!(again.stdout.contains("needs no change"), "{again}");
            let verified = desk.types(&format!("install --verify {agent}")).await;
            assert_eq!(verified.stdout.matches("not asked").count(), open, "{verified}");
            let limits = usize::from(["qwen-code", "copilot-cli", "cline", "antigravity"].contains(&agent));
            let runs = |line: &&str| line.contains("prints garbage") && line.contains(" runs ");
            assert_eq!(verified.stdout.lines().filter(runs).count(), limits, "{verified}");
            assert_eq!(verified.stdout.matches("blocked ").count(), 9 - open - limits, "{verified}");
            let listed = desk.types("install").await;
            assert!(listed.stdout.contains(&format!("install --verify {agent}")), "{listed}");
            assert_eq!(desk.types(&format!("uninstall {agent} --yes")).await.code, 0);
            assert!(!desk.path(path).exists(), "{agent}");
        })
        .await;
    }
}

#[tokio::test]
async fn foreign_file_is_refused() {
    with_desk(async |desk| {
        for path in [".cline/hooks/PreToolUse", ".config/opencode/plugins/countersign.js"] {
            std::fs::create_dir_all(desk.path(path).parent().expect("a folder")).expect("created");
            desk.write_file(path, "#!/bin/sh\necho mine\n");
        }
        for agent in ["cline", "opencode"] {
            let refused = desk.types(&format!("install {agent} --yes")).await;
            assert!(refused.code == 2 && refused.stderr.contains("is not one that"), "{refused}");
        }
    })
    .await;
}

#[tokio::test]
async fn install_lists_the_agents_of_this_machine() {
    with_desk(async |desk| {
        std::fs::create_dir_all(desk.path(".qwen")).expect("created");
        std::fs::create_dir_all(desk.path(".config/opencode")).expect("created");
        desk.types("install opencode --yes").await;
        let listed = desk.types("--json install").await;
        assert_eq!(listed.code, 0, "{listed}");
        let rows: Vec<_> = listed.stdout.lines().map(|line| desk.without_paths(line)).collect();
        let has = |row: &str| rows.iter().any(|found| found == row);
        assert!(has(r#"{"agent":"qwen-code","paths":[],"next":"countersign install qwen-code"}"#), "{rows:?}");
        assert!(
            has(r#"{"agent":"opencode","paths":["[here]/.config/opencode/plugins/countersign.js"],"next":"countersign install --verify opencode"}"#),
            "{rows:?}"
        );
        assert!(!rows.iter().any(|row| row.contains("goose")), "{rows:?}");
    })
    .await;
}
