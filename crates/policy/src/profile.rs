//! The policies for coding agents that are part of the program.

use crate::policy::Policy;
use std::{fmt, str::FromStr};

/// A policy for coding agents. Each consists of the shipped policy, which keeps agents from deciding, and of the parts that
/// follow it here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PolicyProfile {
    /// Free are reading, searching and editing in the project, planning, builds, tests and local Git.
    Coding,
    /// Like `Coding`, but changes of files are asked.
    Careful,
    /// Nothing is asked. The log has the verdict that `Coding` would have given.
    Observe,
}

const PROTECTIONS: &str = include_str!("profiles/protections.toml");
const TOOLS: &str = include_str!("profiles/tools.toml");
const READING: &str = include_str!("profiles/reading.toml");
const EDITING: &str = include_str!("profiles/editing.toml");
const COMMANDS: &str = include_str!("profiles/commands.toml");
const ADVISOR: &str = include_str!("profiles/advisor.toml");

impl PolicyProfile {
    /// All profiles. The first one is the usual one.
    pub const ALL: [Self; 3] = [Self::Coding, Self::Careful, Self::Observe];

    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Coding => "coding",
            Self::Careful => "careful",
            Self::Observe => "observe",
        }
    }

    /// What it does, in one sentence.
    #[must_use]
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Coding => {
                "reading, editing, builds, tests and local Git in the project are free; all else is asked"
            }
            Self::Careful => "like coding, but edits are asked, too",
            Self::Observe => "nothing is asked; the log has the verdicts that coding would have given",
        }
    }

    /// The policy text, in one file.
    #[must_use]
    pub fn text(self) -> String {
        let shipped = Policy::SHIPPED;
        match self {
            Self::Coding => [shipped, PROTECTIONS, TOOLS, READING, EDITING, COMMANDS, ADVISOR].concat(),
            // Without `access`, a command in the project may write a file by a redirection.
            Self::Careful => {
                let reads = |part: &str| {
                    part.replace(
                        "\nkind = \"shell\"\ninside",
                        "\nkind = \"shell\"\naccess = \"read\"\ninside",
                    )
                };
                [shipped, PROTECTIONS, TOOLS, &reads(READING), &reads(COMMANDS), ADVISOR].concat()
            }
            Self::Observe => {
                ["observe = true\n\n", shipped, PROTECTIONS, TOOLS, READING, EDITING, COMMANDS].concat()
            }
        }
    }

    /// The policy.
    #[must_use]
    pub fn policy(self) -> Policy {
        // A test proves that each can be read. If one could not, asking always would be the safe fallback.
        Policy::read(&self.text()).unwrap_or_else(|_| Policy::ask_always())
    }

    /// The profile with this text.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.text() == text)
    }
}

impl fmt::Display for PolicyProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for PolicyProfile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.map(Self::as_str).join(", ");
        let found = Self::ALL.into_iter().find(|profile| profile.as_str() == text);
        found.ok_or_else(|| format!("unknown profile {text:?}; the profiles are {known}"))
    }
}
