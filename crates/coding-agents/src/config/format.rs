//! The forms of configurations.

/// How a configuration holds hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConfigFormat {
    /// JSON, with `hooks.EVENT`.
    Json(JsonEntries),
    /// TOML, with `[[hooks.EVENT]]` and `[[hooks.EVENT.hooks]]`.
    Toml,
    /// A file that holds nothing but the hook, such as a plugin or a script.
    OwnFile,
}

/// How a configuration in JSON holds hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonEntries {
    /// Whether hooks are in groups, `hooks.EVENT[].hooks[]`; otherwise they are `hooks.EVENT[]`, beside `version`.
    pub is_grouped: bool,
    /// The number of units of a time-out in a second.
    pub units_per_second: u64,
    /// The object that holds the events.
    pub group: &'static str,
    /// The matcher of a group, for an agent that needs one to run a hook for each tool.
    pub matcher: Option<&'static str>,
    /// Whether a hook without a group has a type.
    pub has_type: bool,
    /// The member that makes the agent block after a hook failure, for an agent that has one.
    pub on_failure: &'static str,
}

impl JsonEntries {
    /// Groups, with time-outs in seconds.
    pub const GROUPED: Self = Self {
        is_grouped: true,
        units_per_second: 1,
        group: "hooks",
        matcher: None,
        has_type: true,
        on_failure: "onFailure",
    };
    /// No groups, with time-outs in seconds.
    pub const FLAT: Self =
        Self { is_grouped: false, has_type: false, on_failure: "failClosed", ..Self::GROUPED };
}
