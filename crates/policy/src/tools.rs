//! The policy's knowledge of tools: the operation of a tool, and where its operands are among its arguments.

use crate::{names::NameGlobs, value::JsonPointer};

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperandKind {
    Command,
    Url,
    Path,
}

impl OperandKind {
    /// Where tools commonly keep it, when nothing is said of a tool.
    pub(crate) const fn usual(self) -> &'static [&'static str] {
        match self {
            Self::Command => &["/command", "/cmd", "/script"],
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

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Url => "url",
            Self::Path => "path",
        }
    }
}

/// What the policy says of tools: where their operands stand, and what they do.
#[derive(Debug, Clone)]
pub(crate) struct OperandMapping {
    pub(crate) tools: NameGlobs,
    pub(crate) operation: Option<String>,
    pub(crate) commands: Vec<JsonPointer>,
    pub(crate) urls: Vec<JsonPointer>,
    pub(crate) paths: Vec<JsonPointer>,
    pub(crate) idempotent: Option<bool>,
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
