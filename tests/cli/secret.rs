//! Passwords in database addresses: the places where they may be stored, and output without them.

use crate::desk::{TerminalDesk, with_desk};
use insta::assert_snapshot;

/// An address without a server, so that every command reports an error.
const ADDRESS: &str = "postgres://ada:s3cret@127.0.0.1:1/log?application_name=desk";

/// Runs a command, and checks that its output does not contain the password. Returns the complete output.
async fn types(desk: &TerminalDesk, line: &str) -> String {
    let output = desk.types(line).await;
    let text = output.to_string();
    assert!(!text.contains("s3cret"), "{line}: {text}");
    assert!(!text.contains("panicked"), "{line}: {text}");
    text
}

#[tokio::test]
async fn output_never_contains_the_password() {
    with_desk(async |desk| {
        desk.write_file("secret", &format!("{ADDRESS}\n"));
        desk.run_program("chmod", &["600", "secret"]).await;
        desk.set_variable("COUNTERSIGN_DATABASE", ADDRESS);
        let named = format!("--database '{ADDRESS}'");
        for way in ["", &named, "--database-file secret"] {
            for command in [
                "config",
                "config --json",
                "pending",
                "pending --json",
                "doctor",
                "doctor --json",
                "verify",
                "serve --listen 127.0.0.1:0",
                "serve --listen 127.0.0.1:0 --json",
                "stats",
                "log",
                "calls",
                "show call_1",
                "allow call_1",
                "watch --plain",
                "run -- true",
            ] {
                for log in ["", "--log trace", "--log trace --log-format json"] {
                    types(desk, &format!("{command} {way} {log}")).await;
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn invalid_address_is_reported_without_its_password() {
    with_desk(async |desk| {
        for line in [
            ADDRESS.to_owned(),
            format!("pending '{ADDRESS}'"),
            format!("pending '{ADDRESS}' --json"),
            format!("pending --server '{ADDRESS}'"),
            "pending --database postgres:ada:s3cret@db/log".to_owned(),
            "pending --database 'host=db user=ada password=s3cret'".to_owned(),
            "pending --database postgres://ada:s3cret@db:port/log".to_owned(),
            "pending --database 'postgres://ada:1/s3cret@db/log'".to_owned(),
            "pending --database 'postgres://ada:s3cret@db/log?sslmod=require'".to_owned(),
            "pending --database 'mysql://ada:s3cret@db/log'".to_owned(),
        ] {
            types(desk, &line).await;
        }
        desk.write_file("unquoted.toml", "database = postgres://ada:s3cret@db/log\n");
        types(desk, "pending --config unquoted.toml").await;
        desk.write_file("quoted.toml", "database = \"postgres://ada:s3cret@db/log?sslmod=require\"\n");
        assert_snapshot!(types(desk, "pending --config quoted.toml").await, @r#"
        ! countersign: quoted.toml:1: "sslmod" is not a parameter of a postgres:// address; use one of sslmode, sslrootcert, sslcert, sslkey, host, hostaddr, port, dbname, user, password, application_name, options, schema, pooler, listen_host, listen_port
        ! hint: see docs/postgresql.md for the format of an address
        exit 2
        "#);
        assert_snapshot!(types(desk, "pending --database 'host=db password=s3cret'").await, @"
        ! countersign: --database: this is neither a path nor a valid address; write postgres://USER@HOST/DATABASE
        ! hint: see docs/postgresql.md for the format of an address
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn password_in_a_readable_file_is_refused() {
    with_desk(async |desk| {
        desk.write_file("secret", ADDRESS);
        desk.run_program("chmod", &["644", "secret"]).await;
        assert_snapshot!(types(desk, "pending --database-file secret").await, @"
        ! countersign: secret is not used, because every user of this machine can access it and it may contain a password; run chmod 600 (or 640 if another user owns it)
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.run_program("chmod", &["660", "secret"]).await;
        assert_snapshot!(types(desk, "pending --database-file secret").await, @"
        ! countersign: secret is not used, because its group can write to it and it may contain a password; run chmod 600 (or 640 if another user owns it)
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.run_program("chmod", &["640", "secret"]).await;
        assert_eq!(desk.types("pending --database-file secret").await.code, 5, "the group may read the file");
        assert_snapshot!(types(desk, "pending --database-file nowhere").await, @"
        ! countersign: nowhere cannot be read: No such file or directory (os error 2)
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("secret", "\n");
        assert_snapshot!(types(desk, "pending --database-file secret").await, @"
        ! countersign: secret is empty; it must contain an address as for --database
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.write_file("secret", "log.db\nother.db\n");
        assert_snapshot!(types(desk, "pending --database-file secret").await, @"
        ! countersign: secret must contain one line, an address as for --database
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
    })
    .await;
}

#[tokio::test]
async fn address_and_address_file_follow_precedence() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.write_file("secret", "countersign.db\n");
        desk.run_program("chmod", &["600", "secret"]).await;
        desk.set_variable("COUNTERSIGN_DATABASE_FILE", "secret");
        assert_eq!(desk.types("pending").await.code, 0);
        assert_eq!(desk.types("pending --database nowhere.db").await.code, 5, "an option overrides a variable");
        desk.write_file("here.toml", "database = \"nowhere.db\"\n");
        assert_eq!(desk.types("pending --config here.toml").await.code, 0, "a variable overrides the settings file");
        desk.set_variable("COUNTERSIGN_AS", "user:ada");
        let config = types(desk, "config").await;
        let of_database = |line: &&str| line.starts_with("database");
        let lines: Vec<Vec<_>> =
            config.lines().filter(of_database).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            lines,
            [vec!["database", "not", "used"], vec!["database_file", "secret", "COUNTERSIGN_DATABASE_FILE"]]
        );
        desk.set_variable("COUNTERSIGN_DATABASE", "nowhere.db");
        assert_snapshot!(types(desk, "verify").await, @"
        ! countersign: COUNTERSIGN_DATABASE and COUNTERSIGN_DATABASE_FILE both name a database; use only one of them
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        desk.set_variable("COUNTERSIGN_DATABASE", "");
        desk.set_variable("COUNTERSIGN_SERVER", "http://127.0.0.1:1");
        assert_snapshot!(types(desk, "pending").await, @"
        ! countersign: COUNTERSIGN_SERVER names a server and COUNTERSIGN_DATABASE_FILE names a database; use only one of them
        ! hint: see docs/configuration.md for the settings
        exit 2
        ");
        assert_eq!(desk.types("pending --database-file secret --database countersign.db").await.code, 2);
    })
    .await;
}

/// The error message of the driver quotes the line.
#[tokio::test]
async fn invalid_pgpass_line_is_not_printed() {
    with_desk(async |desk| {
        desk.write_file(".pgpass", "127.0.0.1:1:s3cret\n");
        desk.run_program("chmod", &["600", ".pgpass"]).await;
        let output = desk.types("pending --log trace --database postgres://ada@127.0.0.1:1/log").await;
        assert_ne!(output.code, 0);
        assert!(!format!("{}{}", output.stdout, output.stderr).contains("s3cret"), "{}", output.stderr);
    })
    .await;
}
