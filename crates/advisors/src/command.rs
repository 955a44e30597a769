//! Asks a program: one process for each question, which reads the question from its input and writes the answer to its
//! output. It has an empty environment. When the answer is read, or the time is over, it is killed with its children.

use crate::{
    answer::{MAX_ANSWER_BYTES, too_large},
    fault::AdviceFault,
};
use countersign_events::event::AdviceFailure;
use rustix::process::{Pid, Signal, kill_process_group};
use std::process::{ExitStatus, Stdio};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, Command},
};

/// The environment of the program.
const ENVIRONMENT: [(&str, &str); 2] =
    [("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("LANG", "C.UTF-8")];

/// A program with its children. They are killed when this value is dropped.
struct ProcessGroup {
    child: Child,
    group: Option<Pid>,
}

impl ProcessGroup {
    fn start(words: &[String]) -> Result<Self, AdviceFault> {
        let Some((program, arguments)) = words.split_first() else {
            return Err(AdviceFault::failed("the command has no words"));
        };
        let started = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(ENVIRONMENT)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // It may repeat the arguments of the call, which no log may contain.
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn();
        let child = started.map_err(|why| {
            AdviceFault::new(
                AdviceFailure::Unreachable,
                format!("the program cannot be started: {}", why.kind()),
            )
        })?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        Ok(Self { child, group })
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Asks a program. Time is limited by the caller: if this future is dropped, the program and its children are killed.
pub(crate) async fn ask_command(words: &[String], question: &str) -> Result<Vec<u8>, AdviceFault> {
    let mut process = ProcessGroup::start(words)?;
    let (input, output) = (process.child.stdin.take(), process.child.stdout.take());
    let line = format!("{question}\n");
    let write = async move {
        if let Some(mut input) = input {
            // A program may answer without reading all of the question.
            let _ = input.write_all(line.as_bytes()).await;
        }
    };
    let read = async {
        let mut answer = Vec::new();
        if let Some(output) = output {
            let limit = u64::try_from(MAX_ANSWER_BYTES).unwrap_or(u64::MAX).saturating_add(1);
            output.take(limit).read_to_end(&mut answer).await.map_err(|why| lost(&why))?;
        }
        Ok(answer)
    };
    let ((), answer) = tokio::join!(write, read);
    let answer = answer?;
    if answer.len() > MAX_ANSWER_BYTES {
        return Err(too_large());
    }
    let status = process.child.wait().await.map_err(|why| lost(&why))?;
    if status.success() { Ok(answer) } else { Err(AdviceFault::failed(describe_status(status))) }
}

fn lost(why: &std::io::Error) -> AdviceFault {
    AdviceFault::failed(format!("the program cannot be read: {}", why.kind()))
}

fn describe_status(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("the program ended with the exit code {code}"),
        None => "the program was killed by a signal".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path, time::Duration};
    use tokio::time::timeout;

    fn shell(script: &str) -> Vec<String> {
        ["/bin/sh", "-c", script].map(str::to_owned).to_vec()
    }

    async fn ask(script: &str) -> Result<String, String> {
        let answer = ask_command(&shell(script), "{\"version\":1}").await;
        answer
            .map(|bytes| String::from_utf8(bytes).expect("UTF-8"))
            .map_err(|fault| format!("{}: {}", fault.failure.as_str(), fault.detail))
    }

    #[tokio::test]
    async fn question_and_answer_pass_through() {
        assert_eq!(ask("cat").await.as_deref(), Ok("{\"version\":1}\n"));
        assert_eq!(ask("echo first").await.as_deref(), Ok("first\n"), "it need not read the question");
    }

    #[tokio::test]
    async fn environment_and_folder_are_fixed() {
        let found = ask("env | sort; pwd").await.expect("an answer");
        let names: Vec<_> = found.lines().map(|line| line.split('=').next().unwrap_or_default()).collect();
        // The shell itself sets PWD.
        assert_eq!(names, ["LANG", "PATH", "PWD", "/"]);
    }

    #[tokio::test]
    async fn failures_have_codes() {
        assert_eq!(ask("exit 3").await, Err("failed: the program ended with the exit code 3".to_owned()));
        assert_eq!(ask("kill -9 $$").await, Err("failed: the program was killed by a signal".to_owned()));
        let missing = ask_command(&["/nowhere/judge".to_owned()], "{}").await.expect_err("missing");
        assert_eq!(missing.failure, AdviceFailure::Unreachable);
        let endless = ask("yes").await.expect_err("too large");
        assert!(endless.starts_with("too_large"), "{endless}");
    }

    #[tokio::test]
    async fn large_question_does_not_block() {
        let question = "x".repeat(1_000_000);
        let answer = ask_command(&shell("head -c 1; echo"), &question).await.expect("an answer");
        assert_eq!(answer, b"x\n");
    }

    /// Waits until a process has ended. Its entry may stay for a moment as that of a dead child.
    async fn wait_for_end(process: &str) {
        let path = Path::new("/proc").join(process.trim()).join("stat");
        let is_running = || fs::read_to_string(&path).is_ok_and(|stat| !stat.contains(") Z "));
        while is_running() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn program_and_children_are_killed_at_timeout() {
        let folder = tempfile::tempdir().expect("a folder");
        let fifo = folder.path().join("children");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo runs");
        assert!(made.success());
        let script = format!("sleep 1000 & echo $! >{}; sleep 1000", fifo.display());
        let words = shell(&script);
        let reader =
            tokio::task::spawn_blocking(move || fs::read_to_string(fifo).expect("the id of the child"));
        let child = {
            let mut asking = std::pin::pin!(ask_command(&words, "{}"));
            tokio::select! {
                _ = &mut asking => panic!("the program does not answer"),
                child = reader => child.expect("read"),
            }
        };
        timeout(Duration::from_secs(20), wait_for_end(&child)).await.expect("the child was killed");
    }

    #[tokio::test]
    async fn child_in_background_is_killed_after_answer() {
        let child = ask("sleep 1000 >/dev/null & echo $!").await.expect("an answer");
        timeout(Duration::from_secs(20), wait_for_end(&child)).await.expect("the child was killed");
    }
}
