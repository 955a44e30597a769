//! Words about the files that a command line uses.

/// What shows the files of a line's redirections, and the content of its here-documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCover {
    /// The patterns alone, which show only `< file`.
    Patterns,
    /// A test of every path in the line, such as [`ParsedScript::find_outside`].
    PathTest,
}

/// What a command may do with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathAccess {
    /// It reads the file, or says something about it.
    Read,
    /// It lists the names in the folder.
    List,
    /// It writes the file.
    Write,
    /// It deletes the file.
    Delete,
    /// It may do any of them.
    Unknown,
}
