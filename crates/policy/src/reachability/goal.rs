//! What a question is about.

use crate::effects::{GitChange, SqlKind};
use countersign_patterns::command::PathAccess;

/// What a call would have to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReachGoal {
    File { access: FileGoal, path: String },
    Host(String),
    Branch { change: GitChange, name: String },
    Cluster(ClusterGoal),
    Table { kind: SqlKind, table: String, database: Option<String> },
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileGoal {
    Read,
    List,
    Write,
    Delete,
    Run,
}

/// A command to a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ClusterGoal {
    pub(crate) verb: String,
    pub(crate) kind: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) namespace: Option<String>,
    pub(crate) context: Option<String>,
}

impl FileGoal {
    pub(crate) const ALL: [Self; 5] = [Self::Read, Self::List, Self::Write, Self::Delete, Self::Run];

    /// The word in a question and in the table of ways.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::List => "list",
            Self::Write => "write",
            Self::Delete => "delete",
            Self::Run => "run",
        }
    }

    /// The access that protections know. No access says that a file is run.
    pub(crate) const fn access(self) -> Option<PathAccess> {
        match self {
            Self::Read => Some(PathAccess::Read),
            Self::List => Some(PathAccess::List),
            Self::Write => Some(PathAccess::Write),
            Self::Delete => Some(PathAccess::Delete),
            Self::Run => None,
        }
    }
}

impl ReachGoal {
    /// The word in the table of ways.
    pub(crate) const fn way(&self) -> &'static str {
        match self {
            Self::File { access, .. } => access.as_str(),
            Self::Host(_) => "connect",
            Self::Branch { change: GitChange::Update, .. } => "push",
            Self::Branch { change: GitChange::Force, .. } => "force",
            Self::Branch { change: GitChange::Delete, .. } => "delete branch",
            Self::Cluster(_) => "kubernetes",
            Self::Table { .. } => "sql",
        }
    }
}
