//! opencode: <https://opencode.ai/docs/plugins>.

use super::{coding_agent::ServerConfigs, plugin_agent::PluginAgent};

/// opencode.
pub(crate) static OPENCODE: PluginAgent = PluginAgent {
    name: "opencode",
    program: "opencode",
    of_user: ".config/opencode/plugins/countersign.js",
    of_project: ".opencode/plugins/countersign.js",
    source: include_str!("plugins/opencode.js"),
    companions: &[],
    servers: ServerConfigs { of_user: ".config/opencode/opencode.json", of_project: "opencode.json" },
    advice: "Start the agent again: it reads plugins at its start.\n\
             Check the plugin with: countersign install --verify",
};
