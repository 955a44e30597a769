//! Changing call arguments in an editor.

use super::{facts::change_lines, json::format_for_editor};
use countersign_api::random_id;
use countersign_events::{Json, json::diff};
use std::{
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};
use tokio::process::Command;

/// The arguments could not be changed in an editor.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The temporary file could not be created.
    #[error("{} cannot be created: {source}", path.display())]
    Create {
        /// The temporary file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The edited text was not used. The temporary file keeps it.
    #[error("nothing was sent; your text is in {}: {cause}", path.display())]
    NotUsed {
        /// The temporary file.
        path: PathBuf,
        /// The cause, in words.
        cause: String,
    },
}

/// Opens the JSON in the user's editor. Returns `None` if the user did not change it.
pub async fn edit_arguments(arguments: &Json) -> Result<Option<Json>, EditError> {
    let path = std::env::temp_dir().join(format!("{}.json", random_id("countersign-")));
    write_private_file(&path, &format_for_editor(arguments))
        .map_err(|source| EditError::Create { path: path.clone(), source })?;
    match run_editor(&path).await.and_then(|text| parse_arguments(&text)) {
        Ok(changed) => {
            let _ = std::fs::remove_file(&path);
            Ok((!is_same_json(arguments, &changed)).then_some(changed))
        }
        // The file stays, so a misplaced comma does not cost the user their text.
        Err(cause) => Err(EditError::NotUsed { path, cause }),
    }
}

/// The differences between two values, in lines.
#[must_use]
pub fn difference_lines(before: &Json, after: &Json) -> Vec<String> {
    change_lines(&diff(before, after))
}

/// Returns true if both strings mean the same JSON value.
#[must_use]
pub fn is_same_json(before: &Json, after: &Json) -> bool {
    matches!((before.canonical_hash(), after.canonical_hash()), (Ok(before), Ok(after)) if before == after)
}

/// Reads arguments that a person typed.
pub fn parse_arguments(text: &str) -> Result<Json, String> {
    let json = Json::parse(text.trim()).map_err(|error| error.to_string())?;
    json.admit_arguments().map_err(|error| error.to_string())?;
    Ok(json)
}

/// Creates a file that only its owner may read, because arguments can be confidential.
fn write_private_file(path: &Path, text: &str) -> io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(file, "{text}")
}

/// Runs the editor through a shell, because people keep options in `$EDITOR`.
async fn run_editor(path: &Path) -> Result<String, String> {
    let read_variable = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor =
        read_variable("VISUAL").or_else(|| read_variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let line = format!("{editor} \"$1\"");
    let status = Command::new("sh").arg("-c").arg(line).arg("sh").arg(path).status().await;
    let status = status.map_err(|error| format!("the editor {editor} cannot be started: {error}"))?;
    if !status.success() {
        return Err(format!("the editor {editor} failed ({status})"));
    }
    std::fs::read_to_string(path).map_err(|error| format!("the edited file cannot be read: {error}"))
}
