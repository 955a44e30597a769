//! Changing what a call is to run with: in an editor, or with arguments that are given whole.

use crate::{exit::Said, facts, json};
use anyhow::Context as _;
use countersign_api::random_id;
use countersign_gate::{Json, json::diff};
use std::{
    io::{Read as _, Write as _},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// Has somebody change the JSON in their editor; nothing, if they left it as it was.
pub(crate) async fn in_editor(arguments: &Json) -> anyhow::Result<Option<Json>> {
    let path = std::env::temp_dir().join(format!("{}.json", random_id("countersign-")));
    write(&path, &json::pretty(arguments))?;
    let written = edited(&path).await;
    match written.and_then(|text| read(&text)) {
        Ok(changed) => {
            let _ = std::fs::remove_file(&path);
            Ok((!is_same(arguments, &changed)).then_some(changed))
        }
        // What somebody wrote is not thrown away over a comma.
        Err(error) => {
            Err(error.context(format!("nothing was sent; what was written is in {}", path.display())))
        }
    }
}

/// Arguments as they were given on the command line: JSON, `@` and a file that has it, or `-` for stdin.
pub(crate) fn given(text: &str) -> anyhow::Result<Json> {
    let read_all = |path: &str| {
        std::fs::read_to_string(path).map_err(|why| Said::usage(format!("--arguments: {path}: {why}")))
    };
    let text = match text.strip_prefix('@') {
        Some(path) => read_all(path)?,
        None if text == "-" => {
            let mut all = String::new();
            std::io::stdin().read_to_string(&mut all)?;
            all
        }
        None => text.to_owned(),
    };
    read(&text).map_err(|why| Said::usage(format!("--arguments: {why:#}")).into())
}

/// Where they differ, in lines.
pub(crate) fn differences(before: &Json, after: &Json) -> Vec<String> {
    facts::changes(&diff(before, after))
}

/// Whether both mean the same, however they are written.
pub(crate) fn is_same(before: &Json, after: &Json) -> bool {
    matches!((before.admit(), after.admit()), (Ok(before), Ok(after)) if before == after)
}

fn read(text: &str) -> anyhow::Result<Json> {
    let json = Json::parse(text.trim())?;
    json.admit()?;
    Ok(json)
}

/// Only its owner may read it: arguments are nobody else's business.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    let mut file = file.with_context(|| format!("{} cannot be made", path.display()))?;
    Ok(writeln!(file, "{text}")?)
}

/// Runs the editor as a shell would, since people keep options in the variable.
async fn edited(path: &PathBuf) -> anyhow::Result<String> {
    let set = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let line = format!("{editor} \"$1\"");
    let ended = Command::new("sh").arg("-c").arg(line).arg("sh").arg(path).status().await;
    let ended = ended.with_context(|| format!("the editor {editor} cannot be started"))?;
    anyhow::ensure!(ended.success(), "the editor {editor} failed ({ended})");
    std::fs::read_to_string(path).context("what was written cannot be read")
}
