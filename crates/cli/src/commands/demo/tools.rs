//! The tools of the demo. Whatever a call says, they touch nothing outside the demo's folder.

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

/// What came of a call.
pub(super) struct Ran {
    pub(super) status: Status,
    pub(super) content: Json,
}

impl Ran {
    fn said(status: Status, text: &str) -> Self {
        Self { status, content: Json::string(text) }
    }
}

#[derive(Deserialize)]
struct Shell {
    command: String,
    cwd: PathBuf,
}

#[derive(Deserialize)]
struct Write {
    path: PathBuf,
    text: String,
    #[serde(default)]
    executable: bool,
}

/// Runs what the claim handed back.
pub(super) async fn run(work: &Path, call: &api::Call) -> Ran {
    let done = if let Ok(shell) = call.arguments.read::<Shell>() {
        run_command(work, &shell).await
    } else if let Ok(write) = call.arguments.read::<Write>() {
        write_file(work, &write)
    } else {
        send(work, call)
    };
    done.unwrap_or_else(|why| Ran::said(Status::Error, &why.to_string()))
}

async fn run_command(work: &Path, shell: &Shell) -> std::io::Result<Ran> {
    let words = shlex::split(&shell.command).unwrap_or_default();
    let Some((program, rest)) = words.split_first() else {
        return Ok(Ran::said(Status::Error, "that is no command"));
    };
    if shell.cwd != work {
        return Ok(Ran::said(Status::Error, "the demo runs nothing outside its folder"));
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
    Ok(Ran { status, content: Json::of(&content).map_err(std::io::Error::other)? })
}

fn write_file(work: &Path, write: &Write) -> std::io::Result<Ran> {
    if write.path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Ok(Ran::said(Status::Error, "the demo writes nothing outside its folder"));
    }
    let path = work.join(&write.path);
    std::fs::write(&path, &write.text)?;
    if write.executable {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(Ran::said(Status::Success, &format!("wrote {} bytes to {}", write.text.len(), write.path.display())))
}

/// What would go out into the world lands in a folder.
fn send(work: &Path, call: &api::Call) -> std::io::Result<Ran> {
    let outbox = work.join("outbox");
    std::fs::create_dir_all(&outbox)?;
    let name = format!("{}.json", call.name);
    std::fs::write(outbox.join(&name), call.arguments.as_str())?;
    Ok(Ran::said(Status::Success, &format!("put into outbox/{name}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_written() {
        for path in ["../up.txt", "/etc/motd", "a/../../b"] {
            let write = Write { path: path.into(), text: String::new(), executable: false };
            let ran = write_file(Path::new("/nowhere"), &write).expect("refused, and not tried");
            assert_eq!(ran.status, Status::Error, "{path}");
        }
    }
}
