//! Which log, which server and which policy are meant, and what is said when they are not there.

use crate::desk::at_a_desk;
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn a_log_that_is_not_there_is_not_made_by_looking_at_it() {
    at_a_desk(async |desk| {
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: there is no database at countersign.db; `countersign serve` or `countersign run` makes one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("verify --database elsewhere.db").await, @"
        ! countersign: there is no database at elsewhere.db; `countersign serve` or `countersign run` makes one, --database names another
        exit 5
        ");
        assert_snapshot!(desk.types("run --database no/such/folder.db -- ls").await, @"
        ! countersign: the database no/such/folder.db cannot be made: No such file or directory (os error 2)
        exit 5
        ");
        assert_eq!(desk.runs("ls", &["-A"]).await, "");
    })
    .await;
}

#[tokio::test]
async fn a_file_of_another_kind_is_left_alone() {
    at_a_desk(async |desk| {
        desk.writes(
            "notes.txt",
            "buy milk, and do not forget the bread; this is longer than a header is\n".repeat(9).as_str(),
        );
        assert_snapshot!(desk.types("pending --database notes.txt").await, @"
        ! countersign: [here]/notes.txt is not a Countersign database (it is no SQLite database); nothing was changed, name another file
        exit 5
        ");
        desk.runs("sqlite3", &["other.db", "CREATE TABLE shop (id)"]).await;
        assert_snapshot!(desk.types("run --database other.db -- ls").await, @"
        ! countersign: [here]/other.db is not a Countersign database (it is another program's SQLite database); nothing was changed, name another file
        exit 5
        ");
        assert_eq!(desk.runs("sqlite3", &["other.db", ".tables"]).await.trim(), "shop");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_named() {
    at_a_desk(async |desk| {
        assert_snapshot!(desk.types("pending --server http://127.0.0.1:1").await, @"
        ! countersign: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
        exit 5
        ");
        assert_snapshot!(desk.types("run --server http://127.0.0.1:1 -- ls").await, @"
        ! countersign: no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
        exit 5
        ");
        assert_snapshot!(desk.types("pending --server localhost").await, @r#"
        ! countersign: "localhost" has no scheme; did you mean http://localhost?
        exit 2
        "#);
        assert_snapshot!(desk.types("pending --server https://example.com").await, @r#"
        ! countersign: "https://example.com" is no server's address (only http is spoken, and only on this machine); it looks like http://127.0.0.1:7878 or unix:/run/countersign.sock
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
async fn a_policy_that_is_broken_is_refused_with_its_place() {
    at_a_desk(async |desk| {
        assert_snapshot!(desk.types("run --policy policy.toml -- ls").await, @"
        ! countersign: the policy policy.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        desk.writes(
            "policy.toml",
            "default = \"ask\"\n\n[[rule]]\nname = \"a\"\ntool = []\nverdict = \"allow\"\n",
        );
        assert_snapshot!(desk.types("run --policy policy.toml -- ls").await, @"
        ! countersign: policy.toml: the policy is invalid at line 5, column 8: the list of tools is empty, so it can never match
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        desk.writes(
            "policy.toml",
            "default = \"ask\"\n[[rule]]\nname = \"a\"\ntools = \"bash\"\nverdict = \"allow\"\n",
        );
        assert_snapshot!(desk.types("run --policy policy.toml -- ls").await, @"
        ! countersign: policy.toml: the policy is invalid at line 4, column 1: a rule has no key `tools`; did you mean `tool`?
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        desk.writes("policy.toml", "default = ask");
        assert_snapshot!(desk.types("serve --policy policy.toml --listen 127.0.0.1:0").await, @"
        ! countersign: policy.toml: the policy cannot be read: TOML parse error at line 1, column 11
        !   |
        ! 1 | default = ask
        !   |           ^^^
        ! string values must be quoted, expected literal string
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
        assert_eq!(desk.runs("ls", &["-A"]).await, "policy.toml\n", "no log is made");
    })
    .await;
}

#[tokio::test]
async fn the_environment_stands_in_for_options_and_options_beat_it() {
    at_a_desk(async |desk| {
        desk.proposes("t1", "call_1", "bash", "{}").await;
        desk.sets("COUNTERSIGN_DATABASE", "nowhere.db");
        assert_eq!(desk.types("pending").await.code, 5);
        assert_eq!(desk.types("pending --database countersign.db").await.code, 0);
        assert_eq!(desk.types("pending --database sqlite://countersign.db").await.code, 0);
        desk.sets("COUNTERSIGN_SERVER", "http://127.0.0.1:1");
        assert_snapshot!(desk.types("pending").await, @"
        ! countersign: COUNTERSIGN_SERVER names a server and COUNTERSIGN_DATABASE names a database; use only one of them
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_eq!(desk.types("pending --database countersign.db").await.code, 0);
        desk.sets("COUNTERSIGN_SERVER", "");
        desk.sets("COUNTERSIGN_POLICY", "nowhere.toml");
        assert_snapshot!(desk.types("run --database countersign.db -- ls").await, @"
        ! countersign: the policy nowhere.toml cannot be read: No such file or directory (os error 2)
        ! hint: correct the policy (see docs/policy.md), or use another file with --policy
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn every_command_works_over_a_server_too() {
    at_a_desk(async |desk| {
        over_http("default = \"ask\"", async |town| {
            desk.sets("COUNTERSIGN_SERVER", &format!("http://{}", town.service.address));
            assert_eq!(desk.types("pending").await.stdout, "No call is pending.\n");
            let mut run = desk.starts("run --id call_1 -- bash -c 'echo out; exit 3'");
            run.complains("is pending").await;
            assert_snapshot!(desk.types("allow call_1 --as user:ada").await, @"
            Allowed call_1 once.
            exit 0
            ");
            assert_eq!(run.ends().await.code, 3);
            assert_snapshot!(desk.types("deny call_1 --as user:ada").await, @"
            ! countersign: decided already: allow_once by user:ada at [time]
            ! hint: `countersign show ID` shows the call and its events
            exit 3
            ");
            assert_eq!(desk.types("show call_1").await.code, 0);
        })
        .await;
    })
    .await;
}
