//! Advisors that are programs and leave processes behind. The daemon of these tests has forked twice and has a session of its
//! own, so neither its parent nor its process group leads to it.

use crate::{
    advisors::{next_advice, proposes, serves, write_program},
    new_world,
};
use countersign_tests::{Database, ProcessWorld, in_time};
use std::{fs, path::Path};
use tokio::task::JoinHandle;

/// Writes a policy with a program that starts a daemon, waits until the daemon has written its process id to a pipe, and then
/// does `rest`. Returns the policy, and the id to wait for.
fn write_judge(world: &ProcessWorld, rest: &str) -> (String, JoinHandle<String>) {
    let (pipe, ready) = (world.file("daemon"), world.file("ready"));
    let made = std::process::Command::new("mkfifo").args([&pipe, &ready]).status().expect("mkfifo runs");
    assert!(made.success());
    let (id, ready) = (pipe.display(), ready.display());
    let daemon = format!("(setsid sh -c 'echo $$ >{id}; echo >{ready}; exec sleep 1000' &)");
    let text = format!("#!/bin/sh\n{daemon}\nread -r line <{ready}\n{rest}\n");
    let program = write_program(world, "judge", &text);
    let daemon = tokio::task::spawn_blocking(move || fs::read_to_string(pipe).expect("the id of the daemon"));
    (format!("[[advisor]]\nname = \"judge\"\ncommand = [\"{program}\"]\n"), daemon)
}

fn is_running(process: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(process.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

async fn ends(process: &str) {
    while is_running(process) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn daemon_of_program_is_killed_at_timeout() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let (policy, daemon) = write_judge(&world, "sleep 1000");
        let policy = format!("{policy}timeout = \"2s\"\n");
        let (server, mut advice) = serves(&world, &policy, &["--advisor-commands"]).await;
        proposes(&server, "a").await;
        let daemon = daemon.await.expect("read");
        assert_eq!(next_advice(&mut advice).await["failure"], "timeout");
        ends(&daemon).await;
        server.terminated().await;
    })
    .await;
}

#[tokio::test]
async fn daemon_of_program_is_killed_after_answer() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        // The daemon holds the program's output open, and the question is too large for the pipe that it does not read.
        let (policy, daemon) = write_judge(&world, "echo '{\"advice\":\"deny\"}'");
        let policy = format!("{policy}timeout = \"60s\"\n");
        let (server, mut advice) = serves(&world, &policy, &["--advisor-commands"]).await;
        let call =
            serde_json::json!({"id": "a", "name": "bash", "arguments": {"command": "x".repeat(100_000)}});
        let answer = server.agent("builder").post("/v1/threads/t/tool-calls", call.to_string()).await;
        assert_eq!(answer.status, 201, "{answer}");
        assert_eq!(next_advice(&mut advice).await["advice"], "deny", "it need not wait for the daemon");
        ends(&daemon.await.expect("read")).await;
        server.terminated().await;
    })
    .await;
}

#[tokio::test]
async fn killed_server_leaves_no_program() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let (policy, daemon) = write_judge(&world, "sleep 1000");
        let policy = format!("{policy}timeout = \"60s\"\n");
        let (mut server, _) = serves(&world, &policy, &["--advisor-commands"]).await;
        proposes(&server, "a").await;
        let daemon = daemon.await.expect("read");
        assert!(is_running(&daemon), "its answer is awaited");
        server.kill().await;
        ends(&daemon).await;
    })
    .await;
}

#[tokio::test]
async fn failures_of_programs_have_codes() {
    in_time(async {
        let world = new_world(Database::Sqlite).await;
        let programs = [("exit", "exit 3"), ("signal", "kill -9 $$"), ("endless", "exec yes")];
        let advisor = |name: &str, program: &str| {
            format!("[[advisor]]\nname = \"{name}\"\ncommand = [\"{program}\"]\n")
        };
        let mut advisors = vec![advisor("missing", "/nowhere/judge")];
        for (name, script) in programs {
            let program = write_program(&world, name, &format!("#!/bin/sh\n{script}\n"));
            advisors.push(advisor(name, &program));
        }
        let policy = advisors.concat();
        let (server, mut advice) = serves(&world, &policy, &["--advisor-commands"]).await;
        proposes(&server, "a").await;
        let mut found = Vec::new();
        for _ in 0..4 {
            let data = next_advice(&mut advice).await;
            let texts = ["advisor", "failure", "reason"].map(|key| data[key].as_str().unwrap_or_default());
            found.push(texts.join(": "));
        }
        found.sort();
        assert_eq!(
            found,
            [
                "endless: too_large: the answer has more than 65536 bytes",
                "exit: failed: the program ended with the exit code 3",
                "missing: unreachable: the program cannot be started: entity not found",
                "signal: failed: the program was killed by a signal",
            ]
        );
        server.terminated().await;
    })
    .await;
}
