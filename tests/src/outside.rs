//! Programs that run outside the test's process: with their own umask, or with private mounts for a full or
//! read-only file system.

use std::{path::Path, process::Stdio};
use tokio::process::Command;

/// An ended process' output.
#[derive(Debug)]
pub struct ProgramOutput {
    /// Its standard output, without the last line break.
    pub text: String,
    /// Whether its exit code was 0.
    pub well: bool,
}

/// Runs `program` (`countersign-actor`, whose path cargo gives to the test) under `umask`.
pub async fn actor(program: &str, umask: &str, arguments: &[&Path]) -> ProgramOutput {
    let script = format!("umask {umask} && exec \"$0\" \"$@\"");
    run_program(Command::new("sh").arg("-c").arg(script).arg(program).args(arguments)).await
}

/// Runs a shell script in a private mount namespace. The script mounts a full or read-only disk there, because
/// root can write in spite of file permissions. `$0` is `folder`, `$1` is `program`.
pub async fn in_private_mounts(script: &str, folder: &Path, program: &str) -> ProgramOutput {
    // Other users than root may mount only in a user namespace, where they are root.
    let unshare_script =
        "if [ \"$(id -u)\" = 0 ]; then exec unshare -m \"$@\"; else exec unshare -rm \"$@\"; fi";
    let mut command = Command::new("sh");
    command.args(["-c", unshare_script, "unshare", "sh", "-ec", script]).arg(folder).arg(program);
    run_program(&mut command).await
}

async fn run_program(command: &mut Command) -> ProgramOutput {
    let output = command.stderr(Stdio::inherit()).output().await.expect("the process starts");
    ProgramOutput {
        text: String::from_utf8_lossy(&output.stdout).trim_end().to_owned(),
        well: output.status.success(),
    }
}
