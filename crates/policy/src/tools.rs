//! The policy's knowledge of tools: the operation of a tool, and where its operands are among its arguments.

use crate::{names::Names, value::Pointer};

/// What an operand is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Command,
    Url,
    Path,
}

impl Kind {
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
pub(crate) struct Mapping {
    pub(crate) tools: Names,
    pub(crate) operation: Option<String>,
    pub(crate) commands: Vec<Pointer>,
    pub(crate) urls: Vec<Pointer>,
    pub(crate) paths: Vec<Pointer>,
    pub(crate) idempotent: Option<bool>,
}

impl Mapping {
    pub(crate) fn pointers(&self, kind: Kind) -> &[Pointer] {
        match kind {
            Kind::Command => &self.commands,
            Kind::Url => &self.urls,
            Kind::Path => &self.paths,
        }
    }
}
