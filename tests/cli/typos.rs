//! Typing errors: each is reported, so that none disables a setting silently.

use crate::desk::with_desk;
use insta::assert_snapshot;

#[tokio::test]
async fn mistyped_log_level_does_not_disable_the_log() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("config --log debgu").await, @r#"
        ! countersign: --log is "debgu": "debgu" is not a level; did you mean debug?
        exit 2
        "#);
        assert_snapshot!(desk.types("config --log warn,elsewhere").await, @r#"
        ! countersign: --log is "warn,elsewhere": "elsewhere" is not a level; use one of off, error, warn, info, debug, trace, or a filter such as elsewhere=debug
        exit 2
        "#);
        for level in ["DEBUG", "off", "warn,countersign_server=debug", "countersign_gate", "sqlx=info", "3"] {
            assert_eq!(desk.types(&format!("config --log {level}")).await.code, 0, "{level}");
        }
    })
    .await;
}

#[tokio::test]
async fn invalid_command_line_is_reported_as_json() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("calls --state foo --json").await, @r#"
        ! {"code":"usage","detail":"invalid value 'foo' for '--state <STATE>'\n  [possible values: pending, allowed, denied, running, finished, unknown, cancelled, expired, unanswered, blocked, lapsed, succeeded, failed]","hint":"run `countersign COMMAND --help` to list the options of a command"}
        exit 2
        "#);
        assert_snapshot!(desk.types("show --json").await, @r#"
        ! {"code":"usage","detail":"the following required arguments were not provided:\n  <ID>","hint":"run `countersign COMMAND --help` to list the options of a command"}
        exit 2
        "#);
        assert_snapshot!(desk.types("--json").await, @r#"
        ! {"code":"usage","detail":"'countersign' requires a subcommand but one was not provided\n  [subcommands: up, down, status, serve, run, mcp, permission-prompt, pending, watch, show, allow, deny, stop, take-back, release, flag, erase, log, calls, thread, grant, tool, token, delegation, approver-key, webhook, advisor, policy, install, uninstall, hook, acp, codex-app-server, stats, doctor, verify, checkpoint, migrate, archive, compact, backup, restore, copy, demo, config, completions, man, version, reference, help]","hint":"run `countersign COMMAND --help` to list the options of a command"}
        exit 2
        "#);
        assert_snapshot!(desk.types("show --jsno --json").await, @r#"
        ! {"code":"usage","detail":"unexpected argument '--jsno' found\n\n  tip: a similar argument exists: '--json'","hint":"run `countersign COMMAND --help` to list the options of a command"}
        exit 2
        "#);
        let output = desk.types("run -x -- ls --json").await;
        assert!(output.stderr.starts_with("error:"), "an option after -- belongs to the command");
        assert_eq!(desk.types_bytes("--version", b"\xff").await.code, 0);
    })
    .await;
}

#[tokio::test]
async fn server_without_scheme_gets_a_suggestion() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("pending --server 127.0.0.1:7878").await, @r#"
        ! countersign: "127.0.0.1:7878" has no scheme; did you mean http://127.0.0.1:7878?
        exit 2
        "#);
        assert_snapshot!(desk.types("pending --server localhost:7878").await, @r#"
        ! countersign: "localhost:7878" has no scheme; did you mean http://localhost:7878?
        exit 2
        "#);
    })
    .await;
}

#[tokio::test]
async fn unusable_listen_address_is_reported_with_a_remedy() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("serve --listen unix:nowhere/sock").await, @"
        ! countersign: cannot listen on unix:nowhere/sock: No such file or directory (os error 2)
        ! hint: create the folder, or use another address with --listen
        exit 1
        ");
        let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = taken.local_addr().expect("bound").port();
        let output = desk.types(&format!("serve --listen 127.0.0.1:{port}")).await;
        assert_snapshot!(output.to_string().replace(&port.to_string(), "[port]"), @"
        ! countersign: cannot listen on [port]: Address already in use (os error 98)
        ! hint: use another address with --listen; --reuse-port shares a port between servers that all set it
        exit 1
        ");
    })
    .await;
}

/// Browsers try both addresses of this machine for the pages' host.
#[tokio::test]
async fn port_taken_on_ipv6_is_refused() {
    with_desk(async |desk| {
        let taken = std::net::TcpListener::bind("[::1]:0").expect("a port");
        let port = taken.local_addr().expect("bound").port();
        let output = desk.types(&format!("serve --listen 127.0.0.1:{port}")).await;
        assert_snapshot!(output.to_string().replace(&port.to_string(), "PORT"), @"
        ! countersign: cannot listen on [::1]:PORT: Address already in use (os error 98)
        ! hint: use another address with --listen; --reuse-port shares a port between servers that all set it
        exit 1
        ");
        let both = format!("serve --listen 127.0.0.1:0 --listen [::1]:{port}");
        assert!(desk.types(&both).await.to_string().contains("Address already in use"));
    })
    .await;
}

/// Commands that only read or revoke do not use the policy, so an invalid policy must not stop them.
#[tokio::test]
async fn invalid_policy_stops_only_commands_that_use_it() {
    with_desk(async |desk| {
        for id in ["call_1", "call_2"] {
            desk.propose("t1", id, "bash", "{}").await;
        }
        assert_eq!(desk.types("allow call_2 --session tool --as user:ada").await.code, 0);
        desk.write_file("policy.toml", "broken = [");
        desk.set_variable("COUNTERSIGN_POLICY", "policy.toml");
        assert_snapshot!(desk.types("allow call_1 --as user:ada").await, @"
        ! countersign: policy.toml: the policy cannot be read: TOML parse error at line 1, column 11
        !   |
        ! 1 | broken = [
        !   |           ^
        ! unclosed array, expected `]`
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        for line in ["run -- ls", "serve --listen 127.0.0.1:0", "deny call_1", "watch --plain"] {
            assert_eq!(desk.types(line).await.code, 2, "{line}");
        }
        let unaffected =
            ["pending", "show call_1", "log", "calls", "thread list", "grant list t1", "stats", "verify"];
        for line in unaffected {
            assert_eq!(desk.types(line).await.code, 0, "{line}");
        }
        for line in ["thread mode t1", "thread policy t1", "grant revoke t1 6", "thread close t1"] {
            let output = desk.types(&format!("{line} --as user:ada")).await;
            assert_eq!(output.code, 0, "{line}: {output}");
        }
        let doctor = desk.types("doctor").await;
        assert!(
            doctor.stdout.contains("verify") || doctor.code == 1,
            "doctor reports the policy and continues: {doctor}"
        );
    })
    .await;
}

#[tokio::test]
async fn command_without_effect_does_not_report_a_change() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_eq!(desk.types("allow call_1 --session tool --as user:ada").await.code, 0);
        assert_snapshot!(desk.types("grant revoke t1 3 --as user:ada").await, @"
        ! countersign: there is no grant 3 in this thread
        ! hint: `countersign grant list THREAD` lists the active grants
        exit 4
        ");
        assert_snapshot!(desk.types("grant revoke t1 3 --as user:ada").await, @"
        ! countersign: there is no grant 3 in this thread
        ! hint: `countersign grant list THREAD` lists the active grants
        exit 4
        ");
        assert_eq!(desk.types("thread close t1 --as user:ada").await.code, 0);
        assert_snapshot!(desk.types("thread close t1 --as user:ada").await, @"
        Nothing changed: thread t1 was already closed by user:ada at [time].
        exit 0
        ");
    })
    .await;
}
