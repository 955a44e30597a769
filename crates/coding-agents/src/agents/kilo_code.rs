//! Kilo Code: its command line is a fork of opencode, and has the same plugins.

use super::{coding_agent::ServerConfigs, opencode::COVERED, opencode::HARMLESS, plugin_agent::PluginAgent};

/// Kilo Code.
pub(crate) static KILO_CODE: PluginAgent = PluginAgent {
    name: "kilo-code",
    program: "kilo",
    of_user: ".config/kilo/plugins/countersign.js",
    of_project: ".kilo/plugins/countersign.js",
    source: include_str!("plugins/opencode.js"),
    tried_version: Some("7.7.9"),
    covered: COVERED,
    harmless: HARMLESS,
    companions: &[],
    servers: ServerConfigs { of_user: ".config/kilo/kilo.json", of_project: "kilo.json" },
    advice: "Start the agent again: it reads plugins at its start.\n\
             Check the plugin with: countersign install --verify",
};
