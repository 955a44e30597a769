//! opencode: <https://opencode.ai/docs/plugins>.

use super::{
    coding_agent::ServerConfigs,
    harmless_events::{HarmlessEvents, MODEL, SAME_CALL, TEXT},
    plugin_agent::PluginAgent,
};

/// The hooks of a plugin that handle calls.
pub(super) const COVERED: &[&str] = &["event", "tool.execute.after", "tool.execute.before"];

/// The others.
pub(super) const HARMLESS: &[HarmlessEvents] = &[
    HarmlessEvents {
        why: TEXT,
        names: &[
            "chat.message",
            "command.execute.before",
            "experimental.chat.messages.transform",
            "experimental.chat.system.transform",
            "experimental.compaction.autocontinue",
            "experimental.session.compacting",
            "experimental.text.complete",
        ],
    },
    HarmlessEvents {
        why: MODEL,
        names: &["chat.headers", "chat.params", "experimental.provider.small_model"],
    },
    HarmlessEvents { why: SAME_CALL, names: &["permission.ask", "shell.env"] },
    HarmlessEvents {
        why: "a plugin adds it at the start: a call that uses it is asked",
        names: &["auth", "config", "dispose", "provider", "tool", "tool.definition"],
    },
];

/// opencode.
pub(crate) static OPENCODE: PluginAgent = PluginAgent {
    name: "opencode",
    program: "opencode",
    of_user: ".config/opencode/plugins/countersign.js",
    of_project: ".opencode/plugins/countersign.js",
    source: include_str!("plugins/opencode.js"),
    tried_version: Some("1.18.33"),
    covered: COVERED,
    harmless: HARMLESS,
    companions: &[],
    servers: ServerConfigs { of_user: ".config/opencode/opencode.json", of_project: "opencode.json" },
    advice: "Start the agent again: it reads plugins at its start.\n\
             Check the plugin with: countersign install --verify",
};
