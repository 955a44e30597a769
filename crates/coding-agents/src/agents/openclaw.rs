//! `OpenClaw`: <https://docs.openclaw.ai/plugins/hooks>.

use super::{coding_agent::ServerConfigs, plugin_agent::PluginAgent};

/// `OpenClaw`.
pub(crate) static OPENCLAW: PluginAgent = PluginAgent {
    name: "openclaw",
    program: "openclaw",
    of_user: ".openclaw/extensions/countersign/index.js",
    of_project: ".openclaw/extensions/countersign/index.js",
    source: include_str!("plugins/openclaw.js"),
    tried_version: None,
    covered: &["before_tool_call", "after_tool_call"],
    harmless: &[],
    companions: &[
        ("package.json", include_str!("plugins/openclaw.package.json")),
        ("openclaw.plugin.json", include_str!("plugins/openclaw.plugin.json")),
    ],
    servers: ServerConfigs { of_user: ".openclaw/openclaw.json", of_project: ".openclaw/openclaw.json" },
    advice: "OpenClaw loads the plugin after: openclaw plugins enable countersign",
};
