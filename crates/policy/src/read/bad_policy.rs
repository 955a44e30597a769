//! The error for a policy that cannot be read.

/// The error for a policy that cannot be read, with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPolicy {
    /// The input is not TOML. The message shows the line.
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    /// The input is TOML, but not a valid policy.
    #[error("the policy is invalid at line {line}, column {column}: {why}")]
    Wrong {
        /// The line, counted from 1.
        line: usize,
        /// The column in characters, counted from 1.
        column: usize,
        /// The problem, and how to fix it.
        why: String,
    },
    /// The error of one of several files.
    #[error("{file}: {error}")]
    InFile {
        /// The layer's name, such as `policy.d/10-team.toml`, or `the main file`.
        file: String,
        /// The error.
        error: Box<BadPolicy>,
    },
}

impl BadPolicy {
    /// Adds the file's name, if the policy has several.
    pub(super) fn in_file(self, file: Option<&str>) -> Self {
        match file {
            Some(file) => Self::InFile { file: file.to_owned(), error: Box::new(self) },
            None => self,
        }
    }
}
