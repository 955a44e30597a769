//! A person with only the `sqlite3` shell.

use crate::new_world;
use countersign_tests::{Database, Process, ProcessWorld, in_time};

/// Runs a statement in the `sqlite3` shell. Returns its exit code and its output.
async fn sqlite3(world: &ProcessWorld, statement: &str) -> (i32, String) {
    let ended = Process::start(world.program("sqlite3").args(["log.db", statement])).ended().await;
    (ended.code, ended.stdout + &ended.stderr)
}

#[tokio::test]
async fn decision_inserted_in_the_shell_wakes_its_run() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let run = world.starts_run(&["--id", "build", "--", "bash", "-c", "echo built | tee -a ran"]).await;
        let allow =
            "INSERT INTO decisions VALUES ('terminal', 'build', 'allow_once', 'user:ada', 'by hand');";
        assert_eq!(sqlite3(&world, allow).await, (0, String::new()));
        let ended = run.ended().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "built\n"), "{}", ended.stderr);
        assert_eq!(world.line_count("ran"), 1);
        let (_, who) = sqlite3(&world, "SELECT decided_by, comment, status FROM calls;").await;
        assert_eq!(who, "user:ada|by hand|success\n");
        let (code, output) = world.runs(&["verify"]).await;
        assert_eq!(code, 0, "{output}");
    })
    .await;
}

#[tokio::test]
async fn denial_inserted_in_the_shell_reaches_its_run() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let run = world.starts_run(&["--id", "build", "--", "bash", "-c", "echo built >> ran"]).await;
        let deny =
            "INSERT INTO decisions VALUES ('terminal', 'build', 'deny', 'user:ada', 'not on a Friday');";
        assert_eq!(sqlite3(&world, deny).await, (0, String::new()));
        let ended = run.ended().await;
        assert_eq!(ended.code, 77);
        assert!(ended.stderr.contains("Denied by user:ada: not on a Friday"), "{}", ended.stderr);
        assert_eq!(world.line_count("ran"), 0);
    })
    .await;
}

#[tokio::test]
async fn forbidden_statement_in_the_shell_is_refused() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let run = world.starts_run(&["--id", "build", "--", "true"]).await;
        for (statement, why) in [
            ("UPDATE events SET principal = 'user:eve' WHERE seq = 1;", "events are never changed"),
            ("DELETE FROM events;", "events are never deleted"),
            ("INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 1;", ""),
            ("INSERT INTO decisions VALUES ('terminal', 'build', 'maybe', 'user:ada', '');", "not one of the options"),
            ("INSERT INTO decisions VALUES ('terminal', 'build', 'allow_once', 'agent:bot', '');", "a person may decide"),
            ("INSERT INTO decisions VALUES ('terminal', 'other', 'allow_once', 'user:ada', '');", "no such call"),
            (
                "INSERT INTO events (thread_id, type, principal, data) VALUES ('terminal', 'TOOL_EXECUTION_STARTED', \
                 'agent:bot', '{\"toolCallId\": \"build\", \"executor\": \"me\", \"argumentsHash\": \"\"}');",
                "decide through the view",
            ),
        ] {
            let (code, output) = sqlite3(&world, statement).await;
            assert!(code != 0 && output.contains(why), "{statement} ended with {code} and printed {output}");
        }
        assert_eq!(world.verified_log().await.len(), 2, "the refused statement writes nothing");
        drop(run);
    })
    .await;
}

#[tokio::test]
async fn write_lock_in_the_shell_only_delays_others() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let server = world.serves().await;
        let mut shell = Process::start(world.program("sqlite3").arg("log.db"));
        shell.tell("BEGIN IMMEDIATE; SELECT 'locked';").await;
        assert_eq!(shell.line().await.as_deref(), Some("locked"));
        let run = Process::start(
            world.countersign_over_log(&["run", "--id", "build", "--"]).args(["echo", "built"]),
        );
        let proposal = async { server.agent("bot").proposes_unlike_others("call").await };
        let unlocked = async {
            // Reads continue while the lock is held. They do not show the events that wait for the lock.
            let (status, pending) = server.get("/v1/approvals/pending").await.into_parts();
            assert_eq!((status, pending.as_str()), (200, r#"{"pending":[],"next":null}"#));
            shell.tell("COMMIT; SELECT 'unlocked';").await;
            assert_eq!(shell.line().await.as_deref(), Some("unlocked"));
        };
        let mut run = run;
        tokio::join!(proposal, unlocked, run.complains("is pending"));
        assert_eq!(world.person("ada").in_thread("terminal").allows("build").await.code, 0);
        assert_eq!(run.ended().await.code, 0);
        assert_eq!(world.verified_log().await.len(), 7);
    })
    .await;
}
