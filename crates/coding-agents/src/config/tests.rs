//! The changes to configurations of agents.

use super::*;
use crate::agents::{CODING_AGENTS, ClaudeCode, Codex, Cursor, GeminiCli};

const COMMAND: &str = "countersign --server http://127.0.0.1:7878 hook AGENT || { echo x >&2; exit 2; }";

fn command(agent: &dyn CodingAgent) -> String {
    COMMAND.replace("AGENT", agent.name())
}

/// Installs, installs again and uninstalls. Returns the text with the hooks.
fn round_trip(agent: &dyn CodingAgent, before: &str) -> String {
    let installed = agent.install_hooks(before, &command(agent)).expect("installs");
    assert_eq!(agent.install_hooks(&installed, &command(agent)), Ok(installed.clone()), "idempotent");
    let newer = agent.install_hooks(&installed, &command(agent).replace("7878", "1")).expect("updates");
    assert_eq!(newer, installed.replace("7878", "1"), "an older entry is replaced");
    let removed = agent.uninstall_hooks(&installed).expect("uninstalls");
    assert_eq!(removed.trim_end(), before.trim_end(), "nothing else changes");
    installed
}

#[test]
fn json_keeps_order_comments_and_other_hooks() {
    let before = r#"{
  // the model of this machine
  "model": "opus",
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}],
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "check.sh"
          }
        ]
      }
    ]
  },
  "alwaysThinkingEnabled": true
}
"#;
    let installed = round_trip(&ClaudeCode, before);
    let hooks = (&ClaudeCode as &dyn CodingAgent).installed_hooks(&installed).expect("parses");
    assert_eq!(hooks.len(), 9);
    assert!(hooks.iter().all(|hook| hook.blocks_on_failure && hook.timeout_seconds == Some(600)));
    let value: serde_json::Value =
        serde_json::from_str(&installed.replace("// the model of this machine", "")).expect("valid JSON");
    assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "check.sh");
    assert_eq!(value["hooks"]["PreToolUse"][1]["hooks"][0]["onFailure"], "block");
}

#[test]
fn gemini_counts_in_milliseconds() {
    let installed = round_trip(&GeminiCli, "{\n  \"theme\": \"dark\"\n}\n");
    assert!(installed.contains("\"timeout\": 600000"), "{installed}");
}

#[test]
fn cursor_blocks_after_a_failure() {
    let before = "{\n  \"version\": 1,\n  \"hooks\": {\n    \"preToolUse\": [\n      {\n        \"command\": \"./check.sh\"\n      }\n    ]\n  }\n}\n";
    let installed = round_trip(&Cursor, before);
    let value: serde_json::Value = serde_json::from_str(&installed).expect("valid JSON");
    assert_eq!(value["hooks"]["preToolUse"][0]["command"], "./check.sh");
    let own = &value["hooks"]["preToolUse"][1];
    assert_eq!((&own["failClosed"], &own["timeout"]), (&true.into(), &600.into()));
    let first = (&Cursor as &dyn CodingAgent).install_hooks("", &command(&Cursor)).expect("installs");
    assert!(first.contains("\"version\": 1"), "{first}");
}

#[test]
fn toml_keeps_order_comments_and_other_hooks() {
    let before = "# my settings\nmodel = \"m\" # the fast one\n\n[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n\n\
                  [[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"check.sh\"\n\n[features]\nweb = true\n";
    let installed = round_trip(&Codex, before);
    assert!(installed.starts_with("# my settings\nmodel = \"m\" # the fast one\n"), "{installed}");
    assert_eq!((&Codex as &dyn CodingAgent).installed_hooks(&installed).expect("parses").len(), 3);
}

#[test]
fn empty_configuration_gets_the_hooks() {
    for agent in CODING_AGENTS {
        let installed = agent.install_hooks("", &command(*agent)).expect("installs");
        assert!(!agent.installed_hooks(&installed).expect("parses").is_empty(), "{installed}");
    }
}

#[test]
fn unusable_configuration_is_refused() {
    for (agent, text) in [
        (&ClaudeCode as &dyn CodingAgent, "{"),
        (&ClaudeCode, "[]"),
        (&ClaudeCode, r#"{"hooks": []}"#),
        (&ClaudeCode, r#"{"hooks": {"PreToolUse": {}}}"#),
        (&GeminiCli, r#"{"hooks": {"BeforeTool": "no"}}"#),
        (&Codex, "model ="),
        (&Codex, "hooks = 3"),
        (&Codex, "hooks = { PreToolUse = [] }"),
    ] {
        assert!(agent.install_hooks(text, &command(agent)).is_err(), "{agent}: {text}");
    }
}

#[test]
fn disabled_hooks_are_noticed() {
    assert_eq!(
        (&ClaudeCode as &dyn CodingAgent).has_hooks_disabled(r#"{"disableAllHooks": true}"#),
        Ok(true)
    );
    assert_eq!((&ClaudeCode as &dyn CodingAgent).has_hooks_disabled("{}"), Ok(false));
    assert_eq!((&Codex as &dyn CodingAgent).has_hooks_disabled("[features]\nhooks = false"), Ok(true));
    assert_eq!((&Codex as &dyn CodingAgent).has_hooks_disabled("model = \"m\""), Ok(false));
    assert_eq!(
        (&GeminiCli as &dyn CodingAgent).has_hooks_disabled(r#"{"hooksConfig": {"enabled": false}}"#),
        Ok(true)
    );
}
