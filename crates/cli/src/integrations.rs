//! The integrations in the configuration of this user and of the current folder. No server knows them.

use crate::commands::{
    install::{FoundHook, find_hooks},
    mcp::count_wrapped_servers,
};
use countersign_service::status::LocalIntegration;
use std::path::{Path, PathBuf};

/// The MCP server configuration in a project folder.
const MCP_CONFIG: &str = ".mcp.json";

/// The hooks of coding agents, and the wrapped MCP servers.
pub(crate) fn find_integrations() -> Vec<LocalIntegration> {
    let mut found = find_hook_integrations();
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

/// The hooks of coding agents.
pub(crate) fn find_hook_integrations() -> Vec<LocalIntegration> {
    let hook = |hook: FoundHook| LocalIntegration {
        kind: "hook",
        name: hook.agent.name().to_owned(),
        path: hook.path,
        trouble: hook.trouble,
    };
    find_hooks().into_iter().map(hook).collect()
}
