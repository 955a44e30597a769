//! `countersign install`, `uninstall` and `install --verify`.

use crate::desk::{COUNTERSIGN, TerminalDesk, with_desk};
use insta::assert_snapshot;

const SETTINGS: &str = "{\n  \"model\": \"opus\",\n  \"permissions\": {\"deny\": [\"WebFetch\"]}\n}\n";

fn write_settings(desk: &TerminalDesk, path: &str, text: &str) {
    std::fs::create_dir_all(desk.path(path).parent().expect("a folder")).expect("created");
    desk.write_file(path, text);
}

fn read(desk: &TerminalDesk, path: &str) -> String {
    let text = std::fs::read_to_string(desk.path(path)).expect("the file exists");
    desk.without_paths(&text)
}

#[tokio::test]
async fn installed_hooks_are_shown_and_removed_again() {
    with_desk(async |desk| {
        write_settings(desk, ".claude/settings.json", SETTINGS);
        let installed = desk.types("install claude-code --yes --server http://127.0.0.1:7878").await;
        assert_eq!(installed.code, 0, "{installed}");
        for line in [
            r#"-  "permissions": {"deny": ["WebFetch"]}"#,
            r#"+  "permissions": {"deny": ["WebFetch"]},"#,
            r#"+            "onFailure": "block""#,
            "the earlier file is [here]/.claude/settings.json.countersign-backup",
        ] {
            assert!(installed.stdout.contains(line), "{line}: {installed}");
        }
        let text = read(desk, ".claude/settings.json");
        assert_eq!(read(desk, ".claude/settings.json.countersign-backup"), SETTINGS);
        let again = desk.types("install claude-code --yes --server http://127.0.0.1:7878").await;
        assert!(again.stdout.contains("needs no change"), "{again}");
        assert_eq!(read(desk, ".claude/settings.json"), text);
        let removed = desk.types("uninstall claude-code --yes").await;
        assert_eq!(removed.code, 0, "{removed}");
        assert_eq!(read(desk, ".claude/settings.json"), SETTINGS);
        assert!(!desk.path(".claude/settings.json.countersign-backup").exists());
    })
    .await;
}

/// What is known of an agent's own rules says which answer is the usual one.
#[tokio::test]
async fn usual_answer_depends_on_the_agent() {
    with_desk(async |desk| {
        for (agent, file, option) in [
            ("claude-code", ".claude/settings.json", "hook claude-code --decide unless-asked ||"),
            ("claude-code --decide none", ".claude/settings.json", "hook claude-code ||"),
            ("gemini-cli", ".gemini/settings.json", "hook gemini-cli ||"),
        ] {
            assert_eq!(desk.types(&format!("install {agent} --yes")).await.code, 0, "{agent}");
            assert!(read(desk, file).contains(option), "{agent}: {}", read(desk, file));
        }
        let refused = desk.types("install gemini-cli --decide unless-asked --yes").await;
        assert_eq!(refused.code, 2, "{refused}");
        assert!(refused.stderr.contains("its rules are not known"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn new_file_is_removed_again() {
    with_desk(async |desk| {
        assert_eq!(desk.types("install codex --yes").await.code, 0);
        let text = read(desk, ".codex/config.toml");
        assert_snapshot!(text, @r#"
        [[hooks.PreToolUse]]

        [[hooks.PreToolUse.hooks]]
        type = "command"
        command = "countersign --database [here]/countersign.db hook codex || { echo 'countersign: the call is blocked' >&2; exit 2; }"
        timeout = 600

        [[hooks.PostToolUse]]

        [[hooks.PostToolUse.hooks]]
        type = "command"
        command = "countersign --database [here]/countersign.db hook codex || { echo 'countersign: the call is blocked' >&2; exit 2; }"
        timeout = 600

        [[hooks.SessionEnd]]

        [[hooks.SessionEnd.hooks]]
        type = "command"
        command = "countersign --database [here]/countersign.db hook codex || { echo 'countersign: the call is blocked' >&2; exit 2; }"
        timeout = 3
        "#);
        let removed = desk.types("uninstall codex --yes").await;
        assert!(removed.stdout.ends_with("[here]/.codex/config.toml is removed: it contained nothing else.\n"), "{removed}");
        assert!(removed.code == 0 && !desk.path(".codex/config.toml").exists());
    })
    .await;
}

#[tokio::test]
async fn later_change_of_the_file_survives() {
    with_desk(async |desk| {
        write_settings(desk, ".gemini/settings.json", "{\n  \"theme\": \"dark\"\n}\n");
        desk.types("install gemini-cli --yes").await;
        let changed = read_raw(desk, ".gemini/settings.json").replace("dark", "light");
        desk.write_file(".gemini/settings.json", &changed);
        assert_eq!(desk.types("uninstall gemini-cli --yes").await.code, 0);
        assert_eq!(read(desk, ".gemini/settings.json"), "{\n  \"theme\": \"light\"\n}\n");
    })
    .await;
}

fn read_raw(desk: &TerminalDesk, path: &str) -> String {
    std::fs::read_to_string(desk.path(path)).expect("the file exists")
}

#[tokio::test]
async fn unusable_requests_change_nothing() {
    with_desk(async |desk| {
        write_settings(desk, ".claude/settings.json", "{ broken");
        for (line, code, text) in [
            ("install claude-code --yes", 2, "cannot be parsed"),
            ("install codex", 2, "--yes"),
            ("install emacs --yes", 2, "is not an agent with hooks"),
            ("install codex --project --yes", 2, "--server URL"),
            ("install codex --yes --server http://ada:secret@127.0.0.1:1", 2, "use a token"),
            ("install --decide allow --verify", 2, "cannot be used with"),
            ("install --verify", 2, "cannot be parsed"),
        ] {
            // The broken file is a reason only for its own agent.
            let refused = desk.types(line).await;
            assert_eq!(refused.code, code, "{line}: {refused}");
            assert!(refused.stderr.contains(text), "{line}: {refused}");
        }
        assert_eq!(read(desk, ".claude/settings.json"), "{ broken");
        assert!(!desk.path(".codex").exists());
        desk.set_variable("CLAUDECODE", "1");
        assert_eq!(desk.types("uninstall claude-code --yes").await.code, 3, "an agent keeps its hooks");
    })
    .await;
}

#[tokio::test]
async fn cursor_blocks_in_each_case() {
    with_desk(async |desk| {
        write_settings(desk, ".cursor/hooks.json", "{\n  \"version\": 1\n}\n");
        desk.types("install cursor --yes").await;
        let verified = desk.types("install --verify cursor").await;
        assert_eq!(verified.code, 0, "{verified}");
        assert_eq!(verified.stdout.matches("blocked").count(), 9, "{verified}");
        assert_eq!(desk.types("uninstall cursor --yes").await.code, 0);
        assert_eq!(read(desk, ".cursor/hooks.json"), "{\n  \"version\": 1\n}\n");
    })
    .await;
}

#[tokio::test]
async fn claude_code_blocks_in_each_case() {
    with_desk(async |desk| {
        desk.types("install claude-code --yes").await;
        let verified = desk.types("install --verify").await;
        assert_snapshot!(verified, @"
        claude-code, [here]/.claude/settings.json
        case                                      outcome  shown by                      relies on
        an allowed call                           allowed  run here; tests with 2.1.332  it runs
        a denied call                             blocked  run here; tests with 2.1.332  the answer deny stops the call
        a killed hook                             blocked  run here; tests with 2.1.332  exit code 2 with a message on stderr stops the call
        a missing program                         blocked  run here; tests with 2.1.332  exit code 2 with a message on stderr stops the call
        a missing server                          blocked  run here; tests with 2.1.332  exit code 2 with a message on stderr stops the call
        a server that does not answer             blocked  run here; tests with 2.1.332  exit code 2 with a message on stderr stops the call
        a full disk                               blocked  run here; tests with 2.1.332  exit code 2 with a message on stderr stops the call
        a killed hook with its shell              blocked  run here; tests with 2.1.332  onFailure: block, of Claude Code 2.1.295 or later
        a hook that is frozen until its time-out  blocked  tests with 2.1.332            onFailure: block, of Claude Code 2.1.295 or later
        a hook that prints garbage                runs     run here; tests with 2.1.332  claude-code ignores what is no answer: protect the program's file
        Each case passed, but the agent runs a call in a case that no hook can stop.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn verify_names_the_case_that_codex_lets_through() {
    with_desk(async |desk| {
        desk.types("install codex --yes").await;
        let config = desk.path(".codex/config.toml");
        let installed = std::fs::read_to_string(&config).expect("written");
        let untrusted = desk.types("install --verify codex").await;
        assert!(untrusted.stdout.contains("no person trusted the hook"), "{untrusted}");
        let key = format!("{}:pre_tool_use:0:0", config.canonicalize().expect("a file").display());
        let trust = format!("\n[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:00\"\n");
        std::fs::write(&config, format!("{installed}{trust}")).expect("written");
        let verified = desk.types("install --verify codex").await;
        assert_snapshot!(verified, @"
        codex, [here]/.codex/config.toml
        case                                      outcome    shown by                      relies on
        an allowed call                           allowed    run here; tests with 0.169.0  it runs
        a denied call                             blocked    run here; tests with 0.169.0  the answer deny stops the call
        a killed hook                             blocked    run here; tests with 0.169.0  exit code 2 with a message on stderr stops the call
        a missing program                         blocked    run here; tests with 0.169.0  exit code 2 with a message on stderr stops the call
        a missing server                          blocked    run here; tests with 0.169.0  exit code 2 with a message on stderr stops the call
        a server that does not answer             blocked    run here; tests with 0.169.0  exit code 2 with a message on stderr stops the call
        a full disk                               blocked    run here; tests with 0.169.0  exit code 2 with a message on stderr stops the call
        a killed hook with its shell              not asked  run here; tests with 0.169.0  codex runs the call after its hook was killed
        a hook that is frozen until its time-out  not asked  tests with 0.169.0            codex runs the call after the time-out of its hook
        a hook that prints garbage                runs       run here; tests with 0.169.0  codex ignores what is no answer: protect the program's file
        the hook itself                           allowed    files read here               a person trusted the hook; the agent skips it if it was changed since
        2 cases failed.
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn verify_notices_hooks_without_effect() {
    with_desk(async |desk| {
        assert_eq!(desk.types("install --verify").await.code, 1, "nothing is installed");
        write_settings(desk, ".claude/settings.json", "{\"disableAllHooks\": true}\n");
        desk.types("install claude-code --yes").await;
        let off = desk.types("install --verify").await;
        assert!(off.code == 1 && off.stdout.contains("turns hooks off"), "{off}");
        let guard_lost =
            read_raw(desk, ".claude/settings.json").replace("exit 2", "exit 0").replace("true", "false");
        desk.write_file(".claude/settings.json", &guard_lost);
        let changed = desk.types("install --verify").await;
        assert!(changed.code == 1 && changed.stdout.contains("changed by hand"), "{changed}");
        assert!(read_raw(desk, ".claude/settings.json").contains(COUNTERSIGN));
    })
    .await;
}

#[tokio::test]
async fn hook_names_the_link_that_was_called() {
    with_desk(async |desk| {
        std::fs::create_dir(desk.path("bin")).expect("a folder");
        let link = desk.path("bin").join("countersign");
        std::os::unix::fs::symlink(COUNTERSIGN, &link).expect("a link");
        let program = link.display().to_string();
        let database = desk.path("countersign.db").display().to_string();
        desk.run_program(&program, &["--database", &database, "install", "claude-code", "--yes"]).await;
        let settings = read(desk, ".claude/settings.json");
        let is_named = settings.contains("[here]/bin/countersign ");
        assert!(is_named, "an update replaces the target of the link: {settings}");
        std::fs::remove_file(&link).expect("removed");
        let doctor = desk.types("doctor").await;
        assert!(doctor.stdout.contains("is missing: run `countersign install` again"), "{doctor}");
    })
    .await;
}

#[tokio::test]
async fn verify_reads_all_layers_of_settings() {
    with_desk(async |desk| {
        desk.types("install claude-code --yes").await;
        let project = desk.path(".claude");
        let local = project.join("settings.local.json");
        let other = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"rewrite.sh"}]}]}}"#;
        std::fs::write(&local, other).expect("a file");
        let verified = desk.types("install --verify").await;
        assert_eq!(verified.code, 0, "{verified}");
        assert!(verified.stdout.contains("rewrite.sh in"), "{verified}");
        std::fs::write(&local, r#"{"disableAllHooks":true}"#).expect("a file");
        let verified = desk.types("install --verify").await;
        assert_eq!(verified.code, 1, "{verified}");
        assert!(verified.stdout.contains("turns hooks off"), "{verified}");
    })
    .await;
}

#[tokio::test]
async fn verify_names_servers_without_the_gateway() {
    with_desk(async |desk| {
        desk.types("install claude-code --yes").await;
        let here = desk.path("").canonicalize().expect("a folder").display().to_string();
        let servers = serde_json::json!({
            "mcpServers": {"all": {"command": "a"}},
            "projects": {
                here.trim_end_matches('/'): {"mcpServers": {"db": {"command": "db", "args": []}}},
                "/elsewhere": {"mcpServers": {"other": {"command": "o"}}},
            },
        });
        desk.write_file(".claude.json", &servers.to_string());
        let verified = desk.types("--json install --verify").await;
        let row = verified.stdout.lines().find(|line| line.contains("not wrapped")).expect("a row");
        assert!(row.contains("all, db: ") && !row.contains("other"), "{row}");
        desk.types("mcp wrap .claude.json --yes").await;
        let verified = desk.types("install --verify").await;
        assert!(verified.code == 0 && !verified.stdout.contains("not wrapped"), "{verified}");
    })
    .await;
}

#[tokio::test]
async fn program_in_a_cache_is_warned_about() {
    with_desk(async |desk| {
        for (folder, launcher, remedy) in [
            (".npm/_npx/a322/node_modules/countersign", "`npx`", "npm install --global countersign"),
            (".cache/uv/archive-v0/kX3/bin", "`uvx`", "uv tool install countersign-server"),
            (".cache/pipx/0f1/bin", "`pipx run`", "pipx install countersign-server"),
        ] {
            std::fs::create_dir_all(desk.path(folder)).expect("created");
            let program = desk.path(&format!("{folder}/countersign"));
            std::os::unix::fs::symlink(COUNTERSIGN, &program).expect("linked");
            let program = program.display().to_string();
            let installed = desk.try_program(&program, &["install", "gemini-cli", "--yes"]).await;
            assert_eq!(installed.code, 0, "{installed}");
            for text in ["warning: ", launcher, remedy] {
                assert!(installed.stderr.contains(text), "{text}: {installed}");
            }
            desk.write_file("mcp.json", r#"{"mcpServers": {"files": {"command": "files"}}}"#);
            let wrapped = desk.try_program(&program, &["mcp", "wrap", "mcp.json", "--yes"]).await;
            for text in ["warning: ", launcher, remedy, "run `countersign mcp wrap` again"] {
                assert!(wrapped.code == 0 && wrapped.stderr.contains(text), "{text}: {wrapped}");
            }
        }
        let installed = desk.types("install gemini-cli --yes").await;
        assert!(!installed.stderr.contains("warning"), "an installed program stays: {installed}");
        desk.write_file("mcp.json", r#"{"mcpServers": {"files": {"command": "files"}}}"#);
        let wrapped = desk.types("mcp wrap mcp.json --yes").await;
        assert!(wrapped.code == 0 && !wrapped.stderr.contains("warning"), "{wrapped}");
    })
    .await;
}

/// npm's launcher says how it was called. Another program must not write words of its own into hints.
#[tokio::test]
async fn hints_name_the_launcher_that_was_typed() {
    with_desk(async |desk| {
        desk.propose("t", "call_1", "bash", "{}").await;
        for (name, called_as, is_named) in
            [("a", "npx countersign", true), ("b", "countersign", true), ("c", "rm -r", false)]
        {
            desk.set_variable("COUNTERSIGN_CALLED_AS", called_as);
            let added = desk.types(&format!("webhook add {name} http://127.0.0.1:9/ --allow-private")).await;
            assert_eq!(added.code, 0, "{added}");
            let hint = format!("`{called_as} webhook test {name}` sends one now");
            assert_eq!(added.stderr.contains(&hint), is_named, "{hint}: {added}");
            assert!(added.stderr.contains(&format!("webhook test {name}` sends one now")), "{added}");
        }
    })
    .await;
}
