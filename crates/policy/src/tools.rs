//! What the policy knows about tools: each tool's operation, and where its operands are among its arguments.

use crate::{names::NameGlobs, value::JsonPointer};
use serde::Deserialize;
use std::sync::LazyLock;

/// The keys for program arguments, next to the program key.
pub(crate) const ARGUMENT_KEYS: &[&str] = &["args", "arguments", "argv"];

/// Arguments that name the folder in which a command runs.
pub(crate) const FOLDER_ARGUMENTS: [&str; 6] =
    ["cwd", "workdir", "working_directory", "workingDirectory", "directory", "dir_path"];

/// The pointers to [`FOLDER_ARGUMENTS`].
pub(crate) fn folder_pointers() -> &'static [JsonPointer] {
    static FOLDERS: LazyLock<Vec<JsonPointer>> = LazyLock::new(|| {
        FOLDER_ARGUMENTS.iter().filter_map(|key| JsonPointer::read(&format!("/{key}")).ok()).collect()
    });
    &FOLDERS
}

/// The operand kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OperandKind {
    Command,
    Url,
    Path,
}

impl OperandKind {
    pub(crate) const ALL: [Self; 3] = [Self::Command, Self::Url, Self::Path];

    /// The pointers at which most tools have the operand. They apply to a tool that `[tools]` does not name.
    pub(crate) const fn usual_pointers(self) -> &'static [&'static str] {
        match self {
            Self::Command => &["/command", "/cmd", "/script", "/program", "/executable"],
            Self::Url => &["/url", "/uri", "/href"],
            Self::Path => &[
                "/path",
                "/file_path",
                "/filePath",
                "/file",
                "/filename",
                "/directory",
                "/dir",
                "/source",
                "/destination",
                "/paths/*",
            ],
        }
    }

    /// [`Self::usual_pointers`], read once.
    pub(crate) fn usual(self) -> &'static [JsonPointer] {
        static USUAL: LazyLock<[Vec<JsonPointer>; OperandKind::ALL.len()]> = LazyLock::new(|| {
            let read = |text: &&str| JsonPointer::read(text).ok();
            OperandKind::ALL.map(|kind| kind.usual_pointers().iter().filter_map(read).collect())
        });
        &USUAL[self as usize]
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Url => "url",
            Self::Path => "path",
        }
    }
}

/// A `[tools]` entry: the tools' operation, and the pointers to their operands.
#[derive(Debug, Clone)]
pub(crate) struct OperandMapping {
    pub(crate) tools: NameGlobs,
    pub(crate) operation: Option<String>,
    pub(crate) commands: Vec<JsonPointer>,
    pub(crate) urls: Vec<JsonPointer>,
    pub(crate) paths: Vec<JsonPointer>,
    /// The arguments that have no effect on what the tools run.
    pub(crate) harmless: Vec<JsonPointer>,
    pub(crate) idempotent: Option<bool>,
    /// Whether the tools run a list of words without a shell.
    pub(crate) argv: Option<bool>,
    /// Whether a layer has the entry. It then adds pointers and replaces none, so that it cannot hide an operand from
    /// the rules of another file.
    pub(crate) is_layer: bool,
}

impl OperandMapping {
    pub(crate) fn pointers(&self, kind: OperandKind) -> &[JsonPointer] {
        match kind {
            OperandKind::Command => &self.commands,
            OperandKind::Url => &self.urls,
            OperandKind::Path => &self.paths,
        }
    }
}
