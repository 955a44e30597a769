//! Rewriting an MCP client configuration, so that its servers start behind the gateway, and back.
//!
//! The file is changed in place: everything that does not say how to reach a server keeps its bytes, and unwrapping
//! restores the file. The forms are those of the clients (read in their documentation and in files that they wrote,
//! November 2026):
//!
//! | client | servers | the way to a server |
//! | --- | --- | --- |
//! | Claude Desktop, Cursor, Windsurf, Gemini CLI, `.mcp.json` | `mcpServers` | `command` and `args`; `url`, `serverUrl` or `httpUrl` with `headers` |
//! | Claude Code, `~/.claude.json` | also `projects.FOLDER.mcpServers` | the same |
//! | VS Code | `servers`, `mcp.servers` | the same |
//! | Zed | `context_servers` | the same, or `command.path` and `command.args` |
//! | opencode | `mcp` | `command` as a list; `url` with `headers` |
//! | Codex | `mcp_servers` in TOML | `command` and `args`; `url` with `http_headers` |

mod address;
mod error;
mod gateway;
mod server;
mod tree;

pub use error::BadClientConfig;
pub use tree::ConfigSyntax;

use countersign_json_rpc::splice_all;
use gateway::unwrap_server;
use serde::Serialize;
use server::{ClientServer, EntryChange};
use tree::ConfigNode;

/// The members that contain the servers. `*` is each member.
const SERVER_LISTS: &[&[&str]] = &[
    &["mcpServers"],
    &["projects", "*", "mcpServers"],
    &["servers"],
    &["mcp", "servers"],
    &["mcp"],
    &["context_servers"],
    &["mcp_servers"],
];

/// A changed configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedConfig {
    /// The new text.
    pub text: String,
    /// The servers whose entry was changed.
    pub changed: Vec<String>,
    /// The servers that keep their entry, because the gateway cannot take their place.
    pub skipped: Vec<SkippedServer>,
    /// The servers that are behind the gateway already.
    pub wrapped: Vec<String>,
}

/// A server that keeps its entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkippedServer {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
}

/// Puts the gateway before each server that does not have it yet.
pub fn wrap_config(
    text: &str,
    syntax: ConfigSyntax,
    program: &str,
) -> Result<ChangedConfig, BadClientConfig> {
    change_servers(text, syntax, |entry| entry.wrap(program))
}

/// Removes the gateway from each server that has it.
pub fn unwrap_config(text: &str, syntax: ConfigSyntax) -> Result<ChangedConfig, BadClientConfig> {
    change_servers(text, syntax, unwrap_server)
}

fn change_servers(
    text: &str,
    syntax: ConfigSyntax,
    change: impl Fn(&ClientServer<'_>) -> EntryChange,
) -> Result<ChangedConfig, BadClientConfig> {
    let root = ConfigNode::read(text, syntax)?;
    let lists: Vec<_> = SERVER_LISTS.iter().flat_map(|path| find_lists(&root, path, "")).collect();
    if lists.is_empty() {
        return Err(BadClientConfig::NoServers);
    }
    let mut edits = Vec::new();
    let mut found =
        ChangedConfig { text: String::new(), changed: Vec::new(), skipped: Vec::new(), wrapped: Vec::new() };
    for (owner, list) in lists {
        for member in list.members() {
            let name = format!("{}{owner}", member.key);
            let entry = match ClientServer::read(text, member) {
                Ok(entry) => entry,
                Err(why) => {
                    found.skipped.push(SkippedServer { name, why: why.to_owned() });
                    continue;
                }
            };
            if entry.is_wrapped() {
                found.wrapped.push(name.clone());
            }
            match change(&entry) {
                EntryChange::Changed(changes) => {
                    edits.extend(changes);
                    found.changed.push(name);
                }
                EntryChange::Kept => {}
                EntryChange::Skipped(why) => found.skipped.push(SkippedServer { name, why: why.to_owned() }),
            }
        }
    }
    found.text = splice_all(text, edits);
    Ok(found)
}

/// The lists at a path, each with the words that tell whose it is.
fn find_lists<'a>(node: &'a ConfigNode, path: &[&str], owner: &str) -> Vec<(String, &'a ConfigNode)> {
    match path {
        // The settings of VS Code have `mcp.servers`, and opencode has the servers in `mcp`.
        [] if node.style().is_none() || node.get("servers").is_some_and(|inner| inner.style().is_some()) => {
            Vec::new()
        }
        [] => vec![(owner.to_owned(), node)],
        ["*", rest @ ..] => {
            let members = node.members().iter();
            members
                .flat_map(|member| find_lists(&member.node, rest, &format!(" in {}", member.key)))
                .collect()
        }
        [key, rest @ ..] => node.get(key).map_or_else(Vec::new, |inner| find_lists(inner, rest, owner)),
    }
}

#[cfg(test)]
mod tests;
