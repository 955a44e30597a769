//! The sources of settings: their errors and their precedence.

use crate::desk::{COUNTERSIGN, with_desk};
use insta::assert_snapshot;

#[tokio::test]
async fn bad_limit_of_serve_is_refused() {
    with_desk(async |desk| {
        for (file, why) in [
            ("max_connections = 0", "`max_connections` must be a number, at least 1"),
            ("max_connections = \"many\"", "`max_connections` must be a number, at least 1"),
            ("timeouts = [\"head=0\"]", "the seconds must be more than 0"),
            (
                "max_connections = 10\ntimeouts = \"tail=1\"",
                "the steps are connect, head, body, idle and write",
            ),
        ] {
            desk.write_file("countersign.toml", file);
            let refused = desk.types("serve --listen 127.0.0.1:0").await;
            assert!(refused.stderr.contains(why), "{file}: {}", refused.stderr);
        }
    })
    .await;
}

#[tokio::test]
async fn unknown_key_is_reported_with_its_line() {
    with_desk(async |desk| {
        desk.write_file("countersign.toml", "# ours\n\npolcy = \"policy.toml\"\n");
        assert_snapshot!(desk.types("config").await, @"
        ! countersign: countersign.toml, line 3: unknown setting `polcy`; did you mean `policy`?
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("countersign.toml", "frequency = 5\n");
        assert_snapshot!(desk.types("pending --json").await, @r#"
        ! {"code":"bad_setting","detail":"countersign.toml, line 1: unknown setting `frequency`; the settings are database, database_file, server, tls_ca, policy, as, token_file, solo, identity_header, identity_roles, oidc_issuer, oidc_client_id, oidc_client_secret_file, oidc_roles, oidc_levels, oidc_groups, oidc_name_claim, oidc_email_domains, oidc_scopes, oidc_label, listen, reuse_port, max_connections, timeouts, max_body, caller_limits, tls_certificate, tls_key, behind_proxy, public_urls, frame_by, cors_origins, checkpoint_key, checkpoint_to, checkpoint_every, webhook_key, push_key, push_private, advisor_commands, log, log_format, otlp, bell, colour","hint":"see docs/configuration.md for the settings"}
        exit 2
        "#);
        desk.write_file("countersign.toml", "listen = [7878]\n");
        assert_snapshot!(desk.types("config").await, @"
        ! countersign: countersign.toml, line 1: `listen` must be a string or a list of strings
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("countersign.toml", "bell = \"loud\"\n");
        assert_snapshot!(desk.types("config").await, @"
        ! countersign: countersign.toml, line 1: `bell` must be true or false
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("countersign.toml", "colour = \"green\"\n");
        assert_snapshot!(desk.types("config").await, @"
        ! countersign: countersign.toml, line 1: `colour` must be auto, always or never
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("countersign.toml", "[database]\nfile = \"a.db\"\n");
        assert_snapshot!(desk.types("config").await, @"
        ! countersign: countersign.toml, line 1: `database` must be a string in quotation marks
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("countersign.toml", "database = a.db\n");
        assert_snapshot!(desk.types("config").await, @"
        ! countersign: countersign.toml: TOML parse error at line 1, column 12
        !   |
        ! 1 | database = a.db
        !   |            ^^^^
        ! string values must be quoted, expected literal string
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_snapshot!(desk.types("config --config elsewhere.toml").await, @"
        ! countersign: the settings elsewhere.toml cannot be read: No such file or directory (os error 2)
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_eq!(desk.types("version").await.code, 0, "a command without settings works");
    })
    .await;
}

#[tokio::test]
async fn invalid_variable_is_reported() {
    with_desk(async |desk| {
        desk.set_variable("COUNTERSIGN_LOG_FORMAT", "xml");
        assert_snapshot!(desk.types("config").await, @r#"
        ! countersign: COUNTERSIGN_LOG_FORMAT is "xml", but must be human or json
        ! hint: see docs/configuration.md for the settings
        exit 2
        "#);
        desk.set_variable("COUNTERSIGN_LOG_FORMAT", "");
        desk.set_variable("COUNTERSIGN_BELL", "maybe");
        assert_snapshot!(desk.types("config").await, @r#"
        ! countersign: COUNTERSIGN_BELL is "maybe", but must be true or false
        ! hint: see docs/configuration.md for the settings
        exit 2
        "#);
        desk.set_variable("COUNTERSIGN_BELL", "off");
        desk.set_variable("COUNTERSIGN_LOG", "warn,=");
        assert_snapshot!(desk.types("config").await, @r#"
        ! countersign: COUNTERSIGN_LOG is "warn,=": invalid filter directive
        exit 2
        "#);
        desk.set_variable("COUNTERSIGN_LOG", "warn");
        desk.set_variable("COUNTERSIGN_OTLP", "localhost:4318");
        assert_snapshot!(desk.types("config").await, @r#"
        ! countersign: "localhost:4318" is not the address of a collector (only http is supported); an example is http://127.0.0.1:4318
        exit 2
        "#);
    })
    .await;
}

/// The file chooses the policy and the approver's name, so only its owner may write it, also through a symbolic link.
#[tokio::test]
async fn settings_file_writable_by_others_is_refused() {
    with_desk(async |desk| {
        desk.write_file("theirs.toml", "bell = false\n");
        desk.run_program("ln", &["-s", "theirs.toml", "countersign.toml"]).await;
        for mode in ["666", "664", "646"] {
            desk.run_program("chmod", &[mode, "theirs.toml"]).await;
            let refused = desk.types("config").await;
            assert!(
                refused.stderr.contains("countersign.toml is writable by other users"),
                "{mode}: {refused}"
            );
            assert_eq!(refused.code, 2);
        }
        assert_eq!(
            desk.types("config --config countersign.toml").await.code,
            0,
            "an explicitly named file is used"
        );
    })
    .await;
}

#[tokio::test]
async fn option_beats_environment_and_environment_beats_file() {
    with_desk(async |desk| {
        desk.write_file(
            "countersign.toml",
            "database = \"file.db\"\npolicy = \"rules/policy.toml\"\ncolour = \"always\"\nlisten = [\"127.0.0.1:0\", \"unix:run/sock\"]\nas = \"user:file\"\nbell = false\n",
        );
        desk.set_variable("COUNTERSIGN_DATABASE", "environment.db");
        desk.set_variable("COUNTERSIGN_LOG", "debug");
        desk.set_variable("COUNTERSIGN_REUSE_PORT", "yes");
        desk.set_variable("NO_COLOR", "1");
        assert_snapshot!(desk.types("config --config countersign.toml --as user:option").await, @"
        KEY                      VALUE                                             FROM
        database                 environment.db                                    COUNTERSIGN_DATABASE
        database_file                                                              not used
        server                                                                     not used
        tls_ca                                                                     not set
        policy                   rules/policy.toml                                 countersign.toml:2
        as                       user:option                                       --as
        token_file                                                                 not set
        solo                     false                                             default
        identity_header                                                            not set
        identity_roles           approver                                          default
        oidc_issuer                                                                not set
        oidc_client_id                                                             not set
        oidc_client_secret_file                                                    not set
        oidc_roles                                                                 not set
        oidc_levels                                                                not set
        oidc_groups                                                                not set
        oidc_name_claim          email                                             default
        oidc_email_domains                                                         not set
        oidc_scopes              email, profile                                    default
        oidc_label               the host of the provider                          default
        listen                   127.0.0.1:0, unix:run/sock                        countersign.toml:4
        reuse_port               true                                              COUNTERSIGN_REUSE_PORT
        max_connections                                                            not set
        timeouts                 connect=10, head=10, body=30, idle=120, write=30  default
        max_body                 1048576                                           default
        caller_limits            requests=5000, streams=5000, waits=10000          default
        tls_certificate                                                            not set
        tls_key                                                                    not set
        behind_proxy                                                               not set
        public_urls                                                                not set
        frame_by                                                                   not set
        cors_origins                                                               not set
        checkpoint_key                                                             not set
        checkpoint_to                                                              not set
        checkpoint_every         1h                                                default
        webhook_key              webhook.key                                       default
        push_key                 push.key                                          default
        push_private             false                                             default
        advisor_commands         false                                             default
        log                      debug                                             COUNTERSIGN_LOG
        log_format               human                                             default
        otlp                                                                       not set
        bell                     false                                             countersign.toml:6
        colour                   never                                             NO_COLOR
        exit 0
        ");
        assert_snapshot!(desk.types("config --path").await, @"
        countersign.toml
        exit 0
        ");
    })
    .await;
}

/// Settings in a cloned folder come from another person, so they must not choose the policy, the log or the
/// approver's name.
#[tokio::test]
async fn folder_settings_cannot_choose_policy_or_log() {
    with_desk(async |desk| {
        desk.write_file("allow-all.toml", "default = \"allow\"\n");
        desk.write_file(
            "countersign.toml",
            "policy = \"allow-all.toml\"\nserver = \"http://127.0.0.1:1\"\nas = \"user:eve\"\nbell = false\n",
        );
        let mut run = desk.start("run --id call_1 -- touch ran");
        run.wait_for_stderr("is pending").await;
        assert_snapshot!(desk.types("deny call_1").await, @"
        Denied call_1.
        ! note: ignored: server, policy, as in countersign.toml, a file in the current folder; use --config countersign.toml to apply them
        exit 0
        ");
        assert_eq!(run.wait_for_exit().await.code, 77);
        assert!(!desk.path("ran").exists());
        let output = desk.types("show call_1 --json --as user:ada").await.stderr;
        assert_snapshot!(output, @r#"{"notice":"ignored: server, policy in countersign.toml, a file in the current folder; use --config countersign.toml to apply them"}"#);
        let shown = desk.types("config").await;
        assert_eq!(shown.stdout.matches("is ignored without --config").count(), 3, "{shown}");
        assert_eq!(shown.stdout.matches("  countersign.toml:4").count(), 1, "the bell is: {shown}");
        assert_eq!(shown.stderr, "");
        let shown = desk.types("config --json").await.stdout;
        assert!(shown.contains(r#""notTaken":"countersign.toml:1""#), "{shown}");
        let plainly = "pending --database countersign.db --policy allow-all.toml --as user:ada";
        assert_eq!(desk.types(plainly).await.stderr, "", "a stronger source sets it");
        assert_snapshot!(desk.types("pending --config countersign.toml").await, @"
        ! countersign: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
        exit 5
        ");
    })
    .await;
}

/// A path that is not UTF-8 must not be treated as absent.
#[tokio::test]
async fn non_utf8_variable_is_not_ignored() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let line =
            format!("COUNTERSIGN_DATABASE=$(printf '/srv/\\377.db') {COUNTERSIGN} pending 2>&1; echo $?");
        assert_snapshot!(desk.run_program("sh", &["-c", &line]).await, @"
        countersign: COUNTERSIGN_DATABASE is not valid UTF-8
        hint: see docs/configuration.md for the settings
        2
        ");
        let line = format!("HOME=$(printf '/srv/\\377') {COUNTERSIGN} pending >&2; echo $?");
        assert_eq!(desk.run_program("sh", &["-c", &line]).await, "0\n", "the home folder need not be UTF-8");
    })
    .await;
}

/// If a server and a file are set, the stronger source wins. A server and a file from the same source conflict.
#[tokio::test]
async fn server_and_file_follow_precedence() {
    with_desk(async |desk| {
        desk.set_variable("COUNTERSIGN_CONFIG", "countersign.toml");
        desk.write_file("countersign.toml", "server = \"http://127.0.0.1:1\"\ndatabase = \"file.db\"\n");
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: countersign.toml:1 names a server and countersign.toml:2 names a database; use only one of them
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_snapshot!(desk.types("verify").await, @"
        ! countersign: there is no database at file.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        desk.set_variable("COUNTERSIGN_DATABASE", "environment.db");
        desk.set_variable("COUNTERSIGN_AS", "user:ada");
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: there is no database at environment.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("config").await, @"
        KEY                      VALUE                                             FROM
        database                 environment.db                                    COUNTERSIGN_DATABASE
        database_file                                                              not used
        server                   http://127.0.0.1:1                                countersign.toml:1, overridden
        tls_ca                                                                     not set
        policy                                                                     not set
        as                       user:ada                                          COUNTERSIGN_AS
        token_file                                                                 not set
        solo                     false                                             default
        identity_header                                                            not set
        identity_roles           approver                                          default
        oidc_issuer                                                                not set
        oidc_client_id                                                             not set
        oidc_client_secret_file                                                    not set
        oidc_roles                                                                 not set
        oidc_levels                                                                not set
        oidc_groups                                                                not set
        oidc_name_claim          email                                             default
        oidc_email_domains                                                         not set
        oidc_scopes              email, profile                                    default
        oidc_label               the host of the provider                          default
        listen                   127.0.0.1:7878                                    default
        reuse_port               false                                             default
        max_connections                                                            not set
        timeouts                 connect=10, head=10, body=30, idle=120, write=30  default
        max_body                 1048576                                           default
        caller_limits            requests=5000, streams=5000, waits=10000          default
        tls_certificate                                                            not set
        tls_key                                                                    not set
        behind_proxy                                                               not set
        public_urls                                                                not set
        frame_by                                                                   not set
        cors_origins                                                               not set
        checkpoint_key                                                             not set
        checkpoint_to                                                              not set
        checkpoint_every         1h                                                default
        webhook_key              webhook.key                                       default
        push_key                 push.key                                          default
        push_private             false                                             default
        advisor_commands         false                                             default
        log                      error                                             default
        log_format               human                                             default
        otlp                                                                       not set
        bell                     true                                              default
        colour                   auto                                              default
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn server_and_database_of_environment_conflict() {
    with_desk(async |desk| {
        desk.set_variable("COUNTERSIGN_CONFIG", "countersign.toml");
        desk.write_file("countersign.toml", "server = \"http://127.0.0.1:1\"\ndatabase = \"file.db\"\n");
        desk.set_variable("COUNTERSIGN_DATABASE", "environment.db");
        desk.set_variable("COUNTERSIGN_AS", "user:ada");
        desk.set_variable("COUNTERSIGN_SERVER", "http://127.0.0.1:2");
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: COUNTERSIGN_SERVER names a server and COUNTERSIGN_DATABASE names a database; use only one of them
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_eq!(desk.types("pending --database option.db").await.code, 5);
    })
    .await;
}

#[tokio::test]
async fn folder_settings_come_before_home_settings() {
    with_desk(async |desk| {
        std::fs::create_dir_all(desk.path(".config/countersign")).expect("writable");
        desk.write_file(".config/countersign/config.toml", "database = \"log.db\"\n");
        assert_snapshot!(desk.types("config --path").await, @"
        [here]/.config/countersign/config.toml
        exit 0
        ");
        let output = desk.types("config --json").await.stdout;
        assert!(
            output.contains(r#""value":"[here]/.config/countersign/log.db""#),
            "beside the file: {output}"
        );
        desk.write_file("countersign.toml", "");
        assert_snapshot!(desk.types("config --path").await, @"
        countersign.toml
        exit 0
        ");
        desk.set_variable("COUNTERSIGN_CONFIG", ".config/countersign/config.toml");
        assert_snapshot!(desk.types("config --path --json").await, @r#"
        {"file":".config/countersign/config.toml"}
        exit 0
        "#);
    })
    .await;
}

/// The configured name applies to decisions, not to proposals, because a person may not decide on their own proposals.
#[tokio::test]
async fn configured_person_decides_but_does_not_propose() {
    with_desk(async |desk| {
        desk.set_variable("COUNTERSIGN_AS", "user:ada");
        desk.propose("t1", "call_1", "bash", "{}").await;
        let decided = desk.types("allow call_1 --json").await.stdout;
        assert!(decided.contains(r#""principal":"user:ada""#), "{decided}");
        desk.apply_policy("default = \"allow\"").await;
        let ran = desk.types("run --json -- true").await.stdout;
        assert!(!ran.contains("user:ada"), "{ran}");
    })
    .await;
}
