//! `countersign run` that is interrupted while it waits, and while its command runs.

use crate::new_world;
use countersign_events::EventType;
use countersign_tests::{Database, Process, in_time};
use rustix::process::Signal;
use serde_json::json;

#[tokio::test]
async fn killed_waiting_run_resumes_under_its_id_once() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let words = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
        world.starts_run(&words).await.kill().await;
        world.starts_run(&words).await.kill().await;
        assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
        let ended = Process::start(world.countersign_over_log(&["run"]).args(words)).ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (0, 1), "{}", ended.stderr);
        let again = Process::start(world.countersign_over_log(&["run"]).args(words)).ended().await;
        assert_eq!((again.code, world.line_count("ran")), (3, 1), "{}", again.stderr);
        assert_eq!(world.verified_log().await.len(), 5, "one call, request, response, claim and result");
    })
    .await;
}

#[tokio::test]
async fn two_waiting_runs_under_one_id_run_once() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let words = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran"];
        let (one, other) = (world.starts_run(&words).await, world.starts_run(&words).await);
        assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
        let (one, other) = tokio::join!(one.ended(), other.ended());
        let mut codes = [one.code, other.code];
        codes.sort_unstable();
        assert_eq!((codes, world.line_count("ran")), ([0, 3], 1), "{one:?} {other:?}");
    })
    .await;
}

#[tokio::test]
async fn run_killed_during_its_command_never_runs_again() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        // The command continues after its parent was killed. It ends when its stdin closes.
        let words = ["--id", "deploy", "--", "bash", "-c", "echo deployed >> ran; echo started; read _"];
        let mut run = world.starts_run(&words).await;
        assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
        assert_eq!(run.line().await.as_deref(), Some("started"));
        run.kill().await;
        for _ in 0..2 {
            let again = Process::start(world.countersign_over_log(&["run"]).args(words)).ended().await;
            assert_eq!((again.code, world.line_count("ran")), (3, 1), "{}", again.stderr);
            assert!(again.stderr.contains("is already running and does not run again"), "{again:?}");
        }
        let (code, shown) = world.runs(&["--json", "show", "deploy"]).await;
        assert!(code == 0 && shown.contains(r#""state":"running""#), "{shown}");
        assert_eq!(world.verified_log().await.len(), 4, "the call has no result");
    })
    .await;
}

/// The killed run's lease ends after a second, and until then the call is shown as running.
#[tokio::test]
async fn released_call_is_taken_over_under_its_id() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let words =
            ["--id", "deploy", "--lease", "1s", "--", "bash", "-c", "echo ran >> ran; echo started; read _"];
        let mut run = world.starts_run(&words).await;
        let changed =
            json!({"command": "bash -c 'echo changed >> ran; echo started; read _'", "cwd": world.folder()});
        let (code, _) = world
            .runs(&["--as", "user:ada", "allow", "deploy", "--yes", "--arguments", &changed.to_string()])
            .await;
        assert_eq!(code, 0);
        assert_eq!(run.line().await.as_deref(), Some("started"));
        run.kill().await;
        loop {
            let lost = Process::start(world.countersign_over_log(&["run"]).args(words)).ended().await;
            assert_eq!((lost.code, world.line_count("ran")), (3, 1), "{}", lost.stderr);
            if lost.stderr.contains("the outcome of deploy is unknown") {
                break;
            }
            assert!(lost.stderr.contains("deploy is already running"), "{}", lost.stderr);
        }
        assert_eq!(world.runs(&["--as", "user:ada", "release", "deploy"]).await.0, 0);
        let mut again = Process::start(world.countersign_over_log(&["run"]).args(words));
        assert_eq!(again.line().await.as_deref(), Some("started"));
        again.tell("go on").await;
        let again = again.ended().await;
        assert_eq!(again.code, 0, "{}", again.stderr);
        let ran = std::fs::read_to_string(world.file("ran")).expect("it ran");
        assert_eq!(ran, "changed\nchanged\n", "it runs the approved arguments");
        let events = world.verified_log().await;
        assert!(events.iter().any(|event| event.kind == EventType::ExecutionTakenOver));
    })
    .await;
}

#[tokio::test]
async fn same_id_with_another_command_is_refused() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        world.starts_run(&["--id", "deploy", "--", "bash", "-c", "echo one >> ran"]).await.kill().await;
        assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
        let other = ["--id", "deploy", "--", "bash", "-c", "echo two >> ran"];
        let ended = Process::start(world.countersign_over_log(&["run"]).args(other)).ended().await;
        assert_eq!((ended.code, world.line_count("ran")), (3, 0), "{}", ended.stderr);
    })
    .await;
}

#[tokio::test]
async fn sigterm_reaches_the_command_and_shows_in_log() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let mut run = world.starts_run(&["--id", "deploy", "--", "bash", "-c", "echo started; read _"]).await;
        assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
        assert_eq!(run.line().await.as_deref(), Some("started"));
        run.signal(Signal::TERM);
        let ended = run.ended().await;
        assert_eq!(ended.code, 128 + 15, "{}", ended.stderr);
        let events = world.verified_log().await;
        let result = events.last().expect("a result").data.as_str();
        assert!(result.contains(r#""status":"error""#) && result.contains(r#""signal":15"#), "{result}");
    })
    .await;
}

#[tokio::test]
async fn background_output_is_kept_without_waiting_for_it() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        // The background process holds both pipes of the command until its stdin closes.
        let script = "exec 3<&0; (read _ <&3) & head -c 300000 /dev/zero | tr '\\0' x; echo; echo done >&2";
        let run = world.starts_run(&["--id", "deploy", "--", "bash", "-c", script]).await;
        assert_eq!(world.person("ada").in_thread("terminal").allows("deploy").await.code, 0);
        let ended = run.ended().await;
        assert_eq!((ended.code, ended.stdout.len()), (0, 300_001));
        assert!(ended.stderr.ends_with("done\n"), "{}", ended.stderr);
        assert_eq!(world.verified_log().await.len(), 5, "the call has its result");
    })
    .await;
}
