//! The reasons why a configuration is left unchanged.

/// The reason why a configuration cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadClientConfig {
    /// The text cannot be parsed.
    #[error("it cannot be parsed: {0}")]
    Syntax(String),
    /// The text has no servers.
    #[error(
        "it has no servers (\"mcpServers\", \"servers\", \"context_servers\", \"mcp\" or [mcp_servers]); name the configuration \
         file of an MCP client"
    )]
    NoServers,
    /// YAML, as of Goose.
    #[error(
        "YAML is not changed by this command; write the gateway before the command of each server by hand: cmd: countersign, \
         args: [mcp, --name, NAME, --, COMMAND, ...]"
    )]
    Yaml,
}
