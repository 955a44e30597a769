//! The integrations in the configuration of this user and of the current folder. No server knows them.

use crate::commands::{install::find_hooks, mcp::count_wrapped_servers};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The configuration of MCP servers in the folder of a project.
const MCP_CONFIG: &str = ".mcp.json";

/// An integration in a configuration file.
#[derive(Debug, Serialize)]
pub(super) struct LocalIntegration {
    /// `hook` or `mcp`.
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// The reason why it does not work.
    pub(super) trouble: Option<String>,
}

pub(super) fn find_integrations() -> Vec<LocalIntegration> {
    let mut found: Vec<_> = find_hooks()
        .into_iter()
        .map(|hook| LocalIntegration {
            kind: "hook",
            name: hook.agent.as_str().to_owned(),
            path: hook.path,
            trouble: hook.trouble,
        })
        .collect();
    if let Some(servers) = count_wrapped_servers(Path::new(MCP_CONFIG)).filter(|servers| *servers > 0) {
        let path = std::path::absolute(MCP_CONFIG).unwrap_or_else(|_| PathBuf::from(MCP_CONFIG));
        let plural = if servers == 1 { "" } else { "s" };
        found.push(LocalIntegration {
            kind: "mcp",
            name: format!("{servers} server{plural}"),
            path,
            trouble: None,
        });
    }
    found
}
