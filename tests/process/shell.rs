//! A person with nothing but the `sqlite3` shell.

use crate::harness::{Place, Process, in_time};

/// What the shell says to a statement, and how it ends.
async fn sqlite3(place: &Place, statement: &str) -> (i32, String) {
    let ended = Process::start(place.program("sqlite3").args(["log.db", statement])).ended().await;
    (ended.code, ended.stdout + &ended.stderr)
}

#[tokio::test]
async fn a_row_inserted_in_the_sqlite3_shell_wakes_the_run_that_waits() {
    in_time(async {
        let place = Place::new();
        let run = place.waiting_run(&["--id", "build", "--", "bash", "-c", "echo built | tee -a ran"]).await;
        let allow =
            "INSERT INTO decisions VALUES ('terminal', 'build', 'allow_once', 'user:ada', 'by hand');";
        assert_eq!(sqlite3(&place, allow).await, (0, String::new()));
        let ended = run.ended().await;
        assert_eq!((ended.code, ended.stdout.as_str()), (0, "built\n"), "{}", ended.stderr);
        assert_eq!(place.lines("ran"), 1);
        let (_, who) = sqlite3(&place, "SELECT decided_by, comment, status FROM calls;").await;
        assert_eq!(who, "user:ada|by hand|success\n");
        let (code, said) = place.ends(&["verify"]).await;
        assert_eq!(code, 0, "{said}");
    })
    .await;
}

#[tokio::test]
async fn a_denial_inserted_in_the_sqlite3_shell_tells_the_run_why() {
    in_time(async {
        let place = Place::new();
        let run = place.waiting_run(&["--id", "build", "--", "bash", "-c", "echo built >> ran"]).await;
        let deny =
            "INSERT INTO decisions VALUES ('terminal', 'build', 'deny', 'user:ada', 'not on a Friday');";
        assert_eq!(sqlite3(&place, deny).await, (0, String::new()));
        let ended = run.ended().await;
        assert_eq!(ended.code, 77);
        assert!(ended.stderr.contains("Denied by user:ada: not on a Friday"), "{}", ended.stderr);
        assert_eq!(place.lines("ran"), 0);
    })
    .await;
}

#[tokio::test]
async fn the_database_itself_refuses_in_the_sqlite3_shell_what_the_rules_forbid() {
    in_time(async {
        let place = Place::new();
        let run = place.waiting_run(&["--id", "build", "--", "true"]).await;
        for (statement, why) in [
            ("UPDATE events SET principal = 'user:eve' WHERE seq = 1;", "events are never changed"),
            ("DELETE FROM events;", "events are never deleted"),
            ("INSERT OR REPLACE INTO events SELECT * FROM events WHERE seq = 1;", ""),
            ("INSERT INTO decisions VALUES ('terminal', 'build', 'maybe', 'user:ada', '');", "a decision is"),
            ("INSERT INTO decisions VALUES ('terminal', 'build', 'allow_once', 'agent:bot', '');", "a person decides"),
            ("INSERT INTO decisions VALUES ('terminal', 'other', 'allow_once', 'user:ada', '');", "no such call"),
            (
                "INSERT INTO events (thread_id, type, principal, data) VALUES ('terminal', 'TOOL_EXECUTION_STARTED', \
                 'agent:bot', '{\"toolCallId\": \"build\", \"executor\": \"me\", \"argumentsHash\": \"\"}');",
                "nobody allowed this call",
            ),
        ] {
            let (code, said) = sqlite3(&place, statement).await;
            assert!(code != 0 && said.contains(why), "{statement} ended with {code} and said {said}");
        }
        assert_eq!(place.sound_log().await.len(), 2, "nothing of it was written");
        drop(run);
    })
    .await;
}

#[tokio::test]
async fn a_write_lock_held_in_the_sqlite3_shell_delays_the_others_and_fails_none() {
    in_time(async {
        let place = Place::new();
        let server = place.serve().await;
        let mut shell = Process::start(place.program("sqlite3").arg("log.db"));
        shell.tell("BEGIN IMMEDIATE; SELECT 'locked';").await;
        assert_eq!(shell.line().await.as_deref(), Some("locked"));
        let run = Process::start(place.over_the_log(&["run", "--id", "build", "--"]).args(["echo", "built"]));
        let at_the_server = async { server.propose("t", "call").await };
        let unlocked = async {
            // Reading goes on meanwhile, and shows nothing of what waits for the lock.
            let (status, pending) = server.get("/v1/approvals/pending").await;
            assert_eq!((status, pending.as_str()), (200, r#"{"pending":[],"next":null}"#));
            shell.tell("COMMIT; SELECT 'unlocked';").await;
            assert_eq!(shell.line().await.as_deref(), Some("unlocked"));
        };
        let mut run = run;
        tokio::join!(at_the_server, unlocked, run.complains("is pending"));
        assert_eq!(place.ends(&["allow", "build"]).await.0, 0);
        assert_eq!(run.ended().await.code, 0);
        assert_eq!(place.sound_log().await.len(), 7);
    })
    .await;
}
