//! `countersign doctor`

use crate::desk::{with_desk, with_empty_desk};
use countersign_tests::over_http;
use insta::assert_snapshot;

#[tokio::test]
async fn foreign_file_is_not_modified() {
    with_empty_desk(async |desk| {
        assert_snapshot!(desk.types("doctor").await, @"
        ok    settings     there is no settings file; `countersign config` lists the settings
        ok    policy       no file is named: the policy of the log is active
        ok    clock        it is [time]
        fail  file         [here]/.local/share/countersign/countersign.db does not exist
                           → create it with `countersign serve` or `countersign run`, or use another file with --database

        Problems found; see the remedies above.
        exit 1
        ");
        desk.write_file("notes.txt", &"not a database, but longer than a header of one\n".repeat(9));
        assert_snapshot!(desk.types("doctor --database notes.txt").await, @"
        ok    settings     there is no settings file; `countersign config` lists the settings
        ok    policy       no file is named: the policy of the log is active
        ok    clock        it is [time]
        fail  file         [here]/notes.txt is not an SQLite database
                           → use another file with --database; nothing was changed

        Problems found; see the remedies above.
        exit 1
        ");
        desk.run_program("sqlite3", &["other.db", "PRAGMA application_id = 7; CREATE TABLE shop (id)"]).await;
        assert_snapshot!(desk.types("doctor --database other.db --json").await, @r#"
        {"findings":[{"check":"settings","found":"there is no settings file; `countersign config` lists the settings","status":"ok"},{"check":"policy","found":"no file is named: the policy of the log is active","status":"ok"},{"check":"clock","found":"it is [time]","status":"ok"},{"check":"file","found":"[here]/other.db is a database of another program","remedy":"use another file with --database; nothing was changed","status":"fail"}],"status":"fail"}
        exit 1
        "#);
        assert_snapshot!(desk.types("doctor --server http://127.0.0.1:1").await, @"
        ok    settings     there is no settings file; `countersign config` lists the settings
        ok    policy       no file is named: the policy of the log is active
        ok    clock        it is [time]
        fail  server       no answer from http://127.0.0.1:1/: Connection refused (os error 111); start it with `countersign serve`, or name another with --server
                           → start the server: `countersign serve`, or PostgreSQL

        Problems found; see the remedies above.
        exit 1
        ");
    })
    .await;
}

#[tokio::test]
async fn healthy_log_passes_all_checks() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        assert_snapshot!(desk.types("doctor").await, @"
        ok    settings     there is no settings file; `countersign config` lists the settings
        ok    policy       no file is named: the policy of the log is active
        ok    clock        it is [time]
        ok    file         [here]/countersign.db, [size]
        ok    permissions  only the owner can read and write it
        ok    folder       [here] is writable
        ok    room         [size] are free
        ok    wal          there is no write-ahead log, because no process has the file open
        ok    bell         present and writable
        ok    lock         no process keeps others from writing
        ok    file system  write-ahead logging works
        ok    layout       the layout of Countersign 0.1.0
        ok    schema       the tables, indexes and triggers are complete
        ok    seal         the last of 3 events has a hash
        ok    integrity    the database finds no damage
        ok    chain        the chain of 3 events is intact
        ok    rules        the rules would have written every event
        ok    index        the index of open requests matches the events

        No problems found.
        exit 0
        ");
    })
    .await;
}

#[tokio::test]
async fn each_problem_is_listed_with_its_remedy() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        desk.run_program("chmod", &["644", "countersign.db"]).await;
        let statements = "DELETE FROM open_requests; \
        INSERT INTO decisions VALUES ('t1', 'call_1', 'deny', 'user:ada', '')";
        desk.run_program("sqlite3", &["countersign.db", statements]).await;
        desk.write_file("policy.toml", "default = \"maybe\"");
        assert_snapshot!(desk.types("doctor --policy policy.toml").await, @r#"
        ok    settings     there is no settings file; `countersign config` lists the settings
        fail  policy       policy.toml: the policy is invalid at line 1, column 11: unknown verdict "maybe"; expected one of `allow`, `ask`, `block`
                           → correct the file, or use another with --policy
        ok    clock        it is [time]
        ok    file         [here]/countersign.db, [size]
        warn  permissions  users other than the owner can access [here]/countersign.db
                           → chmod 600 [here]/countersign.db
        ok    folder       [here] is writable
        ok    room         [size] are free
        ok    wal          there is no write-ahead log, because no process has the file open
        ok    bell         present and writable
        ok    lock         no process keeps others from writing
        ok    file system  write-ahead logging works
        ok    layout       the layout of Countersign 0.1.0
        ok    schema       the tables, indexes and triggers are complete
        warn  seal         the last 2 of 5 events were inserted with SQL and have no hash yet
                           → the next event that Countersign writes seals them
        ok    integrity    the database finds no damage
        ok    chain        the chain of 5 events is intact
        ok    rules        the rules would have written every event
        ok    index        the index of open requests matches the events

        Problems found; see the remedies above.
        exit 1
        "#);
        let tampered = "DROP TRIGGER rows_are_never_changed; UPDATE events SET principal = 'user:eve' WHERE seq = 2; INSERT INTO open_requests SELECT 1,1,1,1,1 WHERE 0";
        desk.run_program("sqlite3", &["countersign.db", tampered]).await;
        let output = desk.types("doctor").await;
        assert!(output.stdout.contains("fail  chain        event 2: the stored hash is"), "{output}");
        assert_eq!(output.code, 1);
    })
    .await;
}

#[tokio::test]
async fn server_health_is_reported() {
    with_desk(async |desk| {
        over_http("default = \"ask\"", async |server_world| {
            let server = format!("http://{}", server_world.service.address);
            assert_snapshot!(desk.types(&format!("doctor --server {server}")).await, @"
            ok    settings     there is no settings file; `countersign config` lists the settings
            ok    policy       no file is named: the policy of the log is active
            ok    clock        it is [time]
            ok    server       http://[port] is ready: 1 event, 0 open requests
            ok    version      0.1.0, the same as this command
            ok    its policy   0 rules, sha256 [sha256]
            ok    webhooks     every message is delivered or waits for its next attempt

            No problems found.
            exit 0
            ");
            server_world.service.gate.report_policy_trouble(Some("line 3 is odd".to_owned()));
            let output = desk.types(&format!("doctor --server {server}")).await;
            assert!(
                output
                    .stdout
                    .contains("fail  its policy   the server still uses an older policy: line 3 is odd"),
                "{output}"
            );
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn full_doctor_checks_every_event() {
    with_desk(async |desk| {
        desk.propose("t1", "call_1", "bash", "{}").await;
        let checked = desk.types("doctor --full").await;
        assert_eq!(checked.code, 0, "{checked}");
        assert!(checked.stdout.contains("ok    integrity    the database finds no damage"), "{checked}");
        assert!(checked.stdout.contains("ok    chain        the chain of 3 events is intact"), "{checked}");
    })
    .await;
}
