//! An integration of this machine.

use serde::Serialize;
use std::path::PathBuf;

/// An integration in a configuration file.
#[derive(Debug, Serialize)]
pub struct LocalIntegration {
    /// `hook` or `mcp`.
    pub kind: &'static str,
    /// The agent, or the number of servers.
    pub name: String,
    /// The configuration file.
    pub path: PathBuf,
    /// The reason why it does not work.
    pub trouble: Option<String>,
}
