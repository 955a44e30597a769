//! Commands that decide or loosen, inside an agent's environment: each is refused, and changes nothing.

use crate::desk::with_desk;
use countersign_coding_agents::environment::AGENT_VARIABLES;
use insta::assert_snapshot;

/// Command lines that decide or loosen. `p.toml` allows everything.
const LOOSENING: &[&str] = &[
    "policy apply --yes p.toml",
    "policy revert --yes",
    "thread mode t approve_all --new-thread",
    "thread policy t bash=allow --new-thread",
    "serve --solo --listen 127.0.0.1:0",
    "serve --listen 127.0.0.1:0 --policy p.toml",
    "restore copy.db --replace",
    "install claude-code --yes",
    "uninstall claude-code --yes",
    "mcp unwrap mcp.json",
    "advisor allow-decide a --statement s",
    "tool accept t --hash 0000000000000000000000000000000000000000000000000000000000000000",
    "webhook add w https://hooks.example",
    "token create --name eve --role approver",
    "grant revoke t 1",
    "release call_1",
    "allow call_1",
    "deny call_1",
    "watch --plain",
    "stop --yes",
    "up",
];

#[tokio::test]
async fn loosening_commands_are_refused_inside_agent() {
    with_desk(async |desk| {
        desk.write_file("p.toml", "default = \"allow\"\n");
        desk.propose("t", "call_1", "bash", r#"{"command":"ls"}"#).await;
        let before = desk.types("log --json").await.stdout;
        desk.set_variable("CLAUDECODE", "1");
        for line in LOOSENING {
            let refused = desk.types(line).await;
            assert_eq!(refused.code, 3, "{line}: {refused}");
            assert!(refused.stderr.contains("an agent may not"), "{line}: {refused}");
        }
        assert_eq!(desk.types("log --json").await.stdout, before, "nothing was written");
        assert!(!desk.path(".claude").exists() && !desk.path(".local").exists());
    })
    .await;
}

#[tokio::test]
async fn refusal_names_agent_and_code() {
    with_desk(async |desk| {
        desk.set_variable("GOOSE_TERMINAL", "1");
        assert_snapshot!(desk.types("thread mode t approve_all").await, @"
        ! countersign: this command runs inside Goose (GOOSE_TERMINAL is set), and an agent may not set policies, modes and tokens; a person does it in a terminal of their own
        exit 3
        ");
        let json = desk.types("policy revert --yes --json").await;
        assert!(json.stderr.contains(r#""code":"agent_environment""#), "{json}");
    })
    .await;
}

#[tokio::test]
async fn harmless_commands_work_inside_agent() {
    with_desk(async |desk| {
        desk.propose("t", "call_1", "bash", "{}").await;
        desk.set_variable("AI_AGENT", "some-agent");
        for line in ["thread list", "pending", "policy show", "policy history", "config", "verify"] {
            assert_eq!(desk.types(line).await.code, 0, "{line}");
        }
    })
    .await;
}

#[tokio::test]
async fn each_agent_variable_refuses() {
    with_desk(async |desk| {
        desk.propose("t", "call_1", "bash", "{}").await;
        for variable in AGENT_VARIABLES {
            desk.set_variable(variable.name, "1");
            let refused = desk.types("stop --yes").await;
            assert_eq!(refused.code, 3, "{}: {refused}", variable.name);
            desk.set_variable(variable.name, "");
        }
        assert_eq!(desk.types("stop --yes").await.code, 0, "an empty variable is not set");
    })
    .await;
}
