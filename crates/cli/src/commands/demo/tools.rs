//! The tools of the demo. They change nothing outside its folder, whatever the arguments say.

use countersign_api as api;
use countersign_gate::{Json, event::Status};
use serde::Deserialize;
use serde_json::json;
use std::{
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
    process::Stdio,
};
use tokio::process::Command;

/// The result of a tool.
pub(crate) struct ToolOutcome {
    pub(crate) status: Status,
    pub(crate) content: Json,
}

impl ToolOutcome {
    fn from_text(status: Status, text: &str) -> Self {
        Self { status, content: Json::string(text) }
    }
}

#[derive(Deserialize)]
struct ToolShellArguments {
    command: String,
    cwd: PathBuf,
}

#[derive(Deserialize)]
struct WriteArguments {
    path: PathBuf,
    text: String,
    #[serde(default)]
    executable: bool,
}

/// Runs a claimed call.
pub(crate) async fn run(work: &Path, call: &api::Call) -> ToolOutcome {
    let done = if let Ok(shell) = call.arguments.read::<ToolShellArguments>() {
        run_command(work, &shell).await
    } else if let Ok(write) = call.arguments.read::<WriteArguments>() {
        write_file(work, &write)
    } else {
        send(work, call)
    };
    done.unwrap_or_else(|why| ToolOutcome::from_text(Status::Error, &why.to_string()))
}

async fn run_command(work: &Path, shell: &ToolShellArguments) -> std::io::Result<ToolOutcome> {
    let words = shlex::split(&shell.command).unwrap_or_default();
    let Some((program, rest)) = words.split_first() else {
        return Ok(ToolOutcome::from_text(Status::Error, "the arguments are not a command"));
    };
    if shell.cwd != work {
        return Ok(ToolOutcome::from_text(Status::Error, "the demo runs nothing outside its folder"));
    }
    let mut command = Command::new(program);
    command.args(rest).current_dir(work).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await?;
    let printed = [output.stdout, output.stderr].concat();
    let status = if output.status.success() { Status::Success } else { Status::Error };
    let content = json!({
        "exitCode": output.status.code(),
        "output": String::from_utf8_lossy(&printed),
        "outputBytes": printed.len(),
    });
    Ok(ToolOutcome { status, content: Json::encode(&content).map_err(std::io::Error::other)? })
}

fn write_file(work: &Path, write: &WriteArguments) -> std::io::Result<ToolOutcome> {
    if write.path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Ok(ToolOutcome::from_text(Status::Error, "the demo writes nothing outside its folder"));
    }
    let path = work.join(&write.path);
    std::fs::write(&path, &write.text)?;
    if write.executable {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(ToolOutcome::from_text(
        Status::Success,
        &format!("wrote {} bytes to {}", write.text.len(), write.path.display()),
    ))
}

/// Writes a message to a folder instead of sending it.
fn send(work: &Path, call: &api::Call) -> std::io::Result<ToolOutcome> {
    let outbox = work.join("outbox");
    std::fs::create_dir_all(&outbox)?;
    let name = format!("{}.json", call.name);
    std::fs::write(outbox.join(&name), call.arguments.as_str())?;
    Ok(ToolOutcome::from_text(Status::Success, &format!("put into outbox/{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_written() {
        for path in ["../up.txt", "/etc/motd", "a/../../b"] {
            let write = WriteArguments { path: path.into(), text: String::new(), executable: false };
            let ran = write_file(Path::new("/nowhere"), &write).expect("refused, and not tried");
            assert_eq!(ran.status, Status::Error, "{path}");
        }
    }
}
