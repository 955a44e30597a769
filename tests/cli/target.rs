//! Choosing the log, the server and the policy, and the errors if one is missing or invalid.

use crate::desk::{with_desk, with_empty_desk};
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn reading_a_missing_log_does_not_create_it() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: there is no database at [here]/.local/share/countersign/countersign.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("verify --database elsewhere.db").await, @"
        ! countersign: there is no database at elsewhere.db; `countersign serve` or `countersign run` creates one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("run --database no/such/folder.db -- ls").await, @"
        ! countersign: the database no/such/folder.db cannot be created: No such file or directory (os error 2)
        exit 5
        ");
        assert_eq!(desk.run_program("ls", &["-A"]).await, "");
    })
    .await;
}

#[tokio::test]
async fn foreign_file_is_left_alone() {
    with_desk(async |desk| {
        desk.write_file(
            "notes.txt",
            "buy milk, and do not forget the bread; this is longer than a header is\n".repeat(9).as_str(),
        );
        assert_snapshot!(desk.types("pending --database notes.txt").await, @"
        ! countersign: [here]/notes.txt is not a Countersign database (it is not a SQLite database); nothing was changed, name another file
        exit 5
        ");
        desk.run_program("sqlite3", &["other.db", "CREATE TABLE shop (id)"]).await;
        assert_snapshot!(desk.types("run --database other.db -- ls").await, @"
        ! countersign: [here]/other.db is not a Countersign database (it is another program's SQLite database); nothing was changed, name another file
        exit 5
        ");
        assert_eq!(desk.run_program("sqlite3", &["other.db", ".tables"]).await.trim(), "shop");
    })
    .await;
}

#[tokio::test]
async fn unreachable_server_is_reported() {
    with_desk(async |desk| {
        assert_snapshot!(desk.types("pending --server http://127.0.0.1:1").await, @"
        ! countersign: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
        exit 5
        ");
        assert_snapshot!(desk.types("stop --server http://127.0.0.1:1").await, @"
        ! countersign: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
        exit 5
        ");
        assert_snapshot!(desk.types("pending --server localhost").await, @r#"
        ! countersign: "localhost" has no scheme; did you mean http://localhost?
        exit 2
        "#);
        assert_snapshot!(desk.types("pending --server ftp://example.com").await, @r#"
        ! countersign: "ftp://example.com" is not the address of a server (the scheme must be http or https); use an address such as http://127.0.0.1:7878 or unix:/run/countersign.sock
        exit 2
        "#);
        assert_snapshot!(desk.types("verify --server http://127.0.0.1:1").await, @"
        ! countersign: verify works on a database: use --database instead of --server
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn invalid_policy_is_refused_with_its_line() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("run --policy policy.toml -- ls").await, @"
        ! countersign: the policy policy.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        desk.write_file(
            "policy.toml",
            "default = \"ask\"\n\n[[rule]]\nname = \"a\"\ntool = []\nverdict = \"allow\"\n",
        );
        assert_snapshot!(desk.types("run --policy policy.toml -- ls").await, @"
        ! countersign: policy.toml: the policy is invalid at line 5, column 8: the list of tools is empty, so it can never match
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        desk.write_file(
            "policy.toml",
            "default = \"ask\"\n[[rule]]\nname = \"a\"\ntools = \"bash\"\nverdict = \"allow\"\n",
        );
        assert_snapshot!(desk.types("run --policy policy.toml -- ls").await, @"
        ! countersign: policy.toml: the policy is invalid at line 4, column 1: a rule has no key `tools`; did you mean `tool`?
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        desk.write_file("policy.toml", "default = ask");
        assert_snapshot!(desk.types("serve --policy policy.toml --listen 127.0.0.1:0").await, @"
        ! countersign: policy.toml: the policy cannot be read: TOML parse error at line 1, column 11
        !   |
        ! 1 | default = ask
        !   |           ^^^
        ! string values must be quoted, expected literal string
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_eq!(desk.run_program("ls", &["-A"]).await, "policy.toml\n", "no log is created");
    })
    .await;
}

#[tokio::test]
async fn options_beat_the_environment() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.set_variable("COUNTERSIGN_DATABASE", "nowhere.db");
        assert_eq!(desk.types("pending").await.code, 5);
        assert_eq!(desk.types("pending --database countersign.db").await.code, 0);
        assert_eq!(desk.types("pending --database sqlite://countersign.db").await.code, 0);
        desk.set_variable("COUNTERSIGN_SERVER", "http://127.0.0.1:1");
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: COUNTERSIGN_SERVER names a server and COUNTERSIGN_DATABASE names a database; use only one of them
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_eq!(desk.types("pending --database countersign.db").await.code, 0);
        desk.set_variable("COUNTERSIGN_SERVER", "");
        desk.set_variable("COUNTERSIGN_POLICY", "nowhere.toml");
        assert_snapshot!(desk.types("run --database countersign.db -- ls").await, @"
        ! countersign: the policy nowhere.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn commands_work_over_a_server() {
    with_empty_desk(async |desk| {
        over_http("default = \"ask\"", async |server_world| {
            desk.set_variable("COUNTERSIGN_SERVER", &format!("http://{}", server_world.service.address));
            assert!(desk.types("pending").await.stdout.starts_with("No call is pending in http://"));
            let mut run = desk.start("run --id call_1 -- bash -c 'echo out; exit 3'");
            run.wait_for_stderr("is pending").await;
            assert_snapshot!(desk.types("allow call_1").await, @"
            Allowed call_1 once.
            exit 0
            ");
            assert_eq!(run.wait_for_exit().await.code, 3);
            assert_snapshot!(desk.types("deny call_1").await, @"
            ! countersign: decided already: allow_once by user:local (solo) at [time]
            ! hint: `countersign show ID` shows the call and its events
            exit 3
            ");
            assert_eq!(desk.types("show call_1").await.code, 0);
        })
        .await;
    })
    .await;
}
