//! Every command over PostgreSQL. The output never contains the password.

use crate::desk::{DeskScreen, TerminalDesk, with_desk};
use countersign_tests::postgres::{Cluster, ClusterSetup, Durability};
use insta::assert_snapshot;

/// Starts a server that requires a password. Returns it with the address of an empty database, owned by a role
/// without other rights.
async fn server() -> (Cluster, String) {
    let cluster =
        Cluster::with(ClusterSetup { tcp: true, durability: Durability::Real, ..ClusterSetup::default() })
            .await;
    cluster.psql("CREATE ROLE ada LOGIN PASSWORD 's3cret'").await.expect("a role");
    cluster.psql("CREATE DATABASE log OWNER ada").await.expect("a database");
    let host_and_port = cluster.tcp_url("127.0.0.1");
    let (_, host_and_port) = host_and_port.split_once('@').expect("an address with a role");
    let host_and_port = host_and_port.trim_end_matches("/postgres");
    (cluster, format!("postgres://ada:s3cret@{host_and_port}/log"))
}

/// Runs a command, and checks that its output does not contain the password.
async fn types(desk: &TerminalDesk, line: &str) -> DeskScreen {
    let output = desk.types(line).await;
    assert!(!output.to_string().contains("s3cret"), "{line}: {output}");
    output
}

/// Returns the output without measured values, which differ between runs.
fn without_measurements(output: &DeskScreen) -> String {
    let hide = |line: &str| {
        let kept = |until: &str| line.split(until).next().unwrap_or_default().to_owned();
        match line.split_whitespace().nth(1) {
            Some("database") => kept("PostgreSQL ") + "PostgreSQL [version], [time] there and back",
            Some("connections") => kept("connections") + "connections  [number]",
            Some("clocks") => kept("the clock of") + "the clock of the server is [time]",
            _ => line.to_owned(),
        }
    };
    output.to_string().lines().map(|line| hide(line) + "\n").collect()
}

#[tokio::test]
async fn commands_work_and_never_show_the_password() {
    with_desk(async |desk| {
        let (_server, address) = server().await;
        desk.write_file("address", &address);
        desk.run_program("chmod", &["600", "address"]).await;
        desk.set_variable("COUNTERSIGN_DATABASE_FILE", "address");
        desk.set_variable("COUNTERSIGN_LOG", "trace");
        desk.set_variable("COUNTERSIGN_AS", "user:ada");
        assert_eq!(types(desk, "pending").await.code, 5, "a reading command creates no log");
        let mut run = desk.start("run --id call_1 -- bash -c 'echo out; exit 3'");
        run.wait_for_stderr("is pending").await;
        assert!(types(desk, "pending").await.stdout.contains("call_1"));
        assert_eq!(types(desk, "allow call_1 --session tool").await.code, 0);
        let ran = run.wait_for_exit().await;
        assert_eq!(ran.code, 3);
        assert!(!ran.to_string().contains("s3cret"), "{ran}");
        for line in [
            "show call_1",
            "calls",
            "thread list",
            "thread show terminal",
            "log",
            "log --json",
            "stats",
            "grant list terminal",
            "thread mode terminal auto_deny",
            "thread policy terminal bash=deny",
            "watch --plain",
            "verify",
            "verify --repair --json",
            "doctor",
            "doctor --json",
            "config",
            "config --json",
            "migrate",
            "thread close terminal",
            "copy --from-file address --to copy.db",
            "copy --from copy.db --to-file address --continue",
        ] {
            let output = types(desk, line).await;
            assert_eq!(output.code, 0, "{line}: {output}");
        }
    })
    .await;
}

#[tokio::test]
async fn serve_names_the_database_without_its_password() {
    with_desk(async |desk| {
        let (_server, address) = server().await;
        let mut serving = desk.start(&format!("serve --listen 127.0.0.1:0 --database '{address}'"));
        let greeting = serving.wait_for_stdout("Ctrl-C").await;
        assert!(greeting.contains("  database   postgres://ada@127.0.0.1:"), "{greeting}");
        assert!(greeting.contains("--database postgres://ada@127.0.0.1:"), "{greeting}");
        serving.send_signal("TERM").await;
        let ended = serving.wait_for_exit().await;
        assert_eq!(ended.code, 0);
        assert!(!ended.to_string().contains("s3cret"), "{ended}");
    })
    .await;
}

#[tokio::test]
async fn doctor_tells_connection_failures_apart() {
    with_desk(async |desk| {
        let (_server, address) = server().await;
        let unreachable = "postgres://ada:s3cret@127.0.0.1:1/log".to_owned();
        let failures = [
            ("no_log", address.clone()),
            ("missing", address.replace("/log", "/nowhere")),
            ("login", address.replace("s3cret@", "s3cretly@")),
            ("unreachable", unreachable),
        ];
        let mut remedies = Vec::new();
        for (reason, address) in failures {
            let pending = types(desk, &format!("pending --json --database '{address}'")).await.to_string();
            assert!(pending.contains(&format!(r#""reason":"{reason}""#)), "{pending}");
            let doctor = types(desk, &format!("doctor --json --database '{address}'")).await;
            assert_eq!(doctor.code, 1, "{doctor}");
            let report: serde_json::Value = serde_json::from_str(&doctor.stdout).expect("a report");
            let findings = report["findings"].as_array().expect("findings").iter();
            let failed: Vec<_> = findings.filter(|finding| finding["status"] == "fail").collect();
            let [failed] = failed[..] else { panic!("{reason}: {doctor}") };
            remedies.push(failed["remedy"].as_str().expect("a remedy").to_owned());
        }
        assert_snapshot!(remedies.join("\n"), @"
        start `countersign serve`, which creates the log, or name another database with --database
        create the database with `createdb`; `countersign serve` then creates the log
        check the user, the password, TLS and pg_hba.conf; see docs/postgresql.md
        start the server: `countersign serve`, or PostgreSQL
        ");
    })
    .await;
}

#[tokio::test]
async fn reasons_for_a_failed_connection_are_reported() {
    with_desk(async |desk| {
        let (server, address) = server().await;
        for (wrong, right) in
            [("s3cret@", "s3cretly@"), ("/log", "/nowhere"), ("/log", "/log?sslmode=require")]
        {
            let output = types(desk, &format!("pending --database '{}'", address.replace(wrong, right))).await;
            assert_eq!(output.code, 5, "{output}");
        }
        assert_snapshot!(without_measurements(&types(desk, &format!("doctor --database '{address}'")).await), @"
        ok    settings     there is no settings file; `countersign config` lists the settings
        ok    policy       no file is named: the policy of the log is active
        ok    clock        it is [time]
        ok    database     PostgreSQL [version], [time] there and back
        ok    TLS          off; the server is on this machine
        ok    connections  [number]
        ok    clocks       the clock of the server is [time]
        ok    durability   commits are flushed to disk (synchronous_commit on)
        ok    standbys     none is connected
        fail  log          postgres://ada@[port]/log is there, but it has no log yet; `countersign serve` or `countersign run` creates one in it
                           → start `countersign serve`, which creates the log, or name another database with --database

        Problems found; see the remedies above.
        exit 1
        ");
        server
            .psql("ALTER DATABASE log SET default_transaction_isolation = 'serializable'")
            .await
            .expect("set");
        assert_eq!(types(desk, &format!("migrate --database '{address}'")).await.code, 0);
        let guard = "ALTER TABLE events DISABLE TRIGGER rows_are_never_changed";
        desk.run_program("psql", &[&address, "--quiet", "--command", guard]).await;
        assert_snapshot!(without_measurements(&types(desk, &format!("doctor --database '{address}'")).await), @"
        ok    settings     there is no settings file; `countersign config` lists the settings
        ok    policy       no file is named: the policy of the log is active
        ok    clock        it is [time]
        ok    database     PostgreSQL [version], [time] there and back
        ok    TLS          off; the server is on this machine
        ok    bell         notifications arrive
        ok    connections  [number]
        ok    clocks       the clock of the server is [time]
        ok    durability   commits are flushed to disk (synchronous_commit on)
        ok    standbys     none is connected
        warn  isolation    the default is serializable, so decisions with SQL will often be refused
                           → set default_transaction_isolation to read committed for this database
        ok    lock         no process keeps others from writing
        warn  rights       this user owns the log, and can remove its triggers
                           → use a role without ownership: see packaging/postgres/roles.sql and docs/postgresql.md
        fail  guards       not enabled: rows_are_never_changed
                           → run ALTER TABLE events ENABLE ALWAYS TRIGGER for each, then `countersign verify`
        ok    layout       the layout of Countersign 0.1.0
        fail  schema       the trigger rows_are_never_changed differs from the one that Countersign makes
                           → copy the events into a new log with `countersign copy`, and find out who changed this one
        ok    seal         the last of 1 event has a hash
        ok    integrity    not checked: the extension amcheck is not installed: a superuser can run CREATE EXTENSION amcheck
        ok    chain        the chain of 1 event is intact
        ok    rules        the rules would have written every event
        ok    index        the index of open requests matches the events

        Problems found; see the remedies above.
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn unprivileged_role_learns_who_must_migrate() {
    with_desk(async |desk| {
        let server = Cluster::started().await;
        let roles = concat!(env!("CARGO_MANIFEST_DIR"), "/../packaging/postgres/roles.sql");
        desk.run_program("psql", &[&server.url(), "--quiet", "--file", roles]).await;
        let of = |role: &str| server.url_as(role, "postgres");
        let (owner, app) = (of("countersign_owner"), of("countersign_app"));
        let folder = server.folder().display().to_string().replace('/', "%2F");
        let output = types(desk, &format!("run --database {app} -- true")).await.to_string();
        assert_snapshot!(output.replace(&folder, "SOCKET"), @"
        ! countersign: postgres://countersign_app@SOCKET:5432/postgres must be migrated to the layout of this version, which this user may not do (permission denied for schema countersign); have its owner run `countersign migrate`, then packaging/postgres/roles.sql
        exit 5
        ");
        assert_eq!(types(desk, &format!("migrate --database {owner}")).await.code, 0);
        desk.run_program("psql", &[&server.url(), "--quiet", "--file", roles]).await;
        let output = types(desk, &format!("doctor --database {app}")).await.to_string();
        assert!(
            output.contains("ok    rights       this user can add events, but not change or delete them"),
            "{output}"
        );
        let mut run = desk.start(&format!("run --database {app} --id call_1 -- true"));
        run.wait_for_stderr("is pending").await;
        assert_eq!(types(desk, &format!("allow call_1 --as user:ada --database {app}")).await.code, 0);
        assert_eq!(run.wait_for_exit().await.code, 0);
    })
    .await;
}

/// Followers and waiters resume at their position, over the database and over a server.
#[tokio::test]
async fn followers_and_waiters_survive_a_database_restart() {
    with_desk(async |desk| {
        let (mut server, address) = server().await;
        desk.write_file("address", &address);
        desk.run_program("chmod", &["600", "address"]).await;
        let mut serving = desk.start("serve --listen 127.0.0.1:0 --json --database-file address");
        let greeting = serving.wait_for_stdout("listening").await;
        let listening = greeting.split('"').find(|part| part.starts_with("http://")).expect("its address");
        let targets = ["--database-file address".to_owned(), format!("--server {listening}")];
        let (mut runs, mut followers) = (Vec::new(), Vec::new());
        for (number, target) in targets.iter().enumerate() {
            let mut run = desk.start(&format!("run --id call_{number} {target} -- true"));
            run.wait_for_stderr("is pending").await;
            runs.push(run);
            let mut follower = desk.start(&format!("log --follow {target}"));
            follower.wait_for_stdout("call_0").await;
            followers.push(follower);
        }
        server.restart().await;
        for (number, run) in runs.into_iter().enumerate() {
            let allow = format!("allow call_{number} --as user:ada --database-file address");
            assert_eq!(desk.types(&allow).await.code, 0);
            let ran = run.wait_for_exit().await;
            assert_eq!(ran.code, 0, "{ran}");
        }
        for follower in &mut followers {
            follower.wait_for_stdout("call_1 succeeded").await;
        }
    })
    .await;
}
