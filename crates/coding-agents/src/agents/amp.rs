//! Amp: <https://ampcode.com/manual/plugin-api>.

use super::{coding_agent::ServerConfigs, plugin_agent::PluginAgent};

/// Amp.
pub(crate) static AMP: PluginAgent = PluginAgent {
    name: "amp",
    program: "amp",
    of_user: ".config/amp/plugins/countersign.ts",
    of_project: ".amp/plugins/countersign.ts",
    source: include_str!("plugins/amp.js"),
    tried_version: None,
    covered: &["tool.call", "tool.result"],
    harmless: &[],
    companions: &[],
    servers: ServerConfigs { of_user: ".config/amp/settings.json", of_project: ".amp/settings.json" },
    advice: "Start the agent again: it reads plugins at its start.\n\
             Check the plugin with: countersign install --verify",
};
