//! Asks a program: one process for each question, which reads the question from its input and writes the answer to its
//! output. It has an empty environment. When the answer is read, or the time is over, it is killed with its children.

use crate::{
    AdviceFault, MAX_ANSWER_BYTES,
    answer::too_large,
    program_guard::{PROGRAM_GUARD, ProgramEnd},
};
use countersign_events::AdviceFailure;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    path::{Path, PathBuf},
    process::Stdio,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, ChildStdout, Command},
};

/// The program's environment.
const ENVIRONMENT: [(&str, &str); 2] =
    [("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("LANG", "C.UTF-8")];

/// The longest report of a guard.
const MAX_REPORT_BYTES: usize = 1_024;

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
        let mut command = Command::new(program);
        // Its error output may repeat the call's arguments, which no log may contain.
        let child = spawn(command.args(arguments).stderr(Stdio::null()).kill_on_drop(true))?;
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

/// How a program is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProgramLauncher {
    /// Without a guard. A process that leaves the program's process group survives, and all survive a server crash.
    Direct,
    /// By this program, as its guard.
    Guarded(PathBuf),
}

/// Asks a program. Time is limited by the caller: if this future is dropped, the program and its children are killed.
pub(crate) async fn ask_command(
    launcher: &ProgramLauncher,
    words: &[String],
    question: &str,
) -> Result<Vec<u8>, AdviceFault> {
    match launcher {
        ProgramLauncher::Direct => ask_directly(words, question).await,
        ProgramLauncher::Guarded(guard) => ask_guarded(guard, words, question).await,
    }
}

async fn ask_directly(words: &[String], question: &str) -> Result<Vec<u8>, AdviceFault> {
    let mut process = ProcessGroup::start(words)?;
    let (mut input, output) = (process.child.stdin.take(), process.child.stdout.take());
    let write = async {
        write_question(input.as_mut(), question).await;
        // Some programs read to the end of their input.
        input = None;
        Ok(())
    };
    let ((), answer) = tokio::try_join!(write, read_answer(output))?;
    let status = process.child.wait().await.map_err(|why| lost(&why))?;
    check_end(&status.code().map_or(ProgramEnd::Signal, ProgramEnd::Exit))?;
    Ok(answer)
}

async fn ask_guarded(guard: &Path, words: &[String], question: &str) -> Result<Vec<u8>, AdviceFault> {
    let mut command = Command::new(guard);
    command.arg(PROGRAM_GUARD).args(words).stderr(Stdio::piped());
    // The guard ends when its input ends, and then must end its program. So do not kill it.
    let mut guard = spawn(&mut command)?;
    let (mut input, output) = (guard.stdin.take(), guard.stdout.take());
    let write = async {
        write_question(input.as_mut(), question).await;
        Ok(())
    };
    let report = read_limited(guard.stderr.take(), MAX_REPORT_BYTES);
    let ((), answer, report) = tokio::try_join!(write, read_answer(output), report)?;
    drop(input);
    guard.wait().await.map_err(|why| lost(&why))?;
    let end = ProgramEnd::parse(&report);
    check_end(&end.ok_or_else(|| AdviceFault::failed("the guard of the program was killed"))?)?;
    Ok(answer)
}

/// Starts a process with the environment of advisors.
fn spawn(command: &mut Command) -> Result<Child, AdviceFault> {
    let command = command.env_clear().envs(ENVIRONMENT).current_dir("/").process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|why| cannot_start(&why.kind()))
}

fn cannot_start(why: &dyn std::fmt::Display) -> AdviceFault {
    AdviceFault::new(AdviceFailure::Unreachable, format!("the program cannot be started: {why}"))
}

async fn write_question(input: Option<&mut ChildStdin>, question: &str) {
    if let Some(input) = input {
        // A program may answer without reading all of the question.
        let _ = input.write_all(format!("{question}\n").as_bytes()).await;
    }
}

async fn read_answer(output: Option<ChildStdout>) -> Result<Vec<u8>, AdviceFault> {
    let answer = read_limited(output, MAX_ANSWER_BYTES + 1).await?;
    if answer.len() > MAX_ANSWER_BYTES { Err(too_large()) } else { Ok(answer) }
}

async fn read_limited(output: Option<impl AsyncRead + Unpin>, limit: usize) -> Result<Vec<u8>, AdviceFault> {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        output.take(limit).read_to_end(&mut bytes).await.map_err(|why| lost(&why))?;
    }
    Ok(bytes)
}

fn check_end(end: &ProgramEnd) -> Result<(), AdviceFault> {
    match end {
        ProgramEnd::Exit(0) => Ok(()),
        ProgramEnd::Exit(code) => {
            Err(AdviceFault::failed(format!("the program ended with the exit code {code}")))
        }
        ProgramEnd::Signal => Err(AdviceFault::failed("the program was killed by a signal")),
        ProgramEnd::NotStarted(why) => Err(cannot_start(why)),
    }
}

fn lost(why: &std::io::Error) -> AdviceFault {
    AdviceFault::failed(format!("the program cannot be read: {}", why.kind()))
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
        let answer = ask_command(&ProgramLauncher::Direct, &shell(script), "{\"version\":1}").await;
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
        let missing = ask_command(&ProgramLauncher::Direct, &["/nowhere/judge".to_owned()], "{}")
            .await
            .expect_err("missing");
        assert_eq!(missing.failure, AdviceFailure::Unreachable);
        let endless = ask("yes").await.expect_err("too large");
        assert!(endless.starts_with("too_large"), "{endless}");
    }

    #[tokio::test]
    async fn large_question_does_not_block() {
        let question = "x".repeat(1_000_000);
        let answer = ask_command(&ProgramLauncher::Direct, &shell("head -c 1; echo"), &question)
            .await
            .expect("an answer");
        assert_eq!(answer, b"x\n");
    }

    #[tokio::test]
    async fn endless_answer_to_unread_question_is_too_large() {
        let question = "x".repeat(1_000_000);
        let words = shell("yes");
        let asking = ask_command(&ProgramLauncher::Direct, &words, &question);
        let fault = timeout(Duration::from_secs(20), asking).await.expect("in time").expect_err("too large");
        assert_eq!(fault.failure, AdviceFailure::TooLarge);
    }

    #[tokio::test]
    async fn guard_that_is_no_guard_is_a_failure() {
        let guard = ProgramLauncher::Guarded("/bin/echo".into());
        let fault = ask_command(&guard, &shell("true"), "{}").await.expect_err("no report");
        assert_eq!(fault.failure, AdviceFailure::Failed);
    }

    /// Waits until a process has ended. Its entry may remain for a moment as a dead child.
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
            let mut asking = std::pin::pin!(ask_command(&ProgramLauncher::Direct, &words, "{}"));
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
