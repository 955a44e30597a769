//! The demo's tools. They change nothing outside its folder, whatever the arguments say.

use countersign_api as api;
use countersign_events::{Json, Status};
use serde::Deserialize;
use serde_json::json;
use std::{
    fs, io,
    os::unix::fs::PermissionsExt,
    path::{Component, Path, PathBuf},
    process::Stdio,
};
use tokio::process::Command;

/// The arguments of the demo's tools: a command, a file, or a message.
#[derive(Deserialize)]
#[serde(untagged)]
enum DemoArguments {
    Command {
        command: String,
        cwd: PathBuf,
    },
    File {
        path: PathBuf,
        text: String,
        #[serde(default)]
        executable: bool,
    },
    Message {},
}

/// Runs a claimed call.
pub(crate) async fn run(desk: &Path, call: &api::Call) -> (Status, Json) {
    let ran = match call.arguments.read() {
        Ok(DemoArguments::Command { command, cwd }) => run_command(desk, &command, &cwd).await,
        Ok(DemoArguments::File { path, text, executable }) => write_file(desk, &path, &text, executable),
        Ok(DemoArguments::Message {}) | Err(_) => send(desk, call),
    };
    ran.unwrap_or_else(|why| (Status::Error, Json::string(&why.to_string())))
}

async fn run_command(desk: &Path, command: &str, cwd: &Path) -> io::Result<(Status, Json)> {
    let words = shlex::split(command).unwrap_or_default();
    let [program, rest @ ..] = &*words else {
        return Err(io::Error::other("the arguments are not a command"));
    };
    if cwd != desk {
        return Err(io::Error::other("the demo runs nothing outside its folder"));
    }
    let mut command = Command::new(program);
    command.args(rest).current_dir(desk).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await?;
    let printed = [output.stdout, output.stderr].concat();
    let content = Json::encode(&json!({
        "exitCode": output.status.code(),
        "output": String::from_utf8_lossy(&printed),
        "outputBytes": printed.len(),
    }));
    let status = if output.status.success() { Status::Success } else { Status::Error };
    Ok((status, content?))
}

fn write_file(desk: &Path, path: &Path, text: &str, executable: bool) -> io::Result<(Status, Json)> {
    if path.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(io::Error::other("the demo writes nothing outside its folder"));
    }
    fs::write(desk.join(path), text)?;
    if executable {
        fs::set_permissions(desk.join(path), fs::Permissions::from_mode(0o755))?;
    }
    Ok(succeed(&format!("wrote {} bytes to {}", text.len(), path.display())))
}

/// Writes a message to a folder instead of sending it.
fn send(desk: &Path, call: &api::Call) -> io::Result<(Status, Json)> {
    let (outbox, name) = (desk.join("outbox"), format!("{}.json", call.name));
    fs::create_dir_all(&outbox)?;
    fs::write(outbox.join(&name), call.arguments.as_str())?;
    Ok(succeed(&format!("put into outbox/{name}")))
}

fn succeed(text: &str) -> (Status, Json) {
    (Status::Success, Json::string(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outside_the_folder_is_written() {
        for path in ["../up.txt", "/etc/motd", "a/../../b"] {
            let refused = write_file(Path::new("/nowhere"), Path::new(path), "", false);
            let why = refused.expect_err("outside").to_string();
            assert_eq!(why, "the demo writes nothing outside its folder", "{path}");
        }
    }
}
